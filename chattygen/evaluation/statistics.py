"""Accurate, hallucinated and missing replies: shares with intervals, tables, correlations (Head-to-Tail, section 3).

For each metric m: M is the share of missing replies, A_m the mean of m with 0 for a missing reply, H_m = 1 - A_m - M.
An interval is a percentile bootstrap: whole dialogues are resampled, because the turns of one are not independent, with
a fixed seed, so that the same rows give the same interval. Knows nothing about how a reply is scored, nor where rows
are stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chattygen.domain import BUCKETS
from chattygen.errors import UsageError
from chattygen.evaluation.missing import is_missing
from chattygen.evaluation.normalise import Tokens, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RULES = ("EM", "F1", "RL")
JUDGED = "LM"

RESAMPLES = 10_000
PERCENTILES = (2.5, 97.5)

CELLS = 1_000_000
"""Drawn at once, resamples times dialogues: 30 MB."""

DIGITS = 9
"""Figures are rounded, so that 1 - 0.7 - 0.3 is 0."""


@dataclass(frozen=True)
class Row:
    """A scored reply.

    Attributes:
        dialogue, turn: rows of one dialogue are resampled together; a question alone is a dialogue of one turn.
        groups: name of a grouping -> the group that the row is in: `bucket` -> `head`. `turn` need not be among them.
        metrics: `EM`, `F1`, `RL`, and `LM` if a model has judged, from 0 to 1; taken as 0 where the reply is missing.
        undecided: the judge contradicts itself, or says nothing that counts; then `LM` is 0.
    """

    dialogue: str
    turn: int
    groups: Mapping[str, str]
    metrics: Mapping[str, float]
    missing: bool
    undecided: bool = False


@dataclass(frozen=True)
class Share:
    """A share from 0 to 1 with its 95 % interval, None where there are fewer than two dialogues to resample."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Rates:
    """A + H + M = 1 for each metric.

    Attributes:
        rows, dialogues: how many there are.
        accurate, hallucinated: by metric; `LM` only where every row that is not missing has it.
        undecided: the part of `hallucinated["LM"]` in which the judge was undecided; None without `LM`.
    """

    rows: int
    dialogues: int
    accurate: Mapping[str, Share]
    hallucinated: Mapping[str, Share]
    missing: Share
    undecided: Share | None


@dataclass(frozen=True)
class Correlation:
    """Between a rule-based and the judged metric over `n` points; None where one of the two is constant."""

    n: int
    spearman: float | None
    pearson: float | None


@dataclass(frozen=True)
class Agreement:
    """How far the judge agrees with exact match on the replies that are not missing, in numbers of replies.

    `kappa` is Cohen's, None where chance alone would agree on all. An undecided judge counts as one that says no.
    """

    both: int
    only_exact: int
    only_judge: int
    neither: int
    kappa: float | None


def rates(rows: Sequence[Row]) -> Rates:
    """The rates over all rows, at least one."""
    return _rates(rows, _are_judged(rows))


def _rates(rows: Sequence[Row], judged: bool) -> Rates:
    metrics = [*RULES, JUDGED] if judged else [*RULES]
    columns = [[float(row.missing) for row in rows], [float(row.undecided and not row.missing) for row in rows]]
    columns += [_accurate(rows, metric) for metric in metrics]
    columns += [_hallucinated(rows, metric) for metric in metrics]
    missing, undecided, *rest = _shares([row.dialogue for row in rows], columns)
    accurate, hallucinated = rest[: len(metrics)], rest[len(metrics) :]
    return Rates(
        rows=len(rows),
        dialogues=len({row.dialogue for row in rows}),
        accurate=dict(zip(metrics, accurate, strict=True)),
        hallucinated=dict(zip(metrics, hallucinated, strict=True)),
        missing=missing,
        undecided=undecided if judged else None,
    )


def tabulate(rows: Sequence[Row], by: str) -> dict[str, Rates]:
    """The rates of each group of a grouping, in the order in which they are shown; rows in no group are left out.

    All groups have the metrics of all rows together.
    """
    judged = _are_judged(rows)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        name = str(row.turn) if by == "turn" else row.groups.get(by)
        if name is not None:
            groups.setdefault(name, []).append(row)
    return {name: _rates(groups[name], judged) for name in sorted(groups, key=_place)}


def correlations(rows: Sequence[Row]) -> dict[str, Correlation]:
    """Over the replies: `A_EM` -> its correlation with A_LM, and so on with `H_EM` and H_LM; empty without `LM`."""
    if not _are_judged(rows):
        return {}
    found = {f"A_{rule}": _correlation(_accurate(rows, rule), _accurate(rows, JUDGED)) for rule in RULES}
    return found | {f"H_{rule}": _correlation(_hallucinated(rows, rule), _hallucinated(rows, JUDGED)) for rule in RULES}


