"""QALD-JSON, as GERBIL QA and the QALD-9-plus tools read it: one question a turn, in its standalone form.

GERBIL's loader refuses a file with a key that it does not know, so nothing is added: dialogue and turn are in the id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TextIO

from chattygen.domain import XSD, Answer, Turn
from chattygen.results.formats.record import dumps
from chattygen.results.reader import StoredDialogue, StoredRun


def write(run: StoredRun, dialogues: Iterable[StoredDialogue], stream: TextIO, *, standalone: bool = True) -> int:
    """Write one JSON object, a question a line; return the number of dialogues. Standalone forms are all it has."""
    stream.write(f'{{"dataset": {dumps({"id": run.id})}, "questions": [')
    written, before = 0, "\n"
    for dialogue in dialogues:
        for turn in dialogue.turns:
            stream.write(before + dumps(_question(dialogue, turn)))
            before = ",\n"
        written += 1
    stream.write("\n]}\n")
    return written


def _question(dialogue: StoredDialogue, turn: Turn) -> dict[str, Any]:
    beyond = turn.question.beyond
    return {
        "id": f"{dialogue.id}-{turn.n}",
        "answertype": _answer_type(turn),
        "aggregation": turn.query.form == "count" or (beyond is not None and beyond.kind in ("most", "least")),
        "onlydbo": False,  # it says that DBpedia's ontology answers the question
        "hybrid": False,
        "question": [{"language": dialogue.language, "string": turn.question.text, "keywords": ""}],
        "query": {"sparql": turn.query.sparql},
        "answers": [_results(turn)],
    }


def _results(turn: Turn) -> dict[str, Any]:
    """The answers in the SPARQL 1.1 Query Results JSON Format."""
    if turn.query.form == "ask":
        return {"head": {}, "boolean": [answer.value for answer in turn.query.answers] == ["true"]}
    name = _variable(turn.query.sparql)
    return {"head": {"vars": [name]}, "results": {"bindings": [{name: _term(one)} for one in turn.query.answers]}}


def _term(answer: Answer) -> dict[str, str]:
    if answer.type == "uri":
        return {"type": "uri", "value": answer.value}
    term = {"type": "literal", "value": answer.value}
    if answer.lang:
        return term | {"xml:lang": answer.lang}
    return term if answer.datatype in ("", XSD + "string") else term | {"datatype": answer.datatype}


def _variable(sparql: str) -> str:
    """The variable that a query selects: `v` of `SELECT ?v`, `n` of `SELECT (COUNT(?v) AS ?n)`."""
    without_iris = re.sub(r"<[^<>\s]*>", "", sparql)
    head = re.search(r"\bSELECT\b(.*?)(?:\bWHERE\b|\{)", without_iris, re.IGNORECASE | re.DOTALL)
    named = re.search(r"\bAS\s+[?$](\w+)|^[^(]*?[?$](\w+)", head[1] if head else "", re.IGNORECASE)
    return next(filter(None, named.groups())) if named else "answer"


NUMBERS = frozenset(
    XSD + name
    for name in (
        *("integer", "decimal", "double", "float", "int", "long", "short", "byte", "unsignedInt", "unsignedLong"),
        *("unsignedShort", "unsignedByte"),
        *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
    )
)
DATES = frozenset(XSD + name for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth", "time"))
OF_VALUES = {"entity": "resource", "date": "date", "year": "date", "number": "number"}


def _answer_type(turn: Turn) -> str:
    """`resource`, `number`, `date`, `boolean` or `string`: what the answers are or, without any, the fact's values."""
    if turn.query.form == "ask":
        return "boolean"
    answers = turn.query.answers
    if not answers:
        return OF_VALUES.get(turn.question.asked.value_kind, "string")
    if all(answer.type == "uri" for answer in answers):
        return "resource"
    for name, datatypes in {"number": NUMBERS, "date": DATES}.items():
        if all(answer.datatype in datatypes for answer in answers):
            return name
    return "string"
