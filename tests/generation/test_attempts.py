from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.domain import Attempt, Call, Finding
from chattygen.errors import CallError
from chattygen.generation.attempts import Asker, ask_items, form_findings, split
from chattygen.generation.prompting import prompt_hash
from chattygen.generation.stages import QUESTIONS
from chattygen.models.model import Constraint
from chattygen.models.scripted import Rule, ScriptedModel

from .gbnf import to_regex
from .hand_made import Script, script

FACTS = ("birth date", "rank", "crew")
RULES = ('"b"', '"r"', '"c"')


CALL = Call(
    stage="questions",
    role="questions",
    model="script",
    revision="rev-1",
    attempt=1,
    prompt_hash="ab12",
    messages=(("user", "X is a captain."),),
    constraint='root ::= "b"',
    max_tokens=56,
    temperature=0.0,
    sampling_seed=1,
)


def ask(script: Script, attempts: int = 3) -> list[str | None]:
    """Ask for a line per fact; a line with `bad` in it breaks rule Q4."""

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        return (Finding("Q4", "this is bad", line),) if "bad" in line else line

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "type": "captain",
            "facts": [FACTS[index] for index in wanted],
            "findings": [raised[index] for index in wanted if index in raised],
        }

    return ask_items(script.asker(attempts=attempts), RULES, values, check, 40)


VALUES: dict[str, object] = {"type": "captain", "facts": list(FACTS), "findings": []}


def test_all_good_at_once() -> None:
    told = script("one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [[]]
    (attempt,) = told.attempts
    assert (attempt.stage, attempt.number, attempt.item) == ("questions", 1, 0)
    call = attempt.call
    assert call is not None
    assert (call.stage, call.role, call.model, call.attempt) == ("questions", "questions", "script", 1)
    assert (call.reply, call.finish, call.error) == ("one\ntwo\nthree", "stop", "")
    assert call.prompt_hash == prompt_hash("questions")
    assert [role for role, _ in call.messages] == ["system", "user"]
    assert call.prompt_tokens == sum(len(text) // 4 for _, text in call.messages)
    assert call.completion_tokens == 3  # 13 characters, a quarter of them
    assert to_regex(call.constraint).fullmatch("b\nr\nc")


def test_a_bad_item_is_asked_again_alone_with_its_finding() -> None:
    told = script("one\nbad two\nthree", "two")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["Q4"], []]
    assert [attempt.item for attempt in told.attempts] == [0, 2]
    first, second = told.prompt(1), told.prompt(2)
    assert all(fact in first for fact in FACTS)
    assert "this is bad" not in first
    assert "rank" in second
    assert "this is bad" in second
    assert "birth date" not in second
    assert "crew" not in second
    again = told.attempts[1].call
    assert again is not None
    assert again.constraint == 'root ::= l1\nl1 ::= "r"\n'


def test_only_the_last_finding_of_an_item_is_told() -> None:
    told = script("one\nbad two\nthree", "bad too", "two")
    assert ask(told) == ["one", "two", "three"]
    assert "bad too" in told.prompt(3)
    assert "bad two" not in told.prompt(3)


def test_three_attempts_and_then_none() -> None:
    told = script(Rule("one\nbad\nthree"), Rule("bad", times=0))
    assert ask(told) == ["one", None, "three"]
    assert told.rules == [["Q4"], ["Q4"], ["Q4"]]
    assert told.model.calls == 3


def test_one_attempt_when_only_one_is_allowed() -> None:
    told = script(Rule("bad\nbad\nbad", times=0))
    assert ask(told, attempts=1) == [None, None, None]
    assert told.rules == [["Q4", "Q4", "Q4"]]


def test_of_a_cut_reply_the_whole_lines_are_kept() -> None:
    told = script(Rule("one\ntwo\nthr", finish="length"), "three")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P2"], []]
    assert "crew" in told.prompt(2)
    assert "rank" not in told.prompt(2)


def test_a_whole_line_of_a_cut_reply_is_checked_too() -> None:
    told = script(Rule("one\nbad\nthr", finish="length"), "two\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P2", "Q4"], []]
    assert told.attempts[1].item == 2  # the first of those asked again


@pytest.mark.parametrize("cut", ["", "on"])
def test_a_reply_cut_in_its_first_line_gives_nothing(cut: str) -> None:
    told = script(Rule(cut, finish="length"), "one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P2"], []]
    assert told.prompt(2) == told.prompt(1) + "\nExactly one line each."  # never the same prompt twice


@pytest.mark.parametrize("nothing", ["", " \n\t\n"])
def test_an_empty_reply(nothing: str) -> None:
    told = script(nothing, "one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P3"], []]


@pytest.mark.parametrize("lines", ["one\ntwo", "Here they are:\none\ntwo\nthree", "one two three"])
def test_a_wrong_number_of_lines_is_not_guessed_at(lines: str) -> None:
    told = script(lines, "one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P1"], []]


def test_white_space_around_lines_is_nothing() -> None:
    assert ask(script("\n one\t\n  two \r\nthree\n\n")) == ["one", "two", "three"]
    assert split(" a \n b ") == ["a", "b"]
    assert split("") == [""]


@pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\r"])
def test_only_a_line_feed_ends_a_line(mark: str) -> None:
    """What the grammar lets through inside a line does not shift the lines behind it to other items."""
    assert split(f"o{mark}ne\ntwo") == [f"o{mark}ne", "two"]
    assert ask(script(f"o{mark}ne\ntwo\nthree")) == [f"o{mark}ne", "two", "three"]


