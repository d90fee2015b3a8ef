"""The main job as a user does it, command by command, with a scripted model and with a real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.domain import Iri, Literal
from chattygen.kg.folders import open_kg
from chattygen.models import server
from tests.journeys.lakes import GRAPH, SILENT, write_script

REPOSITORY = Path(__file__).parents[2]
SMALL = "smollm2-135m-instruct"
ALL_SMALL = [word for role in ("label", "questions", "sparql", "dialogue") for word in ("--role", f"{role}={SMALL}")]


@pytest.fixture
def new(weights_home: Home, tmp_path: Path) -> Home:
    """A home that holds nothing but weights."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "models").symlink_to(weights_home.models.resolve(), target_is_directory=True)
    return Home(tmp_path / "home")


def call(home: Home, *words: str) -> int:
    try:
        main([*words, "--home", str(home.path)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def rerun(home: Home, kg: str, dialogues: list[dict[str, Any]]) -> None:
    """Every stored query gives exactly the stored answers."""
    with open_kg(home, kg) as graph:
        for turn in [turn for dialogue in dialogues for turn in dialogue["turns"]]:
            if turn["kind"] == "yes-no":
                assert [a["value"] == "true" for a in turn["answers"]] == [graph.ask(turn["sparql"])]
                continue
            terms = [row[0] for row in graph.select(turn["sparql"]).rows]
            stored = {
                Iri(a["value"]) if a["type"] == "uri" else Literal(a["value"], a["datatype"], a["lang"])
                for a in turn["answers"]
            }
            assert stored == set(terms)
            assert len(turn["answers"]) == len(stored) == turn["answer_count"] > 0


def test_from_a_file_to_a_benchmark(new: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said() -> str:
        return capsys.readouterr().out

    write_script(new.path, SILENT)
    assert call(new, "load-kg", str(GRAPH), "--quiet") == 0
    assert call(new, "list-kgs", "--json") == 0
    [listed] = json.loads(said())
    # 23 entities with type and label, 6 lakes with 4 facts each and 7 islands, 8 rivers with 3: 46 + 24 + 7 + 24.
    assert (listed["name"], listed["triples"]) == ("lakes", 101)
    assert call(new, "describe-kg", "lakes", "--json") == 0
    described = json.loads(said())
    assert described["triples"] == 101
    assert {found["label"]: found["count"] for found in described["classes"] if found["kept"]} == {
        "river": 8,
        "island": 7,
        "lake": 6,
        "region": 2,
    }
    assert call(new, "generate", "--kg", "lakes", "--dialogues", "2", "--questions", "3", "--plan") == 0
    assert "model calls: at least 6, at most " in said()
    assert call(new, "list-runs", "--json") == 0
    assert json.loads(said()) == []

    assert call(new, "generate", "--kg", "lakes", "--dialogues", "2", "--questions", "3", "--json") == 0
    made = json.loads(said().splitlines()[-1])
    assert (made["dialogues"], made["visited"]) == (2, 2)
    assert call(new, "list-runs", "--json") == 0
    [run] = json.loads(said())
    assert (run["run"], run["kg"], run["status"], bool(run["started"])) == (made["run"], "lakes", "done", True)
    assert call(new, "show-run", "latest") == 0
    assert said().splitlines()[-1] == "2 of 2 dialogues, status done"
    assert call(new, "report", made["run"], "--json") == 0
    report = json.loads(said())
    assert (report["success_rate"], report["dialogues"], report["visited"]) == (1.0, 2, 2)
    assert report["queries"] == {"by_model": 0, "total": 6}

    target = tmp_path / "lakes.jsonl"
    assert call(new, "export", made["run"], "--to", "jsonl", "--output", str(target)) == 0
    dialogues = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [dialogue["run"] for dialogue in dialogues] == [made["run"]] * 2
    assert {dialogue["kg_fingerprint"] for dialogue in dialogues} == {listed["fingerprint"]}
    rerun(new, "lakes", dialogues)

    assert call(new, "load-kg", str(GRAPH), "--quiet") == 2
    assert call(new, "load-kg", str(GRAPH), "--quiet", "--replace") == 0
    said()
    assert call(new, "list-kgs", "--json") == 0
    assert [found["fingerprint"] for found in json.loads(said())] == [listed["fingerprint"]]
    assert sorted(entry.name for entry in new.kgs.iterdir() if not entry.name.endswith(".lock")) == ["lakes"]


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_real_small_model_on_a_real_graph(new: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """It may write little and give seeds up; what is stored must be right, and no server may be left."""
    assert call(new, "load-kg", "--recipe", str(REPOSITORY / "kg-loaders" / "nobel.toml"), "--quiet") == 0
    capsys.readouterr()
    code = call(new, "generate", "--kg", "nobel", "--dialogues", "2", "--questions", "3", "--json", *ALL_SMALL)
    said = capsys.readouterr()
    assert code in (0, 3)
    made = json.loads(said.out.splitlines()[-1])
    assert f"{SMALL} is served by llama-cpp-python" in said.err
    assert server.running(new) == []

    assert call(new, "export", made["run"], "--to", "jsonl") == 0
    dialogues = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(dialogues) == made["dialogues"]
    rerun(new, "nobel", dialogues)
    for dialogue in dialogues:
        assert dialogue["models"] == {"questions": SMALL, "sparql": SMALL, "dialogue": SMALL}
        assert all(dialogue["usage"][key] > 0 for key in ("prompt_tokens", "completion_tokens", "calls", "seconds"))
        assert all(dialogue["seed"]["label"] not in turn["utterance"] for turn in dialogue["turns"][1:])
    assert call(new, "report", made["run"], "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["usage"]["calls"] == sum(stage["usage"]["calls"] for stage in report["stages"]) > 0


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_ctrl_c_while_the_server_starts_stops_it_too(new: Home) -> None:
    assert call(new, "load-kg", str(GRAPH), "--quiet") == 0
    command = [sys.executable, "-m", "chattygen", "generate", "--kg", "lakes", *ALL_SMALL, "--home", str(new.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr
        for line in process.stderr:
            if " is served by " in line:
                break
        deadline = time.monotonic() + 30
        while not server.running(new) and time.monotonic() < deadline:
            time.sleep(0.02)
        children = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read().splitlines()
        assert process.wait(30) == 130
    # The signal may come while a line is being drawn, which is then drawn again.
    assert rest[-2:] == ["chattygen: stopped before the first dialogue was begun", "  run the command again"]
    assert "Traceback" not in "".join(rest)
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert server.running(new) == []
    assert list(new.run.iterdir()) == []
    assert not new.database.exists()
