"""How an asker of a run waits, and what a failed call says about a draft."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from chattygen.config import RunSettings
from chattygen.domain import Attempt, Call, Finding, Seed, Subgraph, Usage
from chattygen.generation.stages import QUESTIONS
from chattygen.models.scripted import ScriptedModel
from chattygen.results.recorder import Recorder
from chattygen.work import Draft, Stopped, Tools, asker

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
