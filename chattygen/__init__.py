"""chattygen: dialogue benchmarks from a knowledge graph, made on one machine with local models."""

__version__ = "0.2.0.dev0"
