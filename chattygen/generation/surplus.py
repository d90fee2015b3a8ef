"""What a question says beyond its fact: a part of Q8 that needs no embedding. English.

A small model adds a number, a preposition or a deed of its own, and so asks something else. Words that may stand beside
any fact are listed here; all others must be the fact's.
"""

from __future__ import annotations

import re

from chattygen.context.reading import PREPOSITIONS, plural
from chattygen.context.summary import hidden, others
from chattygen.domain import Fact
from chattygen.generation.asks import Ask
from chattygen.generation.beings import beings
from chattygen.generation.wording import kind_of
from chattygen.generation.words import FUNCTION_WORDS, content, stem, words

NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()

RELATING = frozenset("about across after against before during into through without".split())
"""Prepositions that say more than the fact, if its own words do not have them: `named after`, `flows into`."""

BESIDE = frozenset("along at near on".split())
"""Prepositions of a place where something lies without being in it: a city at a sea."""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, text.split()))


_VERBS = _stems("appear belong come have lie serve work")
"""Stems of verbs that may stand beside any fact: the city that X lies in."""

_VERBS_OF_X = _stems("attend become carry contain find hold play publish release speak take")
"""The same, beside a fact whose subject is X: the instrument that X plays."""

_AWARDING = _stems("achieve award earn gain get give receive win won")
_AWARDS = _stems("achievement award awarded degree honor honour medal prize rank title")
"""Stems of verbs that may stand beside what can be won, and of words that say that it can."""

ANY_WORDS = _VERBS | _VERBS_OF_X
ANY_WORDS |= _stems("associated based create credited first headquarters involved kind level live main make name")
ANY_WORDS |= _stems("number other people person place sea situated title total type")
"""Stems of all words that may stand in any question."""


def says_more(pattern: str, ask: Ask) -> str:
    """The first preposition or number that the words of the fact do not have, nor the number of its values; or two
    words of meaning that neither the fact has nor any question may have.
    """
    own = {*words(ask.fact.predicate_label), *words(others(ask.fact)), *NUMBERS[ask.fact.count : ask.fact.count + 1]}
    for word in words(pattern):
        near = word == "near" and not BESIDE & own
        if word not in own and (near or word in RELATING or word in NUMBERS or word.isdecimal()):
            return f"says more than the fact: {word}"
    known = content(f"{ask.fact.predicate_label} {hidden(ask.fact)} {others(ask.fact)}") | ANY_WORDS
    more = [word for word in words(pattern) if not content(word) <= known and word not in own]
    return f"says more than the fact: {', '.join(more)}" if len(more) > 1 else ""


def beside(fact: Fact) -> str:
    """The preposition of a fact that says where something lies without being in it; else empty: `located at sea`."""
    own = words(fact.predicate_label)
    near = [word for word in own if word in BESIDE]
    return near[0] if near and {"located", "lies", "situated"} & {*own} and not {"in", "within"} & {*own} else ""


def says_inside(pattern: str, fact: Fact) -> str:
    """`in`, or `where`, where something is located at, on or near something: a city does not lie in its river."""
    inside = r"\bin\?$|^In (?:which|what)\b|\b(?:lie|lies|located|situated) in [XY]\b"
    if beside(fact) and kind_of(pattern) == "where":
        return f"asks where, but the fact says {beside(fact)}"
    return f"says in, where the fact says {beside(fact)}" if beside(fact) and re.search(inside, pattern) else ""


def another_verb(pattern: str, ask: Ask) -> str:
    """The main verb, if it is neither a word of the fact nor one that adds nothing: `Which countries does X occupy?`"""
    fact = ask.fact
    own = content(f"{fact.predicate_label} {fact.value_type} {hidden(fact)}") | _VERBS
    own |= _AWARDING if own & _AWARDS else set()
    own |= _VERBS_OF_X if fact.direction == "out" else {stem("contain")}
    things = "|".join(re.escape(name) for name in (plural(fact.value_type), fact.value_type) if name) or "$"
    behind = re.search(r"\b(?:do|does|did) X (\w+) ?(\w*)", pattern)
    before = re.search(rf"^(?:How many|What|Which) (?:{things}) (\w+) X\b()", pattern)
    for verb, thing in (found.groups() for found in (behind, before) if found):
        said = {stem(verb), stem(stem(verb)), stem(thing)}
        known = any(word in said or (len(verb) > 3 and word.startswith(stem(verb))) for word in own)
        if not known and verb not in FUNCTION_WORDS | PREPOSITIONS:
            return f"says another verb than the fact: {verb}"
        if stem(verb) == "contain" and beings(fact) & {"group", "person"}:
            return "a group contains nothing"
    return ""
