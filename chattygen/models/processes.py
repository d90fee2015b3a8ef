"""What the processes of a server are: its group, the mark in their environment, the sockets that they listen on.

A server leads a process group of its own. All of its processes inherit the mark, the home folder that they belong to,
so they are known even where nothing else is left of the server. Knows nothing about records, logs or models.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "CHATTYGEN_SERVER_OF"
"""Environment variable of every process of a server: the home folder."""


def lives(pid: int, started: float) -> bool:
    """Whether the process with this id runs and is the one that started then (epoch seconds).

    A process id is given out again; the start time tells the two apart. A dead one that nobody has reaped is dead.
    """
    try:
        process = psutil.Process(pid)
        return bool(abs(process.create_time() - started) < 1 and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def members(group: int) -> list[psutil.Process]:
    """The processes of a group that run; one that is dead but not reaped by its parent does not count."""
    found = []
    for process in psutil.process_iter(["status"]):
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def end(group: int, grace: float) -> bool:
    """SIGTERM for the whole group, and SIGKILL after `grace` seconds; whether nothing of it is left.

    What is left after that hangs in the kernel or a driver, and no signal reaches it.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(group, number)
        deadline = time.monotonic() + grace
        while members(group):
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        else:
            return True
    return False


def marked(home: Path) -> list[psutil.Process]:
    """The processes that run and bear the mark of this home folder, of whatever group."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.environ().get(MARK) == str(home):
                found.append(process)
    return found


def listening(processes: Iterable[psutil.Process]) -> list[tuple[psutil.Process, str, int]]:
    """Process, address and port of every TCP socket that these processes listen on."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            for socket in process.net_connections("tcp"):
                if socket.status == psutil.CONN_LISTEN:
                    found.append((process, socket.laddr.ip, socket.laddr.port))
    return found
