"""How the triples with one predicate and direction become a fact: labels, classes and kinds (Algorithm 3).

Puts names to what the graph holds; judges nothing (filters.py does). Knows nothing about stores or prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chattygen.config import GraphSettings
from chattygen.context.descriptions import UNKNOWN, Description, name_of
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.literals import kind_of, shown
from chattygen.context.node_types import class_label
from chattygen.context.samples import Relation
from chattygen.domain import Being, BlankNode, Fact, Iri, LabelRule, Literal, Term, Value, ValueKind


@dataclass(frozen=True)
class Names:
    """How the classes of a graph and their entities are named.

    Attributes:
        rules: node type IRI -> label rule, for the types that have one.
        classes: class IRI -> the label that the graph has for it (descriptions.class_labels).
        counts: class IRI -> number of entities, of all classes.
        kept: IRIs of the node types that Algorithm 1 kept.
        beings: node type IRI -> what its entities are, for the types whose naming has shown it.
    """

    rules: Mapping[str, LabelRule]
    classes: Mapping[str, str]
    counts: Mapping[str, int]
    kept: frozenset[str]
    beings: Mapping[str, Being] = field(default_factory=dict)

    def of_class(self, iri: str) -> str:
        return self.classes.get(iri) or class_label(iri)


@dataclass(frozen=True)
class Reader:
    """Reads the surroundings of one seed.

    Attributes:
        predicates: predicate IRI -> label.
        known: IRI -> description, for the neighbours that the graph describes.
    """

    knowledge: TypeKnowledge
    names: Names
    settings: GraphSettings
    predicates: Mapping[str, str]
    known: Mapping[str, Description]

    def fact(self, relation: Relation, count: int, terms: Sequence[Term]) -> Fact:
        """The fact of a relation with `count` other ends; `terms` is empty when they are too many to be read."""
        predicate, direction = relation
        label = self.predicates[predicate]
        values = tuple(self._value(relation, term) for term in terms if not isinstance(term, BlankNode))
        return Fact(
            predicate,
            label,
            direction,
            values,
            count,
            value_kind=self._kind(predicate, values, label) if values else self._usual_kind(relation),
            value_type=self._common_class(relation, values) if values else self._usual_class(relation),
        )

    def _value(self, relation: Relation, term: Iri | Literal) -> Value:
        if isinstance(term, Literal):
            return Value(term, shown(term))
        name = name_of(term.value, self._description(term), self.names.rules, self.settings)
        types = self._description(term).types
        return Value(term, name, self._best_class(relation, types), self._being(types))

    def _being(self, classes: Sequence[str]) -> Being:
        """What the smallest class with a known being says."""
        known = [c for c in classes if c in self.names.beings]
        smallest = min(known, key=lambda c: (self.names.counts.get(c, 0), c), default="")
        return self.names.beings.get(smallest, "thing")

    def _common_class(self, relation: Relation, values: Sequence[Value]) -> str:
        """The label of a class that all values have, so that `5 countries` is true of all five."""
        classes = [self._description(value.term).types for value in values]
        return self._best_class(relation, [c for c in classes[0] if all(c in others for others in classes)])

    def _usual_class(self, relation: Relation) -> str:
        """The label of a class that all other ends on the sample have."""
        seen = self.knowledge.classes.get(relation, {})
        everyone = self.knowledge.examples.get(relation, 0)
        return self._best_class(relation, [c for c, times in seen.items() if times == everyone])

    def _best_class(self, relation: Relation, classes: Sequence[str]) -> str:
        """The label of the class most common at this relation; in a draw the smallest class, then a kept node type."""
        seen = self.knowledge.classes.get(relation, {})
        counts, kept = self.names.counts, self.names.kept
        ranked = sorted(classes, key=lambda c: (-seen.get(c, 0), counts.get(c, 0), c not in kept, c))
        return self.names.of_class(ranked[0]) if ranked else ""

    def _kind(self, predicate: str, values: Sequence[Value], label: str) -> ValueKind:
        """The one kind of all values; `text` when they differ."""
        kinds: set[ValueKind] = {"entity" if isinstance(v.term, Iri) else kind_of(v.term, label) for v in values}
        if kinds == {"number"} and predicate in self.knowledge.years:
            return "year"
        return kinds.pop() if len(kinds) == 1 else "text"

    def _usual_kind(self, relation: Relation) -> ValueKind:
        return "entity" if relation[1] == "in" or self.knowledge.examples.get(relation) else "text"

    def _description(self, term: Iri | Literal) -> Description:
        return self.known.get(term.value, UNKNOWN) if isinstance(term, Iri) else UNKNOWN
