"""Why a fact of a subgraph is not asked about (Algorithm 2, line 8): each function gives the reason, or an empty text.

Judges predicates and values by vocabulary, form and what was learned about the type. Knows nothing about stores.
"""

from __future__ import annotations

import re

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.languages import Ranges, matches, named
from chattygen.context.literals import is_address, is_ill_typed, is_shape, kind_of
from chattygen.context.names import local_name
from chattygen.context.samples import Relation
from chattygen.context.vocabulary import RDFS_LABEL, is_metadata_predicate, listed
from chattygen.domain import Fact, Iri, Literal, Seed


def about_predicate(relation: Relation, knowledge: TypeKnowledge, settings: GraphSettings) -> str:
    """What can be said against a fact before its values are read."""
    predicate, direction = relation
    naming = {path.split(" / ")[0] for path in knowledge.rule.predicates}
    if direction == "out" and predicate in (RDFS_LABEL, *naming):
        return "label"
    if predicate == settings.type_predicate or is_metadata_predicate(predicate):
        return "metadata"
    included = not settings.include_predicates or listed(predicate, settings.include_predicates)
    if not included or listed(predicate, settings.exclude_predicates):
        return "excluded by the settings"
    interest = knowledge.interest_in(relation)
    return "" if interest.score else interest.reason


def about_values(fact: Fact, seed: Seed, settings: GraphSettings, run: RunSettings) -> str:
    """What can be said against a fact once its values are known; a hub, whose values are not, passes."""
    if not fact.predicate_label:
        return "predicate without a label"
    literals = [value.term for value in fact.values if isinstance(value.term, Literal)]
    if any(is_address(value.term) for value in fact.values):
        return "address or image"
    if any(is_shape(literal) for literal in literals):
        return "geometry or markup"
    if any(len(literal.value) > run.max_literal for literal in literals):
        return "long text"
    if any(not value.label for value in fact.values):
        return "no label"
    if any(is_ill_typed(literal) for literal in literals):
        return "value that its datatype does not allow"
    if reason := _language(literals, settings.languages):
        return reason
    if literals and len(literals) < len(fact.values):
        return "literals and nodes mixed"
    if literals and fact.value_kind != "date" and fact.predicate_label.casefold() in _datatypes(literals):
        return "named after its datatype only"
    return _restates_seed(fact, seed)


def _language(literals: list[Literal], ranges: Ranges) -> str:
    """A fact is asked about only when a query without a language filter gives one language, and one asked for."""
    tags = {literal.lang.lower() for literal in literals if literal.lang}
    if len({tag.split("-")[0] for tag in tags}) > 1:
        return "several languages"
    foreign = [tag for tag in tags if not any(matches(tag, wanted) for wanted in named(ranges))]
    return "in another language" if foreign else ""


def _datatypes(literals: list[Literal]) -> set[str]:
    return {local_name(literal.datatype).casefold() for literal in literals}


def _restates_seed(fact: Fact, seed: Seed) -> str:
    """Whether the fact only says what the seed is called, what it is, or that it is itself."""
    if any(value.term == Iri(seed.iri) for value in fact.values):
        return "points to the entity itself"
    name = seed.label.casefold()
    labels = [value.label.casefold() for value in fact.values]
    if labels and all(label == name for label in labels):
        return "label"
    texts = [
        value.label.casefold()
        for value in fact.values
        if isinstance(value.term, Literal) and kind_of(value.term, fact.predicate_label) == "text"
    ]
    if any(_holds(name, text) or _holds(text, name) for text in texts):
        return "label"
    return "type" if labels and all(label == seed.type_label.casefold() for label in labels) else ""


def _holds(text: str, part: str) -> bool:
    """Whether the words of `part` stand together in `text`."""
    words, all_words = (" ".join(re.findall(r"\w+", side)) for side in (part, text))
    return bool(words) and f" {words} " in f" {all_words} "
