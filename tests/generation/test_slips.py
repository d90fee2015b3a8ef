"""Slips that the program mends, and words that do not go together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Being, Iri, Value
from chattygen.generation.asks import Ask
from chattygen.generation.slips import is_ill_formed, lacks_verb, mended

from .hand_made import ADA, MENTOR, fact, literal, nodes


def towns(*names: str) -> tuple[Value, ...]:
    return tuple(Value(Iri("http://e.org/" + name), name, "town", "place") for name in names)


@pytest.mark.parametrize(
    ("pattern", "ill"),
    [
        ("How type of ship is X?", True),
        ("How many types of ship does X have?", False),
        ("How old is X?", False),
        ("When did X birth?", True),
        ("When X was founded?", True),
        ("How many people live in a the province of X?", True),
        ("Which crew has a X?", True),
        ("How many people who were born in X?", True),
        ("How many people who were born in X are captains?", False),
        ("How many people who died in X?", True),
        ("Who are the people who died in X?", False),
        ("Is X alive in Y?", True),
        ("Which river does the headquarters of X (a city) lie on?", True),
        ("Who people died in X?", True),
        ("What did X receive as an award?", True),
        ("Which prize did X receive?", False),
        ("Which prize was awarded for being alive, X?", True),
        ("Which of the prizes that X, a lake, won is the oldest?", False),
        ("What islands that X is located on?", True),
        ("Which songs that X wrote are the longest?", False),
        ("Which songs that X is known for are the longest?", False),
        ("Is X dead in Y?", True),
        ("Which people are dead in X?", True),
        ("When was the birth of X?", False),
        ("In which year did X go to?", True),
        ("Which town did X go to?", False),
        ("In which town was the song by X recorded?", False),
        ("Where is X located at?", True),
        ("Where does X come from?", False),
        ("How many songs by X are written?", True),
        ("How many songs are written by X?", False),
        ("Which songs by X are the longest?", False),
        ("What area of X is located in?", True),
        ("What is the area that X is located in?", False),
        ("Where is X located?", False),
        ("Which ships are located in X?", False),
    ],
)
def test_words_that_do_not_go_together(pattern: str, ill: bool) -> None:
    assert is_ill_formed(pattern) == ill


@pytest.mark.parametrize(
    ("pattern", "label", "direction", "being", "said"),
    [
        ("Who has their home town at X?", "home town", "in", "place", "Who has their home town in X?"),
        ("Which towns lie at X?", "located at", "in", "place", "Which towns lie at X?"),
        ("Who works at X?", "employer", "in", "group", "Who works at X?"),
        ("Which sea is at X?", "coast", "out", "place", "Which sea is at X?"),
    ],
)
def test_nobody_is_born_at_a_country(pattern: str, label: str, direction: str, being: Being, said: str) -> None:
    about = fact("p", label, towns("Oslo"), value_type="town", direction="in" if direction == "in" else "out")
    assert mended(pattern, Ask(about, "value"), replace(ADA, being=being)) == said


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("Which papers does X write?", "Which papers did X write?"),
        ("Where is X born?", "Where was X born?"),
        ("Which captains write X?", "Which captains wrote X?"),
        ("Which captain produces X?", "Which captain produced X?"),
        ("Which captains receive X as a prize?", "Which captains received X as a prize?"),
        ("Which captains write of X?", "Which captains write of X?"),
        ("Where is X published?", "Where was X published?"),
        ("Which people are born in X?", "Which people were born in X?"),
        ("Is X born in Y?", "Was X born in Y?"),
        ("Do X write?", "Did X write?"),
        ("Which papers does X write about?", "Which papers did X write about?"),
        ("Which river does X flow into?", "Which river does X flow into?"),
        ("Which prizes has X won?", "Which prizes has X won?"),
    ],
)
def test_what_somebody_wrote_is_written(pattern: str, said: str) -> None:
    assert mended(pattern, Ask(MENTOR, "value"), ADA) == said


@pytest.mark.parametrize(
    ("pattern", "label", "said"),
    [
        ("Who are the people whose death place is X?", "death place", "Who are the people who died in X?"),
        ("Who are the people whose birthplace is X?", "birth place", "Who are the people who were born in X?"),
        ("Who is the person whose birth place is X?", "birth place", "Who is the person who was born in X?"),
        ("How many people have their birth place at X?", "birth place", "How many people were born in X?"),
        ("Which person has their death place in X?", "death place", "Which person died in X?"),
        ("Which people die in X?", "death place", "Which people died in X?"),
        ("How many people did die in X?", "death place", "How many people did die in X?"),
        ("Did Y die in X?", "death place", "Did Y die in X?"),
        ("Which people have their home place in X?", "home place", "Which people have their home place in X?"),
        ("Which person has their capital as X?", "capital", "Which person has X as their capital?"),
        ("Which person has X as their capital?", "capital", "Which person has X as their capital?"),
    ],
)
def test_nobody_has_a_place_as_their_death_place(pattern: str, label: str, said: str) -> None:
    about = fact("p", label, nodes("bo"), value_type="person", direction="in")
    assert mended(pattern, Ask(about, "value"), replace(ADA, being="place")) == said


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("How many towns is member of X?", "How many towns are members of X?"),
        ("Which town is member of X?", "Which town is a member of X?"),
        ("Which towns has joined X?", "Which towns have joined X?"),
        ("Which towns are members of X?", "Which towns are members of X?"),
    ],
)
def test_verb_and_noun_agree(pattern: str, said: str) -> None:
    about = fact("p", "member of", towns("Oslo", "Lund"), value_type="town", direction="in")
    assert mended(pattern, Ask(about, "value"), replace(ADA, being="group")) == said


def test_a_club_is_based_in_its_town() -> None:
    town = Ask(fact("p", "town", towns("Oslo"), value_type="town"), "value")
    club = replace(ADA, being="group")
    assert mended("What is X's town?", town, club) == "Which town is X based in?"
    assert mended("What is the town of X?", town, club) == "Which town is X based in?"
    assert mended("What is the town of X?", town, ADA) == "What is the town of X?"
    two = Ask(fact("p", "town", towns("Oslo", "Lund"), value_type="town"), "value")
    assert mended("What is the town of X?", two, club) == "What is the town of X?"


def test_one_thing_does_and_a_band_do() -> None:
    about = fact("p", "country", towns("Oslo"), value_type="town")
    assert mended("What town do X lie in?", Ask(about, "value"), ADA) == "What town does X lie in?"
    band = replace(ADA, being="group")
    assert mended("What town do X lie in?", Ask(about, "value"), band) == "What town do X lie in?"


def test_somebody_is_an_author_and_one_of_several() -> None:
    written = fact("authorOf", "author of", nodes("salt"), value_type="paper")
    assert mended("What paper is X author of?", Ask(written, "value"), ADA) == "What paper is X an author of?"
    assert mended("Who is the author of X?", Ask(written, "value"), ADA) == "Who is the author of X?"
    two = fact("by", "authored by", nodes("bo", "lee"))
    tested = Ask(two, "yes-no", tested=two.values[0])
    assert mended("Is Y the author of X?", tested, ADA) == "Is Y one of the authors of X?"
    alone = fact("by", "authored by", nodes("bo"))
    assert mended("Is Y the author of X?", Ask(alone, "yes-no", tested=alone.values[0]), ADA) == "Is Y the author of X?"


def test_cities_are_in_a_province() -> None:
    province = replace(ADA, being="place")
    one = Ask(fact("p", "has town", towns("Oslo"), value_type="town"), "value")
    assert mended("What is the town of X?", one, province) == "Which town is in X?"
    two = Ask(fact("p", "has town", towns("Oslo", "Lund"), value_type="town"), "value")
    assert mended("What are the towns of X?", two, province) == "Which towns are in X?"
    home = Ask(fact("p", "town", towns("Oslo"), value_type="town"), "value")
    assert mended("What is the town of X?", home, province) == "What is the town of X?"


def test_clubs_are_based_in_a_town() -> None:
    clubs = tuple(Value(Iri("http://e.org/" + name), name, "club", "group") for name in ("Frem", "Lyn"))
    town = Ask(fact("p", "town", clubs, value_type="club", direction="in"), "value")
    place = replace(ADA, being="place")
    assert mended("Which clubs are from X?", town, place) == "Which clubs are based in X?"
    assert mended("Which clubs have X as their town?", town, place) == "Which clubs are based in X?"
    one = Ask(fact("p", "town", clubs[:1], value_type="club", direction="in"), "value")
    assert mended("Which club has X as its town?", one, place) == "Which club is based in X?"
    captains = Ask(fact("p", "town", nodes("bo"), value_type="captain", direction="in"), "value")
    assert mended("Which captain is from X?", captains, place) == "Which captain is from X?"


def test_how_high_needs_no_elevation() -> None:
    high = Ask(fact("p", "elevation", literal("9", "integer"), "number"), "value")
    assert mended("How high is the elevation of X?", high, ADA) == "How high is X?"
    people = Ask(fact("p", "population", literal("9", "integer"), "number"), "value")
    assert mended("How large is the population of X?", people, ADA) == "How large is the population of X?"


@pytest.mark.parametrize(
    ("pattern", "label", "direction", "lacks"),
    [
        ("Does Y have a birthplace in X?", "birth place", "in", True),
        ("Which people have their death places in X?", "death place", "in", True),
        ("Which people died in X?", "death place", "in", False),
        ("When did X's birth date occur?", "birth date", "out", True),
        ("What is the birth date of X?", "birth date", "out", False),
        ("Which songs have X in their birth place?", "home place", "in", False),
    ],
)
def test_a_birth_is_said_with_its_verb(pattern: str, label: str, direction: str, lacks: bool) -> None:
    about = fact("p", label, nodes("bo"), direction="in" if direction == "in" else "out")
    assert lacks_verb(pattern, about) == lacks
