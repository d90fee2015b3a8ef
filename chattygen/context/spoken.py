"""How an entity is said where its bare label would not do: with its type, with a year, or with one telling fact.

`1984 (song)` is the song "1984", `Nobel Prize in Physics (1952)` the 1952 Nobel Prize in Physics, and of two provinces
called Limburg one is the province Limburg whose country is Belgium. Every form is one noun phrase in the label's place.
English. Knows nothing about graphs or prompts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from chattygen.context.names import count_words, lower_words, unbracketed
from chattygen.context.reading import PREPOSITIONS, article, read
from chattygen.domain import Being, Fact, Seed

VAGUE = frozenset("agent creator entity human person thing".split())
"""Types after which nobody would call an entity: `the person` sounds like somebody else."""

WORDS = 6
"""A fact tells namesakes apart only if its other end is said in so many words at most."""

WITH_ARTICLE = frozenset("archipelago canal desert ocean river sea".split())
"""Classes whose names a person says with an article: the Elbe, the North Sea."""

_OCCUPATION = re.compile(r"(?!(?:an?|born|from|in|of|the) )[a-z-]+(?: [a-z-]+)?(?:er|or|ist|ian|ant|ess)")
_SENTENCE = re.compile(r"(?<=\w{4})\.$")
_YEAR = re.compile(r"[12]\d{3}")


def called(label: str, being: Being, type_label: str) -> str:
    """A label as it stands in a question: a title in quotation marks, a river with its article."""
    bare = set(type_label.split()[-1:]) & WITH_ARTICLE and label.split()[:1] not in (["The"], ["the"])
    return f"the {label}" if bare else title(label, being)


def title(label: str, being: Being) -> str:
    """A label as it stands in a question: the title of a work in quotation marks, without the full stop at the end of
    one that is a sentence.
    """
    if being != "work" or '"' in label:
        return label
    return f'"{_SENTENCE.sub("", label)}"'


def kinds(type_label: str, labels: Iterable[str]) -> frozenset[str]:
    """What entities of a type are called in brackets, in lower case: the type's own label, and each last word that
    stands alone in the bracket of one label and behind other words in that of another (`(film)`, `(1999 film)`).
    """
    inside = [words for label in labels if (words := unbracketed(label)[1].casefold().split())]
    alone = {words[0] for words in inside if len(words) == 1}
    return frozenset({type_label.casefold()} | (alone & {words[-1] for words in inside if len(words) > 1}))


def without_bracket(seed: Seed, facts: Iterable[Fact], kinds: Collection[str]) -> str:
    """The label with what stands in its bracket said as a person says it; empty when the bracket is best left alone.

    It must be a kind (`kinds`), alone, behind a name, or behind a year or a neighbour that the facts give, or such a
    year alone; of a person, what they are: `Pink (singer)` is the singer Pink.
    """
    name, bracket = unbracketed(seed.label)
    if seed.being == "person" and _OCCUPATION.fullmatch(bracket):
        return f"the {bracket} {name}"
    kind = next((k for k in sorted(kinds, key=len, reverse=True) if f" {bracket.casefold()}".endswith(f" {k}")), "")
    owner = bracket[: len(bracket) - len(kind)].strip()
    if not bracket or (owner and not _given(owner, facts) and not (kind and _is_name(owner))):
        return ""
    if kind:
        spoken = seed.type_label if kind == seed.type_label.casefold() else lower_words(bracket[-len(kind) :])
        return " ".join(filter(None, ["the", owner, spoken, title(name, seed.being)]))
    if seed.being == "work":
        return f"the {owner} {seed.type_label} {title(name, 'work')}" if _YEAR.fullmatch(owner) else ""
    return f"the {owner} {name}" if seed.being == "thing" and _YEAR.fullmatch(owner) else ""


def with_type(seed: Seed) -> str:
    """`the city Adana`"""
    return f"the {seed.type_label} {title(seed.label, seed.being)}"


def tells(fact: Fact) -> bool:
    """Whether a fact can tell an entity from its namesakes: one other end, said in a few words, and no measure."""
    if fact.count != 1 or len(fact.values) != 1 or fact.value_kind in ("number", "boolean"):
        return False
    return count_words(fact.values[0].label) <= WORDS and bool(_clause(fact, "thing"))


def telling(seed: Seed, fact: Fact) -> tuple[int, str]:
    """How well the entity is said with a fact, 0 the best, and how: `the 1999 album "Mosh"`."""
    vague = seed.type_label.casefold() in VAGUE
    name = f"the {'' if vague else seed.type_label + ' '}{title(seed.label, seed.being)}"
    if year(fact) and seed.being in ("work", "thing") and not vague:
        return 0, f"the {year(fact)} {seed.type_label} {title(seed.label, seed.being)}"
    said = read(fact.predicate_label)
    if said.link:
        rank = 4 if said.is_verb else 1
    elif fact.direction == "in":
        rank = 3
    else:
        rank = 2 if fact.value_kind == "entity" else 5
    return rank, f"{name} {_clause(fact, seed.being)}"


def year(fact: Fact) -> str:
    """The year of a date or year, else an empty text."""
    found = _YEAR.match(fact.values[0].label) if fact.value_kind in ("date", "year") and fact.values else None
    return found[0] if found else ""


def _is_name(owner: str) -> bool:
    """Whether the words in front of a kind are a name, so that it needs no fact to say it: `R.E.M.`, no year."""
    return all(word[0].isupper() for word in owner.split())


def _given(owner: str, facts: Iterable[Fact]) -> bool:
    """Whether the words in front of a kind are the year or the only other end of one of the facts."""
    wanted = owner.casefold()
    for fact in facts:
        if len(fact.values) == 1 and _YEAR.fullmatch(owner) and year(fact) == owner:
            return True
        names = [value.label for value in fact.values if fact.value_kind == "entity"]
        if any(wanted in (name.casefold(), unbracketed(name)[0].casefold()) for name in names):
            return True
    return False


def _clause(fact: Fact, being: Being) -> str:
    """What stands behind the name; empty where the predicate gives no plain English."""
    said, value = read(fact.predicate_label), fact.values[0].label
    who = "who" if being == "person" else "that"
    if fact.direction == "in":
        return "" if said.link else f"{who} is {article(said.noun)} {said.noun} of {value}"
    if not said.link:
        return f"whose {said.noun} is {value}"
    if said.is_verb:
        return f"{who} {said.link} {value}"
    if said.role:
        return f"{who} is {said.role} {value}"
    if said.link.split()[-1] in PREPOSITIONS:
        return f"{said.link} {value}"
    return f"{said.link} in {year(fact)}" if year(fact) else ""
