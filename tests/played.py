"""A small benchmark over the country of lakes, by bucket, and systems whose replies to it are made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chattygen.domain import Bucket, Dialogue, Seed, Strata, Subgraph, Usage
from chattygen.results.evaluations import EvaluationRecorder, Given
from chattygen.results.recorder import Recorder
from tests import drifting
from tests.drifting import ALMERE, ASKE, iri, turn

FEW = {"prompt": "few-shot", "brief": True, "unsure": True, "history": "gold", "prompt_hash": "a"}

SEEDS: list[tuple[Seed, Bucket | None]] = [
    (replace(ALMERE, iri=drifting.NS + "l1", label="Almere"), "head"),
    (replace(ALMERE, iri=drifting.NS + "l2", label="Brenwater"), "tail"),
    (replace(ASKE, iri=drifting.NS + "r1", label="Aske"), "tail"),
]


def region(seed: Seed, bucket: Bucket | None) -> Dialogue:
    """Two questions: where it is, which is Nordmark, and which islands it has, which are two."""
    where = turn(1, f"In which region is {seed.label}?", "SELECT ?x {}", "select", iri("north", "Nordmark"))
    which = turn(2, "Which islands?", "SELECT ?y {}", "select", iri("i1", "Crow Holm"), iri("i2", "Pine Holm"))
    return Dialogue(replace(seed, bucket=bucket), (where, which), Usage())


def record(path: Path, *dialogues: Dialogue, strata: Strata | None = None) -> str:
    with Recorder(path) as recorder:
        roles = dict.fromkeys(("label", "questions", "sparql", "dialogue"), "small")
        settings = {"dialogues": len(dialogues), "approach": "multi-stage", "serialisation": "full", "deadline": 30.0}
        run = recorder.start_run("lakes", "f00d", 101, settings, roles)
        if strata:
            recorder.strata(run, strata)
        for dialogue in dialogues:
            facts = tuple(one.question.fact for one in dialogue.turns)
            recorder.dialogue(run, recorder.start_seed(run, Subgraph(dialogue.seed, facts, len(facts))), dialogue)
        recorder.finish_run(run, "done")
    return run


def reply(path: Path, run: str, system: str, *replies: str, repeat: int = 1, **settings: object) -> str:
    """The replies of a system to the first turns, dialogue by dialogue."""
    with EvaluationRecorder(path) as recorder:
        known = {} if system in ("oracle", "unsure", "majority") else FEW | settings
        evaluation = recorder.begin(run, system, "r1", known)
        turns = [(f"{run}-{dialogue}", n) for dialogue in (1, 2, 3) for n in (1, 2)]
        for (dialogue, n), text in zip(turns, replies, strict=False):
            recorder.reply(evaluation, (dialogue, n, repeat), Given((), text, "", "stop", 10, 2, 0.5))
        recorder.finish(evaluation, "done")
    return evaluation


def judge(path: Path, *verdicts: tuple[int, bool | None]) -> None:
    with EvaluationRecorder(path) as recorder:
        for number, correct in verdicts:
            recorder.verdict(number, "judy", "j1", correct)


REPLIES = ("Nordmark", "Crow Holm; Pine Holm", "Sudland", "unsure", "Nordmark", "Crow Holm")
"""Head: both right. Tail: wrong, unsure, right, and one of two islands.

The last has half of the answers and nothing else: token F1 is 2 * 1 * 0.5 / 1.5 = 2/3 over two pairs of an answer.
"""
