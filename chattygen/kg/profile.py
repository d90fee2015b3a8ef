"""What a load learns once about a graph: exact counts of its classes and predicates (Algorithm 1, line 2).

A pure function over a KnowledgeGraph. Knows nothing about stores, files or which classes will be kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from chattygen.config import GraphSettings, Strict
from chattygen.domain import Iri, Term
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

Answer = tuple[tuple[Term | None, ...], ...]

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


def profile(
    graph: KnowledgeGraph,
    settings: GraphSettings,
    *,
    more: Sequence[KnowledgeGraph] = (),
    seen: Collection[str] = (),
    triples: int = 0,
) -> Profile:
    """Count the classes and predicates of `graph`.

    Args:
        more: the same graph, opened again, so that several queries can run at once.
        seen: the IRIs of its predicates, if they are known: their list need not be asked for, which reads the whole
            graph once more. They are all if their counts sum up to `triples`.
    """
    graphs = [graph, *more]
    types, *counts = _ask(graphs, [bind("types", type_predicate=Iri(settings.type_predicate)), *_counting(seen)])
    predicates = _predicates(seen, counts)
    if not seen or sum(found.triples for found in predicates) != triples:
        [listed] = _ask(graphs, [bind("predicates")])
        missed = [iri.value for iri, _ in listed if isinstance(iri, Iri) and iri.value not in seen]
        predicates += _predicates(missed, _ask(graphs, _counting(missed)))
    classes = [
        ClassCount(iri=iri.value, count=_int(entities) - _int(blank), blank=_int(blank))
        for iri, entities, blank in types
        if isinstance(iri, Iri)
    ]
    return Profile(
        triples=sum(found.triples for found in predicates),
        entities=_entities(graph, settings, predicates, classes, only_classes=len(classes) == len(types)),
        classes=tuple(sorted(classes, key=lambda c: (-c.count, c.iri))),
        predicates=tuple(sorted(predicates, key=lambda p: (-p.triples, p.iri))),
    )


def _ask(graphs: Sequence[KnowledgeGraph], queries: Sequence[str]) -> list[Answer]:
    """The rows of each query, asked of whichever graph is free."""
    free: SimpleQueue[KnowledgeGraph] = SimpleQueue()
    for graph in graphs:
        free.put(graph)

    def ask(query: str) -> Answer:
        graph = free.get()
        try:
            return graph.select(query, deadline=DEADLINE).rows
        finally:
            free.put(graph)

    with ThreadPoolExecutor(len(graphs)) as threads:
        try:
            return list(threads.map(ask, queries))
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            for graph in graphs:  # what runs is of no use any more
                graph.close()
            raise


def _counting(predicates: Iterable[str]) -> list[str]:
    return [bind("predicate_counts", predicate=Iri(iri)) for iri in predicates]


def _predicates(iris: Iterable[str], counts: Iterable[Answer]) -> list[PredicateCount]:
    rows = zip(iris, counts, strict=True)
    return [PredicateCount(iri=iri, triples=_int(n), subjects=_int(s)) for iri, [[n, s]] in rows if _int(n)]


def _entities(
    graph: KnowledgeGraph,
    settings: GraphSettings,
    predicates: Sequence[PredicateCount],
    classes: Sequence[ClassCount],
    *,
    only_classes: bool,
) -> int:
    """Number of entities with an IRI and a class: where it follows from the counts, the graph is not read again.

    It follows when all types are classes and no blank node can be of two: then all subjects but those are entities.
    """
    blank = [found.blank for found in classes if found.blank]
    if only_classes and len(blank) <= 1:
        subjects = sum(found.subjects for found in predicates if found.iri == settings.type_predicate)
        return subjects - sum(blank)
    return _number(graph, bind("typed_entities", type_predicate=Iri(settings.type_predicate)))


def overlap(graph: KnowledgeGraph, settings: GraphSettings, child: str, parent: str) -> int:
    """Number of entities (IRIs) that are both `child` and `parent` (Algorithm 1, line 8)."""
    type_predicate = Iri(settings.type_predicate)
    return _number(graph, bind("type_overlap", type_predicate=type_predicate, child=Iri(child), parent=Iri(parent)))


def _number(graph: KnowledgeGraph, query: str) -> int:
    """The one number that `query` gives."""
    return _int(graph.select(query, deadline=DEADLINE).rows[0][0])


def _int(term: Term | None) -> int:
    return int(term.value) if term else 0
