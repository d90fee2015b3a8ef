"""One local model server: started in a process group of its own, watched until it answers, stopped, found again.

Per server there are a log, HOME/logs/STEM.log, and a record, HOME/run/STEM.json (readable by the user only, for it
holds the server's key); STEM is the model's name, with a number when that model is served twice. A record whose process
is gone, or whose process id now belongs to another process, is swept away. The log before the last is STEM.log.1.
Knows nothing about what a server is for: the command lines are in `llamacpp` and `vllm`.
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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import psutil

from chattygen.config import Home
from chattygen.errors import ServerError
from chattygen.models import processes
from chattygen.models.causes import LAST, error_line, likely_cause
from chattygen.models.guard import GRACE
from chattygen.privacy import LOOPBACK

SEARCHED = 400
"""Lines of the log that are searched for the cause."""

BUSY = 30.0
"""Seconds that a server which has answered before may be too busy to answer."""

Waiting = Callable[[float, str], None]
"""Called now and then with the seconds since the start and a few words."""

_children: dict[int, subprocess.Popen[bytes]] = {}
"""The servers that this process started and must reap."""


@dataclass(frozen=True)
class Launch:
    """What to start: a command and its whole environment (which holds the key, so that no command line does).

    `engine` is the package that serves, `slots` the requests that it takes at once, where that is known.
    """

    model: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    port: int
    key: str
    deadline: float
    engine: str = ""
    slots: int = 1


@dataclass(frozen=True)
class Running:
    """A server that runs. `pid` leads its process group; `started` is that process's start time (epoch seconds);
    `started_by` is the command that did it.

    Attributes:
        owner, owner_started: the process that it ends with, by id and start time; 0 for a server that outlives it.
        deadline: seconds after the start until which it must answer.
        engine, slots: as in Launch.
    """

    model: str
    pid: int
    started: float
    port: int
    key: str
    log: str
    started_by: str
    owner: int = 0
    owner_started: float = 0.0
    deadline: float = 0.0
    engine: str = ""
    slots: int = 1

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/v1"

    @property
    def alive(self) -> bool:
        """Whether the process that leads the group runs."""
        return processes.lives(self.pid, self.started)

    @property
    def holds(self) -> bool:
        """Whether any process of the group runs: a vLLM whose front was killed still holds the GPU with the rest."""
        try:
            if abs(psutil.Process(self.pid).create_time() - self.started) >= 1:
                return False
        except psutil.NoSuchProcess:
            pass  # a process id is not given out again while a group has that number
        return bool(processes.members(self.pid))

    @property
    def owned(self) -> bool:
        """Whether the process that it ends with runs."""
        return bool(self.owner) and processes.lives(self.owner, self.owner_started)

    @property
    def orphan(self) -> bool:
        """Whether it holds what nobody uses: its owner is gone, or only a part of it is left."""
        return self.holds and not (self.alive and (self.owned or not self.owner))

    @property
    def memory(self) -> int:
        """Bytes of memory that the processes of the group hold."""
        held = 0
        for process in processes.members(self.pid):
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
        ServerError: it died or did not answer by the deadline (then it is stopped). The error's notes hold the command
            and the last lines of the log.
    """
    stem = _stem(launch.model, home)
    home.logs.mkdir(parents=True, exist_ok=True)
    log = home.logs / f"{stem}.log"
    if log.exists():
        log.replace(f"{log}.1")
    guard = (sys.executable, "-m", "chattygen.models.guard", str(os.getpid())) if guarded else ()
    begun = time.monotonic()
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                [*guard, *launch.command],
                env={**launch.environment, processes.MARK: str(home.path)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"cannot start {launch.command[0]}: {error.strerror}", "check the installation") from None
    _children[process.pid] = process
    owner, owner_started = (os.getpid(), psutil.Process().create_time()) if guarded else (0, 0.0)
    running = Running(
        *(launch.model, process.pid, psutil.Process(process.pid).create_time(), launch.port, launch.key, str(log)),
        *(started_by, owner, owner_started, launch.deadline, launch.engine, launch.slots),
    )
    try:
        _record(running, home.run / f"{stem}.json")
        while not answers(running):
            elapsed = time.monotonic() - begun
            if (code := process.poll()) is not None:
                raise _failure(f"ended while starting, {_ending(code)}", running, code, launch.command)
            if elapsed > launch.deadline:
                raise _failure(f"did not answer within {launch.deadline:.0f} s", running, None, launch.command)
            waiting(elapsed, f"waiting for {launch.model}, {elapsed:.0f} s")
            time.sleep(0.25)
    except BaseException:
        stop(running, home)
        raise
    waiting(time.monotonic() - begun, f"{launch.model} is ready after {time.monotonic() - begun:.0f} s")
    return running


