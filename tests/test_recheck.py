"""Recheck on real Oxigraph: a graph is edited after the run, and exactly the drifts worked out by hand are seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.domain import XSD, Answer, Dialogue, Iri, Literal, Turn, Usage
from chattygen.kg.folders import open_kg
from chattygen.kg.graph import Rows
from chattygen.kg.load import load
from chattygen.recheck import Checked, Drift, recheck
from chattygen.results.reader import Reader, StoredDialogue
from tests import drifting
from tests.drifting import ALMERE, DIALOGUES, NS, SLOW, iri, number, turn


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    drifting.load_lakes(home)
    return home


def check(home: Home, deadline: float = 30.0) -> list[Checked]:
    with Reader(home.database) as reader, open_kg(home, "lakes") as graph:
        return list(recheck(reader.dialogues(reader.run("latest").id), graph, deadline))


def drift(dialogue: str, of: Dialogue, n: int, missing: tuple[Answer, ...], new: tuple[object, ...]) -> Drift:
    told = of.turns[n - 1]
    at = (dialogue, n, of.seed.label, told.question.text, told.query.sparql)
    return Drift(*at, "answers", missing, new)  # type: ignore[arg-type]


def test_an_unchanged_graph_gives_the_stored_answers(home: Home) -> None:
    run = drifting.record(home, *DIALOGUES)
    assert check(home) == [Checked(f"{run}-{d}", n, None) for d in (1, 2) for n in (1, 2, 3, 4)]


def test_an_edited_graph_drifts_where_it_was_edited(home: Home, tmp_path: Path) -> None:
    run = drifting.record(home, *DIALOGUES)
    drifting.edit_lakes(home, tmp_path)
    almere, aske = DIALOGUES
    assert [checked.drift for checked in check(home)] == [
        None,
        drift(f"{run}-1", almere, 2, (iri("i2", "Pine Holm"),), ()),
        drift(f"{run}-1", almere, 3, (number("2"),), (Literal("1", XSD + "integer"),)),
        drift(f"{run}-1", almere, 4, (number("31"),), (Literal("31", XSD + "string"),)),
        drift(f"{run}-2", aske, 1, (), (Iri(NS + "l2"),)),
        drift(f"{run}-2", aske, 2, (Answer("boolean", "false", "no"),), (True,)),
        None,
        None,
    ]


def test_queries_that_fail_do_not_stop_the_others(home: Home) -> None:
    broken = [
        SLOW,
        turn(2, "Where?", "SELECT ?x { this is no query", "select", number("1")),
        turn(3, "Where?", "SELECT ?x { SERVICE <http://127.0.0.1:1/> { ?x ?y ?z } }", "select", number("1")),
        turn(4, "Is it?", "SELECT ?x { :l1 v:region ?x }", "ask", Answer("boolean", "true", "yes")),
        turn(5, "In which region is Almere?", "SELECT ?x { :l1 v:region ?x }", "select", iri("north", "Nordmark")),
    ]
    drifting.record(home, Dialogue(ALMERE, tuple(broken), Usage()))
    drifts = [checked.drift for checked in check(home, deadline=2.0)]
    assert drifts[-1] is None
    assert [(found.what, found.missing, found.new) for found in drifts if found] == [("failed", (), ())] * 4
    errors = [found.error for found in drifts if found]
    assert errors[0] == "a query was stopped after 2 s"
    assert errors[1].startswith("the store refused a query: ")
    assert errors[2:] == ["the query must not call another server (SERVICE)", "the query is not an ASK"]


class Cut:
    """A store that gives the first row only, and says so, as an endpoint with a limit does."""

    name, fingerprint = "cut", "f00d"

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        return Rows(("x",), ((Iri(NS + "i1"),),), complete=False)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        return True

    def close(self) -> None:
        """It holds nothing."""


def stored(told: Turn) -> StoredDialogue:
    return StoredDialogue("d", "r", "lakes", "f00d", ALMERE, (told,), Usage(), {}, "multi-stage", "full", "en")


def test_an_answer_that_the_store_cuts_short_says_nothing_about_what_is_missing() -> None:
    islands, holm = DIALOGUES[0].turns[1], DIALOGUES[0].turns[1].query.answers[0]
    for answers in (islands.query.answers, (holm,)):
        told = replace(islands, query=replace(islands.query, answers=answers, complete=len(answers) == 2))
        [checked] = recheck([stored(told)], Cut(), 1.0)
        at = ("d", 2, "Almere", "Which islands does Almere have?", islands.query.sparql)
        assert checked.drift == Drift(*at, "incomplete")


def test_queries_run_one_by_one_as_they_are_asked_for(home: Home) -> None:
    """Nothing is read ahead: an end of the dialogues that nobody reaches may even fail."""

    def dialogues() -> object:
        yield stored(DIALOGUES[0].turns[0])
        raise AssertionError("read too far")

    with open_kg(home, "lakes") as graph:
        first = next(recheck(dialogues(), graph, 30.0))  # type: ignore[arg-type]
    assert first == Checked("d", 1, None)


@pytest.mark.parametrize(
    ("form", "sparql", "answer", "new"),
    [
        ("ask", "ASK { :l1 v:depth 31 }", Answer("boolean", "true", "yes"), ()),
        ("ask", "ASK { :l1 v:depth 30 }", Answer("boolean", "true", "yes"), (False,)),
        ("count", "SELECT (COUNT(?x) AS ?n) { ?x a v:Lake }", number("6"), ()),
        ("count", "SELECT (COUNT(?x) AS ?n) { ?x a v:Lake }", number("5"), (Literal("6", XSD + "integer"),)),
        ("select", "SELECT ?x { :l1 v:depth ?x }", number("31"), ()),
        ("select", "SELECT ?x { :l1 v:depth ?x }", Answer("literal", "31", "31"), (Literal("31", XSD + "integer"),)),
        ("select", "SELECT ?x { :r1 v:source ?x }", Answer("literal", "the Grey Fell", "", XSD + "string"), ()),
        (
            "select",
            "SELECT ?x { :r1 v:source ?x }",
            Answer("literal", "the Grey Fell", "", XSD + "string", "en"),
            (Literal("the Grey Fell"),),
        ),
        # A row in which nothing is bound is no answer.
        ("select", "SELECT ?x { :l1 v:region ?y OPTIONAL { :l1 v:none ?x } }", None, ()),
    ],
)
def test_answers_are_compared_as_typed_terms(
    home: Home, form: str, sparql: str, answer: Answer | None, new: tuple[object, ...]
) -> None:
    told = turn(1, "What?", sparql, form, *([answer] if answer else []))
    with open_kg(home, "lakes") as graph:
        [checked] = recheck([stored(told)], graph, 30.0)
    assert (checked.drift.new if checked.drift else ()) == new
    assert (checked.drift is None) == (new == ())


def test_what_is_new_comes_in_a_stable_order(home: Home, tmp_path: Path) -> None:
    lines = [f"<http://e.org/a> <http://e.org/p> {term} .\n" for term in ('"b"', "<http://e.org/a>", '"a"@en', '"a"')]
    told = turn(1, "What?", "SELECT ?x { ?s ?p ?x }", "select")
    for number_, order in enumerate((lines, lines[::-1])):
        (tmp_path / f"g{number_}.nt").write_text("".join(order))
        load(home, f"g{number_}", [tmp_path / f"g{number_}.nt"])
        with open_kg(home, f"g{number_}") as graph:
            [checked] = recheck([stored(told)], graph, 30.0)
        assert checked.drift is not None
        assert checked.drift.new == (
            Iri("http://e.org/a"),
            Literal("a", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
            Literal("a"),
            Literal("b"),
        )
