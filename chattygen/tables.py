"""The tables of Head-to-Tail (section 3) and their plot, out of scored replies: texts and figures that can be drawn.

Knows nothing about how replies are scored, nor who draws the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from chattygen.domain import Strata
from chattygen.evaluation import statistics
from chattygen.evaluation.statistics import Rates, Share
from chattygen.results.charts import Chart, rates_chart
from chattygen.results.standings import Standings, Table
from chattygen.scoring import Scored, Scores, Turns, manner

METRICS = {"EM": "exact match", "F1": "token F1", "RL": "ROUGE-L", "LM": "judged"}

OTHERS = {
    "type": "type of the entity",
    "kind": "kind of question",
    "turn": "number of the turn",
    "flow": "how the turn goes on with the dialogue",
}
"""Groupings that the paper has no table for."""

BUCKETS = ("head", "torso", "tail", "all")

RATES = ("n", "metric", "A", "H", "M")

EXPLAINED = (
    "Percent of n questions, accurate (A), hallucinated (H) and missing (M), with 95 % intervals."
    " F1 and ROUGE-L (RL) give partial credit, EM is exact match, LM a model that judges."
)

ACROSS = 3
"""The fewest systems whose rates are correlated; two points always lie on a line."""


def standings(scores: Scores) -> Standings | None:
    """What a report says about the evaluations of a run; None when there is none.

    Raises:
        UsageError: a package that correlations need is missing.
    """
    if not scores.scored:
        return None
    tables = (_benchmark(scores.turns, scores.strata), *_tables(scores.scored, scores.predicates))
    return Standings(tables, _plots(scores.scored), [_data(one) for one in scores.scored])


def _tables(scored: Sequence[Scored], predicates: bool) -> Iterator[Table]:
    """Those about systems that have something to say; `predicates`: their buckets are known."""
    spoke = [one for one in scored if not one.bound] or scored
    yield _systems(scored)
    yield _table("rates", "Table 3: accurate, hallucinated, missing", scored, "bucket", METRICS)
    if predicates:
        yield _table("predicate", "Table 4: by the bucket of the predicate", spoke, "predicate")
    yield from _correlations(spoke)
    yield from _variants(spoke)
    for by, words in OTHERS.items():
        if len({row.groups[by] for one in spoke for row in one.rows}) > 1:
            yield _table(by, f"By {words}", spoke, by)
    yield from _open_questions(scored)


def _benchmark(turns: Turns, strata: Sequence[Strata]) -> Table:
    """Table 1: what of the benchmark and of the graph is in each bucket; `strata` are what seeds were drawn by."""
    dialogues: dict[str, set[str]] = {}
    questions: Counter[str] = Counter()
    for (dialogue, _), (seed, _) in turns.items():
        dialogues.setdefault(seed.bucket or "all", set()).add(dialogue)
        questions[seed.bucket or "all"] += 1
    entities = Counter[str]()
    for one in strata:
        entities.update(one.entities)
    graph = {bucket: (entities[bucket], f"{entities[bucket] / entities.total():.1%}") for bucket in +entities}
    return Table(
        "benchmark",
        "Table 1: the benchmark",
        "Dialogues and their questions by the bucket of their entity, and how many such entities the graph has.",
        ("bucket", "dialogues", "questions", "entities", "share"),
        tuple(
            (bucket, len(dialogues.get(bucket, ())), questions[bucket], *graph.get(bucket, ("", "")))
            for bucket in BUCKETS
            if bucket in dialogues or bucket in graph
        ),
    )


def _systems(scored: Sequence[Scored]) -> Table:
    return Table(
        "systems",
        "Who replied",
        "How each system was asked, and what that took. Changed: percent of replies that are others when asked again.",
        ("system", "asked", "status", "played", "replies", "judge", "tokens", "seconds", "changed"),
        tuple(
            (
                one.name,
                manner(one.evaluation.settings),
                one.evaluation.status,
                one.evaluation.dialogues,
                one.evaluation.turns,
                one.judge,
                one.evaluation.prompt_tokens + one.evaluation.completion_tokens,
                round(one.evaluation.seconds),
                _cell(one.changed) if one.changed else "",
            )
            for one in scored
        ),
    )


def _open_questions(scored: Sequence[Scored]) -> Iterator[Table]:
    found = [(one.name, *one.unanswerable) for one in scored if one.unanswerable[0]]
    if found:
        yield Table(
            "unanswerable",
            "Questions that the graph cannot answer",
            "They are in no other table. To say nothing is right.",
            ("system", "questions", "missing"),
            tuple(found),
        )


def _table(key: str, title: str, scored: Sequence[Scored], by: str, metrics: Iterable[str] = ()) -> Table:
    """The rates of each system by a grouping, under the metrics that it has, or the one that stands for all."""
    return Table(key, title, EXPLAINED, ("system", by, *RATES), tuple(_rows(scored, by, metrics)))


def _rows(scored: Sequence[Scored], by: str, metrics: Iterable[str]) -> Iterator[tuple[str | int, ...]]:
    wanted = list(metrics)
    for one in scored:
        groups = {} if one.bound else dict(one.by[by])
        for group, rates in {**groups, "all": one.rates}.items():
            for metric in [name for name in wanted if name in rates.accurate] or [_stands_for_all(scored)]:
                yield one.name, group, rates.rows, metric, *_cells(rates, metric)


def _stands_for_all(scored: Sequence[Scored]) -> str:
    """The metric where there is room for one: the judged one if every system has it."""
    return "LM" if all("LM" in one.rates.accurate for one in scored) else "F1"


def _correlations(scored: Sequence[Scored]) -> Iterator[Table]:
    """Table 6, and what there is to say about the judge."""
    judged = [one for one in scored if one.judge and "LM" in one.rates.accurate]
    if not judged:
        return
    found = [(one.name, statistics.correlations(one.rows)) for one in judged]
    if len(judged) >= ACROSS:
        found.append(("over all systems", statistics.correlations_across([one.rates for one in judged])))
    yield Table(
        "correlations",
        "Table 6: rules and judge",
        "How far what the rules say goes with what the judge says, over replies; 1 is perfectly.",
        ("system", "metric", "n", "Spearman", "Pearson"),
        tuple(
            (name, metric, of.n, _coefficient(of.spearman), _coefficient(of.pearson))
            for name, metrics in found
            for metric, of in metrics.items()
        ),
    )
    agreements = [(one, agreed) for one in judged if (agreed := statistics.agreement(one.rows))]
    yield Table(
        "judge",
        "Judge and exact match",
        "Replies that are not missing, by who says that they are right.",
        ("system", "judge", "both", "only exact match", "only the judge", "neither", "kappa", "undecided"),
        tuple(
            (
                one.name,
                one.judge,
                agreed.both,
                agreed.only_exact,
                agreed.only_judge,
                agreed.neither,
                _coefficient(agreed.kappa),
                sum(row.undecided for row in one.rows),
            )
            for one, agreed in agreements
        ),
    )


def _variants(scored: Sequence[Scored]) -> Iterator[Table]:
    """Table 7: systems that were asked in several ways."""
    ways = Counter((one.evaluation.system, one.evaluation.revision) for one in scored)
    several = [one for one in scored if ways[one.evaluation.system, one.evaluation.revision] > 1]
    if several:
        yield _table("variants", "Table 7: the same system, asked otherwise", several, "bucket")


def _plots(scored: Sequence[Scored]) -> dict[str, Chart]:
    """How the replies of each system go from head to tail."""
    spoke = [one for one in scored if not one.bound] or scored
    metric = _stands_for_all(spoke)
    return {
        f"{one.name}, {METRICS[metric]}": rates_chart(
            {bucket: _values(rates, metric) for bucket, rates in one.by["bucket"].items()}
        )
        for one in spoke
    }


def _data(one: Scored) -> dict[str, Any]:
    """An evaluation as JSON; shares are from 0 to 1."""
    return asdict(one.evaluation) | {
        "judge": one.judge,
        "unanswerable": {"turns": one.unanswerable[0], "missing": one.unanswerable[1]},
        "changed": asdict(one.changed) if one.changed else None,
        "all": asdict(one.rates),
        "by": {by: {name: asdict(rates) for name, rates in groups.items()} for by, groups in one.by.items()},
        "correlations": {name: asdict(of) for name, of in statistics.correlations(one.rows).items()},
        "agreement": asdict(agreed) if one.judge and (agreed := statistics.agreement(one.rows)) else None,
    }


def _cells(rates: Rates, metric: str) -> tuple[str, str, str]:
    return _cell(rates.accurate[metric]), _cell(rates.hallucinated[metric]), _cell(rates.missing)


def _values(rates: Rates, metric: str) -> tuple[float, float, float]:
    return rates.accurate[metric].value, rates.hallucinated[metric].value, rates.missing.value


def _cell(share: Share) -> str:
    """In percent, with the interval: `41.3 (35-48)`."""
    value = f"{100 * share.value:.1f}"
    if share.low is None or share.high is None:
        return value
    return f"{value} ({100 * share.low:.0f}-{100 * share.high:.0f})"


def _coefficient(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
