"""How the neighbours of a seed read: labels and classes of any IRIs, in batches (section 4.2).

A neighbour is named by the label rule of its class where there is one, else by a name-like predicate that it has, else
by its IRI if that is readable, else not at all. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chattygen.config import GraphSettings
from chattygen.context.entities import can_be_asked
from chattygen.context.literals import is_label
from chattygen.context.names import lower_words, readable
from chattygen.context.vocabulary import is_metadata_type, label_rank, name_parts
from chattygen.domain import Iri, LabelRule, Literal
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

BATCH = 300
"""IRIs per query."""


@dataclass(frozen=True)
class Description:
    """What the graph says about a node: its short literals by predicate, its classes (metadata classes left out)."""

    literals: Mapping[str, tuple[Literal, ...]]
    types: tuple[str, ...]


UNKNOWN = Description({}, ())
"""The description of a node that is the subject of no literal and has no class."""


def describe(
    graph: KnowledgeGraph, iris: Iterable[str], settings: GraphSettings, deadline: float
) -> dict[str, Description]:
    """Describe nodes; those the graph says nothing about are absent."""
    wanted = sorted({iri for iri in iris if can_be_asked(iri)})
    literals: dict[str, dict[str, list[Literal]]] = {}
    types: dict[str, list[str]] = {}
    for start in range(0, len(wanted), BATCH):
        batch = [Iri(iri) for iri in wanted[start : start + BATCH]]
        query = bind("descriptions", entities=batch, type_predicate=Iri(settings.type_predicate))
        for entity, predicate, value in graph.select(query, deadline=deadline).rows:
            if not isinstance(entity, Iri) or not isinstance(predicate, Iri):
                continue
            if isinstance(value, Literal):
                literals.setdefault(entity.value, {}).setdefault(predicate.value, []).append(value)
            elif isinstance(value, Iri) and not is_metadata_type(value.value):
                types.setdefault(entity.value, []).append(value.value)
    return {
        iri: Description(
            {p: tuple(sorted(values)) for p, values in literals.get(iri, {}).items()}, tuple(sorted(types.get(iri, ())))
        )
        for iri in literals.keys() | types.keys()
    }


def name_of(iri: str, description: Description, rules: Mapping[str, LabelRule], settings: GraphSettings) -> str:
    """The label of a node; empty when it has none that a person could read."""
    for type_iri in description.types:
        rule = rules.get(type_iri)
        if rule and (name := name_by(rule.predicates, description, settings.language)):
            return name
    return _own_label(description, settings) or readable(iri)


def name_by(predicates: tuple[str, ...], description: Description, language: str) -> str:
    """The label that the predicates give, joined with a space; a part that the node lacks is left out."""
    texts = [best_text(description.literals.get(p, ()), language) for p in predicates]
    return " ".join(text for text in texts if text)


def best_text(literals: Iterable[Literal], language: str) -> str:
    """The name among literals: in `language`, else untagged, else any; the shortest, then the first of the alphabet."""

    def preference(literal: Literal) -> tuple[int, int, str]:
        tagged = literal.lang.lower()
        foreign = 2 if tagged else 1
        return (0 if tagged.split("-")[0] == language.lower() else foreign, len(literal.value), literal.value)

    usable = [literal for literal in literals if is_label(literal)]
    return " ".join(min(usable, key=preference).value.split()) if usable else ""


def class_labels(
    graph: KnowledgeGraph, classes: Iterable[str], settings: GraphSettings, deadline: float = 30.0
) -> dict[str, str]:
    """Class IRI -> its label by the settings or in the graph; the others are absent (see node_types.class_label).

    The settings name classes and predicates in one table, `predicate_labels`.
    """
    wanted = tuple(classes)
    found = _own_labels(describe(graph, wanted, settings, deadline), settings)
    own = {iri: label if " " in label else _running(label, settings) for iri, label in found.items()}
    return own | {iri: settings.predicate_labels[iri] for iri in wanted if iri in settings.predicate_labels}


def predicate_labels(
    described: Mapping[str, Description], predicates: Iterable[str], settings: GraphSettings
) -> dict[str, str]:
    """Predicate IRI -> how it reads: by the settings, by a label in the graph, by its local name; empty if opaque."""
    own = _own_labels(described, settings)
    return {
        p: settings.predicate_labels.get(p) or _running(own.get(p, ""), settings) or lower_words(readable(p))
        for p in predicates
    }


def _running(label: str, settings: GraphSettings) -> str:
    """A label as it stands inside an English sentence; other languages have their own use of capitals."""
    return lower_words(label) if settings.language == "en" else label


def _own_labels(described: Mapping[str, Description], settings: GraphSettings) -> dict[str, str]:
    """The labels that stand in the graph, of whatever was described."""
    labels = {iri: _own_label(description, settings) for iri, description in described.items()}
    return {iri: label for iri, label in labels.items() if label}


def _own_label(description: Description, settings: GraphSettings) -> str:
    """The label under the most usual name-like predicate, else given and family name, else empty."""
    ranked = sorted((rank, p) for p in description.literals if (rank := label_rank(p)) is not None)
    for _, predicate in ranked:
        if label := name_by((predicate,), description, settings.language):
            return label
    parts = name_parts(description.literals)
    return name_by(parts, description, settings.language) if parts else ""
