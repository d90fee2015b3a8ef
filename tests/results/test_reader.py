"""The reader: the stored values come back equal, also while a run is being written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from chattygen.domain import Subgraph
from chattygen.errors import UnknownName
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CREW, CURIE, CURIE_DIALOGUE, MODELS, SHIP, SHIP_DIALOGUE, Clock


def test_dialogues_come_back_as_they_were(tmp_path: Path) -> None:
    run = hand_made.record(tmp_path / "chattygen.db")
    with Reader(tmp_path / "chattygen.db") as reader:
        first, second = reader.dialogues(run)
    assert (first.id, first.run, first.kg, first.kg_fingerprint) == (f"{run}-1", run, "nobel", "f00d")
    assert (first.approach, first.serialisation, first.language) == ("multi-stage", "summarised", "en")
    assert first.models == MODELS
    assert (first.seed, first.turns, first.usage) == (CURIE, CURIE_DIALOGUE.turns, CURIE_DIALOGUE.usage)
    assert (second.seed, second.turns, second.usage) == (SHIP, SHIP_DIALOGUE.turns, SHIP_DIALOGUE.usage)


def test_a_run_knows_how_far_it_came(tmp_path: Path) -> None:
    run = hand_made.record(tmp_path / "chattygen.db")
    with Reader(tmp_path / "chattygen.db") as reader:
        (found,) = reader.runs()
    assert (found.id, found.dialogues, found.wanted, found.visited) == (run, 2, 3, 4)
    assert (found.status, found.reason) == ("interrupted", "stopped by the user")
    assert (found.started, found.last) == ("2026-11-30T10:15:02.000Z", "2026-11-30T10:17:02.000Z")


def test_the_last_moment_of_a_run_without_an_end_is_that_of_its_last_row(tmp_path: Path) -> None:
    clock = Clock()
    with Recorder(tmp_path / "chattygen.db", clock=clock) as recorder, Reader(tmp_path / "chattygen.db") as reader:
        run = hand_made.start(recorder)
        assert reader.run(run).last == "2026-11-30T10:15:02.000Z"
        clock.advance(5)
        recorder.attempt(run, None, hand_made.attempt("label", 1, 1, 1, 1.0))
        assert reader.run(run).last == "2026-11-30T10:15:07.000Z"
        clock.advance(5)
        seed = recorder.start_seed(run, Subgraph(CURIE, (BORN,), 1))
        assert reader.run(run).last == "2026-11-30T10:15:12.000Z"
        clock.advance(5)
        recorder.give_up(seed, "Q1", "")
        assert reader.run(run).last == "2026-11-30T10:15:17.000Z"


def test_a_run_is_found_by_id_beginning_or_latest(tmp_path: Path) -> None:
    clock = Clock()
    with Recorder(tmp_path / "chattygen.db", clock=clock) as recorder:
        first = hand_made.start(recorder)
        clock.advance(60)
        second = hand_made.start(recorder)
    with Reader(tmp_path / "chattygen.db") as reader:
        assert [run.id for run in reader.runs()] == [second, first]
        assert reader.run("latest").id == second
        assert reader.run(first).id == first
        assert reader.run("nobel-20261130-101502").id == first
        with pytest.raises(UnknownName, match="2 runs begin with 'nobel'") as raised:
            reader.run("nobel")
        assert raised.value.hint == "give more of the id, or: latest"
        with pytest.raises(UnknownName, match="no run is called 'dblp'") as raised:
            reader.run("dblp")
        assert raised.value.hint == "run: chattygen list-runs"
        with pytest.raises(UnknownName):
            reader.run("%")


def test_without_a_file_there_is_no_run(tmp_path: Path) -> None:
    with Reader(tmp_path / "chattygen.db") as reader:
        assert reader.runs() == []
        for name in ("latest", "nobel"):
            with pytest.raises(UnknownName, match="there is no run yet") as raised:
                reader.run(name)
            assert raised.value.hint == "run: chattygen generate --kg NAME"


def test_reading_neither_waits_for_a_writer_nor_sees_half_of_its_work(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    writer = sqlite3.connect(path)
    writer.execute("begin immediate")
    writer.execute("delete from turn")
    with Reader(path) as reader:
        assert [len(dialogue.turns) for dialogue in reader.dialogues(run)] == [2, 2]
        writer.commit()
        assert [len(dialogue.turns) for dialogue in reader.dialogues(run)] == [0, 0]
    writer.close()


def test_writing_does_not_wait_for_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Reader(path) as reader, Recorder(path, timeout=0) as recorder:
        dialogues = reader.dialogues(run)
        next(dialogues)
        other = sqlite3.connect(path)
        other.execute("begin")
        assert other.execute("select count(*) from seed").fetchone() == (4,)
        recorder.start_seed(run, Subgraph(SHIP, (BORN, CREW), 42))
        assert other.execute("select count(*) from seed").fetchone() == (4,)
        assert next(dialogues).seed == SHIP
        assert reader.run(run).visited == 5
        other.close()
