"""A local Virtuoso (https://github.com/openlink/virtuoso-opensource) for one graph: start, sharing, stop, queries.

A graph's folder holds the database and all that belongs to the server. The first process that opens the graph starts
the server, on loopback; others join it; it ends with its last user (guard.py). Every start writes the settings anew,
for ports and memory change. Queries go through EndpointGraph like those to any other endpoint; virtuoso_terms.py sees
to it that literals come back as Oxigraph spells them. Knows nothing about loading: see virtuoso_load.py.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO

import psutil

from chattygen.errors import GraphError
from chattygen.kg.endpoint import EndpointGraph
from chattygen.kg.folders import USERS
from chattygen.kg.graph import Rows
from chattygen.kg.guard import GLANCE, GRACE
from chattygen.kg.virtuoso_ini import GRAPH, LOG, MAX_ROWS, buffers, settings, spare_memory
from chattygen.kg.virtuoso_terms import decoded, encoded_query
from chattygen.lock import acquire
from chattygen.privacy import LOOPBACK, child_environment

START_SECONDS = 600.0
"""A database of many GB, or one that was killed, takes its time."""

TAIL = 15
"""Lines of the log that an error shows."""

STRICT = "strict"
"""An empty file of this name says that the literals are kept strictly (virtuoso_terms.py)."""

STARTING, RECORD, SETTINGS = "start.lock", "server.json", "virtuoso.ini"

_children: dict[int, subprocess.Popen[bytes]] = {}
"""The guards that this process started and must reap."""


@dataclass(frozen=True)
class Server:
    """A server that was started: `pid` is its guard, which leads the process group; `started` in epoch seconds."""

    pid: int
    started: float
    http: int
    sql: int

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.http}/sparql"

    @property
    def processes(self) -> list[psutil.Process]:
        """The processes of the group that still run."""
        with suppress(psutil.NoSuchProcess):
            # A process id is given out again; the start time tells the two apart.
            if abs(psutil.Process(self.pid).create_time() - self.started) >= 1:
                return []
        running = []
        for process in psutil.process_iter(["status"]):
            with suppress(ProcessLookupError):
                if os.getpgid(process.pid) == self.pid and process.info["status"] != psutil.STATUS_ZOMBIE:
                    running.append(process)
        return running


class VirtuosoGraph:
    """A KnowledgeGraph over the server of a folder. Close it, or use it in a `with` statement."""

    def __init__(self, name: str, fingerprint: str, folder: Path) -> None:
        """Join or start the server.

        Raises:
            GraphError: it does not start; the error's notes hold the last lines of its log.
        """
        self.name = name
        self.fingerprint = fingerprint
        self._folder, self._strict = folder, (folder / STRICT).exists()
        self._users = join(folder)
        try:
            self.server = start(folder)
        except BaseException:
            self._users.close()
            raise
        self._endpoint = endpoint(self.server, name, fingerprint)

    def __enter__(self) -> VirtuosoGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        """Run a SELECT query; see KnowledgeGraph."""
        found = self._endpoint.select(encoded_query(query, self._strict), deadline=deadline)
        rows = tuple(tuple(decoded(term) for term in row) for row in found.rows)
        return replace(found, rows=rows)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        """Run an ASK query; see KnowledgeGraph."""
        return self._endpoint.ask(encoded_query(query, self._strict), deadline=deadline)

    def close(self) -> None:
        """Leave the server; the last one to leave ends it."""
        self._endpoint.close()
        leave(self._users, self._folder)


def open_graph(folder: Path, name: str, fingerprint: str) -> VirtuosoGraph:
    """The loaded graph in `folder`; errors as in VirtuosoGraph."""
    if not (folder / "virtuoso.db").exists():
        raise GraphError(
            f"the graph {name} cannot be opened: {folder} holds no database", "load it again with --replace"
        )
    return VirtuosoGraph(name, fingerprint, folder)


def endpoint(server: Server, name: str, fingerprint: str) -> EndpointGraph:
    """What the server answers over HTTP."""
    return EndpointGraph(name, fingerprint, server.url, graphs=(GRAPH,), cap=MAX_ROWS)


# ---------------------------------------------------------------------------------------------------------------------
# Users


def join(folder: Path) -> IO[bytes]:
    """Become a user of the folder's server; waits while a server there is being ended.

    Raises:
        GraphError: that takes too long.
    """
    users = (folder / USERS).open("ab")
    deadline = time.monotonic() + GRACE + 10
    while True:
        try:
            fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return users
        except BlockingIOError:
            if time.monotonic() > deadline:
                users.close()
                raise GraphError(f"the Virtuoso of {folder} does not end", f"see {folder / LOG}") from None
            time.sleep(GLANCE)


def leave(users: IO[bytes], folder: Path) -> None:
    """Stop being a user; the last one ends the server and waits for it."""
    if users.closed:
        return
    with users:
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        stop(folder)


# ---------------------------------------------------------------------------------------------------------------------
# Start and stop


def start(folder: Path, data_bytes: int | None = None) -> Server:
    """The running server of the folder; started, if there is none. The caller must have joined.

    Args:
        data_bytes: how much data it will hold; None means that of the database file.

    Raises:
        GraphError: Virtuoso is not installed, or does not start: the notes hold the last lines of its log.
    """
    mine = acquire(folder / STARTING)
    while mine is None:
        time.sleep(GLANCE)
        mine = acquire(folder / STARTING)
    with mine:
        server = _recorded(folder)
        if server and server.processes and _answers(server):
            return server
        stop(folder)  # one that was half killed
        return _launch(folder, data_bytes)


def stop(folder: Path) -> None:
    """End the folder's server, if there is one: SIGTERM, and SIGKILL after a grace. Returns when it is gone."""
    server = _recorded(folder)
    if server is None:
        return
    _signal(server, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while server.processes and time.monotonic() < deadline:
        time.sleep(GLANCE / 5)
    _signal(server, signal.SIGKILL)
    while server.processes:
        time.sleep(GLANCE / 5)
    if child := _children.pop(server.pid, None):
        child.wait()
    (folder / RECORD).unlink(missing_ok=True)


def find_program() -> str:
    """The path of virtuoso-t.

    Raises:
        GraphError: Virtuoso is not installed.
    """
    program = shutil.which("virtuoso-t")
    if program is None:
        raise GraphError(
            "Virtuoso is not installed: there is no virtuoso-t on the PATH",
            "install it (Debian: apt install virtuoso-opensource-7-bin), or load into Oxigraph: leave --store out",
        )
    return program


def _launch(folder: Path, data_bytes: int | None) -> Server:
    program = find_program()
    http, sql = _free_ports()
    size = data_bytes if data_bytes is not None else (folder / "virtuoso.db").stat().st_size
    (folder / SETTINGS).write_text(settings(http, sql, buffers(spare_memory(), size)), encoding="utf-8")
    (folder / "www").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "chattygen.kg.guard", USERS, program, "-f", "+configfile", SETTINGS]
    begun = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=child_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _children[process.pid] = process
    server = Server(process.pid, psutil.Process(process.pid).create_time(), http, sql)
    try:
        (folder / RECORD).write_text(json.dumps(asdict(server)), encoding="utf-8")
        while not _answers(server):
            if process.poll() is not None:
                raise failure("Virtuoso ended while starting", folder)
            if time.monotonic() - begun > START_SECONDS:
                raise failure(f"Virtuoso did not answer within {START_SECONDS:.0f} s", folder)
            time.sleep(GLANCE)
    except BaseException:
        stop(folder)
        raise
    return server


def failure(what: str, folder: Path) -> GraphError:
    """An error with the end of the server's log in its notes."""
    error = GraphError(what, f"the log says why: {folder / LOG}")
    with suppress(OSError):
        for line in (folder / LOG).read_text(errors="replace").splitlines()[-TAIL:]:
            error.add_note(line)
    return error


def _recorded(folder: Path) -> Server | None:
    try:
        return Server(**json.loads((folder / RECORD).read_text()))
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        return None


def _answers(server: Server) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, server.http, timeout=5)
    try:
        connection.request("GET", "/sparql?query=ASK%20%7B%7D")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _signal(server: Server, number: int) -> None:
    if server.processes:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, number)


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as two:
        one.bind((LOOPBACK, 0))
        two.bind((LOOPBACK, 0))
        return one.getsockname()[1], two.getsockname()[1]
