"""JSON lines: one object a dialogue, as dialogue.schema.json describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from chattygen.results.formats.record import dumps, record
from chattygen.results.reader import StoredDialogue, StoredRun


def write(run: StoredRun, dialogues: Iterable[StoredDialogue], stream: TextIO, *, standalone: bool = True) -> int:
    """Write the dialogues and return how many; without `standalone` the turns lack their standalone forms."""
    written = 0
    for dialogue in dialogues:
        stream.write(dumps(record(dialogue, standalone=standalone)) + "\n")
        written += 1
    return written
