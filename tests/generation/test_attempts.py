from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.domain import Attempt, Call, Finding
from chattygen.errors import CallError
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.form import form_findings, prompt_cut, split, whole_lines
from chattygen.generation.gbnf import to_regex
from chattygen.generation.grammar import TEXT
from chattygen.generation.prompting import prompt_hash
from chattygen.generation.stages import QUESTIONS
from chattygen.models.chat import ChatModel
from chattygen.models.model import Constraint
from chattygen.models.scripted import Rule, ScriptedModel
from chattygen.models.spelling import Dialect
from tests.models.fake_server import JSON, Answer, Request, ResetInTheMiddle, completion, serving

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
    told = script("one\nbad\nthree", "bad too", "bad again")
    assert ask(told) == ["one", None, "three"]
    assert told.rules == [["Q4"], ["Q4"], ["Q4"]]
    assert told.model.calls == 3


def test_an_item_that_is_refused_twice_for_the_same_words_is_not_asked_again() -> None:
    told = script("bad one\nbad\nthree", "bad too\nbad", "one")
    assert ask(told) == ["one", None, "three"]
    assert told.rules == [["Q4", "Q4"], ["Q4", "Q4"], []]
    assert [attempt.item for attempt in told.attempts] == [0, 1, 1]
    assert told.repairs == {1: ("model", "Q4"), 2: ("builder", "Q4")}


def test_one_attempt_when_only_one_is_allowed() -> None:
    told = script(Rule("bad\nbad\nbad", times=0))
    assert ask(told, attempts=1) == [None, None, None]
    assert told.rules == [["Q4", "Q4", "Q4"]]


@pytest.mark.parametrize(
    ("replies", "repairs"),
    [
        ([Rule("one\ntwo\nthree")], {}),
        ([Rule("one\nbad\nthree"), Rule("two")], {2: ("model", "Q4")}),
        ([Rule("one\nbad\nthree"), Rule("bad too"), Rule("two")], {2: ("model", "Q4")}),
        ([Rule("bad\ntwo\nbad"), Rule("one\nbad"), Rule("bad")], {1: ("model", "Q4"), 3: ("builder", "Q4")}),
        ([Rule("one\ntwo\nthr", finish="length"), Rule("three")], {3: ("model", "P2")}),
        (
            [Rule("one\nbad\nthr", finish="length"), Rule("two\nbad"), Rule("x\ny")],
            {2: ("model", "Q4"), 3: ("builder", "P2")},
        ),
        ([Rule("one"), Rule("one\ntwo\nthree")], {1: ("model", "P1"), 2: ("model", "P1"), 3: ("model", "P1")}),
    ],
)
def test_what_did_not_pass_at_once_is_told_with_the_first_rule(
    replies: list[Rule], repairs: dict[int, tuple[str, str]]
) -> None:
    told = script(*replies)
    ask(told)
    assert told.repairs == repairs


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
        return "\n".join([f"bad {len(log)}"] * (constraint.lines if constraint else 0))

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
    assert [finding.rule for finding in form_findings(call, constraint, exact=False)] == rules


@pytest.mark.parametrize(
    ("reply", "rules"),
    [
        ("red\nWho is X?", []),
        (" red\nWho is X?\n", []),
        ("red\nWho is she?", ["P8"]),
        ("green\nWho is X?", ["P8", "P1"]),
        ("Sure! Here is one:\nred\nWho is X?", ["P8", "P1"]),
        ("", ["P3"]),
    ],
)
def test_p8_what_a_server_that_takes_grammars_lets_through(reply: str, rules: list[str]) -> None:
    constraint = Constraint(
        'root ::= l1 "\\n" l2\nl1 ::= ("red" | "blue")\nl2 ::= "Who is X?"\n', 2, (("red", "blue"), ())
    )
    call = replace(CALL, reply=reply, finish="stop")
    raised = form_findings(call, constraint, exact=True)
    assert [finding.rule for finding in raised] == rules
    told = [finding.message for finding in raised if finding.rule == "P8"]
    assert told == ["the server did not keep to the grammar"][: len(told)]


