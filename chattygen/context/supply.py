"""Algorithm 2 as a supply: for each node type, subgraphs of seeds that have enough to talk about, until none is left.

Seeds with as many facts as a dialogue has questions come first; thinner ones, down to the minimum, are kept back for
when a stretch of the type offers nothing better. A type of which many seeds in a row have too little is given up: never
a loop. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from chattygen.config import RunSettings
from chattygen.domain import Being, Seed, Subgraph

LOOK_AHEAD = 12
"""Seeds looked at for one with a fact per question, before a thinner one is taken."""

BARREN = 60
"""Seeds in a row without a fact per question after which thinner ones are taken as they come."""

PATIENCE = 150
"""Seeds in a row with too few facts after which a type is given up."""


def supply(
    seeds: Iterable[Seed],
    extract: Callable[[Seed], Subgraph],
    being: Being,
    run: RunSettings,
    used: set[str],
    askable: Callable[[Subgraph], int] = lambda subgraph: len(subgraph.facts),
) -> Iterator[Subgraph]:
    """Subgraphs of a node type worth a dialogue, in the order of its seeds but for thin ones, which wait.

    Args:
        askable: how many different questions a subgraph has facts for.
        used: IRIs that are seeds already, of any type; an entity is a seed only once. Every yielded seed is added.
    """
    thin: list[tuple[int, Subgraph]] = []
    looked = barren = poor = 0
    for seed in seeds:
        if seed.iri in used:
            continue
        subgraph = extract(replace(seed, being=being))
        facts = askable(subgraph)
        looked, barren = looked + 1, barren + 1
        if facts >= run.questions:
            used.add(seed.iri)
            yield subgraph
            looked = barren = poor = 0
        elif facts >= run.min_questions:
            thin.append((facts, subgraph))
            poor = 0
        else:
            poor += 1
        if looked >= LOOK_AHEAD or barren >= BARREN:
            yield from _richest(thin, used)
            looked = 0
        if poor >= PATIENCE:
            break
    while thin:
        yield from _richest(thin, used)


def _richest(thin: list[tuple[int, Subgraph]], used: set[str]) -> Iterator[Subgraph]:
    """The waiting subgraph with the most to ask about, the earliest of equals, if its seed is still free."""
    thin[:] = [(facts, subgraph) for facts, subgraph in thin if subgraph.seed.iri not in used]
    if thin:
        chosen = max(range(len(thin)), key=lambda place: thin[place][0])
        _, subgraph = thin.pop(chosen)
        used.add(subgraph.seed.iri)
        yield subgraph
