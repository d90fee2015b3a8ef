"""The whole pipeline on real Oxigraph with the real verifier; the language model answers over a real socket.

What is expected about the graph was read off tests/data/lakes.ttl by hand.
"""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from chattygen import pipeline
from chattygen.config import FLOW, Home, RunSettings
from chattygen.domain import Iri, Literal, Term
from chattygen.errors import CallError, GraphError
from chattygen.kg.folders import open_kg
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.load import load
from chattygen.models.catalog import load_catalog
from chattygen.results.comparison import compare, refuse_unlike
from chattygen.results.formats import jsonl
from chattygen.results.reader import Reader
from chattygen.results.report import make_report
from tests.journeys.lakes import SILENT, Reply, able_model, fresh, make_home, write_models, write_script

VOCAB = "http://example.org/lakes/vocab/"

COUNTRY = {
    "Almere": {"region": "Nordmark", "depth": "31", "surveyDate": "1901-05-06", "outflow": "Aske"},
    "Brenwater": {"region": "Nordmark", "depth": "58", "surveyDate": "1911-07-21", "outflow": "Bourne"},
    "Corrin": {"region": "Nordmark", "depth": "104", "surveyDate": "1898-03-15", "outflow": "Clyst"},
    "Dunmere": {"region": "Sudland", "depth": "77", "surveyDate": "1925-10-02", "outflow": "Dart"},
    "Elsmere": {"region": "Sudland", "depth": "19", "surveyDate": "1932-08-30", "outflow": "Eskin"},
    "Farnwater": {"region": "Sudland", "depth": "143", "surveyDate": "1907-06-11", "outflow": "Frome"},
    "Aske": {"region": "Nordmark", "length": "212", "source": "the Grey Fell", "outflow": "Almere"},
    "Bourne": {"region": "Nordmark", "length": "87", "source": "the Stone Moor", "outflow": "Brenwater"},
    "Clyst": {"region": "Nordmark", "length": "340", "source": "the Wolf Hills", "outflow": "Corrin"},
    "Dart": {"region": "Sudland", "length": "155", "source": "the High Tarn", "outflow": "Dunmere"},
    "Eskin": {"region": "Sudland", "length": "69", "source": "the Black Moss", "outflow": "Elsmere"},
    "Frome": {"region": "Sudland", "length": "298", "source": "the White Fell", "outflow": "Farnwater"},
    "Glen": {"region": "Nordmark", "length": "46", "source": "the Long Edge"},
    "Humber": {"region": "Sudland", "length": "121", "source": "the Old Quarry"},
}
ISLANDS = {
    "Almere": {"Crow Holm", "Pine Holm"},
    "Brenwater": {"Sand Holm"},
    "Corrin": {"Fox Holm"},
    "Dunmere": {"Gull Holm"},
    "Elsmere": {"Bell Holm", "Goat Holm"},
}
TURNS = {
    "region": ("In which region is X?", "In which region is it?"),
    "depth": ("How deep is X?", "How deep is it?"),
    "surveyDate": ("When was X surveyed?", "When was it surveyed?"),
    "length": ("How long is X?", "How long is it?"),
    "source": ("What is the source of X?", "What is its source?"),
}
"""predicate -> question with the name, and the turn in which it is not the first."""


PLAIN = dict.fromkeys(FLOW, 0.0)
"""Every later turn refers to the seed, as the model above does it."""

VALUES = {"yes-no": 0.0}
"""Every question asks for values, as those above do."""


@pytest.fixture(scope="module")
def lakes(weights_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("lakes") / "home", weights_home)


@pytest.fixture
def home(lakes: Home, tmp_path: Path) -> Home:
    return fresh(lakes, tmp_path / "home")


def generate(home: Home, said: list[str] | None = None, **settings: Any) -> pipeline.Outcome:
    catalog = load_catalog(home)
    roles = {str(role): name for role, name in catalog.roles("cpu").items()}
    run = RunSettings(**({"kg": "lakes", "flow": PLAIN, "kinds": VALUES} | settings))
    return pipeline.generate(home, run, catalog, roles, report=(said if said is not None else []).append)


