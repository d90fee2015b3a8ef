"""What a load learns once about a graph: exact counts of its classes and predicates (Algorithm 1, line 2).

A pure function over a KnowledgeGraph. Knows nothing about stores, files or which classes will be kept.
"""

from __future__ import annotations

from chattygen.config import GraphSettings, Strict
from chattygen.domain import Iri, Term
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

DEADLINE = 3600.0
"""Seconds for one counting query; each reads at most the whole graph once."""


class ClassCount(Strict):
    """A class: `count` entities that have an IRI, and `blank` ones that are blank nodes and can never be seeds."""

    iri: str
    count: int
    blank: int


class PredicateCount(Strict):
    """A predicate with its number of triples and of distinct subjects."""

    iri: str
    triples: int
    subjects: int


class Profile(Strict):
    """Classes and predicates, the largest first, then by IRI; `entities` have an IRI and at least one type."""

    triples: int
    entities: int
    classes: tuple[ClassCount, ...]
    predicates: tuple[PredicateCount, ...]


def profile(graph: KnowledgeGraph, settings: GraphSettings) -> Profile:
    """Count the classes and predicates of `graph`."""
    type_predicate = Iri(settings.type_predicate)
    classes = [
        ClassCount(iri=iri, count=entities - blank, blank=blank)
        for iri, (entities, blank) in _counts(graph, bind("types", type_predicate=type_predicate))
    ]
    predicates = [
        PredicateCount(
            iri=iri, triples=triples, subjects=_number(graph, bind("predicate_subjects", predicate=Iri(iri)))
        )
        for iri, (triples,) in _counts(graph, bind("predicates"))
    ]
    return Profile(
        triples=sum(predicate.triples for predicate in predicates),
        entities=_number(graph, bind("typed_entities", type_predicate=type_predicate)),
        classes=tuple(sorted(classes, key=lambda c: (-c.count, c.iri))),
        predicates=tuple(predicates),
    )


def overlap(graph: KnowledgeGraph, settings: GraphSettings, child: str, parent: str) -> int:
    """Number of entities (IRIs) that are both `child` and `parent` (Algorithm 1, line 8)."""
    type_predicate = Iri(settings.type_predicate)
    return _number(graph, bind("type_overlap", type_predicate=type_predicate, child=Iri(child), parent=Iri(parent)))


def _number(graph: KnowledgeGraph, query: str) -> int:
    """The one number that `query` gives."""
    return _int(graph.select(query, deadline=DEADLINE).rows[0][0])


def _counts(graph: KnowledgeGraph, query: str) -> list[tuple[str, list[int]]]:
    """Rows of an IRI and numbers."""
    rows = graph.select(query, deadline=DEADLINE).rows
    return [(iri.value, [_int(number) for number in numbers]) for iri, *numbers in rows if isinstance(iri, Iri)]


def _int(term: Term | None) -> int:
    return int(term.value) if term else 0
