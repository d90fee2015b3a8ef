"""Follow-ups on the answer just given: `Who is her mentor?`, and then `Where was he born?`.

A question over two facts whose first fact has one entity at its other end, said as a question about that entity: by a
pronoun that cannot mean the seed, or as `that city`, or by what it is to the seed (`the mentor`). English. Knows
nothing about models, nor which turns of a dialogue are follow-ups: that is flow.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chattygen.context.reading import plural, read
from chattygen.context.spoken import VAGUE
from chattygen.domain import Fact, Question, QuestionKind, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.plain import PEOPLE, plain_question
from chattygen.generation.plan import is_gender
from chattygen.generation.two_facts import end
from chattygen.generation.wording import (
    PRONOUN_FORMS,
    Reference,
    of_group,
    reference,
    stated_gender,
    with_reference,
)
from chattygen.generation.words import words

PLACES = frozenset(
    """capital city continent country county district island lake mountain municipality place province region river sea
    settlement state town village""".split()
)
"""Classes whose entities are places, by their last word: something is there."""


@dataclass(frozen=True)
class Referent:
    """How a follow-up refers to the answer of the turn before: `forms` are the words for it, none of the seed's."""

    ref: Reference
    forms: tuple[str, ...]

    def utter(self, pattern: str) -> str:
        """`pattern` with a reference to the answer in the place of `X`."""
        return with_reference(pattern, self.ref, "" if self.forms[0] == self.ref.subject else self.forms[0])


def referent(fact: Fact, kind: QuestionKind, subgraph: Subgraph) -> Referent | None:
    """How the one answer to a question of that kind for the values of `fact` is referred to.

    None where there is not exactly one, where it is no entity, or where all words for it could mean the seed.
    """
    if fact.count != 1 or len(fact.values) != 1 or fact.value_kind != "entity":
        return None
    seed = reference(subgraph)
    phrase = _phrase(fact, kind, subgraph)
    gender = _gender(fact, kind, subgraph)
    ref = Reference(gender or "neuter", *PRONOUN_FORMS[gender or "neuter"], phrase, is_place(fact, kind))
    of_groups = (*PRONOUN_FORMS["neuter"], *PRONOUN_FORMS["plural"])
    own = {*seed.forms, *(of_groups if subgraph.seed.being == "group" else ())}
    if gender and not {ref.subject, ref.object, ref.possessive} & own:
        said = dict.fromkeys((ref.subject, ref.object, ref.possessive))
        there = ["there"] * (ref.place and not seed.place)
        return Referent(ref, (*said, *there, *[phrase] * bool(phrase)))
    return Referent(ref, (phrase,)) if phrase else None


def about_answer(question: Question) -> str:
    """The second half of a question over two facts, with `X` for the answer of the first half.

    `Where was the mentor of X born?` becomes `Where was X born?`; where its words hide the first half, the plain
    question about the second fact.
    """
    beyond = question.beyond
    if beyond is None:
        raise ValueError("a follow-up is a question over two facts")
    first = end(question.fact)
    names = [first, f"X's {read(question.fact.predicate_label).noun}"] if first else []
    for name in names:
        inner = re.sub(rf"\b{re.escape(name)}\b", "Z", question.pattern, flags=re.IGNORECASE)
        if inner.count("Z") == 1 and "x" not in words(inner):
            return inner.replace("Z", "X")
    return plain_question(Ask(beyond.fact, "value"))


def _gender(fact: Fact, kind: QuestionKind, subgraph: Subgraph) -> str:
    """As Reference.gender; empty when nobody knows whether it is a person, a place or a thing."""
    value = fact.values[0]
    label = value.type_label or fact.value_type
    if value.being == "group" and kind != "who":
        return of_group(label)
    if kind == "who" or value.being == "person" or label.casefold() in PEOPLE:
        for first, beyond in subgraph.beyond:
            if first == fact and is_gender(beyond.fact) and beyond.asked.count == 1 and beyond.asked.values:
                return stated_gender(beyond.asked.values[0].label)
        return "plural"
    return "neuter" if is_place(fact, kind) or value.being == "work" else ""


def is_place(fact: Fact, kind: QuestionKind) -> bool:
    """Whether the one answer to a question of that kind is a place."""
    label = fact.values[0].type_label or fact.value_type
    return kind == "where" or fact.values[0].being == "place" or bool(PLACES & set(words(label)[-1:]))


def _phrase(fact: Fact, kind: QuestionKind, subgraph: Subgraph) -> str:
    """What the answer is to the seed (`the mentor`); of a place, or where there is no noun for that, `that city`.

    Neither is what the seed is too.
    """
    label, said = fact.values[0].type_label or fact.value_type, read(fact.predicate_label)
    own = subgraph.seed.type_label.casefold()
    by_class = f"that {label}" if label and label.casefold() not in VAGUE else ""
    by_class = "" if own in (label.casefold(), plural(label).casefold()) else by_class
    noun = "" if fact.direction == "in" or said.link or said.noun.casefold() == own else f"the {said.noun}"
    return (by_class or noun) if is_place(fact, kind) else (noun or by_class)
