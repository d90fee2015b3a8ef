"""Rates, intervals, tables and correlations, worked out by hand."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import ModuleType

import pytest

from chattygen.errors import UsageError
from chattygen.evaluation.statistics import (
    Agreement,
    Correlation,
    Rates,
    Row,
    Share,
    agreement,
    changed,
    correlations,
    correlations_across,
    rates,
    tabulate,
)


def row(
    exact: float,
    f1: float | None = None,
    judged: float | None = None,
    *,
    missing: bool = False,
    dialogue: str = "",
    turn: int = 1,
    undecided: bool = False,
    **groups: str,
) -> Row:
    """A row; ROUGE-L is F1, and each row is a dialogue of its own unless it says otherwise."""
    f1 = exact if f1 is None else f1
    metrics = {"EM": exact, "F1": f1, "RL": f1} | ({} if judged is None else {"LM": judged})
    return Row(dialogue or f"d{next(_numbers)}", turn, groups, metrics, missing, undecided)


_numbers = iter(range(10**9))


def values(shares: Mapping[str, Share]) -> dict[str, float]:
    return {metric: share.value for metric, share in shares.items()}


def test_accurate_hallucinated_missing() -> None:
    found = rates([row(1), row(0, 0.5), row(0), row(0, missing=True), row(1, 0.8, missing=True)])
    assert (found.rows, found.dialogues) == (5, 5)
    assert found.missing.value == 0.4
    assert values(found.accurate) == {"EM": 0.2, "F1": 0.3, "RL": 0.3}
    assert values(found.hallucinated) == {"EM": 0.4, "F1": 0.3, "RL": 0.3}
    assert found.undecided is None


def test_a_judged_run() -> None:
    found = rates([row(1, 1, 1), row(0, 0.5, 1), row(0, 0, 0, undecided=True), row(0, missing=True)])
    assert values(found.accurate) == {"EM": 0.25, "F1": 0.375, "RL": 0.375, "LM": 0.5}
    assert values(found.hallucinated) == {"EM": 0.5, "F1": 0.375, "RL": 0.375, "LM": 0.25}
    assert (found.missing.value, found.undecided) == (0.25, found.undecided)
    assert found.undecided is not None
    assert found.undecided.value == 0.25
    for metric in ("EM", "F1", "RL", "LM"):
        assert found.accurate[metric].value + found.hallucinated[metric].value + found.missing.value == 1


def test_a_run_that_is_judged_in_part_has_no_judged_rates() -> None:
    found = rates([row(1, 1, 1), row(0, 0)])
    assert "LM" not in found.accurate
    assert "LM" not in found.hallucinated


def test_the_sanity_systems() -> None:
    oracle = rates([row(1, 1, 1) for _ in range(5)])
    one, none = Share(1, 1, 1), Share(0, 0, 0)
    assert set(oracle.accurate.values()) == {one}
    assert set(oracle.hallucinated.values()) == {none}
    assert oracle.missing == none
    unsure = rates([row(0, missing=True) for _ in range(5)])
    assert unsure.missing == one
    assert {*unsure.accurate.values(), *unsure.hallucinated.values()} == {none}


def test_an_interval_is_that_of_a_binomial() -> None:
    """40 of 100: resampled, the number has mean 40 and standard deviation sqrt(100 x 0.4 x 0.6) = 4.9."""
    share = rates([row(1) for _ in range(40)] + [row(0) for _ in range(60)]).accurate["EM"]
    assert share.value == 0.4
    assert share.low == pytest.approx(0.4 - 1.96 * 0.049, abs=0.01)
    assert share.high == pytest.approx(0.4 + 1.96 * 0.049, abs=0.01)


def test_turns_of_one_dialogue_are_drawn_together() -> None:
    """10 dialogues of 10 turns, 4 of them all right: as uncertain as 4 of 10, sqrt(0.4 x 0.6 / 10) = 0.155."""
    rows = [row(float(d < 4), dialogue=f"d{d}", turn=t) for d in range(10) for t in range(10)]
    share = rates(rows).accurate["EM"]
    assert share.value == 0.4
    assert share.low == pytest.approx(0.1, abs=0.001)
    assert share.high == pytest.approx(0.7, abs=0.001)


def test_dialogues_of_different_lengths() -> None:
    """Two dialogues, of one turn that is right and three that are wrong: a resample has 0 of 6, 1 of 4 or 2 of 2."""
    rows = [row(1, dialogue="a"), *(row(0, dialogue="b", turn=n) for n in (1, 2, 3))]
    assert rates(rows).accurate["EM"] == Share(0.25, 0, 1)


def test_one_dialogue_has_no_interval() -> None:
    assert rates([row(1, dialogue="a"), row(0, dialogue="a")]).accurate["EM"] == Share(0.5, None, None)


def test_the_same_rows_give_the_same_interval() -> None:
    rows = [row(float(n % 3 == 0)) for n in range(50)]
    assert rates(rows) == rates(rows)


def test_many_dialogues() -> None:
    share = rates([row(float(n % 2)) for n in range(3000)]).accurate["EM"]
    assert share.low == pytest.approx(0.5 - 1.96 * (0.25 / 3000) ** 0.5, abs=0.002)


def test_tables() -> None:
    rows = [
        row(1, bucket="tail", kind="who"),
        row(0, bucket="tail", kind="when"),
        row(1, bucket="head", kind="who"),
        row(0, bucket="torso", kind="who", missing=True),
        row(1, kind="where"),
    ]
    table = tabulate(rows, "bucket")
    assert list(table) == ["head", "torso", "tail"]
    assert [one.accurate["EM"].value for one in table.values()] == [1, 0, 0.5]
    assert [one.missing.value for one in table.values()] == [0, 1, 0]
    assert [one.rows for one in table.values()] == [1, 1, 2]
    assert list(tabulate(rows, "kind")) == ["when", "where", "who"]
    assert tabulate(rows, "type") == {}


def test_turns_are_a_grouping_by_number() -> None:
    rows = [row(1, dialogue="a", turn=n) for n in (10, 9, 2)]
    assert list(tabulate(rows, "turn")) == ["2", "9", "10"]


def test_all_groups_have_the_same_metrics() -> None:
    rows = [row(1, 1, 1, bucket="head"), row(0, missing=True, bucket="tail")]
    assert [list(one.accurate) for one in tabulate(rows, "bucket").values()] == [["EM", "F1", "RL", "LM"]] * 2
    unjudged = [row(1, bucket="head"), row(0, missing=True, bucket="tail")]
    assert [list(one.accurate) for one in tabulate(unjudged, "bucket").values()] == [["EM", "F1", "RL"]] * 2


def test_correlations_over_replies() -> None:
    """EM 1 0 0 0 against LM 1 1 0 0: covariance 1/8, deviations sqrt(3)/4 and 1/2, so 1/sqrt(3).

    F1 1 .5 0 0 has the ranks 4 3 1.5 1.5, LM 3.5 3.5 1.5 1.5: covariance 4/4, variances 4.5/4 and 4/4, so 4/sqrt(18).
    """
    rows = [row(1, 1, 1), row(0, 0.5, 1), row(0, 0, 0), row(0, 0, 0)]
    found = correlations(rows)
    assert list(found) == ["A_EM", "A_F1", "A_RL", "H_EM", "H_F1", "H_RL"]
    assert found["A_EM"].n == 4
    assert found["A_EM"].pearson == pytest.approx(3**-0.5)
    assert found["A_EM"].spearman == pytest.approx(3**-0.5)
    assert found["A_F1"].spearman == pytest.approx(4 / 18**0.5)
    assert found["H_F1"].spearman == pytest.approx(4 / 18**0.5), "without missing replies, H is 1 - A"


def test_missing_replies_count_in_correlations() -> None:
    """H: EM 0 1 0, LM 0 1 0; A: EM 1 0 0, LM 1 0 0."""
    found = correlations([row(1, 1, 1), row(0, 0, 0), row(0, missing=True)])
    assert (found["A_EM"], found["H_EM"]) == (Correlation(3, 1, 1), Correlation(3, 1, 1))


def test_no_correlation_with_what_does_not_vary() -> None:
    found = correlations([row(0, 0.5, 1), row(0, 0, 0)])
    assert found["A_EM"] == Correlation(2, None, None)
    assert found["A_F1"] == Correlation(2, 1, 1)
    assert correlations([row(1), row(0)]) == {}


def system(exact: float, judged: float) -> Rates:
    """The rates of 100 replies without missing ones."""
    right, said = round(100 * exact), round(100 * judged)
    return rates([row(float(n < right), float(n < right), float(n < said)) for n in range(100)])


def test_correlations_over_systems() -> None:
    """0.1 0.2 0.6 against 0.2 0.3 0.4: the ranks agree; products 0.05, squares 0.14 and 0.02: 0.05 / sqrt(0.0028)."""
    found = correlations_across([system(0.1, 0.2), system(0.2, 0.3), system(0.6, 0.4)])
    assert found["A_EM"].n == 3
    assert found["A_EM"].spearman == pytest.approx(1)
    assert found["A_EM"].pearson == pytest.approx(0.05 / 0.0028**0.5)
    assert found["H_RL"].pearson == pytest.approx(0.05 / 0.0028**0.5)
    assert correlations_across([system(0.1, 0.2), rates([row(1)])]) == {}
    assert correlations_across([system(0.1, 0.2)])["A_EM"] == Correlation(1, None, None)


def test_agreement() -> None:
    """20 replies: 8 both, 2 only exact, 4 only judge, 6 neither. Chance: (10 x 12 + 10 x 8) / 400 = 0.5; kappa 0.4."""
    rows = (
        [row(1, 1, 1)] * 8 + [row(1, 1, 0)] * 2 + [row(0, 0, 1)] * 4 + [row(0, 0.5, 0)] * 6 + [row(0, missing=True)] * 5
    )
    assert agreement(rows) == Agreement(8, 2, 4, 6, 0.4)
    assert agreement([row(1, 1, 1)]) == Agreement(1, 0, 0, 0, None)
    assert agreement([row(1), row(0)]) is None
    assert agreement([row(0, missing=True)]) is None


def test_changed_replies() -> None:
    replies = {
        ("a", 1): ["Paris", "paris.", "The Paris"],
        ("a", 2): ["Paris", "London", "Paris"],
        ("b", 1): ["unsure", "I don't know.", ""],
        ("b", 2): ["1 April 1912", "April 1, 1912"],
        ("c", 1): ["Paris", "unsure"],
    }
    share = changed(replies)
    assert share.value == 0.4
    assert (share.low, share.high) == (0, 1), "all three may be b, or all three c"
    assert changed({("a", 1): ["Paris"]}) == Share(0, None, None)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def lacking(name: str, *rest: object) -> ModuleType:
        if name.startswith("scipy"):
            raise ImportError(name)
        return whole(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(UsageError, match="Correlations need the package scipy") as refused:
        correlations([row(1, 1, 1), row(0, 0, 0)])
    assert refused.value.hint == "run: pip install 'chattygen[evaluate]'"
