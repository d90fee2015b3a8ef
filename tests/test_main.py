"""The command line as a whole: what is imported, exit codes, and how errors look."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from chattygen.cli.main import COMMANDS, main
from tests.results import hand_made

HEAVY = ("openai", "pyoxigraph", "numpy", "huggingface_hub", "rich", "jinja2", "llama_cpp", "vllm", "tokenizers")


def chattygen(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "chattygen", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_help_imports_nothing_heavy() -> None:
    code = f"""
import sys
from chattygen.cli.main import main
try:
    main(["--help"])
except SystemExit:
    pass
print("heavy:", [name for name in {HEAVY} if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.splitlines()[-1] == "heavy: []"
    for command in COMMANDS:
        assert f"  {command} " in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([command, "--help"])
    assert capsys.readouterr().out.startswith(f"Usage: chattygen {command}")


def test_done_is_0_and_failed_is_1(tmp_path: Path) -> None:
    assert chattygen("list-kgs", "--home", str(tmp_path)).returncode == 0
    (tmp_path / "empty.nt").write_text("# nothing\n")
    failed = chattygen("load-kg", str(tmp_path / "empty.nt"), "--quiet", "--home", str(tmp_path))
    assert failed.returncode == 1
    assert failed.stderr.splitlines() == [
        "chattygen: the files hold no triples",
        "  check that these are the files you meant",
    ]
    assert failed.stdout == ""


@pytest.mark.parametrize(
    "words",
    [("no-such-command",), ("generate",), ("generate", "--kg", "x", "--dialogues", "many"), ("describe-kg", "x")],
)
def test_wrong_use_is_2(tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*words, *(["--home", str(tmp_path)] if words[0] in COMMANDS else [])])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


def test_a_debug_run_shows_where_an_expected_error_arose(tmp_path: Path) -> None:
    shown = chattygen("describe-kg", "x", "--home", str(tmp_path), "--debug")
    assert shown.returncode == 1
    assert "Traceback" in shown.stderr
    assert "UnknownName" in shown.stderr


def test_an_unexpected_error_is_two_lines_and_a_traceback_only_with_debug(tmp_path: Path) -> None:
    """A damaged row in the database is something that chattygen does not expect."""
    run = hand_made.record(tmp_path / "chattygen.db")
    connection = sqlite3.connect(tmp_path / "chattygen.db")
    connection.execute("update fact set \"values\" = 'torn'")
    connection.commit()
    connection.close()
    words = ("show-run", run, "--home", str(tmp_path))
    failed = chattygen(*words)
    assert failed.returncode == 1
    assert failed.stderr.splitlines() == [
        "chattygen: JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        "  this is a fault of chattygen; run again with --debug and report it",
    ]
    assert "Traceback" in chattygen(*words, "--debug").stderr


def test_a_reader_that_goes_away_is_no_fault() -> None:
    command = f"{sys.executable} -m chattygen --help | true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert "Traceback" not in result.stderr
