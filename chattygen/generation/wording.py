"""Deterministic wordings: the last resort of each stage, counted as `builder` wherever it is used.

A plain question about a fact, the seed's name as it is said, and the replacement of the name by a pronoun. English only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chattygen.context.summary import PREPOSITIONS, is_verb, plural, reading
from chattygen.domain import QuestionKind, Seed, Subgraph
from chattygen.generation.plan import Ask
from chattygen.generation.words import PRONOUNS, words

AUXILIARIES = frozenset(
    ["did", "does", "do", "is", "was", "are", "were", "has", "have", "had", "can", "could", "will", "would"]
)


@dataclass(frozen=True)
class Reference:
    """How later turns refer to the seed: subject, object and possessive pronoun, and a definite phrase."""

    gender: str
    subject: str
    object: str
    possessive: str
    phrase: str

    @property
    def pronouns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.subject, self.object, self.possessive)))

    @property
    def forms(self) -> tuple[str, ...]:
        return (*self.pronouns, self.phrase)


_PRONOUN_FORMS = {
    "masculine": ("he", "him", "his"),
    "feminine": ("she", "her", "her"),
    "neuter": ("it", "it", "its"),
    "plural": ("they", "them", "their"),
}


def reference(subgraph: Subgraph) -> Reference:
    """The reference that fits the seed's type, and its gender where the graph states one (D8)."""
    seed = subgraph.seed
    gender = {"person": "plural", "group": "plural", "place": "neuter", "thing": "neuter"}[seed.being]
    if seed.being == "person":
        for fact in subgraph.facts:
            if is_gender(fact.predicate_label) and fact.count == 1 and fact.values:
                said = words(fact.values[0].label)
                gender = "feminine" if "female" in said else "masculine" if "male" in said else gender
    return Reference(gender, *_PRONOUN_FORMS[gender], f"the {seed.type_label}")


def is_gender(predicate_label: str) -> bool:
    return bool({"gender", "sex"} & set(words(predicate_label)))


def said(seed: Seed) -> str:
    """The seed's name as it stands in a question: a title of several words is put in quotation marks."""
    long = len(seed.label.split()) >= 4 or any(mark in seed.label for mark in ":?!;")
    return f'"{seed.label}"' if seed.being == "thing" and long and '"' not in seed.label else seed.label


def with_name(pattern: str, name: str) -> str:
    """`pattern` with the name in the place of `X`."""
    return re.sub(r"\bX\b", lambda _: name, pattern)


def kind_of(question: str) -> QuestionKind:
    """The kind of a question by its opening words."""
    said_words = words(question)
    if said_words[:2] == ["how", "many"] or said_words[:2] == ["how", "much"]:
        return "how-many"
    if said_words and said_words[0] in AUXILIARIES:
        return "yes-no"
    if said_words[:2] in (["in", "which"], ["on", "which"]) and {"year", "date", "day"} & set(said_words[2:4]):
        return "when"
    for word in said_words[:2]:
        if word in ("whom", "whose"):
            return "who"
        if word in ("what", "who", "when", "where", "which"):
            return word  # type: ignore[return-value]
    return "other"


def plain_question(ask: Ask) -> str:
    """A dull but right question about the fact, with `X` for the seed."""
    fact, read = ask.fact, reading(ask.fact)
    predicate = " ".join(read)
    bound, verb = read[-1] in PREPOSITIONS, is_verb(read[0])
    many = fact.count > 1
    things = (plural(fact.value_type) if many or ask.form == "count" else fact.value_type) if fact.value_type else ""
    bare = " ".join([read[0].removesuffix("s"), *read[1:]])
    if fact.direction == "out":
        which = f"How many {things or 'things'}" if ask.form == "count" else f"Which {things}" if things else "What"
        if bound:
            return f"{which} does X {bare}?" if verb else f"{which} is X {predicate}?"
        if ask.form == "count":
            return f"How many {plural(predicate)} does X have?"
        return f"What are the {plural(predicate)} of X?" if many else f"What is the {predicate} of X?"
    which = (
        f"How many {things or 'things'}"
        if ask.form == "count"
        else f"Which {things or 'things' if many else things or 'thing'}"
    )
    plural_verb = many or ask.form == "count"
    if bound and verb:
        return f"{which} {bare if plural_verb else predicate} X?"
    if bound:
        return f"{which} {'are' if plural_verb else 'is'} {predicate} X?"
    return f"{which} {'have' if plural_verb else 'has'} X as {predicate}?"


def with_reference(pattern: str, ref: Reference) -> str:
    """`pattern` with the fitting pronoun in the place of `X`."""
    text = re.sub(r"\bX['’]s\b", ref.possessive, pattern)
    match = re.search(r"\bX\b", text)
    if not match:
        return text
    before = words(text[: match.start()])
    subject = bool(before) and before[-1] in AUXILIARIES
    pronoun = ref.subject if subject else ref.object
    if subject and ref.subject == "they":
        text = text[: match.start()] + "X" + text[match.end() :]
        text = re.sub(
            r"\b(is|was|does|has)( X\b)",
            lambda m: {"is": "are", "was": "were", "does": "do", "has": "have"}[m[1]] + m[2],
            text,
        )
    return re.sub(r"\bX\b", pronoun, text)


def other_pronouns(ref: Reference) -> frozenset[str]:
    """The pronouns that would not agree with `ref`."""
    return frozenset(word for gender, group in PRONOUNS.items() if gender != ref.gender for word in group)
