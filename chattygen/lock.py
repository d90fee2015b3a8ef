"""Locks between processes: files that the system frees when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def acquire(path: Path) -> IO[bytes] | None:
    """Take the lock at `path`, without waiting; None when someone else, or another opened file of ours, holds it.

    It is held until the returned file is closed; its holder may delete the file. Folders are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()  # the holder before us deleted it while we opened it


def is_held(path: Path) -> bool:
    """Whether someone holds the lock at `path`. Changes nothing, so it works in a folder that can only be read."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def lock(path: Path) -> Iterator[bool]:
    """Whether the lock at `path` is ours, inside the `with`; see `acquire`."""
    file = acquire(path)
    if file is None:
        yield False
    else:
        with file:
            yield True
