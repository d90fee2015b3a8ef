from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from chattygen.context.beyond import over_two
from chattygen.domain import XSD, Beyond, Fact, Iri, Literal, Seed, Subgraph, Value, ValueKind

E = "http://e.org/"
ADA = Seed(E + "ada", "Ada", E + "Singer", "singer", "person")


def node(name: str, label: str = "") -> Value:
    return Value(Iri(E + name), label or name)


def albums(*labels: str) -> Fact:
    """Albums a0, a1, ... called so."""
    values = tuple(node(f"a{n}", label) for n, label in enumerate(labels))
    return Fact(E + "artist", "artist", "in", values, len(values), "entity", "album")


def fact(name: str, kind: ValueKind, *values: Value) -> Fact:
    return Fact(E + name, name, "out", values, len(values), kind)


def number(text: str, datatype: str = "integer") -> Value:
    return Value(Literal(text, XSD + datatype), text)


def asked(first: Fact, seconds: Mapping[int, Fact], refused: tuple[str, ...] = ()) -> list[tuple[str, str, list[str]]]:
    """(kind, value of a condition, IRIs of the answers) of the questions that one fact of some albums allows."""
    around = {E + f"a{n}": {seconds[n].predicate: seconds[n]} if n in seconds else {} for n in range(first.count)}
    found = list(over_two(first, around, [E + name for name in refused], Subgraph(ADA, (first,), first.count)))
    assert all(
        beyond.asked == replace(first, values=beyond.asked.values, count=len(beyond.asked.values)) for beyond in found
    )
    return [
        (
            beyond.kind,
            beyond.fact.values[0].label if beyond.kind == "condition" else "",
            [value.term.value.removeprefix(E) for value in beyond.asked.values],
        )
        for beyond in found
    ]


POP, JAZZ = node("pop"), node("jazz")
FOUR = albums("Early", "Blue", "Salt", "Late")


@pytest.mark.parametrize(
    ("genres", "found"),
    [
        ([POP, POP, JAZZ, JAZZ], [("condition", "jazz", ["a2", "a3"])]),  # both halve them: the first of the alphabet
        ([POP, POP, POP, JAZZ], [("condition", "jazz", ["a3"])]),
        ([POP, POP, POP, POP], []),  # all have it
        ([POP, POP, POP, None], []),  # one of four may have it unknown
        ([JAZZ, node("jazz2", "Jazz"), POP, POP], [("condition", "pop", ["a2", "a3"])]),  # two are called jazz
        ([Value(Iri(ADA.iri), "Ada"), POP, POP, POP], [("condition", "pop", ["a1", "a2", "a3"])]),
    ],
)
def test_a_condition_splits_them(genres: list[Value | None], found: list[tuple[str, str, list[str]]]) -> None:
    seconds = {n: fact("genre", "entity", genre) for n, genre in enumerate(genres) if genre}
    assert asked(FOUR, seconds) == found
    assert asked(FOUR, seconds, refused=("genre",)) == []


def test_four_of_five_are_enough() -> None:
    seconds = {n: fact("genre", "entity", genre) for n, genre in enumerate([POP, POP, JAZZ, JAZZ])}
    five = albums("Early", "Blue", "Salt", "Late", "Last")
    assert asked(five, seconds) == [("condition", "jazz", ["a2", "a3"])]


def test_several_values_each_count() -> None:
    seconds = {0: fact("genre", "entity", POP, JAZZ), 1: fact("genre", "entity", POP), 2: fact("genre", "entity", POP)}
    assert asked(albums("Early", "Blue", "Salt"), seconds) == [("condition", "jazz", ["a0"])]


def test_two_are_too_few_to_choose_from() -> None:
    seconds = {0: fact("genre", "entity", POP), 1: fact("genre", "entity", JAZZ)}
    assert asked(albums("Early", "Blue"), seconds) == []


def test_no_condition_by_a_text() -> None:
    seconds = {
        n: fact("mood", "text", Value(Literal(mood), mood)) for n, mood in enumerate(["sad", "sad", "gay", "gay"])
    }
    assert asked(FOUR, seconds) == []


def test_one_answer_must_be_the_only_one_of_its_name() -> None:
    seconds = {n: fact("genre", "entity", genre) for n, genre in enumerate([POP, POP, JAZZ])}
    assert asked(albums("Early", "Blue", "Salt"), seconds) == [("condition", "jazz", ["a2"])]
    assert asked(albums("Early", "salt", "Salt"), seconds) == []


@pytest.mark.parametrize(
    ("tracks", "found"),
    [
        (["9", "10", "100", "11"], [("most", "", ["a2"]), ("least", "", ["a0"])]),  # as numbers, not as texts
        (["9", "12", "12", "11"], [("least", "", ["a0"])]),  # a tie at the top
        (["9", "9", "12", "11"], [("most", "", ["a2"])]),
        (["9", "9", "9", "9"], []),
        (["9", "10", "11", None], []),  # not all have one
    ],
)
def test_the_greatest_and_the_smallest(tracks: list[str | None], found: list[tuple[str, str, list[str]]]) -> None:
    seconds = {n: fact("tracks", "number", number(text)) for n, text in enumerate(tracks) if text}
    assert asked(FOUR, seconds) == found


def test_of_two_there_is_a_greater_one() -> None:
    seconds = {0: fact("tracks", "number", number("9")), 1: fact("tracks", "number", number("10"))}
    assert asked(albums("Early", "Blue"), seconds) == [("most", "", ["a1"]), ("least", "", ["a0"])]


def test_what_cannot_be_put_in_order() -> None:
    two = albums("Early", "Blue")
    mixed = {0: fact("weight", "number", number("1")), 1: fact("weight", "number", number("1.5", "decimal"))}
    assert asked(two, mixed) == []
    several = {0: fact("tracks", "number", number("9"), number("8")), 1: fact("tracks", "number", number("10"))}
    assert asked(two, several) == []
    texts = {0: fact("year", "year", number("1971", "string")), 1: fact("year", "year", number("1983", "string"))}
    assert asked(two, texts) == []


def test_the_answer_must_be_the_only_one_of_its_name() -> None:
    seconds = {n: fact("tracks", "number", number(text)) for n, text in enumerate(["9", "10", "11"])}
    assert asked(albums("Early", "Blue", "Blue"), seconds) == [("least", "", ["a0"])]


HUSBAND = Fact(E + "husband", "husband", "out", (node("jon"),), 1, "entity", "painter")
BORN, TOWN = fact("born", "entity", node("ulm")), fact("homeTown", "entity", node("brem"))


def test_a_hop_asks_what_the_seed_itself_does_not_tell() -> None:
    subgraph = Subgraph(ADA, (HUSBAND, replace(TOWN, predicate=E + "livesIn", predicate_label="lives in")), 2)
    around = {E + "jon": {fact.predicate: fact for fact in (TOWN, BORN)}}
    assert list(over_two(HUSBAND, around, [], subgraph)) == [Beyond("hop", BORN, BORN)]


def test_of_predicates_that_read_alike_the_first_is_asked() -> None:
    other = replace(BORN, predicate=E + "z/born", values=(node("oslo"),))
    around = {E + "jon": {fact.predicate: fact for fact in (other, BORN)}}
    assert list(over_two(HUSBAND, around, [], Subgraph(ADA, (HUSBAND,), 1))) == [Beyond("hop", BORN, BORN)]
