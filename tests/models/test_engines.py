"""Two packagings of llama.cpp: which one is taken, and both with a real model: what a run relies on."""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from chattygen.config import Home
from chattygen.errors import ConfigError, ServerError
from chattygen.models import engines, obtain, processes, server, xllamacpp
from chattygen.models.catalog import Catalog, Engine, Entry, File, load_catalog
from chattygen.models.model import Constraint, Message, Model
from chattygen.models.trial import try_model

SMALL = "smollm2-135m-instruct"
ASK: Message = ("user", "Is water wet? Answer yes or no.")
YES_NO = Constraint('root ::= ("yes" | "no") "\\n" [a-z]{2,8}', lines=2)


def entry(**keys: object) -> Entry:
    return Entry.model_validate({"name": "small", "backend": "llama-cpp", "files": [{"name": "s.gguf"}], **keys})


def install(monkeypatch: pytest.MonkeyPatch, there: list[str]) -> None:
    """Have these engines need a module that every Python has, and the others one that none has."""
    for engine in get_args(Engine):
        monkeypatch.setitem(engines.MODULES, engine, ("json",) if engine in there else ("no_such_module",))


@pytest.mark.parametrize(
    ("there", "asked", "taken"),
    [
        (["llama-cpp-python", "xllamacpp"], None, "llama-cpp-python"),
        (["xllamacpp"], None, "xllamacpp"),
        (["llama-cpp-python", "xllamacpp"], "xllamacpp", "xllamacpp"),
    ],
)
def test_what_is_asked_for_or_installed_is_taken(
    monkeypatch: pytest.MonkeyPatch, there: list[str], asked: str | None, taken: str
) -> None:
    install(monkeypatch, there)
    assert engines.choose(entry(engine=asked)) == taken
    words = engines.launch(entry(engine=asked), Path("/w/s.gguf"), 8123, "key").command
    modules = {"llama-cpp-python": "llama_cpp.server", "xllamacpp": "chattygen.models.xllamacpp_server"}
    assert words[2] == modules[taken]


@pytest.mark.parametrize(
    ("asked", "message", "command"),
    [
        ("xllamacpp", "xllamacpp, which small asks for, is not installed", "pip install 'chattygen[cpu-wheel]'"),
        ("llama-cpp-python", "llama-cpp-python, which small asks for, is not", "pip install 'chattygen[cpu]'"),
        (None, "no llama.cpp is installed", "pip install 'chattygen[cpu-wheel]'"),
    ],
)
def test_an_engine_that_is_missing_is_two_lines(
    monkeypatch: pytest.MonkeyPatch, asked: str | None, message: str, command: str
) -> None:
    install(monkeypatch, [])
    with pytest.raises(ServerError) as caught:
        engines.choose(entry(engine=asked))
    assert caught.value.message.startswith(message)
    assert command in caught.value.hint
    assert "\n" not in caught.value.message + caught.value.hint


def test_an_option_goes_before_the_file_and_concerns_llama_cpp_only() -> None:
    models = {
        "one": {"backend": "llama-cpp", "files": [{"name": "1.gguf"}], "engine": "llama-cpp-python"},
        "two": {"backend": "llama-cpp", "files": [{"name": "2.gguf"}]},
        "three": {"backend": "endpoint", "endpoint": "http://127.0.0.1:1/v1"},
    }
    file = File.model_validate({"models": models})
    assert [Catalog(file, Path("f")).entry(name).engine for name in models] == ["llama-cpp-python", None, None]
    chosen = Catalog(file, Path("f"), "xllamacpp")
    assert [chosen.entry(name).engine for name in models] == ["xllamacpp", "xllamacpp", None]


@pytest.mark.parametrize(
    ("line", "key"), [('engine = "ollama"', "models.small.engine: got 'ollama'"), ('engine = "xllamacpp"', "'engine'")]
)
def test_a_wrong_engine_is_named(tmp_path: Path, line: str, key: str) -> None:
    backend = "llama-cpp" if "ollama" in line else "vllm"
    text = f'[models.small]\nbackend = "{backend}"\nfiles = [{{ name = "s.gguf" }}]\n{line}\n'
    (tmp_path / "models.toml").write_text(text)
    with pytest.raises(ConfigError, match=key):
        load_catalog(Home(tmp_path), tmp_path / "models.toml")


def test_the_command_line_of_xllamacpp_holds_no_key() -> None:
    launch = xllamacpp.launch(entry(context=2048, concurrency=3), Path("/w/s.gguf"), 8123, "secret")
    assert launch.command[:3] == (sys.executable, "-m", "chattygen.models.xllamacpp_server")
    options = dict(zip(launch.command[3::2], launch.command[4::2], strict=True))
    assert int(options.pop("--threads")) >= 1
    assert options == {
        "--model": "/w/s.gguf",
        "--alias": "small",
        "--port": "8123",
        "--context": "2048",
        "--slots": "3",
    }
    assert launch.environment["LLAMA_API_KEY"] == "secret"
    assert (launch.engine, launch.slots) == ("xllamacpp", 3)


