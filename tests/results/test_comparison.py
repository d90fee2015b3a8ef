"""The comparison of two runs: outcomes read back, pairs, refusals, and means and intervals worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chattygen.domain import Subgraph, Usage
from chattygen.errors import UsageError
from chattygen.results import comparison
from chattygen.results.comparison import (
    Comparison,
    Difference,
    Preference,
    compare,
    interval,
    preferences,
    refuse_unlike,
)
from chattygen.results.outcomes import SeedOutcome
from chattygen.results.reader import Reader, StoredRun
from chattygen.results.recorder import Recorder
from tests.results import hand_made


def seed(
    iri: str,
    rules: dict[str, int] | None = None,
    *,
    questions: int = 0,
    by_model: int = 0,
    usage: Usage = Usage(),  # noqa: B008  it is frozen
) -> SeedOutcome:
    """A seed with a dialogue of so many questions; without any it was given up."""
    return SeedOutcome(iri, iri, questions > 0, "" if questions else "Q1", rules or {}, usage, questions, by_model)


def found(compared: Comparison) -> dict[str, Difference]:
    return {difference.measure: difference for difference in (*compared.measures, *compared.rules)}


def test_outcomes_are_read_back(tmp_path: Path) -> None:
    """Irène's seed was in work when the run was stopped, so it has no outcome."""
    run = hand_made.record(tmp_path / "chattygen.db")
    other = hand_made.record(tmp_path / "chattygen.db")
    ns = hand_made.NS
    with Reader(tmp_path / "chattygen.db") as reader:
        assert reader.outcomes(run) == [
            SeedOutcome(ns + "marie", "Marie Curie", True, "", {"Q5": 1}, Usage(1050, 130, 4, 13.5), 2, 2),
            SeedOutcome(
                ns + "pierre",
                "Pierre Curie",
                False,
                "Q8",
                {"P2": 1, "P4": 1, "Q8": 1},
                Usage(810, 104, 3, 9.5),
                0,
                0,
            ),
            SeedOutcome(
                ns + "ship", "Marie Curie", True, "", {"D3": 1, "S5": 1, "S6": 1}, Usage(850, 120, 3, 12.0), 2, 0
            ),
        ]
        assert reader.outcomes(other) == reader.outcomes(run)


