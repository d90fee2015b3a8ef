"""A dialogue as the record that the forms are made from, schema version 1 (design, section 2; dialogue.schema.json).

Field names, their order and their nesting are fixed: other people's programs read them. Knows nothing about files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from chattygen.domain import Beyond, Fact, Iri, Literal, Question, Seed, Turn
from chattygen.results.reader import Player, StoredDialogue, StoredRun

SCHEMA = "chattygen/dialogue/1"


def record(dialogue: StoredDialogue, *, standalone: bool = True) -> dict[str, Any]:
    """A dialogue as the JSON object that dialogue.schema.json describes; with or without the standalone forms."""
    seed = dialogue.seed
    return {
        "schema": SCHEMA,
        "id": dialogue.id,
        "run": dialogue.run,
        "kg": dialogue.kg,
        "kg_fingerprint": dialogue.kg_fingerprint,
        "seed": {
            "iri": seed.iri,
            "label": seed.label,
            "type": seed.node_type,
            "type_label": seed.type_label,
            "bucket": seed.bucket,
            "said": seed.said or None,
        },
        "approach": dialogue.approach,
        "serialisation": dialogue.serialisation,
        "language": dialogue.language,
        "turns": [_turn(turn, seed, standalone) for turn in dialogue.turns],
        "models": {role: dialogue.models[role] for role in ("questions", "sparql", "dialogue")},
        "usage": {
            "prompt_tokens": dialogue.usage.prompt_tokens,
            "completion_tokens": dialogue.usage.completion_tokens,
            "calls": dialogue.usage.calls,
            "seconds": dialogue.usage.seconds,
        },
    }


def _turn(turn: Turn, seed: Seed, standalone: bool) -> dict[str, Any]:
    facts = _facts(turn.question, seed)
    return {
        "n": turn.n,
        "utterance": turn.utterance,
        **({"standalone": turn.question.text} if standalone else {}),
        "kind": turn.question.kind,
        "fact": facts[0],
        "sparql": turn.query.sparql,
        "query_origin": turn.query.origin,
        "answers": [
            {"type": a.type, "value": a.value, "label": a.label, "datatype": a.datatype, "lang": a.lang}
            for a in turn.query.answers
        ],
        "answer_count": len(turn.query.answers),
        "answers_complete": turn.query.complete,
        "facts": facts,
        "flow": turn.flow,
        "refers_to": turn.refers_to,
        "answerable": turn.question.answerable,
    }


def _facts(question: Question, seed: Seed) -> list[dict[str, str | None]]:
    """The one or two triple patterns that a question is about, in order."""
    first = _pattern(question.fact, seed.iri, question.tested.term if question.tested else None)
    return [first, *([_second(question.beyond)] if question.beyond else [])]


def _second(beyond: Beyond) -> dict[str, str | None]:
    """The pattern about the other ends of the first fact, which are not known."""
    return _pattern(beyond.fact, None, beyond.fact.values[0].term if beyond.kind == "condition" else None)


def _pattern(fact: Fact, entity: str | None, other: Iri | Literal | None) -> dict[str, str | None]:
    """The summarised triple of Algorithm 3 around an entity: null is what is asked for or passed through."""
    value = other.value if other else None
    subject, object_ = (entity, value) if fact.direction == "out" else (value, entity)
    return {"subject": subject, "predicate": fact.predicate, "object": object_, "direction": fact.direction}


def provenance(run: StoredRun, players: Sequence[Player]) -> dict[str, Any]:
    """Where the dialogues of a run come from, as a JSON object."""
    of_run = ("kg", "kg_fingerprint", "kg_triples", "kg_source", "settings", "repeatable", "started", "status")
    return {
        "run": run.id,
        **{name: getattr(run, name) for name in of_run},
        "models": [vars(player) for player in players],
        "chattygen_version": run.chattygen_version,
    }


def dumps(value: Any) -> str:
    """JSON on one line. Text of any script is kept, except for what JSON allows but harms on the way: characters that
    some readers take for the end of a line, and terminal control codes."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():  # as nearly all are, and this is quicker to see
        return text
    return re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
