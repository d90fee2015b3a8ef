"""Which questions over two facts a dialogue has, with `--hops 2`: up to two, of different kinds, never the first one.

Drawn by the seed's IRI from those that the data allow (context/beyond.py) and English can say. Knows nothing about
models.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from chattygen.domain import AnswerForm, Beyond, Fact, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.plan import LISTED, is_gender, told
from chattygen.generation.two_facts import sayable

SHARE = 0.4
"""Part of the questions of a dialogue that are over two facts at most."""

MOST = 2
"""Questions over two facts in a dialogue at most."""

COUNTED = 0.5
"""Share of the conditions that are asked as a number."""


def with_two_facts(
    asked: Sequence[Ask], spare: Sequence[Ask], subgraph: Subgraph, questions: int
) -> tuple[tuple[Ask, ...], tuple[Ask, ...]]:
    """(asked, spare), with questions over two facts as every second one; what they put out comes first of the spare."""
    draw = random.Random(f"beyond:{subgraph.seed.iri}")
    wanted = min(MOST, max(int(SHARE * questions), min(1, questions - 1)))
    chosen = _chosen(subgraph, wanted, draw)
    kept = list(asked[: questions - len(chosen)])
    out = asked[len(kept) :]
    for number, ask in enumerate(chosen, 1):
        kept.insert(2 * number, ask)
    return tuple(kept), (*out, *spare)


def _chosen(subgraph: Subgraph, wanted: int, draw: random.Random) -> list[Ask]:
    """Up to `wanted`, no two with the same first fact, of as many kinds as there are."""
    left = [(first, beyond) for first, beyond in subgraph.beyond if _may_be_asked(first, beyond, subgraph)]
    chosen: list[tuple[Fact, Beyond]] = []
    while left and len(chosen) < wanted:
        kinds = {_kind(beyond) for _, beyond in left}
        kind = draw.choice(sorted(kinds - {_kind(beyond) for _, beyond in chosen} or kinds))
        first = draw.choice(list(dict.fromkeys(first for first, beyond in left if _kind(beyond) == kind)))
        chosen.append(draw.choice([pair for pair in left if pair[0] == first and _kind(pair[1]) == kind]))
        left = [pair for pair in left if pair[0] != first]
    return [Ask(first, _form(beyond, draw), beyond=beyond) for first, beyond in chosen]


def _kind(beyond: Beyond) -> str:
    return "extreme" if beyond.kind in ("most", "least") else beyond.kind


def _form(beyond: Beyond, draw: random.Random) -> AnswerForm:
    counted = beyond.asked.count > LISTED or (beyond.asked.count > 1 and draw.random() < COUNTED)
    return "count" if beyond.kind == "condition" and counted else "value"


def _may_be_asked(first: Fact, beyond: Beyond, subgraph: Subgraph) -> bool:
    """Whether it can be said, the seed's name does not tell the answer, and it tells no answer itself.

    A gender is what pronouns tell, of others than the seed, too.
    """
    labels = {value.label.casefold() for fact in subgraph.facts for value in fact.values}
    tells = beyond.kind == "condition" and beyond.fact.values[0].label.casefold() in labels
    dull = is_gender(beyond.fact) or told(beyond.asked, subgraph)
    return sayable(first, beyond) and not tells and not dull
