"""The model commands."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.models import obtain, server
from chattygen.models.gpu import devices

REPOSITORY = Path(__file__).parents[2]
SMALL = "smollm2-135m-instruct"
LLAMA = "llama-3-8b-instruct"

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
        ("thinks", True),
        ("obeys a schema", True),
        ("says when a reply is cut", True),
        ("counts tokens", True),
        ("speed", True),
        ("reads its whole context", True),
        ("hears system text", True),
    ]
    assert "no weights of its own" in chattygen("pull-model", "talker", home=scripted).stderr
    assert "needs no server" in chattygen("serve-models", "talker", home=scripted).stderr


def test_a_model_that_fails_its_check_has_exit_code_1(scripted: Home) -> None:
    (scripted.path / "talk.toml").write_text('[[rules]]\nreply = "one"\ntimes = 0\n')
    failed = chattygen("check-model", "talker", home=scripted, code=1)
    assert "FAILED" in failed.stdout
    assert "talker failed: obeys a schema, says when a reply is cut" in failed.stderr


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


def test_the_plan_for_a_card_that_is_elsewhere_has_needs_shares_and_commands(tmp_path: Path) -> None:
    plan = chattygen("serve-models", "--plan", "--gpu", "--gpu-memory", "80GB", home=Home(tmp_path))
    card, llama, serve_llama, code, serve_code = plan.stdout.splitlines()
    assert card == "a card of 80 GB: 78.8 GiB of 78.8 GiB are free"  # 80 less 1.5 %
    assert llama == (
        "llama-3-8b-instruct: weights 15.0 GiB + KV cache 4.0 GiB (32,768 tokens: 16 requests at once, context 8,192)"
        " + overhead 2.0 GiB = 21.0 GiB, 26.6% of the card"
    )
    assert code.startswith("codellama-13b-instruct: weights 24.2 GiB + KV cache 25.0 GiB")
    words = shlex.split(serve_llama)
    assert words[:5] == [sys.executable, "-m", "vllm.entrypoints.cli.main", "serve", f"{tmp_path}/models/{LLAMA}"]
    assert words[words.index("--gpu-memory-utilization") + 1] == "0.2660"  # 22,502,450,944 of 84,610,855,731
    assert words[words.index("--port") + 1] == "8000"
    assert shlex.split(serve_code)[words.index("--port") + 1] == "8001"
    assert "--api-key" not in plan.stdout
    assert "4.6 GiB are left, and 1.0 GiB for each server stays free" in plan.stderr
    assert chattygen("status", "--json", home=Home(tmp_path)).stdout == "[]\n"


def test_the_plan_says_which_model_stands_in(tmp_path: Path) -> None:
    plan = chattygen("serve-models", "--plan", "--gpu-memory", "40GB", "--port", "9000", home=Home(tmp_path))
    assert "codellama-13b-instruct is too large for this card: codellama-13b-instruct-awq answers in its place" in (
        plan.stderr
    )
    words = shlex.split(plan.stdout.splitlines()[-1])
    assert words[words.index("--served-model-name") + 1] == "codellama-13b-instruct-awq"
    assert words[words.index("--quantization") + 1] == "awq"
    assert words[words.index("--port") + 1] == "9001"


def test_a_plan_that_cannot_be_is_refused_with_what_would_fit(tmp_path: Path) -> None:
    said = chattygen("serve-models", "--plan", "--gpu-memory", "24GB", home=Home(tmp_path), code=1).stderr
    assert "llama-3-8b-instruct and codellama-13b-instruct-awq do not fit on a card of 24 GB" in said
    assert "what fits: llama-3-8b-instruct or codellama-13b-instruct-awq for every role" in said
    one = chattygen("serve-models", LLAMA, "--plan", "--gpu-memory", "24GB", home=Home(tmp_path))
    assert f"{LLAMA}: weights 15.0 GiB + KV cache 4.0 GiB (32,768 tokens" in one.stdout


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (("--plan", "--gpu-memory", "much"), ["--gpu-memory much: not the size of a card", "--gpu-memory 80GB"]),
        (("--gpu-memory", "80GB"), ["--gpu-memory is for --plan only", "the card that is here"]),
    ],
)
def test_a_wrong_size_of_a_card_is_named(tmp_path: Path, words: tuple[str, ...], lines: list[str]) -> None:
    said = chattygen("serve-models", *words, home=Home(tmp_path), code=2).stderr.splitlines()
    assert lines[0] in said[0]
    assert lines[1] in said[1]


@pytest.mark.skipif(bool(devices()), reason="there is a card here")
def test_without_a_card_the_plan_says_how_to_plan_for_another(tmp_path: Path) -> None:
    said = chattygen("serve-models", "--plan", "--gpu", home=Home(tmp_path), code=2).stderr.splitlines()
    assert f"the driver reports no NVIDIA card for {LLAMA}, codellama-13b-instruct" in said[0]
    assert "--gpu --gpu-memory 80GB" in said[1]


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_the_plan_for_the_cpu_prints_the_command(tmp_path: Path) -> None:
    plan = chattygen("serve-models", "--plan", "--cpu", home=Home(tmp_path))
    assert "qwen2.5-coder-1.5b-instruct" in plan.stdout
    assert f"{tmp_path}/models/qwen2.5-coder-1.5b-instruct/" in plan.stdout


@pytest.fixture
def clean(weights_home: Home) -> Iterator[Home]:
    yield weights_home
    for running in server.running(weights_home):
        server.stop(running, weights_home)


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
        process.send_signal(how)
        process.communicate(timeout=30)
        assert process.returncode == 0
    by = f"llama-cpp-python {version('llama-cpp-python')}"
    assert f"{SMALL} answers at {running.url}, served by {by}; log: {running.log}" in said
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


@contextmanager
def serving(home: Home) -> Iterator[subprocess.Popen[str]]:
    """serve-models in the foreground, up to the line that says so."""
    command = [sys.executable, "-m", "chattygen", "serve-models", SMALL, "--home", str(home.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        listen(process, "stop with Ctrl-C")
        yield process


def listen(process: subprocess.Popen[str], words: str) -> None:
    """Read what a command says until it says these words."""
    assert process.stderr
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"it never said {words!r}")


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_served_model_that_dies_is_started_again_once(clean: Home) -> None:
    with serving(clean) as process:
        (first,) = server.running(clean)
        os.killpg(first.pid, signal.SIGKILL)
        listen(process, f"the server of {SMALL} died, killed by SIGKILL; starting it again")
        listen(process, f"{SMALL} answers at {first.url}")
        (second,) = server.running(clean)
        assert (second.started_by, second.alive) == (obtain.SERVE, True)
        os.killpg(second.pid, signal.SIGKILL)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 1
    assert said.startswith(f"chattygen: the server of {SMALL} died, killed by SIGKILL\n")
    assert second.log in said
    assert server.running(clean) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_served_model_that_is_stopped_elsewhere_is_not_started_again(clean: Home) -> None:
    with serving(clean) as process:
        assert f"stopped {SMALL}" in chattygen("stop-models", home=clean).stderr
        _, said = process.communicate(timeout=30)
        assert process.returncode == 0
    assert said == f"{SMALL} was stopped\n"
    assert server.running(clean) == []
