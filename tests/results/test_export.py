"""The export: its fields, its schema, and that what went into the database comes out of it."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chattygen.domain import (
    Answer,
    Beyond,
    Dialogue,
    Fact,
    Flow,
    Iri,
    Literal,
    Query,
    Question,
    QuestionKind,
    Seed,
    Subgraph,
    Turn,
    Usage,
    Value,
)
from chattygen.results.formats import jsonl
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import ADA_DIALOGUE, ADA_SUBGRAPH, BORN, CURIE, CURIE_DIALOGUE, PRIZES


def schema() -> Draft202012Validator:
    text = resources.files("chattygen.results").joinpath("dialogue.schema.json").read_text(encoding="utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


def exported(path: Path, run: str) -> str:
    stream = io.StringIO()
    with Reader(path) as reader:
        jsonl.write(reader.run(run), reader.dialogues(run), stream)
    return stream.getvalue()


@pytest.fixture(scope="module")
def run_and_lines(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    path = tmp_path_factory.mktemp("export") / "chattygen.db"
    run = hand_made.record(path)
    return run, exported(path, run).splitlines()


def test_the_first_line_field_by_field_in_order(run_and_lines: tuple[str, list[str]]) -> None:
    run, lines = run_and_lines
    assert len(lines) == 2
    expected = (
        '{"schema": "chattygen/dialogue/1", "id": "RUN-1", "run": "RUN", "kg": "nobel", "kg_fingerprint": "f00d",'
        ' "seed": {"iri": "http://example.org/marie", "label": "Marie Curie", "type": "http://example.org/Laureate",'
        ' "type_label": "laureate", "bucket": "head", "said": null},'
        ' "approach": "multi-stage", "serialisation": "summarised", "language": "en",'
        ' "turns": [{"n": 1, "utterance": "When was Marie Curie born?", "standalone": "When was Marie Curie born?",'
        ' "kind": "when",'
        ' "fact": {"subject": "http://example.org/marie", "predicate": "http://example.org/born", "object": null,'
        ' "direction": "out"},'
        ' "sparql": "SELECT ?v WHERE {\\n  <http://example.org/marie> <http://example.org/born> ?v\\n}",'
        ' "query_origin": "model",'
        ' "answers": [{"type": "literal", "value": "1867-11-07", "label": "7 November 1867",'
        ' "datatype": "http://www.w3.org/2001/XMLSchema#date", "lang": ""}],'
        ' "answer_count": 1, "answers_complete": true,'
        ' "facts": [{"subject": "http://example.org/marie", "predicate": "http://example.org/born", "object": null,'
        ' "direction": "out"}], "flow": "opening", "refers_to": null, "answerable": true},'
        ' {"n": 2, "utterance": "Which prizes did she receive?", "standalone": "Which prizes did Marie Curie receive?",'
        ' "kind": "which",'
        ' "fact": {"subject": null, "predicate": "http://example.org/laureate", "object": "http://example.org/marie",'
        ' "direction": "in"},'
        ' "sparql": "SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }",'
        ' "query_origin": "model",'
        ' "answers": [{"type": "uri", "value": "http://example.org/chemistry1911", "label": "Chemistry 1911",'
        ' "datatype": "", "lang": ""}, {"type": "uri", "value": "http://example.org/physics1903",'
        ' "label": "Physics 1903", "datatype": "", "lang": ""}], "answer_count": 2, "answers_complete": true,'
        ' "facts": [{"subject": null, "predicate": "http://example.org/laureate", "object": "http://example.org/marie",'
        ' "direction": "in"}], "flow": "reference", "refers_to": null, "answerable": true}],'
        ' "models": {"questions": "small", "sparql": "coder", "dialogue": "small"},'
        ' "usage": {"prompt_tokens": 1050, "completion_tokens": 130, "calls": 4, "seconds": 13.5}}'
    )
    assert lines[0] == expected.replace("RUN", run)


def pattern(*parts: str | None) -> dict[str, str | None]:
    """A triple pattern of the namespace: subject, predicate, object, direction."""
    *ends, direction = parts
    known = (part if part is None or part.isdigit() else hand_made.NS + part for part in ends)
    return dict(zip(("subject", "predicate", "object"), known, strict=True)) | {"direction": direction}


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The exported dialogue of all kinds."""
    path = tmp_path_factory.mktemp("varied") / "chattygen.db"
    with Recorder(path) as recorder:
        run = hand_made.start(recorder)
        recorder.dialogue(run, recorder.start_seed(run, ADA_SUBGRAPH), ADA_DIALOGUE)
    with Reader(path) as reader:
        assert [stored.turns for stored in reader.dialogues(run)] == [ADA_DIALOGUE.turns]
    line: dict[str, Any] = json.loads(exported(path, run))
    return line


