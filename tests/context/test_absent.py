"""Twenty inns: 15 have an opening day, 12 a town, 11 an owner, all a number that is an identifier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.context.absent import usual, without
from chattygen.context.facts import Names
from chattygen.context.knowledge import TypeKnowledge, learn
from chattygen.context.samples import take
from chattygen.context.subgraphs import extract
from chattygen.domain import Fact, LabelRule, NodeType, Seed, Subgraph

from .conftest import KG, RUN, SETTINGS, Load, V

INN = NodeType(V + "Inn", "inn", 20, 1.0)
TOWNS = "".join(f':t{n} a v:Town ; rdfs:label "Town {chr(65 + n)}" .\n' for n in range(12))
INNS = "".join(
    f':i{n} a v:Inn ; v:title "Inn {chr(65 + n)}" ; v:number "{4711 + n}" '
    + (f'; v:openingDay "19{n + 10}-03-{n + 11}"^^xsd:date ' if n < 15 else "")
    + (f"; v:town :t{n} " if n < 12 else "")
    + (f"; v:owner :t{(n + 3) % 12} " if n < 11 else "")
    + ".\n"
    for n in range(20)
)
OPENED = Fact(V + "openingDay", "opening day", "out", (), 0, "date")
TOWN = Fact(V + "town", "town", "out", (), 0, "entity", "town")


@pytest.fixture
def inns(loaded: Load) -> tuple[tuple[Fact, ...], TypeKnowledge, dict[int, Subgraph]]:
    """What inns usually have, what is known of them, and the subgraphs of inns 0, 13 and 19."""
    graph, _ = loaded(TOWNS + INNS)
    rule = LabelRule(INN.iri, (V + "title",), 1.0, "only")
    names = Names({INN.iri: rule}, {}, {INN.iri: 20, V + "Town": 12}, frozenset({INN.iri}))
    sample = take(graph, INN, SETTINGS, RUN)
    learned = learn(graph, sample, rule, SETTINGS, RUN)
    around = {
        n: extract(graph, Seed(f"{KG}i{n}", f"Inn {chr(65 + n)}", INN.iri, "inn"), learned, names, SETTINGS, RUN)
        for n in (0, 13, 19)
    }
    return usual(graph, sample, learned, names, SETTINGS, RUN), learned, around


Inns = tuple[tuple[Fact, ...], TypeKnowledge, dict[int, Subgraph]]


def test_what_at_least_six_in_ten_have_is_usual(inns: Inns) -> None:
    assert inns[0] == (OPENED, TOWN)  # 75 % and 60 %; not the owner (55 %), nor the name, nor the number


def test_what_one_has_not(inns: Inns) -> None:
    found, learned, around = inns
    assert without(around[0], found, learned).absent == ()
    assert without(around[13], found, learned).absent == (TOWN,)
    assert without(around[19], found, learned).absent == (OPENED, TOWN)


def test_what_another_predicate_states_is_not_missing(inns: Inns) -> None:
    found, learned, around = inns
    twice = replace(learned, same=(((V + "town", "out"), (V + "place", "out")),))
    placed = Fact(V + "place", "situated at", "out", (), 1, "entity")
    lonely = replace(around[13], facts=(*around[13].facts, placed))
    assert without(lonely, found, twice).absent == ()
    assert without(lonely, found, learned).absent == (TOWN,)


def test_what_reads_alike_is_not_missing(inns: Inns) -> None:
    found, learned, around = inns
    own = Fact(V + "homeTown", "home town", "out", (), 1, "entity")
    assert without(replace(around[13], facts=(*around[13].facts, own)), found, learned).absent == ()
