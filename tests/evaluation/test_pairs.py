"""Pairs of dialogues before a judge: both orders, pairing, and dialogues out of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chattygen.errors import ConfigError
from chattygen.evaluation.pairs import Choice, Judged, Talk, judge_pair, pair_up, read_talks, talk
from chattygen.models.scripted import Rule
from tests.evaluation.test_judge import Book, judge


def made(id: str, seed: str = "s", *said: str) -> Talk:
    return Talk(id, seed, said or (f"What is {id}?",), frozenset())


def said(fluency: object, clarity: object, variety: object) -> str:
    return f"fluency: {fluency}\nclarity: {clarity}\nvariety: {variety}"


def chosen(*rules: Rule) -> tuple[tuple[Choice, Choice], ...]:
    return judge_pair(judge(Book(), *rules), made("good"), made("bad")).chosen


def test_a_judge_with_an_opinion() -> None:
    """It finds `good` more fluent and `bad` more varied, wherever they stand."""
    first = Rule(said(1, 1, 2), match=r"Interviewer 1:\n- What is good")
    second = Rule(said(2, 2, 1), match=r"Interviewer 1:\n- What is bad")
    assert chosen(first, second) == (("A", "A"), ("A", "A"), ("B", "B"))


def test_a_judge_that_looks_at_the_place() -> None:
    assert chosen(Rule(said(1, 2, 1), times=2)) == (("A", "B"), ("B", "A"), ("A", "B"))


def test_a_reply_that_is_none_of_the_words() -> None:
    assert chosen(Rule(said(1, 7, 1)), Rule("I like both.")) == (("A", None), (None, None), ("A", None))


def test_what_the_judge_reads() -> None:
    book = Book()
    pair = made("d1", "s", "When was Ada born?", "And where?"), made("d2", "s", "Who is Ada?")
    judged = judge_pair(judge(book, Rule(said(1, 1, 1), times=2)), *pair)
    assert (judged.a, judged.b, judged.alike) == ("d1", "d2", False)
    assert judged.calls == tuple(call for call, _ in book.written)
    assert [(about.dialogue, about.other) for _, about in book.written] == [("d1", "d2"), ("d2", "d1")]
    assert [call.messages[1][1] for call, _ in book.written] == [
        "Interviewer 1:\n- When was Ada born?\n- And where?\n\nInterviewer 2:\n- Who is Ada?\n\n"
        "Which is better, 1 or 2? Three lines: fluency, clarity, variety.",
        "Interviewer 1:\n- Who is Ada?\n\nInterviewer 2:\n- When was Ada born?\n- And where?\n\n"
        "Which is better, 1 or 2? Three lines: fluency, clarity, variety.",
    ]


def test_two_that_say_the_same_are_not_asked_about() -> None:
    book = Book()
    judged = judge_pair(judge(book, Rule(said(1, 2, 1))), made("d1", "s", "Who?"), made("d2", "s", "Who?"))
    assert judged == Judged("d1", "d2", True, ((None, None),) * 3, ())
    assert book.written == []


def test_pairs_are_about_one_entity() -> None:
    a = [made("a1", "x"), made("a2", "y"), made("a3", "x"), made("a4", "x"), made("a5", "z")]
    b = [made("b1", "z"), made("b2", "x"), made("b3", "x"), made("b4", "q")]
    assert [(one.id, other.id) for one, other in pair_up(a, b)] == [("a1", "b2"), ("a3", "b3"), ("a5", "b1")]
    assert pair_up(a, []) == []
    assert pair_up([], b) == []


def test_a_dialogue_is_shown_line_by_line() -> None:
    models = {"label": "l", "questions": "q", "sparql": "q", "dialogue": "d", "judge": "j"}
    assert talk("d1", "s", ["Who is\n Ada?  "], models) == Talk("d1", "s", ("Who is Ada?",), frozenset("qd"))


def record(id: str, *utterances: str) -> dict[str, object]:
    turns = [{"n": n, "utterance": text, "kind": "who"} for n, text in enumerate(utterances, 1)]
    return {"id": id, "seed": {"iri": f"http://e.org/{id}", "label": id}, "turns": turns}


def test_dialogues_out_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    models = {"questions": "big", "sparql": "big", "dialogue": "other"}
    lines = [
        json.dumps(record("ann", "Who is Ann?", "And then?")),
        "",
        json.dumps(record("bo", "Bo?") | {"models": models}),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_talks(path) == [
        Talk("ann", "http://e.org/ann", ("Who is Ann?", "And then?"), frozenset()),
        Talk("bo", "http://e.org/bo", ("Bo?",), frozenset({"big", "other"})),
    ]
    path.write_text("")
    assert read_talks(path) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON: Expecting property name"),
        ("[1]", "got [1]"),
        (json.dumps(record("ann")), "key turns: got []"),
        (json.dumps({"id": "ann", "turns": []}), "key seed: got {'id': 'ann'"),
        (json.dumps(record("ann", "x") | {"turns": [{"text": "x"}]}), "key turns.0.utterance: got"),
    ],
)
def test_a_line_that_is_no_dialogue(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(record("ann", "Who is Ann?")) + "\n" + line, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read_talks(path)
    assert refused.value.message.startswith(f"{path}, line 2: {message}")
    assert refused.value.hint


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl cannot be read: .*No such file"):
        read_talks(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}')
    with pytest.raises(ConfigError, match=r"latin\.jsonl cannot be read: 'utf-8' codec"):
        read_talks(tmp_path / "latin.jsonl")
