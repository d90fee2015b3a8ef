"""Twenty towns, t0 to t19. Four by four they lie in five countries, and their coordinates say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chattygen.context.coordinates import coordinates
from chattygen.context.interest import Interest, interests
from chattygen.context.samples import TypeSample
from chattygen.domain import XSD, Iri, Literal, NodeType, Term

E = "http://e.org/"
Tell = Callable[[int], Term | None]


def number(value: float, datatype: str = "decimal") -> Literal:
    return Literal(str(value), XSD + datatype)


def latitude(n: int) -> Literal:
    """0.5 to 3.5 in the first country, 40.5 to 43.5 in the last."""
    return number(10 * (n // 4) + n % 4 + 0.5)


def longitude(n: int) -> Literal:
    """-99.75 to -96.75 in the first country, 60.25 to 63.25 in the last."""
    return number(40 * (n // 4) - 100 + n % 4 + 0.25)


def country(n: int) -> Iri:
    return Iri(f"{E}country{n // 4}")


def towns(**told: Tell) -> TypeSample:
    names = [f"{E}t{n}" for n in range(20)]
    values = {
        (E + predicate, "out"): {name: frozenset([v]) for n, name in enumerate(names) if (v := tell(n)) is not None}
        for predicate, tell in told.items()
    }
    counts = {relation: dict.fromkeys(found, 1) for relation, found in values.items()}
    return TypeSample(NodeType(E + "Town", "town", 900, 1.0), tuple(names), counts, values)  # type: ignore[arg-type]


def test_what_is_linked_lies_near() -> None:
    """Towns of one country are 1.5 degrees apart at the median in both, any two towns ten or more."""
    sample = towns(a=latitude, b=longitude, country=country)
    assert coordinates(sample) == {E + "a", E + "b"}
    assert interests(sample) == {
        (E + "a", "out"): Interest(0.3, "coordinate"),
        (E + "b", "out"): Interest(0.3, "coordinate"),
    }


@pytest.mark.parametrize(
    "told",
    [
        {"a": latitude, "b": longitude},  # nothing is linked
        {"a": latitude, "country": country},  # one number
        # In each region one town of each row of five: their numbers are farther apart than those of any two towns.
        {"a": latitude, "b": longitude, "region": lambda n: Iri(f"{E}region{n % 5}")},
        {"a": latitude, "b": longitude, "world": lambda n: Iri(f"{E}world")},  # what all have in common is no link
        {"a": lambda n: number(n * 2 + 0.5), "b": lambda n: number(n + 0.5), "group": lambda n: Iri(f"{E}g{n % 5}")},
        {"a": lambda n: number(100 + n + 0.5), "b": longitude, "country": country},  # 119.5 and -99.75: no latitude
        {"a": latitude, "b": lambda n: number(100 + 4 * n + 5.5), "country": country},  # 181.5: no longitude
        {"a": lambda n: number(10 * (n // 4), "integer"), "b": longitude, "country": country},  # no fractions
        {"a": latitude, "b": lambda n: longitude(n) if n else None, "country": country},  # not the same towns
        {"a": lambda n: Literal(latitude(n).value), "b": longitude, "country": country},  # texts
    ],
)
def test_what_are_no_coordinates(told: dict[str, Tell]) -> None:
    assert coordinates(towns(**told)) == frozenset()


def test_the_number_that_is_larger_need_not_be_the_second() -> None:
    assert coordinates(towns(a=longitude, b=latitude, country=country)) == {E + "a", E + "b"}
