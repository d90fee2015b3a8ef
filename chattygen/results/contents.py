"""What the dialogues of a run hold and what failed on the way: the counts behind Chatty-Gen's Figures 4 and 5.

Plain counts over the finished dialogues, and examples of findings. Knows nothing about how the database is opened, nor
how the counts are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

EXAMPLES_PER_RULE = 2


@dataclass(frozen=True)
class Example:
    """A finding: the seed's label (empty for work that serves the whole run), what is wrong, and the offending text."""

    seed: str
    message: str
    evidence: str


@dataclass(frozen=True)
class Failed:
    """A rule that failed `total` times, `put_right` of them on the way to a finished dialogue."""

    rule: str
    total: int
    put_right: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class TypeCount:
    """A node type: its dialogues, and its part of the kept types of the graph, 0 to 1; None when it is none of them."""

    iri: str
    label: str
    share: float | None
    dialogues: int


@dataclass(frozen=True)
class PredicateCount:
    """A predicate, and how many questions are about it, in either direction."""

    iri: str
    label: str
    questions: int


@dataclass(frozen=True)
class Contents:
    """Counts over the finished dialogues of a run.

    Attributes:
        failed: the rules that failed, the most frequent first; all findings, also those of seeds that were given up.
        node_types: the kept ones, the most frequent in the graph first, then those that only the dialogues have.
        dropped: (label, reason) of the classes that no seed was drawn from, the largest first.
        predicates: the most asked first.
        answers: (number of answers, questions that have so many), ascending.
        cut_short: questions whose answers the store cut short.
    """

    failed: tuple[Failed, ...]
    node_types: tuple[TypeCount, ...]
    dropped: tuple[tuple[str, str], ...]
    predicates: tuple[PredicateCount, ...]
    answers: tuple[tuple[int, int], ...]
    cut_short: int


Row = dict[str, Any]


def read_contents(rows: Callable[..., list[Row]], run: str) -> Contents:
    """Read the contents of the run with this id; `rows` answers an SQL query with its parameters."""
    answers = rows(ANSWERS, run)
    return Contents(
        failed=_failed(rows, run),
        node_types=_node_types(rows, run),
        dropped=tuple((row["label"], row["reason"]) for row in rows(DROPPED, run)),
        predicates=tuple(PredicateCount(**row) for row in rows(PREDICATES, run)),
        answers=tuple((row["answers"], row["questions"]) for row in answers),
        cut_short=sum(row["cut_short"] for row in answers),
    )


def _failed(rows: Callable[..., list[Row]], run: str) -> tuple[Failed, ...]:
    examples: dict[str, list[Example]] = {}
    for row in rows(EXAMPLES, run):
        examples.setdefault(row["rule"], []).append(Example(row["seed"], row["message"], row["evidence"]))
    return tuple(Failed(**row, examples=tuple(examples[row["rule"]])) for row in rows(FINDINGS, run))


def _node_types(rows: Callable[..., list[Row]], run: str) -> tuple[TypeCount, ...]:
    made = {row["iri"]: row for row in rows(DIALOGUES_BY_TYPE, run)}
    kept = [
        TypeCount(**row, dialogues=made.pop(row["iri"], {"dialogues": 0})["dialogues"]) for row in rows(NODE_TYPES, run)
    ]
    return (*kept, *(TypeCount(share=None, **row) for row in made.values()))


FINDINGS = """
select finding.rule, count(*) as total, coalesce(sum(seed.status = 'accepted'), 0) as put_right
from finding left join seed on seed.id = finding.seed
where finding.run = ? group by finding.rule order by total desc, min(finding.id)
"""

EXAMPLES = f"""
with message as (
    select finding.rule, finding.message, finding.evidence, coalesce(seed.label, '') as seed,
        min(finding.id) as first, count(*) as times -- the other columns are those of the first
    from finding left join seed on seed.id = finding.seed
    where finding.run = ? group by finding.rule, finding.message
), ranked as (
    select *, row_number() over (partition by rule order by times desc, first) as place from message
)
select rule, seed, message, evidence from ranked where place <= {EXAMPLES_PER_RULE} order by rule, place
"""

NODE_TYPES = "select iri, label, share from node_type where run = ? and kept order by count desc, iri"
DROPPED = "select label, reason from node_type where run = ? and not kept order by count desc, iri"

DIALOGUES_BY_TYPE = """
select seed.node_type as iri, min(seed.type_label) as label, count(*) as dialogues
from dialogue join seed on seed.id = dialogue.seed
where dialogue.run = ? group by seed.node_type order by dialogues desc, iri
"""

PREDICATES = """
select fact.predicate as iri, min(fact.predicate_label) as label, count(*) as questions
from seed
    join question on question.seed = seed.id
    join fact on fact.seed = question.seed and fact.n = question.fact
where seed.run = ? group by fact.predicate order by questions desc, iri
"""

ANSWERS = """
with counted as (
    select query.complete, count(answer.n) as answers
    from seed join query on query.seed = seed.id left join answer on answer.query = query.id
    where seed.run = ? group by query.id
)
select answers, count(*) as questions, sum(not complete) as cut_short from counted group by answers order by answers
"""
