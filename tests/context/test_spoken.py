"""What is said of an entity: each form with a label and a fact that give it, and with those that do not."""

from __future__ import annotations

import pytest

from chattygen.context.spoken import called, kinds, telling, tells, title, with_type, without_bracket
from chattygen.domain import XSD, Being, Direction, Fact, Iri, Literal, Seed, Value, ValueKind


def seed(label: str, type_label: str = "song", being: Being = "work") -> Seed:
    return Seed("http://e.org/s", label, "http://e.org/T", type_label, being)


def fact(
    label: str, *ends: str, kind: ValueKind = "entity", direction: Direction = "out", count: int | None = None
) -> Fact:
    datatype = XSD + {"date": "date", "year": "gYear", "number": "integer"}.get(kind, "string")
    terms = [Iri("http://e.org/" + end) if kind == "entity" else Literal(end, datatype) for end in ends]
    values = tuple(Value(term, end) for term, end in zip(terms, ends, strict=True))
    return Fact("http://e.org/p", label, direction, values, len(ends) if count is None else count, kind)


QUEEN = fact("writer", "Queen (band)")
IN_1999 = fact("release date", "1999-05-06", kind="date")
SONG = frozenset(["song"])


def test_the_title_of_a_work_stands_in_quotation_marks() -> None:
    assert title("Daysleeper", "work") == '"Daysleeper"'
    assert title('The "Gull"', "work") == 'The "Gull"'
    assert title("A Gull in the Large.", "work") == '"A Gull in the Large"'
    assert title("Live at R.E.M.", "work") == '"Live at R.E.M."'
    assert title("A Gull in the Large.", "thing") == "A Gull in the Large."
    assert title("Ada Berg", "person") == "Ada Berg"
    assert called("Elbe", "place", "river") == "the Elbe"
    assert called("The Wash", "place", "inland sea") == "The Wash"
    assert called("Oslo", "place", "city") == "Oslo"
    assert called("Elbe", "work", "song") == '"Elbe"'


@pytest.mark.parametrize(
    ("label", "facts", "said"),
    [
        ("1984 (song)", (), 'the song "1984"'),
        ("1984 (Song)", (), 'the song "1984"'),
        ("'39 (Queen song)", (QUEEN,), 'the Queen song "\'39"'),
        ("'39 (Queen song)", (), 'the Queen song "\'39"'),  # the label itself says it
        ("'39 (early song)", (), ""),
        ('"Heroes" (Queen song)', (QUEEN,), 'the Queen song "Heroes"'),
        ("Mosh (1999 song)", (IN_1999,), 'the 1999 song "Mosh"'),
        ("Mosh (1998 song)", (IN_1999,), ""),
        ("Mosh (1999)", (IN_1999,), 'the 1999 song "Mosh"'),
        ("Mosh (Queen)", (QUEEN,), ""),
        ("Mosh (live)", (), ""),
        ("Swansong (swansong)", (), ""),  # not the word `song`
        ("(song) Mosh", (), ""),
        ("Mosh", (), ""),
    ],
)
def test_what_stands_in_a_bracket(label: str, facts: tuple[Fact, ...], said: str) -> None:
    assert without_bracket(seed(label), facts, SONG) == said


def test_a_year_stands_before_the_name_of_a_thing_that_is_no_work() -> None:
    awarded = fact("year", "1952", kind="year")
    prize = seed("Nobel Prize in Physics (1952)", "prize", "thing")
    assert without_bracket(prize, (awarded,), {"prize"}) == "the 1952 Nobel Prize in Physics"
    assert without_bracket(prize, (), {"prize"}) == ""
    assert without_bracket(seed("Springfield (1952)", "town", "place"), (awarded,), {"town"}) == ""
    assert without_bracket(seed("Queen (band)", "band", "group"), (), {"band"}) == "the band Queen"


def test_what_a_person_is_stands_before_the_name() -> None:
    assert without_bracket(seed("Pink (singer)", "producer", "person"), (), {"producer"}) == "the singer Pink"
    ada = seed("Ada Berg (record producer)", "producer", "person")
    assert without_bracket(ada, (), {"producer"}) == "the record producer Ada Berg"
    assert without_bracket(seed("Ada Berg (born 1950)", "producer", "person"), (), {"producer"}) == ""
    assert without_bracket(seed("Ada (the younger)", "producer", "person"), (), {"producer"}) == ""


def test_what_a_type_is_called_in_brackets_stands_alone_and_behind_others() -> None:
    labels = ["Mosh (film)", "Mash (1999 film)", "Mesh (live)", "Mush (Smith recording)", "Mish"]
    assert kinds("Movie", labels) == {"movie", "film"}
    assert without_bracket(seed("Mosh (Film)", "movie"), (), kinds("movie", labels)) == 'the film "Mosh"'


def test_an_entity_is_said_with_its_type() -> None:
    assert with_type(seed("Adana", "city", "place")) == "the city Adana"
    assert with_type(seed("Mosh")) == 'the song "Mosh"'


ADA = seed("Ada Berg", "captain", "person")
LIMBURG = seed("Limburg", "province", "place")


@pytest.mark.parametrize(
    ("entity", "about", "said"),
    [
        (seed("Mosh"), IN_1999, (0, 'the 1999 song "Mosh"')),
        (
            ADA,
            fact("birth date", "1901-05-06", kind="date"),
            (5, "the captain Ada Berg whose birth date is 1901-05-06"),
        ),
        (ADA, fact("born", "1901-05-06", kind="date"), (1, "the captain Ada Berg born in 1901")),
        (seed("Ada Berg", "person", "person"), fact("employer", "Lund"), (2, "the Ada Berg whose employer is Lund")),
        (ADA, fact("author of", "Salt"), (1, "the captain Ada Berg who is an author of Salt")),
        (
            seed("Noon", "feast", "thing"),
            fact("day", "--05-06", kind="date"),  # without a year
            (5, "the feast Noon whose day is --05-06"),
        ),
        (LIMBURG, fact("located in", "Belgium"), (1, "the province Limburg located in Belgium")),
        (LIMBURG, fact("country", "Belgium"), (2, "the province Limburg whose country is Belgium")),
        (
            LIMBURG,
            fact("has province", "Belgium", direction="in"),
            (3, "the province Limburg that is a province of Belgium"),
        ),
        (seed("Rhine", "river", "place"), fact("flows into", "Mere"), (4, "the river Rhine that flows into Mere")),
    ],
)
def test_an_entity_is_said_with_a_fact(entity: Seed, about: Fact, said: tuple[int, str]) -> None:
    assert tells(about)
    assert telling(entity, about) == said


@pytest.mark.parametrize(
    "about",
    [
        fact("friend", "Bo", "Cy"),
        fact("medal", count=9),
        fact("population", "12", kind="number"),
        fact("motto", "slow and steady wins the race at last", kind="text"),
        fact("awarded", "Silver Star"),  # `awarded Silver Star` lacks its article
        fact("located in", "Mill", direction="in"),
    ],
)
def test_a_fact_that_cannot_be_said_behind_a_name_tells_nothing(about: Fact) -> None:
    assert not tells(about)
