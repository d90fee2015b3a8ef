"""Q8: does a question ask what its fact says? An independent check, never the model that wrote the question.

Two parts. A sentence embedding compares the question with the facts of the seed: its own fact must be the nearest, or
nearly. And the question word must fit what stands at the other end: a "when" needs a date, a "how many" a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.context.reading import read
from chattygen.context.summary import relation
from chattygen.domain import Fact, Finding, QuestionKind, ValueKind
from chattygen.generation.plan import Ask
from chattygen.generation.wording import kind_of, with_name
from chattygen.generation.words import contains_words, content, stem, words
from chattygen.models.model import Embedder

NEAREST_WITHIN = 0.02
"""Another fact may be nearer by this much."""

AT_LEAST = 0.3
"""Score below which a question is about something else altogether."""

OWN_WORDS = 0.2
"""What it adds to the similarity when a question says all words of the predicate."""
ANSWERS: dict[QuestionKind, tuple[ValueKind, ...]] = {
    "when": ("date", "year"),
    "who": ("entity", "text"),
    "where": ("entity", "text"),
    "other": ("number", "text"),
}
"""Kinds of value that the question word allows; `other` is "how long", "how high"."""

UNITS = frozenset(
    """seconds minutes hours days kilometers kilometres km meters metres miles feet inches square hectares acres
    kilograms kg tons dollars euros percent percentage degrees""".split()
)
"""Words that say in what a number is measured; a graph that does not say so must not be made to."""


def meaning(fact: Fact) -> str:
    """The fact as the embedding reads it: its relation and what stands at the other end."""
    noun = fact.value_type or ("" if fact.value_kind in ("entity", "text") else fact.value_kind)
    said = relation(fact, "the entity", counted=False)
    return f"{said}: {noun}" if noun and fact.direction == "out" else said


def verify(pattern: str, ask: Ask, facts: Sequence[Fact], embedder: Embedder) -> Finding | None:
    """Compare a question (with `X` for the seed) with its fact among all `facts` of the seed."""
    refused = _word_against_value(pattern, ask)
    if refused:
        return Finding("Q8", refused, pattern)
    others = rivals(pattern, ask, facts)
    own, *rest = scores(pattern, (ask.fact, *others), embedder)
    if own < AT_LEAST:
        return Finding("Q8", f"does not ask for: {meaning(ask.fact)}", pattern)
    for fact, score in zip(others, rest, strict=True):
        if score > own + NEAREST_WITHIN:
            return Finding("Q8", f"asks for: {meaning(fact)}; not for: {meaning(ask.fact)}", pattern)
    return None


def scores(pattern: str, facts: Sequence[Fact], embedder: Embedder) -> list[float]:
    """How near a question is to each fact: cosine similarity, and more where it says the predicate's own words."""
    question, *vectors = embedder.embed([with_name(pattern, "the entity"), *map(meaning, facts)])
    asked = content(pattern)
    said = [content(fact.predicate_label) for fact in facts]
    return [
        _dot(question, vector) + OWN_WORDS * (len(own & asked) / len(own) if own else 0.0)
        for vector, own in zip(vectors, said, strict=True)
    ]


def rivals(pattern: str, ask: Ask, facts: Sequence[Fact]) -> list[Fact]:
    """The other facts that such a question could be about: a "when" is not about a place, "which sea" not a river."""
    kinds = ANSWERS.get(kind_of(pattern))
    asked_class = ask.fact.value_type if ask.fact.value_type and contains_words(pattern, ask.fact.value_type) else ""
    return [
        fact
        for fact in facts
        if fact != ask.fact
        and (ask.form == "count" or not kinds or fact.value_kind in kinds)
        and (
            not asked_class or fact.value_type in ("", asked_class) or content(fact.predicate_label) <= content(pattern)
        )
    ]


def _word_against_value(pattern: str, ask: Ask) -> str:
    """Why the question word cannot have such an answer, or nothing."""
    kind, value = kind_of(pattern), "number" if ask.form == "count" else ask.fact.value_kind
    if kind == "when" and value not in ("date", "year"):
        return f"asks when, but the answer is a {value}"
    if kind == "how-many" and value != "number":
        return f"asks how many, but the answer is a {value}"
    if kind == "where" and value in ("date", "year", "number"):
        return f"asks where, but the answer is a {value}"
    if kind == "who" and value in ("date", "year", "number"):
        return f"asks who, but the answer is a {value}"
    if ask.form == "count" and kind != "how-many":
        return "does not ask how many"
    if ask.form == "value" and ask.fact.count > 1 and any(contains_words(pattern, part) for part in ("one of", "some")):
        return f"asks for some of {ask.fact.count} values"
    if any(unit in words(pattern) and unit not in words(ask.fact.predicate_label) for unit in UNITS):
        return "names a unit that the graph does not state"
    if is_turned_round(pattern, ask.fact):
        return f"turned round: {relation(ask.fact, counted=False)}"
    return ""


def is_turned_round(pattern: str, fact: Fact) -> bool:
    """Whether the question puts `X` at the other end of the fact: asks whom X influenced, of `influenced by`."""
    said = read(fact.predicate_label)
    as_object = (f"X as its {said.noun}", f"X as their {said.noun}", f"X as a {said.noun}", f"X as {said.noun}")
    as_subject = (f"X's {said.noun}", f"{said.noun} of X")
    turned: tuple[str, ...]
    if not said.link:
        is_it = (f"is X the {said.noun} of", f"is X a {said.noun} of", f"is X an {said.noun} of")
        turned = as_subject if fact.direction == "in" else (*as_object, *is_it)
    elif fact.direction == "in":
        turned = (f"does X {said.base}", f"did X {said.base}", f"X {said.link}")
    elif said.link.endswith(" by"):
        verb = stem(said.link.split()[0])
        return bool(re.search(rf"\bX {verb}\w*\b(?! by)|\bby X\b", pattern, re.IGNORECASE))
    else:
        turned = (f"{said.link} X",)
    return any(contains_words(pattern, part) for part in turned)


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(left, right, strict=True)))
