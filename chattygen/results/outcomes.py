"""What became of each seed of a run: the unit in which two runs are compared.

Knows nothing about how the database is opened, nor how outcomes are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chattygen.domain import Usage


@dataclass(frozen=True)
class SeedOutcome:
    """A seed that was accepted or given up.

    Attributes:
        rule: the rule that it was given up for, empty when it was accepted.
        findings: rule -> how often it failed for this seed, also where a later attempt put it right.
        usage: all calls for this seed, as if none of their replies had been reused.
        questions: questions of its dialogue, 0 without one; the model wrote the query of `queries_by_model` of them.
    """

    iri: str
    label: str
    accepted: bool
    rule: str
    findings: dict[str, int]
    usage: Usage
    questions: int
    queries_by_model: int


Row = dict[str, Any]


def read_outcomes(rows: Callable[..., list[Row]], run: str) -> list[SeedOutcome]:
    """The outcomes of a run in the order of the visits; `rows` runs SQL with parameters."""
    spent = {row["seed"]: row for row in rows(SPENT, run)}
    made = {row["seed"]: row for row in rows(MADE, run)}
    findings: dict[int, dict[str, int]] = {}
    for row in rows(FINDINGS, run):
        findings.setdefault(row["seed"], {})[row["rule"]] = row["number"]
    return [
        SeedOutcome(
            iri=seed["iri"],
            label=seed["label"],
            accepted=seed["status"] == "accepted",
            rule=seed["rule"],
            findings=findings.get(seed["id"], {}),
            usage=_usage(spent.get(seed["id"])),
            questions=made[seed["id"]]["questions"] if seed["id"] in made else 0,
            queries_by_model=made[seed["id"]]["by_model"] if seed["id"] in made else 0,
        )
        for seed in rows(SEEDS, run)
    ]


SEEDS = """
select id, iri, label, status, rule from seed where run = ? and status in ('accepted', 'given-up') order by n
"""

SPENT = """
select seed, sum(prompt_tokens) as prompt, sum(completion_tokens) as reply, count(*) as calls, sum(seconds) as seconds
from call where run = ? and seed is not null group by seed
"""

MADE = """
select query.seed, count(*) as questions, sum(query.origin = 'model') as by_model
from query join seed on seed.id = query.seed where seed.run = ? group by query.seed
"""

FINDINGS = """
select seed, rule, count(*) as number from finding where run = ? and seed is not null group by seed, rule order by rule
"""


def _usage(row: Row | None) -> Usage:
    return Usage(row["prompt"], row["reply"], row["calls"], row["seconds"]) if row else Usage()
