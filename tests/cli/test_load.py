from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_kgs import TINY, home, run

__all__ = ["home"]
GOOD = "".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(199))
BAD = "<http://e.org/a> <http://e.org/p> .\n"


def test_skipping_bad_lines_says_how_many_and_where_they_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    file = tmp_path / "dump.nt"
    file.write_text(GOOD.replace("/o> .", "/o 1> .", 1) + BAD)
    assert run("load-kg", str(file), "--skip-bad") == 0
    rejects = home / "kgs" / "dump" / "rejects.tsv"
    assert f"1 lines were left out, 1 were repaired; see {rejects}" in capsys.readouterr().err.splitlines()
    assert rejects.read_text().splitlines()[1].startswith(f"{file}\t200\t35\tThe object of a triple")
    assert run("list-kgs", "--json") == 0
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["triples"], listed["rejected"], listed["repaired"]) == (199, 1, 1)


def test_more_bad_lines_than_allowed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "dump.nt"
    file.write_text(GOOD + BAD)
    assert run("load-kg", str(file), "--skip-bad", "--max-bad", "0.4", "--quiet") == 1
    what, hint = capsys.readouterr().err.splitlines()
    assert what.startswith(f"chattygen: 1 of 200 lines are bad, more than 0.4 %; the first: {file}:200:35: ")
    assert "--max-bad" in hint


def test_lines_of_turtle_cannot_be_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("load-kg", str(TINY), "--skip-bad", "--quiet") == 2
    assert "tiny.ttl is Turtle: --skip-bad is for N-Triples and N-Quads" in capsys.readouterr().err


def test_a_folder_is_named_after_itself_and_its_notes_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "My Dump 2.0"
    folder.mkdir()
    (folder / "a.nt").write_text(GOOD)
    (folder / "about.txt").write_text("made in 2015\n")
    assert run("load-kg", str(folder)) == 0
    assert f"left out of {folder}, as they are not RDF: about.txt" in capsys.readouterr().err.splitlines()
    assert run("describe-kg", "my-dump-2.0", "--json") == 0
