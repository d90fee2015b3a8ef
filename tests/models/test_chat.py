"""The client, against a real HTTP server that misbehaves in every way that was seen."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chattygen.errors import CallError, PrivacyError
from chattygen.models.chat import ChatModel, Dialect, fold_system, lines_of, schema
from chattygen.models.model import Completion, Constraint, Message
from tests.models.fake_server import JSON, Fake, Request, completion, serving

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
    before, request = fake.requests
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
    assert before.body["messages"] == [request.body["messages"][0], {"role": "user", "content": "."}]
    assert before.body["max_tokens"] == 1


def test_only_llama_cpp_gets_the_instruction_first() -> None:
    for dialect in ("vllm", "endpoint"):
        with model_for(completion("Hello."), dialect=dialect) as (model, fake):
            complete(model, ("system", "Be kind."), ASK)
        assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("dialect", "field", "value"),
    [
        ("llama-cpp", "grammar", TWO_LINES.grammar),
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


@pytest.mark.parametrize(
    ("body", "status", "headers", "reason"),
    [
        (b"context\n too long", 400, {"Content-Type": "text/plain"}, "status 400: context too long"),
        (b"oops", 500, {"Content-Type": "text/plain"}, "oops"),
        (b'{"detail": "Invalid API key"}', 401, JSON, "Invalid API key"),
        (b'{"choices": [', 200, JSON, "not a completion"),
        (b"<html>hello</html>", 200, {"Content-Type": "text/html"}, "not a completion"),
        (b'{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}', 200, JSON, "choices"),
        (completion("Hello", usage={}), 200, JSON, "usage.prompt_tokens: Field required"),
        (b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}', 200, JSON, "usage: Field required"),
    ],
)
def test_an_answer_that_is_no_completion_is_an_error_of_one_line(
    body: bytes, status: int, headers: dict[str, str], reason: str
) -> None:
    with model_for(body, status, headers) as (model, fake), pytest.raises(CallError) as caught:
        complete(model)
    assert reason in caught.value.message
    assert caught.value.message.startswith("the call to m failed: ")
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert len(fake.requests) == 1


def test_a_server_that_hangs_is_given_up_at_the_deadline() -> None:
    release = threading.Event()

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        release.wait(10)
        return 200, completion("late"), JSON

    with serving(answer) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="vllm", timeout=0.3)
        begun = time.monotonic()
        try:
            with pytest.raises(CallError, match="no answer in time"):
                complete(model)
        finally:
            release.set()
            model.close()
    assert time.monotonic() - begun < 5
    assert len(fake.requests) == 1


def test_nobody_there_and_a_redirect_elsewhere_are_errors() -> None:
    with model_for(b"", 307, {"Location": "http://models.example.org/v1"}) as (model, fake):
        with pytest.raises(CallError):
            complete(model)
        assert len(fake.requests) == 1
    gone = ChatModel("m", 4096, f"{fake.url}/v1", dialect="endpoint")
    try:
        with pytest.raises(CallError, match="no connection"):
            complete(gone)
    finally:
        gone.close()


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
