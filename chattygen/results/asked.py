"""What the turns of a run ask and how they go on, beside what was planned: kinds of question and forms of flow.

Plain counts over the finished dialogues. Knows nothing about how the shares are planned or reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A kind of question or a form of flow: its planned share of the turns, 0 to 1, None without a plan, and the number
    of turns that came of it.
    """

    name: str
    planned: float | None
    turns: int


@dataclass(frozen=True)
class Asked:
    """Turns of the finished dialogues.

    Attributes:
        kinds, flow: every turn is in one of each; the most frequent first, then those that were only planned.
        yes_no: of which `no` are to be answered with no.
        two_facts: those that ask about two facts.
        unanswerable: those that the graph cannot answer.
    """

    turns: int
    kinds: tuple[Part, ...]
    flow: tuple[Part, ...]
    yes_no: int
    no: int
    two_facts: int
    unanswerable: Part


def read_asked(rows: Callable[..., list[Row]], run: str) -> tuple[Row, ...]:
    """How many `turns` of the run with this id have the same `kind`, `flow`, `yes_no`, `no`, `two_facts` and
    `unanswerable`.
    """
    return tuple(rows(ASKED, run))


def asked(groups: Iterable[Row], settings: Mapping[str, Any]) -> Asked:
    """The groups of turns, summed up beside the shares that the settings of the run ask for."""
    sums: dict[str, Counter[str]] = {"kind": Counter(), "flow": Counter(), "is": Counter()}
    for group in groups:
        for what in ("kind", "flow"):
            sums[what][group[what]] += group["turns"]
        for what in ("yes_no", "no", "two_facts", "unanswerable"):
            sums["is"][what] += group["turns"] if group[what] else 0
    flow = dict(settings.get("flow") or {})
    unanswerable = Part("unanswerable", flow.pop("unanswerable", None), sums["is"]["unanswerable"])
    return Asked(
        turns=sums["kind"].total(),
        kinds=_parts(sums["kind"], dict(settings.get("kinds") or {})),
        flow=_parts(sums["flow"], flow),
        yes_no=sums["is"]["yes_no"],
        no=sums["is"]["no"],
        two_facts=sums["is"]["two_facts"],
        unanswerable=unanswerable,
    )


def _parts(turns: Counter[str], planned: Mapping[str, float]) -> tuple[Part, ...]:
    names = [*(name for name, _ in turns.most_common()), *(name for name in planned if name not in turns)]
    return tuple(Part(name, planned.get(name), turns[name]) for name in names)


ASKED = """
select question.kind, iif(turn.n = 1, 'opening', turn.flow) as flow, query.form = 'ask' as yes_no,
    query.form = 'ask' and answer.value = 'false' as no, question.beyond is not null as two_facts,
    fact.count = 0 as unanswerable, count(*) as turns
from dialogue
    join turn on turn.dialogue = dialogue.id
    join question on question.seed = turn.seed and question.n = turn.question
    join fact on fact.seed = question.seed and fact.n = question.fact
    join query on query.seed = question.seed and query.n = question.n
    left join answer on answer.query = query.id and query.form = 'ask'
where dialogue.run = ? group by 1, 2, 3, 4, 5, 6 order by min(turn.rowid)
"""
