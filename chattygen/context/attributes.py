"""Which facts of a node type are attributes that a system can be expected to know (Head-to-Tail, section 2).

Left out, each with its reason, is what the paper's authors took out by hand: unspecific attributes, whose value nearly
all entities share; dynamic ones, numbers that change while the graph stands still; source-specific ones, that only the
records of this source have; and what is no text. Judged on sampled subgraphs. Knows nothing about stores or models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chattygen.context.interest import ENOUGH, NEARLY_ALL
from chattygen.context.samples import Relation
from chattygen.domain import Fact, Subgraph

SOURCE = frozenset(
    [
        "identifier",
        "hash",
        "link to elsewhere",
        "time stamp",
        "code",
        "metadata",
        "day that many share",
        "counts another fact",
    ]
)
"""Reasons of the filters that stand for a record and not for what it is about."""

NO_TEXT = frozenset(["address or image", "geometry or markup", "coordinate", "blank nodes", "long text"])
"""Reasons of the filters that stand for what nobody can say in an answer."""

CHANGING = frozenset(
    """age amount assets balance budget capacity cost count current employees enrollment followers gdp income latest
    members membership population price quantity ranking rate rating revenue salary score sales status stock students
    turnover value visitors votes weight worth""".split()
)
"""Words of a predicate whose number is another one next year."""


def left_out(subgraphs: Sequence[Subgraph]) -> dict[Relation, str]:
    """Relation -> why it is no attribute to ask about; the others of the type are attributes."""
    reasons: dict[Relation, str] = {}
    for subgraph in subgraphs:
        for gone in subgraph.dropped:
            if kind := "source-specific" if gone.reason in SOURCE else "not textual" if gone.reason in NO_TEXT else "":
                reasons.setdefault((gone.predicate, gone.direction), f"{kind}: {gone.reason}")
    found: dict[Relation, list[Fact]] = {}
    for subgraph in subgraphs:
        for fact in subgraph.facts:
            relation = (fact.predicate, fact.direction)
            found.setdefault(relation, []).append(fact)
            score = subgraph.interest.get(fact, 1.0)
            if score < 1:
                reasons.setdefault(relation, f"source-specific or unspecific: its interest is {score:g}")
    for relation, facts in found.items():
        if reason := _unspecific(facts) or _dynamic(facts[0]):
            reasons.setdefault(relation, reason)
    return dict(sorted((relation, reason) for relation, reason in reasons.items()))


def _unspecific(facts: Sequence[Fact]) -> str:
    """Nearly all sampled entities that have it have the same values."""
    alike = Counter(fact.values for fact in facts).most_common(1)[0][1]
    many = len(facts) >= ENOUGH and alike > NEARLY_ALL * len(facts)
    return "unspecific: nearly all have the same" if many else ""


def _dynamic(fact: Fact) -> str:
    """A number that its predicate says to change."""
    changing = sorted(CHANGING & set(fact.predicate_label.casefold().split()))
    return f"dynamic: {changing[0]}" if fact.value_kind == "number" and changing else ""
