"""The embedded store: an Oxigraph folder behind the KnowledgeGraph seam, every query with a deadline that holds.

pyoxigraph cannot stop a query, so the store is opened, read-only, in a process of its own (worker.py) that starts with
the first query, is killed when a query passes its deadline, and is started again for the next one. The process is a
plain child with a pipe: it takes no module of the caller's with it and leaves nothing behind. Knows nothing about
loading, profiles or the paper. Oxigraph stores numbers and dates by value: "01"^^xsd:integer comes back as "1".
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

from chattygen.errors import GraphError, QueryError, QueryTimeout
from chattygen.kg.graph import Rows
from chattygen.kg.sparql import first_line, read_only
from chattygen.privacy import child_environment

START_SECONDS = 60.0


class OxigraphGraph:
    """A KnowledgeGraph over the store in the folder `store`. Close it, or use it in a `with` statement."""

    def __init__(self, name: str, fingerprint: str, store: Path) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._store = store
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._one_at_a_time = Lock()

    def __enter__(self) -> OxigraphGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        """Run a SELECT query; see KnowledgeGraph. The answer is always complete."""
        kind, *answer = self._ask_worker(query, deadline)
        if kind != "rows":
            raise QueryError("the query is not a SELECT", "ask with a SELECT query")
        return Rows(*answer)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        """Run an ASK query; see KnowledgeGraph."""
        kind, *answer = self._ask_worker(query, deadline)
        if kind != "boolean":
            raise QueryError("the query is not an ASK", "ask with an ASK query")
        return bool(answer[0])

    def close(self) -> None:
        """End the worker process; the next query starts another."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._pipe = self._process = None

    def _ask_worker(self, query: str, deadline: float) -> tuple[Any, ...]:
        """Send the query and wait for its reply.

        Raises:
            QueryTimeout: the deadline passed and the worker was killed.
            QueryError: the query may not run here, was refused by the store, or brought the worker down.
        """
        unsafe = read_only(query)
        if unsafe:
            raise QueryError(unsafe.message, "ask with a SELECT or ASK over this graph")
        with self._one_at_a_time:
            reply: tuple[Any, ...] = ()
            try:
                pipe = self._pipe or self._start()
                pipe.send((query, deadline))
                if pipe.poll(deadline):
                    reply = pipe.recv()
            except (EOFError, OSError):
                raise QueryError(
                    "the store's process ended during a query", "ask for less; the data are whole"
                ) from None
            finally:
                if not reply:  # whatever happened, a late answer must not meet the next query
                    self.close()
        if not reply:
            raise QueryTimeout(f"a query was stopped after {deadline:g} s", "give it more time, or ask for less")
        if reply[0] == "error":
            raise QueryError(f"the store refused a query: {first_line(reply[1])}", "mend the query")
        return reply

    def _start(self) -> Connection:
        """Start the worker and wait until it has opened the store."""
        ours, theirs = Pipe()
        command = [sys.executable, "-m", "chattygen.kg.worker", str(self._store), str(theirs.fileno())]
        self._pipe = ours
        with theirs:
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                env=child_environment(),
                stdin=subprocess.DEVNULL,
                process_group=0,
            )
        reply: tuple[str, ...] = ()
        with suppress(EOFError, OSError):
            if ours.poll(START_SECONDS):
                reply = ours.recv()
        if reply != ("ready",):
            self.close()
            reason = first_line(reply[1]) if reply else "its process did not start"
            raise GraphError(f"the graph {self.name} cannot be opened: {reason}", "load it again with --replace")
        return ours
