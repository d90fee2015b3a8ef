"""What flow adds to the plan of a dialogue's questions: something to follow up, and what the graph cannot answer.

Drawn by the seed's IRI, before a model words the questions. The order and the forms of the turns are planned later, by
flow.py. Knows nothing about models.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from chattygen.domain import Beyond, Fact, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.follow_ups import referent
from chattygen.generation.plan import is_gender, told
from chattygen.generation.two_facts import sayable

PER_FOLLOW_UP = 5
"""Turns per follow-up: at most one in a dialogue of five."""


def with_flow(
    asked: Sequence[Ask], spare: Sequence[Ask], subgraph: Subgraph, shares: Mapping[str, float]
) -> tuple[tuple[Ask, ...], tuple[Ask, ...]]:
    """(asked, spare), with what a dialogue needs for its follow-ups and unanswerable turns.

    They take the places of the last questions, which become spare, so that there are as many as before. Never replaced:
    the first question, and one that a follow-up is about.
    """
    kept, number = list(asked), len(asked)
    hops = drawn(shares.get("follow-up", 0), number, subgraph, "follow-up")
    hops = min(hops, max(1, number // PER_FOLLOW_UP)) - sum(follows(ask, kept, subgraph) for ask in kept)
    added: list[Ask] = []
    for first, beyond in _drawn_hops(kept, subgraph)[: max(0, hops)]:
        added.append(Ask(first, "value", beyond=beyond))
    draw = random.Random(f"absent:{subgraph.seed.iri}")
    wanted = min(drawn(shares.get("unanswerable", 0), number, subgraph, "unanswerable"), len(subgraph.absent))
    added += [Ask(fact, "value") for fact in draw.sample(subgraph.absent, wanted)]
    firsts = {ask.fact for ask in (*kept, *added) if ask.beyond}
    out = [ask for ask in kept[1:] if ask.fact not in firsts][::-1][: len(added)]
    kept = [ask for ask in kept if ask not in out]
    return (*kept, *added[: len(out)]), (*out[::-1], *spare)


def drawn(share: float, number: int, subgraph: Subgraph, form: str) -> int:
    """How many of `number` turns have a form: their share, rounded by a draw, so that it holds over many seeds."""
    return int(number * share + random.Random(f"{form}:{subgraph.seed.iri}").random())


def follows(ask: Ask, asked: Sequence[Ask], subgraph: Subgraph) -> bool:
    """Whether a question over two facts can be a follow-up to one of the questions asked."""
    first = any(other.fact == ask.fact and other.form == "value" and not other.beyond for other in asked)
    return bool(first and ask.beyond and ask.beyond.kind == "hop" and referent(ask.fact, "other", subgraph))


def _drawn_hops(asked: Sequence[Ask], subgraph: Subgraph) -> list[tuple[Fact, Beyond]]:
    """The hops that can follow one of the questions, in a drawn order, one for each first fact."""
    taken = {ask.fact for ask in asked if ask.beyond}
    fitting = [
        (first, beyond)
        for first, beyond in subgraph.beyond
        if first not in taken
        and follows(Ask(first, "value", beyond=beyond), asked, subgraph)
        and sayable(first, beyond)
        and not (is_gender(beyond.fact) or told(beyond.asked, subgraph))
    ]
    random.Random(f"hop:{subgraph.seed.iri}").shuffle(fitting)
    return list({first: (first, beyond) for first, beyond in fitting}.values())


# ---------------------------------------------------------------------------------------------------------------------
# Before the dialogue is worded