def exported(home: Home, run: str) -> list[dict[str, Any]]:
    stream = io.StringIO()
    with Reader(home.database) as reader:
        jsonl.write(reader.run(run), reader.dialogues(run), stream)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def rows(home: Home, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(home.database)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def as_answer(term: Term | None) -> tuple[str, str, str, str]:
    if isinstance(term, Literal):
        return ("literal", term.value, term.datatype, term.lang)
    assert isinstance(term, Iri)
    return ("uri", term.value, "", "")


def given(graph: KnowledgeGraph, turn: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    """What the stored query gives now."""
    if turn["kind"] == "yes-no":
        return {("boolean", "true" if graph.ask(turn["sparql"]) else "false", "", "")}
    return {as_answer(row[0]) for row in graph.select(turn["sparql"]).rows}


def check_promises(home: Home, dialogues: list[dict[str, Any]], kg: str = "lakes") -> None:
    """What every benchmark promises: queries that re-run, no name after the first turn, no leak, no fact twice."""
    with open_kg(home, kg) as graph:
        for dialogue in dialogues:
            label, turns = dialogue["seed"]["label"], dialogue["turns"]
            assert label in turns[0]["utterance"]
            assert turns[0]["utterance"] == turns[0]["standalone"]
            facts = [(turn["fact"]["predicate"], turn["fact"]["direction"]) for turn in turns]
            assert len(set(facts)) == len(facts) >= 3
            for turn in turns:
                stored = {(a["type"], a["value"], a["datatype"], a["lang"]) for a in turn["answers"]}
                assert stored == given(graph, turn)
                assert len(stored) == turn["answer_count"] > 0
                assert turn["n"] == 1 or label not in turn["utterance"]
                assert not any(answer["label"] in turn["standalone"] for answer in turn["answers"])


def test_an_able_model_writes_everything_and_every_answer_is_right(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=14, questions=4)
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 14, 14)
    dialogues = exported(home, outcome.run)
    assert sorted(d["seed"]["label"] for d in dialogues) == sorted(COUNTRY)
    check_promises(home, dialogues)
    for dialogue in dialogues:
        label = dialogue["seed"]["label"]
        for turn in dialogue["turns"]:
            predicate = turn["fact"]["predicate"].removeprefix(VOCAB)
            wanted = ISLANDS[label] if predicate == "island" else {COUNTRY[label][predicate]}
            assert {answer["label"] for answer in turn["answers"]} == wanted
            assert turn["query_origin"] == "model"
            if predicate in TURNS:
                question, later = TURNS[predicate]
                assert turn["standalone"] == question.replace(
                    "X", f"the {label}" if "length" in COUNTRY[label] else label
                )
                assert turn["n"] == 1 or turn["utterance"] == later
    assert rows(home, "select * from finding") == []
    # One call a stage and dialogue; lakes, rivers, regions and islands say by themselves what they are.
    assert rows(home, "select stage, count(*) from call group by stage order by stage") == [
        ("dialogue", 14),
        ("queries", 14),
        ("questions", 14),
    ]


OBJECTS = {
    "region": {"Nordmark", "Sudland"},
    "outflow": {place["outflow"] for place in COUNTRY.values() if "outflow" in place},
    "island": {name for names in ISLANDS.values() for name in names},
}


def test_yes_no_questions_test_an_object_of_the_same_kind_and_are_answered_by_the_graph(home: Home) -> None:
    """At most one in a dialogue; the model words all of them, and what is right follows from the tables above."""
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=14, questions=4, kinds={"yes-no": 0.2})
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 14, 14)
    dialogues = exported(home, outcome.run)
    check_promises(home, dialogues)
    right = []
    for dialogue in dialogues:
        label = dialogue["seed"]["label"]
        asked = [turn for turn in dialogue["turns"] if turn["kind"] == "yes-no"]
        assert len(asked) <= 1
        for turn in asked:
            predicate = turn["fact"]["predicate"].removeprefix(VOCAB)
            true = ISLANDS[label] if predicate == "island" else {COUNTRY[label][predicate]}
            [named] = [name for name in OBJECTS[predicate] - {label} if name in turn["standalone"]]
            right.append(named in true)
            assert [answer["label"] for answer in turn["answers"]] == ["yes" if named in true else "no"]
            assert named in turn["utterance"]
            assert turn["query_origin"] == "model"
            assert turn["sparql"].startswith("ASK WHERE {")
    assert {True, False} == set(right)
    assert rows(home, "select * from finding") == []
    again = generate(home, dialogues=14, questions=4, kinds={"yes-no": 0.2}, cohort=14, in_flight=3)
    sparql = [[turn["sparql"] for turn in dialogue["turns"]] for dialogue in dialogues]
    assert [[turn["sparql"] for turn in d["turns"]] for d in exported(home, again.run)] == sparql


