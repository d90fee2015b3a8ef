"""Head-to-Tail questions from templates: one wording for each attribute of a node type (Head-to-Tail, section 2).

A template is a phrasing of which one wording is used. Every bucket gets the same number of questions of each template,
as far as it has entities with that attribute. Knows nothing about files, buckets or how wordings are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from chattygen.context.samples import Relation
from chattygen.domain import Subgraph, Turn
from chattygen.generation.asks import Ask
from chattygen.generation.assemble import Known, Run, known
from chattygen.generation.phrasing import planned
from chattygen.generation.phrasings import Phrasings
from chattygen.generation.plan import LISTED

Template = tuple[str, Relation]
"""A node type (IRI) and what is asked of its entities."""


def values(subgraph: Subgraph) -> tuple[Ask, ...]:
    """The facts of an entity whose values can be told, also where a dialogue would ask for their number."""
    facts = [ask.fact for ask in planned(subgraph)]
    return tuple(Ask(fact, "value") for fact in facts if 0 < len(fact.values) <= LISTED)


def template_of(known: Known, ask: Ask) -> Template:
    return known.subgraph.seed.node_type, (ask.fact.predicate, ask.fact.direction)


def attributes(subgraph: Subgraph, templates: Phrasings) -> Known:
    """What can be asked about an entity: values that can be told, each by the first wording that fits."""
    entity = known(subgraph, templates, values(subgraph))
    return replace(entity, choices={ask: said[:1] for ask, said in entity.choices.items()})


def next_question(entity: Known, asked: Counter[Template], texts: set[str], run: Run) -> tuple[Turn, ...]:
    """The one turn of the next item about an entity: by the template that was used least so far, each once.

    Empty when nothing is left. `asked` counts what is used of each template, `texts` holds all questions so far: two
    entities of one name give one question.
    """
    for ask in _least_used(entity, asked):
        said = entity.choices[ask][0]
        entity.told.add((said.question.pattern,))
        if said.question.text in texts or (query := run(said.question)) is None:
            continue
        asked[template_of(entity, ask)] += 1
        texts.add(said.question.text)
        return (Turn(1, said.question.text, said.question.origin, said.question, query, "opening"),)
    return ()


def _least_used(entity: Known, asked: Counter[Template]) -> Iterator[Ask]:
    left = [ask for ask, (said, *_) in entity.choices.items() if (said.question.pattern,) not in entity.told]
    yield from sorted(left, key=lambda ask: asked[template_of(entity, ask)])
