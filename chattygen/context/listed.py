"""The user's own list of entities in the place of drawn seeds: their types, and what keeps one from a dialogue.

Each entity gets a dialogue if one can be had at all, in the order of the list. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.labels import candidates, rule, users_rule
from chattygen.context.namesakes import SHARED
from chattygen.context.node_types import class_label
from chattygen.context.samples import take
from chattygen.context.seeds import entity_types, seeds_from_entities
from chattygen.domain import DroppedType, Finding, LabelRule, NodeType, Seed, Subgraph
from chattygen.kg.graph import KnowledgeGraph

THIN = Finding("C4", "too few of its facts can be asked about")


def types_of_list(
    graph: KnowledgeGraph,
    kept: Sequence[NodeType],
    dropped: Sequence[DroppedType],
    settings: GraphSettings,
    run: RunSettings,
) -> tuple[NodeType, ...]:
    """The node types of the listed entities, with their shares among each other.

    Those that Algorithm 1 dropped are taken only for entities that have no kept one, the excluded ones last.
    """
    rest = [NodeType(gone.iri, gone.label, gone.count, 0.0) for gone in sorted(dropped, key=_excluded)]
    known = [*kept, *rest]
    wanted = set(entity_types(graph, run.entities, known, settings, run).values())
    others = sorted(wanted - {t.iri for t in known})
    types = [t for t in known if t.iri in wanted] + [NodeType(iri, class_label(iri), 1, 0.0) for iri in others]
    total = sum(t.count for t in types)
    return tuple(replace(t, share=t.count / total) for t in types)


def _excluded(gone: DroppedType) -> bool:
    return not gone.reason.startswith(("rare", "shadowed"))


def likely_rule(
    graph: KnowledgeGraph, node_type: NodeType, settings: GraphSettings, run: RunSettings
) -> LabelRule | None:
    """How the entities of a type will be named, as far as that is known before a model chooses: as the settings say,
    else by the best candidate.
    """
    sample = take(graph, node_type, settings, run)
    found = candidates(sample, settings, run.max_label_words)
    return users_rule(sample, settings) or (rule(node_type, found[0], "only") if found else None)


def listed(
    graph: KnowledgeGraph,
    types: Sequence[NodeType],
    rules: Mapping[str, LabelRule],
    settings: GraphSettings,
    run: RunSettings,
) -> Iterator[tuple[Seed, Finding | None]]:
    """Each entity of the list as a seed, with what keeps it from being one: C1 to C3."""
    seeds, findings = seeds_from_entities(graph, run.entities, types, rules, settings, run)
    by_iri, refused = {seed.iri: seed for seed in seeds}, iter(findings)
    for iri in dict.fromkeys(run.entities):
        if iri in by_iri:
            yield by_iri[iri], None
        else:
            yield Seed(iri, "", "", ""), next(refused)


def too_little(subgraph: Subgraph, askable: int, run: RunSettings) -> Finding | None:
    """What keeps a seed with this subgraph from a dialogue: it cannot be told from others (C5), or it has too few facts
    (C4).
    """
    if not subgraph.facts and any(gone.reason == SHARED.message for gone in subgraph.dropped):
        return SHARED
    return THIN if askable < run.min_questions else None
