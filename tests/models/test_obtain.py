"""From an entry to a model: scripted, endpoint, and the real llama.cpp server with a small real model."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.errors import CallError, PrivacyError, ServerError, UsageError, WeightsError
from chattygen.models import obtain, server
from chattygen.models.catalog import Entry, load_catalog
from chattygen.models.llamacpp import launch
from chattygen.models.model import Constraint, Message
from chattygen.models.trial import try_model
from chattygen.models.weights import find
from tests.models.fake_server import JSON, Request, completion, serving

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


def test_an_endpoint_that_is_a_vllm_is_sent_the_grammar_and_counts_tokens(tmp_path: Path) -> None:
    constraint = Constraint('root ::= "yes" | "no"\n', lines=1)

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        return (200, b'{"count": 4}', JSON) if request.path == "/tokenize" else (200, completion("yes"), JSON)

    with serving(answer) as fake:
        given = {"endpoint": f"{fake.url}/v1", "served_name": "big/model", "dialect": "vllm"}
        entry = Entry.model_validate({"name": "e", "backend": "endpoint"} | given)
        with obtain.obtain(entry, Home(tmp_path), quiet) as model:
            assert model.exact
            assert model.complete([ASK], constraint=constraint, max_tokens=5).text == "yes"
            assert model.count_tokens("Ada Lovelace") == 4
    asked, counted = fake.requests
    assert asked.body["structured_outputs"] == {"grammar": constraint.grammar}
    assert "response_format" not in asked.body
    assert counted.body == {"model": "big/model", "prompt": "Ada Lovelace"}


def test_an_endpoint_that_is_a_vllm_and_refuses_is_named_by_its_address(tmp_path: Path) -> None:
    with serving(lambda request: (401, b'{"error": "Unauthorized"}', JSON)) as fake:
        given = {"endpoint": f"{fake.url}/v1", "dialect": "vllm"}
        entry = Entry.model_validate({"name": "e", "backend": "endpoint"} | given)
        with obtain.obtain(entry, Home(tmp_path), quiet) as model, pytest.raises(CallError) as caught:
            model.complete([ASK], max_tokens=5)
    assert fake.url in caught.value.hint
    assert "key_env" in caught.value.hint


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
        assert [trial.name for trial in try_model(model, system_role=True) if not trial.passed] == []

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


STORY: list[Message] = [("system", "You tell stories."), ("user", "Tell of a lake and a river.")]


def served(running: server.Running) -> psutil.Process:
    """The process of the server itself: the guard's child."""
    return psutil.Process(running.pid).children()[0]


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_call_whose_server_is_killed_gets_the_same_reply_from_a_new_one(weights_home: Home) -> None:
    entry = load_catalog(weights_home).entry(SMALL)
    told: list[str] = []
    with obtain.obtain(entry, weights_home, lambda seconds, words: told.append(words)) as model:
        undisturbed = model.complete(STORY, max_tokens=300)
        (first,) = server.running(weights_home)
        with ThreadPoolExecutor(1) as pool:
            reply = pool.submit(model.complete, STORY, max_tokens=300)
            time.sleep(undisturbed.seconds / 2)
            assert not reply.done()
            served(first).kill()
            assert reply.result().text == undisturbed.text
        (second,) = server.running(weights_home)
        assert second.pid != first.pid
        assert f"the server of {SMALL} died, killed by SIGKILL; starting another one" in told
        served(second).kill()
        with pytest.raises(CallError, match="died, killed by SIGKILL, and so had the one before it"):
            model.complete(STORY, max_tokens=5)
    assert server.running(weights_home) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_run_whose_shared_server_is_gone_starts_its_own(weights_home: Home) -> None:
    entry = load_catalog(weights_home).entry(SMALL)
    shared = obtain.serve(entry, weights_home, quiet, guarded=False, started_by=obtain.SERVE)
    with obtain.obtain(entry, weights_home, quiet) as model:
        before = model.complete(STORY, max_tokens=5).text
        server.stop(shared, weights_home)
        assert model.complete(STORY, max_tokens=5).text == before
        (own,) = server.running(weights_home)
        assert own.started_by == "generate"
    assert server.running(weights_home) == []


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_a_run_waits_for_the_server_that_serve_models_starts_in_the_place_of_a_dead_one(weights_home: Home) -> None:
    """This process is the `serve-models`; the run finds the new server while it is still loading."""
    entry = load_catalog(weights_home).entry(SMALL)

    def serve() -> server.Running:
        return obtain.serve(entry, weights_home, quiet, guarded=True, started_by=obtain.SERVE)

    dead = serve()
    with obtain.obtain(entry, weights_home, quiet) as model, ThreadPoolExecutor(1) as pool:
        before = model.complete(STORY, max_tokens=5).text
        served(dead).kill()
        reply = pool.submit(model.complete, STORY, max_tokens=5)
        assert server.died(dead)
        heir = serve()
        try:
            assert reply.result().text == before
            assert server.running(weights_home) == [heir]
        finally:
            server.stop(heir, weights_home)


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_bad_weights_and_a_taken_port_are_named(weights_home: Home, tmp_path: Path) -> None:
    entry = load_catalog(weights_home).entry(SMALL)
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(1000))
    with serving(lambda request: (200, b"{}", JSON)) as other:
        port = int(other.url.rpartition(":")[2])
        for weights, at, code, cause in [
            (bad, server.choose_port(), 1, "the weights are damaged: run chattygen check-model"),
            (find(entry, weights_home), port, 3, "another program took the port in the meantime; run it again"),
        ]:
            with pytest.raises(ServerError) as caught:
                server.start(launch(entry, weights, at, "key"), Home(tmp_path), quiet, guarded=True, started_by="test")
            assert caught.value.message == f"the server of {SMALL} ended while starting, exit code {code}"
            assert caught.value.hint == f"{cause}; the log is {tmp_path / 'logs' / f'{SMALL}.log'}"
            assert caught.value.__notes__[0].startswith("command: ")
            assert 1 < len(caught.value.__notes__) <= 16


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