def wait(running: Running, waiting: Waiting) -> bool:
    """Wait until a server answers that someone else has started; whether it does so by its deadline."""
    until = max(running.started + running.deadline, time.time() + BUSY)
    while running.alive and time.time() < until:
        if answers(running):
            return True
        elapsed = time.time() - running.started
        waiting(elapsed, f"waiting for {running.model}, {elapsed:.0f} s")
        time.sleep(0.25)
    return False


def died(running: Running) -> bool:
    """Whether its process is gone, asked right after a call has failed.

    That takes a moment to show: until the guard has seen it, or until a vLLM whose engine is dead has shut down.
    """
    begun = time.monotonic()
    while running.alive:
        if time.monotonic() - begun > (1.0 if answers(running) else GRACE):
            return False
        time.sleep(0.2)
    return True


def death(running: Running) -> ServerError | None:
    """Why a server that answered before has ended, with the last lines of its log; None if it was told to stop."""
    if running.pid not in _children:
        return ServerError(f"the server of {running.model} is gone", f"its log is {running.log}")
    code = _children[running.pid].wait()
    # A vLLM whose engine has died exits with 0, as one does that was told to stop; only the log tells the two apart.
    if code in (-signal.SIGTERM, 128 + signal.SIGTERM) or (code == 0 and not error_line(_log(running))):
        return None
    return _failure(f"died, {_ending(code)}", running, code)


def stop(running: Running, home: Home) -> None:
    """End the whole process group: SIGTERM, and SIGKILL after 10 seconds. Returns when it is gone.

    The record of a server that even SIGKILL does not end is kept, so that `status` and `doctor` show it.
    """
    if running.holds and not processes.end(running.pid, GRACE):
        return
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
        written = json.loads(record.read_text())
        # Another version of chattygen may write down more.
        return Running(**{field.name: written[field.name] for field in fields(Running) if field.name in written})
    except (FileNotFoundError, json.JSONDecodeError, TypeError):
        return None


def answers(running: Running) -> bool:
    """Whether it is this server that listens on its port, and lists its models to someone with its key."""
    connection = http.client.HTTPConnection(LOOPBACK, running.port, timeout=2)
    try:
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {running.key}"})
        if connection.getresponse().status != 200:
            return False
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    # Another program may have taken the port, and answer whatever it is asked.
    return any(port == running.port for _, _, port in processes.listening(processes.members(running.pid)))


def _ending(code: int) -> str:
    number = -code if code < 0 else code - 128
    try:
        return f"killed by {signal.Signals(number).name}"
    except ValueError:
        return f"exit code {code}"


def _failure(what: str, running: Running, code: int | None, command: Sequence[str] = ()) -> ServerError:
    lines = _log(running)
    error = ServerError(
        f"the server of {running.model} {what}", f"{likely_cause(lines, code)}; the log is {running.log}"
    )
    if command:
        error.add_note(f"command: {shlex.join(command)}")
    told = error_line(lines)
    if told and not any(told in line for line in lines[-LAST:]):
        error.add_note(told)
    for line in lines[-LAST:]:
        error.add_note(line)
    return error


def _log(running: Running) -> list[str]:
    """The last lines of a server's log; an engine of vLLM says why it ended long before the front's last word."""
    log = Path(running.log)
    return log.read_text(errors="replace").splitlines()[-SEARCHED:] if log.exists() else []
