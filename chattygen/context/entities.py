"""The entities of a node type in random, reproducible order (Algorithm 2, line 3).

A large type is visited part by part (kg/draws.py), each part a query without ORDER BY or OFFSET, so that no store has
to sort a class and no list of millions is held. The first part is the same whatever the seed, for a load has kept it,
and is itself a random one: 500 entities at least. Knows nothing about labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from chattygen.config import GraphSettings
from chattygen.domain import NodeType
from chattygen.kg.draws import entities_of, parts
from chattygen.kg.graph import KnowledgeGraph


def shuffled(
    graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, rng: Random, deadline: float
) -> Iterator[str]:
    """The IRIs of all entities of the type, each once, in an order that depends on `rng` and the data only.

    Raises:
        QueryTimeout, QueryError: as the graph does, while iterating.
    """
    first, *others = parts(node_type.count)
    rng.shuffle(others)
    for part in (first, *others):
        found = sorted(entities_of(graph, settings, node_type.iri, part, deadline))
        rng.shuffle(found)
        yield from found


def sample(
    graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, rng: Random, size: int, deadline: float
) -> tuple[str, ...]:
    """Up to `size` random entities of the type."""
    return tuple(islice(shuffled(graph, node_type, settings, rng, deadline), size))
