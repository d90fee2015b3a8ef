"""benchmarks/servers.py: two kills of real commands with a real server, and what it says of a process that stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import servers
from chattygen.config import Home


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_nothing_is_left_of_a_killed_command(tmp_path: Path, weights_home: Home) -> None:
    serving, generating = servers.trials(tmp_path, weights_home, "smollm2-135m-instruct", 2, 10.0, 0)
    # the first two numbers of random.Random(0), times 10
    assert (serving.command, serving.after, serving.left, serving.held) == ("serve-models", 8.44, 0, 0)
    assert (generating.command, generating.after, generating.left, generating.held) == ("generate", 7.58, 0, 0)
    assert serving.children >= 2, "the guard and the server"
    assert generating.children >= 2
    assert max(serving.gone, generating.gone) < 15


STAYS = """
import subprocess, sys
code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); time.sleep(60)"
subprocess.run([sys.executable, "-c", code], start_new_session=True)
"""


def test_a_process_that_stays_and_its_port_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "chattygen"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(STAYS)
    monkeypatch.chdir(tmp_path)  # python -m looks here first
    monkeypatch.setattr(servers, "LIMIT", 1.0)
    seen = servers.trial(Home(tmp_path), ["stay"], 3.0)
    assert (seen.children, seen.ports, seen.left, seen.held, seen.good) == (1, 1, 1, 1, False)
    assert 1.0 <= seen.gone < 3.0
