"""`python -m chattygen.models.guard PARENT COMMAND...`: run COMMAND, and end it when process PARENT is gone.

Started as the leader of its own process group. Whatever becomes of chattygen (even kill -9), its model server is ended
at most 12 seconds later. Uses the standard library only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

GRACE = 10.0
"""Seconds between SIGTERM and SIGKILL."""

GLANCE = 0.5
"""Seconds between two looks at the parent."""

MISSING = 127
"""Exit status when COMMAND cannot be started, as a shell has it."""


def main(arguments: list[str]) -> int:
    """Exit status: that of the command, 128 + n when signal n ended it, as a shell has it."""
    parent = int(arguments[0])
    # The group is told to stop as a whole; the guard stays to see that it does.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    try:
        child = subprocess.Popen(arguments[1:])
    except OSError as error:
        sys.stderr.write(f"{arguments[1]}: {error.strerror}\n")
        return MISSING
    while child.poll() is None:
        if os.getppid() != parent:
            os.killpg(0, signal.SIGTERM)
            deadline = time.monotonic() + GRACE
            while child.poll() is None and time.monotonic() < deadline:
                time.sleep(GLANCE / 5)
            os.killpg(0, signal.SIGKILL)
        time.sleep(GLANCE)
    os.killpg(0, signal.SIGTERM)  # whatever the command left behind
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
