from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.neighbours import knowledge_of, look_beyond
from chattygen.domain import XSD, Beyond, Fact, Iri, Literal, Subgraph, Value
from chattygen.kg.oxigraph import OxigraphGraph
from tests.albums import NAMES, RUN, SETTINGS, A, V, around_mira


def found(subgraph: Subgraph) -> list[tuple[str, str, str, list[str], list[str]]]:
    """(first fact, kind, second fact, its values, answers)"""
    return [
        (
            first.predicate_label,
            beyond.kind,
            beyond.fact.predicate_label,
            [value.label for value in beyond.fact.values],
            [value.term.value.removeprefix(A) for value in beyond.asked.values],
        )
        for first, beyond in subgraph.beyond
    ]


TRACKS = ["10", "12", "9", "11", "14"]
DATES = ["1971-03-01", "1974-08-09", "1979-11-20", "1983-05-06"]
YEARS = ["1971", "1974", "1979", "1983"]
ALL = [
    ("home town", "hop", "river", ["Sae"], ["sae"]),
    ("home town", "hop", "population", ["12000"], ["12000"]),
    ("spouse", "hop", "birth date", ["1950-02-03"], ["1950-02-03"]),
    ("spouse", "hop", "birth place", ["Ulmen"], ["ulm"]),
    ("spouse", "hop", "nickname", ["Jo", "the Brush"], ["Jo", "the Brush"]),
    ("artist", "condition", "genre", ["jazz"], ["a2", "a3", "a4"]),
    ("artist", "least", "release date", DATES, ["a1"]),
    ("artist", "condition", "year", ["1983"], ["a4", "a5"]),
    ("artist", "least", "year", YEARS, ["a1"]),
    ("artist", "least", "tracks", TRACKS, ["a3"]),
]


def test_all_questions_over_two_facts(shop: OxigraphGraph) -> None:
    """Worked out by hand in albums.ttl: what is not in this list must not be asked."""
    assert found(around_mira(shop)) == ALL


def test_what_is_asked_for_is_a_fact_of_the_seed(shop: OxigraphGraph) -> None:
    subgraph = around_mira(shop)
    albums = next(fact for fact in subgraph.facts if fact.predicate_label == "artist")
    town = Value(Iri(A + "ulm"), "Ulmen", "town")
    place = Fact(V + "birthPlace", "birth place", "out", (town,), 1, "entity", "town")
    assert subgraph.beyond[3][1] == Beyond("hop", place, place)
    jazz = Fact(
        V + "genre", "genre", "out", (Value(Iri(A + "jazz"), "jazz", "genre"),), 2, "entity", "genre"
    )  # a2 has two
    three = replace(albums, values=albums.values[1:4], count=3)
    assert subgraph.beyond[5] == (albums, Beyond("condition", jazz, three))
    years = tuple(Value(Literal(year, XSD + "gYear"), year) for year in YEARS)
    first = replace(albums, values=albums.values[:1], count=1)
    assert subgraph.beyond[8] == (albums, Beyond("least", Fact(V + "year", "year", "out", years, 4, "year"), first))


def test_the_rest_of_the_subgraph_stays(shop: OxigraphGraph) -> None:
    subgraph = around_mira(shop)
    assert {fact.predicate_label for fact in subgraph.facts} == {"home town", "spouse", "birth date", "artist"}
    assert replace(subgraph, beyond=()).beyond == ()
    assert subgraph.size == 1 + 1 + 1 + 5 + 1  # jon has her as his spouse, too


def test_what_the_settings_leave_out_or_find_dull_is_not_looked_at(shop: OxigraphGraph) -> None:
    settings = GraphSettings(
        exclude_predicates=(V + "genre",),
        interest={V + "Album": {V + "tracks": 0.5}, V + "Painter": {V + "nickname": 0}},
    )
    left = [row for row in ALL if row[2] not in ("genre", "tracks", "nickname")]
    assert found(around_mira(shop, settings=settings)) == left


def test_a_first_fact_of_little_interest_leads_nowhere(shop: OxigraphGraph) -> None:
    settings = GraphSettings(interest={V + "Singer": {V + "artist": 0.5}})
    assert found(around_mira(shop, settings=settings)) == [row for row in ALL if row[0] != "artist"]


def test_a_hub_leads_nowhere(shop: OxigraphGraph) -> None:
    few = replace(RUN, max_values=4)
    assert found(around_mira(shop, few)) == [row for row in ALL if row[0] != "artist"]


def test_who_asks_for_incoming_facts_only_gets_none_beyond(shop: OxigraphGraph) -> None:
    assert around_mira(shop, replace(RUN, direction="in")).beyond == ()


def test_a_seed_costs_four_queries(shop: OxigraphGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    subgraph = replace(around_mira(shop), beyond=())
    classes = {
        c: knowledge_of(shop, c, NAMES, SETTINGS, RUN) for c in (V + "Album", V + "Town", V + "Painter", V + "Singer")
    }
    asked: list[str] = []
    select = shop.select

    def counted(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(query, deadline=deadline)

    monkeypatch.setattr(shop, "select", counted)
    assert found(look_beyond(shop, subgraph, NAMES, classes.__getitem__, SETTINGS, RUN)) == ALL
    assert len(asked) == 4


NO_FOLLOW_UPS = {"ellipsis": 0.15, "follow-up": 0.0, "unanswerable": 0.0}


@pytest.mark.parametrize(
    ("run", "looks"),
    [
        (RunSettings("kg", hops=2, flow=NO_FOLLOW_UPS), True),
        (RunSettings("kg", hops=1, flow=NO_FOLLOW_UPS), False),
        (RunSettings("kg", hops=1, flow=NO_FOLLOW_UPS | {"follow-up": 0.1}), True),
        (RunSettings("kg", hops=1, flow=NO_FOLLOW_UPS | {"follow-up": 0.1}, approach="single-prompt"), False),
        (RunSettings("kg", hops=1, flow=NO_FOLLOW_UPS | {"follow-up": 0.1}, phrasing="reuse"), False),
    ],
)
def test_neighbours_are_looked_at_only_where_somebody_asks_about_them(run: RunSettings, looks: bool) -> None:
    assert run.looks_beyond == looks
