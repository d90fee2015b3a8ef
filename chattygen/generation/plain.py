"""Plain questions: dull but right, the last resort of question generation, counted as `builder`. English."""

from __future__ import annotations

from chattygen.context.reading import plural, read
from chattygen.generation import yes_no
from chattygen.generation.asks import Ask
from chattygen.generation.verbs import happened, holds_places, lie_inside

PEOPLE = frozenset(["person", "human", "people"])
"""Classes that are asked for with `who`."""


def plain_question(ask: Ask) -> str:
    """A dull but right question about the fact, with `X` for the seed, and `Y` for what a yes-no question tests."""
    if ask.tested:
        return yes_no.plain_question(ask.fact, ask.tested)
    fact, said = ask.fact, read(ask.fact.predicate_label)
    many = ask.form == "count" or fact.count > 1
    which = "How many" if ask.form == "count" else "Which"
    kind = fact.value_type or ("entity" if fact.direction == "in" or ask.form == "count" else "")
    things = plural(kind) if many and kind else kind
    person = kind in PEOPLE or {value.being for value in fact.values} == {"person"}
    told = ask.form == "value" and fact.value_kind in ("entity", "date", "year")
    event = happened(said.noun) if fact.direction == "in" or told else ""
    if event and fact.direction == "in":
        return f"{which} {things} {('were ' if many else 'was ') * (event == 'born')}{event} in X?"
    if event:
        where = "Where" if fact.value_kind == "entity" else "When"
        return f"{where} was X born?" if event == "born" else f"{where} did X die?"
    if holds_places(fact) and ask.form == "value":
        return f"Which {plural(said.noun) if many else said.noun} {'are' if many else 'is'} in X?"
    if lie_inside(fact):
        return f"{which} {things} {'are' if many else 'is'} in X?"
    if fact.direction == "in":
        if said.link and said.is_verb:
            return f"{which} {things} {said.base if many else said.link} X?"
        if said.link:
            return f"{which} {things} {'are' if many else 'is'} {said.link} X?"
        return f"{which} {things} {'have' if many else 'has'} X as {'their' if many or person else 'its'} {said.noun}?"
    if not said.link:
        noun = plural(said.noun) if many else said.noun
        if ask.form == "count":
            return f"How many {noun} does X have?"
        who = person or said.noun == "member"
        return f"{'Who' if who else 'What'} {'are' if many else 'is'} the {noun} of X?"
    if said.noun:
        opening = f"{which} {plural(said.noun) if many else said.noun}"
    elif fact.value_kind in ("date", "year"):
        return f"When {'did' if said.is_verb else 'was'} X {said.base}?"
    else:
        opening = f"{which} {things}" if things else "What"
    if said.is_verb:
        return f"{opening} does X {said.base}?"
    link = said.link if said.noun else said.role or said.link
    return f"{opening} {said.auxiliary} X {link}?"
