"""What flow adds to a plan about Ada Berg; a share of 1 wants it for every turn, one of 0 for none."""

from __future__ import annotations

from dataclasses import replace

from chattygen.domain import Beyond, Seed
from chattygen.generation.added import drawn, follows, with_flow
from chattygen.generation.asks import Ask

from .hand_made import ADA, BORN, CREW, MENTOR, MOTTO, RANK, SEA, SHIPS, around, fact, nodes

PLACE = fact("birthPlace", "birth place", nodes("bergen", type_label="city"), "entity", "city")
COUNTRY = Beyond("hop", *[fact("country", "country", nodes("norway"), "entity", "country")] * 2)
FOUNDED = Beyond("hop", *[fact("founded", "founded", (), "year", count=1)] * 2)
DIED = fact("deathDate", "death date", (), "date")
SPOUSE = fact("spouse", "spouse", (), "entity", "person")
SUBGRAPH = replace(
    around(BORN, PLACE, RANK, MOTTO, CREW), beyond=((PLACE, COUNTRY), (PLACE, FOUNDED)), absent=(DIED, SPOUSE)
)
ASKED = tuple(Ask(about, "value") for about in (BORN, PLACE, RANK, MOTTO, CREW))
SPARE = (Ask(SHIPS, "value"),)


def test_a_follow_up_takes_the_place_of_the_last_question() -> None:
    asked, spare = with_flow(ASKED, SPARE, SUBGRAPH, {"follow-up": 1.0})
    assert asked[:4] == ASKED[:4]
    assert asked[4] in (Ask(PLACE, "value", beyond=COUNTRY), Ask(PLACE, "value", beyond=FOUNDED))
    assert len(asked) == 5  # one follow-up in a dialogue of five, though two facts could be asked for
    assert spare == (ASKED[4], *SPARE)


def test_the_question_that_is_followed_up_stays() -> None:
    last = (ASKED[0], ASKED[2], ASKED[1])  # the birth place is the last one
    asked, spare = with_flow(last, (), SUBGRAPH, {"follow-up": 1.0})
    assert asked[:2] == (ASKED[0], ASKED[1])
    assert asked[2].beyond
    assert spare == (ASKED[2],)


def test_a_plan_that_has_a_follow_up_gets_no_other() -> None:
    planned = (*ASKED[:4], Ask(PLACE, "value", beyond=FOUNDED))
    assert with_flow(planned, SPARE, SUBGRAPH, {"follow-up": 1.0}) == (planned, SPARE)


def test_nothing_is_added_where_nothing_is_wanted_or_can_be() -> None:
    assert with_flow(ASKED, SPARE, SUBGRAPH, {}) == (ASKED, SPARE)
    assert with_flow(ASKED, SPARE, around(BORN), {"follow-up": 1.0, "unanswerable": 1.0}) == (ASKED, SPARE)
    without_place = (*ASKED[:1], *ASKED[2:])
    assert with_flow(without_place, SPARE, SUBGRAPH, {"follow-up": 1.0}) == (without_place, SPARE)


def test_what_the_graph_cannot_answer_takes_the_last_places() -> None:
    asked, spare = with_flow(ASKED, SPARE, SUBGRAPH, {"unanswerable": 0.4})  # 2 of 5, whatever is drawn
    assert asked[:3] == ASKED[:3]
    assert {ask.fact for ask in asked[3:]} == {DIED, SPOUSE}
    assert spare == (*ASKED[3:], *SPARE)


def test_the_first_question_can_be_answered() -> None:
    asked, _ = with_flow(ASKED[:2], (), SUBGRAPH, {"unanswerable": 1.0})
    assert asked[0] == ASKED[0]
    assert asked[1].fact in (DIED, SPOUSE)


def test_a_share_holds_over_many_seeds() -> None:
    seeds = [replace(SUBGRAPH, seed=Seed(f"{SEA}{n}", "Ada", ADA.node_type, "captain", "person")) for n in range(400)]
    found = [drawn(0.1, 5, subgraph, "follow-up") for subgraph in seeds]
    assert set(found) == {0, 1}
    assert 160 < sum(found) < 240  # 200 in expectation, give or take 4 deviations of 10


def test_what_can_be_followed_up() -> None:
    hop = Ask(PLACE, "value", beyond=COUNTRY)
    assert follows(hop, ASKED, SUBGRAPH)
    assert not follows(hop, ASKED[2:], SUBGRAPH)  # nobody asked for the birth place
    assert not follows(hop, [Ask(PLACE, "count")], SUBGRAPH)
    assert not follows(Ask(PLACE, "value"), ASKED, SUBGRAPH)
    mentors = Ask(MENTOR, "value", beyond=Beyond("most", BORN, MENTOR))
    assert not follows(mentors, [Ask(MENTOR, "value")], SUBGRAPH)  # no hop


def test_the_pronoun_tells_the_gender_of_the_answer() -> None:
    gender = fact("gender", "gender", nodes("female"), "entity")
    asked = replace(around(MENTOR), beyond=((MENTOR, Beyond("hop", gender, gender)),))
    planned = (Ask(BORN, "value"), Ask(MENTOR, "value"), Ask(RANK, "value"))
    assert with_flow(planned, (), asked, {"follow-up": 1.0}) == (planned, ())
