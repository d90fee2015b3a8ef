"""What some 50 entities of a node type look like: the basis of label rules and of everything learned about a type.

A few queries per type, whatever its size; a node with very many neighbours is counted but its neighbours are not read.
Knows nothing about labels or questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import path_texts
from chattygen.context.entities import sample
from chattygen.domain import Direction, Iri, Literal, NodeType, Term
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

Relation = tuple[str, Direction]
"""A predicate IRI and the side on which the entity stands: what a fact of a subgraph is about."""

SIZE = 50
MOST = 1000
"""An entity with more other ends than this under one predicate is only counted, in that direction."""


@dataclass(frozen=True)
class TypeSample:
    """A random sample of a node type.

    Attributes:
        entities: up to SIZE IRIs.
        counts: relation -> entity -> number of distinct other ends (absent when zero).
        values: relation -> entity -> those other ends, for the entities that are not hubs.
        paths: label predicate two hops away -> entity -> its literals, for those that the settings name.
    """

    node_type: NodeType
    entities: tuple[str, ...]
    counts: Mapping[Relation, Mapping[str, int]]
    values: Mapping[Relation, Mapping[str, frozenset[Term]]]
    paths: Mapping[str, Mapping[str, Sequence[Literal]]] = field(default_factory=dict)

    def coverage(self, relation: Relation) -> float:
        """Share of the sampled entities that have the relation, 0 to 1."""
        return len(self.counts.get(relation, {})) / len(self.entities) if self.entities else 0.0

    def literals(self, predicate: str) -> dict[str, tuple[Literal, ...]]:
        """entity -> its literals under the predicate, or under a path of two."""
        if predicate in self.paths:
            return {entity: tuple(sorted(literals)) for entity, literals in self.paths[predicate].items()}
        found = self.values.get((predicate, "out"), {})
        only = {e: tuple(sorted(v for v in values if isinstance(v, Literal))) for e, values in found.items()}
        return {entity: literals for entity, literals in only.items() if literals}


def take(graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, run: RunSettings) -> TypeSample:
    """Sample a node type; the same run settings and data give the same sample.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    rng = Random(f"{run.seed}:sample:{node_type.iri}")
    entities = sample(graph, node_type, settings, rng, SIZE, run.deadline)
    counts: dict[Relation, dict[str, int]] = {}
    values: dict[Relation, dict[str, frozenset[Term]]] = {}
    for direction in directions(run):
        around = count(graph, entities, direction, run.deadline)
        for (entity, predicate), (number, _) in around.items():
            counts.setdefault((predicate, direction), {})[entity] = number
        hubs = {entity for (entity, _), (number, _) in around.items() if number > MOST}
        if few := [Iri(e) for e in entities if e not in hubs]:
            rows = graph.select(bind(f"values_{direction}", entities=few), deadline=run.deadline).rows
            _collect(rows, direction, values)
    # A store may tell them in any order; what is learned from the first few must not depend on it.
    values = {relation: {e: own[e] for e in entities if e in own} for relation, own in values.items()}
    bound = [Iri(e) for e in entities]
    paths = {path: path_texts(graph, bound, path, run.deadline) for path in settings.paths if bound}
    return TypeSample(node_type, entities, counts, values, paths)


def directions(run: RunSettings) -> tuple[Direction, ...]:
    """The directions that the run asks for."""
    return ("out", "in") if run.direction == "both" else (run.direction,)


def count(
    graph: KnowledgeGraph, entities: Iterable[str], direction: Direction, deadline: float
) -> dict[tuple[str, str], tuple[int, int]]:
    """(entity, predicate) -> number of distinct other ends, number of triples with a blank node there."""
    bound = [Iri(e) for e in entities]
    if not bound:
        return {}
    found = {}
    for entity, predicate, number, blank in graph.select(
        bind(f"counts_{direction}", entities=bound), deadline=deadline
    ).rows:
        if isinstance(entity, Iri) and isinstance(predicate, Iri) and number and blank:
            found[entity.value, predicate.value] = (int(number.value), int(blank.value))
    return found


def _collect(
    rows: Iterable[tuple[Term | None, ...]], direction: Direction, into: dict[Relation, dict[str, frozenset[Term]]]
) -> None:
    gathered: dict[Relation, dict[str, set[Term]]] = {}
    for entity, predicate, value in rows:
        if isinstance(entity, Iri) and isinstance(predicate, Iri) and value is not None:
            gathered.setdefault((predicate.value, direction), {}).setdefault(entity.value, set()).add(value)
    for relation, by_entity in gathered.items():
        into[relation] = {entity: frozenset(found) for entity, found in by_entity.items()}
