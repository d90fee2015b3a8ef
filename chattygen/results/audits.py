"""What was said about single turns of a run, drawn at random, and how much of the run is right by that.

The share of right turns comes with Wilson's score interval (1927), which holds for few turns and for shares near 1 too.
Pure functions over the verdicts that stand, the latest of each reviewer on each turn. Knows nothing about how the
database is opened, nor who is asked and how.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any
from typing import Literal as OneOf

from chattygen.results.verdicts import Agreement, agreements

TurnJudgement = OneOf["right", "sounds-wrong", "asks-else", "wrong-answer"]

Z = NormalDist().inv_cdf(0.975)
"""Standard deviations on either side that hold 95 % of a normal distribution: 1.96."""


@dataclass(frozen=True)
class TurnVerdict:
    """What one reviewer says about a turn.

    Attributes:
        kind: of its question.
        writer: `model` when the model wrote question, turn and query; `builder` when the builder wrote one of them.
    """

    dialogue: str
    turn: int
    utterance: str
    kind: str
    writer: str
    verdict: TurnJudgement
    reason: str
    reviewer: str


@dataclass(frozen=True)
class Correctness:
    """How many of a group of turns, at least one, are right; `low` and `high` are the 95 % interval of the share."""

    group: str
    turns: int
    right: int
    low: float
    high: float


@dataclass(frozen=True)
class Audit:
    """What one reviewer found: over all turns, by kind of question, by who wrote the turn, and what is wrong."""

    reviewer: str
    verdicts: dict[str, int]
    all: Correctness
    kinds: tuple[Correctness, ...]
    writers: tuple[Correctness, ...]
    wrong: tuple[TurnVerdict, ...]


Row = dict[str, Any]


def read_turn_verdicts(rows: Callable[..., list[Row]], run: str) -> tuple[TurnVerdict, ...]:
    """The verdicts that stand on the turns of a run, in the order of these; `rows` runs SQL with parameters."""
    found = rows(TURN_VERDICTS, run)
    return tuple(TurnVerdict(**{name: row[name] for name in TurnVerdict.__dataclass_fields__}) for row in found)


TURN_VERDICTS = """
select said.*, max(said.id), turn.utterance, question.kind, -- the columns of `said` are those of its latest row
    case when turn.utterance_origin = 'model' and question.origin = 'model' and query.origin = 'model'
        then 'model' else 'builder' end as writer
from dialogue
    join turn_verdict as said on said.dialogue = dialogue.id
    join turn on turn.dialogue = said.dialogue and turn.n = said.turn
    join question on question.seed = turn.seed and question.n = turn.question
    join query on query.seed = question.seed and query.n = question.n
where dialogue.run = ? group by dialogue.n, said.turn, said.reviewer order by dialogue.n, said.turn, said.reviewer
"""


def draw(turns: Iterable[tuple[str, int]], size: int, seed: int) -> list[tuple[str, int]]:
    """`size` of the turns, each (dialogue, number), at random and in random order; all when there are fewer.

    They come in the order of their hashes. So a larger sample begins with the smaller one, and what was judged before a
    stop is a random sample as well.
    """

    def place(turn: tuple[str, int]) -> bytes:
        return hashlib.sha256(f"{seed} {turn[0]} {turn[1]}".encode()).digest()

    return sorted(turns, key=place)[:size]


def audits(verdicts: Sequence[TurnVerdict]) -> tuple[Audit, ...]:
    """What each reviewer found, by name."""
    by_reviewer: dict[str, list[TurnVerdict]] = {}
    for one in verdicts:
        by_reviewer.setdefault(one.reviewer, []).append(one)
    return tuple(_audit(reviewer, by_reviewer[reviewer]) for reviewer in sorted(by_reviewer))


def _audit(reviewer: str, said: Sequence[TurnVerdict]) -> Audit:
    (everything,) = _groups(said, lambda one: "all")
    return Audit(
        reviewer=reviewer,
        verdicts=dict(Counter(one.verdict for one in said)),
        all=everything,
        kinds=_groups(said, lambda one: one.kind),
        writers=_groups(said, lambda one: one.writer),
        wrong=tuple(one for one in said if one.verdict != "right"),
    )


def _groups(said: Iterable[TurnVerdict], group: Callable[[TurnVerdict], str]) -> tuple[Correctness, ...]:
    """Correctness by group, the largest group first."""
    turns: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for one in said:
        turns[group(one)] += 1
        right[group(one)] += one.verdict == "right"
    ordered = sorted(turns, key=lambda name: (-turns[name], name))
    return tuple(Correctness(name, turns[name], right[name], *wilson(right[name], turns[name])) for name in ordered)


def wilson(right: int, turns: int) -> tuple[float, float]:
    """The 95 % interval of the share `right` of `turns`, at least one; both ends from 0 to 1."""
    share, width = right / turns, Z**2 / turns
    middle = share + width / 2
    half = sqrt(width * (share * (1 - share) + width / 4))
    return max(0.0, (middle - half) / (1 + width)), min(1.0, (middle + half) / (1 + width))


def turn_agreements(verdicts: Iterable[TurnVerdict]) -> tuple[Agreement, ...]:
    """How far each two reviewers agree on whether turns are right."""
    return tuple(agreements((one.reviewer, (one.dialogue, one.turn), one.verdict == "right") for one in verdicts))
