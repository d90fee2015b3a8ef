"""A class in parts by the hash of its entities: how to draw from millions without sorting them or counting them off.

A part is all entities whose MD5 of the IRI begins with certain digits. So every store has the same parts, and the first
one of a large class is a random sample of it that a load can keep (kept.py). Knows nothing about stores.
"""

from __future__ import annotations

from hashlib import md5
from itertools import product

from chattygen.config import GraphSettings
from chattygen.domain import Iri, Literal
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind, can_be_asked

PART = 8000
"""A part has about this many entities at most, and a sixteenth of it at least; a class with no more is one part."""


def parts(count: int) -> list[str]:
    """The parts of a class of `count` entities: the hexadecimal digits that the hashes of each begin with."""
    digits = 0
    while count > PART * 16**digits:
        digits += 1
    return ["".join(prefix) for prefix in product("0123456789abcdef", repeat=digits)]


def entities_of(
    graph: KnowledgeGraph, settings: GraphSettings, node_type: str, part: str, deadline: float
) -> list[str]:
    """The IRIs of one part of a class, in the order of their hashes, without those that no query can spell.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    rows = graph.select(part_query(settings, node_type, part), deadline=deadline).rows
    found = (row[0].value for row in rows if isinstance(row[0], Iri) and can_be_asked(row[0].value))
    return sorted(found, key=hash_of)


def hash_of(iri: str) -> bytes:
    """What decides of which part an entity is."""
    return md5(iri.encode(), usedforsecurity=False).digest()


def part_query(settings: GraphSettings, node_type: str, part: str) -> str:
    """The query for the entities (one column of IRIs) of one part of a class."""
    typing, kind = Iri(settings.type_predicate), Iri(node_type)
    return bind("entities_by_hash", type_predicate=typing, type=kind, bucket=Literal(part))
