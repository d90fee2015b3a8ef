"""doctor: what it finds at fault, and whom it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from chattygen import doctor
from chattygen.config import Home
from chattygen.doctor import Line, examine, sweep
from chattygen.kg.folders import STORE
from chattygen.kg.load import load
from chattygen.models import processes, server
from chattygen.models.server import Running
from tests.cli.test_models import chattygen
from tests.conftest import REPOSITORY
from tests.models.test_server import gone, launch, quiet, start
from tests.virtuoso import needs_virtuoso, servers

LAKES = REPOSITORY / "tests" / "data" / "lakes.ttl"
SWEEP = "run: chattygen doctor --sweep"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "empty")
    yield home
    for process in processes.marked(home.path):
        process.kill()


def lines(home: Home, *checks: str) -> list[Line]:
    """What is said of these checks."""
    return [line for line in examine(home) if line.check in checks]


def test_an_empty_home_is_in_order(empty: Home) -> None:
    seen = {line["check"]: line for line in json.loads(chattygen("doctor", "--json", home=empty).stdout)}
    assert seen["processor"]["seen"].endswith(f"{os.cpu_count()} threads")
    assert seen["home"]["seen"] == f"{empty.path} (not there yet)"
    assert (seen["database"]["seen"], seen["listening"]["seen"]) == ("no run yet", "nothing")
    assert seen["models"] == {
        "check": "models",
        "state": "warning",
        "seen": "all-minilm-l6-v2, for verify: no weights here",
        "do": "run: chattygen pull-model all-minilm-l6-v2",
    }
    assert not empty.path.exists(), "looking changes nothing"
    drawn = chattygen("doctor", "--sweep", home=empty)
    assert "no run yet" in drawn.stdout
    assert drawn.stderr == "nothing to sweep\n"


def test_each_fault_is_a_line_and_the_exit_code_is_1(empty: Home) -> None:
    load(empty, "lakes", [LAKES])
    load(empty, "damaged", [LAKES])
    (empty.kgs / "damaged" / "kg.json").write_text("{")
    (empty.kgs / "left").mkdir()
    empty.database.write_text("no database")
    (empty.path / "models.toml").write_text(
        '[models.e]\nbackend = "endpoint"\nendpoint = "http://gpu.example.org/v1"\n'
        '[models.v]\nbackend = "embedding"\nfiles = [{ name = "v" }]\n[roles.cpu]\nverify = "v"\n'
        + "".join(f'{role} = "e"\n' for role in ("label", "questions", "sparql", "dialogue", "judge"))
    )
    result = chattygen("doctor", "--json", home=empty, code=1)
    assert result.stderr == "chattygen: 3 faults\n  do what the lines say, and run it again\n"
    states = [(line["check"], line["state"]) for line in json.loads(result.stdout)]
    assert [state for check, state in states if check == "database"] == ["fault"]
    assert [state for check, state in states if check == "models"] == ["fault", "warning"]
    assert [state for check, state in states if check == "graphs"] == ["fault", "ok", "warning"]
    assert lines(empty, "graphs")[1].seen == "lakes, 101 triples, oxigraph"
    assert "FAULT" in chattygen("doctor", home=empty, code=1).stdout


def test_what_runs_is_shown_and_not_swept(empty: Home) -> None:
    running = start(launch(), empty)
    (shown,) = lines(empty, "servers")
    assert shown.state == "ok"
    assert shown.seen.startswith(f"m at http://127.0.0.1:{running.port}/v1, process {running.pid}, by test, 0.0 GB")
    assert lines(empty, "listening") == [
        Line("listening", "ok", f"127.0.0.1 port {running.port}, process {running.pid}")
    ]
    assert sweep(empty) == []
    assert running.alive

    record = empty.run / "m.json"
    record.chmod(0o644)
    assert lines(empty, "home")[1].seen == f"{record} holds a key and others can read it"


def test_a_server_that_hangs_is_shown(empty: Home) -> None:
    running = start(launch(deadline=8.0), empty)
    os.kill(running.pid, signal.SIGSTOP)
    assert lines(empty, "servers")[0].seen.endswith("still loading")
    time.sleep(max(0.0, running.started + 8 - time.time()))
    (shown,) = lines(empty, "servers")
    assert (shown.state, shown.do) == ("warning", "run: chattygen stop-models m")


def test_a_socket_that_others_can_reach_is_a_fault(empty: Home) -> None:
    wanted = launch("open")
    # Without the watch over all other processes of these tests, which must not do that.
    unwatched = {name: value for name, value in wanted.environment.items() if name != "PYTHONPATH"}
    running = start(replace(wanted, environment=unwatched), empty)
    seen = f"0.0.0.0 port {running.port}, process {running.pid}: other machines can reach it"
    assert lines(empty, "listening") == [Line("listening", "fault", seen, f"run: kill {running.pid}")]


STARTER = """
import os, signal, sys
from pathlib import Path
from chattygen.config import Home
from chattygen.models import server
from tests.models.test_server import launch, quiet
running = server.start(launch("parent"), Home(Path(sys.argv[1])), quiet, guarded=True, started_by="generate")
os.kill(running.pid, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_orphan_is_found_and_swept(empty: Home) -> None:
    """Its guard was killed, and then the chattygen that it belonged to."""
    subprocess.run(
        [sys.executable, "-c", STARTER, str(empty.path)],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        check=False,
    )
    left = [process.pid for process in processes.marked(empty.path)]
    assert len(left) == 2, "the server and its child"
    (shown,) = lines(empty, "servers")
    assert (shown.state, shown.do) == ("fault", SWEEP)
    assert shown.seen.endswith("by generate: nobody uses it any more")
    swept = chattygen("doctor", "--sweep", home=empty)
    assert swept.stderr.startswith("ended the server of m (process ")
    assert gone(left, 1)
    assert lines(empty, "servers") == []
    assert list(empty.run.glob("*.json")) == []


def test_a_server_without_a_record_is_found_by_its_mark(empty: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Home(empty.path.with_name("other"))
    lost, kept = start(launch(), empty), start(launch(), other)
    try:
        (empty.run / "m.json").unlink()
        monkeypatch.setattr(doctor, "NEWBORN", 60.0)
        assert lines(empty, "servers") == [], "it may have been started just now"
        monkeypatch.setattr(doctor, "NEWBORN", 0.0)
        seen = f"process {lost.pid} is a server of this home without a record"
        assert lines(empty, "servers") == [Line("servers", "fault", seen, SWEEP)]
        assert sweep(empty) == [f"process {lost.pid}, a server without a record"]
        assert gone([lost.pid], 1)
        assert kept.alive
    finally:
        server.stop(kept, other)


def test_a_foreign_process_with_the_id_of_a_dead_server_is_left_alone(empty: Home) -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as foreign:
        try:
            born = psutil.Process(foreign.pid).create_time()
            empty.run.mkdir(parents=True)
            record = empty.run / "m.json"
            record.write_text(json.dumps(vars(Running("m", foreign.pid, born - 3600, 1, "k", "log", "generate"))))
            record.chmod(0o600)
            assert chattygen("doctor", "--sweep", home=empty).stderr == "nothing to sweep\n"
            assert foreign.poll() is None
            assert not record.exists()
        finally:
            foreign.kill()


USER = """
import sys, time
from pathlib import Path
from chattygen.kg.virtuoso import open_graph
with open_graph(Path(sys.argv[1]), "lakes", "f") as graph:
    print(graph.server.pid, flush=True)
    time.sleep(60)
"""


def test_the_virtuoso_of_a_graph_is_shown_and_swept_when_it_is_an_orphan(empty: Home) -> None:
    needs_virtuoso()
    load(empty, "lakes", [LAKES], store="virtuoso")
    store = empty.kgs / "lakes" / STORE
    assert lines(empty, "servers") == []
    with subprocess.Popen([sys.executable, "-c", USER, str(store)], stdout=subprocess.PIPE) as user:
        assert user.stdout
        guard = int(user.stdout.readline())
        assert lines(empty, "graphs", "servers") == [
            Line("graphs", "ok", "lakes, 101 triples, virtuoso"),
            Line("servers", "ok", f"Virtuoso of {store}, process {guard}"),
        ]
        addresses = {line.seen.split()[0] for line in lines(empty, "listening")}
        assert addresses == {"127.0.0.1"}
        assert sweep(empty) == []
        os.kill(guard, signal.SIGKILL)
        user.kill()
    [left] = servers(store)
    seen = f"Virtuoso of {store}, process {guard}: nobody uses it any more"
    assert lines(empty, "servers") == [Line("servers", "fault", seen, SWEEP)]
    assert sweep(empty) == [f"the Virtuoso of {store} (process {left.pid})"]
    assert gone([left.pid], 1)
    assert lines(empty, "servers") == []


def test_a_server_that_is_loading_is_no_fault(empty: Home) -> None:
    with pytest.raises(KeyboardInterrupt):
        server.start(launch("silent"), empty, interrupt_after(empty), guarded=True, started_by="generate")
    assert lines(empty, "servers") == []


def interrupt_after(home: Home) -> server.Waiting:
    """Looks at the server while it starts, and then stops the start."""

    def waiting(seconds: float, words: str) -> None:
        (shown,) = lines(home, "servers")
        assert (shown.state, shown.seen.rpartition(": ")[2]) == ("ok", "still loading")
        quiet(seconds, words)
        raise KeyboardInterrupt

    return waiting