def test_the_facts_of_each_kind(varied: dict[str, Any]) -> None:
    mentor, captain = pattern("ada", "mentor", None, "out"), pattern(None, "captain", "ada", "in")
    assert [turn["facts"] for turn in varied["turns"]] == [
        [mentor],
        [mentor, pattern(None, "birthplace", None, "out")],
        [pattern("ada", "birthplace", "bergen", "out")],
        [captain, pattern(None, "launched", "1999", "out")],
        [captain, pattern(None, "launched", None, "out")],
        [pattern("ada", "died", None, "out")],
    ]
    assert [turn["fact"] for turn in varied["turns"]] == [turn["facts"][0] for turn in varied["turns"]]
    assert [(turn["flow"], turn["refers_to"], turn["answerable"]) for turn in varied["turns"]] == [
        ("opening", None, True),
        ("follow-up", 1, True),
        ("return", None, True),
        ("reference", None, True),
        ("ellipsis", 4, True),
        ("reference", None, False),
    ]
    assert varied["turns"][2]["answers"] == [
        {"type": "boolean", "value": "false", "label": "no", "datatype": "", "lang": ""}
    ]
    assert (varied["turns"][5]["answers"], varied["turns"][5]["answer_count"]) == ([], 0)
    assert list(schema().iter_errors(varied)) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ((2, "kind"), "where"),  # only a yes-no question names the other side
        ((2, "fact", "object"), None),  # a yes-no question names what it tests
        ((2, "facts", 0, "object"), None),
        ((2, "answers"), []),
        ((2, "answers", 0, "type"), "uri"),
        ((0, "kind"), "yes-no"),
        ((1, "facts", 1, "subject"), "http://example.org/ada"),  # the second fact is not about the seed
        ((1, "facts"), []),
        ((0, "flow"), "shift"),
        ((1, "refers_to"), 0),
        ((0, "answerable"), False),  # it has an answer
        ((0, "answerable"), None),
    ],
)
def test_kinds_that_do_not_fit_the_schema(varied: dict[str, Any], path: tuple[str | int, ...], wrong: Any) -> None:
    line = json.loads(json.dumps(varied))
    at(line["turns"], path[:-1])[path[-1]] = wrong
    assert not schema().is_valid(line)


def test_rows_older_than_the_flow_are_read(tmp_path: Path) -> None:
    """They all have the default of the column, the first turn too."""
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update turn set flow = 'reference'")
    with Reader(path) as reader:
        flows = [[(turn.flow, turn.refers_to) for turn in one.turns] for one in reader.dialogues(run)]
    assert flows == [[("opening", None), ("reference", None)]] * 2


def test_no_bucket_is_null_and_a_builders_query_is_marked(run_and_lines: tuple[str, list[str]]) -> None:
    second = json.loads(run_and_lines[1][1])
    assert second["seed"]["bucket"] is None
    assert [turn["query_origin"] for turn in second["turns"]] == ["builder", "builder"]
    assert second["turns"][1]["answers"] == [
        {"type": "boolean", "value": "false", "label": "no", "datatype": "", "lang": ""}
    ]


