"""The order and the forms of turns about Ada Berg, a captain of unknown gender; and what is refused.


By hand: `random.Random` is not asked; a share of 1 draws all turns that can have a form, a share of 0 none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chattygen.domain import Answer, Beyond, Flow, Query, Question, Seed, Subgraph, Turn
from chattygen.generation.flow import Step, belong_together, in_order, plan_flow, resolvable, returning
from chattygen.generation.wording import with_name

from .hand_made import ADA, BORN, CREW, MENTOR, MOTTO, QUERY, RANK, SEA, SHIPS, around, fact, nodes, question

PLACE = fact("birthPlace", "birth place", nodes("bergen", type_label="city"), "entity", "city")
COUNTRY = fact("country", "country", nodes("norway", type_label="country"), "entity", "country")
SUBGRAPH = replace(
    around(BORN, RANK, MOTTO, CREW, MENTOR, PLACE, SHIPS), beyond=((PLACE, Beyond("hop", COUNTRY, COUNTRY)),)
)

DATE = question("When was X born?", BORN)
WHERE = question("Where was X born?", PLACE)
HOP = replace(question("In which country is the birth place of X?", PLACE), beyond=Beyond("hop", COUNTRY, COUNTRY))
HIS_RANK = question("What is X's rank?", RANK)
HIS_MOTTO = question("What is the motto of X?", MOTTO)
HIS_CREW = question("What is X's crew?", CREW)
HIS_SHIPS = question("Which ships belong to X?", SHIPS)
HIS_MENTOR = question("Who taught X?", MENTOR)

ALL = {"ellipsis": 1.0, "follow-up": 1.0}
ONE = Query("SELECT ?x WHERE { }", "select", "model", (Answer("uri", SEA + "bergen", "Bergen"),))


def order(*questions: Question, within: Subgraph = SUBGRAPH) -> list[str]:
    return [asked.pattern for asked in in_order(questions, within)]


def planned(*questions: Question, shares: dict[str, float] = ALL, within: Subgraph = SUBGRAPH) -> list[tuple[str, str]]:
    """Form and text of each step; the text of what a model words is empty."""
    steps = plan_flow(questions, [QUERY] * len(questions), within, shares)
    return [(step.flow, step.text) for step in steps]


def test_birth_date_and_birth_place_are_neighbours() -> None:
    assert order(DATE, HIS_RANK, HIS_SHIPS, WHERE) == [
        "When was X born?",
        "Where was X born?",
        "What is X's rank?",
        "Which ships belong to X?",
    ]


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (DATE, WHERE, True),
        (DATE, HIS_RANK, False),
        (DATE, question("When did X die?", fact("deathDate", "death date", (), "date")), False),  # both dates, no more
        (question("How deep is X?", RANK), question("How long is X?", MOTTO), True),  # the same but for one word
        (DATE, HOP, False),
        (DATE, replace(WHERE, form="yes-no"), False),
    ],
)
def test_what_belongs_together(one: Question, other: Question, together: bool) -> None:
    assert belong_together(one, other) is together


def test_no_three_in_a_row_open_alike_where_that_can_be_helped() -> None:
    assert order(HIS_RANK, HIS_MOTTO, HIS_CREW, HIS_SHIPS) == [
        "What is X's rank?",
        "What is the motto of X?",
        "Which ships belong to X?",
        "What is X's crew?",
    ]
    assert order(HIS_RANK, HIS_MOTTO, HIS_CREW)[2] == "What is X's crew?"


def test_a_follow_up_stands_right_behind_its_question() -> None:
    assert order(WHERE, HIS_RANK, DATE, HOP) == [
        "When was X born?",
        "Where was X born?",
        "In which country is the birth place of X?",
        "What is X's rank?",
    ]


def test_the_first_question_can_be_answered() -> None:
    """The follow-up on the mentor has to be the last: nothing could come back from it."""
    missing = question("When did X die?", fact("deathDate", "death date", (), "date"))
    assert order(HIS_MENTOR, TAUGHT, missing, DATE)[0] == "When was X born?"


def test_without_follow_ups_a_question_over_two_facts_is_one_like_any_other() -> None:
    patterns = [asked.pattern for asked in in_order((WHERE, HIS_RANK, HOP), SUBGRAPH, follow_ups=False)]
    assert patterns == [WHERE.pattern, HIS_RANK.pattern, HOP.pattern]


def test_the_forms_of_a_dialogue() -> None:
    assert planned(DATE, WHERE, HOP, HIS_RANK, HIS_MOTTO) == [
        ("opening", ""),
        ("ellipsis", "And where?"),
        ("follow-up", "In which country is it?"),
        ("return", ""),
        ("ellipsis", "And their motto?"),
    ]


def test_a_share_of_nothing_is_nothing() -> None:
    assert planned(DATE, WHERE, HOP, HIS_RANK, shares={"ellipsis": 0, "follow-up": 0}) == [
        ("opening", ""),
        ("reference", ""),
        ("reference", ""),
        ("reference", ""),
    ]


def test_the_return_says_the_phrase() -> None:
    steps = plan_flow((WHERE, HOP, HIS_RANK), [QUERY] * 3, SUBGRAPH, ALL)
    assert [step.refers_to for step in steps] == [None, 1, None]
    assert steps[2].forms == ("the captain",)


def test_never_two_ellipses_in_a_row() -> None:
    assert [flow for flow, _ in planned(DATE, WHERE, HIS_RANK, HIS_MOTTO)] == [
        "opening",
        "ellipsis",
        "reference",
        "ellipsis",
    ]


def test_the_same_is_planned_every_time() -> None:
    half = {"ellipsis": 0.5, "follow-up": 0.5}
    assert planned(DATE, HIS_RANK, HIS_MOTTO, shares=half) == planned(DATE, HIS_RANK, HIS_MOTTO, shares=half)


def test_ellipses_have_their_share_over_many_seeds() -> None:
    found = 0
    for n in range(400):
        seed = Seed(f"{SEA}{n}", "Ada Berg", ADA.node_type, "captain", "person")
        forms = planned(DATE, HIS_RANK, HIS_MOTTO, HIS_CREW, shares={"ellipsis": 0.15}, within=around(seed=seed))
        found += sum(flow == "ellipsis" for flow, _ in forms)
    assert 0.12 < found / 1600 < 0.18  # 4 turns each: 240 in expectation, give or take 3 deviations of 9.8


BOOK = Seed(SEA + "book", "Gulls", SEA + "Book", "book", "work")
VAGUE = replace(ADA, type_label="person")


@pytest.mark.parametrize(
    ("seed", "asked", "first", "forms"),
    [
        (ADA, HIS_RANK, WHERE, ("the captain",)),
        (ADA, question("Which captains did X teach?", RANK), WHERE, ("they", "them", "their")),  # not captains again
        (ADA, HIS_RANK, HIS_MENTOR, ()),  # `the captain` and `they` could be the mentor
        (VAGUE, HIS_RANK, WHERE, ("they", "them", "their")),  # a city is not `they`
        (VAGUE, HIS_RANK, HIS_MENTOR, ()),
        (BOOK, HIS_RANK, WHERE, ("the book",)),
    ],
)
def test_the_words_that_come_back(seed: Seed, asked: Question, first: Question, forms: tuple[str, ...]) -> None:
    assert returning(asked, first, around(BORN, seed=seed)) == forms


TAUGHT = replace(question("Where was the mentor of X born?", MENTOR), beyond=Beyond("hop", PLACE, PLACE))


def test_a_follow_up_that_nothing_could_come_back_from_is_the_last() -> None:
    assert order(HIS_MENTOR, TAUGHT, DATE, HIS_RANK) == [
        "When was X born?",
        "What is X's rank?",
        "Who taught X?",
        "Where was the mentor of X born?",
    ]
    assert planned(HIS_MENTOR, TAUGHT, DATE, HIS_RANK)[-1] == ("follow-up", "Where was the mentor born?")


def test_at_most_one_follow_up_in_five() -> None:
    forms = planned(WHERE, HOP, HIS_MENTOR, TAUGHT, DATE, shares={"follow-up": 1.0})
    assert [flow for flow, _ in forms].count("follow-up") == 1


# Can a reader of the dialogue alone tell what is meant?


def dialogue(*said: tuple[Flow, str, Question]) -> tuple[Turn, ...]:
    return tuple(
        Turn(n, text, "builder", asked, ONE, flow, n - 1 if flow == "follow-up" else None)
        for n, (flow, text, asked) in enumerate(said, 1)
    )


def broken(turns: Sequence[Turn], within: Subgraph = SUBGRAPH) -> list[str]:
    return [finding.rule for finding in resolvable(turns, within)]


OPENING: tuple[Flow, str, Question] = ("opening", "Where was Ada Berg born?", WHERE)
FOLLOW_UP: tuple[Flow, str, Question] = ("follow-up", "In which country is it?", HOP)


@pytest.mark.parametrize(
    ("last", "rules"),
    [
        (("return", "What is the captain's rank?", HIS_RANK), []),
        (("return", "What is their rank?", HIS_RANK), ["D12"]),  # it has to say the phrase
        (("reference", "What is the captain's rank?", HIS_RANK), ["D12"]),  # it is a return, and should say so
        (("ellipsis", "And their rank?", HIS_RANK), ["D10", "D12"]),  # behind a follow-up
        (("ellipsis", "And when?", DATE), ["D10", "D12"]),
    ],
)
def test_d12_a_return_to_the_entity(last: tuple[Flow, str, Question], rules: list[str]) -> None:
    assert broken(dialogue(OPENING, FOLLOW_UP, last)) == rules


def test_d12_a_pronoun_that_could_mean_the_answer() -> None:
    who: tuple[Flow, str, Question] = ("opening", "Who taught Ada Berg?", HIS_MENTOR)
    then: tuple[Flow, str, Question] = ("follow-up", "Where was the mentor born?", TAUGHT)
    assert broken(dialogue(who, then)) == []
    assert broken(dialogue(who, then, ("return", "What is their rank?", HIS_RANK))) == ["D12"]
    assert broken(dialogue(who, then, ("return", "What is the captain's rank?", HIS_RANK))) == ["D12"]


def test_d12_nothing_comes_back_that_was_never_away() -> None:
    assert broken(dialogue(OPENING, ("return", "What is the captain's rank?", HIS_RANK))) == ["D12"]


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("In which country is it?", []),
        ("In which country is that city?", []),
        ("In which country is the harbour?", ["D11"]),  # which harbour?
        ("In which country is their birth place?", ["D11"]),  # says it of the entity
        ("In which country is it, the captain asked?", ["D11"]),
    ],
)
def test_d11_a_follow_up_refers_to_the_answer(said: str, rules: list[str]) -> None:
    assert broken(dialogue(OPENING, ("follow-up", said, HOP))) == rules


def test_d11_the_turn_before_has_the_one_answer() -> None:
    good = dialogue(OPENING, FOLLOW_UP)
    two = replace(ONE, answers=(*ONE.answers, Answer("uri", SEA + "oslo", "Oslo")))
    assert broken((replace(good[0], query=two), good[1])) == ["D11"]
    assert broken((good[0], replace(good[1], refers_to=None))) == ["D11"]
    between: tuple[Flow, str, Question] = ("reference", "What is their rank?", HIS_RANK)
    assert broken(dialogue(OPENING, between, FOLLOW_UP)) == ["D11"]  # a rank is in no country


def test_d11_a_pronoun_that_could_mean_the_entity() -> None:
    lake = Seed(SEA + "lake", "Mjøsa", SEA + "Lake", "lake", "place")
    town = replace(
        question("Which city is the port of X?", PLACE), text=with_name("Which city is the port of X?", "Mjøsa")
    )
    turns = dialogue(("opening", town.text, town), FOLLOW_UP)
    assert broken(turns, around(seed=lake)) == ["D11"]  # `it` could be the lake
    asked = replace(turns[1], utterance="In which country is that city?")
    assert broken((turns[0], asked), around(seed=lake)) == []


@pytest.mark.parametrize(
    ("before", "last", "rules"),
    [
        (("opening", "When was Ada Berg born?", DATE), ("ellipsis", "And where?", WHERE), []),
        (("opening", "What is Ada Berg's rank?", HIS_RANK), ("ellipsis", "And where?", WHERE), ["D10"]),  # where what?
        (("opening", "When was Ada Berg born?", DATE), ("ellipsis", "And their rank?", HIS_RANK), []),
        (("opening", "When was Ada Berg born?", DATE), ("ellipsis", "And its rank?", HIS_RANK), ["D10"]),
        (("opening", "Who taught Ada Berg?", HIS_MENTOR), ("ellipsis", "And their rank?", HIS_RANK), ["D10"]),  # whose?
        (("ellipsis", "And when?", DATE), ("ellipsis", "And where?", WHERE), ["D10"]),  # two in a row
    ],
)
def test_d10_an_ellipsis(
    before: tuple[Flow, str, Question], last: tuple[Flow, str, Question], rules: list[str]
) -> None:
    assert broken(dialogue(before, last)) == rules


def test_a_step_is_what_a_turn_will_be() -> None:
    assert plan_flow((DATE,), (QUERY,), SUBGRAPH, ALL) == (Step(DATE, QUERY, "opening"),)


CITY = Seed(SEA + "bergen", "Bergen", SEA + "City", "city", "place")
IN = question("Which country is X in?", COUNTRY, CITY)
PEOPLE = question("How many people live in X?", CREW, CITY)
MAYOR = question("Who is the mayor of X?", MENTOR, CITY)


def forms(*questions: Question) -> list[tuple[str, ...]]:
    some = {"ellipsis": 0.0, "follow-up": 1.0}
    return [step.forms for step in plan_flow(questions, [QUERY] * len(questions), around(seed=CITY), some)]


def test_without_flow_any_word_will_do() -> None:
    steps = plan_flow((IN, PEOPLE), [QUERY] * 2, around(seed=CITY), {"ellipsis": 0.0, "follow-up": 0.0})
    assert [step.forms for step in steps] == [(), ()]


def test_where_the_pronoun_could_mean_the_answer_just_given_the_phrase_is_said() -> None:
    assert forms(IN, PEOPLE) == [(), ("the city",)]  # `it` could be the country
    assert forms(PEOPLE, IN, MAYOR) == [(), ("it", "its", "there"), ("the city",)]  # and not twice in a row
    assert forms(PEOPLE, MAYOR, IN) == [(), (), ()]  # nobody is `it`, nor is a number of people meant


def test_the_phrase_is_not_said_where_it_could_mean_the_answer() -> None:
    twin = question(
        "Which city is the twin of X?", fact("twin", "twin", nodes("oslo", type_label="city"), "entity", "city")
    )
    assert forms(twin, PEOPLE) == [(), ()]
