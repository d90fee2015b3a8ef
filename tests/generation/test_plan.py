from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Fact, Subgraph, ValueKind
from chattygen.generation import asks
from chattygen.generation.asks import Ask
from chattygen.generation.plan import is_gender, plan

from .hand_made import ADA, BORN, CREW, FACTS, FRIENDS, MEDALS, MENTOR, MOTTO, RANK, SHIPS, around, fact, literal, nodes

GENDER = fact("gender", "gender", literal("female"), "text")


def facts(asks: tuple[Ask, ...]) -> list[Fact]:
    return [ask.fact for ask in asks]


def test_every_fact_is_asked_once_or_spare() -> None:
    asked, spare = plan(around(*FACTS), 5)
    assert len(asked) == 5
    chosen = facts(asked + spare)
    assert len(chosen) == len(set(chosen))
    assert set(chosen) == set(FACTS)


def test_the_choice_is_the_same_in_every_run_and_not_for_every_seed() -> None:
    assert plan(around(*FACTS), 5) == plan(around(*FACTS), 5)
    orders = {tuple(facts(plan(around(*FACTS, seed=replace(ADA, iri=f"http://e.org/{n}")), 5)[0])) for n in range(20)}
    assert len(orders) > 10


def test_what_is_of_less_interest_comes_last_in_every_dialogue() -> None:
    scores = {MOTTO: 0.3, RANK: 0.1, CREW: 0.3}
    for subgraph in seeds(*FACTS):
        asked, spare = plan(replace(subgraph, interest=scores), 5)
        order = facts(asked + spare)
        assert set(order[-3:-1]) == {MOTTO, CREW}
        assert order[-1] == RANK
        without = [fact for fact in facts(sum(plan(subgraph, 5), ())) if fact not in scores]
        assert order[:-3] == without  # among themselves the others keep their order


def test_fewer_facts_than_questions() -> None:
    asked, spare = plan(around(BORN, RANK), 5)
    assert set(facts(asked)) == {BORN, RANK}
    assert spare == ()


@pytest.mark.parametrize(
    "dull",
    [
        GENDER,  # the pronoun tells it
        fact("retired", "retired", literal("true", "boolean"), "boolean"),
        fact("first", "given name", literal("Ada"), "text"),  # the label tells it
    ],
)
def test_what_is_never_asked(dull: Fact) -> None:
    asked, spare = plan(around(BORN, dull), 5)
    assert facts(asked + spare) == [BORN]


def test_the_gender_of_a_thing_is_asked() -> None:
    assert len(plan(around(GENDER, seed=replace(ADA, being="thing")), 5)[0]) == 1


def test_a_value_inside_a_word_of_the_label_is_not_told_by_it() -> None:
    inside = fact("port", "port", nodes("Ber"), "entity")
    assert facts(plan(around(inside), 5)[0]) == [inside]


def test_a_hub_and_a_long_list_are_counted_and_a_single_value_is_not() -> None:
    many = fact("ship", "ship", nodes(*"abcdefghi"), value_type="ship")
    forms = {ask.fact: ask.form for ask in plan(around(MEDALS, many, BORN), 3)[0]}
    assert forms == {MEDALS: "count", many: "count", BORN: "value"}


def test_a_number_that_a_count_gives_is_not_asked() -> None:
    total = fact("medals", "medals won", literal("9", "integer"), "number")
    asked, spare = plan(around(MEDALS, total, CREW), 5)
    assert set(facts(asked + spare)) == {MEDALS, CREW}


def seeds(*about: Fact) -> list[Subgraph]:
    return [around(*about, seed=replace(ADA, iri=f"http://e.org/{n}")) for n in range(40)]


def numbers(many: int, kind: ValueKind = "number") -> Fact:
    values = tuple(value for n in range(100, 100 + many) for value in literal(str(n), "integer"))
    return fact("score", "score", values, kind)


