"""What people said about the dialogues of a run, and what it comes to: accepted, rejected, and how far reviewers agree.

Pure functions over the verdicts that stand, the latest of each reviewer on each dialogue. Knows nothing about how the
database is opened, nor how people are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from typing import Literal as OneOf


@dataclass(frozen=True)
class Verdict:
    """What one reviewer says about a dialogue; `turn` is the turn that it was rejected for, None for all of it."""

    dialogue: str
    turn: int | None
    verdict: OneOf["accept", "reject"]
    reason: str
    reviewer: str


@dataclass(frozen=True)
class Agreement:
    """How far two reviewers agree on whether dialogues, or turns, are good.

    Attributes:
        both: what both judged, at least 1.
        share: part of these on which they said the same, 0 to 1.
        kappa: Cohen's kappa, -1 to 1: 0 is what chance gives. None when it is not defined, because both always said
            one and the same.
    """

    reviewers: tuple[str, str]
    both: int
    share: float
    kappa: float | None


@dataclass(frozen=True)
class Review:
    """Of the dialogues of a run, how many were reviewed = accepted + rejected, and how far each two reviewers agree."""

    reviewed: int
    accepted: int
    rejected: int
    agreements: tuple[Agreement, ...]


Row = dict[str, Any]


def read_verdicts(rows: Callable[..., list[Row]], run: str) -> tuple[Verdict, ...]:
    """The verdicts that stand on the dialogues of a run, in the order of these; `rows` runs SQL with parameters."""
    return tuple(Verdict(**{name: row[name] for name in Verdict.__dataclass_fields__}) for row in rows(VERDICTS, run))


VERDICTS = """
select verdict.*, max(verdict.id) -- the other columns are those of that row
from dialogue join verdict on verdict.dialogue = dialogue.id
where dialogue.run = ? group by dialogue.n, verdict.reviewer order by dialogue.n, verdict.reviewer
"""


def judgements(verdicts: Iterable[Verdict]) -> dict[str, OneOf["accepted", "rejected"]]:
    """Dialogue -> what it is: rejected when anybody rejects it. One that is not there is not reviewed."""
    said: dict[str, OneOf["accepted", "rejected"]] = {}
    for one in verdicts:
        if one.verdict == "reject":
            said[one.dialogue] = "rejected"
        else:
            said.setdefault(one.dialogue, "accepted")
    return said


def review(verdicts: Sequence[Verdict]) -> Review | None:
    """Sum up the verdicts on a run; None when nobody judged anything."""
    if not verdicts:
        return None
    counts = Counter(judgements(verdicts).values())
    said = ((one.reviewer, one.dialogue, one.verdict == "accept") for one in verdicts)
    return Review(counts.total(), counts["accepted"], counts["rejected"], tuple(agreements(said)))


def agreements(said: Iterable[tuple[str, Hashable, bool]]) -> Iterator[Agreement]:
    """How far each two reviewers of the same things agree; `said` is (reviewer, thing, whether it is good)."""
    accepts: dict[str, dict[Hashable, bool]] = {}
    for reviewer, thing, good in said:
        accepts.setdefault(reviewer, {})[thing] = good
    for first, second in combinations(sorted(accepts), 2):
        pairs = [(said, accepts[second][id]) for id, said in accepts[first].items() if id in accepts[second]]
        if pairs:
            same = sum(one == other for one, other in pairs)
            yield Agreement((first, second), len(pairs), same / len(pairs), _kappa(pairs, same))


def _kappa(pairs: Sequence[tuple[bool, bool]], same: int) -> float | None:
    """Cohen's kappa (1960): (observed - expected) / (1 - expected), both multiplied by the square of the number."""
    total = len(pairs)
    first, second = (sum(said) for said in zip(*pairs, strict=True))
    expected = first * second + (total - first) * (total - second)
    return None if expected == total**2 else (total * same - expected) / (total**2 - expected)