def test_p8_lines_that_a_stage_accepts_are_used_all_the_same() -> None:
    told = script("one\ntwo\nthree")
    told.model.exact = True  # the rules are "b", "r" and "c"
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P8"]]


@pytest.mark.parametrize(
    ("reply", "thinking", "rule", "message"),
    [
        ("When was X bo", "", "P2", "the reply was cut at the token limit"),
        ("", "Let me see", "P2", "the reply was cut at the token limit: it is nothing but thinking"),
        ("When was X born?" + " " * 19, "", "P2", "the reply was cut at the token limit"),
        ("When was X born?" + " \n" * 10, "", "P7", "the reply went on in white space up to the token limit"),
        ("\t" * 20, "", "P7", "the reply went on in white space up to the token limit"),
    ],
)
def test_p7_white_space_up_to_the_limit_is_told_from_a_cut(reply: str, thinking: str, rule: str, message: str) -> None:
    call = replace(CALL, reply=reply, thinking=thinking, finish="length")
    (finding,) = form_findings(call, Constraint("", 1), exact=False)
    assert (finding.rule, finding.message) == (rule, message)


@pytest.mark.parametrize(
    ("prompt_tokens", "counted", "cut"),
    [
        (100, None, False),  # six characters a token
        (99, None, True),
        (150, None, False),
        (270, 300, False),  # nine tenths
        (269, 300, True),
        (400, 300, False),
    ],
)
def test_p6_a_server_that_counts_too_few_tokens_has_cut_the_prompt(
    prompt_tokens: int, counted: int | None, cut: bool
) -> None:
    call = replace(CALL, messages=(("system", "a" * 500), ("user", "b" * 100)), prompt_tokens=prompt_tokens)
    raised = prompt_cut(call, counted)
    assert [finding.rule for finding in raised] == ["P6"] * cut
    if cut:
        least = 100 if counted is None else 270
        start = f"the server counts {prompt_tokens} tokens in a prompt that has at least {least}: it cut the prompt"
        assert raised[0].message.startswith(start)


def limits(told: Script) -> list[int]:
    return [attempt.call.max_tokens for attempt in told.attempts if attempt.call]


def test_a_cut_reply_is_asked_again_with_twice_the_room_once() -> None:
    """40 tokens a line and 16 for the rest."""
    told = script(Rule("on", finish="length"), Rule("one\ntwo\nthr", finish="length"), "three")
    assert ask(told) == ["one", "two", "three"]
    assert limits(told) == [136, 272, 112]


def test_white_space_is_not_given_more_room() -> None:
    told = script(Rule("one\ntwo\n" + "\n" * 20, finish="length"), "three")
    assert ask(told) == ["one", "two", "three"]
    assert told.rules == [["P7"], []]
    assert limits(told) == [136, 56]


# ---------------------------------------------------------------------------------------------------------------------
# Calls that fail, by a real client and a real server on loopback


def answers(*bodies: Answer | type[Exception]) -> Callable[[Request], Answer]:
    """The answers in their order, the last one for ever."""
    left = list(bodies)

    def answer(request: Request) -> Answer:
        body = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(body, type):
            raise body
        return body

    return answer


@dataclass
class Told:
    """What a call came to: the reply or the error, its recorded tries, and the seconds waited."""

    lines: list[str | None]
    error: CallError | None
    attempts: list[Attempt]
    waits: list[float]
    requests: list[Request]

    @property
    def rules(self) -> list[list[str]]:
        return [[finding.rule for finding in attempt.findings] for attempt in self.attempts]


def ask_server(
    answer: Callable[[Request], Answer], *, dialect: Dialect = "vllm", timeout: float = 5, context: int = 4096
) -> Told:
    """Ask for two lines of free text."""
    recorded: list[Attempt] = []
    waits: list[float] = []
    error, found = None, []
    with serving(answer) as fake:
        model = ChatModel("m", context, f"{fake.url}/v1", dialect=dialect, timeout=timeout)
        asker = Asker(model, QUESTIONS, recorded.append, attempts=3, wait=waits.append)
        rule = f"{TEXT}{{3,20}}"
        try:
            found = ask_items(asker, [rule] * 2, lambda wanted, raised: VALUES, lambda index, line, accepted: line, 40)
        except CallError as failure:
            error = failure
        finally:
            model.close()
    return Told(found, error, recorded, waits, fake.requests)


