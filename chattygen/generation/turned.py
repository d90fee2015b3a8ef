"""Whether a question puts the entity at the other end of its fact: a part of Q8 that needs no embedding. English."""

from __future__ import annotations

import re

from chattygen.context.reading import Reading, plural, read
from chattygen.domain import Fact
from chattygen.generation import yes_no
from chattygen.generation.beings import beings
from chattygen.generation.verbs import DONE, WHERE, holds_places
from chattygen.generation.words import contains_words, stem, words

_PLACED = "(?:(?:a )?part of|(?:based |contained |located |situated )?(?:at|in))"
_HELD = re.compile(rf"^(?:What|Which) \w+(?: \w+)? (?:(?:is|are) {_PLACED} X|does X have)\?")
"""A place that is said to be in X, or to be had by it."""


def is_turned_round(pattern: str, fact: Fact) -> bool:
    """Whether the question puts `X` at the other end of the fact: asks whom X influenced, of `influenced by`."""
    said = read(fact.predicate_label)
    if fact.direction == "in":
        return _by_link_of_others(pattern, said) if said.link else _by_noun_of_others(pattern, fact, said.noun)
    return _by_link(pattern, said) if said.link else _by_noun(pattern, fact, said.noun)


def _by_noun_of_others(pattern: str, fact: Fact, noun: str) -> bool:
    """X is the noun of others: no track writes an album or has one, and no city is in its province's capital."""
    inside, put = r"\b(?:is|are|lies?) (?:located |situated )?in X\?", r"\bis X (?:based|located|situated)\b"
    turned = (
        not yes_no.AGENT.fullmatch(noun) and re.search(rf"\b(?:do|does|did) X {DONE}\b", pattern),
        re.search(rf"\bX (?:have|has|had) (?:as|(?:an?|any|its|the|their) {re.escape(noun)})\b", pattern),
        re.search(inside if holds_places(fact) else put, pattern),
    )
    return any(turned) or _contains_any(pattern, f"X's {noun}", f"{noun} of X", f"{plural(noun)} of X")


def _by_noun(pattern: str, fact: Fact, noun: str) -> bool:
    """X has the noun: it is not the noun of others, and its city is not in it."""
    held = noun in WHERE and beings(fact) == {"place"} and not holds_places(fact) and _HELD.search(pattern)
    of_x = rf"\bX as (?:\w+ ){{0,3}}{re.escape(noun)}|\bis X (?:an? |the ){re.escape(noun)} of\b"
    return bool(held or re.search(of_x, pattern, re.IGNORECASE))


def _by_link_of_others(pattern: str, said: Reading) -> bool:
    """Others are tied to X: `Which river lies in X?`, not `Which river does X lie in?`"""
    lies = {"located", "lies", "situated"} & {*words(said.link)}
    if lies and re.search(r"\b(?:does X lie|is X (?:located|situated))\b", pattern):
        return True
    return _contains_any(pattern, f"does X {said.base}", f"did X {said.base}", f"X {said.link}")


def _by_link(pattern: str, said: Reading) -> bool:
    """X is tied to others: it does, is or had done to it what the link says."""
    if said.is_verb:
        return _contains_any(pattern, f"{said.link} X", f"{said.base} X")
    if not said.is_deed:
        role = rf"^(?:what|which|who)\b.*\b(?<!X )(?:is|are|was|were) (?:an? |the )?{re.escape(said.link)}\b"
        return bool(re.search(role, pattern, re.IGNORECASE)) or contains_words(pattern, f"{said.link} X")
    deed = re.escape(stem(said.link.split()[0]))
    active = rf"\b(?:do|does|did|has|have) X {deed}\w*\b"
    bound = rf"\b{re.escape(said.link)} (?:at|by|for|from|in|on) X\b"  # awarded in X: to somebody else
    to_others = " " not in said.link and re.search(bound, pattern)
    return bool(to_others or re.search(active, pattern, re.IGNORECASE)) or contains_words(pattern, f"{said.link} X")


def _contains_any(pattern: str, *parts: str) -> bool:
    return any(contains_words(pattern, part) for part in parts)
