"""A model that marks replies: what it reads, in which order, and what counts as a verdict."""

from __future__ import annotations

import pytest

from chattygen.domain import Answer
from chattygen.errors import CallError
from chattygen.evaluation.judge import About
from chattygen.evaluation.marker import Mark, mark
from chattygen.models.scripted import Rule
from tests.evaluation.test_judge import Book, judge

ABOUT = About("d1", turn=2)
QUESTION = "Where was Marie Curie born?"
WARSAW = [Answer("uri", "http://example.org/warsaw", "Warsaw")]


def put(book: Book, *rules: Rule, answers: list[Answer] = WARSAW, reply: str = "Varsovie") -> Mark:
    return mark(judge(book, *rules), ABOUT, QUESTION, answers, reply)


def test_what_the_judge_reads() -> None:
    book = Book()
    put(book, Rule("yes", times=0), reply="It was\n  Varsovie.\nyes")
    [(first, about), (second, _)] = book.written
    assert (first.stage, first.role, about) == ("mark", "judge", ABOUT)
    assert first.messages[0][0] == "system"
    assert first.messages[1][1].splitlines() == [
        "Question: Where was Marie Curie born?",
        "Right answer: Warsaw",
        "Reply: It was Varsovie. yes",
        "",
        "Is the reply correct? One word: yes or no.",
    ]
    assert second.messages[1][1].splitlines()[:-1] == first.messages[1][1].splitlines()[:-1]
    assert second.messages[1][1].splitlines()[-1] == "Is the reply correct? One word: no or yes."
    assert first.constraint == 'root ::= l1\nl1 ::= ("yes" | "no")\n'


@pytest.mark.parametrize(
    ("first", "second", "words", "verdict"),
    [
        ("yes", "yes", ("yes", "yes"), "right"),
        ("no", "no", ("no", "no"), "wrong"),
        ("yes", "no", ("yes", "no"), "undecided"),
        ("no", "yes", ("no", "yes"), "undecided"),
        ("yes", "Yes, it is.", ("yes", None), "undecided"),
        ("", "", (None, None), "undecided"),
        (" no \n", "no", ("no", "no"), "wrong"),
    ],
)
def test_verdicts(first: str, second: str, words: tuple[str | None, str | None], verdict: str) -> None:
    book = Book()
    given = put(book, Rule(first, "yes or no"), Rule(second, "no or yes"))
    assert (given.words, given.verdict) == (words, verdict)
    assert [call.reply for call in given.calls] == [first, second]


def test_several_answers_are_all_shown() -> None:
    book = Book()
    answers = [Answer("literal", str(n), "") for n in range(52)]
    put(book, Rule("yes", times=0), answers=answers[:2])
    assert "Right answers, all of them: 0; 1" in book.written[0][0].messages[1][1].splitlines()
    put(book, Rule("yes", times=0), answers=answers)
    shown = "Right answers, all of them: " + "; ".join(map(str, range(50))) + "; and 2 more"
    assert shown in book.written[-1][0].messages[1][1].splitlines()


def test_a_long_reply_is_cut_and_none_is_right_where_there_is_no_answer() -> None:
    book = Book()
    put(book, Rule("yes", times=0), answers=[], reply="x" * 3000)
    lines = book.written[0][0].messages[1][1].splitlines()
    assert lines[1] == "Right answer: none"
    assert lines[2] == "Reply: " + "x" * 2000


def test_nothing_is_asked_twice() -> None:
    book = Book()
    put(book, Rule("yes", times=0))
    again = put(book, Rule("no", times=0))
    assert again.verdict == "right"
    assert len(book.written) == 2
    assert [call.reused for call in again.calls] == [True, True]


def test_a_prompt_that_does_not_fit_is_not_sent() -> None:
    book = Book()
    given = mark(judge(book, Rule("yes", times=0), context=1100), ABOUT, QUESTION, WARSAW, "x" * 2000)
    assert (given.verdict, given.calls, book.written) == ("undecided", (), [])


def test_a_call_that_fails() -> None:
    book = Book()
    with pytest.raises(CallError):
        mark(judge(book), ABOUT, QUESTION, WARSAW, "Varsovie")
