"""Repairs by what was wrong, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.domain import Subgraph
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from chattygen.results.repair import Mended, mended, wrong_with
from chattygen.results.rules import RULES
from tests.results import hand_made
from tests.results.hand_made import BORN, CURIE, PIERRE, SHIP


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        ("alignment", "Q8 Q11"),
        ("wording", "Q1 Q2 Q3 Q4 Q6 Q7 Q9 D5 D6 D7 D9"),
        ("leak", "Q5 D3"),
        ("reference", "D1 D2 D4 D8"),
        ("query", "S1 S2 S3 S4 S5 S6"),
        ("form", "P1 P2 P3 P4 P5 P6 P7 P8"),
    ],
)
def test_what_is_wrong(wrong: str, rules: str) -> None:
    assert [wrong_with(rule) for rule in rules.split()] == [wrong] * len(rules.split())


def test_every_rule_of_a_stage_has_its_place() -> None:
    assert {wrong_with(rule) for rule in RULES if rule[0] != "C"} == {
        *("alignment", "wording", "leak", "reference", "query", "form")
    }


def test_the_hand_made_run(tmp_path: Path) -> None:
    """The model mended Curie's question, the builder the ship's query and turn. Pierre was given up: what was mended
    for him is lost all the same.
    """
    run = hand_made.record(tmp_path / "chattygen.db")
    with Reader(tmp_path / "chattygen.db") as reader:
        measures = reader.measures(run)
    assert measures.repairs == {("D3", "builder"): 1, ("P2", "lost"): 1, ("Q5", "model"): 1, ("S5", "builder"): 1}
    found = mended(measures.repairs)
    assert found == (
        Mended("leak", model=1, builder=1, replaced=0, lost=0),
        Mended("query", model=0, builder=1, replaced=0, lost=0),
        Mended("form", model=0, builder=0, replaced=0, lost=1),
    )
    assert [one.items for one in found] == [2, 1, 1]


def test_seeds_that_are_in_work_and_other_runs_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder:
        first, second = hand_made.start(recorder), hand_made.start(recorder)
        for run, seed in ((first, CURIE), (first, PIERRE), (second, SHIP)):
            stored = recorder.start_seed(run, Subgraph(seed, (BORN,), 1))
            recorder.repair(stored, "questions", 1, "replaced", "Q8")
            if seed != PIERRE:
                recorder.give_up(stored, "C4", "")
        recorder.finish_run(first, "interrupted")
    with Reader(path) as reader:
        assert reader.measures(first).repairs == {("Q8", "lost"): 1}
