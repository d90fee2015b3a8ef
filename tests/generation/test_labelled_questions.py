"""Q8 on questions that a person has judged: 148 right ones and 86 wrong ones, from four graphs.

The lines are what two small models wrote before any check (1.5 and 0.5 billion parameters); 40 of the wrong ones are a
right question held against the next fact of the same entity, the commonest slip of such models. More in
tests/data/README.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chattygen.config import Home
from chattygen.domain import Fact
from chattygen.generation.asks import Ask
from chattygen.generation.verify import verify
from chattygen.models.catalog import load_catalog
from chattygen.models.obtain import load_embedder

LABELLED = Path(__file__).parent.parent / "data" / "labelled-questions.jsonl"


@pytest.fixture(scope="module")
def refused(weights_home: Home) -> dict[bool, list[bool]]:
    """right or wrong, as the person says -> whether Q8 refuses, per question."""
    embedder = load_embedder(load_catalog(weights_home).entry("all-minilm-l6-v2"), weights_home)
    found: dict[bool, list[bool]] = {True: [], False: []}
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        seed: dict[str, Any] = json.loads(line)
        facts = [Fact(predicate=f"https://example.org/p{n}", values=(), **fact) for n, fact in enumerate(seed["facts"])]
        for question in seed["questions"]:
            ask = Ask(facts[question["fact"]], question["form"])
            found[question["right"]].append(verify(question["pattern"], ask, facts, embedder) is not None)
    return found


def test_there_are_enough_questions_and_graphs(refused: dict[bool, list[bool]]) -> None:
    assert len(refused[True]) + len(refused[False]) >= 120
    assert len(refused[False]) >= 60
    kgs = {json.loads(line)["kg"] for line in LABELLED.read_text(encoding="utf-8").splitlines()}
    assert len(kgs) == 4


def test_right_questions_pass(refused: dict[bool, list[bool]]) -> None:
    assert refused[True].count(False) >= 0.95 * len(refused[True])


def test_wrong_questions_are_refused(refused: dict[bool, list[bool]]) -> None:
    assert refused[False].count(True) >= 0.90 * len(refused[False])
