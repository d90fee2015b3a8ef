"""The trials of check-model, on scripted models that behave and misbehave, and on a server that does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from chattygen.models.chat import ChatModel
from chattygen.models.model import Completion, Message
from chattygen.models.scripted import Rule, ScriptedModel
from chattygen.models.spelling import Dialect
from chattygen.models.trial import LONG, SHORT, Trial, try_embedder, try_model
from tests.models.fake_server import JSON, Request, completion, serving

SPEAKS = Rule("one two three")
OBEYS = Rule("red\nWho is the famous Ada Lovelace?", match="colour")
IS_CUT = Rule("one two", finish="length")
GOOD = (SPEAKS, OBEYS, IS_CUT, Rule("one", times=0))


class Exact(ScriptedModel):
    """As a server of ours: a grammar is kept to, tokens can be counted beforehand."""

    exact = True


def trials(model: ScriptedModel, *, system_role: bool = True) -> dict[str, bool]:
    return {trial.name: trial.passed for trial in try_model(model, system_role=system_role)}


def test_a_good_model_on_a_server_of_ours_passes_all() -> None:
    assert trials(Exact("s", GOOD)) == {
        "speaks": True,
        "thinks": True,
        "obeys a grammar": True,
        "says when a reply is cut": True,
        "counts tokens": True,
        "speed": True,
        "hears system text": True,
    }


def test_another_server_is_asked_for_lines_by_schema_and_for_its_whole_context() -> None:
    found = trials(ScriptedModel("s", (SPEAKS, Rule("blue\nIs it Ada?", match="colour"), *GOOD[2:])))
    assert found == {
        "speaks": True,
        "thinks": True,
        "obeys a schema": True,
        "says when a reply is cut": True,
        "counts tokens": True,
        "speed": True,
        "reads its whole context": True,
        "hears system text": True,
    }


def test_a_model_that_cannot_be_called_is_not_tried_further() -> None:
    found = list(try_model(Exact("s", [Rule("gone", finish="error")]), system_role=True))
    assert found == [Trial("speaks", False, "the call to s failed: gone")]


def test_a_silent_model_fails_to_speak() -> None:
    assert trials(Exact("s", (Rule("  "), *GOOD[1:])))["speaks"] is False


@pytest.mark.parametrize(
    "reply",
    [
        "green\nWho is Ada Lovelace?",
        "red Who is the Ada Lovelace?",
        "red\nWho is the Ada Lovelace? Yes",
        "red\nWho is Ada?",
        "Sure! Red.",
    ],
)
def test_a_grammar_that_is_ignored_is_found(reply: str) -> None:
    found = {trial.name: trial for trial in try_model(Exact("s", (SPEAKS, Rule(reply), *GOOD[2:])), system_role=True)}
    trial = found["obeys a grammar"]
    assert not trial.passed
    assert trial.seen == f"no, the server ignores it: {reply}".replace("\n", " ")


@pytest.mark.parametrize(
    "reply", ["green\nWho is Ada?", "red", "red\nWho?\nMe", '{"lines": ["red"', "red\n" + "a" * 101]
)
def test_a_schema_that_is_ignored_is_found(reply: str) -> None:
    assert trials(ScriptedModel("s", (SPEAKS, Rule(reply), *GOOD[2:])))["obeys a schema"] is False


def test_a_constrained_reply_that_does_not_end_is_found() -> None:
    endless = Rule("red\n" + "\t" * 90, match="colour", finish="length")
    found = list(try_model(Exact("s", (SPEAKS, endless, *GOOD[2:])), system_role=False))
    assert Trial("obeys a grammar", False, "the reply does not end: red") in found


def test_a_server_that_does_not_say_when_a_reply_is_cut_is_found() -> None:
    assert trials(Exact("s", (SPEAKS, OBEYS, Rule("one", times=0))))["says when a reply is cut"] is False


def test_a_tokenizer_that_is_not_the_served_one_is_found() -> None:
    class Other(Exact):
        def count_tokens(self, text: str) -> int:
            return len(text) // 3

        def complete(self, messages: Sequence[Message], **options: object) -> Completion:  # type: ignore[override]
            return Completion("one", sum(len(text) // 4 for _, text in messages), 1, "length", 0.0)

    found = {trial.name: trial for trial in try_model(Other("s", []), system_role=True)}
    assert found["counts tokens"].passed is False
    more = len(LONG[1]) - len(SHORT[1])
    used, counted = (int(word) for word in found["counts tokens"].seen.split() if word.isdecimal())
    assert abs(used - more / 4) < 1
    assert abs(counted - more / 3) < 1


def counting(count: Callable[[Sequence[Message]], int]) -> ScriptedModel:
    """A good model on a server that takes no grammar and counts so."""

    class Counting(ScriptedModel):
        def complete(self, messages: Sequence[Message], **options: object) -> Completion:  # type: ignore[override]
            reply = super().complete(messages, **options)  # type: ignore[arg-type]
            return Completion(reply.text, count(messages), 1, reply.finish, reply.seconds)

    return Counting("s", GOOD, context=2048)


def size(messages: Sequence[Message]) -> int:
    return sum(len(text) // 4 for _, text in messages)


def test_a_server_that_counts_only_what_it_has_not_cached_is_found() -> None:
    seen: set[str] = set()

    def uncached(messages: Sequence[Message]) -> int:
        new = size([message for message in messages if message[1] not in seen])
        seen.update(text for _, text in messages)
        return new

    found = {trial.name: trial for trial in try_model(counting(uncached), system_role=False)}
    # "Say: yes." has nine characters, so two tokens, and none when it was sent before.
    assert found["counts tokens"] == Trial("counts tokens", False, "no: 2 tokens, and 0 for the same prompt again")


def test_a_server_that_cuts_prompts_is_found() -> None:
    found = {trial.name: trial for trial in try_model(counting(lambda m: min(size(m), 1024)), system_role=False)}
    trial = found["reads its whole context"]
    assert not trial.passed
    assert trial.seen.endswith("it read 1024; give it more context, or set context = 1024")
    sent = int(trial.seen.split()[2])
    assert 2048 - 16 - 20 < sent <= 2048 - 16  # ten numbers more would be 12 tokens more


def test_a_server_whose_counts_say_nothing_is_found() -> None:
    found = {trial.name: trial for trial in try_model(counting(lambda messages: 5), system_role=False)}
    assert found["counts tokens"].passed is False
    assert (
        found["reads its whole context"].seen == "cannot be seen: 5 tokens for a prompt, 5 for one of twice the length"
    )


def test_a_template_that_refuses_or_drops_system_text_is_found() -> None:
    class Refusing(Exact):
        def complete(self, messages: Sequence[Message], **options: object) -> Completion:  # type: ignore[override]
            if messages[0][0] == "system":
                return super().complete([("user", "no system role")])  # type: ignore[call-arg]
            return super().complete(messages, **options)  # type: ignore[arg-type]

    class Dropping(Exact):
        def complete(self, messages: Sequence[Message], **options: object) -> Completion:  # type: ignore[override]
            return super().complete([m for m in messages if m[0] != "system"], **options)  # type: ignore[arg-type]

    dropping = list(try_model(Dropping("s", GOOD), system_role=True))
    assert dropping[-1] == Trial("hears system text", False, "no: set system_role = false in models.toml")
    assert [trial.name for trial in try_model(Dropping("s", GOOD), system_role=False)][-1] == "speed"


def test_a_model_that_thinks_gets_room_for_it() -> None:
    class Thinking(Exact):
        def complete(self, messages: Sequence[Message], *, max_tokens: int, **options: object) -> Completion:  # type: ignore[override]
            reply = super().complete(messages, max_tokens=max_tokens, **options)  # type: ignore[arg-type]
            if max_tokens > 1000:
                return Completion(reply.text, reply.prompt_tokens, 300, "stop", 0.0, thinking="Let me see.")
            return Completion("", reply.prompt_tokens, max_tokens, "length", 0.0, thinking="Let me")

    rules = (Rule("hm"), SPEAKS, *GOOD[1:])
    found = {trial.name: trial for trial in try_model(Thinking("s", rules), system_role=False)}
    assert found["speaks"] == Trial("speaks", True, "one two three")
    assert found["thinks"] == Trial("thinks", True, "yes, 300 tokens for a short reply")
    assert found["obeys a grammar"].passed


@pytest.mark.parametrize(
    ("dialect", "reply", "rest"),
    [
        ("vllm", "red\nWho is the famous Ada Lovelace?", ["counts tokens"]),
        ("endpoint", '{"lines": ["red", "Who is Ada?"]}', []),
    ],
)
def test_a_real_server(dialect: Dialect, reply: str, rest: list[str]) -> None:
    """It has a token per word, three more for its template, keeps to constraints, but counts 5 tokens for any text."""

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        if request.path == "/tokenize":
            return 200, json.dumps({"count": 5}).encode(), JSON
        words = sum(len(message["content"].split()) for message in request.body["messages"])
        usage = {"prompt_tokens": words + 3, "completion_tokens": 1}
        constrained = {"structured_outputs", "response_format"} & set(request.body)
        return (
            200,
            completion(reply if constrained else "one", finish="stop" if constrained else "length", usage=usage),
            JSON,
        )

    with serving(answer) as fake:
        model = ChatModel("m", 512, f"{fake.url}/v1", dialect=dialect)
        found = list(try_model(model, system_role=True))
        model.close()
    assert [trial.name for trial in found if not trial.passed] == rest


def test_a_server_without_usage_is_told_in_words() -> None:
    body = b'{"choices": [{"message": {"content": "one"}, "finish_reason": "stop"}]}'
    with serving(lambda request: (200, body, JSON)) as fake:
        model = ChatModel("m", 512, f"{fake.url}/v1", dialect="endpoint")
        found = list(try_model(model, system_role=True))
        model.close()
    told = "the call to m failed: the server does not tell its token counts: usage: Field required"
    assert found == [Trial("speaks", False, told)]


def test_an_embedding_must_tell_meanings_apart() -> None:
    class Flat:
        name = "flat"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

    assert [trial.passed for trial in try_embedder(Flat())] == [False]
