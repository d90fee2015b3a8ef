"""QALD-JSON: the shape that GERBIL's loader accepts, and answers that any SPARQL library reads."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pyoxigraph import Literal, NamedNode, QueryBoolean, QueryResultsFormat, QuerySolutions, parse_query_results

from chattygen.domain import XSD, Answer
from chattygen.results.formats.qald import write
from chattygen.results.reader import StoredDialogue
from tests.results.formats.made import ADA, CURIE, SHIP, text, with_answers

TERM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type", "value"],
    "properties": {
        "type": {"enum": ["uri", "literal"]},
        "value": {"type": "string"},
        "datatype": {"type": "string"},
        "xml:lang": {"type": "string"},
    },
}
STRINGS = {"type": "array", "items": {"type": "string"}}
ROWS = {
    "type": "object",
    "additionalProperties": False,
    "required": ["head", "results"],
    "properties": {
        "head": {"type": "object", "additionalProperties": False, "properties": {"vars": STRINGS, "link": STRINGS}},
        "results": {
            "type": "object",
            "additionalProperties": False,
            "required": ["bindings"],
            "properties": {
                "bindings": {"type": "array", "items": {"type": "object", "additionalProperties": TERM}},
            },
        },
    },
}
TRUTH = {
    "type": "object",
    "additionalProperties": False,
    "required": ["head", "boolean"],
    "properties": {"head": {"type": "object", "maxProperties": 0}, "boolean": {"type": "boolean"}},
}
# The shape of 9/data/qald-9-*.json of github.com/ag-sc/QALD. GERBIL reads it into the Java beans QaldJson,
# QaldQuestionEntry, QaldQuestion, QaldQuery, EJAnswers and EJBinding, and refuses a key that these lack.
SHAPE = Draft202012Validator(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["dataset", "questions"],
        "properties": {
            "dataset": {"type": "object", "additionalProperties": False, "properties": {"id": {"type": "string"}}},
            "questions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": [
                        "id",
                        "answertype",
                        "aggregation",
                        "onlydbo",
                        "hybrid",
                        "question",
                        "query",
                        "answers",
                    ],
                    "properties": {
                        "id": {"type": "string"},
                        "answertype": {"enum": ["resource", "string", "number", "date", "boolean"]},
                        "aggregation": {"type": "boolean"},
                        "onlydbo": {"type": "boolean"},
                        "hybrid": {"type": "boolean"},
                        "question": {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["language", "string", "keywords"],
                                "properties": {key: {"type": "string"} for key in ("language", "string", "keywords")},
                            },
                        },
                        "query": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["sparql"],
                            "properties": {"sparql": {"type": "string"}},
                        },
                        "answers": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 1,
                            "items": {"oneOf": [ROWS, TRUTH]},
                        },
                    },
                },
            },
        },
    }
)

# Two entries of qald-9-test-multilingual.json, one language each, and one with a boolean: the shape must accept them.
REAL = {
    "dataset": {"id": "qald-9-test-multilingual"},
    "questions": [
        {
            "id": "99",
            "answertype": "resource",
            "aggregation": False,
            "onlydbo": True,
            "hybrid": False,
            "question": [
                {
                    "language": "en",
                    "string": "What is the time zone of Salt Lake City?",
                    "keywords": "Salt Lake City,  time zone",
                }
            ],
            "query": {"sparql": "SELECT DISTINCT ?uri WHERE { res:Salt_Lake_City dbo:timeZone ?uri }"},
            "answers": [
                {
                    "head": {"vars": ["uri"]},
                    "results": {
                        "bindings": [
                            {"uri": {"type": "uri", "value": "http://dbpedia.org/resource/Mountain_Time_Zone"}}
                        ]
                    },
                }
            ],
        }
    ],
}


def questions(*dialogues: StoredDialogue) -> list[dict[str, Any]]:
    told = json.loads(text(write, *dialogues))
    assert list(SHAPE.iter_errors(told)) == []
    assert told["dataset"] == {"id": "nobel-20261130-101502-3f2a"}
    return list(told["questions"])


def test_the_shape_is_that_of_real_files_and_refuses_what_gerbil_refuses() -> None:
    assert SHAPE.is_valid(REAL)
    assert SHAPE.is_valid({**REAL, "questions": []})
    assert not SHAPE.is_valid({**REAL, "questions": [{**REAL["questions"][0], "turn": 1}]})  # type: ignore[dict-item]


def test_one_question_a_turn_in_its_standalone_form() -> None:
    born, prizes, crew, asked = questions(CURIE, SHIP)
    assert born["id"] == "nobel-20261130-101502-3f2a-1-1"
    assert prizes == {
        "id": "nobel-20261130-101502-3f2a-1-2",
        "answertype": "resource",
        "aggregation": False,
        "onlydbo": False,
        "hybrid": False,
        "question": [{"language": "en", "string": "Which prizes did Marie Curie receive?", "keywords": ""}],
        "query": {"sparql": "SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }"},
        "answers": [
            {
                "head": {"vars": ["v"]},
                "results": {
                    "bindings": [
                        {"v": {"type": "uri", "value": "http://example.org/chemistry1911"}},
                        {"v": {"type": "uri", "value": "http://example.org/physics1903"}},
                    ]
                },
            }
        ],
    }
    assert [question["answertype"] for question in (born, crew, asked)] == ["date", "number", "boolean"]
    assert [question["aggregation"] for question in (born, crew, asked)] == [False, True, False]
    assert crew["answers"][0]["head"] == {"vars": ["n"]}
    assert asked["answers"] == [{"head": {}, "boolean": False}]


def test_no_dialogue_is_a_file_without_questions() -> None:
    assert questions() == []


@pytest.mark.parametrize(
    ("sparql", "name"),
    [
        ("select distinct ?film where { ?film a <http://e.org/SELECT?x> }", "film"),
        ("PREFIX e: <http://e.org/select> SELECT $v { $v e:p e:o }", "v"),
        ("SELECT (COUNT(DISTINCT ?v) AS ?number) WHERE { ?v ?p ?o }", "number"),
        ("SELECT * WHERE { ?v ?p ?o }", "answer"),
    ],
)
def test_the_variable_is_that_of_the_query(sparql: str, name: str) -> None:
    turn = CURIE.turns[1]
    dialogue = replace(CURIE, turns=(replace(turn, query=replace(turn.query, sparql=sparql)),))
    assert questions(dialogue)[0]["answers"][0]["head"]["vars"] == [name]


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Answer("literal", "5", "5", XSD + "int")], "number"),
        ([Answer("literal", "1903", "1903", XSD + "gYear"), Answer("literal", "1911", "1911", XSD + "gYear")], "date"),
        ([Answer("literal", "5", "5", XSD + "int"), Answer("literal", "five", "five", XSD + "string")], "string"),
        ([Answer("uri", "http://e.org/x", "x"), Answer("literal", "y", "y", XSD + "string")], "string"),
        ([], "resource"),  # the fact's values are entities
    ],
)
def test_the_answer_type(answers: list[Answer], kind: str) -> None:
    assert questions(with_answers(*answers))[0]["answertype"] == kind


def test_kinds_of_question() -> None:
    told = questions(ADA)
    assert [(one["answertype"], one["aggregation"]) for one in told] == [
        ("resource", False),
        ("resource", False),
        ("boolean", False),
        ("resource", False),
        ("resource", True),  # what is the last takes an order
        ("date", False),  # it has no answer, which would be a date
    ]
    assert told[2]["answers"] == [{"head": {}, "boolean": False}]
    assert told[4]["answers"][0]["results"]["bindings"] == [{"x": {"type": "uri", "value": "http://example.org/tern"}}]
    nothing = told[5]["answers"][0]
    assert nothing == {"head": {"vars": ["x"]}, "results": {"bindings": []}}
    read = parse_query_results(json.dumps(nothing), format=QueryResultsFormat.JSON)
    assert isinstance(read, QuerySolutions)
    assert list(read) == []


iris = st.from_regex(r"http://e\.org/[a-zA-Z0-9;,'()]{0,12}", fullmatch=True)
answers = st.lists(
    iris.map(lambda iri: Answer("uri", iri, "label"))
    | st.text().map(lambda value: Answer("literal", value, "label", XSD + "string"))
    | st.builds(Answer, st.just("literal"), st.text(), st.text(), iris)
    | st.builds(
        lambda value, lang: Answer("literal", value, "label", "", lang), st.text(), st.sampled_from(["en", "de"])
    ),
    max_size=4,
)


def term(answer: Answer) -> NamedNode | Literal:
    if answer.type == "uri":
        return NamedNode(answer.value)
    if answer.lang:
        return Literal(answer.value, language=answer.lang)
    return Literal(answer.value, datatype=NamedNode(answer.datatype))


@given(answers=answers)
def test_the_answers_are_sparql_results(answers: list[Answer]) -> None:
    told = questions(with_answers(*answers))[0]["answers"][0]
    read = parse_query_results(json.dumps(told), format=QueryResultsFormat.JSON)
    assert isinstance(read, QuerySolutions)
    assert [solution["v"] for solution in read] == [term(answer) for answer in answers]


@pytest.mark.parametrize("truth", ["true", "false"])
def test_a_yes_no_answer_is_a_sparql_boolean(truth: str) -> None:
    turn = SHIP.turns[1]
    said = replace(turn, query=replace(turn.query, answers=(Answer("boolean", truth, "yes"),)))
    told = questions(replace(SHIP, turns=(said,)))[0]["answers"][0]
    read = parse_query_results(json.dumps(told), format=QueryResultsFormat.JSON)
    assert isinstance(read, QueryBoolean)
    assert bool(read) is (truth == "true")
