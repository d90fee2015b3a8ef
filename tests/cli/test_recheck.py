"""recheck: what a person and a program read when a graph has changed, and how the command ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.domain import Answer, Dialogue, Usage
from chattygen.kg.folders import drop_kg
from chattygen.kg.load import load
from tests import drifting
from tests.drifting import ALMERE, DIALOGUES, NS, SLOW, expand, number, turn


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    drifting.load_lakes(home)
    return home


class Called:
    """What the command printed and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Home, *words: str) -> None:
        try:
            main(["recheck", *words, "--home", str(home.path)])
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


def test_all_is_as_it_was(capsys: pytest.CaptureFixture[str], home: Home) -> None:
    fingerprint = drifting.load_lakes(home)
    run = drifting.record(home, *DIALOGUES)
    called = Called(capsys, home, "latest")
    assert called.code == 0
    assert called.out == (
        f"lakes holds the data that the run was made from: fingerprint {fingerprint[:12]}\n"
        "all 8 queries give the stored answers\n"
    )
    assert called.err == f"checking {run}\nchecking {run}: 8 queries, 0 drifted\n"


def test_drifts_for_a_person(capsys: pytest.CaptureFixture[str], home: Home, tmp_path: Path) -> None:
    run = drifting.record(home, *DIALOGUES)
    before = drifting.load_lakes(home)
    after = drifting.edit_lakes(home, tmp_path)
    called = Called(capsys, home, run)
    assert called.code == 1
    prefixes = f"   PREFIX : <{NS}>\n   PREFIX v: <{NS}vocab/>\n"
    assert called.out == (
        f"lakes has the fingerprint {after[:12]}; the run was made from lakes with {before[:12]}\n"
        "\n"
        f"Almere: Which islands does Almere have?  {run}-1, turn 2\n"
        f"{prefixes}"
        "   SELECT ?x { :l1 v:island ?x }\n"
        f"   - Pine Holm  {NS}i2\n"
        "\n"
        f"Almere: How many islands does Almere have?  {run}-1, turn 3\n"
        f"{prefixes}"
        "   SELECT (COUNT(DISTINCT ?x) AS ?n) { :l1 v:island ?x }\n"
        "   - 2  xsd:integer\n"
        "   + 1  xsd:integer\n"
        "\n"
        f"Almere: How deep is Almere?  {run}-1, turn 4\n"
        f"{prefixes}"
        "   SELECT ?x { :l1 v:depth ?x }\n"
        "   - 31  xsd:integer\n"
        "   + 31  xsd:string\n"
        "\n"
        f"Aske: Which lake has its outflow in Aske?  {run}-2, turn 1\n"
        f"{prefixes}"
        "   SELECT ?x { ?x v:outflow :r1 }\n"
        f"   + {NS}l2\n"
        "\n"
        f"Aske: Is Aske in Sudland?  {run}-2, turn 2\n"
        f"{prefixes}"
        "   ASK { :r1 v:region :south }\n"
        "   - no  false\n"
        "   + yes  true\n"
    )
    assert called.err.splitlines()[-2:] == [
        "chattygen: 5 of 8 queries give other answers than were stored",
        f"  load the data of the run again (fingerprint {before[:12]}), or generate a new run",
    ]


def test_drifts_for_a_program(capsys: pytest.CaptureFixture[str], home: Home, tmp_path: Path) -> None:
    """Against a graph of another name, while that of the run is still there."""
    run = drifting.record(home, *DIALOGUES)
    before = drifting.load_lakes(home)
    after = drifting.edit_lakes(home, tmp_path, "edited")
    called = Called(capsys, home, "latest", "--kg", "edited", "--json")
    assert called.code == 1
    told = json.loads(called.out)
    drifts = told.pop("drifts")
    assert told == {
        "run": run,
        "run_kg": "lakes",
        "run_kg_fingerprint": before,
        "kg": "edited",
        "kg_fingerprint": after,
        "checked": 8,
        "drifted": 5,
    }
    assert [(drift["turn"], drift["what"]) for drift in drifts] == [(n, "answers") for n in (2, 3, 4, 1, 2)]
    blank = {"label": "", "datatype": "", "lang": ""}
    assert drifts[0] == {
        "dialogue": f"{run}-1",
        "turn": 2,
        "seed": "Almere",
        "question": "Which islands does Almere have?",
        "sparql": expand("SELECT ?x { :l1 v:island ?x }"),
        "what": "answers",
        "missing": [blank | {"type": "uri", "value": NS + "i2", "label": "Pine Holm"}],
        "new": [],
        "error": "",
    }
    assert drifts[3]["new"] == [blank | {"type": "uri", "value": NS + "l2"}]
    assert drifts[4]["new"] == [blank | {"type": "boolean", "value": "true", "label": "yes"}]
    assert Called(capsys, home, "latest", "--json").code == 0


