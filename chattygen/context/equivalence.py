"""Predicates that state the same fact: `authored by` and, the other way round, `author of` (section 4.3).

Learned from a sample of the type, never from one entity: two relations are the same when their other ends are equal for
nearly all sampled entities that have both. Knows nothing about stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from chattygen.context.samples import Relation, TypeSample

EQUAL = 0.95
"""Part of the entities with both relations whose other ends have to be equal."""
WITNESSES = 5
"""At least so many entities must have both relations."""
DIFFERENT = 3
"""Among these there must be so many different sets of other ends: equal constants are no evidence."""


def groups(sample: TypeSample, labels: Mapping[str, str]) -> tuple[tuple[Relation, ...], ...]:
    """Relations that state the same fact, the one to keep first: outgoing, then with the shorter predicate label.

    Args:
        labels: predicate IRI -> label.
    """

    def preference(relation: Relation) -> tuple[bool, int, str]:
        predicate, direction = relation
        return direction == "in", len(labels.get(predicate, predicate)), predicate

    relations = sorted(sample.values, key=preference)
    first = {relation: relation for relation in relations}
    for one, other in combinations(relations, 2):
        if first[other] == other and same(sample, one, other):
            first[other] = first[one]
    found: dict[Relation, list[Relation]] = {}
    for relation in relations:
        found.setdefault(first[relation], []).append(relation)
    return tuple(tuple(group) for group in found.values() if len(group) > 1)


def same(sample: TypeSample, one: Relation, other: Relation) -> bool:
    """Whether two relations have the same other ends for nearly all sampled entities that have both."""
    these, those = sample.values[one], sample.values[other]
    both = these.keys() & those.keys()
    equal = [these[entity] for entity in both if these[entity] == those[entity]]
    return len(both) >= WITNESSES and len(equal) >= EQUAL * len(both) and len(set(equal)) >= DIFFERENT
