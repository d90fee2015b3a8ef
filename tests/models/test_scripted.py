"""The scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.errors import CallError, ConfigError
from chattygen.models.model import Constraint, Message
from chattygen.models.scripted import Rule, ScriptedModel, load_script

ASK: Message = ("user", "Who is Ada?")


def test_the_first_rule_that_matches_and_is_not_used_up_answers() -> None:
    model = ScriptedModel("s", [Rule("one", match="Ada"), Rule("two", match="Bob"), Rule("any", times=0)])
    assert [model.complete([ASK], max_tokens=9).text for _ in range(3)] == ["one", "any", "any"]
    assert model.complete([("user", "Bob?")], max_tokens=9).text == "two"
    assert model.calls == 4


def test_only_the_last_user_message_is_matched_and_tokens_are_a_quarter_of_the_characters() -> None:
    model = ScriptedModel("s", [Rule("wrong", match="first"), Rule("right words")])
    completion = model.complete(
        [("system", "12345678"), ("user", "first"), ("assistant", "1234"), ("user", "last")], max_tokens=9
    )
    assert completion.text == "right words"
    assert (completion.prompt_tokens, completion.completion_tokens, completion.finish) == (2 + 1 + 1 + 1, 2, "stop")


def test_a_reply_can_be_computed_cut_or_an_error() -> None:
    def count(messages: object, constraint: Constraint | None) -> str:
        return "line\n" * (constraint.lines if constraint else 0)

    model = ScriptedModel("s", [Rule(count), Rule("half", finish="length"), Rule("no memory", finish="error")])
    assert model.complete([ASK], constraint=Constraint("", 2), max_tokens=9).text == "line\nline\n"
    assert model.complete([ASK], max_tokens=9).finish == "length"
    with pytest.raises(CallError, match="the call to s failed: no memory"):
        model.complete([ASK], max_tokens=9)
    with pytest.raises(CallError, match=r"no reply left for: 'Who is Ada\?'"):
        model.complete([ASK], max_tokens=9)


def test_a_script_is_read_from_toml_and_from_jsonl(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[[rules]]\nmatch = "Ada"\nreply = "Yes"\ntimes = 2\n')
    (tmp_path / "a.jsonl").write_text('{"match": "Ada", "reply": "Yes", "times": 2}\n\n')
    for name in ("a.toml", "a.jsonl"):
        model = load_script("s", tmp_path / name, 100)
        assert model.context == 100
        assert [model.complete([ASK], max_tokens=1).text for _ in range(2)] == ["Yes", "Yes"]
        with pytest.raises(CallError):
            model.complete([ASK], max_tokens=1)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"reply": "x"}\n{"reply": 3}\n', "line 2: key reply: got 3"),
        ("a.jsonl", '{"reply": \n', "line 1: not JSON"),
        ("a.jsonl", "[1]\n", r"line 1: got \[1\]"),
        ("a.toml", '[[rules]]\nreply = "x"\nfinish = "never"\n', r"key rules\.0\.finish: got 'never'"),
    ],
)
def test_a_wrong_script_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_script("s", tmp_path / name, 100)
