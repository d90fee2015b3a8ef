"""The JSON of ConvQuestions, read as its readers do."""

from __future__ import annotations

import json
from dataclasses import replace

from chattygen.domain import Answer
from chattygen.results.formats.convquestions import write
from tests.results.formats.made import ADA, CURIE, SHIP, text, with_answers


def test_a_conversation_a_dialogue() -> None:
    first, second = json.loads(text(write, CURIE, SHIP))
    assert first == {
        "conv_id": 1,
        "domain": "laureate",
        "seed_entity": "http://example.org/marie",
        "seed_entity_text": "Marie Curie",
        "questions": [
            {
                "turn": 0,
                "question_id": "1-0",
                "question": "When was Marie Curie born?",
                "answer": "1867-11-07",
                "answer_text": "7 November 1867",
                "completed": "When was Marie Curie born?",
            },
            {
                "turn": 1,
                "question_id": "1-1",
                "question": "Which prizes did she receive?",
                "answer": "http://example.org/chemistry1911;http://example.org/physics1903",
                "answer_text": "Chemistry 1911;Physics 1903",
                "completed": "Which prizes did Marie Curie receive?",
            },
        ],
        "dialogue": "nobel-20261130-101502-3f2a-1",
    }
    assert [question["answer"] for question in second["questions"]] == ["41", "No"]
    assert [question["answer_text"] for question in second["questions"]] == ["41", "No"]
    assert json.loads(text(write)) == []


def test_yes_is_yes() -> None:
    turn = SHIP.turns[1]
    said = replace(turn, query=replace(turn.query, answers=(Answer("boolean", "true", "ja"),)))
    (told,) = json.loads(text(write, replace(SHIP, turns=(said,))))
    assert (told["questions"][0]["answer"], told["questions"][0]["answer_text"]) == ("Yes", "Yes")


def test_a_question_that_the_graph_cannot_answer_has_an_empty_answer() -> None:
    (told,) = json.loads(text(write, ADA))
    assert [(question["answer"], question["answer_text"]) for question in told["questions"][2:]] == [
        ("No", "No"),
        ("http://example.org/gull", "Gull"),
        ("http://example.org/tern", "Tern"),
        ("", ""),
    ]


def test_without_standalone_there_is_no_completed_question() -> None:
    (told,) = json.loads(text(write, CURIE, standalone=False))
    assert [list(question) for question in told["questions"]] == [
        ["turn", "question_id", "question", "answer", "answer_text"]
    ] * 2


def test_a_semicolon_inside_an_answer_does_not_make_two() -> None:
    (told,) = json.loads(
        text(write, with_answers(Answer("uri", "http://e.org/a;b", "A; B"), Answer("literal", "x;y", "", "", "en")))
    )
    (question,) = told["questions"]
    assert question["answer"].split(";") == ["http://e.org/a%3Bb", "x,y"]
    assert question["answer_text"].split(";") == ["A, B", "x,y"]
