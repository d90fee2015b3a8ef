"""Starting, watching and stopping server processes, with real processes."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.errors import ServerError
from chattygen.models import processes, server
from chattygen.models.server import Launch, Running
from chattygen.privacy import child_environment
from tests.models.fake_server import serving

PRETEND = str(Path(__file__).with_name("pretend.py"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    yield home
    for left in server.running(home):
        server.stop(left, home)


def launch(manner: str = "", *, deadline: float = 20.0, model: str = "m", port: int | None = None) -> Launch:
    port, key = port or server.choose_port(), server.new_key()
    command = (sys.executable, PRETEND, str(port), manner)
    return Launch(model, command, child_environment(PRETEND_KEY=key), port, key, deadline)


def quiet(elapsed: float, words: str) -> None:
    return


def start(wanted: Launch, home: Home, *, guarded: bool = False) -> Running:
    return server.start(wanted, home, quiet, guarded=guarded, started_by="test")


def group(running: Running) -> list[int]:
    """The processes of a server's group."""
    return [pid for pid in psutil.pids() if runs(pid) and os.getpgid(pid) == running.pid]


def runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def gone(pids: list[int], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not any(runs(pid) for pid in pids)


@pytest.mark.parametrize("guarded", [False, True])
def test_a_server_is_waited_for_recorded_and_stopped(home: Home, guarded: bool) -> None:
    said: list[str] = []
    wanted = launch()
    running = server.start(wanted, home, lambda elapsed, words: said.append(words), guarded=guarded, started_by="test")
    assert running.url == f"http://127.0.0.1:{wanted.port}/v1"
    assert said[-1].startswith("m is ready after ")
    assert server.running(home) == [running]
    assert running.memory > 1_000_000
    record = home.run / "m.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert json.loads(record.read_text())["key"] == wanted.key
    pids = group(running)
    assert len(pids) == (2 if guarded else 1)
    assert all(wanted.key not in " ".join(psutil.Process(pid).cmdline()) for pid in pids)
    assert os.getpgid(os.getpid()) != running.pid

    server.stop(running, home)
    assert gone(pids, 1)
    assert not running.alive
    assert server.running(home) == []
    assert not record.exists()


def test_it_listens_on_loopback_only(home: Home) -> None:
    running = start(launch(), home)
    listening = [c.laddr for c in psutil.Process(running.pid).net_connections("inet") if c.status == "LISTEN"]
    assert [(address.ip, address.port) for address in listening] == [("127.0.0.1", running.port)]


def test_a_server_that_dies_explains_itself(home: Home) -> None:
    wanted = launch("dies")
    with pytest.raises(ServerError) as caught:
        start(wanted, home)
    assert caught.value.message == "the server of m ended while starting, exit code 3"
    assert caught.value.hint == f"not enough memory for this model; the log is {home.logs / 'm.log'}"
    command, *lines = caught.value.__notes__
    assert command == f"command: {sys.executable} {PRETEND} {wanted.port} dies"
    assert lines == [*(f"line {n}" for n in range(7, 21)), "RuntimeError: out of memory"]
    assert server.running(home) == []


def test_a_guarded_server_that_dies_passes_its_exit_code_on(home: Home) -> None:
    with pytest.raises(ServerError, match="exit code 3"):
        start(launch("dies"), home, guarded=True)


def test_a_server_that_never_answers_is_stopped_at_its_deadline(home: Home) -> None:
    with pytest.raises(ServerError, match="did not answer within 1 s"):
        start(launch("silent", deadline=1.0), home)
    assert server.running(home) == []


def test_a_command_that_does_not_exist_is_an_error(home: Home) -> None:
    with pytest.raises(ServerError, match="cannot start /no/such/program: No such file"):
        start(replace(launch(), command=("/no/such/program",)), home)


def test_a_guarded_command_that_does_not_exist_is_an_error(home: Home) -> None:
    with pytest.raises(ServerError) as caught:
        start(replace(launch(), command=("/no/such/program",)), home, guarded=True)
    assert caught.value.message == "the server of m ended while starting, exit code 127"
    assert caught.value.hint.startswith("the program is not there")
    assert caught.value.__notes__[0] == "command: /no/such/program"
    assert caught.value.__notes__[-1] == "/no/such/program: No such file or directory"


@pytest.mark.parametrize("guarded", [False, True])
def test_another_program_that_took_the_port_is_not_taken_for_the_server(home: Home, guarded: bool) -> None:
    with serving(lambda request: (200, b"{}", {})) as other:
        wanted = launch(port=int(other.url.rpartition(":")[2]))
        with pytest.raises(ServerError) as caught:
            start(wanted, home, guarded=guarded)
    assert caught.value.hint.startswith("another program took the port")


def test_the_log_before_is_kept(home: Home) -> None:
    with pytest.raises(ServerError):
        start(launch("dies"), home)
    running = start(launch(), home)
    assert Path(running.log).read_text() == ""
    assert Path(f"{running.log}.1").read_text().endswith("out of memory\n")


def test_a_server_that_is_being_started_by_another_is_waited_for(home: Home) -> None:
    wanted, said = launch(), []
    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(start, wanted, home)
        deadline = time.monotonic() + 10
        while not (found := server.running(home)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.wait(found[0], lambda seconds, words: said.append(words))
        assert starting.result() == found[0]
    assert said[0].startswith("waiting for m, ")
    os.kill(found[0].pid, signal.SIGKILL)
    assert not server.wait(found[0], quiet)


def test_children_of_the_server_end_with_it(home: Home) -> None:
    running = start(launch("parent"), home)
    pids = group(running)
    assert len(pids) == 2
    server.stop(running, home)
    assert gone(pids, 1)


def test_what_a_killed_server_leaves_behind_is_still_seen_and_stopped(home: Home) -> None:
    running = start(launch("parent"), home)
    pids = group(running)
    os.kill(running.pid, signal.SIGKILL)
    assert gone([running.pid], 5)
    assert not running.alive
    assert server.running(home) == [running]
    server.stop(running, home)
    assert gone(pids, 1)
    assert server.running(home) == []


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGCONT])
def test_a_server_that_hangs_is_ended(home: Home, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """SIGCONT: a server that does not hang is ended in the same way."""
    monkeypatch.setattr(server, "GRACE", 0.5)
    running = start(launch("parent"), home, guarded=True)
    pids = group(running)
    assert len(pids) == 3
    for pid in pids:
        os.kill(pid, number)
    server.stop(running, home)
    assert gone(pids, 1)
    assert server.running(home) == []


def test_a_server_that_ignores_sigterm_is_killed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "GRACE", 0.3)
    running = start(launch("stubborn"), home)
    pids = group(running)
    server.stop(running, home)
    assert gone(pids, 1)


