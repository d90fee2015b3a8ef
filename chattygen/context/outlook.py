"""Whether a graph can make dialogues, found out before a model is asked (section 4, seen from its end).

Each node type is looked at as a run would: how its entities can be named, and how much some of them offer to ask about.
What is said to a user whose graph offers too little is in advice.py. Knows nothing about models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import class_labels
from chattygen.context.facts import Names
from chattygen.context.filters import about_predicate
from chattygen.context.interest import Interest
from chattygen.context.knowledge import learn
from chattygen.context.labels import Candidate, candidates, rule, users_rule
from chattygen.context.node_types import select
from chattygen.context.samples import Relation, take
from chattygen.context.seeds import SeedSource
from chattygen.context.subgraphs import extract
from chattygen.domain import DroppedType, LabelRule, NodeType, Subgraph
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile, overlap

LOOKED_AT = 12
"""Seeds of a type that are looked at before it is given up."""

Types = tuple[tuple[NodeType, ...], tuple[DroppedType, ...]]
"""(kept, dropped)"""


@dataclass(frozen=True)
class Outlook:
    """What can be expected of a node type.

    Attributes:
        rule: how its entities are named: as the settings say, else by the best candidate; None when nothing names them.
        candidates: what a run's model may choose among, best first, with the coverage on the sample.
        examples: up to three names.
        seeds: how many entities were looked at; looking ends with the first that offers enough.
        facts: the most facts that one of them offers to ask about.
        left_out: reason -> number of facts around them that were left out for it.
        interest: of the relations that the sample or the settings speak against, and nothing else does.
        good: one of them offers enough for a dialogue.
    """

    node_type: NodeType
    rule: LabelRule | None
    candidates: tuple[Candidate, ...] = ()
    examples: tuple[str, ...] = ()
    seeds: int = 0
    facts: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    interest: Mapping[Relation, Interest] = field(default_factory=dict)
    good: bool = False


def types_of(graph: KnowledgeGraph, profile: Profile, settings: GraphSettings, run: RunSettings) -> Types:
    """Algorithm 1 over what the load has counted."""
    classes = [(found.iri, found.count) for found in profile.classes if found.count]
    counts = dict(classes)
    return select(
        classes,
        lambda child, parent: overlap(graph, settings, child, counts[child], parent),
        settings,
        rare=run.rare,
        shadowed=run.shadowed,
        labels=class_labels(graph, [iri for iri, _ in classes], settings),
    )


def outlooks(
    graph: KnowledgeGraph,
    profile: Profile,
    kept: Sequence[NodeType],
    settings: GraphSettings,
    run: RunSettings,
    askable: Callable[[Subgraph], int] = lambda subgraph: len(subgraph.facts),
) -> Iterator[Outlook]:
    """The outlook of each kept node type, in order; whoever needs only one that is good can stop there.

    Args:
        askable: how many different questions a subgraph has facts for.

    Raises:
        QueryTimeout, QueryError: as the graph does, while iterating.
    """
    counts = {found.iri: found.count for found in profile.classes}
    classes = class_labels(graph, counts, settings) | {t.iri: t.label for t in kept}
    for node_type in kept:
        sample = take(graph, node_type, settings, run)
        found = candidates(sample, settings, run.max_label_words)
        named = users_rule(sample, settings) or (rule(node_type, found[0], "only") if found else None)
        if named is None or not named.coverage:
            yield Outlook(node_type, named, found)
            continue
        names = Names({node_type.iri: named}, classes, counts, frozenset(t.iri for t in kept))
        learned = learn(graph, sample, named, settings, run)
        seeds = list(islice(SeedSource(graph, node_type, named, settings, run), LOOKED_AT))
        left_out: Counter[str] = Counter()
        facts = [0]
        for seed in seeds:
            subgraph = extract(graph, seed, learned, names, settings, run)
            left_out.update(dropped.reason for dropped in subgraph.dropped)
            facts.append(askable(subgraph))
            if facts[-1] >= run.min_questions:
                break
        yield Outlook(
            node_type,
            named,
            found,
            examples=tuple(seed.label for seed in seeds[:3]),
            seeds=len(facts) - 1,
            facts=max(facts),
            left_out=left_out,
            interest={
                relation: interest
                for relation, interest in learned.interest.items()
                if interest.score < 1 and about_predicate(relation, learned, settings) in ("", interest.reason)
            },
            good=max(facts) >= run.min_questions,
        )
