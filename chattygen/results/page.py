"""The report of a run as one web page that needs nothing else: Chatty-Gen's Table 4, Figures 4 to 6, and the dialogues.

No script, no font, no image, no link to anywhere: a browser that opens the page requests nothing. Text from the graph
and from models is data: escaped, and in a direction of its own. A pure function of values that were read; knows nothing
about SQLite, files and terminals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jinja2

from chattygen.results import charts
from chattygen.results.contents import Contents
from chattygen.results.notes import builder_parts, no_answer, reference
from chattygen.results.reader import Player, StoredDialogue, StoredRun
from chattygen.results.report import Report
from chattygen.results.rules import GROUPS, RULES, STAGES
from chattygen.results.standings import Standings
from chattygen.results.verdicts import Verdict

SHOWN_ANSWERS = 10


@dataclass(frozen=True)
class Side:
    """A run and its sums."""

    run: StoredRun
    report: Report


def page(
    of: Side,
    contents: Contents,
    players: Sequence[Player],
    dialogues: Iterable[StoredDialogue],
    limit: int,
    other: Side | None = None,
    verdicts: Iterable[Verdict] = (),
    played: Standings | None = None,
) -> Iterator[str]:
    """The page, piece by piece.

    Args:
        dialogues: those of the run, in any number; at most `limit` of them are read, one at a time.
        other: a run to set beside this one.
        verdicts: what people said about the dialogues.
        played: how systems stand that the run was played to.
    """
    shown = min(limit, of.run.dialogues)
    usages = {stage.name: stage.usage for stage in of.report.stages}
    return (
        _environment()
        .get_template("report.html.jinja")
        .generate(
            run=of.run,
            report=of.report,
            contents=contents,
            players=players,
            shown=shown,
            dialogues=islice(dialogues, shown),
            written=charts.written_chart(of.report),
            costs={
                "by stage": (charts.tokens_chart(usages), charts.seconds_chart(usages)),
                "by model": (charts.tokens_chart(of.report.models), charts.seconds_chart(of.report.models)),
            },
            failures=_failures(of.report, contents),
            kinds=charts.parts_chart(of.report.asked.kinds),
            flow=charts.parts_chart(of.report.asked.flow),
            node_types=charts.types_chart(contents.node_types),
            predicates=charts.predicates_chart(contents.predicates),
            answers=charts.answers_chart(contents.answers),
            questions=of.report.asked.turns,
            beside=other and _beside(of, other),
            groups=GROUPS,
            stages=STAGES,
            iris=lambda of: [(one.label or one.iri, one.iri) for one in of],
            builder_parts=builder_parts,
            no_answer=no_answer,
            reference=reference,
            shown_answers=SHOWN_ANSWERS,
            rejections=_rejections(verdicts),
            played=played,
        )
    )


def _rejections(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Dialogue -> the verdicts that reject it."""
    found: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.verdict == "reject":
            found.setdefault(one.dialogue, []).append(one)
    return found


def _failures(report: Report, contents: Contents) -> list[dict[str, Any]]:
    """The rules that failed or ended a seed, the most frequent first."""
    by_rule = {failed.rule: failed for failed in contents.failed}
    longest = max((failed.total for failed in contents.failed), default=1)
    return [
        {
            "rule": rule,
            "meaning": RULES.get(rule, ""),
            "bar": charts.rule_bar(by_rule[rule].total if rule in by_rule else 0, longest),
            "put_right": by_rule[rule].put_right if rule in by_rule else 0,
            "given_up": report.given_up_by_rule.get(rule, 0),
            "examples": by_rule[rule].examples if rule in by_rule else (),
        }
        for rule in dict.fromkeys([*by_rule, *report.given_up_by_rule])
    ]


def _beside(of: Side, other: Side) -> dict[str, Any]:
    """Two runs side by side, with what was set differently for them."""
    names = [f"{side.run.serialisation}, {side.run.approach}" for side in (of, other)]
    if names[0] == names[1]:
        names = ["this run", "the other run"]
    return {
        "sides": [of, other],
        "names": names,
        "charts": charts.against_charts(names, [of.report, other.report]),
        "differences": [
            *_differences("Setting", of.run.settings, other.run.settings),
            *_differences("Model", of.run.models, other.run.models),
        ],
    }


def _differences(what: str, one: dict[str, Any], two: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    keys = dict.fromkeys([*one, *two])
    return [(f"{what}: {key}", one.get(key, ""), two.get(key, "")) for key in keys if one.get(key) != two.get(key)]


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chattygen.results"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    environment.filters |= {
        "percent": charts.percent,
        "seconds": charts.seconds,
        "compact": charts.compact,
        "minute": lambda iso: iso[:16].replace("T", " "),
        "clip": _clip,
    }
    return environment


def _clip(text: str, length: int = 400) -> str:
    return text if len(text) <= length else f"{text[:length]} …"


def _printable(value: Any) -> Any:
    """Text without the control characters and lone surrogates that HTML forbids; what is HTML already stays."""
    if type(value) is not str:
        return value
    return re.sub(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", value)
