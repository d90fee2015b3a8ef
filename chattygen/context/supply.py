"""Algorithm 2 as a supply: for each node type, subgraphs of seeds that have enough to talk about, until none is left.

Seeds with as many facts as a dialogue has questions come first; thinner ones, down to the minimum, are kept back for
when a stretch of the type offers nothing better. A type of which many seeds in a row have too little is given up: never
a loop. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from chattygen.config import RunSettings
from chattygen.context.subgraphs import enough
from chattygen.domain import Being, Seed, Subgraph

LOOK_AHEAD = 12
"""Seeds looked at for one with a fact per question, before a thinner one is taken."""

PATIENCE = 150
"""Seeds in a row with too few facts after which a type is given up."""


def supply(
    seeds: Iterable[Seed], extract: Callable[[Seed], Subgraph], being: Being, run: RunSettings, used: set[str]
) -> Iterator[Subgraph]:
    """Subgraphs of a node type worth a dialogue, in the order of its seeds but for thin ones, which wait.

    Args:
        used: IRIs that are seeds already, of any type; an entity is a seed only once. Every yielded seed is added.
    """
    thin: list[Subgraph] = []
    looked = poor = 0
    for seed in seeds:
        if seed.iri in used:
            continue
        subgraph = extract(replace(seed, being=being))
        looked += 1
        if enough(subgraph, run.questions):
            used.add(seed.iri)
            yield subgraph
            looked = poor = 0
        elif enough(subgraph, run.min_questions):
            thin.append(subgraph)
            poor = 0
        else:
            poor += 1
        if looked >= LOOK_AHEAD:
            yield from _richest(thin, used)
            looked = 0
        if poor >= PATIENCE:
            break
    while thin:
        yield from _richest(thin, used)


def _richest(thin: list[Subgraph], used: set[str]) -> Iterator[Subgraph]:
    """The waiting subgraph with the most facts, the earliest of equals, if its seed is still free."""
    thin[:] = [subgraph for subgraph in thin if subgraph.seed.iri not in used]
    if thin:
        chosen = max(thin, key=lambda subgraph: len(subgraph.facts))
        thin.remove(chosen)
        used.add(chosen.seed.iri)
        yield chosen