@dataclass(frozen=True)
class Served:
    """A real server, and the model that it serves."""

    engine: Engine
    slots: int
    model: Model
    running: server.Running

    def status(self, method: str, path: str, key: str, body: object = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.running.port, timeout=60)
        try:
            headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
            connection.request(method, path, json.dumps(body) if body else None, headers)
            return connection.getresponse().status
        finally:
            connection.close()


SETUPS: list[tuple[Engine, int]] = [("llama-cpp-python", 1), ("xllamacpp", 1), ("xllamacpp", 3)]
"""(engine, slots)"""


def named(setup: tuple[Engine, int]) -> str:
    return f"{setup[0]}-{setup[1]}"


@pytest.fixture(scope="module", params=SETUPS, ids=named)
def served(request: pytest.FixtureRequest, weights_home: Home) -> Iterator[Served]:
    engine, slots = request.param
    if not engines.installed(engine):
        pytest.fail(f"{engine} is missing; {engines.INSTALL[engine]}", pytrace=False)
    wanted = (
        load_catalog(weights_home, engine=engine).entry(SMALL).model_copy(update={"concurrency": slots, "context": 512})
    )
    with obtain.obtain(wanted, weights_home, lambda elapsed, words: None, started_by="test") as model:
        (running,) = [each for each in server.running(weights_home) if each.started_by == "test"]
        yield Served(engine, slots, model, running)
    assert not running.alive


@pytest.mark.model
def test_it_passes_every_trial(served: Served) -> None:
    assert [t for t in try_model(served.model, system_role=True) if not t.passed] == []


@pytest.mark.model
def test_it_obeys_the_grammar_counts_tokens_and_says_when_a_reply_is_cut(served: Served) -> None:
    reply = served.model.complete([ASK], constraint=YES_NO, max_tokens=20)
    answer, word = reply.text.split("\n")
    assert answer in ("yes", "no")
    assert 2 <= len(word) <= 8
    assert reply.finish == "stop"
    assert reply.prompt_tokens > served.model.count_tokens(ASK[1]) > 5
    cut = served.model.complete([ASK], max_tokens=2)
    assert (cut.finish, cut.completion_tokens) == ("length", 2)


@pytest.mark.model
def test_it_takes_eight_requests_at_once(served: Served) -> None:
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: served.model.complete([ASK], constraint=YES_NO, max_tokens=20), range(8)))
    assert len(replies) == 8
    assert {reply.text.split("\n")[0] for reply in replies} <= {"yes", "no"}


@pytest.mark.model
def test_it_wants_the_key_and_listens_on_loopback_only(served: Served) -> None:
    chat = {"model": SMALL, "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
    for key in ("", "wrong"):
        assert served.status("GET", "/v1/models", key) == 401
        assert served.status("POST", "/v1/chat/completions", key, chat) == 401
    assert served.status("POST", "/v1/chat/completions", served.running.key, chat) == 200
    listening = processes.listening(processes.members(served.running.pid))
    assert [(address, port) for _, address, port in listening] == [("127.0.0.1", served.running.port)]


@pytest.mark.model
def test_what_serves_is_known_to_whoever_shares_it(served: Served) -> None:
    assert (served.running.engine, served.running.slots) == (served.engine, served.slots)
    assert served.model.revision.split(" on ")[1] == served.engine
    assert engines.with_version(served.engine).split()[1][0].isdecimal()
    assert served.model.repeatable is (served.slots == 1)


@pytest.mark.model
@pytest.mark.parametrize("served", SETUPS[:2], indirect=True, ids=named)
def test_a_reply_does_not_depend_on_the_calls_before_it(served: Served) -> None:
    """Two instructions that begin alike, and prompts of several lengths, in another order each time. The replies are
    drawn at temperature 1, so that another rounding shows within some words.
    """
    instructions: list[Message] = [
        ("system", "You tell the beginning of a story about what you are asked for, in plain words."),
        ("system", "You write one question about what you are given, and no answer."),
    ]
    words = "a lake and a river and an island and a boat and a man".split()
    prompts: list[Message] = [("user", f"Tell of {' '.join(words[:number])}.") for number in (2, 5, 11)]
    asked = [(instruction, prompt) for instruction in instructions for prompt in prompts]

    def ask(pair: tuple[Message, Message]) -> str:
        return served.model.complete(pair, max_tokens=16, temperature=1.0, seed=1).text

    told = dict(zip(asked, map(ask, asked), strict=True))
    mixed = asked[::3] + asked[1::3] + asked[2::3]
    assert [pair for pair in mixed + asked[::-1] if ask(pair) != told[pair]] == []
