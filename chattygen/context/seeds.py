"""Seed entities (Algorithm 2, line 3): drawn at random from a node type, or named by the user.

A source of seeds ends when its type is exhausted. Two entities with one label are two seeds. Knows nothing about
subgraphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import UNKNOWN, Description, class_labels, describe, name_by, name_of
from chattygen.context.entities import shuffled
from chattygen.context.names import count_words, is_number
from chattygen.context.node_types import class_label
from chattygen.domain import Bucket, Finding, LabelRule, NodeType, Seed
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import can_be_asked

BATCH = 50


Draw = Callable[[Random], Iterator[str]]
"""What gives IRIs of entities, each once, in an order that depends on a random number generator and the data only."""


class SeedSource:
    """Iterates over the seeds of a node type, in an order that depends on the run's seed and the data only.

    Args:
        bucket: where all seeds are from, if it is known; `draw` gives the entities of it.
        draw: the entities, in the place of all those of the type.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        node_type: NodeType,
        rule: LabelRule,
        settings: GraphSettings,
        run: RunSettings,
        bucket: Bucket | None = None,
        draw: Draw | None = None,
    ) -> None:
        self._graph, self._type, self._rule = graph, node_type, rule
        self._settings, self._run = settings, run
        self._bucket, self._draw = bucket, draw or self._all
        self.passed_over = 0
        """Entities seen so far that cannot be seeds: no label, an id as a label, or too long a label."""

    def __iter__(self) -> Iterator[Seed]:
        rng = Random(f"{self._run.seed}:{self._type.iri}")
        entities = self._draw(rng)
        while batch := list(islice(entities, BATCH)):
            known = describe(self._graph, batch, self._settings, self._run.deadline)
            for iri in batch:
                label = name_by(self._rule.predicates, known.get(iri, UNKNOWN), self._settings.languages)
                if why_not(label, self._run.max_label_words):
                    self.passed_over += 1
                else:
                    yield Seed(iri, label, self._type.iri, self._type.label, bucket=self._bucket)

    def _all(self, rng: Random) -> Iterator[str]:
        return shuffled(self._graph, self._type, self._settings, rng, self._run.deadline)


def why_not(label: str, max_words: int) -> Finding | None:
    """C2 and C3: what keeps an entity with this label from being a seed."""
    if not label or is_number(label):
        return Finding("C2", "the entity has no label that a person could read", label)
    if count_words(label) > max_words:
        return Finding("C3", f"the entity's label has more than {max_words} words", label)
    return None


def entity_types(
    graph: KnowledgeGraph, iris: Sequence[str], types: Sequence[NodeType], settings: GraphSettings, run: RunSettings
) -> dict[str, str]:
    """Entity -> IRI of its type, as seeds_from_entities gives it; those that are not in the graph are absent."""
    known = describe(graph, iris, settings, run.deadline)
    return {iri: _type_of(description, types) for iri, description in known.items() if description.types}


def seeds_from_entities(
    graph: KnowledgeGraph,
    iris: Sequence[str],
    types: Sequence[NodeType],
    rules: Mapping[str, LabelRule],
    settings: GraphSettings,
    run: RunSettings,
) -> tuple[tuple[Seed, ...], tuple[Finding, ...]]:
    """The user's entities as seeds, in the user's order, each once; a finding for each that cannot be one.

    The type of an entity is the first of `types` that it has, else its first class in IRI order.
    """
    known = describe(graph, iris, settings, run.deadline)
    seeds: list[Seed] = []
    findings: list[Finding] = []
    for iri in dict.fromkeys(iris):
        if iri not in known or not known[iri].types:
            what = "is not in the graph, or has no class there" if can_be_asked(iri) else "is not an IRI"
            findings.append(Finding("C1", f"the entity {what}", iri))
            continue
        label = name_of(iri, known[iri], rules, settings)
        if finding := why_not(label, run.max_label_words):
            findings.append(Finding(finding.rule, finding.message, f"{iri} {label}".strip()))
            continue
        seeds.append(Seed(iri, label, _type_of(known[iri], types), ""))
    labels = {t.iri: t.label for t in types}
    labels |= class_labels(graph, {seed.node_type for seed in seeds} - labels.keys(), settings, run.deadline)
    named = (replace(s, type_label=labels.get(s.node_type) or class_label(s.node_type)) for s in seeds)
    return tuple(named), tuple(findings)


def _type_of(description: Description, types: Sequence[NodeType]) -> str:
    return next((t.iri for t in types if t.iri in description.types), description.types[0])