# Aske, a river with four facts, four questions. Each table holds what is said in the place of a right line.
WRONG_QUESTIONS = {
    1: {
        "region of X: a region": "region: Where is it?",
        "length of X: a number": "length: How long is X",
        "source of X": "source: Where does it, X, have its source?",
        "a lake whose outflow is X": "outflow: Which lake, Almere or Corrin, has its outflow in X?",
    },
    2: {"length of X: a number": "length: In which region is X?", "source of X": "source: How long is X?"},
}
WRONG_QUERIES = {
    2: {
        ":e :region ?x": "SELECT ?x { :e :region ?x",
        ":e :length ?x (stored)": "SELECT ?x { SERVICE <http://example.org/> { :e :length ?x } }",
        ":e :source ?x": "SELECT ?x { :e <http://example.org/other> ?x }",
        "?x :outflow :e": "SELECT ?x { ?x :outflow :e . ?y :outflow ?z }",
    },
    3: {
        ":e :region ?x": "SELECT ?x { ?x :region :e }",
        ":e :length ?x (stored)": "SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :length ?x }",
    },
}
WRONG_TURNS = {
    2: {
        "Which lake has its outflow in X?": "Which lake has an outflow?",
        "How long is X?": "How long is Aske?",
        "What is the source of X?": "What is its source",
    },
    3: {"Which lake has its outflow in X?": "How long is it?", "What is the source of X?": "What is his source?"},
}


def spoiled(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
    """Three bad replies in each stage: wrong lines, nothing at all, chatter, a reply that is cut."""
    if role == "questions":
        if number == 3:
            return "\n".join(lines)[:-8], "length"
        return "\n".join(WRONG_QUESTIONS[number].get(*pair) for pair in zip(items, lines, strict=True)), "stop"
    if role == "sparql":
        if number == 1:
            return "Sure! Here are your queries.", "stop"
        wrong = WRONG_QUERIES[number]
        return "\n".join(
            line[: line.index("SELECT")] + wrong.get(item.split(" | ")[1], line[line.index("SELECT") :])
            for item, line in zip(items, lines, strict=True)
        ), "stop"
    if number == 1:
        return "", "stop"
    return "\n".join(WRONG_TURNS[number].get(*pair) for pair in zip(items, lines, strict=True)), "stop"


def test_every_bad_reply_is_a_finding_and_the_dialogue_is_right_all_the_same(home: Home) -> None:
    with able_model(spoiled) as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=1, questions=4)
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 1, 1)
    found = rows(home, "select stage, attempt, rule from finding order by stage, attempt, rule")
    assert found == [
        ("dialogue", 1, "P3"),
        ("dialogue", 2, "D3"),  # How long is Aske?
        ("dialogue", 2, "D4"),  # How long is Aske?
        ("dialogue", 2, "D4"),  # Which lake has an outflow?
        ("dialogue", 2, "D5"),  # What is its source
        ("dialogue", 2, "D6"),  # How long is Aske?: "Aske" is a word more
        ("dialogue", 3, "D4"),  # What is his source?
        ("dialogue", 3, "D6"),  # How long is it?, where the outflow was to be asked for
        ("dialogue", 3, "D7"),  # the same
        ("dialogue", 3, "D8"),  # What is his source?
        ("queries", 1, "P1"),
        ("queries", 2, "S1"),
        ("queries", 2, "S2"),
        ("queries", 2, "S3"),
        ("queries", 2, "S5"),
        ("queries", 3, "S5"),
        ("queries", 3, "S6"),
        ("questions", 1, "Q1"),  # Where is it?
        ("questions", 1, "Q4"),  # How long is X
        ("questions", 1, "Q4"),  # Where is it?
        ("questions", 1, "Q5"),  # Which lake, Almere or Corrin, ...
        ("questions", 1, "Q6"),  # Where is it?
        ("questions", 1, "Q6"),  # Where does it, X, have its source?
        ("questions", 2, "Q7"),  # In which region is X?, twice
        ("questions", 2, "Q8"),  # How long is X?, where the source was to be asked for
        ("questions", 3, "P2"),
    ]
    dialogues = exported(home, outcome.run)
    check_promises(home, dialogues)
    [dialogue] = dialogues
    assert dialogue["seed"]["label"] == "Aske"
    said = {turn["fact"]["predicate"].removeprefix(VOCAB): turn for turn in dialogue["turns"]}
    assert {name: [answer["label"] for answer in turn["answers"]] for name, turn in said.items()} == {
        name: [value] for name, value in COUNTRY["Aske"].items()
    }
    # What the model had right in any attempt is kept, the builder wrote the others.
    assert {name: turn["query_origin"] for name, turn in said.items()} == {
        "region": "builder",
        "length": "builder",
        "source": "model",
        "outflow": "model",
    }
    origins = "select fact.predicate_label, question.origin from question join fact on fact.seed = question.seed"
    assert dict(rows(home, f"{origins} and fact.n = question.fact")) == {
        "region": "model",
        "length": "model",
        "source": "builder",
        "outflow": "model",
    }
    # Each of the 9 calls is stored with its raw reply.
    assert rows(home, "select count(*), count(seed) from call") == [(9, 9)]
    assert rows(home, "select reply from call where stage = 'queries' and attempt = 1") == [
        ("Sure! Here are your queries.",)
    ]