def objects(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all JSON objects inside `value`."""
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(inner, (*path, key))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def test_every_line_fits_the_schema_and_a_missing_or_extra_field_never_does(
    run_and_lines: tuple[str, list[str]],
) -> None:
    validator = schema()
    for line in run_and_lines[1]:
        assert list(validator.iter_errors(json.loads(line))) == []
        for path in objects(json.loads(line)):
            extra = json.loads(line)
            at(extra, path)["more"] = ""
            assert not validator.is_valid(extra), f"an extra field passes in {path}"
            for key in at(json.loads(line), path).keys() - {"said"}:  # older versions did not write it
                missing = json.loads(line)
                del at(missing, path)[key]
                assert not validator.is_valid(missing), f"{key} may be missing in {path}"


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), "chattygen/dialogue/2"),
        (("seed", "bucket"), "middle"),
        (("approach",), "one-shot"),
        (("serialisation",), "short"),
        (("turns",), []),
        (("turns", 0, "kind"), "why"),
        (("turns", 0, "query_origin"), "user"),
        (("turns", 0, "fact", "direction"), "both"),
        (("turns", 0, "fact", "direction"), "in"),  # the seed would stand on the side that is asked for
        (("turns", 0, "fact", "object"), "http://example.org/known"),
        (("turns", 0, "answers", 0, "type"), "bnode"),
        (("turns", 1, "answers", 0, "lang"), "en"),  # an IRI has no language
        (("usage", "calls"), -1),
    ],
)
def test_a_wrong_value_does_not_fit_the_schema(
    run_and_lines: tuple[str, list[str]], path: tuple[str | int, ...], wrong: Any
) -> None:
    line = json.loads(run_and_lines[1][0])
    at(line, path[:-1])[path[-1]] = wrong
    assert not schema().is_valid(line)


def test_the_language_of_the_settings_is_exported(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db") as recorder:
        asked = {"dialogues": 1, "approach": "single-prompt", "serialisation": "full", "language": "de"}
        run = recorder.start_run("nobel", "f00d", 1, asked, hand_made.MODELS)
        seed = recorder.start_seed(run, Subgraph(CURIE, (BORN, PRIZES), 3))
        recorder.dialogue(run, seed, CURIE_DIALOGUE)
    line = json.loads(exported(tmp_path / "chattygen.db", run))
    assert (line["approach"], line["serialisation"], line["language"]) == ("single-prompt", "full", "de")


def test_a_dialogue_stays_one_line_and_draws_nothing(tmp_path: Path) -> None:
    nasty = "a\nb\r\u0085\u2028\u2029\x0c\x1b[31m\x9b31m\x7f é 東"
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
        seed = replace(CURIE, label=nasty)
        stored = recorder.start_seed(run, Subgraph(seed, (BORN, PRIZES), 3))
        recorder.dialogue(run, stored, replace(CURIE_DIALOGUE, seed=seed))
    text = exported(tmp_path / "chattygen.db", run)
    assert len(text.splitlines()) == 1
    assert [c for c in text[:-1] if not c.isprintable()] == []
    assert "é 東" in text
    assert json.loads(text)["seed"]["label"] == nasty


text = st.text(max_size=12)
name = st.text(min_size=1, max_size=12)
origin = st.sampled_from(["model", "builder"])
literal = st.builds(Literal, text, text, text)
value = st.builds(Value, st.builds(Iri, name) | literal, text, text)
fact = st.builds(
    Fact,
    name,
    text,
    st.sampled_from(["out", "in"]),
    st.lists(value, max_size=2).map(tuple),
    st.integers(0, 10**12),
    st.sampled_from(["entity", "date", "year", "number", "boolean", "text"]),
    text,
)
beyond = st.builds(Beyond, st.sampled_from(["hop", "most", "least"]), fact, fact) | st.builds(
    Beyond, st.just("condition"), st.builds(replace, fact, values=st.tuples(value)), fact
)
facts = st.lists(
    fact,
    min_size=1,
    max_size=4,
    unique_by=lambda fact: (fact.predicate, fact.direction),
).map(tuple)
answer = st.builds(Answer, st.just("literal"), text, text, text, text) | st.builds(Answer, st.just("uri"), text, text)
truth = st.builds(Answer, st.just("boolean"), text, text)
kind = st.sampled_from([kind for kind in get_args(QuestionKind) if kind != "yes-no"])
flow = st.sampled_from([flow for flow in get_args(Flow) if flow != "opening"])
usage = st.builds(
    Usage, st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 2**40), st.floats(0, 1e9, allow_nan=False)
)
seed = st.builds(
    Seed,
    name,
    text,
    name,
    text,
    st.sampled_from(["person", "group", "place", "thing"]),
    st.sampled_from(["head", "torso", "tail", None]),
)


@st.composite
def dialogues(draw: st.DrawFn) -> tuple[Subgraph, Dialogue]:
    subgraph = draw(st.builds(Subgraph, seed, facts, st.integers(0, 10**6)))
    about = draw(st.lists(st.sampled_from(subgraph.facts), min_size=1, max_size=4))
    turns = tuple(draw(turn(n, fact)) for n, fact in enumerate(about, 1))
    return subgraph, Dialogue(subgraph.seed, turns, draw(usage))


@st.composite
def turn(draw: st.DrawFn, n: int, about: Fact) -> Turn:
    """A turn about a fact; one with a count of 0 has no answer."""
    form = draw(st.sampled_from(["select", "count", "ask"] if about.count else ["select", "count"]))
    question = st.builds(Question, st.just(about), text, text, kind, origin, beyond=st.none() | beyond)
    answers = st.lists(answer, max_size=3 if about.count else 0).map(tuple)
    asked = replace(draw(question), form="count" if form == "count" else "value")
    if form == "ask":
        asked, answers = replace(asked, kind="yes-no", form="yes-no", tested=draw(value), beyond=None), st.tuples(truth)
    query = draw(st.builds(Query, text, st.just(form), origin, answers, st.booleans()))
    earlier = draw(st.none() | st.integers(1, n - 1)) if n > 1 else None
    return Turn(n, draw(text), draw(origin), asked, query, draw(flow) if n > 1 else "opening", earlier)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with Recorder(tmp_path_factory.mktemp("shared") / "chattygen.db") as recorder:
        yield recorder


# Every example is written to the disk: shrinking a failing one would take minutes.
@settings(max_examples=40, deadline=None, phases=[phase for phase in Phase if phase is not Phase.shrink])
@given(made=st.lists(dialogues(), min_size=1, max_size=2, unique_by=lambda one: one[0].seed.iri))
def test_what_was_recorded_is_what_is_read_and_exported(
    shared: Recorder, made: list[tuple[Subgraph, Dialogue]]
) -> None:
    run = hand_made.start(shared)
    for subgraph, dialogue in made:
        shared.dialogue(run, shared.start_seed(run, subgraph), dialogue)
    with Reader(shared.path) as reader:
        read = [Dialogue(stored.seed, stored.turns, stored.usage) for stored in reader.dialogues(run)]
    lines = exported(shared.path, run).splitlines()

    assert read == [dialogue for _, dialogue in made]
    validator = schema()
    for line, (_, dialogue) in zip(map(json.loads, lines), made, strict=True):
        assert list(validator.iter_errors(line)) == []
        assert (line["seed"]["iri"], line["seed"]["label"]) == (dialogue.seed.iri, dialogue.seed.label)
        assert (line["seed"]["type"], line["seed"]["type_label"]) == (dialogue.seed.node_type, dialogue.seed.type_label)
        assert line["seed"]["bucket"] == dialogue.seed.bucket
        assert line["usage"] == vars(dialogue.usage)
        for said, turn in zip(line["turns"], dialogue.turns, strict=True):
            assert (said["n"], said["utterance"]) == (turn.n, turn.utterance)
            assert (said["standalone"], said["kind"]) == (turn.question.text, turn.question.kind)
            assert (said["sparql"], said["query_origin"]) == (turn.query.sparql, turn.query.origin)
            assert said["answers"] == [vars(one) for one in turn.query.answers]
            assert said["answer_count"] == len(turn.query.answers)
            assert said["answers_complete"] is turn.query.complete
            assert said["fact"]["predicate"] == turn.question.fact.predicate
            known, asked = ("subject", "object") if turn.question.fact.direction == "out" else ("object", "subject")
            tested = turn.question.tested.term.value if turn.question.tested else None
            assert (said["fact"][known], said["fact"][asked]) == (dialogue.seed.iri, tested)
            assert said["facts"][0] == said["fact"]
            second = [turn.question.beyond.fact.predicate] if turn.question.beyond else []
            assert [one["predicate"] for one in said["facts"][1:]] == second
            assert (said["flow"], said["refers_to"]) == (turn.flow, turn.refers_to)
            assert said["answerable"] is (turn.question.fact.count > 0)
