"""Q8: does a question ask what its fact says? An independent check, never the model that wrote the question.

Two parts. The words of the question must not speak against its fact (mismatch.py). And a sentence embedding compares
the question with the facts of the seed: its own fact must be the nearest, or nearly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.context.reading import plural, read
from chattygen.context.summary import relation
from chattygen.domain import Fact, Finding, QuestionKind, ValueKind
from chattygen.generation.asks import Ask
from chattygen.generation.mismatch import mismatch
from chattygen.generation.plain import plain_question
from chattygen.generation.wording import kind_of, with_name
from chattygen.generation.words import contains_words, content
from chattygen.generation.yes_no import emptied
from chattygen.models.model import Embedder

NEAREST_WITHIN = 0.02
"""Another fact may be nearer by this much."""

AT_LEAST = 0.3
"""Score below which a question is about something else altogether."""

AT_LEAST_IN_OTHER_WORDS = 0.645
"""The same for a question that says none of the predicate's words, where it could be about another fact."""

AT_LEAST_OF_NAMES = 0.7
"""The same where a name is asked for, which the question word hardly narrows: `Where did X live?` is near the birth
place and `Who is buried in X?` near the death place, but both ask something else."""

AT_LEAST_OF_TESTED = 0.8
"""The same for a yes-no question: it names the class of what is tested, so that `Does X like a city?` is near, too."""

OWN_WORDS = 0.2
"""What it adds to the similarity when a question says all words of the predicate."""

ABBREVIATED = 5
"""Letters that the beginning of a word needs to stand for it."""

ANSWERS: dict[QuestionKind, tuple[ValueKind, ...]] = {
    "when": ("date", "year"),
    "who": ("entity", "text"),
    "where": ("entity", "text"),
    "other": ("number", "text"),
}
"""Kinds of value that the question word allows; `other` is "how long", "how high"."""


def meaning(fact: Fact) -> str:
    """The fact as the embedding reads it: its relation and what stands at the other end."""
    noun = fact.value_type or ("" if fact.value_kind in ("entity", "text") else fact.value_kind)
    said = relation(fact, "the entity", counted=False)
    return f"{said}: {noun}" if noun and fact.direction == "out" else said


def verify(pattern: str, ask: Ask, facts: Sequence[Fact], embedder: Embedder) -> Finding | None:
    """Compare a question (with `X` for the seed) with its fact among all `facts` of the seed.

    The program's plain question says its fact by construction; that no other fact is nearer is demanded of it, too.
    """
    pattern = emptied(pattern, ask.tested)
    refused = mismatch(pattern, ask, facts)
    if refused:
        return Finding("Q8", refused, pattern)
    others = rivals(pattern, ask, facts)
    own, *rest = scores(pattern, (ask.fact, *others), embedder)
    least = AT_LEAST if says_predicate(pattern, ask.fact) else in_other_words(ask, others)
    if own < least and pattern != plain_question(ask):
        return Finding("Q8", f"does not ask for: {meaning(ask.fact)}", pattern)
    for fact, score in zip(others, rest, strict=True):
        if score > own + NEAREST_WITHIN:
            return Finding("Q8", f"asks for: {meaning(fact)}; not for: {meaning(ask.fact)}", pattern)
    return None


def says_predicate(pattern: str, fact: Fact) -> bool:
    """Whether a question has a word of the predicate, or one that it abbreviates: `abbrev`, `headq`."""
    asked, own = content(without_class(pattern, fact.value_type)), content(fact.predicate_label)
    short = [word for word in own if len(word) >= ABBREVIATED]
    return bool(own & asked) or any(word.startswith(part) for part in short for word in asked)


def in_other_words(ask: Ask, others: Sequence[Fact]) -> float:
    """The least score of a question that says none of the predicate's words."""
    if ask.tested:
        return AT_LEAST_OF_TESTED
    if ask.form == "value" and ask.fact.value_kind in ("entity", "text"):
        return AT_LEAST_OF_NAMES
    return AT_LEAST_IN_OTHER_WORDS if others else AT_LEAST


def scores(pattern: str, facts: Sequence[Fact], embedder: Embedder) -> list[float]:
    """How near a question is to each fact, its own first: cosine similarity, more where it says the predicate.

    What is tested counts as its class.
    """
    kind = facts[0].value_type or read(facts[0].predicate_label).noun or "that"
    said = re.sub(r"\bY\b", kind, with_name(pattern, "the entity"))
    question, *vectors = embedder.embed([said, *map(meaning, facts)])
    asked = content(without_class(pattern, facts[0].value_type))
    predicates = [content(fact.predicate_label) for fact in facts]
    return [
        _dot(question, vector) + OWN_WORDS * (len(own & asked) / len(own) if own else 0.0)
        for vector, own in zip(vectors, predicates, strict=True)
    ]


def without_class(pattern: str, value_type: str) -> str:
    """`pattern` without `Which city`: that says the class of the answer, not the predicate, if that is `city` too."""
    names = "|".join(re.escape(name) for name in (plural(value_type), value_type))
    return re.sub(rf"^(?:which|what) (?:{names})\b", "", pattern, flags=re.IGNORECASE) if value_type else pattern


def rivals(pattern: str, ask: Ask, facts: Sequence[Fact]) -> list[Fact]:
    """The other facts that such a question could be about: a "when" is not about a place, "which sea" not a river."""
    if ask.tested:
        return [fact for fact in facts if fact != ask.fact and fact.value_kind == ask.fact.value_kind]
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


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(left, right, strict=True)))
