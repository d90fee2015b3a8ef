from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Beyond, Fact, Iri, Subgraph, Value
from chattygen.generation.asks import Ask
from chattygen.generation.choice import with_two_facts
from chattygen.generation.plan import plan

from .hand_made import ADA, BORN, CREW, FACTS, MENTOR, MOTTO, RANK, SHIPS, around, fact, literal, nodes

HOME = fact("home", "home", nodes("Oslo"), "entity", "city")
BUILT = fact("built", "built", (*literal("1901", "gYear"), *literal("1931", "gYear")), "year")
PORT = fact("port", "port", nodes("Bergen"), "entity", "city")
SIZE = fact("size", "size", literal("9", "integer"), "number")
FLEET = fact("fleet", "fleet", nodes(*"abc", type_label="ship"), "entity", "ship")
TWO = replace(FLEET, values=FLEET.values[:2], count=2)
ONE = replace(SHIPS, values=SHIPS.values[:1], count=1)
HOP = (MENTOR, Beyond("hop", HOME, HOME))
SOME = (FLEET, Beyond("condition", PORT, TWO))
LAST = (SHIPS, Beyond("most", BUILT, ONE))


def seeds(*beyond: tuple[Fact, Beyond], facts: tuple[Fact, ...] = (*FACTS, FLEET)) -> list[Subgraph]:
    subgraph = replace(around(*facts), beyond=beyond)
    return [replace(subgraph, seed=replace(ADA, iri=f"http://e.org/{n}")) for n in range(40)]


def chosen(subgraph: Subgraph, questions: int = 5) -> tuple[Ask, ...]:
    return with_two_facts(*plan(subgraph, questions), subgraph, questions)[0]


def test_two_of_five_of_different_kinds_and_never_the_first() -> None:
    drawn = set()
    for subgraph in seeds(HOP, SOME, LAST, (MENTOR, Beyond("hop", SIZE, SIZE))):
        asked = chosen(subgraph)
        assert [ask.beyond is not None for ask in asked] == [False, False, True, False, True]
        kinds = [ask.beyond.kind for ask in asked if ask.beyond]
        assert len(set(kinds)) == 2
        drawn.add(tuple(kinds))
    assert {kind for kinds in drawn for kind in kinds} == {"hop", "condition", "most"}
    assert len(drawn) == 6


def test_the_choice_is_the_same_in_every_run() -> None:
    for subgraph in seeds(HOP, SOME, LAST):
        assert chosen(subgraph) == chosen(subgraph)


@pytest.mark.parametrize(("questions", "over_two"), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (10, 2)])
def test_how_many_of_them(questions: int, over_two: int) -> None:
    for subgraph in seeds(HOP, SOME, LAST):
        asked = chosen(subgraph, questions)
        assert len(asked) == questions
        assert sum(ask.beyond is not None for ask in asked) == over_two


def test_what_they_put_out_comes_first_of_the_spare() -> None:
    for subgraph in seeds(HOP):
        asked, spare = plan(subgraph, 5)
        found, left = with_two_facts(asked, spare, subgraph, 5)
        assert [ask for ask in found if not ask.beyond] == list(asked[:4])
        assert left == (asked[4], *spare)


def test_they_make_up_for_facts_that_are_missing() -> None:
    for subgraph in seeds(HOP, LAST, facts=(BORN, MENTOR, SHIPS)):
        assert len(chosen(subgraph)) == 5


def test_one_first_fact_is_gone_beyond_once() -> None:
    for subgraph in seeds(HOP, (MENTOR, Beyond("hop", SIZE, SIZE))):
        assert sum(ask.beyond is not None for ask in chosen(subgraph)) == 1


def test_nothing_beyond_changes_nothing() -> None:
    for subgraph in seeds():
        assert with_two_facts(*plan(subgraph, 5), subgraph, 5) == plan(subgraph, 5)


def test_a_condition_asks_for_ships_or_for_their_number_and_the_others_for_values() -> None:
    forms = {ask.form for subgraph in seeds(SOME) for ask in chosen(subgraph) if ask.beyond}
    assert forms == {"value", "count"}
    one = (FLEET, Beyond("condition", PORT, replace(FLEET, values=FLEET.values[:1], count=1)))
    for beyond in (HOP, LAST, one):
        assert {ask.form for subgraph in seeds(beyond) for ask in chosen(subgraph) if ask.beyond} == {"value"}
    many = tuple(Value(Iri(f"http://e.org/{n}"), f"ship {n}", "ship") for n in range(10))
    fleet = replace(FLEET, values=many, count=10)
    nine = (fleet, Beyond("condition", PORT, replace(fleet, values=many[:9], count=9)))
    counted = {ask.form for subgraph in seeds(nine, facts=(*FACTS, fleet)) for ask in chosen(subgraph) if ask.beyond}
    assert counted == {"count"}  # nobody wants to hear nine


@pytest.mark.parametrize(
    "beyond",
    [
        (MENTOR, Beyond("hop", BERGS := fact("home", "home", nodes("Berg")), BERGS)),  # the name tells the answer
        (FLEET, Beyond("condition", fact("admiral", "admiral", nodes("bo")), TWO)),  # it tells who the mentor is
        (MENTOR, Beyond("hop", OPEN := fact("open", "open", literal("true", "boolean"), "boolean"), OPEN)),
        (replace(SHIPS, value_type=""), LAST[1]),  # no name for the ships
        (MENTOR, Beyond("hop", GENDER := fact("gender", "gender", literal("male"), "text"), GENDER)),
    ],
)
def test_what_is_not_asked(beyond: tuple[Fact, Beyond]) -> None:
    for subgraph in seeds(beyond, facts=(BORN, RANK, MOTTO, CREW, MENTOR, beyond[0])):
        assert not any(ask.beyond for ask in chosen(subgraph))
