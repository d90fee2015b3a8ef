"""The file: opened once, brought up to date, read by anybody; what a user reads when it is no good."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlite_utils import Database

from chattygen.errors import ResultsError
from chattygen.results import database, schema
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    path.write_text("dear diary, " * 100)
    for opened in (lambda: database.open_to_write(path, 1.0), lambda: database.open_to_read(path).table_names()):
        with pytest.raises(ResultsError) as raised:
            opened()
        assert raised.value.message == f"the results database {path} is not a SQLite database"
        assert raised.value.hint == "move that file away or give another --home"
    assert path.read_text().startswith("dear diary")


def test_a_folder_or_a_path_below_a_file_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be opened"):
        database.open_to_write(tmp_path, 1.0)
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match="cannot be opened"):
        database.open_to_write(tmp_path / "file" / "chattygen.db", 1.0)


def test_reading_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("create table run (miles integer)")
    connection.close()
    with pytest.raises(ResultsError, match="not a results database of chattygen"):
        database.open_to_read(path)


def first_version(path: Path) -> None:
    """A database as the first release left it, with a run of 60 seconds and one that was killed."""
    db = Database(sqlite3.connect(path))
    schema.migrations.apply(db, stop_before="resume")
    row = "insert into run values (?,'k','f',1,?,?,?,?,?,'','0.1.0')"
    models = '{"questions": "a", "sparql": "b", "dialogue": "c"}'
    settings = '{"dialogues": 3, "approach": "multi-stage", "serialisation": "summarised"}'
    begun, ended = "2026-11-30T10:00:00.000Z", "2026-11-30T10:01:00.000Z"
    db.execute(row, ["whole", settings, models, begun, ended, "done"])
    db.execute(row, ["killed", settings, models, ended, None, "running"])
    db.close()


def test_a_database_of_the_first_version_is_brought_up_to_date_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    first_version(path)
    with Reader(path) as reader:
        killed, whole = reader.runs()
    assert (whole.id, whole.status, whole.seconds, whole.kg_source, whole.repeatable) == ("whole", "done", 60, {}, True)
    assert (killed.id, killed.status, killed.seconds) == ("killed", "interrupted", 0)


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    connection = sqlite3.connect(path)
    connection.execute("insert into _sqlite_migrations values (99, 'chattygen', 'tables_of_tomorrow', '2030-01-01')")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    for opened in (
        lambda: database.open_to_write(path, 1.0),
        lambda: database.open_to_read(path),
        lambda: Recorder(path),
    ):
        with pytest.raises(ResultsError) as raised:
            opened()
        assert raised.value.message == f"the results database {path} was written by a newer version of chattygen"
        assert raised.value.hint == "update chattygen, or give another --home"
    assert path.read_bytes() == before
    assert run


@contextmanager
def nobody() -> Iterator[None]:
    """Root may write anywhere, so it is somebody else meanwhile."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_home_that_cannot_be_written_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:  # one that others may enter, unlike that of pytest
        path = Path(folder) / "chattygen.db"
        run = hand_made.record(path)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with nobody():
            with Reader(path) as reader:
                assert [found.id for found in reader.runs()] == [run]
            with pytest.raises(ResultsError) as raised:
                Recorder(path)
        path.parent.chmod(0o755)
    assert raised.value.message == f"the results database {path} cannot be written"


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "why? #1 100%.db"  # characters that mean something in a URI
    hand_made.record(path)
    db = database.open_to_read(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("delete from finding")
    assert db.execute("select count(*) from finding").fetchone() == (7,)
    db.close()


def test_reading_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    db = database.open_to_read(tmp_path / "chattygen.db")
    assert db.execute("select count(*) from run").fetchone() == (0,)
    assert list(tmp_path.iterdir()) == []


def test_a_transaction_holds_the_write_lock_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    one, other = database.open_to_write(path, 1.0), sqlite3.connect(path, timeout=0)
    with database.immediate(one), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("begin immediate")
    other.execute("begin immediate")
    other.close()
