"""From an entry to a model: scripted, endpoint, and the real llama.cpp server with a small real model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.errors import CallError, PrivacyError, UsageError, WeightsError
from chattygen.models import obtain, server
from chattygen.models.catalog import Entry, load_catalog
from chattygen.models.model import Constraint, Message
from chattygen.models.trial import try_model
from tests.models.fake_server import JSON, completion, serving

SMALL = "smollm2-135m-instruct"
ASK: Message = ("user", "Is water wet? Answer yes or no.")


def quiet(elapsed: float, words: str) -> None:
    return


def test_a_scripted_model_needs_no_server(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[[rules]]\nreply = "Yes."\n')
    entry = Entry.model_validate({"name": "s", "backend": "scripted", "script": str(tmp_path / "s.toml")})
    with obtain.obtain(entry, Home(tmp_path), quiet) as model:
        assert model.complete([ASK], max_tokens=5).text == "Yes."


def test_an_endpoint_gets_its_own_name_and_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    with serving(lambda request: (200, completion("Yes."), JSON)) as fake:
        given = {"endpoint": f"{fake.url}/v1", "served_name": "big/model", "key_env": "MY_KEY"}
        entry = Entry.model_validate({"name": "e", "backend": "endpoint"} | given)
        with obtain.obtain(entry, Home(tmp_path), quiet) as model:
            assert model.name == "e"
            assert model.complete([ASK], max_tokens=5).text == "Yes."
    assert fake.requests[0].body["model"] == "big/model"
    assert fake.requests[0].headers["authorization"] == "Bearer mine"


def test_an_endpoint_elsewhere_is_refused_unless_allowed(tmp_path: Path) -> None:
    entry = Entry.model_validate({"name": "e", "backend": "endpoint", "endpoint": "http://gpu.example.org/v1"})
    with pytest.raises(PrivacyError), obtain.obtain(entry, Home(tmp_path), quiet):
        pass
    with obtain.obtain(entry, Home(tmp_path), quiet, allow=["gpu.example.org"]) as model:
        assert model.name == "e"


def test_an_embedding_is_no_language_model_and_missing_weights_are_named(tmp_path: Path) -> None:
    catalog = load_catalog(Home(tmp_path))
    with pytest.raises(UsageError), obtain.obtain(catalog.entry("all-minilm-l6-v2"), Home(tmp_path), quiet):
        pass
    with (
        pytest.raises(WeightsError, match="are not on this machine"),
        obtain.obtain(catalog.entry(SMALL), Home(tmp_path), quiet),
    ):
        pass


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_the_real_server_speaks_obeys_counts_and_ends_with_its_user(weights_home: Home) -> None:
    entry = load_catalog(weights_home).entry(SMALL)
    constraint = Constraint('root ::= ("yes" | "no") "\\n" [a-z]{2,8}', lines=2)
    with obtain.obtain(entry, weights_home, quiet) as model:
        (running,) = server.running(weights_home)
        assert running.started_by == "generate"
        listening = [
            connection.laddr.ip
            for process in psutil.process_iter()
            if process.pid == running.pid or process.ppid() == running.pid
            for connection in process.net_connections("inet")
            if connection.status == "LISTEN"
        ]
        assert listening == ["127.0.0.1"]

        first = model.complete([ASK], constraint=constraint, max_tokens=20)
        again = model.complete([ASK], constraint=constraint, max_tokens=20)
        answer, word = first.text.split("\n")
        assert answer in ("yes", "no")
        assert 2 <= len(word) <= 8
        assert first.text == again.text
        assert first.finish == "stop"
        assert first.prompt_tokens == again.prompt_tokens > model.count_tokens(ASK[1]) > 5
        assert model.complete([ASK], max_tokens=2).finish == "length"
        with pytest.raises(CallError, match="context"):
            model.complete([("user", "water " * 3000)], max_tokens=5)
        assert [trial.name for trial in try_model(model, grammar=True, system_role=True) if not trial.passed] == []

        with ThreadPoolExecutor(8) as pool:
            replies = pool.map(lambda _: model.complete([ASK], constraint=constraint, max_tokens=3), range(8))
        assert {reply.completion_tokens for reply in replies} <= {2, 3}
    assert not running.alive
    assert server.running(weights_home) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_server_of_serve_models_is_shared_and_left_running(weights_home: Home) -> None:
    entry = load_catalog(weights_home).entry(SMALL)
    running = obtain.serve(entry, weights_home, quiet, guarded=True, started_by=obtain.SERVE)
    try:
        with obtain.obtain(entry, weights_home, quiet) as model:
            assert model.complete([ASK], max_tokens=2).completion_tokens == 2
            assert server.running(weights_home) == [running]
        assert running.alive
    finally:
        server.stop(running, weights_home)


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_reply_does_not_depend_on_what_was_asked_before(weights_home: Home) -> None:
    """A prompt of each length modulo four, with much and little in common with the one before it. The replies are
    drawn at temperature 1, so that another rounding shows within some words.
    """
    instruction: Message = ("system", "You tell the beginning of a story about what you are asked for, in plain words.")
    words = "a lake and a river and an island and a boat and a man".split()
    prompts: list[Message] = [("user", f"Tell of {' '.join(words[:number])}.") for number in (2, 5, 6, 9, 11, 14)]
    with obtain.obtain(load_catalog(weights_home).entry(SMALL), weights_home, quiet) as model:

        def ask(prompt: Message) -> str:
            return model.complete([instruction, prompt], max_tokens=40, temperature=1.0, seed=1).text

        told = [ask(prompt) for prompt in prompts]
        assert [ask(prompt) for prompt in reversed(prompts)] == told[::-1]
        assert [ask(prompt) for prompt in prompts for _ in range(2)] == [text for text in told for _ in range(2)]
