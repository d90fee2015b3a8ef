"""The facts around the neighbours of a seed, for questions over two facts: the second hop of Algorithm 2 (section 4.3).

Only outwards, since what points to a neighbour may be half of the graph; only what is of full interest; never the way
back to the seed. A seed costs four queries and one more per 300 nodes, each class of neighbours a few more once in a
run. Which questions these facts allow is in beyond.py. Knows nothing about prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.beyond import Around, over_two
from chattygen.context.descriptions import UNKNOWN, Description, describe, predicate_labels, with_stand_ins
from chattygen.context.facts import Names, Reader
from chattygen.context.filters import about_predicate, about_values
from chattygen.context.knowledge import TypeKnowledge, learn
from chattygen.context.samples import Relation, count, take
from chattygen.domain import Beyond, Fact, Iri, LabelRule, NodeType, Seed, Subgraph, Term
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

MOST_ENDS = 100
"""Neighbours of a seed that are looked at."""

LISTED = 8
"""Values of a second fact; one with more is left out."""

MOST_ROWS = 1000
"""A predicate with more values than this around all neighbours is not read."""

FEW = 20
"""A class with fewer entities than this tells little about what is usual."""


def knowledge_of(
    graph: KnowledgeGraph, node_type: str, names: Names, settings: GraphSettings, run: RunSettings
) -> TypeKnowledge:
    """What a sample says about a class of neighbours; costs a few queries, fewer where no seed is drawn from it.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    looking = run if node_type in names.kept else replace(run, direction="out")
    found = NodeType(node_type, names.of_class(node_type), names.counts[node_type], 0.0)
    rule = names.rules.get(node_type) or LabelRule(node_type, (), 0.0, "only")
    return learn(graph, take(graph, found, settings, looking), rule, settings, looking)


def look_beyond(
    graph: KnowledgeGraph,
    subgraph: Subgraph,
    names: Names,
    knowing: Callable[[str], TypeKnowledge],
    settings: GraphSettings,
    run: RunSettings,
) -> Subgraph:
    """The subgraph with the questions over two facts that the data allow, in the order of its facts.

    Args:
        knowing: IRI of a class -> what is known about it (knowledge_of).

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    firsts = _firsts(subgraph)
    if run.direction == "in" or not firsts:
        return subgraph
    ends = {end for first in firsts for end in _iris(first)}
    counts = count(graph, ends, "out", run.deadline)
    predicates = sorted({predicate for _, predicate in counts})
    known = describe(graph, ends.union(predicates), settings, run.deadline)
    labels = predicate_labels(with_stand_ins(graph, known, predicates, settings, run.deadline), predicates, settings)
    classes = {first: _common_class(first, known, names) for first in firsts}
    knowledge = {first: knowing(found) for first, found in classes.items() if found}
    values = _values(graph, knowledge, counts, settings, run)
    nodes = {term.value for terms in values.values() for term in terms if isinstance(term, Iri)}
    known |= describe(graph, nodes - known.keys(), settings, run.deadline)
    found: list[tuple[Fact, Beyond]] = []
    for first in knowledge:
        reader = Reader(knowledge[first], names, settings, labels, known)
        around, refused = _around(first, reader, values, subgraph.seed, settings, run)
        found.extend((first, beyond) for beyond in over_two(first, around, refused, subgraph))
    return replace(subgraph, beyond=tuple(found))


def _firsts(subgraph: Subgraph) -> list[Fact]:
    """The facts of full interest whose other ends are known nodes, as many as MOST_ENDS allows.

    Of two with the same other ends, as husband and wife are each the spouse of the other, the first one.
    """
    left = MOST_ENDS
    firsts: dict[tuple[str, ...], Fact] = {}
    for fact in subgraph.facts:
        usable = fact.value_kind == "entity" and fact not in subgraph.interest and 0 < len(fact.values) <= left
        if usable and _iris(fact) not in firsts:
            firsts[_iris(fact)] = fact
            left -= len(fact.values)
    return list(firsts.values())


def _iris(fact: Fact) -> tuple[str, ...]:
    return tuple(value.term.value for value in fact.values)


def _common_class(first: Fact, known: Mapping[str, Description], names: Names) -> str:
    """The class to judge the other ends by: a kept node type, else the smallest that is no rarity; empty if they have
    none in common.
    """
    classes = [known.get(iri, UNKNOWN).types for iri in _iris(first)]
    common = [c for c in classes[0] if c in names.counts and all(c in others for others in classes)]
    return min(common, key=lambda c: (c not in names.kept, names.counts[c] < FEW, names.counts[c], c), default="")


def _values(
    graph: KnowledgeGraph,
    knowledge: Mapping[Fact, TypeKnowledge],
    counts: Mapping[tuple[str, str], tuple[int, int]],
    settings: GraphSettings,
    run: RunSettings,
) -> dict[tuple[str, str], list[Term]]:
    """(neighbour, predicate) -> its values, for what may be asked about."""
    ends = {end for first in knowledge for end in _iris(first)}
    wanted = {
        predicate
        for first, learned in knowledge.items()
        for predicate in {p for end, p in counts if end in _iris(first)}
        if _may_be_asked(predicate, learned, settings)
    }
    totals = {p: sum(number for (end, q), (number, _) in counts.items() if q == p) for p in wanted}
    few = sorted(p for p, total in totals.items() if total <= MOST_ROWS)
    if not few:
        return {}
    most = sum(totals[p] for p in few) + 1
    query = bind("ends_out", entities=[Iri(e) for e in sorted(ends)], predicates=[Iri(p) for p in few], most=most)
    found: dict[tuple[str, str], list[Term]] = {}
    for end, predicate, value in graph.select(query, deadline=run.deadline).rows:
        if isinstance(end, Iri) and isinstance(predicate, Iri) and value is not None:
            found.setdefault((end.value, predicate.value), []).append(value)
    return {key: sorted(terms, key=str) for key, terms in found.items()}


def _may_be_asked(predicate: str, knowledge: TypeKnowledge, settings: GraphSettings) -> bool:
    """Whether nothing speaks against a predicate of a class: filters, interest, one value for all, said twice."""
    relation: Relation = (predicate, "out")
    twice = any(relation in group[1:] for group in knowledge.same)
    dull = knowledge.interest_in(relation).score < 1 or relation in knowledge.constant
    return not (twice or dull or about_predicate(relation, knowledge, settings))


def _around(
    first: Fact,
    reader: Reader,
    values: Mapping[tuple[str, str], Sequence[Term]],
    seed: Seed,
    settings: GraphSettings,
    run: RunSettings,
) -> tuple[Around, set[str]]:
    """The facts around the other ends of a first fact, and the predicates that cannot be asked about at all of them."""
    around: dict[str, dict[str, Fact]] = {end: {} for end in _iris(first)}
    refused: set[str] = set()
    for value in first.values:
        end = Seed(value.term.value, value.label, reader.knowledge.node_type.iri, value.type_label)
        for predicate in sorted(p for e, p in values if e == end.iri):
            if not _may_be_asked(predicate, reader.knowledge, settings):
                continue
            terms = values[end.iri, predicate]
            fact = reader.fact((predicate, "out"), len(terms), terms)
            back = any(value.term == Iri(seed.iri) for value in fact.values)
            blank = len(fact.values) < fact.count
            if back or blank or fact.count > LISTED or about_values(fact, end, settings, run):
                refused.add(predicate)
            else:
                around[end.iri][predicate] = fact
    return around, refused
