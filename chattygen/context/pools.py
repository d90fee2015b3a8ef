"""What seeds are drawn from, and how many dialogues are owed to each: node types, or buckets of popularity of them.

Chatty-Gen, section 4.1, gives each node type its share of the dialogues; Head-to-Tail, section 2, asks for equal
numbers from the buckets. What runs out passes its share on. Knows nothing about how subgraphs come to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from chattygen.context.node_types import distribute
from chattygen.domain import Bucket, NodeType

Supplied = TypeVar("Supplied")

Pool = tuple[str, Bucket | None]
"""A node type (IRI), or one bucket of it."""


def spread(wanted: Mapping[str, int], buckets: Sequence[Bucket]) -> dict[Pool, int]:
    """The dialogues of each node type in equal numbers over its buckets; each pool is in it once.

    What cannot be divided goes to the buckets that have the fewest so far over all types, the first of equals.
    """
    if not buckets:
        return {(iri, None): number for iri, number in wanted.items()}
    owed: dict[Pool, int] = {}
    so_far = dict.fromkeys(buckets, 0)
    for iri, number in wanted.items():
        whole, left = divmod(number, len(buckets))
        more = sorted(buckets, key=so_far.__getitem__)[:left]
        for bucket in buckets:
            owed[iri, bucket] = whole + (bucket in more)
            so_far[bucket] += owed[iri, bucket]
    return owed


def draw(
    supplies: dict[Pool, Iterator[Supplied]], owed: dict[Pool, int], kept: Sequence[NodeType], size: int
) -> list[Supplied]:
    """Up to `size` of what is supplied, from the pools that are owed most; what runs out passes its share on."""
    cohort: list[Supplied] = []
    while len(cohort) < size and supplies:
        pool = max(supplies, key=lambda pool: owed.get(pool, 0))
        supplied = next(supplies[pool], None)
        if supplied is None:
            del supplies[pool]
            owe(owed, owed.pop(pool, 0), pool, supplies, kept)
            continue
        owed[pool] = owed.get(pool, 0) - 1
        cohort.append(supplied)
    return cohort


def owe(
    owed: dict[Pool, int],
    number: int,
    pool: Pool,
    supplies: Mapping[Pool, Iterator[Supplied]],
    kept: Sequence[NodeType],
) -> None:
    """Owe `number` more dialogues to a pool; when it is exhausted to the other buckets of its node type, and when those
    are too, to the other types by their size.
    """
    iri, _ = pool
    if pool in supplies:
        owed[pool] = owed.get(pool, 0) + number
        return
    left: dict[str, list[Bucket]] = {}
    for other, bucket in supplies:
        left.setdefault(other, []).extend([bucket] if bucket else [])
    takers = [t for t in kept if (t.iri == iri if iri in left else t.iri in left)]
    for taker, more in distribute(takers, number).items():
        for share, part in spread({taker: more}, left[taker]).items():
            owed[share] = owed.get(share, 0) + part
