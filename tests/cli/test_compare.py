"""compare-runs: two recorded runs side by side, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chattygen.cli.main import main
from chattygen.domain import Dialogue, Seed, Subgraph
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CREW, CURIE, CURIE_DIALOGUE, IRENE, PIERRE, PRIZES, SHIP, SHIP_DIALOGUE

Visit = tuple[Seed, Dialogue | None, tuple[int, int, float], tuple[str, ...]]
"""A seed, its dialogue if it was accepted, its one call (prompt and reply in tokens, seconds), rules that failed."""

A: list[Visit] = [
    (CURIE, CURIE_DIALOGUE, (90, 10, 1.0), ("Q1",)),
    (PIERRE, CURIE_DIALOGUE, (90, 10, 1.0), ()),
    (SHIP, None, (90, 10, 1.0), ("P1",)),
    (IRENE, None, (90, 10, 1.0), ("Q8",)),
]
B: list[Visit] = [
    (PIERRE, SHIP_DIALOGUE, (1190, 10, 3.0), ()),
    (CURIE, CURIE_DIALOGUE, (1190, 10, 3.0), ()),
    (SHIP, None, (1190, 10, 3.0), ("P1",)),
]
"""CURIE_DIALOGUE has two queries by the model, SHIP_DIALOGUE two by the builder."""


def record(home: Path, visits: list[Visit], *, end: bool = True, fingerprint: str = "f00d") -> str:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        settings = {"dialogues": 3, "approach": "multi-stage", "serialisation": "full"}
        run = recorder.start_run("nobel", fingerprint, 1000, settings, hand_made.MODELS)
        for seed, dialogue, call, rules in visits:
            visited = recorder.start_seed(run, Subgraph(seed, (BORN, PRIZES, CREW), 3))
            found = [hand_made.finding(rule) for rule in rules]
            recorder.attempt(run, visited, hand_made.attempt("questions", 1, *call, *found))
            if dialogue:
                recorder.dialogue(run, visited, dialogue)
            else:
                recorder.give_up(visited, rules[0], "")
        if end:
            recorder.finish_run(run, "done")
    return run


class Called:
    """What the command printed and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> None:
        try:
            main(["compare-runs", *words, "--home", str(home)])
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


def test_for_a_person(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    called = Called(capsys, tmp_path, a, "latest")
    assert (called.code, called.err) == (0, "")
    lines = called.out.splitlines()
    assert lines[:5] == [
        f"A  {a}  nobel, multi-stage, full",
        f"B  {b}  nobel, multi-stage, full",
        "3 seeds in both runs, 2 of them accepted by both; 1 only in A, 0 only in B",
        "",
        "means per seed (turns, queries by the model: of seeds that both accepted)",
    ]
    rows = [" ".join(line.split()) for line in lines[5:]]
    # One loss among three pairs: 8 of 27 resamples hold none of it, and 1, more than a fortieth, nothing else.
    assert rows == [
        "measure A B B - A 95 % interval",
        "accepted 67% 67% +0% +0% to +0% no clear difference",
        "findings 0.67 0.33 -0.33 -1.00 to +0.00 no clear difference",
        "parse errors 0.33 0.33 +0.00 +0.00 to +0.00 no clear difference",
        "tokens 100 1,200 +1,100 +1,100 to +1,100 more in B",
        "calls 1.00 1.00 +0.00 +0.00 to +0.00 no clear difference",
        "seconds 1.00 3.00 +2.00 +2.00 to +2.00 more in B",
        "turns 2.00 2.00 +0.00 +0.00 to +0.00 no clear difference",
        "queries by the model 100% 50% -50% -100% to +0% no clear difference",
        "",
        "findings per seed, by rule",
        "rule A B B - A 95 % interval",
        "P1 0.33 0.33 +0.00 +0.00 to +0.00 no clear difference",
        "Q1 0.33 0.00 -0.33 -1.00 to +0.00 no clear difference",
    ]
    turned = Called(capsys, tmp_path, b, a).out
    assert ["tokens", "1,200", "100", "-1,100"] in [line.split()[:4] for line in turned.splitlines()]
    assert turned.count("less in B") == 2
    assert "0 only in A, 1 only in B" in turned


def test_for_a_program_and_the_same_every_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    called = Called(capsys, tmp_path, a, b, "--json")
    assert Called(capsys, tmp_path, a, b, "--json").out == called.out
    told = json.loads(called.out)
    measures, rules = told.pop("measures"), told.pop("rules")
    assert told == {"a": a, "b": b, "paired": 3, "alone_a": 1, "alone_b": 0, "both_accepted": 2}
    assert [measure["measure"] for measure in measures] == [
        "accepted",
        "findings",
        "parse errors",
        "tokens",
        "calls",
        "seconds",
        "turns",
        "queries by the model",
    ]
    assert measures[3] == {
        "measure": "tokens",
        "seeds": 3,
        "a": 100.0,
        "b": 1200.0,
        "difference": 1100.0,
        "low": 1100.0,
        "high": 1100.0,
        "clear": True,
    }
    assert [(rule["measure"], rule["difference"], rule["clear"]) for rule in rules] == [
        ("P1", 0.0, False),
        ("Q1", -0.333333333, False),
    ]


def test_without_two_dialogues_on_both_sides(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A[1:]), record(tmp_path, B)
    out = Called(capsys, tmp_path, a, b).out
    assert "2 seeds in both runs, 1 of them accepted by both; 1 only in A, 1 only in B" in out
    assert "turns, queries by the model: not compared, they need two seeds that both runs accepted" in out


def test_refusals_are_two_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a = record(tmp_path, A)

    def refused(*words: str) -> str:
        called = Called(capsys, tmp_path, *words)
        assert (called.code, called.out) == (2, "")
        what, hint = called.err.splitlines()
        assert hint.startswith("  ")
        return what.removeprefix("chattygen: ")

    assert refused(a, a) == f"both are the same run: {a}"
    assert refused(a, "seas") == "no run is called 'seas'"
    changed = record(tmp_path, B, fingerprint="feed")
    assert refused(a, changed) == "the data of nobel were others: fingerprint f00d, then feed"
    assert refused(a, record(tmp_path, A[3:])) == "the runs have only one seed in common"
    assert refused(record(tmp_path, A[3:]), record(tmp_path, B)) == "the runs have no seed in common"


def test_a_run_that_is_worked_on_is_refused_and_one_that_was_killed_is_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a, killed = record(tmp_path, A), record(tmp_path, B, end=False)
    with Recorder(tmp_path / "chattygen.db") as recorder:
        working = hand_made.start(recorder)
        called = Called(capsys, tmp_path, a, working)
        assert (called.code, called.out) == (2, "")
        assert called.err == f"chattygen: the run {working} is still running\n  wait for its end, or stop it\n"
    assert Called(capsys, tmp_path, a, killed).code == 0