@pytest.mark.parametrize(
    ("about", "forms"),
    [
        (numbers(8), {"value"}),  # numbers are told, never counted
        (numbers(9), set()),  # nobody wants to hear nine
        (numbers(9, "text"), set()),
        (fact("note", "note", (), "text", count=40), set()),  # a hub of literals
        (fact("ship", "ship", nodes("a", "b"), value_type="ship"), {"value"}),  # two are few
        (fact("ship", "ship", nodes(*"abcdefgh"), value_type="ship"), {"value", "count"}),
        (fact("ship", "ship", nodes(*"abcdefghi"), value_type="ship"), {"count"}),
        (MEDALS, {"count"}),
        (fact("ship", "ship", nodes("a"), direction="in"), set()),  # no class to ask for them by
    ],
)
def test_only_entities_are_counted_and_long_lists_of_literals_never_asked(about: Fact, forms: set[str]) -> None:
    assert {ask.form for subgraph in seeds(about) for ask in plan(subgraph, 1)[0]} == forms


@pytest.mark.parametrize(
    ("other", "skipped"),
    [
        (fact("won", "medals won", literal("9", "integer"), "number"), True),
        (fact("won", "medals won", literal("9"), "text"), True),
        (fact("won", "lucky numbers", (*literal("7", "integer"), *literal("9", "integer")), "number"), True),
        (fact("won", "medals won", literal("19", "integer"), "number"), False),
        (fact("won", "reef", nodes("9"), value_type="reef"), True),
    ],
)
def test_the_answer_of_a_count_is_not_asked_as_a_value(other: Fact, skipped: bool) -> None:
    """MEDALS is a hub of 9. Wherever it comes in the order, a question about the other would repeat its answer."""
    for subgraph in seeds(MEDALS, other):
        asked, spare = plan(subgraph, 5)
        assert set(facts(asked + spare)) == ({MEDALS} if skipped else {MEDALS, other})


def test_gender_is_a_word_of_the_label() -> None:
    assert is_gender(fact("g", "sex or gender", ()))
    assert not is_gender(fact("g", "Essex", ()))


@pytest.mark.parametrize(
    ("ask", "phrase", "cue"),
    [
        (Ask(BORN, "value"), "birth date of X: a date", "birth date: "),
        (Ask(SHIPS, "value"), "2 ships whose captain is X", "captain: "),
        (Ask(SHIPS, "count"), "number of ships whose captain is X: a number", "captain: "),
        (Ask(FRIENDS, "count"), "number of friends of X: a number", "friend: "),
        (
            Ask(fact("locatedIn", "located in", nodes("a", "b"), value_type="city"), "count"),
            "number of cities that X is located in: a number",
            "located in: ",
        ),
        (
            Ask(fact("flowsInto", "flows into", nodes("a", "b"), value_type="lake"), "count"),
            "number of lakes that X flows into: a number",
            "flows into: ",
        ),
        (Ask(MENTOR, "value"), "mentor of X: a captain", "mentor: "),
    ],
)
def test_how_a_fact_stands_in_the_prompt(ask: Ask, phrase: str, cue: str) -> None:
    assert asks.phrase(ask) == phrase
    assert asks.cue(ask) == cue


def test_the_full_form_shows_the_values_of_what_is_not_counted() -> None:
    assert asks.phrase(Ask(SHIPS, "value"), "full") == """2 ships whose captain is X: "Gull", "It's Late\""""
    assert asks.phrase(Ask(SHIPS, "count"), "full") == asks.phrase(Ask(SHIPS, "count"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", False),
        ("the captain Ada Berg born in 1901", True),
        ("the captain Ada Berg whose birth date is 1901-05-06", True),
        ("the captain Ada Berg born in 19012", False),
    ],
)
def test_what_tells_the_seed_apart_is_not_asked(said: str, told: bool) -> None:
    asked, _ = plan(around(BORN, RANK, seed=replace(ADA, said=said)), 5)
    assert (BORN not in facts(asked)) == told
    assert RANK in facts(asked)


def test_a_value_is_told_without_its_bracket_too() -> None:
    queen = fact("singer", "singer", nodes("Queen (band)"))
    asked, _ = plan(around(queen, RANK, seed=replace(ADA, label="'39 (Queen song)", being="work")), 5)
    assert facts(asked) == [RANK]
