"""`python -m chattygen.kg.guard USERS COMMAND...`: run COMMAND, and end it when nobody uses it any more.

Whoever uses the server holds a shared lock on the file USERS, which the system frees however its holder dies. So the
server is ended a moment after its last user is gone, even after kill -9. The lock is held exclusively while that goes
on, so that nobody joins a server that is about to end. Uses the standard library only.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time

GRACE = 60.0
"""Seconds between SIGTERM and SIGKILL: a database writes its pages out before it ends."""

GLANCE = 0.25
"""Seconds between two looks."""


def main(arguments: list[str]) -> int:
    """Started as the leader of its own process group. Exit status: that of the command, 128 + n after signal n."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    with open(arguments[0], "ab") as users:
        child = subprocess.Popen(arguments[1:])
        while child.poll() is None:
            if told or _unused(users.fileno()):
                child.terminate()
                try:
                    child.wait(GRACE)
                except subprocess.TimeoutExpired:
                    os.killpg(0, signal.SIGKILL)
            else:
                time.sleep(GLANCE)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _unused(users: int) -> bool:
    """Whether nobody holds the lock; then we do."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
