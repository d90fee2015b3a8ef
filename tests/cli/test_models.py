"""The model commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.models import obtain, server
from chattygen.models.catalog import load_catalog

REPOSITORY = Path(__file__).parents[2]
SMALL = "smollm2-135m-instruct"

SCRIPTED = """
[models.talker]
backend = "scripted"
script = "talk.toml"
"""
TALK = """
[[rules]]
match = "colour"
reply = "red\\nWho is the famous Ada Lovelace?"
[[rules]]
reply = "one two three"
[[rules]]
reply = "one"
finish = "length"
times = 0
"""


def chattygen(*words: str, home: Home, code: int = 0) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [sys.executable, "-m", "chattygen", *words, "--home", str(home.path)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=REPOSITORY,
        check=False,
    )
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    return result


@pytest.fixture
def scripted(tmp_path: Path) -> Home:
    (tmp_path / "models.toml").write_text(SCRIPTED)
    (tmp_path / "talk.toml").write_text(TALK)
    return Home(tmp_path)


def test_list_models_as_table_and_as_json(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert "qwen2.5-coder-1.5b-instruct" in chattygen("list-models", home=home).stdout
    rows = {row["model"]: row for row in json.loads(chattygen("list-models", "--json", home=home).stdout)}
    assert rows["all-minilm-l6-v2"]["roles"] == ["cpu:verify", "gpu:verify"]
    assert rows[SMALL] == {
        "model": SMALL,
        "title": "SmolLM2 135M Instruct, Q4_1",
        "backend": "llama-cpp",
        "roles": [],
        "context": 2048,
        "bytes": 98362432,
        "weights": "missing",
        "licence": "Apache-2.0",
    }


def test_nothing_runs(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert chattygen("status", "--json", home=home).stdout == "[]\n"
    quiet = chattygen("status", home=home)
    assert quiet.stdout == ""
    assert "no model server runs" in quiet.stderr
    assert "nothing to stop" in chattygen("stop-models", home=home).stderr


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("check-model", "nobody"), ["no model is called 'nobody'; there are: ", "run: chattygen list-models"]),
        (("serve-models", "poetry"), ["'poetry' is neither a role nor a model", "run: chattygen list-models"]),
    ],
)
def test_an_unknown_name_takes_two_lines_and_exit_code_2(
    tmp_path: Path, words: tuple[str, ...], lines: list[str]
) -> None:
    said = chattygen(*words, home=Home(tmp_path), code=2).stderr.splitlines()
    assert len(said) == 2
    assert lines[0] in said[0]
    assert lines[1] in said[1]


def test_serving_without_weights_says_what_to_run(tmp_path: Path) -> None:
    said = chattygen("serve-models", SMALL, home=Home(tmp_path), code=1).stderr.splitlines()
    assert said == [
        f"chattygen: the weights of {SMALL} are not on this machine",
        f"  run: chattygen pull-model {SMALL}",
    ]


def test_a_scripted_model_is_checked_but_neither_pulled_nor_served(scripted: Home) -> None:
    trials = json.loads(chattygen("check-model", "talker", "--json", home=scripted).stdout)
    assert [(trial["trial"], trial["passed"]) for trial in trials] == [
        ("loads", True),
        ("speaks", True),
        ("obeys a grammar", True),
        ("says when a reply is cut", True),
        ("hears system text", True),
    ]
    assert "no weights of its own" in chattygen("pull-model", "talker", home=scripted).stderr
    assert "needs no server" in chattygen("serve-models", "talker", home=scripted).stderr


def test_a_model_that_fails_its_check_has_exit_code_1(scripted: Home) -> None:
    (scripted.path / "talk.toml").write_text('[[rules]]\nreply = "one"\ntimes = 0\n')
    failed = chattygen("check-model", "talker", home=scripted, code=1)
    assert "FAILED" in failed.stdout
    assert "talker failed: obeys a grammar, says when a reply is cut" in failed.stderr


def test_the_sentence_embedding_is_checked(weights_home: Home) -> None:
    trials = json.loads(chattygen("check-model", "all-minilm-l6-v2", "--json", home=weights_home).stdout)
    assert [(trial["trial"], trial["passed"]) for trial in trials] == [
        ("weights", True),
        ("loads", True),
        ("tells meanings apart", True),
    ]


def test_weights_that_are_here_are_not_pulled_again(weights_home: Home) -> None:
    result = chattygen("pull-model", SMALL, home=weights_home)
    assert result.stdout == f"{weights_home.models / SMALL / 'SmolLM2-135M-Instruct.Q4_1.gguf'}\n"
    assert "goes out" not in result.stderr


@pytest.fixture
def clean(weights_home: Home) -> Iterator[Home]:
    yield weights_home
    for running in server.running(weights_home):
        server.stop(running, weights_home)


def until(condition: object, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.1)
    return False


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_serve_models_stays_until_it_is_told_to_stop(clean: Home, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "chattygen", "serve-models", SMALL, "--home", str(clean.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stderr
        said = []
        for line in process.stderr:
            said.append(line.strip())
            if "stop with Ctrl-C" in line:
                break
        (running,) = server.running(clean)
        assert f"{SMALL} answers at {running.url}; log: {running.log}" in said
        process.send_signal(how)
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert not running.alive
    assert server.running(clean) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_detached_servers_are_seen_shared_and_stopped(clean: Home) -> None:
    port = server.choose_port()
    chattygen("serve-models", SMALL, "--detach", "--port", str(port), home=clean)
    (row,) = json.loads(chattygen("status", "--json", home=clean).stdout)
    assert (row["model"], row["url"]) == (SMALL, f"http://127.0.0.1:{port}/v1")
    assert (row["started_by"], row["log"]) == ("serve-models", str(clean.logs / f"{SMALL}.log"))
    assert "already served" in chattygen("serve-models", SMALL, "--detach", home=clean).stderr
    assert len(server.running(clean)) == 1
    taken = chattygen("check-model", SMALL, "--json", home=clean)
    assert all(trial["passed"] for trial in json.loads(taken.stdout))
    assert f"stopped {SMALL}" in chattygen("stop-models", home=clean).stderr
    assert server.running(clean) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_served_model_that_dies_ends_the_command_with_1(clean: Home) -> None:
    command = [sys.executable, "-m", "chattygen", "serve-models", SMALL, "--home", str(clean.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert until(lambda: any(s.alive for s in server.running(clean)))
        assert process.stderr
        for line in process.stderr:
            if "stop with Ctrl-C" in line:
                break
        (running,) = server.running(clean)
        os.killpg(running.pid, signal.SIGKILL)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 1
    assert f"the server of {SMALL} died" in said
    assert running.started_by == obtain.SERVE
    assert load_catalog(clean).entry(SMALL).name == running.model
