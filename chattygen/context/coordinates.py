"""Latitude and longitude, told from other numbers: what is linked lies near (section 4.3).

Coordinates are two numbers with fractions that the same entities have, within 90 and 180 degrees. So are percentages;
but two places of one country, or on one river, have like coordinates, and need not have like percentages. Knows nothing
about stores or what a predicate is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from math import inf
from statistics import median

from chattygen.context.literals import decimal_number
from chattygen.context.samples import TypeSample
from chattygen.domain import Iri, Literal

ENOUGH = 20
"""Entities with both numbers, and pairs of linked entities among them, that it takes to tell."""
FRACTIONS = 0.7
"""Share of the numbers that have a fraction."""
COMMON = 0.25
"""A neighbour of more than this share of the entities links nobody to anybody."""
NEAR = 0.6
"""Linked entities are at most so far apart, as a part of the distance of any two: the mean over both numbers."""


def coordinates(sample: TypeSample) -> frozenset[str]:
    """The outgoing predicates that are the latitude or the longitude of the entities of a type."""
    numbers = {predicate: _numbers(sample, predicate) for predicate, side in sample.values if side == "out"}
    fractions = {p: found for p, found in numbers.items() if _are_fractions(found)}
    if len(fractions) < 2:
        return frozenset()
    linked = _linked(sample)
    found = [
        {one, other}
        for one, other in combinations(sorted(fractions), 2)
        if fractions[one].keys() == fractions[other].keys()
        and _are_degrees(fractions[one], fractions[other])
        and _distance(fractions[one], linked) + _distance(fractions[other], linked) <= 2 * NEAR
    ]
    return frozenset().union(*found)


def _numbers(sample: TypeSample, predicate: str) -> dict[str, float]:
    """entity -> its one number; empty unless each entity with the predicate has one."""
    own = sample.values[predicate, "out"]
    told = {e: decimal_number(v) for e, ends in own.items() if len(ends) == 1 for v in ends if isinstance(v, Literal)}
    found = {entity: number for entity, number in told.items() if number is not None}
    return found if len(found) == len(own) else {}


def _are_fractions(found: Mapping[str, float]) -> bool:
    fractions = sum(not number.is_integer() for number in found.values())
    return len(found) >= ENOUGH and fractions >= FRACTIONS * len(found)


def _are_degrees(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    reach = sorted(max(map(abs, found.values())) for found in (one, other))
    return reach[0] <= 90 and reach[1] <= 180


def _linked(sample: TypeSample) -> list[tuple[str, str]]:
    """The pairs of entities that have a neighbour in common, in the same relation, which few others have."""
    pairs: Counter[tuple[str, str]] = Counter()
    for found in sample.values.values():
        around: dict[Iri, list[str]] = {}
        for entity in sorted(found):
            for value in found[entity]:
                if isinstance(value, Iri):
                    around.setdefault(value, []).append(entity)
        for entities in around.values():
            if len(entities) <= COMMON * len(sample.entities):
                pairs.update(combinations(entities, 2))
    return list(pairs)


def _distance(found: Mapping[str, float], linked: list[tuple[str, str]]) -> float:
    """How far apart linked entities are at the median, as a part of how far any two are; infinite if few are linked."""
    near = [abs(found[a] - found[b]) for a, b in linked if a in found and b in found]
    far = median(abs(a - b) for a, b in combinations(found.values(), 2))
    return median(near) / far if len(near) >= ENOUGH and far else inf
