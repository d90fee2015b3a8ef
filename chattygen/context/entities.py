"""The entities of a node type in random, reproducible order (Algorithm 2, line 3).

Entities are drawn by a hash of their IRI: a large type is visited part by part, each part a query without ORDER BY or
OFFSET, so that no store has to sort a class and no list of millions is held. Knows nothing about labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from random import Random

from chattygen.config import GraphSettings
from chattygen.domain import Iri, Literal, NodeType
from chattygen.errors import QueryError
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind, term_text

PART = 5000
"""A type is split into parts of at most about this many entities."""


def shuffled(
    graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, rng: Random, deadline: float
) -> Iterator[str]:
    """The IRIs of all entities of the type, each once, in an order that depends on `rng` and the data only.

    Raises:
        QueryTimeout, QueryError: as the graph does, while iterating.
    """
    digits = 0
    while node_type.count > PART * 16**digits:
        digits += 1
    parts = ["".join(prefix) for prefix in product("0123456789abcdef", repeat=digits)]
    rng.shuffle(parts)
    typing, kind = Iri(settings.type_predicate), Iri(node_type.iri)
    for part in parts:
        query = bind("entities_by_hash", type_predicate=typing, type=kind, bucket=Literal(part))
        rows = graph.select(query, deadline=deadline).rows
        found = sorted(row[0].value for row in rows if isinstance(row[0], Iri) and can_be_asked(row[0].value))
        rng.shuffle(found)
        yield from found


def sample(
    graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, rng: Random, size: int, deadline: float
) -> tuple[str, ...]:
    """Up to `size` random entities of the type."""
    return tuple(islice(shuffled(graph, node_type, settings, rng, deadline), size))


def can_be_asked(iri: str) -> bool:
    """Whether the IRI can be written in a query: published data hold IRIs with spaces or quotes."""
    try:
        term_text(Iri(iri))
    except QueryError:
        return False
    return True
