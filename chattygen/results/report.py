"""The report of a run: the measures of Chatty-Gen, section 6.4 (Table 4), as sums over what was recorded.

Pure functions. Unlike in the paper's published code, tokens and time count everything: seeds that were given up, failed
calls, label rules. Knows nothing about SQLite and drawing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from chattygen.domain import Usage
from chattygen.results.asked import Asked, asked
from chattygen.results.reader import Measures
from chattygen.results.repair import Mended, mended
from chattygen.results.rules import GROUPS
from chattygen.results.verdicts import Review, review


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
        errors_by_kind: findings about a `question`, a `query` and the `dialogue`, whatever stage wrote it.
        given_up_by_rule: seeds by the rule that ended them.
        parse_errors: findings of the rules P1, P2, ...
        minutes: worked on the run, without the pauses before it was resumed.
        usage: all calls; equals the sum over `stages` and the sum over `models`.
        reused: the part of `usage` that was not spent, because an earlier call had the same request.
        tokens_per_dialogue, seconds_per_dialogue: `usage` divided by the finished dialogues; None when there is none.
        waiting: seconds of the calls that were made / time; above 1 when calls ran side by side, None without time.
        questions, queries, turns: who wrote them.
        review: what people said about the dialogues; None when nobody judged one.
        repeatable: whether the same settings give the same texts again.
        asked: kinds of question and forms of flow, beside what was planned.
        mended: items whose first line from the model broke a rule, by what was wrong.
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
    errors_by_kind: dict[str, int]
    given_up_by_rule: dict[str, int]
    parse_errors: int
    minutes: float
    usage: Usage
    reused: Usage
    models: dict[str, Usage]
    tokens_per_dialogue: float | None
    seconds_per_dialogue: float | None
    waiting: float | None
    questions: Written
    queries: Written
    turns: Written
    review: Review | None
    repeatable: bool
    asked: Asked
    mended: tuple[Mended, ...]


def make_report(measures: Measures) -> Report:
    """Sum up a run."""
    run = measures.run
    usage = sum(measures.calls.values(), Usage())
    reused = sum((used for (_, _, again), used in measures.calls.items() if again), Usage())
    statuses = _count((status, number) for (status, _), number in measures.seeds.items())
    given_up = _count((rule, number) for (status, rule), number in measures.seeds.items() if status == "given-up")
    rules = _count((rule, number) for (_, rule), number in measures.findings.items())
    return Report(
        run=run.id,
        kg=run.kg,
        approach=run.approach,
        serialisation=run.serialisation,
        status=run.status,
        reason=run.reason,
        wanted=run.wanted,
        dialogues=run.dialogues,
        visited=statuses.total(),
        given_up=statuses["given-up"],
        unfinished=statuses["visited"] + statuses["interrupted"],
        success_rate=_ratio(run.dialogues, statuses.total()),
        stages=_stages(measures),
        errors_by_rule=dict(rules.most_common()),
        errors_by_kind={
            GROUPS[letter]: sum(number for rule, number in rules.items() if rule.startswith(letter)) for letter in "QSD"
        },
        given_up_by_rule=dict(given_up.most_common()),
        parse_errors=sum(number for rule, number in rules.items() if is_parse_error(rule)),
        minutes=run.seconds / 60,
        usage=usage,
        reused=reused,
        models=_add_up((model, used) for (_, model, _), used in measures.calls.items()),
        tokens_per_dialogue=_ratio(usage.tokens, run.dialogues),
        seconds_per_dialogue=_ratio(usage.seconds, run.dialogues),
        waiting=_ratio(usage.seconds - reused.seconds, run.seconds),
        questions=Written(measures.by_model["question"], measures.turns),
        queries=Written(measures.by_model["query"], measures.turns),
        turns=Written(measures.by_model["turn"], measures.turns),
        review=review(measures.verdicts),
        repeatable=run.repeatable,
        asked=asked(measures.asked, run.settings),
        mended=mended(measures.repairs),
    )


def is_parse_error(rule: str) -> bool:
    """Whether a rule is about the form of a reply (P1 cannot be parsed, P2 cut, P3 empty), not about what it says."""
    return rule.startswith("P")


def _stages(measures: Measures) -> tuple[Stage, ...]:
    found = measures.findings.items()
    usages = _add_up((stage, used) for (stage, _, _), used in measures.calls.items())
    parse = _count((stage, number) for (stage, rule), number in found if is_parse_error(rule))
    other = _count((stage, number) for (stage, rule), number in found if not is_parse_error(rule))
    names = dict.fromkeys([*usages, *(stage for stage, _ in measures.findings)])
    return tuple(Stage(name, usages.get(name, Usage()), other[name], parse[name]) for name in names)


def _count(parts: Iterable[tuple[str, int]]) -> Counter[str]:
    """Sums by name, in the order of first appearance."""
    sums: Counter[str] = Counter()
    for name, number in parts:
        sums[name] += number
    return sums


def _add_up(parts: Iterable[tuple[str, Usage]]) -> dict[str, Usage]:
    """Usage by name, in the order of first appearance."""
    sums: dict[str, Usage] = {}
    for name, used in parts:
        sums[name] = sums.get(name, Usage()) + used
    return sums


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
