"""How an asker of a run waits, and what a failed call says about a draft."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from chattygen.config import RunSettings
from chattygen.domain import Attempt, Call, Finding, Seed, Subgraph, Usage
from chattygen.generation.stages import QUESTIONS
from chattygen.models.scripted import Rule, ScriptedModel
from chattygen.results.recorder import Recorder
from chattygen.work import WORK, Draft, Stopped, Tools, asker
from tests.generation.hand_made import BORN, QUERY, RANK, SHIPS, Alike, around, question

GRAPH = Subgraph(Seed("http://e.org/ada", "Ada Berg", "http://e.org/Captain", "captain"), (), 0)
ROLES = {"questions": "s", "sparql": "s", "dialogue": "s"}


def tools(recorder: Recorder, stop: Event) -> Tools:
    run = recorder.start_run("sea", "f00d", 1, {}, ROLES)
    unused: Any = None
    models = {"questions": ScriptedModel("s", ())}
    return Tools(run, unused, unused, unused, RunSettings("sea"), models, unused, recorder, stop)


def test_a_stop_ends_a_wait_for_a_busy_server(tmp_path: Path) -> None:
    stop = Event()
    with Recorder(tmp_path / "r.db") as recorder:
        asking = asker(tools(recorder, stop), QUESTIONS)
        asking.wait(0.01)
        timer = Timer(0.1, stop.set)
        timer.start()
        begun = time.monotonic()
        with pytest.raises(Stopped):
            asking.wait(60)
        timer.join()
    assert time.monotonic() - begun < 5


def test_a_failed_call_is_stored_but_says_nothing_about_the_draft(tmp_path: Path) -> None:
    failed = Call("questions", "questions", "s", "", 1, "ab", (("user", "Ask."),), "", 56, 0.0, 1, error="status 500")
    said = Call(
        "questions", "questions", "s", "", 1, "ab", (("user", "Ask."),), "", 56, 0.0, 1, "hm", "", "stop", 20, 3
    )
    with Recorder(tmp_path / "r.db") as recorder:
        all_tools = tools(recorder, Event())
        draft = Draft(recorder.start_seed(all_tools.id, GRAPH), GRAPH)
        record = asker(all_tools, QUESTIONS, draft).record
        record(Attempt("questions", 1, 0, failed, (Finding("P4", "the call failed", "status 500"),)))
        record(Attempt("questions", 1, 0, failed, (Finding("P4", "the call failed", "status 500"),)))
        record(Attempt("questions", 1, 0, said, (Finding("P1", "one line"),)))
        stored = recorder._db.execute("select finish, error from call order by id").fetchall()
        rules = recorder._db.execute("select rule from finding order by id").fetchall()
    assert stored == [("error", "status 500"), ("error", "status 500"), ("stop", "")]
    assert rules == [("P4",), ("P4",), ("P1",)]
    assert (draft.rules, draft.usage) == (["P1"], Usage(20, 3, 1, 0.0))


BOAT = question("Did the boat Ada Berg have X as its captain?", SHIPS)
"""A question of which no turn can be made: the name of the boat is that of the captain, which no later turn may say."""


@pytest.mark.parametrize(("fewest", "lives"), [(2, True), (3, False)])
def test_a_question_that_no_turn_can_ask_is_left_out(tmp_path: Path, fewest: int, lives: bool) -> None:
    stage, work = WORK["multi-stage"][2]
    asked = (question("When was X born?", BORN), BOAT, question("What is the rank of X?", RANK))
    with Recorder(tmp_path / "r.db") as recorder:
        silent = {stage.role: ScriptedModel("s", [Rule("", times=0)])}
        run = RunSettings("sea", min_questions=fewest)
        all_tools = replace(tools(recorder, Event()), run=run, models=silent, embedder=Alike())
        subgraph = around(BORN, RANK, SHIPS)
        draft = Draft(recorder.start_seed(all_tools.id, subgraph), subgraph, questions=asked, queries=(QUERY,) * 3)
        assert work(all_tools, draft) is lives
        repairs = recorder._db.execute("select stage, item, rule, how from repair").fetchall()
    assert [turn.utterance for turn in draft.turns] == ["When was Ada Berg born?", "What is their rank?"]
    assert draft.rules[-1] == "D3"
    assert repairs == [("dialogue", 1, "P3", "lost"), ("dialogue", 2, "P3", "builder")]
