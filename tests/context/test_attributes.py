"""What is no attribute to ask about, and why; the sampled subgraphs are made by hand."""

from __future__ import annotations

from chattygen.context.attributes import left_out
from chattygen.domain import XSD, DroppedFact, Fact, Literal, Seed, Subgraph, Value, ValueKind

NS = "http://example.org/"


def fact(name: str, value: str, kind: ValueKind = "text") -> Fact:
    return Fact(NS + name, name, "out", (Value(Literal(value, XSD + "string"), value),), 1, kind)


def town(number: int) -> Subgraph:
    dull = fact("zone", f"Z{number}")
    facts = (
        fact("mayor", f"Mayor {number}"),
        fact("country", "Ruritania"),
        fact("population", str(1000 + number), "number"),
        fact("elevation", str(100 + number), "number"),
        dull,
    )
    dropped = (
        DroppedFact(NS + "id", "out", "identifier"),
        DroppedFact(NS + "image", "out", "address or image"),
        DroppedFact(NS + "label", "out", "label"),
    )
    seed = Seed(f"{NS}t{number}", f"Town {number}", NS + "Town", "town", "place")
    return Subgraph(seed, facts, 5, dropped, {dull: 0.3})


def test_each_with_its_reason() -> None:
    """10 towns: enough to say that nearly all are in Ruritania. A mayor and the elevation are attributes."""
    assert left_out([town(n) for n in range(10)]) == {
        (NS + "country", "out"): "unspecific: nearly all have the same",
        (NS + "id", "out"): "source-specific: identifier",
        (NS + "image", "out"): "not textual: address or image",
        (NS + "population", "out"): "dynamic: population",
        (NS + "zone", "out"): "source-specific or unspecific: its interest is 0.3",
    }


def test_nine_towns_are_too_few_to_call_their_country_unspecific() -> None:
    assert (NS + "country", "out") not in left_out([town(n) for n in range(9)])


def test_nothing_to_look_at() -> None:
    assert left_out([]) == {}
