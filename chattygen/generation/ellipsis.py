"""What a later turn may leave out: `And when?`, `And its depth?`, `And how many islands?`.

An ellipsis is written by the program from the standalone question. It is one only where a reader of the dialogue can
put back what was left out: the turn before asks the same of the entity with another question word, or the noun is said
and could be that of nothing else. English. Knows nothing about models, nor which turns are ellipses: that is flow.py.
"""

from __future__ import annotations

import re

from chattygen.context.reading import plural, read
from chattygen.domain import Question
from chattygen.generation.plain import PEOPLE
from chattygen.generation.verbs import holds_places
from chattygen.generation.wording import (
    AUXILIARIES,
    Reference,
)
from chattygen.generation.words import content

_ASKED = re.compile(
    r"((?:(?:at|by|for|from|in|on|to|with) )?(?:who|whom|what|which|when|where|how)\b(?: [^X]*?)?)"
    rf" ((?:{'|'.join(sorted(AUXILIARIES))}) .*\bX\b.*)\?",
    re.IGNORECASE,
)
"""`In which city` and `was X born`."""

_NOUN = re.compile(r"(?:What|Who|Which) (?:is|are|was|were) (?:the ([^X]+) of X|X['’]s ([^X]+))\?")

_NUMBER = re.compile(r"(How many [^X]+) does X have\?")

_BARE = frozenset(["what", "which", "whom", "how"])
"""Nobody could tell what `And which?` asks for."""

_LONGEST = 4
"""Words of a noun phrase behind `And its`."""

_SOUNDS_PERSONAL = re.compile(r"(?:or|er|ist|ian|ess|man|laureate|student|friend)$")
"""Classes that may be of people; a river too, but here it does no harm to be too careful."""


def ellipses(question: Question, before: Question, ref: Reference) -> tuple[str, ...]:
    """The elliptical forms of `question` right behind `before`, both about the entity that `ref` refers to; best first.

    None at all where one of them is about two facts or asks yes or no.
    """
    if question.beyond or before.beyond or "yes-no" in (question.form, before.form):
        return ()
    found = [_same_rest(question.pattern, before.pattern)]
    if ref.gender not in genders(before):
        found += [_number(question.pattern), _noun(question, ref)]
    return tuple(text for text in dict.fromkeys(found) if text)


def genders(question: Question) -> frozenset[str]:
    """The pronouns, as Reference.gender names them, that a reader could take for the answer of a question."""
    asked = question.asked
    beings = {value.being for value in asked.values}
    who = question.kind == "who" or "person" in beings or asked.value_type.casefold() in PEOPLE
    if question.form != "value" or not (asked.value_kind == "entity" or (asked.value_kind == "text" and who)):
        return frozenset()
    if asked.count > 1:
        return frozenset(["plural"])
    if "group" in beings:
        return frozenset(["plural", "neuter"])
    people = frozenset(["masculine", "feminine", "plural"])
    if who:
        return people
    unsure = beings == {"thing"} and _SOUNDS_PERSONAL.search(asked.value_type.casefold())
    return people | {"neuter"} if unsure else frozenset(["neuter"])


def same_rest(pattern: str, before: str) -> bool:
    """Whether two questions differ in their question words only: `When was X born?` and `Where was X born?`."""
    return bool(_same_rest(pattern, before))


def _same_rest(pattern: str, before: str) -> str:
    asks, asked = _ASKED.fullmatch(pattern), _ASKED.fullmatch(before)
    if not asks or not asked or asks[2].casefold() != asked[2].casefold() or asks[1].casefold() in _BARE:
        return ""
    return f"And {asks[1][0].lower()}{asks[1][1:]}?"


def _number(pattern: str) -> str:
    found = _NUMBER.fullmatch(pattern)
    return f"And {found[1][0].lower()}{found[1][1:]}?" if found else ""


def _noun(question: Question, ref: Reference) -> str:
    """The noun of the question, or that of its predicate where the question says the same and no more."""
    if question.form != "value" or holds_places(question.fact):  # nobody asks for the city of a province
        return ""
    found = _NOUN.fullmatch(question.pattern)
    if found:
        noun = found[1] or found[2]
    else:
        said, fact = read(question.fact.predicate_label), question.fact
        noun = plural(said.noun) if fact.count > 1 else said.noun
        if fact.direction == "in" or said.link or content(noun) != content(question.pattern):
            return ""
    return f"And {ref.possessive} {noun}?" if len(noun.split()) <= _LONGEST else ""
