"""The watch sees what it is there for. Nothing here goes out: the sockets are closed, the names are addresses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import watch
from tests.watch.alone import alone

CLOSED = "import socket; s = socket.socket({kind}); s.close(); s.{asks}"
NUMERIC = "import socket; socket.getaddrinfo({name!r}, None, flags=socket.AI_NUMERICHOST)"


def events(code: str, record: Path) -> list[watch.Event]:
    """What a Python says of itself while it runs the code."""
    environment = os.environ | watch.environment(record)
    subprocess.run([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL, check=False)
    return watch.read(record)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (CLOSED.format(kind="", asks="connect(('192.0.2.1', 80))"), "socket.connect"),
        (CLOSED.format(kind="", asks="connect_ex(('192.0.2.1', 80))"), "socket.connect"),
        (CLOSED.format(kind="socket.AF_INET6", asks="connect(('2001:db8::1', 80))"), "socket.connect"),
        (CLOSED.format(kind="type=2", asks="sendto(b'x', ('192.0.2.1', 53))"), "socket.sendto"),
        (CLOSED.format(kind="type=2", asks="sendmsg([b'x'], [], 0, ('192.0.2.1', 53))"), "socket.sendmsg"),
        (CLOSED.format(kind="", asks="bind(('0.0.0.0', 0))"), "socket.bind"),
        (CLOSED.format(kind="", asks="bind(('', 0))"), "socket.bind"),
        (NUMERIC.format(name="models.example.org"), "socket.getaddrinfo"),
        (NUMERIC.format(name=b"models.example.org"), "socket.getaddrinfo"),
    ],
)
def test_what_leaves_is_seen(code: str, name: str, tmp_path: Path) -> None:
    assert [event.name for event in events(code, tmp_path / "record") if event.leaves] == [name]


@pytest.mark.parametrize(
    "code",
    [
        CLOSED.format(kind="", asks="connect(('127.0.0.1', 80))"),
        CLOSED.format(kind="socket.AF_INET6", asks="connect(('::1', 80))"),
        CLOSED.format(kind="socket.AF_UNIX", asks="connect('/tmp/socket')"),
        CLOSED.format(kind="type=2", asks="sendto(b'x', ('127.0.0.1', 53))"),
        CLOSED.format(kind="", asks="bind(('localhost', 0))"),
        NUMERIC.format(name="localhost"),
        NUMERIC.format(name=None),
    ],
)
def test_what_stays_is_not_taken_for_it(code: str, tmp_path: Path) -> None:
    [seen] = events(code, tmp_path / "record")
    assert not seen.leaves


def test_children_are_seen_with_what_they_are_told_and_so_are_their_children(tmp_path: Path) -> None:
    code = """
import subprocess, sys
again = 'import subprocess; subprocess.run(["true"], env={"HTTPS_PROXY": "http://127.0.0.1:9", "A": "1"})'
subprocess.run([sys.executable, "-c", again])
"""
    first, second = events(code, tmp_path / "record")
    assert first.pid != second.pid
    assert first.what[0][:2] == [sys.executable, "-c"]
    assert second.what == (["true"], {"HTTPS_PROXY": "http://127.0.0.1:9"})


def test_an_import_of_a_library_that_reports_is_seen(tmp_path: Path) -> None:
    (tmp_path / "posthog.py").touch()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import json, posthog"
    [seen] = events(code, tmp_path / "record")
    assert (seen.name, seen.what) == ("import", "posthog")


OUT = """
import socket
from contextlib import suppress
with suppress(OSError):
    socket.create_connection(("192.0.2.1", 80))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"name?", ("127.0.0.53", 53))
socket.create_connection(("127.0.0.1", {port})).close()
"""


def test_what_native_code_asks_is_counted() -> None:
    with alone() as network:
        if not network.own:
            pytest.skip("no network namespace is allowed here")
        code = OUT.format(port=network.proxy.rpartition(":")[2])
        subprocess.run([*network.prefix, sys.executable, "-I", "-c", code], check=True)
    assert (network.proxied, network.resolved, network.unroutable) == (1, 1, 1)
