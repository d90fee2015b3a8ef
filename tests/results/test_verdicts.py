"""Verdicts: rows that stay, the ones that count, what they come to; agreement and Cohen's kappa worked out by hand."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database

from chattygen.results import schema
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from chattygen.results.report import make_report
from chattygen.results.verdicts import Agreement, Review, Verdict, judgements, review
from tests.results import hand_made


def given(reviewer: str, said: str, first: int = 1) -> list[Verdict]:
    """Verdicts on the dialogues d1, d2, ...: `A` accepts, `R` rejects, `-` was not judged."""
    words = {"A": "accept", "R": "reject"}
    return [
        Verdict(f"d{n}", None, words[one], "", reviewer)  # type: ignore[arg-type]
        for n, one in enumerate(said, first)
        if one in words
    ]


def test_a_later_verdict_counts_and_the_earlier_one_stays(tmp_path: Path) -> None:
    path, clock = tmp_path / "chattygen.db", hand_made.Clock()
    run = hand_made.record(path)
    with Recorder(path, clock=clock) as recorder:
        recorder.verdict(f"{run}-2", "reject", "jo", turn=2, reason="a ship is not born")
        recorder.verdict(f"{run}-1", "accept", "kim")
        clock.advance(60)
        recorder.verdict(f"{run}-1", "reject", "jo")
        recorder.verdict(f"{run}-2", "accept", "jo")
    with Reader(path) as reader:
        assert reader.verdicts(run) == (
            Verdict(f"{run}-1", None, "reject", "", "jo"),
            Verdict(f"{run}-1", None, "accept", "", "kim"),
            Verdict(f"{run}-2", None, "accept", "", "jo"),
        )
    connection = sqlite3.connect(path)
    assert connection.execute("select * from verdict").fetchall() == [
        (1, f"{run}-2", 2, "reject", "a ship is not born", "jo", "2026-11-30T10:15:02.000Z"),
        (2, f"{run}-1", None, "accept", "", "kim", "2026-11-30T10:15:02.000Z"),
        (3, f"{run}-1", None, "reject", "", "jo", "2026-11-30T10:16:02.000Z"),
        (4, f"{run}-2", None, "accept", "", "jo", "2026-11-30T10:16:02.000Z"),
    ]
    for change in ("update verdict set reason = 'x'", "delete from verdict where id = 1"):
        with pytest.raises(sqlite3.IntegrityError, match="a verdict stays"):
            connection.execute(change)
    connection.close()


def test_a_verdict_is_about_a_dialogue_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    with Recorder(path) as recorder:
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            recorder.verdict(f"{run}-3", "accept", "jo")
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            recorder.verdict(f"{run}-1", "reject", "jo", turn=3)
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            recorder.verdict(f"{run}-1", "accept", "jo", turn=1)
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            recorder.verdict(f"{run}-1", "perhaps", "jo")  # type: ignore[arg-type]
        recorder.verdict(f"{run}-1", "reject", "jo", turn=2)
    with Reader(path) as reader:
        assert reader.verdicts(run) == (Verdict(f"{run}-1", 2, "reject", "", "jo"),)


def test_a_database_without_the_table_gets_it_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    db = Database(sqlite3.connect(path))
    schema.migrations.apply(db, stop_before="verdicts")
    assert not db.table("verdict").exists()
    db.close()
    with Reader(path) as reader:
        assert reader.verdicts("none") == ()


def test_what_a_dialogue_is() -> None:
    verdicts = [*given("jo", "AARR--"), *given("kim", "A-A-A-")]
    assert judgements(verdicts) == {
        "d1": "accepted",
        "d2": "accepted",
        "d3": "rejected",
        "d4": "rejected",
        "d5": "accepted",
    }
    assert judgements(reversed(verdicts)) == judgements(verdicts)


def test_a_review_counts_dialogues() -> None:
    made = review([*given("jo", "AARR--"), *given("kim", "A-A-A-")])
    assert made is not None
    assert (made.reviewed, made.accepted, made.rejected) == (5, 3, 2)
    assert review([]) is None


@pytest.mark.parametrize(
    ("jo", "kim", "share", "kappa"),
    [
        # Jo accepts 6 of 10, Kim 5; by chance they agree on 0.6 * 0.5 + 0.4 * 0.5 = 0.5; (0.7 - 0.5) / (1 - 0.5)
        ("AAAAAARRRR", "AAAARRARRR", 0.7, 0.4),
        # 0.75 * 0.25 + 0.25 * 0.75 = 0.375; (0.5 - 0.375) / 0.625
        ("AAAR", "ARRR", 0.5, 0.2),
        ("AR", "AR", 1.0, 1.0),
        ("AR", "RA", 0.0, -1.0),
        ("AA", "AR", 0.5, 0.0),
        ("AA", "RR", 0.0, 0.0),
        ("AA", "AA", 1.0, None),
        ("R", "R", 1.0, None),
    ],
)
def test_kappa(jo: str, kim: str, share: float, kappa: float | None) -> None:
    made = review([*given("kim", kim), *given("jo", jo)])
    assert made is not None
    assert made.agreements == (Agreement(("jo", "kim"), len(jo), share, kappa),)


def test_reviewers_are_compared_on_what_both_judged() -> None:
    verdicts = [*given("kim", "AAR-"), *given("jo", "-AAR"), *given("ann", "---A"), *given("bo", "A---")]
    made = review(verdicts)
    assert made is not None
    # Jo and Kim share d2 (agree) and d3: Jo accepts both, so chance gives 1 * 0.5 + 0 * 0.5, which is what they reach.
    assert made.agreements == (
        Agreement(("ann", "jo"), 1, 0.0, 0.0),
        Agreement(("bo", "kim"), 1, 1.0, None),
        Agreement(("jo", "kim"), 2, 0.5, 0.0),
    )


def test_the_report_of_a_run_has_the_verdicts_on_that_run(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run, other = hand_made.record(path), hand_made.record(path)
    with Recorder(path) as recorder:
        recorder.verdict(f"{run}-2", "accept", "jo")
        recorder.verdict(f"{run}-2", "reject", "kim")
    with Reader(path) as reader:
        made, made_of_other = (make_report(reader.measures(id)) for id in (run, other))
        assert reader.verdicts(other) == ()
    assert made.review == Review(1, 0, 1, (Agreement(("jo", "kim"), 1, 0.0, 0.0),))
    assert made_of_other.review is None
