"""A turn before a judge: everything that a person sees too, and the verdicts that a person can give."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from chattygen.domain import Answer
from chattygen.evaluation.turns import VERDICTS, fact_words, judge_turn
from chattygen.models.scripted import Rule
from chattygen.results.audits import TurnJudgement
from tests.evaluation.test_judge import Book, judge
from tests.results.hand_made import BORN, CURIE, CURIE_DIALOGUE, PRIZES

TURNS = CURIE_DIALOGUE.turns


def test_what_the_judge_reads() -> None:
    book = Book()
    judged = judge_turn(judge(book, Rule("sounds-wrong")), "d1", CURIE, TURNS)
    assert judged.words == ("sounds-wrong",)
    [(call, about)] = book.written
    assert (call.stage, about.dialogue, about.other, about.turn) == ("audit", "d1", "", 2)
    assert call.messages[1][1].splitlines() == [
        "The dialogue is about Marie Curie (laureate).",
        "Earlier: When was Marie Curie born?",
        "The question: Which prizes did she receive?",
        "It stands for: Which prizes did Marie Curie receive?",
        "Its fact: ? -> laureate -> Marie Curie",
        "Its query: SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }",
        "The answers: Chemistry 1911; Physics 1903",
        "",
        "One verdict: right, sounds-wrong, asks-else or wrong-answer.",
    ]


def test_the_first_turn_has_none_before_it() -> None:
    book = Book()
    assert judge_turn(judge(book, Rule("right")), "d1", CURIE, TURNS[:1]).words == ("right",)
    assert "Earlier" not in book.written[0][0].messages[1][1]


@pytest.mark.parametrize("reply", ["Right", "right\nright", "right, I think", ""])
def test_no_verdict(reply: str) -> None:
    assert judge_turn(judge(Book(), Rule(reply)), "d1", CURIE, TURNS).words == (None,)


def test_many_answers_and_none() -> None:
    book = Book()
    for count, shown in ((0, "none"), (10, "; ".join("0123456789")), (12, "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; and 2 more")):
        answers = tuple(Answer("literal", str(n), "") for n in range(count))
        turn = replace(TURNS[0], query=replace(TURNS[0].query, answers=answers))
        judge_turn(judge(book, Rule("right")), "d1", CURIE, (turn,))
        assert f"The answers: {shown}" in book.written[-1][0].messages[1][1].splitlines()


def test_a_fact_in_words() -> None:
    assert fact_words(BORN, CURIE) == "Marie Curie -> birth date -> ?"
    assert fact_words(PRIZES, CURIE) == "? -> laureate -> Marie Curie"


def test_a_judge_and_a_person_have_the_same_verdicts() -> None:
    assert get_args(TurnJudgement) == VERDICTS
