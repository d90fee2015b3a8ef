"""The results database as a file: how it is opened, locked and written, and what its errors mean to the user.

Knows which tables there are only through schema.py.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from chattygen.errors import ResultsError
from chattygen.results import schema


def open_to_write(path: Path, timeout: float) -> Database:
    """Open the database for the one writer; create it and bring its tables up to date.

    Args:
        path: the file; missing folders are made.
        timeout: seconds to wait while another process writes.

    Raises:
        ResultsError: the file cannot be opened, is no database, or is one of a newer version.
    """
    with errors_explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=timeout, check_same_thread=False)
        db = Database(connection, execute_plugins=False)
        db.execute("pragma foreign_keys = on")
        # What was recorded must survive a power cut, whatever this build of SQLite has as its default for WAL.
        db.execute("pragma synchronous = full")
        db.enable_wal()
        with immediate(db):  # two processes may open a new file at once: one of them migrates
            _refuse_newer(db, path)
            schema.migrations.apply(db)
    return db


def open_to_read(path: Path) -> Database:
    """Open the database without any right to change it; a file that is not there yet reads as one without runs.

    One of an older version is brought up to date first.

    Raises:
        ResultsError: the file is no results database, or one that this version cannot read.
    """
    if not path.exists():
        empty = Database(memory=True, execute_plugins=False)
        schema.migrations.apply(empty)
        return empty
    with errors_explained(path):
        db = _open_read_only(path)
        applied = [migration.name for migration in schema.migrations.applied(db)]
        if not applied:
            raise ResultsError(f"{path} is not a results database of chattygen", "give the right --home")
        _refuse_newer(db, path)
        if schema.migrations.pending(db):
            db.close()
            open_to_write(path, 30.0).close()
            db = _open_read_only(path)
    return db


def _open_read_only(path: Path) -> Database:
    """A file that nobody can be writing, in a folder that cannot be written, needs no files of WAL mode beside it."""
    alone = not os.access(path.parent, os.W_OK, effective_ids=True) and not path.with_name(f"{path.name}-wal").exists()
    options = "immutable=1" if alone else "mode=ro"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, timeout=30)
    return Database(connection, execute_plugins=False)


def _refuse_newer(db: Database, path: Path) -> None:
    ours = {migration.name for migration in schema.migrations.pending(Database(memory=True, execute_plugins=False))}
    if any(migration.name not in ours for migration in schema.migrations.applied(db)):
        raise ResultsError(
            f"the results database {path} was written by a newer version of chattygen",
            "update chattygen, or give another --home",
        )


def lock_of(path: Path, run: str) -> Path:
    """The lock that the process which works on a run holds; `path` is the database."""
    return path.parent / "run" / f"{run}.lock"


@contextmanager
def immediate(db: Database) -> Iterator[None]:
    """A transaction that takes the write lock at its start, so that it waits then instead of failing halfway.

    sqlite-utils' `atomic` begins deferred, but nests inside an open transaction as a savepoint.
    """
    with db.conn:
        db.execute("begin immediate")
        yield


def iso(moment: datetime) -> str:
    """A moment as it is stored: ISO 8601 in UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clean(row: dict[str, Any]) -> dict[str, Any]:
    """`row` without lone surrogates: a reply cut inside a character may hold one, and SQLite could not store it."""
    return {
        column: re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value
        for column, value in row.items()
    }


EXPLAINED = {
    sqlite3.SQLITE_BUSY: ("is locked by another program", "close the program that writes to it and try again"),
    sqlite3.SQLITE_LOCKED: ("is locked by another program", "close the program that writes to it and try again"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space; what was stored before is safe"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", "check the disk; the file must lie on a local file system"),
    sqlite3.SQLITE_NOTADB: ("is not a SQLite database", "move that file away or give another --home"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move that file away; sqlite3's .recover may save what it held"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "check that it is a file in a folder you may write to"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "make the file and its folder writable or give another --home"),
}
"""SQLite's primary error codes that a user can meet: what happened, what to do."""


@contextmanager
def errors_explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors that a user can meet into ResultsError; mistakes of chattygen itself stay as they are."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the upper bits only detail the primary code
        if code not in EXPLAINED:
            raise
        what, hint = EXPLAINED[code]
        raise ResultsError(f"the results database {path} {what}", hint) from error
    except OSError as error:
        raise ResultsError(
            f"the results database {path} cannot be opened: {error.strerror}",
            "check that it is a file in a folder you may write to",
        ) from error
