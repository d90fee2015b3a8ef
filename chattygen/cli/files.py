"""Files that a command writes: never over one that exists unless told to, and whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TextIO

from chattygen.errors import ResultsError, UsageError


def refuse_existing(path: Path, option: str, force: bool) -> None:
    """Keep what is there, unless `force`; `option` is the one that named the path.

    Raises:
        UsageError: something exists under that name.
    """
    if path.exists() and not force:
        raise UsageError(f"{path} exists", f"give another {option}, or --force to overwrite it")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A text file in UTF-8 that takes its place under `path` only when all of it is written.

    Raises:
        ResultsError: it cannot be written; what was there before is left as it was.
    """
    with whole_path(path) as part, open(part, "w", encoding="utf-8", newline="\n") as stream:
        yield stream


@contextmanager
def whole_path(path: Path) -> Iterator[Path]:
    """The name for a file or a folder that takes its place under `path` only when all of it is made.

    Raises:
        ResultsError: it cannot be written; what was there before is left as it was.
    """
    part, old = (path.with_name(f".{path.name}.{os.getpid()}.{end}") for end in ("part", "old"))
    try:
        try:
            yield part
            if part.is_dir() and path.is_dir():
                _swap(part, path, old)
            else:
                os.replace(part, path)
        finally:
            _remove(part)
    except OSError as error:
        raise ResultsError(
            f"cannot write {path}: {error.strerror or error}", "give a path in a folder that exists and has room"
        ) from error


def _swap(new: Path, path: Path, old: Path) -> None:
    """Put a folder where another one is: that one must step aside first, and comes back if this fails."""
    os.replace(path, old)
    try:
        os.replace(new, path)
    except OSError:
        os.replace(old, path)
        raise
    rmtree(old)


def _remove(path: Path) -> None:
    if path.is_dir():
        rmtree(path)
    else:
        path.unlink(missing_ok=True)
