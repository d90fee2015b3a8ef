"""Parquet: one row a dialogue, nested like the JSON lines, with the provenance in the metadata of the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from chattygen.errors import ChattygenError
from chattygen.results.formats.record import record
from chattygen.results.reader import StoredDialogue

GROUP = 1000
"""Dialogues in memory at a time; each such row group can be read alone."""


@dataclass(frozen=True)
class Written:
    """What a file holds: dialogues, turns, and bytes when read into memory."""

    dialogues: int
    turns: int
    bytes: int


def require_pyarrow() -> Any:
    """The package pyarrow.

    Raises:
        ChattygenError: it is not installed.
    """
    try:
        import pyarrow  # type: ignore[import-untyped]
    except ImportError as error:
        raise ChattygenError("Parquet needs the package pyarrow", "pip install 'chattygen[export]'") from error
    return pyarrow


def write(
    dialogues: Iterable[StoredDialogue], path: Path, provenance: dict[str, Any], *, standalone: bool = True
) -> Written:
    """Write the dialogues to the file `path`; `provenance` goes into its metadata, as JSON under `chattygen`."""
    arrow = require_pyarrow()
    from pyarrow.parquet import ParquetWriter  # type: ignore[import-untyped]

    schema = _schema(arrow, standalone).with_metadata({"chattygen": json.dumps(provenance, ensure_ascii=False)})
    rows = turns = size = 0
    with ParquetWriter(path, schema) as file:
        for group in _groups(record(dialogue, standalone=standalone) for dialogue in dialogues):
            table = arrow.Table.from_pylist(group, schema)
            file.write_table(table)
            rows, size = rows + len(group), size + table.nbytes
            turns += sum(len(told["turns"]) for told in group)
    return Written(rows, turns, size)


def _groups(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while group := list(islice(records, GROUP)):
        yield group


def _schema(arrow: Any, standalone: bool) -> Any:
    """The columns, in the order of dialogue.schema.json."""
    text, whole, real, truth = arrow.string(), arrow.int64(), arrow.float64(), arrow.bool_()

    def texts(names: str) -> dict[str, Any]:
        return dict.fromkeys(names.split(), text)

    def struct(fields: dict[str, Any]) -> Any:
        return arrow.struct(list(fields.items()))

    pattern = struct(texts("subject predicate object direction"))
    turn = {
        "n": whole,
        **texts("utterance standalone kind" if standalone else "utterance kind"),
        "fact": pattern,
        **texts("sparql query_origin"),
        "answers": arrow.list_(struct(texts("type value label datatype lang"))),
        "answer_count": whole,
        "answers_complete": truth,
        "facts": arrow.list_(pattern),
        "flow": text,
        "refers_to": whole,
        "answerable": truth,
    }
    columns = {
        **texts("schema id run kg kg_fingerprint"),
        "seed": struct(texts("iri label type type_label bucket said")),
        **texts("approach serialisation language"),
        "turns": arrow.list_(struct(turn)),
        "models": struct(texts("questions sparql dialogue")),
        "usage": struct({"prompt_tokens": whole, "completion_tokens": whole, "calls": whole, "seconds": real}),
    }
    return arrow.schema(list(columns.items()))