def test_a_silent_model_gives_the_same_export_every_time(home: Home) -> None:
    write_script(home.path, SILENT)

    def made(seed: int) -> list[dict[str, Any]]:
        outcome = generate(home, dialogues=2, questions=3, seed=seed)
        dialogues = exported(home, outcome.run)
        check_promises(home, dialogues)
        for dialogue in dialogues:
            assert dialogue["id"].startswith(outcome.run)
            assert {turn["query_origin"] for turn in dialogue["turns"]} == {"builder"}
            dialogue["id"] = dialogue["id"].removeprefix(outcome.run)
            dialogue["run"], dialogue["usage"]["seconds"] = "", 0.0
        return dialogues

    first = made(0)
    assert json.dumps(made(0)) == json.dumps(first)
    assert [dialogue["seed"]["iri"] for dialogue in made(1)] != [dialogue["seed"]["iri"] for dialogue in first]
    # Three attempts a stage, each empty.
    assert {dialogue["usage"]["calls"] for dialogue in first} == {9}
    assert rows(home, "select distinct rule from finding") == [("P3",)]


def test_when_every_type_is_exhausted_the_run_is_short_and_says_why(home: Home) -> None:
    """Five lakes have five facts; Farnwater, all rivers, regions and islands have fewer."""
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=9, questions=5, min_questions=5)
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("short", 5, 5)
    assert outcome.reason == "5 seeds visited, 0 given up; no other entity has 5 facts to ask about"
    labels = [dialogue["seed"]["label"] for dialogue in exported(home, outcome.run)]
    assert sorted(labels) == ["Almere", "Brenwater", "Corrin", "Dunmere", "Elsmere"]
    assert rows(home, "select status, reason from run") == [("short", outcome.reason)]


PREFIXES = """
@prefix : <http://example.org/lakes/> .
@prefix v: <http://example.org/lakes/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:north rdfs:label "Nordmark" .
"""
RIVERS = "".join(
    f':r{n} a v:River ; rdfs:label "{label}" ; v:region :north ; v:length {length} ; v:source "the {source}" .\n'
    for n, (label, length, source) in enumerate(
        [("Aske", 212, "Grey Fell"), ("Bourne", 87, "Stone Moor"), ("Clyst", 340, "Wolf Hills")]
    )
)


ABOUT_FORTS: list[dict[str, object]] = [
    {"match": "X is a fort", "reply": "height: How high is X?\nkeeper: Who is the keeper of X?", "times": 0},
    *SILENT,
]


def load_text(home: Home, text: str, tmp_path: Path) -> Home:
    """A new home with the weights and the models of `home`, and a graph of these triples."""
    other = Home(tmp_path / "other")
    other.path.mkdir()
    (other.path / "models").symlink_to((home.path / "models").resolve(), target_is_directory=True)
    write_script(other.path, ABOUT_FORTS)
    (tmp_path / "small.ttl").write_text(PREFIXES + text, encoding="utf-8")
    load(other, "small", [tmp_path / "small.ttl"])
    return other


LEAK = 'v:builderOlaf "Olaf"'
"""A fact that no question can ask about without its answer: the predicate says it (Q5)."""


def fort(n: int, *facts: str) -> str:
    """A fort, its facts as Turtle."""
    return f':f{n} a v:Fort ; rdfs:label "Nordmark Fort {"ABCDEFGHIJKLMNOPQRST"[n]}" ; {" ; ".join(facts)} .\n'


