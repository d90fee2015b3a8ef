"""Evaluations on disk: begun once, gone on with, killed, read back."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from chattygen.errors import UsageError
from chattygen.results import schema
from chattygen.results.database import open_to_write
from chattygen.results.evaluations import EvaluationRecorder, Given, StoredReply
from chattygen.results.reader import Reader
from tests.results import hand_made

FEW = {"prompt": "few-shot", "history": "gold"}
SENT = (("system", "Be brief."), ("user", "When was Marie Curie born?"))


def given(text: str) -> Given:
    return Given(SENT, text, "", "stop", 30, 4, 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chattygen.db"


@pytest.fixture
def run(path: Path) -> str:
    return hand_made.record(path)


def test_replies_are_read_back_in_the_order_of_the_dialogues(path: Path, run: str) -> None:
    with EvaluationRecorder(path, clock=hand_made.Clock()) as recorder:
        evaluation = recorder.begin(run, "bot", "r1", FEW)
        came = ((2, 1, 1, "41"), (1, 2, 1, "two"), (1, 1, 2, "1867"), (1, 1, 1, "1867 \ud800"))
        for dialogue, turn, repeat, text in came:
            recorder.reply(evaluation, (f"{run}-{dialogue}", turn, repeat), given(text))
        assert recorder.replied(evaluation) == {
            (f"{run}-2", 1, 1): "41",
            (f"{run}-1", 2, 1): "two",
            (f"{run}-1", 1, 2): "1867",
            (f"{run}-1", 1, 1): "1867 \N{REPLACEMENT CHARACTER}",
        }
        recorder.finish(evaluation, "done")
    with Reader(path) as reader:
        assert reader.replies(evaluation) == (
            StoredReply(4, f"{run}-1", 1, 1, "1867 \N{REPLACEMENT CHARACTER}", "", "", None),
            StoredReply(2, f"{run}-1", 2, 1, "two", "", "", None),
            StoredReply(1, f"{run}-2", 1, 1, "41", "", "", None),
            StoredReply(3, f"{run}-1", 1, 2, "1867", "", "", None),
        )
        [found] = reader.evaluations(run)
    assert found.id == f"{run}-e1"
    assert (found.system, found.revision, found.settings, found.status) == ("bot", "r1", FEW, "done")
    assert (found.dialogues, found.turns, found.repeats, found.judged) == (2, 3, 2, 0)
    assert (found.prompt_tokens, found.completion_tokens, found.seconds) == (120, 16, 2.0)


def test_the_same_run_system_and_settings_are_one_evaluation(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder:

        def begin(system: str, revision: str, settings: dict[str, str]) -> str:
            evaluation = recorder.begin(run, system, revision, settings)
            recorder.finish(evaluation, "done")
            return evaluation.removeprefix(run)

        assert begin("bot", "r1", FEW) == "-e1"
        assert begin("bot", "r1", dict(reversed(FEW.items()))) == "-e1"
        assert begin("bot", "r2", FEW) == "-e2"
        assert begin("bot", "r1", FEW | {"history": "own"}) == "-e3"
        assert begin("robot", "r1", FEW) == "-e4"
        assert begin("bot", "r1", FEW) == "-e1"


def test_a_failed_call_is_stored_and_is_no_reply(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder:
        evaluation = recorder.begin(run, "bot", "r1", FEW)
        key = (f"{run}-1", 1, 1)
        recorder.reply(evaluation, key, Given(SENT, error="no connection"))
        recorder.reply(evaluation, key, Given(SENT, error="no connection"))
        assert recorder.replied(evaluation) == {}
        recorder.reply(evaluation, key, given("1867"))
        with pytest.raises(sqlite3.IntegrityError):  # a second reply to the same turn would be counted twice
            recorder.reply(evaluation, key, given("1868"))
        recorder.finish(evaluation, "failed", "no connection")
    with Reader(path) as reader:
        assert [reply.reply for reply in reader.replies(evaluation)] == ["1867"]
        [found] = reader.evaluations(run)
        assert (found.status, found.reason, found.turns, found.prompt_tokens) == ("failed", "no connection", 1, 30)


def test_two_processes_do_not_work_on_one_evaluation(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder, EvaluationRecorder(path) as other:
        evaluation = recorder.begin(run, "bot", "r1", FEW)
        with Reader(path) as reader:
            assert [one.status for one in reader.evaluations(run)] == ["running"]
        with pytest.raises(UsageError, match="is being worked on by another process"):
            other.begin(run, "bot", "r1", FEW)
        assert other.begin(run, "bot", "r2", FEW) != evaluation


KILLED = """
import os, signal, sys
from pathlib import Path
from chattygen.results.evaluations import EvaluationRecorder, Given
recorder = EvaluationRecorder(Path(sys.argv[1]))
evaluation = recorder.begin(sys.argv[2], "bot", "r1", {})
recorder.reply(evaluation, (sys.argv[2] + "-1", 1, 1), Given((), "1867", "", "stop"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_one_whose_process_was_killed_is_interrupted_and_goes_on(path: Path, run: str) -> None:
    command = [sys.executable, "-c", KILLED, str(path), run]
    assert subprocess.run(command, env=os.environ, timeout=60, check=False).returncode == -9
    with Reader(path) as reader:
        [found] = reader.evaluations(run)
        assert (found.status, found.turns) == ("interrupted", 1)
    with EvaluationRecorder(path) as recorder:
        evaluation = recorder.begin(run, "bot", "r1", {})
        assert evaluation == found.id
        assert recorder.replied(evaluation) == {(f"{run}-1", 1, 1): "1867"}


def test_the_latest_judge_is_heard_and_its_first_word_stands(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder:
        evaluation = recorder.begin(run, "bot", "r1", FEW)
        for turn in (1, 2):
            recorder.reply(evaluation, (f"{run}-1", turn, 1), given("x"))
        recorder.verdict(1, "judy", "j1", True)
        recorder.verdict(2, "judy", "j1", None)
        recorder.verdict(1, "judy", "j1", False)
    with Reader(path) as reader:
        said = [(reply.judge, reply.revision, reply.correct) for reply in reader.replies(evaluation)]
        assert said == [("judy", "j1", True), ("judy", "j1", None)]
        assert [one.judged for one in reader.evaluations(run)] == [2]
    with EvaluationRecorder(path) as recorder:
        recorder.verdict(1, "judy", "j2", False)
    with Reader(path) as reader:
        assert [reply.correct for reply in reader.replies(evaluation)] == [False, None]
        assert [one.judged for one in reader.evaluations(run)] == [2]


def test_what_scores_need_of_the_graph(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder:
        for _ in range(2):
            recorder.about_graph(run, {"u:b": ("Bo", "Bob"), "u:a": ("Ada",)}, {"p:x": (3, "tail"), "p:y": (9, "head")})
    with Reader(path) as reader:
        assert reader.other_names(run) == {"u:a": ("Ada",), "u:b": ("Bo", "Bob")}
        assert list(reader.predicate_counts(run).items()) == [("p:y", (9, "head")), ("p:x", (3, "tail"))]
        assert reader.other_names("another") == {}
        assert reader.evaluations("another") == ()


def test_calls_of_judges_outlive_the_migration(path: Path) -> None:
    """The table lists no stages any more, so it is made anew."""
    db = open_to_write(path, 1.0)
    columns = [column.name for column in db.table("judge_call").columns]
    db.executescript(
        "drop table reply_verdict; drop table reply; drop table evaluation; drop table other_name;"
        "drop table predicate_count; drop table judge_call;" + schema.JUDGING.split("-- What people and models say")[0]
    )
    db.execute("delete from _sqlite_migrations where name = 'evaluations'")
    numbers = ("max_tokens", "prompt_tokens", "completion_tokens", "cached_tokens", "sampling_seed")
    row = dict.fromkeys(columns, "") | dict.fromkeys(numbers, 0) | {"temperature": 0.0, "seconds": 1.5}
    row |= {"id": 7, "stage": "audit", "finish": "stop", "turn": 3}
    db.table("judge_call").insert(row)
    db.close()
    again = open_to_write(path, 1.0)
    assert again.execute("select id, stage, turn, seconds from judge_call").fetchall() == [(7, "audit", 3, 1.5)]
    again.table("judge_call").insert(row | {"id": 8, "stage": "mark"})
    assert [index.name for index in again.table("judge_call").indexes] == ["judge_call_request"]
    again.close()
