"""What a process works on in a results database: a run, an evaluation. One that nobody claims and that has no end was
killed.

A claim is a lock beside the database that the system frees when the process ends. Knows nothing about tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO

from chattygen.errors import UsageError
from chattygen.lock import acquire
from chattygen.results.database import lock_of


class Claims:
    """The claims of one process on the database at `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, IO[bytes]] = {}

    def hold(self, name: str, what: str, hint: str) -> None:
        """Claim the run or evaluation called `name`.

        Raises:
            UsageError: another process holds it; `what` says what it is, and `hint` what to do.
        """
        claim = acquire(lock_of(self._path, name))
        if claim is None:
            raise UsageError(f"the {what} {name} is being worked on by another process", hint)
        self._held[name] = claim

    def leave(self, name: str) -> None:
        """Give a claim back, if it is held."""
        if claim := self._held.pop(name, None):
            with claim:
                lock_of(self._path, name).unlink(missing_ok=True)

    def leave_all(self) -> None:
        for name in list(self._held):
            self.leave(name)
