"""How the neighbours of a seed read: labels and classes of any IRIs, in batches (section 4.2).

A neighbour is named by the label rule of its class where there is one, else as the settings say for all classes, else
by a name-like predicate that it has, else by its IRI if that is readable, else not at all. Of names in several
languages the one is taken that comes first in the settings. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattygen.config import GraphSettings
from chattygen.context.languages import Ranges, named, place
from chattygen.context.literals import is_label
from chattygen.context.names import lower_words, readable
from chattygen.context.vocabulary import DIRECT_CLAIM, is_metadata_type, label_rank, name_parts
from chattygen.domain import Iri, LabelRule, Literal
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind, can_be_asked

BATCH = 300
"""IRIs per query."""


@dataclass(frozen=True)
class Description:
    """What the graph says about a node: its short literals by predicate, its classes (metadata classes left out).

    A label that the settings place two hops away is among the literals, under its two IRIs.
    """

    literals: Mapping[str, tuple[Literal, ...]]
    types: tuple[str, ...]


UNKNOWN = Description({}, ())
"""The description of a node that is the subject of no literal and has no class."""


def describe(
    graph: KnowledgeGraph, iris: Iterable[str], settings: GraphSettings, deadline: float
) -> dict[str, Description]:
    """Describe nodes; those the graph says nothing about are absent."""
    literals: dict[str, dict[str, list[Literal]]] = {}
    types: dict[str, list[str]] = {}
    for batch in _batches(iris):
        query = bind("descriptions", entities=batch, type_predicate=Iri(settings.type_predicate))
        for entity, predicate, value in graph.select(query, deadline=deadline).rows:
            if not isinstance(entity, Iri) or not isinstance(predicate, Iri):
                continue
            if isinstance(value, Literal):
                literals.setdefault(entity.value, {}).setdefault(predicate.value, []).append(value)
            elif isinstance(value, Iri) and not is_metadata_type(value.value):
                types.setdefault(entity.value, []).append(value.value)
        for path in settings.paths:
            for iri, found in path_texts(graph, batch, path, deadline).items():
                literals.setdefault(iri, {})[path] = found
    return {
        iri: Description(
            {p: tuple(sorted(values)) for p, values in literals.get(iri, {}).items()}, tuple(sorted(types.get(iri, ())))
        )
        for iri in literals.keys() | types.keys()
    }


def with_stand_ins(
    graph: KnowledgeGraph,
    known: Mapping[str, Description],
    predicates: Iterable[str],
    settings: GraphSettings,
    deadline: float,
) -> Mapping[str, Description]:
    """`known`, with opaque predicates described by the node that stands for them (wd:P19 for wdt:P19).

    Costs queries only where there are opaque predicates that neither the graph nor the settings name.
    """
    names = {*_own_labels(known, settings), *settings.predicate_labels}
    nodes: dict[str, str] = {}
    for batch in _batches(p for p in predicates if p not in names and not readable(p)):
        rows = graph.select(bind("claimed", predicates=batch, link=Iri(DIRECT_CLAIM)), deadline=deadline).rows
        for predicate, node in sorted(rows, key=str):
            if isinstance(predicate, Iri) and isinstance(node, Iri):
                nodes.setdefault(predicate.value, node.value)
    described = describe(graph, nodes.values(), settings, deadline)
    return {**known, **{p: described[node] for p, node in nodes.items() if node in described}}


def path_texts(graph: KnowledgeGraph, entities: Sequence[Iri], path: str, deadline: float) -> dict[str, list[Literal]]:
    """Entity IRI -> its short literals two hops away; `path` is two predicate IRIs with ` / ` between them."""
    first, second = path.split(" / ")
    query = bind("path_texts", entities=entities, first=Iri(first), second=Iri(second))
    found: dict[str, list[Literal]] = {}
    for entity, value in graph.select(query, deadline=deadline).rows:
        if isinstance(entity, Iri) and isinstance(value, Literal):
            found.setdefault(entity.value, []).append(value)
    return found


def _batches(iris: Iterable[str]) -> Iterator[list[Iri]]:
    wanted = sorted({iri for iri in iris if can_be_asked(iri)})
    for start in range(0, len(wanted), BATCH):
        yield [Iri(iri) for iri in wanted[start : start + BATCH]]


def name_of(iri: str, description: Description, rules: Mapping[str, LabelRule], settings: GraphSettings) -> str:
    """The label of a node; empty when it has none that a person could read."""
    ruled = [rules[t].predicates if t in rules else settings.labels.get(t, ()) for t in description.types]
    for predicates in (*ruled, settings.labels.get("*", ())):
        if name := name_by(predicates, description, settings.languages):
            return name
    return _own_label(description, settings.languages) or readable(iri)


def name_by(predicates: tuple[str, ...], description: Description, ranges: Ranges) -> str:
    """The label that the predicates give, joined with a space; a part that the node lacks is left out."""
    texts = [best_text(description.literals.get(p, ()), ranges) for p in predicates]
    return " ".join(text for text in texts if text)


def best_text(literals: Iterable[Literal], ranges: Ranges) -> str:
    """The name among literals: in the preferred language, the shortest, then the first of the alphabet; or empty."""
    usable = [
        (there, len(literal.value), literal.value)
        for literal in literals
        if is_label(literal) and (there := place(literal.lang, ranges)) is not None
    ]
    return " ".join(min(usable)[2].split()) if usable else ""


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
    return lower_words(label) if settings.languages[0] == "en" else label


def _own_labels(described: Mapping[str, Description], settings: GraphSettings) -> dict[str, str]:
    """The labels that stand in the graph; in a language that nobody asked for only where the IRI says nothing."""
    asked = named(settings.languages)
    labels = {
        iri: _own_label(description, asked if readable(iri) else settings.languages)
        for iri, description in described.items()
    }
    return {iri: label for iri, label in labels.items() if label}


def _own_label(description: Description, ranges: Ranges) -> str:
    """The label under the most usual name-like predicate, else given and family name, else empty."""
    ranked = sorted((rank, p) for p in description.literals if (rank := label_rank(p)) is not None)
    for _, predicate in ranked:
        if label := name_by((predicate,), description, ranges):
            return label
    parts = name_parts(description.literals)
    return name_by(parts, description, ranges) if parts else ""
