"""The report of a run: the measures of Chatty-Gen, section 6.4 (Table 4), as sums over what was recorded.

Pure functions. Unlike in the paper's published code, tokens and time count everything: seeds that were given up, failed
calls, label rules. Knows nothing about SQLite and drawing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from chattygen.domain import Usage
from chattygen.results.reader import Measures


@dataclass(frozen=True)
class Stage:
    """What one stage cost and how often it failed.

    Attributes:
        usage: of all its calls.
        errors: findings of its assertions, without those about replies that could not be parsed.
        parse_errors: findings of the rules P1, P2, ...
    """

    name: str
    usage: Usage
    errors: int
    parse_errors: int


@dataclass(frozen=True)
class Written:
    """Of `total` texts in the finished dialogues, how many the model wrote; the builder wrote the others."""

    by_model: int
    total: int


@dataclass(frozen=True)
class Report:
    """The row of Table 4, and what lies behind it.

    Attributes:
        wanted, dialogues: asked for and finished.
        visited: seeds that were tried = accepted (one for each dialogue) + given_up + unfinished.
        success_rate: dialogues / visited, 0 to 1; None when no seed was visited.
        stages: in the order of their first call; their `errors` and `parse_errors` add up to all findings.
        errors_by_rule: findings by rule id, the most frequent first; a later attempt may have put them right.
        given_up_by_rule: seeds by the rule that ended them.
        parse_errors: findings of the rules P1, P2, ...
        minutes: wall time from the start to the end, or to the last thing stored; pauses before a resume count.
        usage: all calls; equals the sum over `stages` and the sum over `models`.
        tokens_per_dialogue, seconds_per_dialogue: `usage` divided by the finished dialogues; None when there is none.
        waiting: seconds of all calls / wall time; above 1 when calls ran side by side, None without wall time.
        questions, queries, turns: who wrote them.
    """

    run: str
    kg: str
    approach: str
    serialisation: str
    status: str
    reason: str
    wanted: int
    dialogues: int
    visited: int
    given_up: int
    unfinished: int
    success_rate: float | None
    stages: tuple[Stage, ...]
    errors_by_rule: dict[str, int]
    given_up_by_rule: dict[str, int]
    parse_errors: int
    minutes: float
    usage: Usage
    models: dict[str, Usage]
    tokens_per_dialogue: float | None
    seconds_per_dialogue: float | None
    waiting: float | None
    questions: Written
    queries: Written
    turns: Written


def make_report(measures: Measures) -> Report:
    """Sum up a run."""
    run = measures.run
    usage = sum((used for _, _, used in measures.calls), Usage())
    seconds = (datetime.fromisoformat(run.last) - datetime.fromisoformat(run.started)).total_seconds()
    statuses = Counter(status for status, _ in measures.seeds)
    rules = Counter(rule for _, rule in measures.findings)
    return Report(
        run=run.id,
        kg=run.kg,
        approach=run.approach,
        serialisation=run.serialisation,
        status=run.status,
        reason=run.reason,
        wanted=run.wanted,
        dialogues=run.dialogues,
        visited=len(measures.seeds),
        given_up=statuses["given-up"],
        unfinished=statuses["visited"] + statuses["interrupted"],
        success_rate=_ratio(run.dialogues, len(measures.seeds)),
        stages=_stages(measures),
        errors_by_rule=dict(rules.most_common()),
        given_up_by_rule=dict(Counter(rule for status, rule in measures.seeds if status == "given-up").most_common()),
        parse_errors=sum(number for rule, number in rules.items() if is_parse_error(rule)),
        minutes=seconds / 60,
        usage=usage,
        models=_add_up((model, used) for _, model, used in measures.calls),
        tokens_per_dialogue=_ratio(usage.tokens, run.dialogues),
        seconds_per_dialogue=_ratio(usage.seconds, run.dialogues),
        waiting=_ratio(usage.seconds, seconds),
        questions=_written(measures, "question"),
        queries=_written(measures, "query"),
        turns=_written(measures, "turn"),
    )


def is_parse_error(rule: str) -> bool:
    """Whether a rule is about the form of a reply (P1 cannot be parsed, P2 cut, P3 empty), not about what it says."""
    return rule.startswith("P")


def _stages(measures: Measures) -> tuple[Stage, ...]:
    usages = _add_up((stage, used) for stage, _, used in measures.calls)
    parse = Counter(stage for stage, rule in measures.findings if is_parse_error(rule))
    other = Counter(stage for stage, rule in measures.findings if not is_parse_error(rule))
    names = dict.fromkeys([*usages, *(stage for stage, _ in measures.findings)])
    return tuple(Stage(name, usages.get(name, Usage()), other[name], parse[name]) for name in names)


def _add_up(parts: Iterable[tuple[str, Usage]]) -> dict[str, Usage]:
    """Usage by name, in the order of first appearance."""
    sums: dict[str, Usage] = {}
    for name, used in parts:
        sums[name] = sums.get(name, Usage()) + used
    return sums


def _written(measures: Measures, part: str) -> Written:
    origins = [origin for of, origin in measures.origins if of == part]
    return Written(origins.count("model"), len(origins))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
