"""The guard over a plain `sleep`: whatever happens to the users, the command ends, and not before."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil


@contextmanager
def guarded(users: Path) -> Iterator[tuple[subprocess.Popen[bytes], psutil.Process]]:
    """A guard, and the `sleep` that it guards."""
    command = [sys.executable, "-m", "chattygen.kg.guard", str(users), "sleep", "60"]
    with subprocess.Popen(command, start_new_session=True) as guard:
        deadline = time.monotonic() + 10
        while not (children := psutil.Process(guard.pid).children()) and time.monotonic() < deadline:
            time.sleep(0.02)
        [sleep] = children
        try:
            yield guard, sleep
        finally:
            guard.terminate()


def test_the_command_ends_when_its_last_user_lets_go(tmp_path: Path) -> None:
    users = tmp_path / "users"
    with users.open("ab") as first, users.open("ab") as second:
        fcntl.flock(first, fcntl.LOCK_SH)
        fcntl.flock(second, fcntl.LOCK_SH)
        with guarded(users) as (guard, sleep):
            first.close()
            time.sleep(1)
            assert sleep.is_running()
            second.close()
            assert guard.wait(10) == 128 + 15
            assert not sleep.is_running()


def test_the_command_ends_when_its_user_is_killed(tmp_path: Path) -> None:
    users = tmp_path / "users"
    code = f"import fcntl, time; f = open({str(users)!r}, 'ab'); fcntl.flock(f, fcntl.LOCK_SH); print(); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as user:
        assert user.stdout
        user.stdout.readline()
        with guarded(users) as (guard, sleep):
            time.sleep(1)
            assert sleep.is_running()
            user.kill()
            guard.wait(10)
            assert not sleep.is_running()


def test_the_command_ends_when_the_guard_is_told(tmp_path: Path) -> None:
    users = tmp_path / "users"
    with users.open("ab") as user:
        fcntl.flock(user, fcntl.LOCK_SH)
        with guarded(users) as (guard, sleep):
            time.sleep(0.5)
            guard.terminate()
            guard.wait(10)
            assert not sleep.is_running()


def test_the_guard_ends_with_its_command(tmp_path: Path) -> None:
    users = tmp_path / "users"
    with users.open("ab") as user:
        fcntl.flock(user, fcntl.LOCK_SH)
        with guarded(users) as (guard, sleep):
            sleep.kill()
            assert guard.wait(10) == 128 + 9
