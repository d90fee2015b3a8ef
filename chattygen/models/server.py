"""One local model server: started in a process group of its own, watched until it answers, stopped, found again.

Per server there are a log, HOME/logs/STEM.log, and a record, HOME/run/STEM.json (readable by the user only, for it
holds the server's key); STEM is the model's name, with a number when that model is served twice. A record whose process
is gone, or whose process id now belongs to another process, is swept away. Knows nothing about what a server is for:
the command lines are in `llamacpp` and `vllm`.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from chattygen.config import Home
from chattygen.errors import ServerError
from chattygen.models.guard import GRACE
from chattygen.privacy import LOOPBACK

TAIL = 15
"""Lines of the log that an error shows."""

Waiting = Callable[[float, str], None]
"""Called now and then with the seconds since the start and a few words."""


_children: dict[int, subprocess.Popen[bytes]] = {}
"""The servers that this process started and must reap."""


@dataclass(frozen=True)
class Launch:
    """What to start: a command and its whole environment (which holds the key, so that no command line does)."""

    model: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    port: int
    key: str
    deadline: float


@dataclass(frozen=True)
class Running:
    """A server that runs. `pid` leads its process group; `started` is that process's start time (epoch seconds);
    `started_by` is the command that did it.
    """

    model: str
    pid: int
    started: float
    port: int
    key: str
    log: str
    started_by: str

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/v1"

    @property
    def alive(self) -> bool:
        """Whether the process that leads the group runs."""
        try:
            process = psutil.Process(self.pid)
            # A process id is given out again; the start time tells the two apart.
            return bool(abs(process.create_time() - self.started) < 1 and process.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    @property
    def holds(self) -> bool:
        """Whether any process of the group runs: a vLLM whose front was killed still holds the GPU with the rest."""
        try:
            if abs(psutil.Process(self.pid).create_time() - self.started) >= 1:
                return False
        except psutil.NoSuchProcess:
            pass  # a process id is not given out again while a group has that number
        return bool(_members(self.pid))

    @property
    def memory(self) -> int:
        """Bytes of memory that the processes of the group hold."""
        held = 0
        for process in _members(self.pid):
            with suppress(psutil.NoSuchProcess):
                held += process.memory_info().rss
        return held


def new_key() -> str:
    return secrets.token_urlsafe(24)


def choose_port(wanted: int | None = None) -> int:
    """`wanted` if it is free on loopback, else any free port.

    Raises:
        ServerError: the wanted port is taken.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, wanted or 0))
        except OSError as error:
            raise ServerError(
                f"port {wanted} cannot be used: {error.strerror}", "leave --port out, or choose another"
            ) from None
        port: int = probe.getsockname()[1]
        return port


def start(launch: Launch, home: Home, waiting: Waiting, *, guarded: bool, started_by: str) -> Running:
    """Start a server and wait until it answers.

    `guarded`: the server is ended when this process is gone, even after kill -9; otherwise it outlives it.

    Raises:
        ServerError: it died or did not answer by the deadline (then it is stopped). The error's notes hold the last
            lines of the log and the command.
    """
    stem = _stem(launch.model, home)
    home.logs.mkdir(parents=True, exist_ok=True)
    log = home.logs / f"{stem}.log"
    guard = (sys.executable, "-m", "chattygen.models.guard", str(os.getpid())) if guarded else ()
    begun = time.monotonic()
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                [*guard, *launch.command],
                env=launch.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"cannot start {launch.command[0]}: {error.strerror}", "check the installation") from None
    _children[process.pid] = process
    started = psutil.Process(process.pid).create_time()
    running = Running(launch.model, process.pid, started, launch.port, launch.key, str(log), started_by)
    try:
        _record(running, home.run / f"{stem}.json")
        while not _answers(running):
            elapsed = time.monotonic() - begun
            if (code := process.poll()) is not None:
                raise _failure(f"ended while starting, {_ending(code)}", launch, log, code)
            if elapsed > launch.deadline:
                raise _failure(f"did not answer within {launch.deadline:.0f} s", launch, log, None)
            waiting(elapsed, f"waiting for {launch.model}, {elapsed:.0f} s")
            time.sleep(0.25)
    except BaseException:
        stop(running, home)
        raise
    waiting(time.monotonic() - begun, f"{launch.model} is ready after {time.monotonic() - begun:.0f} s")
    return running