GOOD = (200, completion("one\ntwo"), JSON)
BUSY = (429, b"slow down", {"Retry-After": "7"})


@pytest.mark.parametrize(
    ("failures", "waits"),
    [
        ([(500, b"oops", {}), (500, b"oops", {})], [1.0, 5.0]),
        ([(502, b"", {}), (503, b"loading", {})], [1.0, 5.0]),
        ([BUSY, BUSY], [7.0, 7.0]),
        ([(429, b"", {"Retry-After": "3"}), (429, b"", {"Retry-After": "3"})], [3.0, 5.0]),
        ([(429, b"", {"Retry-After": "86400"})], [60.0]),
        ([ResetInTheMiddle], [1.0]),
        ([(200, completion("one\nt", finish="abort"), JSON)], [1.0]),
    ],
)
def test_a_failure_that_may_pass_is_tried_again_and_each_try_is_recorded(
    failures: list[Answer | type[Exception]], waits: list[float]
) -> None:
    told = ask_server(answers(*failures, GOOD))
    assert told.lines == ["one", "two"]
    assert told.waits == waits
    assert told.rules == [["P4"]] * len(failures) + [[]]
    assert len(told.requests) == len(failures) + 1
    assert {attempt.number for attempt in told.attempts} == {1}
    for attempt in told.attempts[:-1]:
        assert attempt.call is not None
        assert attempt.call.finish == "error"
        assert attempt.call.error == attempt.findings[0].evidence
        assert attempt.call.error.startswith("the call to m failed: ")


def test_a_server_that_stays_broken_ends_it_after_three_tries() -> None:
    told = ask_server(answers((500, b"oops", {})))
    assert told.error is not None
    assert told.error.message == "the call to m failed: status 500: oops"
    assert told.rules == [["P4"]] * 3
    assert told.waits == [1.0, 5.0]


def test_a_server_that_never_answers_ends_it_after_three_tries() -> None:
    release = threading.Event()

    def answer(request: Request) -> Answer:
        release.wait(10)
        return GOOD

    threading.Timer(2, release.set).start()
    told = ask_server(answer, timeout=0.2)
    assert told.error is not None
    assert told.error.message == "the call to m failed: no answer in time"
    assert told.rules == [["P4"]] * 3


@pytest.mark.parametrize("failure", [(400, b"too long", {}), (401, b"", {}), (404, b"", {}), (200, b"<html>", JSON)])
def test_a_failure_that_would_come_again_is_not_tried_again(failure: Answer) -> None:
    told = ask_server(answers(failure, GOOD))
    assert told.error is not None
    assert told.rules == [["P4"]]
    assert told.waits == []
    assert len(told.requests) == 1


def test_a_stop_while_waiting_is_heeded() -> None:
    class Stop(Exception):
        pass

    def stop(seconds: float) -> None:
        raise Stop

    recorded: list[Attempt] = []
    with serving(answers(BUSY)) as fake:
        model = ChatModel("m", 4096, f"{fake.url}/v1", dialect="vllm")
        asker = Asker(model, QUESTIONS, recorded.append, wait=stop)
        with pytest.raises(Stop):
            ask_items(asker, ['"b"'], lambda wanted, raised: VALUES, lambda index, line, accepted: line, 40)
        model.close()
    assert len(fake.requests) == 1
    assert [finding.rule for attempt in recorded for finding in attempt.findings] == ["P4"]


def test_white_space_for_ever_ends_at_the_token_limit_and_is_bounded() -> None:
    """The server writes a tab for every token that it may."""

    def answer(request: Request) -> Answer:
        return 200, completion("\t" * request.body["max_tokens"], finish="length"), JSON

    told = ask_server(answer)
    assert told.lines == [None, None]
    assert told.rules == [["P7"], ["P7"], ["P7"]]
    assert [request.body["max_tokens"] for request in told.requests] == [96, 96, 96]  # 40 a line and 16