def test_many_answers_are_counted(capsys: pytest.CaptureFixture[str], home: Home) -> None:
    """6 of the 9 stored islands never were there; 4 of the 7 in the graph were not stored."""
    stored = [Answer("uri", f"{NS}i{n}", f"Holm {n}") for n in (1, 2, 3, 10, 11, 12, 13, 14, 15)]
    drifting.record(
        home, Dialogue(ALMERE, (turn(1, "Which?", "SELECT ?x { ?x a v:Island }", "select", *stored),), Usage())
    )
    lines = Called(capsys, home, "latest").out.splitlines()
    assert lines[-10:] == [
        *[f"   - Holm {n}  {NS}i{n}" for n in (10, 11, 12, 13, 14)],
        "   - and 1 more",
        *[f"   + {NS}i{n}" for n in (4, 5, 6, 7)],
    ]


def test_a_query_that_is_stopped(capsys: pytest.CaptureFixture[str], home: Home) -> None:
    """The deadline is that of the run; the data have not changed, and the hint does not say so."""
    drifting.record(home, Dialogue(ALMERE, (SLOW,), Usage()), deadline=0.5)
    called = Called(capsys, home, "latest")
    assert called.code == 1
    assert called.out.splitlines()[-1] == "   failed: a query was stopped after 0.5 s"
    assert called.err.splitlines()[-2:] == [
        "chattygen: 1 of 1 queries give other answers than were stored",
        "  the data are those of the run: run it again when the machine is less busy",
    ]


def test_blank_nodes_and_nasty_text(capsys: pytest.CaptureFixture[str], home: Home, tmp_path: Path) -> None:
    """Text of the graph stays text, and the store's own name of a blank node is never shown."""
    edited = tmp_path / "lakes.ttl"
    edited.write_text("@prefix : <http://example.org/lakes/> .\n:l1 <http://example.org/lakes/vocab/near> _:secret .\n")
    with edited.open("a") as file:
        file.write(':l1 <http://example.org/lakes/vocab/near> "[red]x\\u001B[31m"@en .\n')
    said = turn(1, "[bold]What?", "SELECT ?x { :l1 v:near ?x }", "select", number("7"))
    drifting.record(home, Dialogue(replace(ALMERE, label="[i]Almere"), (said,), Usage()))
    load(home, "lakes", [edited], replace=True)
    called = Called(capsys, home, "latest")
    assert called.out.splitlines()[2].startswith("[i]Almere: [bold]What?  lakes-")
    assert called.out.splitlines()[-3:] == ["   - 7  xsd:integer", "   + a blank node", "   + [red]x\ufffd[31m  @en"]
    told = json.loads(Called(capsys, home, "latest", "--json").out)
    assert [new["type"] for new in told["drifts"][0]["new"]] == ["bnode", "literal"]
    assert told["drifts"][0]["new"][0]["value"] == ""


def test_a_run_without_dialogues(capsys: pytest.CaptureFixture[str], home: Home) -> None:
    drifting.record(home)
    called = Called(capsys, home, "latest")
    assert (called.code, called.out.splitlines()[-1]) == (0, "no dialogue is stored yet")
    assert json.loads(Called(capsys, home, "latest", "--json").out)["checked"] == 0


def test_names_that_are_not_there(capsys: pytest.CaptureFixture[str], home: Home) -> None:
    assert Called(capsys, home, "latest").err == (
        "chattygen: there is no run yet\n  run: chattygen generate --kg NAME\n"
    )
    drifting.record(home, *DIALOGUES)
    other = Called(capsys, home, "latest", "--kg", "seas")
    assert (other.code, other.out) == (2, "")
    assert other.err.splitlines()[0] == "chattygen: no graph is called 'seas'; there are: lakes"
    drop_kg(home, "lakes")
    gone = Called(capsys, home, "latest")
    assert (gone.code, gone.out) == (2, "")
    assert gone.err == (
        "chattygen: no graph is called 'lakes'; there is none yet\n"
        "  run: chattygen load-kg FILE --name NAME, or chattygen list-kgs\n"
    )


def test_ctrl_c_ends_it_cleanly(home: Home) -> None:
    drifting.record(home, Dialogue(ALMERE, (SLOW,), Usage()), deadline=100.0)
    with subprocess.Popen(
        [sys.executable, "-m", "chattygen", "recheck", "latest", "--home", str(home.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        children = _children(process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert err.splitlines()[-2:] == ["chattygen: stopped", "  run the command again"]
    assert "Traceback" not in err
    assert out.count("\n") == 1


def _children(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The store's process, once it works on the query."""
    for _ in range(600):
        children = psutil.Process(process.pid).children(recursive=True)
        if children and children[0].cpu_times().user > 1:
            return children
        time.sleep(0.05)
    raise AssertionError("the query was not begun")
