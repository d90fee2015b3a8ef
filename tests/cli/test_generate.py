"""generate: options, plan, progress. Ctrl-C is in tests/journeys/test_resume.py."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from chattygen.cli.main import main
from chattygen.config import Home, RunSettings
from tests.journeys.lakes import SILENT, fresh, make_home, write_script


@pytest.fixture(scope="module")
def lakes(weights_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("lakes") / "home", weights_home)


@pytest.fixture
def home(lakes: Home, tmp_path: Path) -> Home:
    home = fresh(lakes, tmp_path / "home")
    write_script(home.path, SILENT)
    return home


def generate(home: Home, *words: str) -> int:
    """The exit code."""
    try:
        main(["generate", "--kg", "lakes", *words, "--home", str(home.path)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_without_a_terminal_there_is_a_line_per_dialogue(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(home, "--dialogues", "2", "--questions", "3", "--json") == 0
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert made == {"run": made["run"], "dialogues": 2, "visited": 2, "status": "done"}
    title, run, one, two, end, hint = said.err.splitlines()
    assert title == "generating 2 dialogues from lakes"
    assert run == f"run {made['run']}"
    assert re.fullmatch(r"1 of 2 dialogues, 2 seeds, 18 findings, \d+ s", one)
    assert re.fullmatch(r"2 of 2 dialogues, 2 seeds, 18 findings, \d+ s", two)
    assert re.fullmatch(rf"2 dialogues in \d+ s: run {made['run']}", end)
    assert hint == f"read them: chattygen show-run {made['run']}"


def test_quiet_is_quiet_and_short_is_3(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Only five lakes have five facts."""
    assert generate(home, "--dialogues", "6", "--questions", "5", "--min-questions", "5", "--quiet", "--json") == 3
    said = capsys.readouterr()
    made = json.loads(said.out)
    assert made["status"] == "short"
    assert said.err.splitlines() == [
        "chattygen: 5 of 6 dialogues: 5 seeds visited, 0 given up; no other entity has 5 facts to ask about",
        f"  ask for fewer, for fewer --questions, or lower --rare; chattygen report {made['run']} says what failed",
    ]


