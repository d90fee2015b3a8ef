"""Kinds of question and forms of flow: plan and outcome, worked out by hand."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from chattygen.config import RunSettings
from chattygen.domain import Answer, Dialogue
from chattygen.results.asked import Asked, Part, asked
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import ADA, ADA_DIALOGUE, ADA_SUBGRAPH, MODELS


def of_run(path: Path, *dialogues: Dialogue, **settings: object) -> Asked:
    with Recorder(path) as recorder:
        run = recorder.start_run("nobel", "f00d", 1000, asdict(RunSettings(kg="nobel", dialogues=3)) | settings, MODELS)
        for dialogue in dialogues:
            recorder.dialogue(run, recorder.start_seed(run, replace(ADA_SUBGRAPH, seed=dialogue.seed)), dialogue)
        hand_made.start(recorder)
    with Reader(path) as reader:
        measures = reader.measures(run)
    return asked(measures.asked, measures.run.settings)


def test_a_dialogue_of_every_kind_beside_its_plan(tmp_path: Path) -> None:
    made = of_run(
        tmp_path / "chattygen.db",
        ADA_DIALOGUE,
        kinds={"yes-no": 0.15, "how-many": 0.1, "which": 0.3},
        flow={"follow-up": 0.2, "unanswerable": 0.05, "ellipsis": 0.1},
    )
    assert made == Asked(
        turns=6,
        kinds=(
            Part("which", 0.3, 2),
            Part("who", None, 1),
            Part("where", None, 1),
            Part("yes-no", 0.15, 1),
            Part("when", None, 1),
            Part("how-many", 0.1, 0),
        ),
        flow=(
            Part("reference", None, 2),
            Part("opening", None, 1),
            Part("follow-up", 0.2, 1),
            Part("return", None, 1),
            Part("ellipsis", 0.1, 1),
        ),
        yes_no=1,
        no=1,
        two_facts=3,
        unanswerable=Part("unanswerable", 0.05, 1),
    )


def test_a_yes_is_no_no(tmp_path: Path) -> None:
    turn = ADA_DIALOGUE.turns[2]
    true = replace(turn, query=replace(turn.query, answers=(Answer("boolean", "true", "yes"),)))
    other = replace(ADA_DIALOGUE, turns=(replace(true, n=1, flow="opening"),), seed=replace(ADA, iri=ADA.iri + "2"))
    made = of_run(tmp_path / "chattygen.db", ADA_DIALOGUE, other)
    assert (made.turns, made.yes_no, made.no) == (7, 2, 1)


@pytest.mark.parametrize("plan", [None, {}])
def test_a_run_without_a_plan_or_a_turn(tmp_path: Path, plan: object) -> None:
    made = of_run(tmp_path / "chattygen.db", flow=plan, kinds=plan)
    assert made == Asked(0, (), (), 0, 0, 0, Part("unanswerable", None, 0))