def test_a_seed_without_calls_has_cost_nothing(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
        visited = recorder.start_seed(run, Subgraph(hand_made.CURIE, (hand_made.BORN,), 1))
        recorder.give_up(visited, "C4", "too few of its facts can be asked about")
    with Reader(tmp_path / "chattygen.db") as reader:
        [outcome] = reader.outcomes(run)
    assert (outcome.rule, outcome.findings, outcome.usage) == ("C4", {}, Usage())


def test_every_measure() -> None:
    """Two pairs: both accepted everywhere, so each measure has two differences, and its interval is their range."""
    a = [
        seed("1", {"Q1": 2, "P1": 1}, questions=4, by_model=3, usage=Usage(90, 10, 3, 1.5)),
        seed("2", questions=5, by_model=0, usage=Usage(190, 10, 3, 2.5)),
        seed("only a"),
    ]
    b = [
        seed("only b"),
        seed("2", {"P1": 1, "D3": 4}, questions=5, by_model=5, usage=Usage(150, 10, 5, 2.5)),
        seed("1", {"Q1": 4}, questions=2, by_model=1, usage=Usage(130, 10, 7, 1.0)),
        seed("also only b"),
    ]
    compared = compare(a, b)
    assert (compared.paired, compared.alone_a, compared.alone_b, compared.both_accepted) == (2, 1, 2, 2)
    assert compared.measures == (
        Difference("accepted", 2, 1.0, 1.0, 0.0, 0.0, 0.0),
        Difference("findings", 2, 1.5, 4.5, 3.0, 1.0, 5.0),  # 3 -> 4, 0 -> 5
        Difference("question errors", 2, 1.0, 2.0, 1.0, 0.0, 2.0),  # 2 -> 4, 0 -> 0
        Difference("query errors", 2, 0.0, 0.0, 0.0, 0.0, 0.0),
        Difference("dialogue errors", 2, 0.0, 2.0, 2.0, 0.0, 4.0),  # 0 -> 0, 0 -> 4
        Difference("parse errors", 2, 0.5, 0.5, 0.0, -1.0, 1.0),  # 1 -> 0, 0 -> 1
        Difference("tokens", 2, 150.0, 150.0, 0.0, -40.0, 40.0),  # 100 -> 140, 200 -> 160
        Difference("calls", 2, 3.0, 6.0, 3.0, 2.0, 4.0),  # 3 -> 7, 3 -> 5
        Difference("seconds", 2, 2.0, 1.75, -0.25, -0.5, 0.0),  # 1.5 -> 1, 2.5 -> 2.5
        Difference("turns", 2, 4.5, 3.5, -1.0, -2.0, 0.0),  # 4 -> 2, 5 -> 5
        Difference("queries by the model", 2, 0.375, 0.75, 0.375, -0.25, 1.0),  # 3/4 -> 1/2, 0/5 -> 5/5
    )
    assert compared.rules == (
        Difference("D3", 2, 0.0, 2.0, 2.0, 0.0, 4.0),
        Difference("P1", 2, 0.5, 0.5, 0.0, -1.0, 1.0),
        Difference("Q1", 2, 1.0, 2.0, 1.0, 0.0, 2.0),
    )
    assert {name for name, difference in found(compared).items() if difference.clear} == {"findings", "calls"}


def test_measures_of_dialogues_are_over_the_seeds_that_both_accepted() -> None:
    a = [seed("1", questions=3, by_model=3), seed("2", questions=5, by_model=5), seed("3", questions=9, by_model=0)]
    b = [seed("1", questions=4, by_model=1), seed("2", questions=6, by_model=3), seed("3")]
    compared = compare(a, b)
    assert compared.both_accepted == 2
    measures = found(compared)
    assert measures["turns"] == Difference("turns", 2, 4.0, 5.0, 1.0, 1.0, 1.0)
    # 1 -> 1/4 and 1 -> 1/2
    assert measures["queries by the model"] == Difference("queries by the model", 2, 1.0, 0.375, -0.625, -0.75, -0.5)
    # 1, 1, 1 -> 1, 1, 0: of 27 resamples 8 hold no loss, and 1, more than a fortieth, holds nothing else
    assert measures["accepted"] == Difference("accepted", 3, 1.0, 0.666666667, -0.333333333, -1.0, 0.0)


def test_too_few_seeds_with_two_dialogues_leave_the_measures_of_dialogues_out() -> None:
    compared = compare([seed("1", questions=3), seed("2")], [seed("1", questions=3), seed("2", questions=3)])
    assert compared.both_accepted == 1
    assert [difference.measure for difference in compared.measures] == [
        "accepted",
        "findings",
        "question errors",
        "query errors",
        "dialogue errors",
        "parse errors",
        "tokens",
        "calls",
        "seconds",
    ]
    assert compared.rules == ()


@pytest.mark.parametrize(
    ("differences", "low", "high"),
    [
        ([2, 2, 2], 2, 2),
        # The mean of two draws is 0, 2 or 4 with a probability of 1/4, 1/2, 1/4.
        ([0, 4], 0, 4),
        # Of four draws, 4 are the 8 with 1/256, and 3 or 4 of them with 13/256: between them lies the upper fortieth.
        ([0, 0, 0, 8], 0, 6),
        ([0, 0, 0, -8], -6, 0),
    ],
)
def test_intervals(differences: list[float], low: float, high: float) -> None:
    lower, upper = interval(np.array([[value] for value in differences], dtype=float))
    assert (lower.tolist(), upper.tolist()) == ([low], [high])


def test_an_interval_does_not_depend_on_what_else_is_measured_nor_on_how_much_is_drawn_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.array([[n % 7, (n * n) % 11] for n in range(50)], dtype=float)
    low, high = interval(differences)
    alone = interval(differences[:, 1:])
    assert (alone[0][0], alone[1][0]) == (low[1], high[1])
    monkeypatch.setattr(comparison, "CELLS", 7 * 50)  # 10,000 is no multiple of 7
    again = interval(differences)
    assert (again[0].tolist(), again[1].tolist()) == (low.tolist(), high.tolist())
    # 0 to 6, seven times each, and one 0: mean 2.94, standard error 0.2859; the interval is near 1.96 of them wide
    assert low[0] == pytest.approx(2.94 - 1.96 * 0.2859, abs=0.05)
    assert high[0] == pytest.approx(2.94 + 1.96 * 0.2859, abs=0.05)


def test_what_is_nothing_but_rounding_is_no_difference() -> None:
    """0.1 + 0.2 is more than 0.3 in binary; their means must not differ for that."""
    a = [seed("1", usage=Usage(seconds=0.1 + 0.2)), seed("2", usage=Usage(seconds=0.3))]
    b = [seed("1", usage=Usage(seconds=0.3)), seed("2", usage=Usage(seconds=0.3))]
    assert a[0].usage.seconds > b[0].usage.seconds
    for first, second in ((a, b), (b, a)):
        seconds = found(compare(first, second))["seconds"]
        assert str(seconds) == str(Difference("seconds", 2, 0.3, 0.3, 0.0, 0.0, 0.0)), "not -0.0 either"


@pytest.mark.parametrize(("b", "said"), [(["2"], "no seed in common"), (["1", "3"], "only one seed in common")])
def test_runs_without_pairs_are_refused(b: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        compare([seed("1"), seed("4")], [seed(iri) for iri in b])
    assert refused.value.hint


RUN = StoredRun(
    id="lakes-1",
    kg="lakes",
    kg_fingerprint="f00d",
    kg_triples=1,
    kg_source={},
    settings={},
    models={},
    repeatable=True,
    started="2026-11-30T10:00:00.000Z",
    last="2026-11-30T10:00:00.000Z",
    seconds=0.0,
    status="done",
    reason="",
    chattygen_version="1",
    dialogues=0,
    visited=0,
)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (RUN, "both are the same run: lakes-1"),
        (replace(RUN, id="lakes-2", status="running"), "the run lakes-2 is still running"),
        (replace(RUN, id="seas-1", kg="seas", kg_fingerprint="feed"), "the runs are of two graphs: lakes and seas"),
        (
            replace(RUN, id="lakes-2", kg_fingerprint="feed"),
            "the data of lakes were others: fingerprint f00d, then feed",
        ),
    ],
)
def test_runs_that_cannot_be_compared(other: StoredRun, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        refuse_unlike(RUN, other)
    assert refused.value.message == said
    assert refused.value.hint


@pytest.mark.parametrize("status", ["done", "short", "interrupted", "failed"])
def test_runs_that_ended_can_be_compared_however_they_ended(status: str) -> None:
    refuse_unlike(RUN, replace(RUN, id="lakes-2", status=status))


def test_the_figures_are_plain_numbers() -> None:
    compared = compare([seed("1"), seed("2")], [seed("1"), seed("2")])
    assert json.loads(json.dumps(vars(compared.measures[0])))["difference"] == 0.0


def test_a_preference_stands_only_in_both_orders() -> None:
    """Four pairs; fluency scores 1, 1, 0, 0, and one of sixteen resamples holds only ones, one only noughts."""
    told = preferences(
        {
            "fluency": [("B", "B"), ("B", "B"), ("A", "B"), (None, "A")],
            "clarity": [("A", "B")] * 4,
            "variety": [(None, None), (None, None), (None, "B"), (None, None)],
        }
    )
    # Shown first and preferred: B by the second reply on the pairs 1, 2, 3, and A by the first on pair 3; of 7 replies.
    assert told[0] == Preference("fluency", 4, 0, 2, 2, 0.5, 0.0, 1.0, 3, 0.571428571)
    assert told[0].agreed == 2 / 3
    assert not told[0].clear
    assert told[1] == Preference("clarity", 4, 0, 4, 0, 0.0, 0.0, 0.0, 4, 1.0)
    assert told[1].agreed == 0.0
    assert told[2] == Preference("variety", 4, 0, 4, 0, 0.0, 0.0, 0.0, 0, 1.0)
    assert told[2].agreed is None


def test_a_clear_preference() -> None:
    (better,) = preferences({"fluency": [("B", "B")] * 5})
    (worse,) = preferences({"fluency": [("A", "A")] * 5})
    (silent,) = preferences({"fluency": [(None, None)] * 3})
    assert (better.difference, better.low, better.high, better.clear) == (1.0, 1.0, 1.0, True)
    assert (worse.difference, worse.low, worse.high, worse.clear) == (-1.0, -1.0, -1.0, True)
    assert (silent.ties, silent.heard, silent.first, silent.clear) == (3, 0, None, False)