def stop(running: Running, home: Home) -> None:
    """End the whole process group: SIGTERM, and SIGKILL after 10 seconds. Returns when it is gone."""
    if running.holds:
        _signal(running.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while _members(running.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        _signal(running.pid, signal.SIGKILL)
        while _members(running.pid):
            time.sleep(0.05)
    if child := _children.pop(running.pid, None):
        child.wait()
    for record in home.run.glob("*.json"):
        if _load(record) == running:
            record.unlink(missing_ok=True)


def running(home: Home) -> list[Running]:
    """The servers that run, whoever started them, in the order of their start. Records of dead ones are removed."""
    servers = []
    for record in home.run.glob("*.json"):
        server = _load(record)
        if server is not None and server.holds:
            servers.append(server)
        else:
            record.unlink(missing_ok=True)
    return sorted(servers, key=lambda server: server.started)


def _stem(model: str, home: Home) -> str:
    """The model's name, or with a number while another server of that model runs."""
    running(home)
    number, stem = 1, model
    while (home.run / f"{stem}.json").exists():
        number += 1
        stem = f"{model}-{number}"
    return stem


def _record(running: Running, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_suffix(".tmp")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(running), file)
    os.replace(draft, path)


def _load(record: Path) -> Running | None:
    try:
        return Running(**json.loads(record.read_text()))
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        return None


def _answers(running: Running) -> bool:
    """Whether the server lists its models to someone with its key."""
    connection = http.client.HTTPConnection(LOOPBACK, running.port, timeout=2)
    try:
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {running.key}"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _members(group: int) -> list[psutil.Process]:
    """The processes of a group that still run; one that is dead but not reaped by its parent does not count."""
    members = []
    for process in psutil.process_iter(["status"]):
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                members.append(process)
    return members


def _ending(code: int) -> str:
    number = -code if code < 0 else code - 128
    try:
        return f"killed by {signal.Signals(number).name}"
    except ValueError:
        return f"exit code {code}"


def _failure(what: str, launch: Launch, log: Path, code: int | None) -> ServerError:
    lines = log.read_text(errors="replace").splitlines()[-TAIL:]
    error = ServerError(f"the server of {launch.model} {what}", f"{likely_cause(lines, code)}; the log is {log}")
    error.add_note(f"command: {shlex.join(launch.command)}")
    for line in lines:
        error.add_note(line)
    return error


CAUSES = (
    (("no module named",), "a package is missing: pip install 'chattygen[cpu]' (or 'chattygen[gpu]')"),
    (("out of memory", "cannot allocate", "bad_alloc", "failed to allocate"), "not enough memory for this model"),
    (("address already in use",), "another program took the port in the meantime; run it again"),
    (
        ("no kernel image", "cuda driver", "no cuda gpus", "failed to infer device type"),
        "the GPU or driver does not suit",
    ),
    (("failed to load model", "invalid magic", "gguf"), "the weights are damaged: run chattygen check-model"),
)


def likely_cause(lines: list[str], code: int | None) -> str:
    """One guess at why a server did not start, from the end of its log and its exit code."""
    if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return "killed from outside, most likely for lack of memory"
    if code in (-signal.SIGILL, 128 + signal.SIGILL):
        return "llama.cpp was built for another processor: rebuild it with CMAKE_ARGS=-DGGML_NATIVE=OFF"
    text = "\n".join(lines).lower()
    for marks, cause in CAUSES:
        if any(mark in text for mark in marks):
            return cause
    return "still loading? give it more time, or read the log" if code is None else "the log says why"
