"""chattygen: dialogue benchmarks from a knowledge graph, made on one machine with local models."""

__version__ = "0.1.0"
