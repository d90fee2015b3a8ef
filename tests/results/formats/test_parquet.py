"""Parquet: equal to the JSON lines, in row groups, with its provenance."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyarrow import Table
from pyarrow import parquet as reading

from chattygen.errors import ChattygenError
from chattygen.results.formats import jsonl, parquet
from chattygen.results.formats.record import provenance, record
from chattygen.results.reader import StoredDialogue
from tests.results.formats.made import ADA, CURIE, PLAYERS, RUN, SHIP, stored, text
from tests.results.test_export import dialogues

TOLD = provenance(RUN, PLAYERS)


def lines(*made: StoredDialogue, standalone: bool = True) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text(jsonl.write, *made, standalone=standalone).splitlines()]


def as_lists(value: Any) -> Any:
    """Arrays of numpy, as pandas has them, as lists."""
    if isinstance(value, numpy.ndarray):
        return [as_lists(one) for one in value]
    if isinstance(value, dict):
        return {name: as_lists(one) for name, one in value.items()}
    return value.item() if isinstance(value, numpy.generic) else value


@pytest.mark.parametrize("standalone", [True, False])
def test_pyarrow_and_pandas_read_what_the_json_lines_say(tmp_path: Path, standalone: bool) -> None:
    path = tmp_path / "x.parquet"
    written = parquet.write(iter([CURIE, SHIP, ADA]), path, TOLD, standalone=standalone)
    assert (written.dialogues, written.turns) == (3, 10)
    expected = lines(CURIE, SHIP, ADA, standalone=standalone)
    table = reading.read_table(path)
    assert table.to_pylist() == expected
    assert [list(row["turns"][0]) for row in table.to_pylist()] == [list(line["turns"][0]) for line in expected]
    assert written.bytes == Table.from_pylist(expected, table.schema).nbytes
    frame = pandas.read_parquet(path)
    assert [as_lists(row) for row in frame.to_dict("records")] == expected


def test_the_types_are_the_same_when_there_is_nothing_to_write(tmp_path: Path) -> None:
    parquet.write(iter([CURIE, SHIP]), tmp_path / "full", TOLD)
    assert parquet.write(iter([]), tmp_path / "empty", TOLD) == parquet.Written(0, 0, 0)
    assert reading.read_schema(tmp_path / "empty") == reading.read_schema(tmp_path / "full")
    assert reading.read_table(tmp_path / "empty").to_pylist() == []


def test_a_thousand_dialogues_a_row_group_and_no_more_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    most_ahead = 0

    def many() -> Iterator[StoredDialogue]:
        nonlocal most_ahead
        for n in range(2001):
            if n == 1500:  # the first group is on the disk before the second one is complete
                most_ahead = path.stat().st_size
            yield replace(CURIE, id=f"x-{n}")

    assert parquet.write(many(), path, TOLD).dialogues == 2001
    file = reading.ParquetFile(path)
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [1000, 1000, 1]
    assert most_ahead > 0
    assert [row["id"] for row in file.read_row_group(1, ["id"]).to_pylist()] == [f"x-{n}" for n in range(1000, 2000)]


def test_the_provenance_is_in_the_file(tmp_path: Path) -> None:
    parquet.write(iter([CURIE]), tmp_path / "x.parquet", TOLD)
    assert json.loads(reading.read_schema(tmp_path / "x.parquet").metadata[b"chattygen"]) == {
        "run": "nobel-20261130-101502-3f2a",
        "kg": "nobel",
        "kg_fingerprint": "f00d",
        "kg_triples": 1000,
        "kg_source": {"title": "Nobel prizes", "url": "https://example.org/nobel", "licence": "CC0-1.0"},
        "settings": {"dialogues": 3, "approach": "multi-stage", "serialisation": "summarised"},
        "repeatable": True,
        "started": "2026-11-30T10:15:02.000Z",
        "status": "interrupted",
        "models": [
            {"role": "questions", "model": "small", "revision": "rev-1", "prompt_hash": "ab12"},
            {"role": "sparql", "model": "coder", "revision": "", "prompt_hash": "cd34"},
        ],
        "chattygen_version": "1.2.3",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parquet")


@settings(max_examples=30, deadline=None, phases=[phase for phase in Phase if phase is not Phase.shrink])
@given(made=st.lists(dialogues(), max_size=3))
def test_any_dialogue_comes_back(folder: Path, made: list[tuple[object, Any]]) -> None:
    all_ = [stored(dialogue, n) for n, (_, dialogue) in enumerate(made, 1)]
    parquet.write(iter(all_), folder / "x.parquet", TOLD)
    assert reading.read_table(folder / "x.parquet").to_pylist() == [record(one) for one in all_]


def test_without_pyarrow_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # Python's own way to say that there is no such package
    with pytest.raises(ChattygenError) as missing:
        parquet.write(iter([CURIE]), tmp_path / "x.parquet", TOLD)
    assert (missing.value.message, missing.value.hint) == (
        "Parquet needs the package pyarrow",
        "pip install 'chattygen[export]'",
    )
    assert list(tmp_path.iterdir()) == []
