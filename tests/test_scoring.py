"""Stored replies and what they are worth, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.domain import Dialogue, Query, Usage
from chattygen.evaluate import Asked, evaluate
from chattygen.models.catalog import load_catalog
from chattygen.results.evaluations import EvaluationRecorder
from chattygen.results.reader import Reader
from chattygen.scoring import Scored, read_scores
from tests import drifting
from tests.drifting import DIALOGUES
from tests.played import REPLIES, SEEDS, judge, record, region, reply


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chattygen.db"


@pytest.fixture
def run(path: Path) -> str:
    return record(path, *(region(*seed) for seed in SEEDS))


def scored(path: Path, run: str, only: str = "") -> tuple[Scored, ...]:
    with Reader(path) as reader:
        return read_scores(reader, run, only).scored


def test_a_row_for_each_first_reply(path: Path, run: str) -> None:
    reply(path, run, "bot", *REPLIES)
    judge(path, (1, True), (2, True), (3, False), (5, True), (6, None))
    [one] = scored(path, run)
    assert [(row.dialogue.removeprefix(run), row.turn, row.missing, row.undecided) for row in one.rows] == [
        ("-1", 1, False, False),
        ("-1", 2, False, False),
        ("-2", 1, False, False),
        ("-2", 2, True, False),
        ("-3", 1, False, False),
        ("-3", 2, False, True),
    ]
    assert [row.metrics["EM"] for row in one.rows] == [1, 1, 0, 0, 1, 0]
    assert [row.metrics["LM"] for row in one.rows] == [1, 1, 0, 0, 1, 0]
    assert one.rows[3].groups == {
        "bucket": "tail",
        "predicate": "unknown",
        "type": "lake",
        "kind": "other",
        "turn": "2",
        "flow": "reference",
    }
    assert (one.judge, one.unanswerable, one.changed) == ("judy", (0, 0), None)
    assert one.by["type"].keys() == {"lake", "river"}


def test_a_sanity_system_is_grouped_by_bucket_only(path: Path, run: str) -> None:
    reply(path, run, "unsure", *["unsure"] * 6)
    [one] = scored(path, run)
    assert {by: list(groups) for by, groups in one.by.items()} == {"bucket": ["head", "tail"]}


def test_a_bucket_that_is_not_known_is_all(path: Path) -> None:
    run = record(path, region(SEEDS[0][0], None))
    reply(path, run, "bot", "Nordmark", "unsure")
    [one] = scored(path, run)
    assert list(one.by["bucket"]) == ["all"]
    assert one.by["bucket"]["all"] == one.rates
    assert one.rates.accurate["EM"].value == 0.5


def test_other_names_count(path: Path, run: str) -> None:
    reply(path, run, "bot", "Northmark")
    assert scored(path, run)[0].rates.accurate["EM"].value == 0.0
    with EvaluationRecorder(path) as recorder:
        recorder.about_graph(run, {drifting.NS + "north": ("Northmark",)}, {})
    assert scored(path, run)[0].rates.accurate["EM"].value == 1.0


def test_two_evaluations_never_have_the_same_name(path: Path, run: str) -> None:
    reply(path, run, "bot", "Nordmark")
    reply(path, run, "bot", "Nordmark", prompt_hash="b")
    reply(path, run, "bot", "Nordmark", prompt="zero-shot", brief=False)
    assert [one.name for one in scored(path, run)] == ["bot e1", "bot e2", "bot, zero-shot, not brief"]


def test_replies_that_change(path: Path, run: str) -> None:
    """Of the four turns that were asked twice, one was answered otherwise; a repeat is no further question."""
    reply(path, run, "bot", *REPLIES)
    reply(path, run, "bot", "Nordmark", "Crow Holm; Pine Holm", "Sudland", "Crow Holm", repeat=2)
    [one] = scored(path, run)
    assert one.changed is not None
    assert (one.changed.value, one.rates.rows) == (0.25, 6)


def test_questions_without_an_answer_are_counted_by_themselves(path: Path) -> None:
    seed, bucket = SEEDS[0]
    where, which = region(seed, bucket).turns
    nobody = replace(which, query=Query("SELECT ?z {}", "select", "model", ()))
    run = record(path, Dialogue(replace(seed, bucket=bucket), (where, nobody), Usage()))
    reply(path, run, "bot", "Nordmark", "unsure")
    reply(path, run, "talker", "Nordmark", "Pine Holm")
    assert [(one.unanswerable, one.rates.rows) for one in scored(path, run)] == [((1, 1), 1), ((1, 0), 1)]


def test_only_one_of_them_and_the_bounds(path: Path, run: str) -> None:
    reply(path, run, "unsure", "unsure")
    evaluation = reply(path, run, "bot", "Nordmark")
    reply(path, run, "robot", "Nordmark")
    assert [one.name for one in scored(path, run, evaluation)] == ["unsure", "bot"]
    assert [one.name for one in scored(path, run)] == ["unsure", "bot", "robot"]


def test_oracle_and_unsure_over_a_real_graph(tmp_path: Path) -> None:
    """Every form of answer that the graph of lakes has: entities, several of them, counts, numbers, yes and no."""
    home = Home(tmp_path / "home")
    home.create()
    drifting.load_lakes(home)
    run = drifting.record(home, *DIALOGUES)
    for name in ("oracle", "unsure"):
        evaluate(home, Asked(run, model=name), load_catalog(home))
    oracle, unsure = (one.rates for one in scored(home.database, run))
    for metric in ("EM", "F1", "RL"):
        assert (oracle.accurate[metric].value, oracle.hallucinated[metric].value) == (1.0, 0.0)
        assert (unsure.accurate[metric].value, unsure.hallucinated[metric].value) == (0.0, 0.0)
    assert (oracle.missing.value, unsure.missing.value) == (0.0, 1.0)
