"""What a load learns once about a graph: exact counts of its classes and predicates (Algorithm 1, line 2).

A pure function over a KnowledgeGraph. Knows nothing about stores, files or which classes will be kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from chattygen.config import GraphSettings, Strict
from chattygen.domain import Iri, Term
from chattygen.kg.draws import PART, entities_of, parts
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind
from chattygen.kg.typed import Seen

Answer = tuple[tuple[Term | None, ...], ...]

DEADLINE = 3600.0
"""Seconds for one counting query; each reads at most the whole graph once."""


SAMPLE = 1000
"""Entities of a large class that are looked at for an overlap."""

BATCH = 200
"""Entities in one query."""


class ClassCount(Strict):
    """A class: `count` entities that have an IRI, and `blank` ones that are blank nodes and can never be seeds."""

    iri: str
    count: int
    blank: int


class PredicateCount(Strict):
    """A predicate with its number of triples."""

    iri: str
    triples: int


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
    classes: Mapping[str, Seen] | None = None,
) -> Profile:
    """Count the classes and predicates of `graph`.

    Args:
        more: the same graph, opened again, so that several queries can run at once.
        seen: the IRIs of its predicates, if they are known: their list need not be asked for, which reads the whole
            graph once more. They are all if their counts sum up to `triples`.
        classes: what was seen of its classes while it was read into one graph: a store takes long to tell blank nodes
            from IRIs.
    """
    graphs = [graph, *more]
    typing = Iri(settings.type_predicate)
    types_query = bind("types" if classes is None else "type_counts", type_predicate=typing)
    types, [[subjects]], *counts = _ask(
        graphs, [types_query, bind("typed_subjects", type_predicate=typing), *_counting(seen)]
    )
    predicates = _predicates(seen, counts)
    if not seen or sum(found.triples for found in predicates) != triples:
        [listed] = _ask(graphs, [bind("predicates")])
        missed = [iri.value for iri, _ in listed if isinstance(iri, Iri) and iri.value not in seen]
        predicates += _predicates(missed, _ask(graphs, _counting(missed)))
    entities = {iri.value: _int(number) for iri, number, *_ in types if isinstance(iri, Iri)}
    if classes is None:
        blank = {iri.value: _int(number) for iri, _, number in types if isinstance(iri, Iri)}
    else:
        blank = _blank(graphs, typing, entities, classes)
    counted = [ClassCount(iri=iri, count=n - blank[iri], blank=blank[iri]) for iri, n in entities.items()]
    return Profile(
        triples=sum(found.triples for found in predicates),
        entities=_entities(graph, typing, _int(subjects), counted, only_classes=len(counted) == len(types)),
        classes=tuple(sorted(counted, key=lambda c: (-c.count, c.iri))),
        predicates=tuple(sorted(predicates, key=lambda p: (-p.triples, p.iri))),
    )


def _blank(
    graphs: Sequence[KnowledgeGraph], typing: Iri, entities: Mapping[str, int], classes: Mapping[str, Seen]
) -> dict[str, int]:
    """Class -> how many of its entities are blank nodes; asked only of classes that have both kinds."""
    mixed = [iri for iri in entities if iri not in classes or (classes[iri].named and classes[iri].blank)]
    found = _ask(graphs, [bind("blank_entities", type_predicate=typing, type=Iri(iri)) for iri in mixed])
    counted = {iri: _int(number) for iri, [[number]] in zip(mixed, found, strict=True)}
    return {iri: counted.get(iri, 0 if iri in classes and classes[iri].named else n) for iri, n in entities.items()}


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
    return [PredicateCount(iri=iri, triples=_int(number)) for iri, [[number]] in rows if _int(number)]


def _entities(
    graph: KnowledgeGraph, typing: Iri, subjects: int, classes: Sequence[ClassCount], *, only_classes: bool
) -> int:
    """Number of entities with an IRI and a class; `subjects` have any type.

    When all types are classes and no blank node can be of two, that follows, and the graph is not read again.
    """
    blank = [found.blank for found in classes if found.blank]
    if only_classes and len(blank) <= 1:
        return subjects - sum(blank)
    return _number(graph, bind("typed_entities", type_predicate=typing))


def overlap(graph: KnowledgeGraph, settings: GraphSettings, child: str, count: int, parent: str) -> int:
    """Number of entities (IRIs) that are both `child` and `parent` (Algorithm 1, line 8).

    Of a child whose `count` is more than a part it is worked out from SAMPLE random ones: to 0.3 % where nearly all are
    both.
    """
    typing = Iri(settings.type_predicate)
    if count <= PART:
        return _number(graph, bind("type_overlap", type_predicate=typing, child=Iri(child), parent=Iri(parent)))
    sample = entities_of(graph, settings, child, parts(count)[0], DEADLINE)[:SAMPLE]
    both = 0
    for start in range(0, len(sample), BATCH):
        some = [Iri(iri) for iri in sample[start : start + BATCH]]
        query = bind("shared_entities", type_predicate=typing, entities=some, parent=Iri(parent))
        both += len(graph.select(query, deadline=DEADLINE).rows)
    return round(count * both / len(sample)) if sample else 0


def _number(graph: KnowledgeGraph, query: str) -> int:
    """The one number that `query` gives."""
    return _int(graph.select(query, deadline=DEADLINE).rows[0][0])


def _int(term: Term | None) -> int:
    return int(term.value) if term else 0
