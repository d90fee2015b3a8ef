"""Runs that are stopped, killed or cut off, and go on: what they end with is what an undisturbed run ends with."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.kill import calls, export, only_run, orphans, stored_twice, tables
from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.kg.load import load
from chattygen.models import server
from chattygen.results.recorder import Recorder
from tests.journeys.lakes import GRAPH, SILENT, Reply, Spoil, able_model, fresh, write_models, write_script

SMALL = "smollm2-135m-instruct"
TWELVE = ("--kg", "lakes", "--dialogues", "12", "--questions", "3")
SIX = ("--kg", "lakes", "--dialogues", "6", "--questions", "3")


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def last(self) -> list[str]:
        """The last two lines for the person."""
        return self.err.splitlines()[-2:]


def begin(home: Home, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "chattygen", *words, "--home", str(home.path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def end(process: subprocess.Popen[str]) -> Said:
    try:
        out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert "Traceback" not in err
    return Said(process.returncode, out, err)


def call(home: Home, *words: str) -> int:
    try:
        main([*words, "--home", str(home.path)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def run_of(home: Home) -> str:
    run = only_run(home.database)
    assert run is not None
    return run


def made(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """All tables of the only run, ids and times aside."""
    return tables(home.database, run_of(home))


def rows(home: Home, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(home.database)) as connection:
        return connection.execute(sql).fetchall()


def wait_for_calls(home: Home, number: int, process: subprocess.Popen[str]) -> None:
    """Until that many calls are stored."""
    while process.poll() is None:
        run = only_run(home.database)
        if run and calls(home.database, run) >= number:
            return
        time.sleep(0.002)
    pytest.fail("the run was over too soon")


@pytest.fixture
def scripted(home: Home) -> Home:
    write_script(home.path, SILENT)
    return home


def test_a_run_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(
    scripted: Home, lakes: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    undisturbed = fresh(lakes, tmp_path / "undisturbed")
    write_script(undisturbed.path, SILENT)
    assert call(undisturbed, "generate", *TWELVE) == 0
    in_all = calls(undisturbed.database, run_of(undisturbed))
    assert in_all == 108  # 3 attempts in each of 3 stages for each of 12 seeds

    words: tuple[str, ...] = ("generate", *TWELVE)
    for moment in (1, 20, 21, 60, 107):
        process = begin(scripted, *words)
        wait_for_calls(scripted, moment, process)
        process.kill()
        process.communicate()
        capsys.readouterr()
        assert call(scripted, "list-runs", "--json") == 0
        assert [run["status"] for run in json.loads(capsys.readouterr().out)] == ["interrupted"]
        words = ("resume", "latest")
    assert end(begin(scripted, *words)).code == 0

    run = run_of(scripted)
    assert made(scripted) == made(undisturbed)
    assert export(scripted, run) == export(undisturbed, run_of(undisturbed))
    assert (calls(scripted.database, run), stored_twice(scripted.database, run), orphans(scripted.database)) == (
        108,
        0,
        0,
    )
    assert rows(scripted, "select n, finished is null from session") == [(n, 0) for n in range(1, 7)]


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_killed_run_of_a_real_model_ends_as_if_nothing_had_happened(home: Home, lakes: Home, tmp_path: Path) -> None:
    """Its server ends by itself, and a new one, whose prefix cache is empty, gives the same replies."""
    roles = [word for role in ("label", "questions", "sparql", "dialogue") for word in ("--role", f"{role}={SMALL}")]
    words = ("generate", "--kg", "lakes", "--dialogues", "2", "--questions", "3", *roles)
    undisturbed = fresh(lakes, tmp_path / "undisturbed")
    assert end(begin(undisturbed, *words)).code in (0, 3)

    process = begin(home, *words)
    wait_for_calls(home, 4, process)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert psutil.wait_procs(children, timeout=20)[1] == []
    assert server.running(home) == []
    assert end(begin(home, "resume", "latest")).code in (0, 3)
    assert made(home) == made(undisturbed)


@dataclass(frozen=True)
class Undisturbed:
    """What an able model makes of SIX when nothing happens, and how often it is asked."""

    replies: dict[str, list[tuple[Any, ...]]]
    requests: int


@pytest.fixture(scope="module")
def undisturbed(lakes: Home, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    home = fresh(lakes, tmp_path_factory.mktemp("undisturbed") / "home")
    with able_model() as fake:
        write_models(home.path, fake.url)
        assert end(begin(home, "generate", *SIX, "--fresh")).code == 0
        return Undisturbed(replies(home), len(fake.requests))


HASH = re.compile("[0-9a-f]{64}")


class Thinker:
    """A model that thinks about one call for as long as it is told to."""

    def __init__(self, role: str, number: int) -> None:
        self.role, self.number = role, number
        self.asked, self.enough = threading.Event(), threading.Event()

    def __call__(self, role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        if (role, number) == (self.role, self.number):
            self.asked.set()
            self.enough.wait(60)
        return None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_ctrl_c_stores_what_is_in_flight_and_resume_asks_for_nothing_again(
    home: Home, undisturbed: Undisturbed, number: signal.Signals
) -> None:
    thinker = Thinker("sparql", 3)
    with able_model(thinker) as fake:
        write_models(home.path, fake.url)
        process = begin(home, "generate", *SIX)
        assert thinker.asked.wait(60)
        children = psutil.Process(process.pid).children(recursive=True)
        stored = calls(home.database, run_of(home))
        process.send_signal(number)
        threading.Timer(0.5, thinker.enough.set).start()
        said = end(process)
        run = run_of(home)
        assert said.code == 130
        assert said.last == [
            f"chattygen: stopped; 0 of 6 dialogues are stored as run {run}",
            f"  go on with: chattygen resume {run} --home {home.path}",
        ]
        assert "stopping after what is in flight, in 10 s at most; press Ctrl-C again to stop at once" in said.err
        assert psutil.wait_procs(children, timeout=5)[1] == []
        assert calls(home.database, run) == stored + 1  # the one that was in flight
        assert rows(home, "select status, reason from run") == [("interrupted", "stopped by the user")]
        assert end(begin(home, "resume", run)).code == 0
        answered = len(fake.requests)

    assert answered == undisturbed.requests
    assert replies(home) == undisturbed.replies


def replies(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """All tables but for what is known of the server: its address is another one in every test."""
    return {
        table: sorted(
            (tuple("" if isinstance(cell, str) and HASH.fullmatch(cell) else cell for cell in row) for row in found),
            key=repr,
        )
        for table, found in made(home).items()
    }


def test_a_hang_up_that_nohup_hides_stops_nothing(home: Home) -> None:
    thinker = Thinker("questions", 2)
    with able_model(thinker) as fake:
        write_models(home.path, fake.url)
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            process = begin(home, "generate", *SIX)
        finally:
            signal.signal(signal.SIGHUP, before)
        assert thinker.asked.wait(60)
        process.send_signal(signal.SIGHUP)
        thinker.enough.set()
        assert end(process).code == 0


def test_a_second_ctrl_c_ends_at_once_and_the_run_can_go_on(home: Home) -> None:
    thinker = Thinker("dialogue", 2)
    with able_model(thinker) as fake:
        write_models(home.path, fake.url)
        process = begin(home, "generate", *SIX)
        assert thinker.asked.wait(60)
        children = psutil.Process(process.pid).children(recursive=True)
        assert process.stderr is not None
        process.send_signal(signal.SIGINT)
        for line in process.stderr:
            if line.startswith("stopping"):
                break
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = end(process)
        assert time.monotonic() - begun < 5  # the model thinks for a minute
        thinker.enough.set()
        run = run_of(home)
        assert said.code == 130
        assert said.last[0] == f"chattygen: stopped; 0 of 6 dialogues are stored as run {run}"
        assert psutil.wait_procs(children, timeout=10)[1] == []
        assert end(begin(home, "resume", run)).code == 0
    assert rows(home, "select status from run") == [("done",)]
    assert (stored_twice(home.database, run), orphans(home.database)) == (0, 0)


def test_an_answer_that_does_not_come_is_not_waited_for(home: Home) -> None:
    """After one Ctrl-C, ten seconds. The model has answered for the first five seeds and thinks about the sixth."""
    thinker = Thinker("questions", 6)
    with able_model(thinker) as fake:
        write_models(home.path, fake.url)
        process = begin(home, "generate", *SIX, "--fresh")
        assert thinker.asked.wait(60)
        children = psutil.Process(process.pid).children(recursive=True)
        assert children  # the store's process
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        begun = time.monotonic()
        said = end(process)
        assert 9 < time.monotonic() - begun < 20
        thinker.enough.set()
    run = run_of(home)
    assert (said.code, said.out) == (130, "")
    assert said.last == [
        f"chattygen: stopped; 5 of 6 dialogues are stored as run {run}",
        f"  go on with: chattygen resume {run} --home {home.path}",
    ]
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert rows(home, "select status, reason from run") == [("interrupted", "stopped by the user")]
    assert rows(home, "select status, count(*) from seed group by status") == [("accepted", 5), ("interrupted", 1)]


def test_a_lost_model_is_said_with_the_way_on(home: Home, undisturbed: Undisturbed) -> None:
    def lost(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        return ("gone", "error") if (role, number) == ("questions", 3) else None

    with able_model(lost) as fake:
        write_models(home.path, fake.url)
        said = end(begin(home, "generate", *SIX))
        run = run_of(home)
        assert said.code == 1
        assert said.err.splitlines()[-3:] == [
            "chattygen: the call to questions failed: status 400: gone",
            "  run: chattygen check-model questions; if the prompt was too long, lower its context in models.toml",
            f"  all that was finished is stored; go on with: chattygen resume {run} --home {home.path}",
        ]
        assert rows(home, "select status, reason from run") == [
            ("failed", "the call to questions failed: status 400: gone")
        ]
        assert end(begin(home, "resume", run)).code == 0
    here, there = replies(home), undisturbed.replies
    # What is more here is the call that failed, and the finding that it did.
    failed = [row for row in here["call"] if row[16]]
    assert [(row[1], row[16]) for row in failed] == [("questions", "the call to questions failed: status 400: gone")]
    here["call"].remove(failed[0])
    [finding] = here.pop("finding")
    assert finding[1:5] == ("questions", 1, 0, "P4")
    assert here == {table: found for table, found in there.items() if table != "finding"}
    assert there["finding"] == []


def delayed(seed: int) -> Spoil:
    """A model that takes another, random time for every reply."""
    draw = random.Random(seed)

    def spoil(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        time.sleep(draw.uniform(0, 0.05))
        return None

    return spoil


def test_many_requests_in_flight_make_the_same_benchmark(lakes: Home, undisturbed: Undisturbed, tmp_path: Path) -> None:
    for seed, in_flight in ((1, "5"), (2, "3")):
        place = fresh(lakes, tmp_path / in_flight)
        with able_model(delayed(seed)) as fake:
            write_models(place.path, fake.url)
            assert end(begin(place, "generate", *SIX, "--in-flight", in_flight, "--fresh")).code == 0
            assert 1 < fake.most_at_once <= int(in_flight)
            assert len(fake.requests) == undisturbed.requests
        assert replies(place) | {"run": []} == undisturbed.replies | {"run": []}  # the settings differ


def test_the_failure_of_one_draft_stops_those_beside_it(home: Home) -> None:
    def lost(role: str, number: int, items: list[str], lines: list[str]) -> Reply | None:
        time.sleep(0.05)
        return ("gone", "error") if (role, number) == ("sparql", 2) else None

    with able_model(lost) as fake:
        write_models(home.path, fake.url)
        assert end(begin(home, "generate", *SIX, "--in-flight", "5")).code == 1
        run = run_of(home)
        made_calls = len(fake.requests)
        assert calls(home.database, run) == made_calls  # what was in flight beside it is stored
        assert end(begin(home, "resume", run)).code == 0
    assert (stored_twice(home.database, run), orphans(home.database)) == (0, 0)


def test_what_was_answered_before_is_not_asked_again_unless_fresh(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """12 calls: 3 for each of 4 dialogues."""
    words = ("generate", "--kg", "lakes", "--dialogues", "4", "--questions", "3", "--json")
    with able_model() as fake:
        write_models(home.path, fake.url)
        runs, asked = [], []
        for more in ((), (), ("--fresh",)):
            capsys.readouterr()
            assert call(home, *words, *more) == 0
            runs.append(json.loads(capsys.readouterr().out)["run"])
            asked.append(len(fake.requests))
    assert asked == [12, 12, 24]
    first, second, third = (export(home, run) for run in runs)
    assert first == second == third
    assert call(home, "report", runs[1], "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["usage"]["calls"] == report["reused"]["calls"] == 12
    assert report["waiting"] == 0
    with able_model() as other:
        write_models(home.path, other.url)
        assert call(home, *words) == 0  # another address is another model
        assert len(other.requests) == 12


@pytest.fixture
def stopped(home: Home) -> Home:
    """A home with a run of one dialogue that was begun and never ended."""
    write_script(home.path, SILENT)
    process = begin(home, "generate", *SIX)
    wait_for_calls(home, 10, process)
    process.kill()
    process.communicate()
    return home


def test_resume_refuses_what_is_not_as_it_was(stopped: Home, tmp_path: Path) -> None:
    run = run_of(stopped)
    cannot = f"chattygen: the run {run} cannot go on: "
    hint = "  what it has is stored and can be exported; start a new run: chattygen generate"

    write_script(stopped.path, [{"reply": "nothing", "times": 0}])
    assert end(begin(stopped, "resume", run)).last == [
        f"{cannot}the model script has other weights, another engine or another address now",
        hint,
    ]
    write_script(stopped.path, SILENT)

    with closing(sqlite3.connect(stopped.database)) as connection:
        [(version,)] = connection.execute("select chattygen_version from run").fetchall()
        connection.execute("update run set chattygen_version = '0.0.1'")
        connection.commit()
        said = end(begin(stopped, "resume", run))
        assert (said.code, said.last[0]) == (2, f"{cannot}it was begun by chattygen 0.0.1, and this is {version}")
        connection.execute("update run set chattygen_version = ?", [version])
        connection.commit()

    (stopped.path / "kgs").unlink()
    more = tmp_path / "more.ttl"
    more.write_text(GRAPH.read_text(encoding="utf-8") + "<http://example.org/a> a <http://example.org/b> .\n")
    load(stopped, "lakes", [more])
    assert end(begin(stopped, "resume", run)).last == [f"{cannot}the graph lakes has other data now", hint]
    assert rows(stopped, "select status, chattygen_version from run") == [("running", version)]


def test_two_processes_never_work_on_one_run(stopped: Home) -> None:
    run = run_of(stopped)
    with Recorder(stopped.database) as recorder:
        recorder.resume_run(run)
        said = end(begin(stopped, "resume", run))
        assert (said.code, said.last[0]) == (2, f"chattygen: the run {run} is being worked on by another process")
    assert end(begin(stopped, "resume", run)).code == 0


def test_resume_of_a_run_that_is_done_or_unknown(scripted: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(scripted, "resume", "latest") == 2
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "chattygen: there is no run yet",
        "  run: chattygen generate --kg NAME",
    ]
    assert call(scripted, "generate", "--kg", "lakes", "--dialogues", "1", "--questions", "3") == 0
    before = made(scripted)
    capsys.readouterr()
    assert call(scripted, "resume", "latest") == 0
    assert f"run {run_of(scripted)} is done already" in capsys.readouterr().err
    assert made(scripted) == before


def test_a_short_run_stays_short(scripted: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Only five lakes have five facts."""
    words = ("--kg", "lakes", "--dialogues", "6", "--questions", "5", "--min-questions", "5", "--quiet")
    assert call(scripted, "generate", *words) == 3
    before, said = made(scripted), capsys.readouterr().err
    assert call(scripted, "resume", "latest", "--quiet") == 3
    assert capsys.readouterr().err == said
    assert made(scripted) == before


def test_two_runs_and_a_reader_share_a_database(scripted: Home) -> None:
    processes = [begin(scripted, "generate", *TWELVE, "--fresh") for _ in range(2)]
    seen = 0
    while any(process.poll() is None for process in processes):
        if scripted.database.exists():
            with closing(sqlite3.connect(f"{scripted.database.as_uri()}?mode=ro", uri=True)) as reader:
                if reader.execute("select 1 from sqlite_master where name = 'turn'").fetchall():
                    seen = max(seen, reader.execute("select count(*) from turn").fetchone()[0])
    assert [end(process).code for process in processes] == [0, 0]
    runs = [run for (run,) in rows(scripted, "select id from run")]
    assert len(runs) == 2
    assert seen > 0
    assert tables(scripted.database, runs[0]) == tables(scripted.database, runs[1])
    assert orphans(scripted.database) == 0
    assert os.listdir(scripted.run) == []
