"""The knowledge graph: stores, loading, SPARQL (the paper's RDF engine)."""
