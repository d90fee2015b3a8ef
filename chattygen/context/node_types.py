"""Algorithm 1: the node types that seeds are drawn from, and how many dialogues each gets (section 4.1).

Metadata classes, classes outside the domain and rare ones go; of a parent and a child with nearly the same entities the
child stays. Works on counts; the one question it asks about the graph is how many entities two classes share. Knows
nothing about SPARQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chattygen.config import GraphSettings
from chattygen.context.names import is_opaque, local_name, lower_words, readable
from chattygen.context.vocabulary import is_metadata_type, listed
from chattygen.domain import DroppedType, NodeType

Overlap = Callable[[str, str], int]
"""(child, parent) -> number of entities that are both."""


def select(
    classes: Sequence[tuple[str, int]],
    overlap: Overlap,
    settings: GraphSettings,
    *,
    rare: float,
    shadowed: float,
    labels: Mapping[str, str] | None = None,
) -> tuple[tuple[NodeType, ...], tuple[DroppedType, ...]]:
    """Choose the node types of a graph.

    Args:
        classes: (IRI, number of entities) of every class.
        overlap: asked only for pairs whose counts allow shadowing.
        rare: R, 0 to 1: types whose share is below it are dropped; 0 keeps all.
        shadowed: S, 0 to 1: a parent is dropped when one child holds more than this part of it; 1 keeps all.
        labels: class labels that the graph has; the others are read off the IRI.

    Returns:
        The kept types, largest first, shares summing to 1; the dropped ones with their reason, largest first.
    """
    named = [NodeType(iri, (labels or {}).get(iri) or class_label(iri), count, 0.0) for iri, count in classes]
    dropped: list[DroppedType] = []

    def keep(types: list[NodeType], reason: Callable[[NodeType], str]) -> list[NodeType]:
        """The types without a reason to go, their shares renormalised."""
        dropped.extend(DroppedType(t.iri, t.label, t.count, reason(t)) for t in types if reason(t))
        return _shares([t for t in types if not reason(t)])

    kept = keep(named, lambda t: _unwanted(t, settings))
    kept = keep(kept, lambda t: f"rare: {t.share:.2%} of the entities" if t.share < rare else "")
    shadows = _shadows(kept, overlap, shadowed)
    kept = keep(kept, lambda t: f"shadowed by {shadows[t.iri].label}" if t.iri in shadows else "")
    return tuple(kept), tuple(sorted(dropped, key=lambda d: (-d.count, d.iri)))


def distribute(types: Sequence[NodeType], m: int) -> dict[str, int]:
    """Number of dialogues per type IRI: sums to exactly `m` (largest remainder; ties go to the larger type)."""
    total = sum(t.count for t in types)
    if not total:
        return {}
    whole = {t.iri: t.count * m // total for t in types}
    left = m - sum(whole.values())
    for t in sorted(types, key=lambda t: (-(t.count * m % total), -t.count, t.iri))[:left]:
        whole[t.iri] += 1
    return whole


def without(types: Sequence[NodeType], iri: str) -> tuple[NodeType, ...]:
    """The types less one, shares renormalised: for a type that turns out to have no label."""
    return tuple(_shares([t for t in types if t.iri != iri]))


def class_label(iri: str) -> str:
    """How a class reads when the graph has no label for it: `SoloArtist` gives `solo artist`."""
    return lower_words(readable(iri)) or local_name(iri) or iri


def _unwanted(t: NodeType, settings: GraphSettings) -> str:
    if is_metadata_type(t.iri):
        return "metadata"
    if settings.domain and not t.iri.startswith(settings.domain):
        return "outside the domain"
    if listed(t.iri, settings.exclude_types) or (settings.include_types and not listed(t.iri, settings.include_types)):
        return "excluded by the settings"
    return "no readable name" if t.label == local_name(t.iri) and is_opaque(t.label) else ""


def _shares(types: list[NodeType]) -> list[NodeType]:
    total = sum(t.count for t in types)
    return [replace(t, share=t.count / total) for t in sorted(types, key=lambda t: (-t.count, t.iri)) if t.count]


def _shadows(types: Sequence[NodeType], overlap: Overlap, shadowed: float) -> dict[str, NodeType]:
    """Parent IRI -> the smallest child that holds more than `shadowed` of it, whatever rdfs:subClassOf says.

    Of classes with the same entities one has to stay: the one with the shorter label, as the words that people use most
    are short (person, not creator or laureate), then the one with the shorter IRI.
    """
    ordered = sorted(types, key=lambda t: (t.count, len(t.label), len(t.iri), t.iri))
    found: dict[str, NodeType] = {}
    for place, parent in enumerate(ordered):
        for child in ordered[:place]:
            if child.count > shadowed * parent.count and overlap(child.iri, parent.iri) > shadowed * parent.count:
                found[parent.iri] = child
                break
    return found
