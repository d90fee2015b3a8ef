"""A run over tests/data/lakes.ttl, made by hand, all its queries right; and the same graph after some edits.

What the graph says and what the edits do to each answer was read off the file by hand:

    turn  query                                   at the time of the run       after the edits
    1.1   region of Almere                        Nordmark                     the same
    1.2   islands of Almere                       Crow Holm, Pine Holm         Pine Holm is gone
    1.3   number of islands of Almere             2                            1
    1.4   depth of Almere                         31, an integer               "31", a string
    2.1   lakes whose outflow is Aske             Almere                       Brenwater too
    2.2   is Aske in Sudland?                     no                           yes
    2.3   is Aske in Nordmark?                    yes                          the same
    2.4   length of Aske                          212                          the same
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from chattygen.config import Home, RunSettings
from chattygen.domain import XSD, Answer, Dialogue, Fact, Query, Question, Seed, Subgraph, Turn, Usage
from chattygen.kg.folders import read_manifest
from chattygen.kg.load import load
from chattygen.results.recorder import Recorder
from tests.journeys.lakes import GRAPH

NS = "http://example.org/lakes/"
VOCAB = NS + "vocab/"

ALMERE = Seed(NS + "l1", "Almere", VOCAB + "Lake", "lake")
ASKE = Seed(NS + "r1", "Aske", VOCAB + "River", "river")

EDITS = {
    "v:island :i1, :i2 ": "v:island :i1 ",
    "v:depth 31 ": 'v:depth "31" ',
    "v:outflow :r2 ": "v:outflow :r2, :r1 ",
    'rdfs:label "Aske" ; v:region :north ;': 'rdfs:label "Aske" ; v:region :north, :south ;',
}


def number(value: str) -> Answer:
    return Answer("literal", value, value, XSD + "integer")


def iri(name: str, label: str) -> Answer:
    return Answer("uri", NS + name, label)


def turn(n: int, question: str, sparql: str, form: str, *answers: Answer) -> Turn:
    """A turn about a fact of its own; the queries name the graph's IRIs with `:` and `v:`."""
    fact = Fact(f"{VOCAB}p{n}", "predicate", "out", (), 1, "entity")
    query = Query(expand(sparql), form, "model", answers)  # type: ignore[arg-type]
    return Turn(n, question, "model", Question(fact, question, question, "other", "model"), query)


def expand(sparql: str) -> str:
    return f"PREFIX : <{NS}>\nPREFIX v: <{VOCAB}>\n{sparql}"


DIALOGUES = (
    Dialogue(
        ALMERE,
        (
            turn(1, "In which region is Almere?", "SELECT ?x { :l1 v:region ?x }", "select", iri("north", "Nordmark")),
            turn(
                2,
                "Which islands does Almere have?",
                "SELECT ?x { :l1 v:island ?x }",
                "select",
                iri("i1", "Crow Holm"),
                iri("i2", "Pine Holm"),
            ),
            turn(
                3,
                "How many islands does Almere have?",
                "SELECT (COUNT(DISTINCT ?x) AS ?n) { :l1 v:island ?x }",
                "count",
                number("2"),
            ),
            turn(4, "How deep is Almere?", "SELECT ?x { :l1 v:depth ?x }", "select", number("31")),
        ),
        Usage(),
    ),
    Dialogue(
        ASKE,
        (
            turn(
                1,
                "Which lake has its outflow in Aske?",
                "SELECT ?x { ?x v:outflow :r1 }",
                "select",
                iri("l1", "Almere"),
            ),
            turn(2, "Is Aske in Sudland?", "ASK { :r1 v:region :south }", "ask", Answer("boolean", "false", "no")),
            turn(3, "Is Aske in Nordmark?", "ASK { :r1 v:region :north }", "ask", Answer("boolean", "true", "yes")),
            turn(4, "How long is Aske?", "SELECT ?x { :r1 v:length ?x }", "select", number("212")),
        ),
        Usage(),
    ),
)

SLOW = turn(
    1,
    "Does Almere lie?",
    "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o }",
    "count",
    number("1"),
)
"""Counts some hundred to the power of five rows, which takes hours."""


def load_lakes(home: Home) -> str:
    """Load the graph as it is in the file; its fingerprint."""
    return load(home, "lakes", [GRAPH], replace=True).fingerprint


def edit_lakes(home: Home, folder: Path, name: str = "lakes") -> str:
    """Load the edited graph, under its own name in the place of the first one; its fingerprint."""
    text = GRAPH.read_text(encoding="utf-8")
    for old, new in EDITS.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "lakes.ttl").write_text(text, encoding="utf-8")
    return load(home, name, [folder / "lakes.ttl"], replace=True).fingerprint


def record(home: Home, *dialogues: Dialogue, deadline: float = 30.0) -> str:
    """Record a run over the loaded graph; its id."""
    manifest = read_manifest(home, "lakes")
    settings = asdict(RunSettings("lakes", dialogues=len(dialogues), deadline=deadline))
    roles = dict.fromkeys(("label", "questions", "sparql", "dialogue"), "small")
    with Recorder(home.database) as recorder:
        run = recorder.start_run("lakes", manifest.fingerprint, manifest.triples, settings, roles)
        for dialogue in dialogues:
            facts = tuple(turn.question.fact for turn in dialogue.turns)
            recorder.dialogue(run, recorder.start_seed(run, Subgraph(dialogue.seed, facts, len(facts))), dialogue)
        recorder.finish_run(run, "done")
    return run
