"""Which questions over two facts the data allow: of what lies around the other ends of a fact (section 4.3).

A hop, a condition that some of the other ends meet, the one with the greatest or smallest value; each with its answers.
Knows nothing about stores, nor which of the questions can be said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal as OneOf

from chattygen.context.ordering import place
from chattygen.domain import Beyond, Fact, Iri, Literal, Seed, Subgraph, Value

COVERED = 0.8
"""Share of the other ends that must have the second fact before one of its values is made a condition: where it is
missing it may just be unknown."""

FEWEST = 3
"""Other ends that a condition chooses from."""

Around = Mapping[str, Mapping[str, Fact]]
"""IRI of an other end -> predicate -> the fact that it is the subject of."""


def over_two(first: Fact, around: Around, refused: Collection[str], subgraph: Subgraph) -> Iterator[Beyond]:
    """All questions over a fact of the subgraph and one beyond it.

    Args:
        refused: the predicates that cannot be asked about at some of the other ends, though they may have them.
    """
    if first.count == 1:
        told = [{value.term for value in fact.values} for fact in subgraph.facts]
        for fact in _in_order(around[first.values[0].term.value].values()):
            if {value.term for value in fact.values} not in told:
                yield Beyond("hop", fact, fact)
        return
    shared = {fact.predicate: fact for facts in around.values() for fact in facts.values()}
    for predicate in (fact.predicate for fact in _in_order(shared.values()) if fact.predicate not in refused):
        seconds = {end: facts[predicate] for end, facts in around.items() if predicate in facts}
        yield from _condition(first, seconds, subgraph.seed)
        yield from _extremes(first, seconds)


def _in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Entities, dates and years before numbers and texts; of predicates that read alike only the first."""
    read: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda fact: (fact.value_kind in ("number", "boolean", "text"), fact.predicate)):
        read.setdefault(fact.predicate_label.casefold(), fact)
    return list(read.values())


def _condition(first: Fact, seconds: Mapping[str, Fact], seed: Seed) -> Iterator[Beyond]:
    """The entity or year of the second fact that comes nearest to splitting the other ends in halves."""
    kinds = {fact.value_kind for fact in seconds.values()}
    if first.count < FEWEST or len(seconds) < COVERED * first.count or kinds not in ({"entity"}, {"year"}):
        return
    holders: dict[Value, list[Value]] = {}
    for end in first.values:
        for value in seconds[end.term.value].values if end.term.value in seconds else ():
            holders.setdefault(value, []).append(end)
    labels = [value.label.casefold() for value in holders]
    splits = [
        (abs(2 * len(having) - first.count), value.label, value.term.value, value)
        for value, having in holders.items()
        if len(having) < first.count and labels.count(value.label.casefold()) == 1 and value.term != Iri(seed.iri)
    ]
    if not splits:
        return
    value = min(splits)[-1]
    having = holders[value]
    if len(having) > 1 or _alone(having[0], first):
        most = max(fact.count for fact in seconds.values())
        fact = replace(next(iter(seconds.values())), values=(value,), count=most, value_type=value.type_label)
        yield Beyond("condition", fact, replace(first, values=tuple(having), count=len(having)))


def _extremes(first: Fact, seconds: Mapping[str, Fact]) -> Iterator[Beyond]:
    """The other ends with the greatest and the smallest value, where all have one value and no two the same extreme."""
    facts = list(seconds.values())
    if len(facts) < first.count or any(fact.count != 1 for fact in facts):
        return
    values = [fact.values[0] for fact in facts]
    places = [place(value.term) for value in values if isinstance(value.term, Literal)]
    ranks = [found[1] for found in places if found]
    scales = {found[0] for found in places if found}
    if len(ranks) < len(facts) or len(scales) > 1 or len({fact.value_kind for fact in facts}) > 1:
        return
    compared = replace(facts[0], values=tuple(dict.fromkeys(values)), count=len(set(values)))
    by_end = dict(zip(seconds, ranks, strict=True))
    ends: tuple[tuple[OneOf["most", "least"], object], ...] = (("most", max(ranks)), ("least", min(ranks)))
    for kind, extreme in ends:
        having = [end for end in first.values if by_end[end.term.value] == extreme]
        if len(having) == 1 and _alone(having[0], first):
            yield Beyond(kind, compared, replace(first, values=tuple(having), count=1))


def _alone(answer: Value, first: Fact) -> bool:
    """Whether no other of the other ends is called like the answer."""
    return [end.label.casefold() for end in first.values].count(answer.label.casefold()) == 1
