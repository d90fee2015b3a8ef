"""Which facts a dialogue asks about, in which order, and in which form: the program's part of question generation.

The program chooses and the model words (section 5.2): so no fact is asked twice, and a model cannot ask about something
that the graph does not say.
"""

from __future__ import annotations

import random

from chattygen.context.names import unbracketed
from chattygen.context.spoken import year
from chattygen.domain import AnswerForm, Fact, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.words import contains_words, words

LISTED = 8
"""A fact with more values than this is asked for as a number: nobody wants to hear thirty names."""

COUNT_SHARE = 0.25
"""Share of the facts with three to LISTED values that are asked for as a number, for variety."""


def plan(subgraph: Subgraph, questions: int) -> tuple[tuple[Ask, ...], tuple[Ask, ...]]:
    """Choose what to ask: (asked, spare), each in order; `asked` has at most `questions`.

    The choice is drawn by the seed's IRI, so that entities of one type are not all asked the same, and is the same in
    every run. What is of less interest comes after everything else. Never asked: what the seed's name tells, a
    person's gender (the pronoun tells it), truth values. Which of it is asked yes-no is said by kinds.py.
    """
    draw = random.Random(subgraph.seed.iri)
    usable = [fact for fact in subgraph.facts if _can_be_asked(fact) and not told(fact, subgraph)]
    weights = {fact: draw.random() * (rank + 1) * _dullness(fact) for rank, fact in enumerate(usable)}
    chosen = sorted(usable, key=lambda fact: (-subgraph.interest.get(fact, 1.0), weights[fact]))
    asks = [Ask(fact, _form(fact, draw)) for fact in chosen]
    counted = {str(ask.fact.count) for ask in asks if ask.form == "count"}
    asks = [ask for ask in asks if not (ask.form == "value" and counted & {value.label for value in ask.fact.values})]
    return tuple(asks[:questions]), tuple(asks[questions:])


def is_gender(fact: Fact) -> bool:
    return bool({"gender", "sex"} & set(words(fact.predicate_label)))


def _can_be_asked(fact: Fact) -> bool:
    """Values can be told, or entities counted; subjects of no known class have no name to ask for them by."""
    if fact.direction == "in" and not fact.value_type:
        return False
    return fact.value_kind != "boolean" and (fact.value_kind == "entity" or 0 < len(fact.values) <= LISTED)


def _dullness(fact: Fact) -> int:
    """Two for a fact whose other ends cannot be called anything but entities."""
    return 2 if fact.value_kind == "entity" and not fact.value_type else 1


def _form(fact: Fact, draw: random.Random) -> AnswerForm:
    if not fact.values or fact.count > LISTED:
        return "count"
    if fact.count >= 3 and fact.value_kind == "entity" and draw.random() < COUNT_SHARE:
        return "count"
    return "value"


def told(fact: Fact, subgraph: Subgraph) -> bool:
    """Whether the seed's name tells the fact, or the pronoun for it does."""
    if subgraph.seed.being == "person" and is_gender(fact):
        return True
    label, said = subgraph.seed.label, subgraph.seed.said
    if year(fact) and contains_words(said, year(fact)):
        return True
    parts = (part for value in fact.values for part in (value.label, unbracketed(value.label)[0]))
    return any(contains_words(name, part) for part in parts for name in (label, said))
