"""Plain questions: dull but right, the last resort of question generation, counted as `builder`. English."""

from __future__ import annotations

from chattygen.context.reading import plural, read
from chattygen.domain import Fact
from chattygen.generation import yes_no
from chattygen.generation.asks import Ask
from chattygen.generation.beings import beings
from chattygen.generation.verbs import happened, holds_places, lie_inside, made_by

PEOPLE = frozenset(["person", "human", "people"])
"""Classes that are asked for with `who`."""


def plain_question(ask: Ask) -> str:
    """A dull but right question about the fact, with `X` for the seed, and `Y` for what a yes-no question tests."""
    if ask.tested:
        return yes_no.plain_question(ask.fact, ask.tested)
    return _of_others(ask) if ask.fact.direction == "in" else _of_the_entity(ask)


def _of_others(ask: Ask) -> str:
    """What X is to others: `Which ships have X as their captain?`"""
    fact, said = ask.fact, read(ask.fact.predicate_label)
    many = ask.form == "count" or fact.count > 1
    kind = fact.value_type or "entity"
    which = f"{'How many' if ask.form == 'count' else 'Which'} {plural(kind) if many else kind}"
    are, were = ("are", "were") if many else ("is", "was")
    event, made = happened(said.noun), made_by(fact)
    if event:
        return f"{which} {f'{were} born' if event == 'born' else event} in X?"
    if made:
        return f"{which} {are if made == 'by' else were} {made} X?"
    if lie_inside(fact):
        return f"{which} {are} based in X?"
    if holds_places(fact):
        return f"{which} is X in?"
    if said.link:
        return f"{which} {(said.base if many else said.link) if said.is_verb else f'{are} {said.link}'} X?"
    owner = "their" if many or _are_people(fact, kind) else "its"
    return f"{which} {'have' if many else 'has'} X as {owner} {said.noun}?"


def _of_the_entity(ask: Ask) -> str:
    """What others are to X: `What is the rank of X?`, `Which river does X flow into?`"""
    fact, said = ask.fact, read(ask.fact.predicate_label)
    count, dated = ask.form == "count", fact.value_kind in ("date", "year")
    many = count or fact.count > 1
    which = "How many" if count else "Which"
    noun, kind = (plural(name) if many and name else name for name in (said.noun, fact.value_type))
    if happened(said.noun) and not count and (dated or fact.value_kind == "entity"):
        when = "When" if dated else "Where"
        return f"{when} was X born?" if happened(said.noun) == "born" else f"{when} did X die?"
    if holds_places(fact) and not count:
        return f"Which {noun} {'are' if many else 'is'} in X?"
    if not said.link and count:
        return f"How many {noun} does X have?"
    if not said.link:
        who = _are_people(fact, fact.value_type) or said.noun == "member"
        return f"{'Who' if who else 'What'} {'are' if many else 'is'} the {noun} of X?"
    if dated and not said.noun:
        return f"When {'did' if said.is_verb else 'was'} X {said.base}?"
    kind = kind or ("entities" if count else "")
    opening = f"{which} {noun or kind}" if noun or kind else "What"
    if said.is_verb:
        return f"{opening} does X {said.base}?"
    return f"{opening} {said.auxiliary} X {said.link if said.noun else said.role or said.link}?"


def _are_people(fact: Fact, kind: str) -> bool:
    return kind in PEOPLE or beings(fact) == {"person"}
