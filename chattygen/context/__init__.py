"""Dialogue context extraction (section 4): node types, labels, seeds, subgraphs and their summary."""
