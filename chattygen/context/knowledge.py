"""What is learned once about a node type, so that each of its subgraphs can be judged (section 4.3).

Which relations state the same fact, are of little interest or say the same of every entity, and of which class their
other ends are: all from the sample of the type. Knows nothing about a particular seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import Description, describe, predicate_labels, with_stand_ins
from chattygen.context.equivalence import groups
from chattygen.context.interest import ENOUGH, MANY, OWN, PLAIN, YEARS, Interest, interests
from chattygen.context.literals import kind_of, whole_number
from chattygen.context.samples import Relation, TypeSample
from chattygen.domain import Iri, LabelRule, Literal, NodeType, Term
from chattygen.kg.graph import KnowledgeGraph

EXAMPLES = 20
"""Other ends per relation that are kept, and looked up if they are nodes."""


End = TypeVar("End", Iri, Literal)


@dataclass(frozen=True)
class TypeKnowledge:
    """What the sample says about a node type.

    Attributes:
        rule: how its entities are named.
        predicates: predicate IRI -> label, for those seen on the sample; empty when opaque.
        same: groups of relations that state the same fact, the one to keep first.
        interest: of the relations that something speaks against, by the sample or the settings.
        years: outgoing predicates whose whole numbers all look like years, whatever their datatype says.
        constant: relations with one and the same value for every sampled entity.
        examples: relation -> number of nodes among its other ends that were looked up, up to EXAMPLES.
        classes: relation -> class -> number of these that have it.
        ends: relation -> those nodes and as many literals, each entity's first before anyone's second; of texts
            those that several entities have.
        known: IRI -> description of those nodes.
    """

    node_type: NodeType
    rule: LabelRule
    predicates: Mapping[str, str]
    same: tuple[tuple[Relation, ...], ...]
    interest: Mapping[Relation, Interest]
    years: frozenset[str]
    constant: frozenset[Relation]
    examples: Mapping[Relation, int]
    classes: Mapping[Relation, Mapping[str, int]]
    ends: Mapping[Relation, tuple[Iri | Literal, ...]]
    known: Mapping[str, Description]

    def interest_in(self, relation: Relation) -> Interest:
        return self.interest.get(relation, PLAIN)


def learn(
    graph: KnowledgeGraph, sample: TypeSample, rule: LabelRule, settings: GraphSettings, run: RunSettings
) -> TypeKnowledge:
    """Learn about a node type from its sample; costs a few queries.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    nodes_of = {relation: _examples(own.values(), Iri) for relation, own in sample.values.items()}
    examples = {relation: tuple(iri.value for iri in iris) for relation, iris in nodes_of.items()}
    predicates = {predicate for predicate, _ in sample.counts}
    outgoing = [predicate for predicate, direction in sample.values if direction == "out"]
    nodes = {iri for iris in examples.values() for iri in iris}
    known = describe(graph, predicates | nodes, settings, run.deadline)
    named = with_stand_ins(graph, known, predicates, settings, run.deadline)
    labels = predicate_labels(named, sorted(predicates), settings)
    return TypeKnowledge(
        node_type=sample.node_type,
        rule=rule,
        predicates=labels,
        same=groups(sample, labels),
        interest=interests(sample) | _links(sample, examples, known) | _set(sample, settings),
        years=frozenset(p for p in outgoing if _are_years(sample, p)),
        constant=frozenset(
            r for r, found in sample.values.items() if len(found) >= MANY and len({*found.values()}) == 1
        ),
        examples={relation: len(iris) for relation, iris in examples.items()},
        classes={
            relation: Counter(c for iri in iris if iri in known for c in known[iri].types)
            for relation, iris in examples.items()
        },
        ends={r: (*nodes_of[r], *_examples(_no_names(own.values()), Literal)) for r, own in sample.values.items()},
        known={iri: known[iri] for iri in sorted(nodes) if iri in known},
    )


def _examples(found: Iterable[frozenset[Term]], kind: type[End]) -> tuple[End, ...]:
    """Up to EXAMPLES terms of a kind among the other ends, each entity's first before anyone's second."""
    queues: Sequence[list[End]] = [sorted(v for v in values if isinstance(v, kind)) for values in found]
    turns = (queue[i] for i in range(EXAMPLES) for queue in queues if i < len(queue))
    return tuple(dict.fromkeys(turns))[:EXAMPLES]


def _no_names(found: Collection[frozenset[Term]]) -> list[frozenset[Term]]:
    """The other ends without the texts that only one entity has: they name it or speak of it alone."""
    times = Counter(value for values in found for value in values)
    return [
        frozenset(v for v in values if not isinstance(v, Literal) or times[v] > 1 or kind_of(v) != "text")
        for values in found
    ]


def _are_years(sample: TypeSample, predicate: str) -> bool:
    """Whether all values are whole numbers in YEARS, which hardly anything but years is."""
    numbers = [whole_number(literal) for own in sample.literals(predicate).values() for literal in own]
    return len(numbers) >= ENOUGH and all(number in YEARS for number in numbers)


def _links(
    sample: TypeSample, examples: Mapping[Relation, tuple[str, ...]], known: Mapping[str, Description]
) -> dict[Relation, Interest]:
    return {
        relation: Interest(0.0, "link to elsewhere")
        for relation, found in sample.values.items()
        if relation[1] == "out" and _is_link(found.values(), examples[relation], known)
    }


def _set(sample: TypeSample, settings: GraphSettings) -> dict[Relation, Interest]:
    """What the settings say, of the class or of all classes; it overrides what the sample tells."""
    scores = settings.interest.get("*", {}) | settings.interest.get(sample.node_type.iri, {})
    return {
        relation: Interest(scores[relation[0]], "by the settings")
        for relation in sample.counts
        if relation[0] in scores
    }


def _is_link(found: Iterable[frozenset[Term]], examples: tuple[str, ...], known: Mapping[str, Description]) -> bool:
    """Whether each entity points to a node of its own that the graph does not describe: a page, a record elsewhere."""
    ends = [value for values in found for value in values]
    return (
        len(ends) >= ENOUGH
        and all(isinstance(value, Iri) for value in ends)
        and len(set(ends)) >= OWN * len(ends)
        and not any(iri in known for iri in examples)
    )
