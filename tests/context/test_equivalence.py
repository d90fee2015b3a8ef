from __future__ import annotations

from collections.abc import Mapping

from chattygen.context.equivalence import groups
from chattygen.context.samples import Relation, TypeSample
from chattygen.domain import Iri, NodeType, Term

A: Relation = ("a", "out")
B: Relation = ("b", "in")
LABELS = {"a": "author of", "b": "authored by", "c": "wrote"}


def sample_of(relations: Mapping[Relation, list[str]]) -> TypeSample:
    """Entity e0 has the first letters of each list as other ends, e1 the second, ..."""
    values: dict[Relation, dict[str, frozenset[Term]]] = {
        relation: {f"e{i}": frozenset(map(Iri, ends)) for i, ends in enumerate(column) if ends}
        for relation, column in relations.items()
    }
    return TypeSample(NodeType("t", "t", 100, 1.0), tuple(f"e{i}" for i in range(50)), {}, values)


def test_relations_with_equal_other_ends_are_one_fact_and_the_outgoing_one_stays() -> None:
    column = ["x", "y", "xy", "z", "x"]
    assert groups(sample_of({B: column, A: column}), LABELS) == ((A, B),)


def test_of_two_outgoing_ones_the_shorter_label_stays() -> None:
    column = ["x", "y", "xy", "z", "x"]
    assert groups(sample_of({A: column, ("c", "out"): column, B: column}), LABELS) == ((("c", "out"), A, B),)


def test_four_entities_prove_nothing() -> None:
    column = ["x", "y", "xy", "z"]
    assert groups(sample_of({A: column, B: column}), LABELS) == ()


def test_equal_constants_prove_nothing() -> None:
    column = ["x", "y"] * 10
    assert groups(sample_of({A: column, B: column}), LABELS) == ()


def test_one_difference_in_twenty_is_forgiven_two_are_not() -> None:
    column = [f"{c}" for c in "abcdefghijklmnopqrst"]
    assert groups(sample_of({A: column, B: [*column[:19], "z"]}), LABELS) == ((A, B),)
    assert groups(sample_of({A: column, B: [*column[:18], "y", "z"]}), LABELS) == ()


def test_entities_with_one_of_the_two_do_not_count() -> None:
    column = ["x", "y", "xy", "z", "x"]
    assert groups(sample_of({A: [*column, "q", "r"], B: column}), LABELS) == ((A, B),)
