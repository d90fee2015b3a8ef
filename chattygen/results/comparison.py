"""Two runs side by side, seed by seed: Chatty-Gen's comparisons (section 6, and Table 5 of section 7) with an interval
for each difference.

Runs over one state of one graph are paired by the IRI of the seed, so that easy and hard seeds weigh alike in both. The
interval is a percentile bootstrap over the pairs: resampled with a fixed seed, the same runs give the same one. Knows
nothing about SQLite and drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from chattygen.errors import UsageError
from chattygen.results.outcomes import SeedOutcome
from chattygen.results.reader import StoredRun
from chattygen.results.report import is_parse_error
from chattygen.results.rules import GROUPS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 10_000
PERCENTILES = (2.5, 97.5)

CELLS = 1_000_000
"""Drawn at once, resamples times pairs: 30 MB."""

DIGITS = 9
"""Figures are rounded: 0.3 - 0.1 - 0.2 is 0, and must not count as a difference."""

Measure = Callable[[SeedOutcome], float]
Pair = tuple[SeedOutcome, SeedOutcome]


def _findings(outcome: SeedOutcome) -> float:
    return sum(outcome.findings.values())


def _parse_errors(outcome: SeedOutcome) -> float:
    return sum(number for rule, number in outcome.findings.items() if is_parse_error(rule))


def _errors(letter: str, outcome: SeedOutcome) -> float:
    """Findings of the rules whose ids begin with `letter`, whatever stage wrote the text."""
    return sum(number for rule, number in outcome.findings.items() if rule.startswith(letter))


OF_EVERY_SEED: dict[str, Measure] = {
    "accepted": lambda outcome: outcome.accepted,
    "findings": _findings,
    **{f"{GROUPS[letter]} errors": partial(_errors, letter) for letter in "QSD"},
    "parse errors": _parse_errors,
    "tokens": lambda outcome: outcome.usage.tokens,
    "calls": lambda outcome: outcome.usage.calls,
    "seconds": lambda outcome: outcome.usage.seconds,
}

OF_ACCEPTED_SEEDS: dict[str, Measure] = {
    "turns": lambda outcome: outcome.questions,
    "queries by the model": lambda outcome: outcome.queries_by_model / outcome.questions,
}
"""These make sense only where both runs have a dialogue."""

SHARES = frozenset({"accepted", "queries by the model"})
"""Measures from 0 to 1; the others are numbers per seed."""


@dataclass(frozen=True)
class Difference:
    """A measure in two runs, means per seed.

    Attributes:
        seeds: number of pairs.
        difference: mean of B minus A over the pairs.
        low, high: its 95 % interval.
    """

    measure: str
    seeds: int
    a: float
    b: float
    difference: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Comparison:
    """Two runs, paired.

    Attributes:
        paired: seeds that both runs finished: accepted or gave up.
        alone_a, alone_b: seeds that only one of them finished.
        both_accepted: pairs in which both have a dialogue.
        measures: in the order of this module; those of accepted seeds are left out when there are fewer than two.
        rules: findings per seed, by rule.
    """

    paired: int
    alone_a: int
    alone_b: int
    both_accepted: int
    measures: tuple[Difference, ...]
    rules: tuple[Difference, ...]


Choice = OneOf["A", "B"] | None
"""Which of two dialogues a judge prefers; None when its reply says neither."""


@dataclass(frozen=True)
class Preference:
    """What a judge prefers by one criterion, over pairs of dialogues that it saw in both orders.

    Attributes:
        a, b: pairs in which it preferred the dialogue of A, or of B, in both orders.
        ties: all other pairs.
        difference: share of pairs for B minus share of pairs for A, -1 to 1; `low` and `high` are its 95 % interval.
        heard: pairs with a valid reply in both orders; the rest are ties for want of one, or as both said the same.
        first: share of the valid replies that preferred what was shown first, 0 to 1; None without any. Far from a half
            with few agreements, the judge looks at the place and not at the text.
    """

    criterion: str
    pairs: int
    a: int
    ties: int
    b: int
    difference: float
    low: float
    high: float
    heard: int
    first: float | None

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0

    @property
    def agreed(self) -> float | None:
        """Share of the heard pairs in which both orders led to the same dialogue; chance gives a half."""
        return (self.a + self.b) / self.heard if self.heard else None


def refuse_running(run: StoredRun) -> None:
    """Raises UsageError when a run is not at its end."""
    if run.status == "running":
        raise UsageError(f"the run {run.id} is still running", "wait for its end, or stop it")


def refuse_unlike(a: StoredRun, b: StoredRun) -> None:
    """Raises UsageError when two runs cannot be compared."""
    if a.id == b.id:
        raise UsageError(f"both are the same run: {a.id}", "give two runs; see: chattygen list-runs")
    for run in (a, b):
        refuse_running(run)
    if a.kg != b.kg:
        raise UsageError(f"the runs are of two graphs: {a.kg} and {b.kg}", "give two runs of one graph")
    if a.kg_fingerprint != b.kg_fingerprint:
        raise UsageError(
            f"the data of {a.kg} were others: fingerprint {a.kg_fingerprint[:12]}, then {b.kg_fingerprint[:12]}",
            "give two runs over the same data; see: chattygen list-kgs",
        )


def compare(a: Iterable[SeedOutcome], b: Iterable[SeedOutcome]) -> Comparison:
    """Pair the outcomes of two runs by seed and compare them.

    Raises:
        UsageError: fewer than two seeds are in both.
    """
    of_a, of_b = ({outcome.iri: outcome for outcome in outcomes} for outcomes in (a, b))
    pairs = [(outcome, of_b[iri]) for iri, outcome in of_a.items() if iri in of_b]
    if len(pairs) < 2:
        raise UsageError(
            f"the runs have {'only one seed' if pairs else 'no seed'} in common",
            "give two runs with the same --seed: they visit the same entities",
        )
    accepted = [pair for pair in pairs if pair[0].accepted and pair[1].accepted]
    rules = sorted({rule for pair in pairs for outcome in pair for rule in outcome.findings})
    return Comparison(
        paired=len(pairs),
        alone_a=len(of_a) - len(pairs),
        alone_b=len(of_b) - len(pairs),
        both_accepted=len(accepted),
        measures=_differences(pairs, OF_EVERY_SEED) + _differences(accepted, OF_ACCEPTED_SEEDS),
        rules=_differences(pairs, {rule: partial(_failed, rule) for rule in rules}),
    )


def _failed(rule: str, outcome: SeedOutcome) -> float:
    return outcome.findings.get(rule, 0)


def _differences(pairs: Sequence[Pair], measures: Mapping[str, Measure]) -> tuple[Difference, ...]:
    if len(pairs) < 2 or not measures:
        return ()
    import numpy as np

    of_a, of_b = (
        np.array([[measure(pair[side]) for measure in measures.values()] for pair in pairs], dtype=float)
        for side in (0, 1)
    )
    low, high = interval(of_b - of_a)
    figures = np.array([of_a.mean(axis=0), of_b.mean(axis=0), (of_b - of_a).mean(axis=0), low, high])
    figures = figures.round(DIGITS) + 0.0  # no -0.0
    return tuple(Difference(name, len(pairs), *figures[:, n].tolist()) for n, name in enumerate(measures))


def preferences(chosen: Mapping[str, Sequence[tuple[Choice, Choice]]]) -> tuple[Preference, ...]:
    """Count wins and ties by criterion. A choice that changes with the order is a tie, and so is one that is missing.

    Args:
        chosen: criterion -> for each pair, at least one, the choice with A shown first and that with B shown first.
    """
    import numpy as np

    wins = {name: [_winner(*pair) for pair in pairs] for name, pairs in chosen.items()}
    scores = np.array([[(winner == "B") - (winner == "A") for winner in column] for column in wins.values()], float).T
    low, high = (ends.round(DIGITS) + 0.0 for ends in interval(scores))
    return tuple(
        _preference(name, chosen[name], wins[name], float(low[n]), float(high[n])) for n, name in enumerate(chosen)
    )


def _preference(
    name: str, chosen: Sequence[tuple[Choice, Choice]], wins: Sequence[Choice], low: float, high: float
) -> Preference:
    a, b, pairs = wins.count("A"), wins.count("B"), len(chosen)
    valid = sum(choice is not None for pair in chosen for choice in pair)
    first = sum((one == "A") + (other == "B") for one, other in chosen)
    return Preference(
        criterion=name,
        pairs=pairs,
        a=a,
        ties=pairs - a - b,
        b=b,
        difference=round((b - a) / pairs, DIGITS),
        low=low,
        high=high,
        heard=sum(None not in pair for pair in chosen),
        first=round(first / valid, DIGITS) if valid else None,
    )


def _winner(one: Choice, other: Choice) -> Choice:
    return one if one == other else None


def interval(differences: Floats) -> tuple[Floats, Floats]:
    """The 95 % interval of the mean of each column, by the percentile bootstrap over the rows.

    Args:
        differences: one row per pair, one column per measure; the columns are resampled together.

    Returns:
        lower and upper ends, one per column.
    """
    import numpy as np

    generator = np.random.default_rng(0)
    pairs = len(differences)
    at_once = max(1, CELLS // pairs)
    means = []
    for begun in range(0, RESAMPLES, at_once):
        rows = min(at_once, RESAMPLES - begun)
        drawn = generator.integers(pairs, size=(rows, pairs)) + pairs * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * pairs).reshape(rows, pairs)
        means.append(times @ differences / pairs)
    low, high = np.percentile(np.concatenate(means), PERCENTILES, axis=0)
    return low, high
