"""What the replies to a run are worth, evaluation by evaluation (Head-to-Tail, sections 2 and 3).

Scores are worked out anew whenever somebody asks: a better rule needs no new replies. Only what a model judged is
stored. Knows nothing about how systems are asked, nor how rates are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattygen.domain import Seed, Strata, Turn
from chattygen.evaluation import statistics
from chattygen.evaluation.scores import score
from chattygen.evaluation.statistics import Rates, Row, Share
from chattygen.evaluation.systems import SANITY
from chattygen.results.evaluations import StoredEvaluation, StoredReply
from chattygen.results.reader import Reader

GROUPINGS = ("bucket", "predicate", "type", "kind", "turn", "flow")
"""Bucket of the entity, bucket of the predicate, type of the entity, kind of question, number of the turn, its flow."""

Turns = Mapping[tuple[str, int], tuple[Seed, Turn]]


@dataclass(frozen=True)
class Scored:
    """An evaluation with its first replies scored.

    Attributes:
        name: of the system, with what is unusual about how it was asked; no two evaluations of a run have the same.
        rows: of the turns that have a gold answer, at least one.
        judge: who judged the replies; empty when nobody did.
        unanswerable: turns that the graph has no answer to, and how many of them got none.
        changed: share of turns that got different replies when they were asked again; None when they were not.
        rates: over all rows.
        by: grouping -> group -> rates; of a sanity system by bucket only.
    """

    evaluation: StoredEvaluation
    name: str
    rows: tuple[Row, ...]
    judge: str
    unanswerable: tuple[int, int]
    changed: Share | None
    rates: Rates
    by: Mapping[str, Mapping[str, Rates]]

    @property
    def bound(self) -> bool:
        return self.evaluation.system in SANITY


@dataclass(frozen=True)
class Scores:
    """The evaluations of a run, and what they were about; `predicates`: the buckets of predicates are known."""

    scored: tuple[Scored, ...]
    turns: Turns
    strata: tuple[Strata, ...]
    predicates: bool


def read_scores(reader: Reader, run: str, only: str = "") -> Scores:
    """The evaluations of the run with this id that have replies, in the order in which they were begun.

    Args:
        only: the id of the one that is of interest; without it all are. The sanity systems are there in any case.

    Raises:
        UsageError: a package that scores need is missing.
    """
    evaluations = [
        one for one in reader.evaluations(run) if one.turns and (not only or one.id == only or one.system in SANITY)
    ]
    if not evaluations:
        return Scores((), {}, (), False)
    turns = {(one.id, turn.n): (one.seed, turn) for one in reader.dialogues(run) for turn in one.turns}
    names = reader.other_names(run)
    buckets = {iri: bucket for iri, (_, bucket) in reader.predicate_counts(run).items()}
    called = _called(evaluations)
    found = (_scored(one, called[one.id], reader.replies(one.id), turns, names, buckets) for one in evaluations)
    return Scores(tuple(one for one in found if one), turns, reader.strata(run), bool(buckets))


def manner(settings: Mapping[str, Any]) -> str:
    """How a system was asked: `few-shot, own history, not brief`; empty for a sanity system."""
    if not settings:
        return ""
    said = [settings["prompt"], f"{settings['history']} history"]
    return ", ".join(said + [f"not {name}" for name in ("brief", "unsure") if not settings[name]])


def _unusual(settings: Mapping[str, Any]) -> str:
    """What of it is not usual, for a name: `, own history`."""
    usual = ("few-shot", "gold history")
    return "".join(f", {words}" for words in manner(settings).split(", ") if words and words not in usual)


def _called(evaluations: Sequence[StoredEvaluation]) -> dict[str, str]:
    """Evaluation -> a name that no other one has."""
    names = {one.id: one.system + _unusual(one.settings) for one in evaluations}
    alike = Counter(names.values())
    return {one.id: f"{names[one.id]} e{one.n}" if alike[names[one.id]] > 1 else names[one.id] for one in evaluations}


def _scored(
    evaluation: StoredEvaluation,
    name: str,
    replies: Sequence[StoredReply],
    turns: Turns,
    names: Mapping[str, Sequence[str]],
    buckets: Mapping[str, str],
) -> Scored | None:
    """None when no question that was asked has a gold answer."""
    rows: list[Row] = []
    open_questions: list[bool] = []
    again: dict[tuple[str, int], list[str]] = {}
    judge = next((reply.judge for reply in replies if reply.judge), "")
    for reply in replies:
        key = (reply.dialogue, reply.turn)
        again.setdefault(key, []).append(reply.reply)
        if reply.repeat > 1:
            continue
        seed, turn = turns[key]
        worth = score(reply.reply, turn.question.kind, turn.query.answers, names)
        if not turn.query.answers:
            open_questions.append(worth.missing or worth.exact == 1)
            continue
        metrics = {"EM": worth.exact, "F1": worth.f1, "RL": worth.rouge_l}
        if judge and (worth.missing or reply.judge):
            metrics["LM"] = float(not worth.missing and reply.correct is True)
        undecided = bool(reply.judge) and reply.correct is None
        rows.append(Row(*key, _groups(seed, turn, buckets), metrics, worth.missing, undecided))
    if not rows:
        return None
    repeated = {key: said for key, said in again.items() if len(said) > 1}
    rates = statistics.rates(rows)
    by = GROUPINGS[:1] if evaluation.system in SANITY else GROUPINGS
    return Scored(
        evaluation,
        name,
        tuple(rows),
        judge,
        (len(open_questions), sum(open_questions)),
        statistics.changed(repeated) if repeated else None,
        rates,
        {grouping: _tabulated(rows, grouping, rates) for grouping in by},
    )


def _tabulated(rows: Sequence[Row], by: str, rates: Rates) -> Mapping[str, Rates]:
    """The rates by group; those of a group that holds everything are known."""
    groups = {row.groups[by] for row in rows}
    return {groups.pop(): rates} if len(groups) == 1 else statistics.tabulate(rows, by)


def _groups(seed: Seed, turn: Turn, buckets: Mapping[str, str]) -> dict[str, str]:
    return {
        "bucket": seed.bucket or "all",
        "predicate": buckets.get(turn.question.fact.predicate, "unknown"),
        "type": seed.type_label or seed.node_type,
        "kind": turn.question.kind,
        "turn": str(turn.n),
        "flow": turn.flow,
    }
