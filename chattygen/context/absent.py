"""What a graph usually says about entities of a node type and does not say about one: questions that it cannot answer.

By the sample of the type, and a query or two more. Only outgoing relations: a paper without a year is one whose year is
not known, but a person whom no paper names may well have written none. Knows nothing about prompts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import describe
from chattygen.context.facts import Names, Reader
from chattygen.context.filters import about_predicate, about_values
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.samples import Relation, TypeSample
from chattygen.domain import Fact, Iri, Seed, Subgraph, Term
from chattygen.kg.graph import KnowledgeGraph

USUAL = 0.6
"""Share of the sampled entities that have what is missed when another one has it not."""

LOOKED_AT = 10
"""Sampled entities whose values show what a fact is like."""


def usual(
    graph: KnowledgeGraph,
    sample: TypeSample,
    knowledge: TypeKnowledge,
    names: Names,
    settings: GraphSettings,
    run: RunSettings,
) -> tuple[Fact, ...]:
    """What entities of the type usually have, as facts with a count of 0, in IRI order.

    Only what would be asked of those that have it, and is of full interest.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    relations = [
        (predicate, direction)
        for predicate, direction in sorted(sample.values)
        if direction == "out"
        and sample.coverage((predicate, direction)) >= USUAL
        and knowledge.interest_in((predicate, direction)).score == 1
        and not about_predicate((predicate, direction), knowledge, settings)
    ]
    shown = {relation: _shown(sample, relation) for relation in relations}
    nodes = {term.value for ends in shown.values() for terms in ends for term in terms if isinstance(term, Iri)}
    known = describe(graph, nodes, settings, run.deadline)
    reader = Reader(knowledge, names, settings, knowledge.predicates, known)
    nobody = Seed("", "", sample.node_type.iri, sample.node_type.label)
    found: list[Fact] = []
    for relation, ends in shown.items():
        facts = [reader.fact(relation, len(terms), terms) for terms in ends]
        if facts and not any(about_values(fact, nobody, settings, run) for fact in facts):
            kind = Counter(fact.value_kind for fact in facts).most_common(1)[0][0]
            found.append(replace(reader.fact(relation, 0, ()), value_kind=kind))
    return tuple(found)


def _shown(sample: TypeSample, relation: Relation) -> list[list[Term]]:
    """The other ends at some sampled entities that have the relation."""
    return [sorted(terms, key=str) for _, terms in sorted(sample.values[relation].items())[:LOOKED_AT]]


def without(subgraph: Subgraph, usual: Sequence[Fact], knowledge: TypeKnowledge) -> Subgraph:
    """The subgraph with what is usual and what its seed has not, under this predicate or one that states the same."""
    here = {(fact.predicate, fact.direction) for fact in subgraph.facts}
    here |= {(fact.predicate, fact.direction) for fact in subgraph.dropped}
    stated = here.union(*(group for group in knowledge.same if here.intersection(group)))
    said = [_words(fact) for fact in subgraph.facts]
    absent = tuple(
        fact
        for fact in usual
        if (fact.predicate, fact.direction) not in stated
        and not any(_words(fact) <= words or words <= _words(fact) for words in said)
    )
    return replace(subgraph, absent=absent)


def _words(fact: Fact) -> set[str]:
    return set(fact.predicate_label.casefold().split())
