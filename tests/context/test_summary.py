from __future__ import annotations

import pytest

from chattygen.context.summary import full, hidden, others, quoted, relation, summarised
from chattygen.domain import Direction, Fact, Iri, Value, ValueKind

E = "http://e.org/"


def fact(
    label: str,
    count: int = 1,
    kind: ValueKind = "entity",
    value_type: str = "",
    direction: Direction = "out",
    listed: bool = True,
) -> Fact:
    values = tuple(Value(Iri(f"{E}{n}"), f"v{n}") for n in range(1, count + 1)) if listed else ()
    return Fact(E + "p", label, direction, values, count, kind, value_type)


BORN = fact("birth date", kind="date")
BANDS = fact("band", 2, value_type="music group")
ALBUMS = fact("artist", 3, value_type="album", direction="in")


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (BORN, "birth date of X: a date"),
        (fact("award year", 2, "year"), "award year of X: years"),
        (fact("mass", kind="number"), "mass of X: a number"),
        (fact("home port"), "home port of X"),  # of what class, nobody knows
        (fact("home port", 3), "home port of X"),
        (fact("located in"), "what X is located in"),
        (BANDS, "band of X: 2 music groups"),
        (fact("album", value_type="album"), "album of X: an album"),
        (fact("located in", value_type="city"), "what X is located in: a city"),
        (fact("contains", value_type="city"), "contains of X: a city"),
        (fact("flows into", value_type="lake"), "what X flows into: a lake"),
        (fact("founded", kind="year"), "when X was founded: a year"),
        (fact("contained in place", value_type="city"), "place that X is contained in: a city"),
        (fact("contains place", 2, value_type="city"), "places that X contains: 2 cities"),
        (ALBUMS, "3 albums whose artist is X"),
        (fact("artist", 1, value_type="album", direction="in"), "an album whose artist is X"),
        (fact("artist", 3, direction="in"), "3 entities whose artist is X"),
        (fact("flows into", 2, value_type="river", direction="in"), "2 rivers that flow into X"),
        (fact("flows into", 1, value_type="river", direction="in"), "a river that flows into X"),
        (fact("written by", 2, value_type="song", direction="in"), "2 songs that are written by X"),
    ],
)
def test_a_summarised_fact(about: Fact, text: str) -> None:
    assert summarised(about) == text


@pytest.mark.parametrize("about", [BORN, BANDS, ALBUMS, fact("rank", kind="text"), fact("place"), fact("place", 3)])
def test_the_summary_shows_no_value(about: Fact) -> None:
    assert not any(value.label in summarised(about) for value in about.values)


def test_the_full_form_lists_the_values() -> None:
    assert full(BANDS) == 'band of X: "v1", "v2"'
    assert full(ALBUMS) == '3 albums whose artist is X: "v1", "v2", "v3"'


def test_the_full_form_lists_twelve_values_and_counts_the_rest() -> None:
    text = full(fact("song", 15))
    assert '"v12"' in text
    assert '"v13"' not in text
    assert text.endswith(" and 3 more")


def test_a_hub_has_nothing_to_list() -> None:
    hub = fact("song", 5, value_type="song", listed=False)
    assert full(hub) == "song of X: 5 songs"


def test_the_relation_about_another_name_and_without_a_number() -> None:
    assert relation(BORN, "the entity") == "birth date of the entity"
    assert relation(ALBUMS, counted=False) == "albums whose artist is X"


def test_what_the_other_ends_are_called() -> None:
    assert (others(ALBUMS), others(fact("p", 2)), others(fact("p"))) == ("albums", "entities", "entity")


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (fact("p", 5, value_type="person"), "5 people"),
        (fact("p", value_type="event"), "an event"),
        (fact("p", kind="date"), "a date"),
        (fact("p", kind="text"), ""),
        (fact("p", 3, kind="text"), ""),
        (fact("p"), ""),  # entities of unknown class
        (fact("p", 3), ""),
    ],
)
def test_the_other_end_is_described(about: Fact, text: str) -> None:
    assert hidden(about) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Oslo", '"Oslo"'),
        ('Bo "the Knife"', "\"Bo 'the Knife'\""),
        ("two\nlines\u2028and\x85more", '"two lines and more"'),
        ('"', '"\'"'),
        ("", '""'),
    ],
)
def test_text_of_the_graph_cannot_end_its_quotation(text: str, safe: str) -> None:
    assert quoted(text) == safe
