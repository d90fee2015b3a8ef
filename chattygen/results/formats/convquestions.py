"""The JSON of ConvQuestions (Christmann et al., CIKM 2019), as code for conversational question answering reads it.

Its readers split `answer` and `answer_text` at `;`, and an id such as `3-0` into conversation and turn, both numbers.
`completed` is a key of its successor ConvMix: the question that needs no conversation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from chattygen.domain import Answer, Turn
from chattygen.results.formats.record import dumps
from chattygen.results.reader import StoredDialogue, StoredRun


def write(run: StoredRun, dialogues: Iterable[StoredDialogue], stream: TextIO, *, standalone: bool = True) -> int:
    """Write one JSON array, a conversation a line; return how many. Without `standalone` there is no `completed`."""
    stream.write("[")
    written = 0
    for written, dialogue in enumerate(dialogues, 1):
        stream.write(",\n" if written > 1 else "\n")
        stream.write(dumps(_conversation(dialogue, standalone)))
    stream.write("\n]\n")
    return written


def _conversation(dialogue: StoredDialogue, standalone: bool) -> dict[str, Any]:
    seed = dialogue.seed
    number = int(dialogue.id.rpartition("-")[2])
    return {
        "conv_id": number,
        "domain": seed.type_label or seed.node_type,
        "seed_entity": seed.iri,
        "seed_entity_text": seed.label,
        "questions": [_question(number, turn, standalone) for turn in dialogue.turns],
        "dialogue": dialogue.id,
    }


def _question(conversation: int, turn: Turn, standalone: bool) -> dict[str, Any]:
    answers = turn.query.answers
    return {
        "turn": turn.n - 1,
        "question_id": f"{conversation}-{turn.n - 1}",
        "question": turn.utterance,
        "answer": ";".join(map(_value, answers)),
        "answer_text": ";".join(map(_text, answers)),
    } | ({"completed": turn.question.text} if standalone else {})


def _value(answer: Answer) -> str:
    if answer.type == "uri":
        return answer.value.replace(";", "%3B")
    return _text(answer) if answer.type == "boolean" else answer.value.replace(";", ",")


def _text(answer: Answer) -> str:
    if answer.type == "boolean":
        return "Yes" if answer.value == "true" else "No"
    return (answer.label or answer.value).replace(";", ",")