def test_a_failed_call_is_recorded_and_raised() -> None:
    told = script(Rule("out of memory", finish="error"))
    with pytest.raises(CallError, match="out of memory"):
        ask(told)
    (attempt,) = told.attempts
    assert told.rules == [["P4"]]
    assert attempt.call is not None
    assert (attempt.call.finish, attempt.call.reply, attempt.call.completion_tokens) == ("error", "", 0)
    assert "out of memory" in attempt.call.error


def test_a_call_that_fails_later_leaves_the_first_on_record() -> None:
    told = script("one\nbad\nthree", Rule("gone", finish="error"))
    with pytest.raises(CallError):
        ask(told)
    assert told.rules == [["Q4"], ["P4"]]


def test_every_attempt_is_recorded_before_the_next_call() -> None:
    log: list[str] = []

    def reply(messages: object, constraint: Constraint | None) -> str:
        log.append("call")
        return "\n".join(["bad"] * (constraint.lines if constraint else 0))

    def record(attempt: Attempt) -> None:
        log.append(f"record {attempt.number}")

    asker = Asker(ScriptedModel("script", [Rule(reply, times=0)]), QUESTIONS, record)
    nothing = ask_items(
        asker,
        RULES,
        lambda wanted, raised: {"type": "captain", "facts": [], "findings": []},
        lambda index, line, accepted: (Finding("Q4", "bad"),),
        40,
    )
    assert nothing == [None, None, None]
    assert log == ["call", "record 1", "call", "record 2", "call", "record 3"]


def test_what_is_accepted_is_told_to_the_check_of_the_next_item() -> None:
    seen: list[dict[int, str]] = []

    def check(index: int, line: str, accepted: dict[int, str]) -> str:
        seen.append(dict(accepted))
        return line

    ask_items(
        script("one\ntwo\nthree").asker(),
        RULES,
        lambda wanted, raised: {"type": "captain", "facts": [], "findings": []},
        check,
        40,
    )
    assert seen == [{}, {0: "one"}, {0: "one", 1: "two"}]


def test_nothing_to_ask_costs_nothing() -> None:
    told = script()
    assert ask_items(told.asker(), [], lambda wanted, raised: {}, lambda index, line, accepted: line, 40) == []
    assert told.attempts == []


@pytest.mark.parametrize(
    ("text", "finish", "rules"),
    [
        ("title\nwork", "stop", []),
        ("title", "stop", ["P1"]),
        ("name\nwork", "stop", ["P1"]),  # not one of those offered
        ("title\nwo", "length", ["P2"]),
        ("", "stop", ["P3"]),
    ],
)
def test_the_form_of_a_reply(text: str, finish: str, rules: list[str]) -> None:
    call = replace(CALL, reply=text, finish="length" if finish == "length" else "stop")
    constraint = Constraint("", 2, (("title",), ("work", "place")))
    assert [finding.rule for finding in form_findings(call, constraint)] == rules


def test_p5_a_prompt_that_does_not_fit_is_not_sent() -> None:
    """The scripted model counts a quarter of the characters; 40 tokens a line and 16 are kept for the reply."""
    told = script("one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    assert told.attempts[0].call is not None
    size = sum(len(text) for _, text in told.attempts[0].call.messages)
    recorded: list[Attempt] = []
    model = ScriptedModel("script", [Rule("one\ntwo\nthree", times=0)], context=size // 4 + 136 + 64 - 10)
    asker = Asker(model, QUESTIONS, recorded.append, attempts=2)
    values = {"type": "captain", "facts": list(FACTS), "findings": []}
    assert ask_items(asker, RULES, lambda wanted, raised: values, lambda index, line, accepted: line, 40) == [None] * 3
    assert [(attempt.call, [finding.rule for finding in attempt.findings]) for attempt in recorded] == [
        (None, ["P5"]),
        (None, ["P5"]),
    ]
    assert model.calls == 0


def test_a_remembered_reply_costs_no_call() -> None:
    told = script("one\ntwo\nthree")
    first = ask(told)
    [attempt] = told.attempts
    stored = attempt.call
    assert stored is not None
    remembered: list[tuple[Call, int]] = []

    def recall(call: Call, item: int) -> Call | None:
        remembered.append((call, item))
        return replace(stored, reused=True) if call.request == stored.request else None

    again = script()  # this one has nothing to say
    asker = replace(again.asker(), recall=recall)
    assert ask_items(asker, RULES, lambda wanted, raised: VALUES, lambda index, line, accepted: line, 40) == first
    assert [(call.reply, item) for call, item in remembered] == [("", 0)]
    assert again.model.calls == 0
    assert [attempt.call.reused for attempt in again.attempts if attempt.call] == [True]


def test_a_remembered_bad_reply_is_not_taken_for_its_repair() -> None:
    """The second attempt is another request than the first, although it asks for the same."""
    told = script("", "one\ntwo\nthree")
    assert ask(told) == ["one", "two", "three"]
    requests = [attempt.call.request for attempt in told.attempts if attempt.call]
    assert len(set(requests)) == 2


CHANGES = {
    "model": st.text(),
    "revision": st.text(),
    "attempt": st.integers(),
    "messages": st.lists(st.tuples(st.sampled_from(["system", "user"]), st.text())).map(tuple),
    "constraint": st.text(),
    "max_tokens": st.integers(),
    "temperature": st.floats(0, 2),
    "sampling_seed": st.integers(),
}


@given(data=st.data(), field=st.sampled_from(sorted(CHANGES)))
def test_a_call_that_asks_anything_else_is_another_request(data: st.DataObject, field: str) -> None:
    value = data.draw(CHANGES[field])
    changed = replace(CALL, **{field: value})
    assert (changed.request == CALL.request) == (value == getattr(CALL, field))
    answered = replace(CALL, reply="b", finish="stop", prompt_tokens=9, seconds=1.5, stage="other", reused=True)
    assert answered.request == CALL.request