def test_a_type_that_runs_out_hands_its_dialogues_on_even_when_its_last_seed_fails(home: Home, tmp_path: Path) -> None:
    """Of three forts one has three facts, one of which cannot be asked; so it is given up, and rivers take over."""
    forts = fort(0, LEAK, "v:height 61", 'v:keeper "Ada Berg"') + fort(1, "v:height 33") + fort(2, "v:height 4")
    small = load_text(home, RIVERS + forts, tmp_path)
    outcome = generate(small, kg="small", dialogues=3, questions=3)
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 3, 4)
    labels = [dialogue["seed"]["label"] for dialogue in exported(small, outcome.run)]
    assert sorted(labels) == ["Aske", "Bourne", "Clyst"]
    assert rows(small, "select label, rule, reason from seed where status = 'given-up'") == [
        ("Nordmark Fort A", "P1", "Independent question generation failed for too many of its facts")
    ]


def test_a_type_without_dialogues_in_the_plan_steps_in(home: Home, tmp_path: Path) -> None:
    """The one dialogue goes to forts, the larger type; none of them has three facts."""
    small = load_text(home, RIVERS + "".join(fort(n, f"v:height {n * n + 20}") for n in range(5)), tmp_path)
    outcome = generate(small, kg="small", dialogues=1, questions=3)
    assert (outcome.status, outcome.dialogues) == ("done", 1)
    assert exported(small, outcome.run)[0]["seed"]["type_label"] == "river"
    assert rows(small, "select label, wanted from node_type order by wanted") == [("river", 0), ("fort", 1)]
    assert rows(small, "select count(*) from label_rule") == [(2,)]


def test_a_run_that_gets_nowhere_ends(home: Home, tmp_path: Path) -> None:
    """3 x 1 + 10 seeds are visited for one dialogue, and no more."""
    forts = (fort(n, LEAK, f"v:height {n * n + 20}", f'v:keeper "Keeper {n * 7 + 100}"') for n in range(20))
    small = load_text(home, "".join(forts), tmp_path)
    outcome = generate(small, kg="small", dialogues=1, questions=3)
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("short", 0, 13)
    assert outcome.reason == "13 seeds visited, 13 given up; that is the most for 1 dialogues"


def test_a_graph_without_usable_type_or_label_is_refused_before_a_run_begins(home: Home, tmp_path: Path) -> None:
    typeless = load_text(home, ":a v:near :b .\n", tmp_path)
    (tmp_path / "again").mkdir()
    nameless = load_text(home, "".join(f":s{n} a v:Stone ; v:weight {n} .\n" for n in range(4)), tmp_path / "again")

    def make(place: Home) -> None:
        generate(place, kg="small")

    def plan(place: Home) -> None:
        pipeline.plan(place, RunSettings("small"), load_catalog(place), {"questions": "script"})

    lacks = {typeless: "nothing in it has a class under ", nameless: "its entities have no names (stone)"}
    for place, lack in lacks.items():
        for attempt in (make, plan):
            with pytest.raises(GraphError) as caught:
                attempt(place)
            assert caught.value.message.startswith(f"the graph small cannot make dialogues: {lack}")
            assert caught.value.hint
        assert not place.database.exists()


def test_a_call_that_fails_ends_the_run_and_keeps_what_was_finished(home: Home) -> None:
    seen: list[str] = []

    def gone(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        seen.append(role)
        return ("out of memory", "error") if role == "sparql" and "dialogue" in seen else None

    with able_model(gone) as fake:
        write_models(home.path, fake.url)
        with pytest.raises(CallError, match="the call to sparql failed: status 400: out of memory"):
            generate(home, dialogues=6, questions=3)
    [(run, status, reason)] = rows(home, "select id, status, reason from run")
    assert (status, reason) == ("failed", "the call to sparql failed: status 400: out of memory")
    # The first cohort of five is whole; the sixth seed was in work.
    check_promises(home, exported(home, run))
    assert rows(home, "select status, count(*) from seed group by status") == [("accepted", 5), ("interrupted", 1)]
    assert rows(home, "select stage, rule from finding") == [("queries", "P4")]
    assert rows(home, "select finish, error from call where error <> ''") == [("error", reason)]


def test_the_baseline_asks_once_for_everything_and_one_model_answers(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=3, questions=4, approach="single-prompt")
        asked = {request.body["model"] for request in fake.requests if "model" in request.body}
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 3, 3)
    dialogues = exported(home, outcome.run)
    check_promises(home, dialogues)
    for dialogue in dialogues:
        assert dialogue["approach"] == "single-prompt"
        assert dialogue["models"] == dict.fromkeys(("questions", "sparql", "dialogue"), "questions")
        assert dialogue["usage"]["calls"] == 1
        assert [turn["query_origin"] for turn in dialogue["turns"]] == ["model"] * 4
        for turn in dialogue["turns"]:
            predicate, label = turn["fact"]["predicate"].removeprefix(VOCAB), dialogue["seed"]["label"]
            wanted = ISLANDS[label] if predicate == "island" else {COUNTRY[label][predicate]}
            assert {answer["label"] for answer in turn["answers"]} == wanted
    assert asked == {"questions"}
    assert dict(rows(home, "select stage, count(*) from call group by stage")) == {"single_prompt": 3}


