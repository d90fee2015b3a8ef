"""CSV after RFC 4180: one row a turn, for spreadsheets and statistics.

Texts are written as they are: one that begins with `=` is a formula to a spreadsheet that is told to calculate.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, TextIO

from chattygen.results.formats.record import dumps, record
from chattygen.results.reader import StoredDialogue, StoredRun

COLUMNS = (
    *("dialogue", "n", "seed_iri", "seed_label", "seed_type", "seed_type_label", "seed_bucket"),
    *("utterance", "standalone", "kind", "predicate", "direction", "sparql", "query_origin"),
    *("answers", "answer_labels", "answer_count", "answers_complete"),
    *("kg", "kg_fingerprint", "run", "language", "approach", "serialisation", "seed_said"),
    *("facts", "flow", "refers_to", "answerable"),
)


def write(run: StoredRun, dialogues: Iterable[StoredDialogue], stream: TextIO, *, standalone: bool = True) -> int:
    """Write a header and a row for each turn, and return the number of dialogues."""
    columns = [name for name in COLUMNS if standalone or name != "standalone"]
    rows = csv.DictWriter(stream, columns, lineterminator="\r\n")
    rows.writeheader()
    written = 0
    for dialogue in dialogues:
        told = record(dialogue, standalone=standalone)
        rows.writerows(_row(told, turn) for turn in told["turns"])
        written += 1
    return written


def _row(told: dict[str, Any], turn: dict[str, Any]) -> dict[str, object]:
    same_turn = ("n", "utterance", "standalone", "kind", "sparql", "query_origin", "answer_count", "flow", "refers_to")
    same_dialogue = ("kg", "kg_fingerprint", "run", "language", "approach", "serialisation")
    return {
        "dialogue": told["id"],
        **{f"seed_{name}": value for name, value in told["seed"].items()},
        **{name: turn[name] for name in same_turn if name in turn},
        "predicate": turn["fact"]["predicate"],
        "direction": turn["fact"]["direction"],
        "answers": dumps(turn["answers"]),
        "answer_labels": " | ".join(answer["label"] or answer["value"] for answer in turn["answers"]),
        "answers_complete": dumps(turn["answers_complete"]),
        "facts": dumps(turn["facts"]),
        "answerable": dumps(turn["answerable"]),
        **{name: told[name] for name in same_dialogue},
    }
