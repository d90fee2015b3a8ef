"""Other names of the entities among the gold answers, for a system may use one of them: in any language, any spelling.

Names are what stands under a predicate that is called a name, without those that name only a part (a family name) or
something else (a job title). Knows nothing about systems and scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chattygen.config import GraphSettings
from chattygen.context.descriptions import describe
from chattygen.context.names import local_name
from chattygen.domain import Answer
from chattygen.kg.graph import KnowledgeGraph

NAMING = frozenset(
    "label preflabel altlabel hiddenlabel name fullname altname alternatename alternativename othername nickname alias"
    " aliases aka alsoknownas pseudonym abbreviation acronym title caption headline".split()
)
"""Local names, in lower case and letters only, of predicates that name an entity as a whole."""

NOT_NAMING = frozenset(["http://xmlns.com/foaf/0.1/title"])
"""Dr., Mrs."""


def other_names(
    graph: KnowledgeGraph, answers: Iterable[Answer], settings: GraphSettings, deadline: float
) -> dict[str, tuple[str, ...]]:
    """IRI -> the names that the graph gives an entity beside the label of the answer, sorted.

    Raises:
        QueryError: as the graph.
    """
    labels = {answer.value: answer.label for answer in answers if answer.type == "uri"}
    found: dict[str, tuple[str, ...]] = {}
    for iri, description in describe(graph, labels, settings, deadline).items():
        naming = (literals for predicate, literals in description.literals.items() if names(predicate))
        texts = {" ".join(literal.value.split()) for literals in naming for literal in literals}
        if texts := texts - {labels[iri], ""}:
            found[iri] = tuple(sorted(texts))
    return found


def names(predicate: str) -> bool:
    """Whether what stands under a predicate is a name of the whole entity."""
    return predicate not in NOT_NAMING and re.sub(r"[\W\d_]", "", local_name(predicate)).lower() in NAMING
