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
from tests.results.hand_made import ADA, ADA_DIALOGUE, CURIE, CURIE_DIALOGUE, HOP, MOST, PRIZES

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
    born, prizes = (turn.question for turn in TURNS)
    assert fact_words(born, CURIE) == "Marie Curie -> birth date -> ?"
    assert fact_words(prizes, CURIE) == "? -> laureate -> Marie Curie"
    tested = replace(prizes, form="yes-no", tested=PRIZES.values[0])
    assert fact_words(tested, CURIE) == "Physics 1903 -> laureate -> Marie Curie"


def test_two_facts_in_words() -> None:
    _, hop, tested, condition, most, _ = (fact_words(turn.question, ADA) for turn in ADA_DIALOGUE.turns)
    assert hop == "Ada Berg -> mentor -> ? -> birth place -> ?"
    assert tested == "Ada Berg -> birth place -> Bergen"
    assert condition == "Ada Berg <- captain <- ? -> launch year -> 1999"
    assert most == "Ada Berg <- captain <- ? -> launch year -> the greatest"
    least = replace(ADA_DIALOGUE.turns[4].question, beyond=replace(MOST, kind="least"))
    assert fact_words(least, ADA) == "Ada Berg <- captain <- ? -> launch year -> the smallest"
    inward = replace(HOP, fact=replace(HOP.fact, predicate_label="author", direction="in"))
    assert fact_words(replace(ADA_DIALOGUE.turns[1].question, beyond=inward), ADA) == (
        "Ada Berg -> mentor -> ? <- author <- ?"
    )


def test_a_turn_that_the_graph_cannot_answer_is_meant_so() -> None:
    book = Book()
    judge_turn(judge(book, Rule("right")), "d1", ADA, ADA_DIALOGUE.turns)
    shown = book.written[0][0].messages[1][1].splitlines()
    assert "The answers: none; this turn is one that the graph cannot answer" in shown
    assert "Its fact: Ada Berg -> death date -> ?" in shown


def test_a_judge_and_a_person_have_the_same_verdicts() -> None:
    assert get_args(TurnJudgement) == VERDICTS