def test_a_terminal_gets_a_bar(home: Home) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "chattygen", "generate", "--kg", "lakes", "--dialogues", "1", "--questions", "3"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen([*command, "--home", str(home.path)], stderr=theirs, env=environment) as process:
        os.close(theirs)
        drawn = b""
        while True:
            try:
                drawn += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        assert process.wait(60) == 0
    os.close(ours)
    text = drawn.decode()
    assert "\x1b[" in text
    assert "━" in text
    assert "0 of 1 dialogues, 1 seeds, independent question generation, 0 findings" in text
    assert re.search(r"1 of 1 dialogues, 1 seeds, 9 findings, \d+ s", text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--questions", "2", "--min-questions", "3"), "--min-questions is more than --questions"),
        (("--role", "sparql"), "--role sparql: not ROLE=MODEL"),
        (("--role", "sparql=nobody"), "no model is called 'nobody'"),
        (("--role", "poet=script"), "no role is called 'poet'"),
        (("--role", "verify=script"), "key override of verify: got 'script'"),
        (("--models-file", "none.toml"), "none.toml: no such file"),
        (
            ("--approach", "single-prompt", "--role", "sparql=script"),
            "--role sparql: a single prompt is answered by one",
        ),
    ],
)
def test_wrong_use_is_two_lines(
    home: Home, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert generate(home, *words) == 2
    what, hint = capsys.readouterr().err.splitlines()
    assert said in what
    assert hint.startswith("  ")
    assert not home.database.exists()


def test_the_plan_makes_no_call_and_needs_no_weights(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (home.path / "models").unlink()
    (home.path / "script.jsonl").unlink()
    assert generate(home, "--plan", "--json", "--dialogues", "7", "--rare", "0.1") == 0
    plan = json.loads(capsys.readouterr().out)
    # 8 rivers, 7 islands, 6 lakes, 2 regions: 2 of 23 are below a tenth. Of 7 dialogues 8/21, 7/21 and 6/21 are 2.67,
    # 2.33 and 2: two each, and the last one goes to the largest remainder.
    vocab = "http://example.org/lakes/vocab/"
    assert plan["wanted"] == {vocab + "River": 3, vocab + "Island": 2, vocab + "Lake": 2}
    assert [(gone["label"], gone["reason"]) for gone in plan["dropped"]] == [("region", "rare: 8.70% of the entities")]
    assert plan["calls"][0] == 21
    assert plan["roles"]["sparql"] == "script"
    assert not home.database.exists()
    # One call for each of 7 dialogues; at most three for each of 3 node types and of 3 x 7 + 10 seeds.
    assert generate(home, "--plan", "--json", "--dialogues", "7", "--rare", "0.1", "--approach", "single-prompt") == 0
    assert json.loads(capsys.readouterr().out)["calls"] == [7, 102]
    assert generate(home, "--plan") == 0
    shown = capsys.readouterr().out
    assert "20 dialogues of up to 5 questions from lakes, seed 0" in shown
    assert "none was made for this plan" in shown


@pytest.mark.parametrize(
    ("given", "flow"),
    [
        ([], {"ellipsis": 0.15, "follow-up": 0.1, "unanswerable": 0.0}),
        (["--flow", "unanswerable=10"], {"ellipsis": 0.15, "follow-up": 0.1, "unanswerable": 0.1}),
        (["--flow", "ellipsis=0, follow-up=12.5"], {"ellipsis": 0.0, "follow-up": 0.125, "unanswerable": 0.0}),
    ],
)
def test_the_shares_of_the_forms(
    home: Home, capsys: pytest.CaptureFixture[str], given: list[str], flow: dict[str, float]
) -> None:
    assert generate(home, "--plan", "--json", *given) == 0
    assert json.loads(capsys.readouterr().out)["run"]["flow"] == flow


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("pause=10", "pause=10 is not NAME=PERCENT"),
        ("ellipsis", "ellipsis is not NAME=PERCENT"),
        ("ellipsis=-5", "ellipsis=-5 is not NAME=PERCENT"),
        ("ellipsis=60,follow-up=41", "more than 100 percent in all"),
    ],
)
def test_shares_that_are_none(home: Home, capsys: pytest.CaptureFixture[str], given: str, said: str) -> None:
    assert generate(home, "--plan", "--flow", given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ([], {"yes-no": 0.1}),
        (["--kinds", "yes-no=0"], {"yes-no": 0.0}),
        (["--kinds", "yes-no=20, how-many=25"], {"yes-no": 0.2, "how-many": 0.25}),
        (["--kinds", "how-many=7.5"], {"yes-no": 0.1, "how-many": 0.075}),
    ],
)
def test_the_shares_of_the_kinds(
    home: Home, capsys: pytest.CaptureFixture[str], given: list[str], kinds: dict[str, float]
) -> None:
    assert generate(home, "--plan", "--json", *given) == 0
    assert json.loads(capsys.readouterr().out)["run"]["kinds"] == kinds


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("who=10", "who=10 is not NAME=PERCENT"),  # that follows from the facts
        ("yes-no=21", "too many of yes-no"),
        ("yes-no=20,how-many=81", "more than 100 percent in all"),
        ("yes-no", "yes-no is not NAME=PERCENT"),
    ],
)
def test_kinds_that_cannot_be_asked_for(home: Home, capsys: pytest.CaptureFixture[str], given: str, said: str) -> None:
    assert generate(home, "--plan", "--kinds", given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_the_shares_come_back_as_they_were_stored() -> None:
    shares = {"yes-no": 0.2, "how-many": 0.25}
    run = RunSettings("lakes", flow={"ellipsis": 0.2, "follow-up": 0.0, "unanswerable": 0.1}, kinds=shares)
    assert RunSettings(**json.loads(json.dumps(asdict(run)))) == run
