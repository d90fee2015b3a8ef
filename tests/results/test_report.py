"""The report: values worked out by hand, and sums that equal the rows."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.domain import Attempt, Subgraph, Usage
from chattygen.results.reader import Measures, Reader, StoredRun
from chattygen.results.recorder import Recorder
from chattygen.results.report import Report, Stage, Written, make_report
from tests.results import hand_made
from tests.results.hand_made import BORN, CURIE


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "chattygen.db"
    hand_made.record(path)
    return path


@pytest.fixture(scope="module")
def made(database: Path) -> Report:
    with Reader(database) as reader:
        return make_report(reader.measures(reader.run("latest").id))


def test_success(made: Report) -> None:
    assert (made.wanted, made.dialogues, made.visited, made.given_up, made.unfinished) == (3, 2, 4, 1, 1)
    assert made.success_rate == 0.5
    assert (made.status, made.reason) == ("interrupted", "stopped by the user")


def test_errors(made: Report) -> None:
    assert made.errors_by_rule == {"Q5": 1, "P2": 1, "P4": 1, "Q8": 1, "S5": 1, "S6": 1, "D3": 1}
    assert made.errors_by_kind == {"question": 2, "query": 2, "dialogue": 1}
    assert made.given_up_by_rule == {"Q8": 1}
    assert made.parse_errors == 2


def test_stages(made: Report) -> None:
    assert made.stages == (
        Stage("label", Usage(100, 5, 1, 1.0), errors=0, parse_errors=0),
        # 400 + 200 + 400 + 0 + 410 + 400; the failed call counts as a call
        Stage("questions", Usage(1810, 194, 6, 19.0), errors=2, parse_errors=2),
        # the finding about the builder's query has no call
        Stage("queries", Usage(600, 120, 2, 12.0), errors=2, parse_errors=0),
        Stage("dialogue", Usage(300, 40, 2, 4.0), errors=1, parse_errors=0),
    )


def test_cost(made: Report) -> None:
    assert made.usage == Usage(2810, 359, 11, 36.0)
    assert made.models == {"small": Usage(2210, 239, 9, 24.0), "coder": Usage(600, 120, 2, 12.0)}
    assert made.tokens_per_dialogue == 1584.5  # 3169 / 2
    assert made.seconds_per_dialogue == 18.0
    assert made.minutes == 2.0
    assert made.waiting == 0.3  # 36 s of 120 s


def test_who_wrote_what(made: Report) -> None:
    assert (made.questions, made.queries, made.turns) == (Written(3, 4), Written(2, 4), Written(3, 4))


def test_sums_equal_the_rows(made: Report, database: Path) -> None:
    connection = sqlite3.connect(database)
    call = "select sum(prompt_tokens), sum(completion_tokens), count(*), sum(seconds) from call"
    (spent,) = connection.execute(call).fetchall()
    (findings,) = connection.execute("select count(*) from finding").fetchone()
    connection.close()
    for parts in ([stage.usage for stage in made.stages], made.models.values(), [made.usage]):
        assert sum(parts, Usage()) == Usage(*spent)
    assert sum(stage.errors + stage.parse_errors for stage in made.stages) == findings
    assert sum(made.errors_by_rule.values()) == findings
    assert made.dialogues + made.given_up + made.unfinished == made.visited


def test_a_run_that_did_nothing_has_no_rates(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder)
        recorder.finish_run(run, "failed", "no seed")
    with Reader(tmp_path / "chattygen.db") as reader:
        made = make_report(reader.measures(run))
    assert (made.success_rate, made.tokens_per_dialogue, made.seconds_per_dialogue, made.waiting) == (None,) * 4
    assert (made.minutes, made.stages, made.errors_by_rule, made.turns) == (0.0, (), {}, Written(0, 0))


def test_what_was_reused_was_not_spent(tmp_path: Path) -> None:
    clock = hand_made.Clock()
    made = hand_made.attempt("questions", 1, 400, 40, 6.0)
    assert made.call is not None
    again = Attempt("questions", 1, 2, replace(made.call, reused=True), ())
    with Recorder(tmp_path / "chattygen.db", clock=clock) as recorder:
        run = hand_made.start(recorder)
        recorder.attempt(run, None, made)
        recorder.attempt(run, None, again)
        clock.advance(12)
        recorder.finish_run(run, "short", "")
    with Reader(tmp_path / "chattygen.db") as reader:
        made_of = make_report(reader.measures(run))
    assert made_of.usage == Usage(800, 80, 2, 12.0)
    assert made_of.reused == Usage(400, 40, 1, 6.0)
    assert made_of.stages == (Stage("questions", Usage(800, 80, 2, 12.0), 0, 0),)
    assert made_of.waiting == 0.5, "6 s of 12 s"


def test_the_errors_of_another_run_are_not_counted(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db") as recorder:
        first, second = hand_made.start(recorder), hand_made.start(recorder)
        for run in (first, first, second):
            seed = recorder.start_seed(run, Subgraph(CURIE, (BORN,), 1))
            recorder.attempt(run, seed, hand_made.attempt("questions", 1, 7, 1, 1.0, hand_made.finding("Q1")))
            recorder.give_up(seed, "Q1", "")
    with Reader(tmp_path / "chattygen.db") as reader:
        made = make_report(reader.measures(second))
    assert (made.visited, made.errors_by_rule, made.given_up_by_rule) == (1, {"Q1": 1}, {"Q1": 1})
    assert made.usage == Usage(7, 1, 1, 1.0)


def test_rules_are_listed_by_how_often_they_failed() -> None:
    settings = {"dialogues": 1, "approach": "multi-stage", "serialisation": "full"}
    at = "2026-11-30T10:00:00.000Z"
    run = StoredRun(
        id="r",
        kg="k",
        kg_fingerprint="f",
        kg_triples=1,
        kg_source={},
        settings=settings,
        models={},
        repeatable=True,
        started=at,
        last=at,
        seconds=0.0,
        status="running",
        reason="",
        chattygen_version="1",
        dialogues=0,
        visited=1,
    )
    found = {("queries", "S5"): 1, ("dialogue", "D3"): 2}
    nothing = {"question": 0, "query": 0, "turn": 0}
    made = make_report(Measures(run, {("visited", ""): 1}, {}, found, 0, nothing))
    assert list(made.errors_by_rule.items()) == [("D3", 2), ("S5", 1)]
    assert made.success_rate == 0.0
    assert made.stages == (Stage("queries", Usage(), 1, 0), Stage("dialogue", Usage(), 2, 0))
