"""generate --entities: a dialogue about each entity of a list, and what is said of those that have none."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chattygen.cli.entities import read_entities
from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.errors import UsageError
from tests.journeys.lakes import SILENT, fresh, make_home, write_script

NS = "http://example.org/lakes/"


@pytest.fixture(scope="module")
def lakes(weights_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("lakes") / "home", weights_home)


@pytest.fixture
def home(lakes: Home, tmp_path: Path) -> Home:
    home = fresh(lakes, tmp_path / "home")
    write_script(home.path, SILENT)
    return home


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Two lakes and an island in an order that is not the graph's; two that cannot be seeds; the region has one fact,
    whose other ends are of two classes and have no name to ask for them by.
    """
    path = tmp_path / "my lakes.txt"
    path.write_text(f"# mine\n{NS}l6\n<{NS}i1>  # Crow Holm\n\n{NS}nobody\nnot an iri\n{NS}north\n{NS}l1\n{NS}l6\n")
    return path


def call(home: Home, *words: str) -> int:
    """The exit code."""
    try:
        main([*words, "--home", str(home.path)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def rows(home: Home, sql: str) -> list[Any]:
    with closing(sqlite3.connect(home.database)) as connection:
        return connection.execute(sql).fetchall()


LOST = [
    (NS + "nobody", "C1", "the entity is not in the graph, or has no class there"),
    ("not an iri", "C1", "the entity is not an IRI"),
    (NS + "north", "C4", "too few of its facts can be asked about"),
]


def test_a_dialogue_about_each_and_the_others_by_name(
    home: Home, given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(home, "generate", "--kg", "lakes", "--entities", str(given), "--json") == 3
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert (made["dialogues"], made["visited"], made["status"]) == (3, 6, "short")
    assert [(one["iri"], one["rule"], one["reason"]) for one in made["lost"]] == LOST
    assert said.err.splitlines()[-5:] == [
        *(f"no dialogue: {iri}  {rule}: {reason}" for iri, rule, reason in LOST),
        "chattygen: 3 of 6 dialogues: 3 of the entities have none",
        f"  mend the list or the recipe; chattygen report {made['run']} says what failed",
    ]
    seeds = "select seed.label, count(*) from dialogue join seed on seed.id = dialogue.seed join turn"
    assert rows(home, f"{seeds} on turn.dialogue = dialogue.id group by dialogue.n") == [
        ("Farnwater", 4),
        ("Crow Holm", 1),  # the lake that it is in is all that is known of it
        ("Almere", 5),
    ]
    [(settings,)] = rows(home, "select settings from run")
    stored = json.loads(settings)
    assert (stored["dialogues"], stored["min_questions"]) == (6, 1)
    assert stored["entities"] == [NS + "l6", NS + "i1", NS + "nobody", "not an iri", NS + "north", NS + "l1"]
    wanted = rows(home, "select label, wanted from node_type where kept order by label")
    assert wanted == [("island", 1), ("lake", 2), ("region", 1)]

    # The list is stored with the run: going on needs no file, and asks nothing again.
    calls, before = rows(home, "select count(*) from call"), rows(home, "select id, label, status, rule from seed")
    given.unlink()
    assert call(home, "resume", made["run"], "--json", "--quiet") == 3
    again = capsys.readouterr()
    assert json.loads(again.out) == made
    assert len(again.err.splitlines()) == 5
    assert rows(home, "select count(*) from call") == calls
    assert rows(home, "select id, label, status, rule from seed") == before


def test_all_have_one(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_text(f"{NS}i2\n{NS}i1")
    assert call(home, "generate", "--kg", "lakes", "--entities", str(path), "--json", "--quiet") == 0
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert made == {"run": made["run"], "dialogues": 2, "visited": 2, "status": "done"}
    assert said.err == ""
    assert rows(home, "select iri from seed order by n") == [(NS + "i2",), (NS + "i1",)]


def test_the_user_may_want_more_questions(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_text(f"{NS}i1\n{NS}l1\n")
    words = ("--entities", str(path), "--min-questions", "2", "--quiet")
    assert call(home, "generate", "--kg", "lakes", *words) == 3
    assert capsys.readouterr().err.splitlines()[0] == (
        f"no dialogue: {NS}i1  C4: too few of its facts can be asked about"
    )


def test_a_plan(home: Home, given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(home, "generate", "--kg", "lakes", "--entities", str(given), "--plan", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert [(seed["label"], seed["type_label"], refused and refused["rule"]) for seed, refused in plan["entities"]] == [
        ("Farnwater", "lake", None),
        ("Crow Holm", "island", None),
        ("", "", "C1"),
        ("", "", "C1"),
        ("Nordmark", "region", None),  # that it has too few facts shows only when they are read
        ("Almere", "lake", None),
    ]
    assert plan["wanted"] == {f"{NS}vocab/Island": 1, f"{NS}vocab/Lake": 2, f"{NS}vocab/Region": 1}
    # A call for each of three stages of four entities; at most three attempts at these and at naming three types.
    assert plan["calls"] == [12, 45]
    assert call(home, "generate", "--kg", "lakes", "--entities", str(given), "--plan") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{NS}l6 Farnwater lake" in shown
    assert "not an iri C1: the entity is not an IRI" in shown
    assert not home.database.exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--dialogues", "3"), "--entities and --dialogues: the list says which entities get a dialogue"),
        (("--strata", "head"), "--entities and --strata: the list says which entities get a dialogue"),
        (("--phrasing", "reuse"), "--entities and --phrasing reuse: the list says which entities get a dialogue"),
    ],
)
def test_a_list_leaves_no_other_choice_of_seeds(
    home: Home, given: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], what: str
) -> None:
    assert call(home, "generate", "--kg", "lakes", "--entities", str(given), *words) == 2
    assert capsys.readouterr().err == f"chattygen: {what}\n  leave one out\n"
    assert not home.database.exists()


def test_the_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(
        b"\xef\xbb\xbf# all\r\nhttp://e.org/a#b\r\n  <http://e.org/c> # c\r\n\r\nhttp://e.org/a#b\r\n\t#\r\n"
    )
    assert read_entities(path) == ("http://e.org/a#b", "http://e.org/c")
    path.write_text("\n# nothing\n")
    with pytest.raises(UsageError, match="there is no entity in it"):
        read_entities(path)
    path.write_bytes(b"http://e.org/\xff")
    with pytest.raises(UsageError, match="this is not UTF-8"):
        read_entities(path)
    with pytest.raises(UsageError, match="none: No such file or directory"):
        read_entities(tmp_path / "none")
