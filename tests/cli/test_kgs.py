from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from chattygen.cli.main import main

ROOT = Path(__file__).parent.parent.parent
TINY = ROOT / "tests" / "data" / "tiny.ttl"
FILM = "http://example.org/film/"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHATTYGEN_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*arguments: str) -> int:
    """The exit code of a command."""
    try:
        main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_load_list_describe_drop(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("load-kg", str(TINY)) == 0
    loaded = capsys.readouterr()
    assert loaded.out == ""
    assert "40 triples" in loaded.err

    assert run("list-kgs", "--json") == 0
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["triples"]) == ("tiny", 40)

    assert run("describe-kg", "tiny", "--json") == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["name"], described["triples"], described["entities"]) == ("tiny", 40, 8)
    assert described["fingerprint"] == listed["fingerprint"]
    assert {found["iri"]: (found["count"], found["kept"]) for found in described["classes"]} == {
        FILM + "Film": (3, True),
        FILM + "Person": (3, True),
        FILM + "City": (2, True),
        FILM + "Director": (2, True),
        FILM + "Award": (0, False),
    }
    assert [found["reason"] for found in described["classes"] if not found["kept"]] == [
        "its entities are blank nodes (1)"
    ]
    assert {"iri": FILM + "stars", "triples": 3} in described["predicates"]

    assert run("describe-kg", "tiny") == 0
    assert "40 triples, 8 typed entities" in capsys.readouterr().out

    assert run("drop-kg", "tiny", "--yes") == 0
    assert run("list-kgs", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_describe_says_what_is_asked_last_or_never(capsys: pytest.CaptureFixture[str]) -> None:
    vocab = "http://example.org/vocab/"
    run("load-kg", str(ROOT / "tests" / "data" / "context.ttl"), "--name", "library", "--quiet")
    assert run("describe-kg", "library", "--json") == 0
    named = {found["iri"]: found["interest"] for found in json.loads(capsys.readouterr().out)["named"]}
    assert [
        (told["predicate"], told["direction"], told["score"], told["reason"]) for told in named[vocab + "Book"]
    ] == [
        (vocab + "cover", "out", 0.0, "link to elsewhere"),
        (vocab + "isbn", "out", 0.0, "identifier"),
        (vocab + "number", "out", 0.0, "identifier"),
        (vocab + "language", "out", 0.2, "the same for nearly all"),
    ]
    assert named[vocab + "Writer"] == []  # six are too few to say

    assert run("describe-kg", "library") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "book isbn never asked identifier" in lines
    assert "book language 0.2 the same for nearly all" in lines


def test_drop_asks_first(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run("load-kg", str(TINY), "--quiet")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run("drop-kg", "tiny") == 130
    run("list-kgs", "--json")
    assert len(json.loads(capsys.readouterr().out)) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["load-kg"], 2, "no file was given"),
        (["load-kg", "none.ttl"], 2, "none.ttl: no such file"),
        (["load-kg", str(TINY), "--name", "No"], 2, "cannot name a graph"),
        (["load-kg", str(TINY), "--recipe", str(ROOT / "kg-loaders" / "nobel.toml")], 2, "both files and a recipe"),
        (["describe-kg", "tiny"], 2, "no graph is called 'tiny'"),
        (["drop-kg", "tiny", "--yes"], 2, "no graph is called 'tiny'"),
    ],
)
def test_wrong_use_is_two_lines(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    assert run(*arguments) == code
    captured = capsys.readouterr()
    lines = captured.err.strip().splitlines()[-2:]
    assert lines[0].startswith("chattygen: ")
    assert words in lines[0]
    assert lines[1].startswith("  ")
    assert captured.out == ""


def test_a_broken_file_names_the_line_and_quiet_is_quiet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "broken.nt"
    file.write_text("<http://e.org/a> <http://e.org/p> .\n")
    assert run("load-kg", str(file), "--quiet") == 1
    assert capsys.readouterr().err.startswith(f"chattygen: {file}:1:")
    assert run("load-kg", str(TINY), "--quiet") == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "triples", "top"), [("nobel", 26_574, 877), ("dblp-sample", 12_662, 517)])
def test_the_bundled_recipes(capsys: pytest.CaptureFixture[str], name: str, triples: int, top: int) -> None:
    """Triples and persons were counted in the files themselves, not by chattygen."""
    assert run("load-kg", "--recipe", str(ROOT / "kg-loaders" / f"{name}.toml"), "--quiet") == 0
    assert run("describe-kg", name, "--json") == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["triples"], described["classes"][0]["count"]) == (triples, top)
