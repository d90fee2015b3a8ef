"""The guard process by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil


def guarded(parent: int, code: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "chattygen.models.guard", str(parent), sys.executable, "-c", code]
    return subprocess.run(command, start_new_session=True, stdout=subprocess.PIPE, timeout=20, check=False)


def test_the_exit_code_is_that_of_the_command() -> None:
    assert guarded(os.getpid(), "raise SystemExit(7)").returncode == 7


def test_a_command_that_a_signal_ended_has_a_shells_exit_code() -> None:
    assert guarded(os.getpid(), "import os; os.kill(os.getpid(), 9)").returncode == 137


LEAVES_A_CHILD = """
import subprocess, sys
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL).pid)
"""


def test_what_the_command_leaves_behind_is_ended() -> None:
    left = int(guarded(os.getpid(), LEAVES_A_CHILD).stdout)
    deadline = time.monotonic() + 5
    while psutil.pid_exists(left) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not psutil.pid_exists(left)


def test_a_guard_whose_parent_is_gone_ends_the_command_at_once() -> None:
    # Process 1 is not the guard's parent, which is as if the parent had died.
    assert guarded(1, "import time; time.sleep(60)").returncode == -9
