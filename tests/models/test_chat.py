"""The client, against a real HTTP server that misbehaves in every way that was seen."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chattygen.errors import CallError, ConnectionLost, PassingError, PrivacyError
from chattygen.models.chat import ChatModel
from chattygen.models.model import Completion, Constraint, Message
from chattygen.models.spelling import Dialect, fold_system, lines_of, schema
from tests.models.fake_server import JSON, Answer, Fake, Request, ResetInTheMiddle, completion, serving

ASK: Message = ("user", "Who is Ada?")
TWO_LINES = Constraint('root ::= "a" "\\n" "b"', lines=2, max_line=40)


@contextmanager
def model_for(
    body: bytes, status: int = 200, headers: dict[str, str] = JSON, dialect: Dialect = "llama-cpp", **options: Any
) -> Iterator[tuple[ChatModel, Fake]]:
    with serving(lambda request: (status, body, headers)) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", "secret", dialect=dialect, **options)
        try:
            yield model, fake
        finally:
            model.close()


def complete(model: ChatModel, *messages: Message, constraint: Constraint | None = None) -> Completion:
    return model.complete(messages or (ASK,), constraint=constraint, max_tokens=50, temperature=0.5, seed=3)


def test_a_call_sends_what_was_asked_and_returns_the_servers_own_counts() -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 16}}
    with model_for(completion("Hello.", usage=usage)) as (model, fake):
        found = complete(model, ("system", "Be kind."), ASK)
    assert (found.text, found.finish, found.thinking) == ("Hello.", "stop", "")
    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == (20, 4, 16)
    emptied, before, request = fake.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer secret"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Who is Ada?"}],
        "max_tokens": 50,
        "temperature": 0.5,
        "seed": 3,
    }
    # llama.cpp is left with the instruction in its cache first; what that costs is not in the counts.
    assert (emptied.path, emptied.body["prompt"], emptied.body["max_tokens"]) == ("/v1/completions", ".", 1)
    assert before.body["messages"] == [request.body["messages"][0], {"role": "user", "content": "."}]
    assert before.body["max_tokens"] == 1


def test_the_cache_is_emptied_only_for_another_instruction() -> None:
    kind, brief = ("system", "Be kind."), ("system", "Be brief.")
    with model_for(completion("Hello.")) as (model, fake):
        for instruction in (kind, kind, brief):
            complete(model, instruction, ASK)
    paths = [request.path.removeprefix("/v1/") for request in fake.requests]
    first, again = ["completions", "chat/completions", "chat/completions"], ["chat/completions", "chat/completions"]
    assert paths == [*first, *again, *first]


def test_only_llama_cpp_with_one_slot_gets_the_instruction_first_and_repeats_itself() -> None:
    for dialect, slots, requests in (("xllamacpp", 1, 3), ("xllamacpp", 2, 1), ("vllm", 1, 1), ("endpoint", 1, 1)):
        with model_for(completion("Hello."), dialect=dialect, slots=slots) as (model, fake):
            complete(model, ("system", "Be kind."), ASK)
        assert (len(fake.requests), model.repeatable) == (requests, requests == 3)


@pytest.mark.parametrize(
    ("dialect", "field", "value"),
    [
        ("llama-cpp", "grammar", TWO_LINES.grammar),
        ("xllamacpp", "grammar", TWO_LINES.grammar),
        ("vllm", "structured_outputs", {"grammar": TWO_LINES.grammar}),
        (
            "endpoint",
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "lines", "schema": schema(TWO_LINES)}},
        ),
    ],
)
def test_each_backend_gets_the_constraint_in_its_own_words(dialect: Dialect, field: str, value: object) -> None:
    with model_for(completion('{"lines": ["a", "b"]}'), dialect=dialect) as (model, fake):
        complete(model, constraint=TWO_LINES)
    assert fake.requests[0].body[field] == value


def test_the_schema_bounds_every_array_and_string() -> None:
    lines = schema(TWO_LINES)["properties"]["lines"]
    assert lines == {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string", "maxLength": 40}}
    choice = schema(Constraint("", 1, choices=(("yes", "no"),)))["properties"]["lines"]
    assert choice["items"] == {"enum": ["yes", "no"]}
    mixed = schema(Constraint("", 2, choices=(("yes", "no"), ()), max_line=9))["properties"]["lines"]
    assert mixed["prefixItems"] == [{"enum": ["yes", "no"]}, {"type": "string", "maxLength": 9}]
    assert mixed["items"] is False


def test_the_json_of_other_servers_becomes_lines_and_anything_else_stays_for_the_caller_to_refuse() -> None:
    assert lines_of('{"lines": ["a", "b c"]}') == "a\nb c"
    for text in ("a\nb", '{"lines": ["a"', '{"lines": [1]}', '{"rows": ["a"]}', "   "):
        assert lines_of(text) == text
    with model_for(completion('{"lines": ["a", "b"]}'), dialect="endpoint") as (model, _):
        assert complete(model, constraint=TWO_LINES).text == "a\nb"
        assert complete(model).text == '{"lines": ["a", "b"]}'


def test_a_server_that_ignores_the_grammar_is_not_believed_nor_hidden() -> None:
    with model_for(completion("Sure! Here are two lines.")) as (model, _):
        assert complete(model, constraint=TWO_LINES).text == "Sure! Here are two lines."


@pytest.mark.parametrize(
    ("body", "text", "thinking", "finish"),
    [
        (completion("<think>She was\nborn</think>\n\nAda."), "Ada.", "She was\nborn", "stop"),
        (completion("\n<think></think>\n\nAda."), "Ada.", "", "stop"),
        (completion("<think>She was born in"), "", "She was born in", "length"),
        (completion("<think>done</think>"), "", "done", "length"),
        (completion("Ada.", reasoning_content="She was"), "Ada.", "She was", "stop"),
        (completion(None, reasoning_content="She was"), "", "She was", "length"),
        (completion("Ada.", reasoning="She was"), "Ada.", "She was", "stop"),
        (completion("Ada wrote <think> in it"), "Ada wrote <think> in it", "", "stop"),
        (completion("Ada was the", finish="length"), "Ada was the", "", "length"),
    ],
)
def test_thinking_is_taken_out_and_a_reply_without_more_was_cut(
    body: bytes, text: str, thinking: str, finish: str
) -> None:
    with model_for(body) as (model, _):
        found = complete(model)
    assert (found.text, found.thinking, found.finish) == (text, thinking, finish)


TEXT = {"Content-Type": "text/plain"}
HTML = {"Content-Type": "text/html"}
NO_USAGE = b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}'
NO_CHOICE = b'{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}'
CUT_SHORT = JSON | {"Content-Length": "1000"}


@pytest.mark.parametrize(
    ("body", "status", "headers", "kind", "reason"),
    [
        (b"context\n too long", 400, TEXT, CallError, "status 400: context too long"),
        (b'{"detail": "Invalid API key"}', 401, JSON, CallError, 'status 401: {"detail": "Invalid API key"}'),
        (b'{"error": "no model m"}', 404, JSON, CallError, 'status 404: {"error": "no model m"}'),
        (b"", 307, {"Location": "http://models.example.org/v1"}, CallError, "status 307:"),
        (b"slow down", 429, TEXT, PassingError, "status 429: slow down"),
        (b"oops", 500, TEXT, PassingError, "status 500: oops"),
        (b"<html>Bad gateway</html>", 502, HTML, PassingError, "status 502: <html>Bad gateway</html>"),
        (b"loading", 503, TEXT, PassingError, "status 503: loading"),
        (b'{"choices": [', 200, JSON, CallError, "the answer is not a completion: JSON: Invalid JSON"),
        (b"<html>hello</html>", 200, HTML, CallError, "it begins: <html>hello</html>"),
        (NO_CHOICE, 200, JSON, CallError, "the answer is not a completion: choices: List should have at least 1"),
        (completion("x", usage={}), 200, JSON, CallError, "tell its token counts: usage.prompt_tokens: Field required"),
        (NO_USAGE, 200, JSON, CallError, "the server does not tell its token counts: usage: Field required"),
        (completion("Ada was", finish="abort"), 200, JSON, PassingError, "the server broke its reply off (abort)"),
        (b'{"choices": [', 200, CUT_SHORT, ConnectionLost, "the connection broke: peer closed connection"),
    ],
)
def test_an_answer_that_is_no_completion_is_an_error_of_one_line(
    body: bytes, status: int, headers: dict[str, str], kind: type[CallError], reason: str
) -> None:
    with model_for(body, status, headers) as (model, fake), pytest.raises(CallError) as caught:
        complete(model)
    assert type(caught.value) is kind
    assert reason in caught.value.message
    assert caught.value.message.startswith("the call to m failed: ")
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "run: chattygen check-model m; if the prompt was too long, lower its context in models.toml"),
        (401, "its server at {url} wants another key: set the variable that key_env names for m in models.toml"),
        (404, "check endpoint (it ends in /v1) and served_name of m in models.toml; asked was {url}"),
        (418, "see {url}"),
    ],
)
def test_the_user_of_an_own_server_is_told_what_to_change(status: int, hint: str) -> None:
    with model_for(b"no", status, TEXT, dialect="endpoint") as (model, fake), pytest.raises(CallError) as caught:
        complete(model)
    assert caught.value.hint == hint.format(url=fake.url)


@pytest.mark.parametrize(
    ("told", "after"), [("7", 7.0), ("", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0), ("-3", 0.0), ("²", 0.0)]
)
def test_how_long_a_busy_server_wants_to_be_left_alone(told: str, after: float) -> None:
    with model_for(b"", 429, {"Retry-After": told}) as (model, _), pytest.raises(PassingError) as caught:
        complete(model)
    assert caught.value.after == after


def test_a_connection_that_is_reset_in_the_middle_of_the_answer_is_lost() -> None:
    def answer(request: Request) -> Answer:
        raise ResetInTheMiddle

    with serving(answer) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="endpoint")
        with pytest.raises(ConnectionLost, match="the connection broke"):
            complete(model)
        model.close()


def test_an_answer_that_comes_in_drops_is_given_up_at_the_deadline() -> None:
    def drops() -> Iterator[bytes]:
        for _ in range(100):
            time.sleep(0.05)
            yield b" "

    with serving(lambda request: (200, drops(), JSON)) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="endpoint", timeout=0.3)
        begun = time.monotonic()
        with pytest.raises(PassingError, match="no answer in time: it does not end"):
            complete(model)
        model.close()
    assert time.monotonic() - begun < 2


def test_an_answer_without_end_does_not_fill_the_memory() -> None:
    with serving(lambda request: (200, (b" " * 1_000_000 for _ in range(1000)), JSON)) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="endpoint")
        with pytest.raises(CallError, match="the answer has more than 10000000 bytes"):
            complete(model)
        model.close()


def test_of_cut_json_the_lines_that_are_there_are_kept() -> None:
    assert lines_of('{"lines": ["When was X born?", "Wh', cut=True) == "When was X born?\nWh"
    assert lines_of('{"lines": ["When was X born?", ', cut=True) == "When was X born? "
    assert lines_of('{"lines": ["a",\n\n\t', cut=True) == "a\n\n\t"  # white space at the end shows a loop
    for text in ("", "Sure! Here", '{"lin', '{"rows": ["a'):
        assert lines_of(text, cut=True) == text
    with model_for(completion('{"lines": ["a", "b', finish="length"), dialect="endpoint") as (model, _):
        found = complete(model, constraint=TWO_LINES)
    assert (found.text, found.finish) == ("a\nb", "length")


def test_a_server_that_hangs_is_given_up_at_the_deadline() -> None:
    release = threading.Event()

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        release.wait(10)
        return 200, completion("late"), JSON

    with serving(answer) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="vllm", timeout=0.3)
        begun = time.monotonic()
        try:
            with pytest.raises(PassingError, match="no answer in time"):
                complete(model)
        finally:
            release.set()
            model.close()
    assert time.monotonic() - begun < 5
    assert len(fake.requests) == 1


def test_nobody_there() -> None:
    with model_for(b"") as (_, fake):
        pass
    gone = ChatModel("m", 4096, f"{fake.url}/v1", dialect="endpoint")
    begun = time.monotonic()
    with pytest.raises(ConnectionLost, match="no connection"):
        complete(gone)
    gone.close()
    assert time.monotonic() - begun < 1


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with model_for(completion("Hello.")) as (model, _):
        assert complete(model).text == "Hello."


def test_another_host_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(PrivacyError):
        ChatModel("m", 4096, "http://10.1.2.3:8000/v1", dialect="endpoint")


def test_system_text_goes_into_the_first_user_turn_where_there_is_no_system_role() -> None:
    with model_for(completion("x"), system_role=False) as (model, fake):
        complete(model, ("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"))
    assert [(m["role"], m["content"]) for m in fake.requests[-1].body["messages"]] == [
        ("user", "Be kind.\n\nHi"),
        ("assistant", "Hello"),
        ("user", "Bye"),
    ]
    assert fold_system([ASK]) == [ASK]


def test_calls_to_llama_cpp_are_made_one_at_a_time() -> None:
    now, most = [0], [0]

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        now[0] += 1
        most[0] = max(most[0], now[0])
        time.sleep(0.02)
        now[0] -= 1
        return 200, completion("x"), JSON

    with serving(answer) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="llama-cpp")
        threads = [threading.Thread(target=complete, args=(model,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        model.close()
    assert len(fake.requests) == 8
    assert most[0] == 1


@pytest.mark.parametrize(
    ("dialect", "path", "body"),
    [
        ("llama-cpp", "/extras/tokenize/count", {"input": "Ada"}),
        ("vllm", "/tokenize", {"model": "m", "prompt": "Ada"}),
    ],
)
def test_tokens_are_counted_by_the_server(dialect: Dialect, path: str, body: object) -> None:
    with model_for(json.dumps({"count": 5}).encode(), dialect=dialect) as (model, fake):
        assert model.count_tokens("Ada") == 5
    assert (fake.requests[0].path, fake.requests[0].body) == (path, body)
    assert fake.requests[0].headers["authorization"] == "Bearer secret"


def test_tokens_of_other_servers_are_estimated_and_a_failed_count_is_an_error() -> None:
    with model_for(b"no", 404, dialect="endpoint") as (model, fake):
        assert model.count_tokens("1234567") == 3
    assert fake.requests == []
    with model_for(b"no", 404) as (model, _), pytest.raises(CallError, match="404"):
        model.count_tokens("Ada")


def test_tokens_that_are_not_counted_are_counted_here() -> None:
    with model_for(b'{"tokens": [7, 7, 9]}', dialect="xllamacpp") as (model, fake):
        assert model.count_tokens("Ada") == 3
    assert (fake.requests[0].path, fake.requests[0].body) == ("/tokenize", {"content": "Ada"})
    with model_for(b'{"tokens": null}', dialect="xllamacpp") as (model, _), pytest.raises(CallError, match="count"):
        model.count_tokens("Ada")