@pytest.mark.parametrize(
    ("reply", "whole"),
    [
        ("one\ntwo\nthr", ["one", "two"]),
        ("one\ntwo\n", ["one", "two"]),
        (" one\n\t\n\n\n", ["one"]),
        ("one   ", []),
        ("\n\n\n", []),
        ("", []),
    ],
)
def test_of_a_cut_reply_a_line_is_whole_when_a_line_break_ends_it(reply: str, whole: list[str]) -> None:
    for rule in ("P2", "P7"):
        assert whole_lines(reply, [Finding(rule, "cut")]) == whole


def test_json_that_is_cut_gives_its_whole_lines() -> None:
    cut = completion('{"lines": ["one", "tw', finish="length")
    told = ask_server(answers((200, cut, JSON), (200, completion('{"lines": ["two"]}'), JSON)), dialect="endpoint")
    assert told.lines == ["one", "two"]
    assert told.rules == [["P2"], []]
    assert [request.body["max_tokens"] for request in told.requests] == [96, 112]


def test_thinking_only_is_cut_and_gets_room_to_think() -> None:
    thinks = completion("<think>Let me see", finish="length")
    told = ask_server(answers((200, thinks, JSON), GOOD))
    assert told.lines == ["one", "two"]
    assert told.rules == [["P2"], []]
    assert [request.body["max_tokens"] for request in told.requests] == [96, 192 + 1024]
    assert told.attempts[0].call is not None
    assert told.attempts[0].call.thinking == "Let me see"


def test_an_ignored_grammar_is_found_and_bounded() -> None:
    told = ask_server(answers((200, completion("Sure! Here are two questions for you."), JSON)))
    assert told.lines == [None, None]
    assert told.rules == [["P8", "P1"]] * 3
    assert [request.body["structured_outputs"] for request in told.requests] == [
        {"grammar": told.attempts[0].call.constraint}  # type: ignore[union-attr]
    ] * 3


def test_a_prompt_that_the_server_cuts_is_not_taken_for_an_answer() -> None:
    """The prompt has more than 360 characters, so at least 60 tokens; of it the server reads 40."""
    usage = {"prompt_tokens": 40, "completion_tokens": 3}
    told = ask_server(answers((200, completion('{"lines": ["one", "two"]}', usage=usage), JSON)), dialect="endpoint")
    assert told.lines == [None, None]
    assert told.rules == [["P6"]] * 3
    assert told.attempts[0].call is not None
    assert sum(len(text) for _, text in told.attempts[0].call.messages) > 360
    assert told.attempts[0].call.reply == "one\ntwo"


def test_a_prompt_is_counted_only_when_it_may_not_fit_and_then_compared() -> None:
    """Of each context 96 tokens are kept for the reply and 64 for the chat template; the prompt has some 400 bytes."""
    said = completion("one\ntwo", usage={"prompt_tokens": 260, "completion_tokens": 3})

    def answer(request: Request) -> Answer:
        return (200, b'{"count": 300}', JSON) if request.path == "/tokenize" else (200, said, JSON)

    wide = ask_server(answer, context=1000)
    assert [request.path for request in wide.requests] == ["/v1/chat/completions"]
    assert wide.rules == [[]]
    narrow = ask_server(answer, context=500)
    assert [request.path for request in narrow.requests[:2]] == ["/tokenize", "/v1/chat/completions"]
    assert narrow.rules == [["P6"]] * 3
    none = ask_server(answer, context=440)
    assert [request.path for request in none.requests] == ["/tokenize"]
    assert none.rules == [["P5"]]


def test_a_count_that_fails_is_recorded_and_tried_again_too() -> None:
    told = ask_server(answers((503, b"", {}), (200, b'{"count": 300}', JSON), GOOD), context=500)
    assert told.lines == ["one", "two"]
    assert told.rules == [["P4"], []]


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
    assert [(attempt.call, [finding.rule for finding in attempt.findings]) for attempt in recorded] == [(None, ["P5"])]
    assert recorded[0].findings[0].message == f"the prompt has {size // 4} tokens, but only {size // 4 - 10} fit"
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
