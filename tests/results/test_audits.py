"""Verdicts on drawn turns: which are drawn, which count, and Wilson's interval worked out from its formula."""

from __future__ import annotations

import sqlite3
from itertools import product
from pathlib import Path

import pytest
from sqlite_utils import Database

from chattygen.results import schema
from chattygen.results.audits import TurnJudgement, TurnVerdict, audits, draw, turn_agreements, wilson
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from chattygen.results.verdicts import Agreement
from tests.results import hand_made


@pytest.mark.parametrize(
    ("right", "turns", "low", "high"),
    [
        # With z * z = 3.84146: the ends are (p + z²/2n -+ sqrt(z²/n * (p(1 - p) + z²/4n))) / (1 + z²/n).
        # p = 0.5, z²/n = 0.384146: sqrt(0.384146 * 0.346036) = 0.364591; (0.692073 -+ 0.364591) / 1.384146
        (5, 10, 0.23659, 0.76341),
        # p = 0.95, z²/n = 0.0384146: sqrt(0.0384146 * 0.0571036) = 0.0468360; (0.9692073 -+ 0.0468360) / 1.0384146
        (95, 100, 0.88825, 0.97846),
        # p = 0: both summands are z²/2n, so the lower end is 0 and the upper one z² / (n + z²) = 3.84146 / 13.84146
        (0, 10, 0.0, 0.27753),
        (10, 10, 0.72247, 1.0),
        # 1 / 4.84146
        (1, 1, 0.20655, 1.0),
    ],
)
def test_wilson(right: int, turns: int, low: float, high: float) -> None:
    assert wilson(right, turns) == pytest.approx((low, high), abs=0.00001)


TURNS = list(product(("d1", "d2", "d3", "d4"), range(1, 26)))


def test_a_draw_is_the_same_every_time_and_a_larger_one_begins_with_it() -> None:
    drawn = draw(TURNS, 10, 0)
    assert drawn == draw(reversed(TURNS), 10, 0)
    assert draw(TURNS, 30, 0)[:10] == drawn
    assert len(set(drawn)) == 10
    assert draw(TURNS, 10, 1) != drawn
    assert sorted(draw(TURNS, 1000, 0)) == TURNS
    assert draw([], 10, 0) == []


def test_each_turn_is_drawn_as_often_as_any_other() -> None:
    """Of 4,000 draws of one of 100 turns each is expected 40 times; five standard deviations are 31."""
    first = [draw(TURNS, 1, seed)[0] for seed in range(4000)]
    assert all(9 < first.count(turn) < 71 for turn in TURNS)


def said(reviewer: str, verdicts: str, kinds: str = "", writers: str = "") -> list[TurnVerdict]:
    """Verdicts on the turns 1, 2, ... of a dialogue: right, sounds wrong, asks else, wrong answer, or none (`-`)."""
    words: dict[str, TurnJudgement] = {"r": "right", "w": "sounds-wrong", "e": "asks-else", "a": "wrong-answer"}
    kind, writer = {"o": "who", "n": "when"}, {"m": "model", "b": "builder"}
    return [
        TurnVerdict(
            "d1",
            n,
            f"{n}?",
            kind[(kinds or "o" * 99)[n - 1]],
            writer[(writers or "m" * 99)[n - 1]],
            words[one],
            "",
            reviewer,
        )
        for n, one in enumerate(verdicts, 1)
        if one != "-"
    ]


def test_what_a_reviewer_found() -> None:
    [found] = audits(said("jo", "rrwer", "nnnoo", "mmbmm"))
    assert found.reviewer == "jo"
    assert found.verdicts == {"right": 3, "sounds-wrong": 1, "asks-else": 1}
    assert (found.all.group, found.all.turns, found.all.right) == ("all", 5, 3)
    assert [(one.group, one.turns, one.right) for one in found.kinds] == [("when", 3, 2), ("who", 2, 1)]
    assert [(one.group, one.turns, one.right) for one in found.writers] == [("model", 4, 3), ("builder", 1, 0)]
    assert [(one.turn, one.verdict) for one in found.wrong] == [(3, "sounds-wrong"), (4, "asks-else")]
    # 0 of 1: the upper end is z² / (1 + z²) = 3.84146 / 4.84146
    builder = found.writers[1]
    assert (builder.low, builder.high) == pytest.approx((0.0, 0.79345), abs=0.00001)


def test_reviewers_are_reported_apart_and_compared() -> None:
    verdicts = [*said("jo", "rrre"), *said("kim", "rrw-")]
    assert [(one.reviewer, one.all.turns, one.all.right) for one in audits(verdicts)] == [("jo", 4, 3), ("kim", 3, 2)]
    # On three turns both said something, on two the same; Jo found all three right, so chance gives what they reach.
    assert turn_agreements(verdicts) == (Agreement(("jo", "kim"), 3, 2 / 3, 0.0),)
    assert (audits([]), turn_agreements([])) == ((), ())


def test_a_later_verdict_counts_and_the_earlier_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run, other = hand_made.record(path), hand_made.record(path)
    with Recorder(path, clock=hand_made.Clock()) as recorder:
        recorder.turn_verdict(f"{run}-2", 2, "wrong-answer", "jo", reason="a ship is not born")
        recorder.turn_verdict(f"{run}-1", 2, "right", "kim")
        recorder.turn_verdict(f"{run}-2", 1, "right", "jo")
        recorder.turn_verdict(f"{run}-2", 2, "asks-else", "jo")
        recorder.turn_verdict(f"{other}-1", 1, "right", "jo")
    prizes, crew, birth = (
        "Which prizes did she receive?",
        "How many sailors does Marie Curie have?",
        "Was it born on 7 November 1867?",
    )
    with Reader(path) as reader:
        assert reader.turn_verdicts(run) == (
            TurnVerdict(f"{run}-1", 2, prizes, "which", "model", "right", "", "kim"),
            TurnVerdict(f"{run}-2", 1, crew, "how-many", "builder", "right", "", "jo"),
            TurnVerdict(f"{run}-2", 2, birth, "yes-no", "builder", "asks-else", "", "jo"),
        )
        assert sorted(reader.turns(run)) == [(f"{run}-{dialogue}", turn) for dialogue in (1, 2) for turn in (1, 2)]
        assert reader.verdicts(run) == (), "they say nothing about whole dialogues"
    connection = sqlite3.connect(path)
    assert connection.execute("select * from turn_verdict where id = 1").fetchall() == [
        (1, f"{run}-2", 2, "wrong-answer", "a ship is not born", "jo", "2026-11-30T10:15:02.000Z")
    ]
    for change in ("update turn_verdict set reason = 'x'", "delete from turn_verdict where id = 1"):
        with pytest.raises(sqlite3.IntegrityError, match="a verdict stays"):
            connection.execute(change)
    connection.close()


def test_a_verdict_is_about_a_turn_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Recorder(path) as recorder:
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            recorder.turn_verdict(f"{run}-1", 3, "right", "jo")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            recorder.turn_verdict(f"{run}-1", 1, "dull", "jo")  # type: ignore[arg-type]
    with Reader(path) as reader:
        assert reader.turn_verdicts(run) == ()


def test_a_database_without_the_tables_gets_them_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    db = Database(sqlite3.connect(path))
    schema.migrations.apply(db, stop_before="judging")
    assert not db.table("turn_verdict").exists()
    db.close()
    with Reader(path) as reader:
        assert reader.turn_verdicts("none") == ()
