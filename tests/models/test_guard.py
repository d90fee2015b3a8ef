"""The guard process by itself."""

from __future__ import annotations

import os
import subprocess
import sys

from chattygen.models import guard


def test_the_exit_code_is_that_of_the_command() -> None:
    assert guard.main([str(os.getppid()), sys.executable, "-c", "raise SystemExit(7)"]) == 7


def test_a_command_that_a_signal_ended_has_a_shells_exit_code() -> None:
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    assert guard.main([str(os.getppid()), *command]) == 137


def test_a_guard_whose_parent_is_gone_ends_the_command_at_once() -> None:
    # Process 1 is not the guard's parent, which is as if the parent had died.
    command = [sys.executable, "-m", "chattygen.models.guard", "1", sys.executable, "-c", "import time; time.sleep(60)"]
    ended = subprocess.run(command, start_new_session=True, timeout=15, check=False)
    assert ended.returncode == -9
