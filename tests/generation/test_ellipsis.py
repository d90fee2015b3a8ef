"""What may be left out, about Ada Berg, of whom the graph says that she is female."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Beyond, Fact, Iri, Question, Seed, Value
from chattygen.generation.ellipsis import ellipses, genders, same_rest
from chattygen.generation.wording import reference

from .hand_made import BORN, FRIENDS, MEDALS, MENTOR, RANK, SHIPS, around, fact, literal, nodes, question

SHE = reference(around(BORN, fact("gender", "gender", literal("female"), "text")))
LAKE = Seed("http://e.org/l", "Mjøsa", "http://e.org/Lake", "lake", "place")
IT = reference(around(seed=LAKE))
PLACE = fact("birthPlace", "birth place", nodes("bergen", type_label="city"), "entity", "city")
DEPTH = fact("depth", "depth", literal("443", "integer"), "number")
REGION = fact("region", "region", nodes("innlandet", type_label="region"), "entity", "region")
ISLANDS = fact("island", "island", nodes("helgoya", "other", type_label="island"), "entity", "island")
DATE = question("When was X born?", BORN)


@pytest.mark.parametrize(
    ("pattern", "about", "before", "said"),
    [
        ("Where was X born?", PLACE, DATE, ("And where?",)),
        ("In which city was X born?", PLACE, DATE, ("And in which city?",)),
        ("Where did X die?", PLACE, DATE, ()),  # another verb
        ("Where is X born?", PLACE, DATE, ()),  # another tense: not the same rest
        ("What was X born?", PLACE, DATE, ()),  # nobody could tell what `And what?` asks
        ("What is X's rank?", RANK, DATE, ("And her rank?",)),
        ("What is the rank of X?", RANK, DATE, ("And her rank?",)),
        ("Which rank does X have?", RANK, DATE, ("And her rank?",)),  # the predicate's noun, and no word more
        ("Which rank does X hold at sea?", RANK, DATE, ()),  # would lose the sea
        ("How high is X in the navy?", RANK, DATE, ()),  # the noun of the predicate is not said
        ("What is the rank of X?", RANK, question("Who taught X?", MENTOR), ()),  # her rank, or the mentor's?
        ("What is the rank of X?", RANK, question("Where was X born?", PLACE), ("And her rank?",)),  # a city has none
        ("What is the rank of X?", RANK, question("Was X born in Bergen?", PLACE), ()),  # yes or no
        ("Which ships belong to X?", SHIPS, DATE, ()),
    ],
)
def test_what_may_be_left_out(pattern: str, about: Fact, before: Question, said: tuple[str, ...]) -> None:
    if before.kind == "yes-no":
        before = replace(before, form="yes-no")
    assert ellipses(question(pattern, about), before, SHE) == said


def test_the_city_of_a_province_is_asked_for_in_full() -> None:
    towns = (Value(Iri("http://e.org/hamar"), "Hamar", "town", "place"),)
    deep = question("How deep is X?", DEPTH, LAKE)
    has_town = fact("hasTown", "has town", towns, "entity", "town")
    assert ellipses(question("Which town is in X?", has_town, LAKE), deep, IT) == ()
    port = fact("port", "port", towns, "entity", "town")
    assert ellipses(question("What is the port of X?", port, LAKE), deep, IT) == ("And its port?",)


def test_a_number_says_what_is_counted() -> None:
    asked = question("How many islands does X have?", ISLANDS, LAKE, form="count")
    assert ellipses(asked, question("How deep is X?", DEPTH, LAKE), IT) == ("And how many islands?",)
    assert ellipses(asked, question("In which region is X?", REGION, LAKE), IT) == ()  # the islands of the region?
    other = question("How many islands lie in X?", ISLANDS, LAKE, form="count")
    assert ellipses(other, question("How deep is X?", DEPTH, LAKE), IT) == ()


def test_how_deep_and_how_long() -> None:
    before = question("How deep is X?", DEPTH, LAKE)
    asked = question("How long is X?", fact("length", "length", ()), LAKE)
    assert ellipses(asked, before, IT) == ("And how long?", "And its length?")


def test_its_depth_behind_an_answer_that_is_no_entity() -> None:
    before = question("When was X surveyed?", BORN, LAKE)
    assert ellipses(question("What is X's depth?", DEPTH, LAKE), before, IT) == ("And its depth?",)
    behind_region = question("In which region is X?", REGION, LAKE)
    assert ellipses(question("What is X's depth?", DEPTH, LAKE), behind_region, IT) == ()  # that of the region?


def test_questions_over_two_facts_leave_nothing_out() -> None:
    hop = replace(question("Where was the mentor of X born?", MENTOR), beyond=Beyond("hop", PLACE, PLACE))
    assert ellipses(hop, DATE, SHE) == ()
    assert ellipses(question("What is X's rank?", RANK), hop, SHE) == ()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (DATE, set()),
        (question("What is X's rank?", RANK), set()),
        (question("Who taught X?", MENTOR), {"masculine", "feminine", "plural"}),
        (question("Where was X born?", PLACE), {"neuter"}),
        (question("Who are the friends of X?", FRIENDS), {"plural"}),
        (question("How many medals does X have?", MEDALS, form="count"), set()),
        # a captain sounds like a thing, an author may be a person
        (
            question("Which author does X like?", fact("likes", "likes", nodes("bo"), "entity", "author")),
            {"masculine", "feminine", "plural", "neuter"},
        ),
    ],
)
def test_pronouns_that_could_mean_the_answer(asked: Question, said: set[str]) -> None:
    assert genders(asked) == said


def test_same_rest() -> None:
    assert same_rest("When was X born?", "Where was X born?")
    assert not same_rest("Who wrote X?", "Who produced X?")