STARTER = """
import os, signal, sys
from pathlib import Path
from chattygen.config import Home
from tests.models.test_server import launch, quiet
from chattygen.models import server
home = Home(Path(sys.argv[1]))
server.start(launch("parent"), home, quiet, guarded=sys.argv[2] == "guarded", started_by="test")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("manner", "survives"), [("guarded", False), ("detached", True)])
def test_kill_9_of_chattygen_takes_a_guarded_server_with_it_but_no_detached_one(
    home: Home, manner: str, survives: bool
) -> None:
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", STARTER, str(home.path), manner], cwd=root, env=os.environ | {"PYTHONPATH": str(root)}
    )
    assert result.returncode == -signal.SIGKILL
    # Read the record itself: the guard may already be at work.
    running = Running(**json.loads((home.run / "m.json").read_text()))
    pids = group(running)
    if survives:
        assert not gone(pids, 3)
        assert server.running(home) == [running]
    else:
        assert gone(pids, 15)
        assert server.running(home) == []


def test_a_server_is_an_orphan_when_its_owner_is_gone_or_only_a_part_is_left(home: Home) -> None:
    mine, free = start(launch("parent"), home, guarded=True), start(launch("parent"), home)
    assert (mine.owner, mine.owned, mine.orphan) == (os.getpid(), True, False)
    assert (free.owner, free.owned, free.orphan) == (0, False, False)
    assert replace(mine, owner_started=mine.owner_started - 60).orphan, "the owner's id was given out again"
    os.kill(free.pid, signal.SIGKILL)
    assert gone([free.pid], 5)
    assert free.orphan
    server.stop(free, home)
    assert not free.orphan


def test_all_processes_of_a_server_bear_the_mark_of_its_home(home: Home) -> None:
    running = start(launch("parent"), home, guarded=True)
    assert sorted(process.pid for process in processes.marked(home.path)) == sorted(group(running))
    assert processes.marked(home.path / "other") == []


def test_a_record_whose_process_id_was_given_out_again_is_swept(home: Home) -> None:
    home.run.mkdir(parents=True)
    mine = Running("m", os.getpid(), psutil.Process().create_time() - 3600, 1, "k", "log", "test")
    dead = replace(mine, pid=2**22 + 1)
    for name, record in (("reused", json.dumps(vars(mine))), ("dead", json.dumps(vars(dead))), ("broken", "{")):
        (home.run / f"{name}.json").write_text(record)
    assert server.running(home) == []
    assert list(home.run.iterdir()) == []
    server.stop(mine, home)  # must not touch the process that has the id now


def test_a_record_of_another_version_is_read(home: Home) -> None:
    running = start(launch(), home)
    record = home.run / "m.json"
    written = json.loads(record.read_text())
    del written["deadline"]
    record.write_text(json.dumps({**written, "colour": "blue"}))
    assert server.running(home) == [replace(running, deadline=0.0)]
    record.write_text(json.dumps(written | {"deadline": running.deadline}))


def test_two_servers_of_one_model_have_a_log_and_a_record_each(home: Home) -> None:
    one, two = start(launch(), home), start(launch(), home)
    assert [Path(running.log).name for running in (one, two)] == ["m.log", "m-2.log"]
    assert server.running(home) == [one, two]
    server.stop(one, home)
    assert server.running(home) == [two]


def test_a_taken_port_is_named(home: Home) -> None:
    running = start(launch(), home)
    with pytest.raises(ServerError, match=f"port {running.port} cannot be used: Address already in use"):
        server.choose_port(running.port)