def test_the_baseline_gives_a_seed_up_that_fails_three_times_and_replaces_it(home: Home) -> None:
    """The first seed's queries have names that nobody gave; the builder, which could write them, does not."""

    def misled(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        made_up = [line.replace(" ?x }", "ish ?x }").replace(" :e }", "ish :e }") for line in lines]
        return ("\n".join(made_up), "stop") if role == "questions" and number <= 3 else None

    with able_model(misled) as fake:
        write_models(home.path, fake.url)
        single = generate(home, dialogues=3, questions=3, approach="single-prompt")
        staged = generate(home, dialogues=3, questions=3)
    assert (single.status, single.dialogues, single.visited) == ("done", 3, 4)
    given_up = "select n, rule, reason from seed where status = 'given-up'"
    assert rows(home, given_up) == [(1, "S3", "Single prompt failed for too many of its facts")]
    # Three attempts with three queries each; the multi-stage run has none.
    assert rows(home, "select run, stage, attempt, rule, count(*) from finding group by 1, 2, 3, 4") == [
        (single.run, "single_prompt", attempt, "S3", 3) for attempt in (1, 2, 3)
    ]
    with Reader(home.database) as reader:
        runs = [reader.run(outcome.run) for outcome in (single, staged)]
        refuse_unlike(*runs)
        compared = compare(*(reader.outcomes(run.id) for run in runs))
        made = make_report(reader.measures(single.run))
    # Both visit the same seeds in the same order; the fourth took the place of the one that was given up.
    assert (compared.paired, compared.alone_a, compared.alone_b, compared.both_accepted) == (3, 1, 0, 2)
    measures = {difference.measure: (difference.a, difference.b) for difference in compared.measures}
    assert measures["query errors"] == (3.0, 0.0)
    assert measures["accepted"] == (0.666666667, 1.0)
    assert measures["calls"] == (1.666666667, 3.0)
    assert (made.success_rate, made.errors_by_kind) == (0.75, {"question": 0, "query": 9, "dialogue": 0})
    assert [(stage.name, stage.errors, stage.usage.calls) for stage in made.stages] == [
        ("single_prompt", 9, 6),
    ]


def test_progress_tells_how_far_the_run_is(home: Home) -> None:
    write_script(home.path, SILENT)
    told: list[pipeline.Progress] = []
    catalog = load_catalog(home)
    roles = {str(role): name for role, name in catalog.roles("cpu").items()}
    outcome = pipeline.generate(
        home, RunSettings("lakes", dialogues=2, questions=3, flow=PLAIN, kinds=VALUES), catalog, roles, tell=told.append
    )
    assert {progress.run for progress in told} == {outcome.run}
    # Two seeds, three stages: each work on a draft is a sixth of two dialogues. First the types are labelled.
    assert [round(progress.reached, 2) for progress in told] == [0, 0, 0.33, 0.67, 0.67, 1, 1.33, 1.33, 1.67, 2, 2, 2]
    assert [progress.done for progress in told] == [0] * 10 + [1, 2]
    stages = ["Independent question generation", "SPARQL query generation", "Dialogue generation"]
    assert [progress.stage for progress in told] == [
        "Textual entity representation",
        *[stage for stage in stages for _ in range(3)],
        "",
        "",
    ]
    # Three empty replies a stage and seed.
    assert [progress.findings for progress in told] == [0, 0, 3, 6, 6, 9, 12, 12, 15, 18, 18, 18]


def test_a_starting_server_is_told_of_now_and_then() -> None:
    said: list[str] = []
    waiting = pipeline.now_and_then(said.append)
    for tenths in range(0, 120, 3):
        waiting(tenths / 10, f"{tenths / 10} s")
    waiting(0.0, "another one")
    assert said == ["0.0 s", "5.1 s", "10.2 s", "another one"]
