"""The tables of Head-to-Tail over replies that were made up, with figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.domain import Strata, Thresholds
from chattygen.results.evaluations import EvaluationRecorder
from chattygen.results.reader import Reader
from chattygen.results.standings import Standings, Table
from chattygen.scoring import read_scores
from chattygen.tables import standings
from tests.drifting import VOCAB
from tests.played import REPLIES, SEEDS, judge, record, region, reply


def read(path: Path, run: str) -> Standings:
    with Reader(path) as reader:
        found = standings(read_scores(reader, run))
    assert found is not None
    return found


def tables(found: Standings) -> dict[str, Table]:
    return {table.key: table for table in found.tables}


def values(table: Table) -> list[tuple[str | int, ...]]:
    """The rows, without intervals."""
    return [tuple(cell.split(" (")[0] if isinstance(cell, str) else cell for cell in row) for row in table.rows]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chattygen.db"


@pytest.fixture
def run(path: Path) -> str:
    return record(path, *(region(*seed) for seed in SEEDS))


def test_a_run_that_was_not_played_has_no_standings(path: Path, run: str) -> None:
    with Reader(path) as reader:
        assert standings(read_scores(reader, run)) is None


def test_from_head_to_tail(path: Path, run: str) -> None:
    reply(path, run, "bot", *REPLIES)
    found = tables(read(path, run))
    assert [row for row in values(found["rates"]) if row[3] == "EM"] == [
        ("bot", "head", 2, "EM", "100.0", "0.0", "0.0"),
        ("bot", "tail", 4, "EM", "25.0", "50.0", "25.0"),
        ("bot", "all", 6, "EM", "50.0", "33.3", "16.7"),
    ]
    for _, _, _, _, *shares in values(found["rates"]):
        assert sum(float(share) for share in shares) == pytest.approx(100, abs=0.11)
    assert found["benchmark"].rows == (("head", 1, 2, "", ""), ("tail", 2, 4, "", ""))
    assert list(found) == ["benchmark", "systems", "rates", "type", "turn", "flow"]


def test_by_type_and_turn(path: Path, run: str) -> None:
    """With partial credit: of the last turn 1, 0, and one island of two, whose F1 is what `score` gives: p 1, r 1/2."""
    reply(path, run, "bot", "Nordmark", "unsure", "Sudland", "unsure", "Nordmark", "unsure")
    found = tables(read(path, run))
    assert values(found["type"]) == [
        ("bot", "lake", 4, "F1", "25.0", "25.0", "50.0"),
        ("bot", "river", 2, "F1", "50.0", "0.0", "50.0"),
        ("bot", "all", 6, "F1", "33.3", "16.7", "50.0"),
    ]
    assert values(found["turn"]) == [
        ("bot", "1", 3, "F1", "66.7", "33.3", "0.0"),
        ("bot", "2", 3, "F1", "0.0", "0.0", "100.0"),
        ("bot", "all", 6, "F1", "33.3", "16.7", "50.0"),
    ]


def test_shares_of_the_graph_stand_beside_the_benchmark(path: Path) -> None:
    strata = Strata(VOCAB + "Lake", "density", Thresholds(9, 4), {"head": 1, "torso": 3, "tail": 16}, 0, "exact", 20)
    run = record(path, region(*SEEDS[0]), region(*SEEDS[1]), strata=strata)
    reply(path, run, "bot", "Nordmark")
    assert tables(read(path, run))["benchmark"].rows == (
        ("head", 1, 2, 1, "5.0%"),
        ("torso", 0, 0, 3, "15.0%"),
        ("tail", 1, 2, 16, "80.0%"),
    )


def test_the_sanity_systems_stand_in_one_row_each(path: Path, run: str) -> None:
    reply(path, run, "oracle", *["Nordmark", "Pine Holm\nCrow Holm"] * 3)
    reply(path, run, "unsure", *["unsure"] * 6)
    reply(path, run, "bot", *REPLIES)
    found = tables(read(path, run))
    bounds = [row for row in values(found["rates"]) if row[0] != "bot"]
    assert bounds == [
        *[("oracle", "all", 6, metric, "100.0", "0.0", "0.0") for metric in ("EM", "F1", "RL")],
        *[("unsure", "all", 6, metric, "0.0", "0.0", "100.0") for metric in ("EM", "F1", "RL")],
    ]
    assert {row[0] for row in found["type"].rows} == {"bot"}


def test_by_the_bucket_of_the_predicate(path: Path, run: str) -> None:
    with EvaluationRecorder(path) as recorder:
        recorder.about_graph(run, {}, {f"{VOCAB}p1": (14, "head"), f"{VOCAB}p2": (7, "tail")})
    reply(path, run, "bot", "Nordmark", "unsure", "Sudland", "unsure", "Nordmark", "unsure")
    assert values(tables(read(path, run))["predicate"]) == [
        ("bot", "head", 3, "F1", "66.7", "33.3", "0.0"),
        ("bot", "tail", 3, "F1", "0.0", "0.0", "100.0"),
        ("bot", "all", 6, "F1", "33.3", "16.7", "50.0"),
    ]


def test_a_judge(path: Path, run: str) -> None:
    """Replies 1, 2, 5 and 6 are right to the judge, 3 not; exact match agrees but for 6. Reply 4 is missing."""
    reply(path, run, "bot", *REPLIES)
    judge(path, (1, True), (2, True), (3, False), (5, True), (6, True))
    found = tables(read(path, run))
    assert [row for row in values(found["rates"]) if row[3] == "LM"] == [
        ("bot", "head", 2, "LM", "100.0", "0.0", "0.0"),
        ("bot", "tail", 4, "LM", "50.0", "25.0", "25.0"),
        ("bot", "all", 6, "LM", "66.7", "16.7", "16.7"),
    ]
    # With one that goes astray among five: po = 4/5, pe = (3*4 + 2*1) / 25 = 14/25, kappa = 0.24 / 0.44 = 0.55.
    assert found["judge"].rows == (("bot", "judy", 3, 0, 1, 1, "0.55", 0),)
    # A_EM is 1 1 0 0 1 0, A_LM 1 1 0 0 1 1: r = (6*3 - 3*4) / sqrt((6*3 - 9) * (6*4 - 16)) = 6 / sqrt(72) = 0.71.
    assert found["correlations"].rows[0] == ("bot", "A_EM", 6, "0.71", "0.71")
    assert found["turn"].rows[0][3] == "LM"
    assert read(path, run).data[0]["agreement"] == {
        "both": 3,
        "only_exact": 0,
        "only_judge": 1,
        "neither": 1,
        "kappa": pytest.approx(0.5455, abs=1e-4),
    }


def test_a_judge_that_cannot_decide_is_counted(path: Path, run: str) -> None:
    reply(path, run, "bot", *REPLIES)
    judge(path, (1, True), (2, None), (3, False), (5, True), (6, None))
    found = tables(read(path, run))
    assert found["judge"].rows[0][-1] == 2
    assert values(found["rates"])[-1] == ("bot", "all", 6, "LM", "33.3", "50.0", "16.7")


def test_replies_that_nobody_judged_leave_the_judge_out(path: Path, run: str) -> None:
    reply(path, run, "bot", *REPLIES)
    judge(path, (1, True), (2, True))
    found = tables(read(path, run))
    assert "correlations" not in found
    assert {row[3] for row in found["rates"].rows} == {"EM", "F1", "RL"}


def test_correlations_over_three_systems(path: Path, run: str) -> None:
    """None, one and two of three are right, to the rules and to the judge: points on a line. H falls as A rises."""
    reply(path, run, "a", "Sudland", "x", "Sudland")
    reply(path, run, "b", "Nordmark", "x", "Sudland")
    judge(path, *((number, number == 4) for number in range(1, 7)))
    assert "over all systems" not in [row[0] for row in tables(read(path, run))["correlations"].rows]
    reply(path, run, "c", "Nordmark", "x", "Nordmark")
    judge(path, (7, True), (8, False), (9, True))
    across = [row[1:] for row in tables(read(path, run))["correlations"].rows if row[0] == "over all systems"]
    assert across == [(f"{letter}_{rule}", 3, "1.00", "1.00") for letter in "AH" for rule in ("EM", "F1", "RL")]


def test_one_system_asked_in_several_ways(path: Path, run: str) -> None:
    reply(path, run, "bot", "Nordmark", "unsure")
    reply(path, run, "bot", "Nordmark", "Pine Holm; Crow Holm", prompt="in-domain")
    reply(path, run, "bot", "Sudland", "x", history="own", brief=False, unsure=False)
    reply(path, run, "robot", "Sudland", "x", prompt="in-domain")
    found = tables(read(path, run))
    assert [row for row in values(found["variants"]) if row[1] == "all"] == [
        ("bot", "all", 2, "F1", "50.0", "0.0", "50.0"),
        ("bot, in-domain", "all", 2, "F1", "100.0", "0.0", "0.0"),
        ("bot, own history, not brief, not unsure", "all", 2, "F1", "0.0", "100.0", "0.0"),
    ]
    assert [row[:2] for row in found["systems"].rows] == [
        ("bot", "few-shot, gold history"),
        ("bot, in-domain", "in-domain, gold history"),
        ("bot, own history, not brief, not unsure", "few-shot, own history, not brief, not unsure"),
        ("robot, in-domain", "in-domain, gold history"),
    ]


def test_what_is_told_beside_the_rates(path: Path, run: str) -> None:
    reply(path, run, "bot", *REPLIES)
    reply(path, run, "bot", "Nordmark", "Crow Holm; Pine Holm", "Sudland", "Crow Holm", repeat=2)
    # Ten replies of 12 tokens in half a second each; of the four that came twice, one is another.
    assert values(tables(read(path, run))["systems"]) == [
        ("bot", "few-shot, gold history", "done", 3, 6, "", 120, 5, "25.0")
    ]


def test_questions_that_the_graph_cannot_answer_have_a_table(path: Path) -> None:
    where, which = region(*SEEDS[0]).turns
    nobody = replace(which, query=replace(which.query, answers=()))
    run = record(path, replace(region(*SEEDS[0]), turns=(where, nobody)))
    reply(path, run, "bot", "Nordmark", "unsure")
    found = tables(read(path, run))
    assert found["unanswerable"].rows == (("bot", 1, 1),)
    assert {row[2] for row in found["rates"].rows} == {1}


def test_the_plot_goes_from_head_to_tail(path: Path, run: str) -> None:
    reply(path, run, "bot", "Nordmark", "unsure", "Sudland", "unsure", "Nordmark", "unsure")
    reply(path, run, "unsure", *["unsure"] * 6)
    plots = read(path, run).plots
    assert list(plots) == ["bot, token F1"]
    assert [(row.name, row.bars[0].text, row.bars[0].parts) for row in plots["bot, token F1"].rows] == [
        ("head", "A 50%, H 0%, M 50%", ((0.5, "first"), (0.0, "second"), (0.5, "third"))),
        ("tail", "A 25%, H 25%, M 50%", ((0.25, "first"), (0.25, "second"), (0.5, "third"))),
    ]
