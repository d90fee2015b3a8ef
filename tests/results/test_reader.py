"""The reader: the stored values come back equal, also while a run is being written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.domain import Subgraph
from chattygen.errors import UnknownName
from chattygen.results.reader import TURNS, Reader
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


def add_ship(recorder: Recorder, run: str, n: int) -> None:
    """One more finished dialogue."""
    seed = replace(SHIP, iri=f"{SHIP.iri}{n}")
    recorder.dialogue(
        run, recorder.start_seed(run, Subgraph(seed, (BORN, CREW), 42)), replace(SHIP_DIALOGUE, seed=seed)
    )


def test_a_stream_of_dialogues_holds_on_to_one_moment_until_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Reader(path) as reader, Recorder(path, timeout=0) as recorder:
        dialogues = reader.dialogues(run)
        assert next(dialogues).seed == CURIE
        add_ship(recorder, run, 2)  # waits for nobody
        assert reader.run(run).dialogues == 2
        assert [dialogue.seed for dialogue in dialogues] == [SHIP]
        assert reader.run(run).dialogues == 3
        assert [dialogue.seed.iri for dialogue in reader.dialogues(run)] == [CURIE.iri, SHIP.iri, f"{SHIP.iri}2"]


def test_two_streams_of_one_reader_do_not_disturb_each_other(tmp_path: Path) -> None:
    run = hand_made.record(tmp_path / "chattygen.db")
    with Reader(tmp_path / "chattygen.db") as reader:
        pairs = [(one.seed, other.seed) for one in reader.dialogues(run) for other in reader.dialogues(run)]
        assert pairs == [(CURIE, CURIE), (CURIE, SHIP), (SHIP, CURIE), (SHIP, SHIP)]


def whole_log_is_written_back(path: Path) -> bool:
    """Try to empty the log of WAL mode, which nobody can while someone reads from it."""
    other = sqlite3.connect(path, timeout=0)
    (busy, _, _) = other.execute("pragma wal_checkpoint(truncate)").fetchone()
    other.close()
    return not busy


@pytest.mark.parametrize("end", ["close it", "forget it"])
def test_a_stream_that_is_left_early_lets_go_of_the_database(tmp_path: Path, end: str) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Recorder(path) as recorder, Reader(path) as reader:
        add_ship(recorder, run, 2)
        dialogues = reader.dialogues(run)
        next(dialogues)
        add_ship(recorder, run, 3)
        assert not whole_log_is_written_back(path)
        if end == "close it":
            dialogues.close()  # type: ignore[attr-defined]
        else:
            del dialogues
        assert whole_log_is_written_back(path)


def steps(reader: Reader, read: Callable[[], object]) -> int:
    """How many steps SQLite takes while `read` runs."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    reader._db.conn.set_progress_handler(count, 1)
    read()
    reader._db.conn.set_progress_handler(None, 1)
    return taken


def test_the_first_dialogue_does_not_wait_for_the_others(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Reader(path) as reader, Recorder(path) as recorder:
        before = steps(reader, lambda: next(reader.dialogues(run)))
        for n in range(2, 22):
            add_ship(recorder, run, n)
        more = steps(reader, lambda: next(reader.dialogues(run))) - before
        everything = steps(reader, lambda: list(reader.dialogues(run))) - before
    assert more < 20 * 10, "each further dialogue and its seed are counted"
    assert everything > 20 * 100, "reading one takes hundreds of steps"


def test_dialogues_are_read_in_order_without_being_sorted(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db"), Reader(tmp_path / "chattygen.db") as reader:
        plan = [row[3] for row in reader._db.execute(f"explain query plan {TURNS}", ["a run"])]
    assert plan[0].startswith("SEARCH dialogue")
    assert not any("TEMP B-TREE" in step for step in plan)
    scanned = {step.split()[1] for step in plan if step.startswith("SCAN")}
    assert scanned.isdisjoint({"dialogue", "seed", "turn", "question", "fact", "query", "answer"})


def test_a_finished_run_is_listed_without_a_look_at_its_calls(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder, Reader(path) as reader:
        run = hand_made.start(recorder)
        recorder.finish_run(run, "short", "")
        before = steps(reader, reader.runs)
        for number in range(1, 21):
            recorder.attempt(run, None, hand_made.attempt("label", number, 1, 1, 1.0))
        assert steps(reader, reader.runs) == before
