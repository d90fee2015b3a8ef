"""How a follow-up refers to the answer: by words that cannot mean Ada Berg, a captain, of whom no gender is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Being, Beyond, Fact, QuestionKind, Seed, Value
from chattygen.generation.follow_ups import about_answer, referent

from .hand_made import ADA, BORN, FRIENDS, MENTOR, PUPIL, RANK, SEA, around, fact, literal, nodes, question

PLACE = fact("birthPlace", "birth place", nodes("bergen", type_label="city"), "entity", "city")
SCHOOL = fact("school", "school", nodes("naval", type_label="academy"), "entity", "academy")
PRIZE = fact("awarded", "awarded", nodes("golden_oar", type_label="prize"), "entity", "prize")
LAKE = Seed(SEA + "lake", "Mjøsa", SEA + "Lake", "lake", "place")
FIRM = Seed(SEA + "firm", "Gull & Sons", SEA + "Firm", "firm", "group")
BOOK = Seed(SEA + "book", "Gulls", SEA + "Book", "book", "work")


def being(of: Fact, what: Being) -> Fact:
    return replace(of, values=tuple(replace(value, being=what) for value in of.values))


@pytest.mark.parametrize(
    ("first", "kind", "seed", "forms"),
    [
        (PLACE, "where", ADA, ("it", "its", "there", "that city")),
        (PLACE, "which", ADA, ("it", "its", "there", "that city")),  # a city is a place, however it is asked for
        (PLACE, "where", LAKE, ("that city",)),  # a lake is `it` too
        (PLACE, "where", FIRM, ("that city",)),  # and a firm may be
        (MENTOR, "who", ADA, ("the mentor",)),  # `they` could be Ada; so could `that captain`
        (MENTOR, "who", BOOK, ("they", "them", "their", "the mentor")),
        (SCHOOL, "which", ADA, ("the school",)),  # nobody knows what an academy is
        (PRIZE, "which", ADA, ("that prize",)),  # there is no noun for what is awarded
        (being(SCHOOL, "group"), "which", BOOK, ("they", "them", "their", "the school")),
        (being(SCHOOL, "work"), "which", ADA, ("it", "its", "the school")),
    ],
)
def test_the_words_for_the_answer(first: Fact, kind: QuestionKind, seed: Seed, forms: tuple[str, ...]) -> None:
    found = referent(first, kind, around(first, seed=seed))
    assert found is not None
    assert found.forms == forms


@pytest.mark.parametrize(
    "first",
    [
        FRIENDS,  # three answers
        BORN,  # a date
        RANK,
        PUPIL,  # `which captain has Ada as mentor`: `they` and `that captain` could be Ada
        fact("captain", "captain", nodes("bo", type_label="captain"), "entity", "captain"),  # the captain's captain
    ],
)
def test_what_cannot_be_followed_up(first: Fact) -> None:
    assert referent(first, "who", around(first)) is None


def test_the_graph_tells_the_gender_of_the_answer() -> None:
    female = fact("gender", "gender", literal("female"), "text")
    subgraph = replace(around(MENTOR), beyond=((MENTOR, Beyond("hop", female, female)),))
    found = referent(MENTOR, "who", subgraph)
    assert found is not None
    assert found.forms == ("she", "her", "the mentor")


@pytest.mark.parametrize(
    ("pattern", "second", "inner"),
    [
        ("Where was the mentor of X born?", PLACE, "Where was X born?"),
        ("When was the mentor of X born?", BORN, "When was X born?"),
        ("What is the rank of the mentor of X?", RANK, "What is the rank of X?"),
        ("What is the rank of X's mentor?", RANK, "What is the rank of X?"),
        ("Which rank has whoever taught X?", RANK, "What is the rank of X?"),  # the plain question
    ],
)
def test_the_second_half_is_a_question_about_the_answer(pattern: str, second: Fact, inner: str) -> None:
    hop = replace(question(pattern, MENTOR), beyond=Beyond("hop", second, second))
    assert about_answer(hop) == inner


def test_what_is_over_one_fact_has_no_second_half() -> None:
    with pytest.raises(ValueError, match="two facts"):
        about_answer(question("Who taught X?", MENTOR))


@pytest.mark.parametrize(
    ("first", "kind", "seed", "pattern", "said"),
    [
        (PLACE, "where", ADA, "How many people live in X?", "How many people live there?"),
        (PLACE, "where", ADA, "What is X's population?", "What is its population?"),
        (PLACE, "where", LAKE, "What is X's population?", "What is that city's population?"),
        (PLACE, "where", LAKE, "How many people live in X?", "How many people live in that city?"),
        (MENTOR, "who", BOOK, "Where was X born?", "Where were they born?"),
        (MENTOR, "who", ADA, "Where was X born?", "Where was the mentor born?"),
    ],
)
def test_the_answer_takes_the_place_of_the_entity(
    first: Fact, kind: QuestionKind, seed: Seed, pattern: str, said: str
) -> None:
    found = referent(first, kind, around(first, seed=seed))
    assert found is not None
    assert found.utter(pattern) == said


def test_a_value_without_a_class_is_what_it_is_to_the_seed() -> None:
    spouse = fact("spouse", "spouse", (Value(nodes("bo")[0].term, "Bo"),), "entity")
    found = referent(spouse, "which", around(spouse))
    assert found is not None
    assert found.utter("When was X born?") == "When was the spouse born?"
