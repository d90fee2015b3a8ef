"""Markdown, for people: a heading a dialogue, its turns as a list with their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from chattygen.domain import Turn
from chattygen.results.formats.escape import code, plain
from chattygen.results.notes import no_answer, reference
from chattygen.results.reader import StoredDialogue, StoredRun

SHOWN = 10
"""Answers a turn; the others are counted."""


def write(run: StoredRun, dialogues: Iterable[StoredDialogue], stream: TextIO, *, standalone: bool = True) -> int:
    """Write the dialogues and return how many; standalone forms stand where they differ from what is said."""
    stream.write(f"# {plain(run.id)}\n\nDialogues about {plain(run.kg_source.get('title') or run.kg)}.\n")
    written = 0
    for written, dialogue in enumerate(dialogues, 1):
        for line in _dialogue(written, dialogue, standalone):
            stream.write(line + "\n")
    return written


def _dialogue(number: int, dialogue: StoredDialogue, standalone: bool) -> Iterator[str]:
    seed = dialogue.seed
    kind = ", ".join(plain(part) for part in (seed.type_label or seed.node_type, seed.bucket) if part)
    yield from ("", f"## {number}. {plain(seed.label or seed.iri)} ({kind})", "", code(seed.iri), "")
    for turn in dialogue.turns:
        yield from _turn(turn, standalone)


def _turn(turn: Turn, standalone: bool) -> Iterator[str]:
    number = f"{turn.n}. "
    bullet = " " * len(number) + "- "
    yield number + plain(turn.utterance)
    if standalone and turn.question.text != turn.utterance:
        yield f"{bullet}standalone: {plain(turn.question.text)}"
    if reference(turn):
        yield f"{bullet}{reference(turn)}"
    answers = turn.query.answers
    for answer in answers[:SHOWN]:
        yield bullet + plain(answer.label or answer.value)
    if len(answers) > SHOWN:
        yield f"{bullet}and {len(answers) - SHOWN} more"
    if not answers:
        yield f"{bullet}{no_answer(turn)}"
    if not turn.query.complete:
        yield f"{bullet}the store cut the answers short"
