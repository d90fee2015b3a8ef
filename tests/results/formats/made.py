"""Stored dialogues and a run without a database, for the tests of the forms."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from chattygen.domain import Answer, Dialogue
from chattygen.results.reader import Player, StoredDialogue, StoredRun
from tests.results.hand_made import ADA_DIALOGUE, CURIE_DIALOGUE, MODELS, SHIP_DIALOGUE

RUN = StoredRun(
    id="nobel-20261130-101502-3f2a",
    kg="nobel",
    kg_fingerprint="f00d",
    kg_triples=1000,
    kg_source={"title": "Nobel prizes", "url": "https://example.org/nobel", "licence": "CC0-1.0"},
    settings={"dialogues": 3, "approach": "multi-stage", "serialisation": "summarised"},
    models=MODELS,
    repeatable=True,
    started="2026-11-30T10:15:02.000Z",
    last="2026-11-30T10:17:02.000Z",
    seconds=120.0,
    status="interrupted",
    reason="stopped by the user",
    chattygen_version="1.2.3",
    dialogues=2,
    visited=4,
)
PLAYERS = [Player("questions", "small", "rev-1", "ab12"), Player("sparql", "coder", "", "cd34")]


def stored(dialogue: Dialogue, n: int = 1) -> StoredDialogue:
    """The dialogue as the n-th of the run."""
    return StoredDialogue(
        id=f"{RUN.id}-{n}",
        run=RUN.id,
        kg=RUN.kg,
        kg_fingerprint=RUN.kg_fingerprint,
        seed=dialogue.seed,
        turns=dialogue.turns,
        usage=dialogue.usage,
        models=RUN.models,
        approach=RUN.approach,
        serialisation=RUN.serialisation,
        language="en",
    )


CURIE, SHIP, ADA = stored(CURIE_DIALOGUE, 1), stored(SHIP_DIALOGUE, 2), stored(ADA_DIALOGUE, 3)


def with_answers(*answers: Answer, complete: bool = True) -> StoredDialogue:
    """Curie's dialogue with only its second turn, which has these answers."""
    turn = CURIE.turns[1]
    return replace(CURIE, turns=(replace(turn, query=replace(turn.query, answers=answers, complete=complete)),))


def text(write: Callable[..., int], *dialogues: StoredDialogue, **options: Any) -> str:
    """What a form writes; checks that it counts right."""
    stream = io.StringIO(newline="")
    assert write(RUN, iter(dialogues), stream, **options) == len(dialogues)
    return stream.getvalue()