def correlations_across(systems: Sequence[Rates]) -> dict[str, Correlation]:
    """The same over the rates of several systems, as in Table 6; empty where one of them was not judged."""
    if not all(JUDGED in one.accurate for one in systems):
        return {}
    sides = {"A": [one.accurate for one in systems], "H": [one.hallucinated for one in systems]}
    return {
        f"{letter}_{rule}": _correlation([one[rule].value for one in side], [one[JUDGED].value for one in side])
        for letter, side in sides.items()
        for rule in RULES
    }


def agreement(rows: Iterable[Row]) -> Agreement | None:
    """How far the judge agrees with exact match; None if a reply that is not missing was not judged."""
    answered = [row for row in rows if not row.missing]
    if not answered or not _are_judged(answered):
        return None
    pairs = [(row.metrics["EM"] == 1, row.metrics[JUDGED] == 1) for row in answered]
    both, neither, n = pairs.count((True, True)), pairs.count((False, False)), len(pairs)
    exact, judged = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    chance = (exact * judged + (n - exact) * (n - judged)) / n**2
    kappa = None if chance == 1 else round(((both + neither) / n - chance) / (1 - chance), DIGITS)
    return Agreement(both, exact - both, judged - both, neither, kappa)


def changed(replies: Mapping[tuple[str, int], Sequence[str]]) -> Share:
    """The share of turns, (dialogue, turn) -> replies, whose replies to the same question differ after normalisation.

    All missing replies count as the same. There must be at least one turn.
    """
    differ = [float(len(set(map(_same, said))) > 1) for said in replies.values()]
    [share] = _shares([dialogue for dialogue, _ in replies], [differ])
    return share


def _same(reply: str) -> Tokens:
    return () if is_missing(reply) else tokens(reply)


def _are_judged(rows: Iterable[Row]) -> bool:
    """Whether every reply that is not missing was judged, and there is one that was."""
    judged = [JUDGED in row.metrics for row in rows if not row.missing or JUDGED in row.metrics]
    return bool(judged) and all(judged)


def _accurate(rows: Iterable[Row], metric: str) -> list[float]:
    return [0.0 if row.missing else row.metrics[metric] for row in rows]


def _hallucinated(rows: Iterable[Row], metric: str) -> list[float]:
    return [0.0 if row.missing else 1 - row.metrics[metric] for row in rows]


def _shares(dialogues: Sequence[str], columns: Sequence[Sequence[float]]) -> list[Share]:
    """The mean of each column with its interval; `dialogues` says for each row which ones are drawn together."""
    import numpy as np

    places = {name: n for n, name in enumerate(dict.fromkeys(dialogues))}
    sums = np.zeros((len(places), len(columns) + 1))
    np.add.at(sums, [places[name] for name in dialogues], np.array([*columns, [1.0] * len(dialogues)]).T)
    total = sums.sum(axis=0)
    means = np.round(total[:-1] / total[-1], DIGITS)
    if len(places) < 2:
        return [Share(float(mean), None, None) for mean in means]
    low, high = np.round(np.percentile(_resampled(sums), PERCENTILES, axis=0), DIGITS)
    return [Share(float(mean), float(a), float(b)) for mean, a, b in zip(means, low, high, strict=True)]


def _resampled(sums: Floats) -> Floats:
    """The mean of each column in each resample; `sums` has a row per dialogue, its number of rows as last column."""
    import numpy as np

    random = np.random.default_rng(0)
    size = len(sums)
    means = []
    for start in range(0, RESAMPLES, max(1, CELLS // size)):
        count = min(max(1, CELLS // size), RESAMPLES - start)
        drawn = random.integers(0, size, (count, size)) + size * np.arange(count)[:, None]
        times = np.bincount(drawn.ravel(), minlength=count * size).reshape(count, size)
        totals = times @ sums
        means.append(totals[:, :-1] / totals[:, -1:])
    return np.concatenate(means)


def _correlation(a: Sequence[float], b: Sequence[float]) -> Correlation:
    try:
        from scipy.stats import pearsonr, spearmanr
    except ImportError as error:
        raise UsageError("Correlations need the package scipy", "run: pip install 'chattygen[evaluate]'") from error
    if len(set(a)) < 2 or len(set(b)) < 2:
        return Correlation(len(a), None, None)
    return Correlation(
        len(a), round(float(spearmanr(a, b).statistic), DIGITS), round(float(pearsonr(a, b).statistic), DIGITS)
    )


def _place(group: str) -> tuple[int, int, str]:
    """Head, torso and tail first, then numbers by value, then the alphabet."""
    for place, bucket in enumerate(BUCKETS):
        if group == bucket:
            return 0, place, ""
    return (1, int(group), "") if re.fullmatch(r"\d{1,9}", group) else (2, 0, group)
