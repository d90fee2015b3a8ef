"""Algorithm 3 in words: how a subgraph is written for a prompt, summarised or in full (section 5.4).

A fact becomes a noun phrase about `X`, the placeholder of the seed entity, followed by what is hidden at its other end:
`birth date of X: a date`, `3 albums whose artist is X`. Phrases lead a small model to the right question where triples do
not. In the summarised form the other end is only described; in the full form it is listed. Knows nothing about models.
"""

from __future__ import annotations

from typing import Literal

from chattygen.domain import Fact, ValueKind

PREPOSITIONS = frozenset(
    [
        "about",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "through",
        "to",
        "under",
        "upon",
        "via",
        "with",
        "within",
    ]
)
LISTED = 12
"""Values listed per fact in the full form; more are counted."""

_HIDDEN: dict[ValueKind, str] = {"date": "a date", "year": "a year", "boolean": "yes or no", "number": "a number"}


def serialise(facts: tuple[Fact, ...], form: Literal["summarised", "full"] = "summarised") -> tuple[str, ...]:
    """One line per fact, in order.

    Args:
        form: `summarised` describes the other end, `full` lists up to LISTED values.
    """
    return tuple(summarised(fact) if form == "summarised" else full(fact) for fact in facts)


def summarised(fact: Fact) -> str:
    """The fact with its other end described: `birth date of X: a date`, `3 albums whose artist is X`."""
    return f"{relation(fact)}: {hidden(fact)}" if fact.direction == "out" else relation(fact)


def full(fact: Fact) -> str:
    """The fact with its values: `birth place of X: "Raipur", "India"`."""
    listed = ", ".join(quoted(value.label) for value in fact.values[:LISTED])
    more = f" and {fact.count - LISTED} more" if fact.count > LISTED else ""
    return f"{relation(fact)}: {listed or hidden(fact)}{more}"


def relation(fact: Fact, name: str = "X", *, counted: bool = True) -> str:
    """The fact as a noun phrase about `name`, without its other end.

    `counted` says how many there are where they are the head of the phrase (`3 albums whose artist is X`).
    """
    words = reading(fact)
    bound = words[-1] in PREPOSITIONS
    verb = bound and is_verb(words[0])
    predicate = " ".join(words)
    if fact.direction == "out":
        if not bound:
            return f"{predicate} of {name}"
        return f"what {name} {predicate}" if verb else f"what {name} is {predicate}"
    one = fact.count == 1
    head = fact.value_type or ("entity" if one else "entities")
    if fact.value_type and not one:
        head = plural(head)
    if counted:
        head = f"{article(head)} {head}" if one else f"{fact.count} {head}"
    if not bound:
        return f"{head} whose {predicate} is {name}"
    if verb:
        return f"{head} that {predicate if one else ' '.join([words[0].removesuffix('s'), *words[1:]])} {name}"
    return f"{head} that {'is' if one else 'are'} {predicate} {name}"


def hidden(fact: Fact) -> str:
    """What stands at the other end, without saying it: `a date`, `5 persons`, `a text such as "male"`."""
    if fact.value_kind == "entity":
        if fact.count == 1:
            return f"{article(fact.value_type)} {fact.value_type}" if fact.value_type else "a name"
        return f"{fact.count} {plural(fact.value_type)}" if fact.value_type else f"{fact.count} names"
    if fact.count > 1:
        return f"{fact.count} {plural(_HIDDEN.get(fact.value_kind, 'a text').removeprefix('a '))}"
    if fact.value_kind == "text" and fact.values and len(fact.values[0].label) <= 24:
        return f"a text such as {quoted(fact.values[0].label)}"
    if fact.value_kind == "number" and fact.values:
        return f"a number such as {fact.values[0].label}"
    return _HIDDEN.get(fact.value_kind, "a text")


def reading(fact: Fact) -> list[str]:
    """The words of the predicate as it is read aloud: `has city` is read `city`; never empty."""
    words = fact.predicate_label.split() or ["relation"]
    if len(words) > 1 and words[0].lower() in ("has", "had", "is", "was"):
        return words[1:]
    return words


def is_verb(word: str) -> bool:
    """Whether the first word of a predicate that ends in a preposition is a verb: `flows into`, not `member of`."""
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"


def plural(noun: str) -> str:
    """The English plural of a class label; class labels in other languages only get an `s`."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1].lower() not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def quoted(text: str) -> str:
    """KG text as data in a prompt: on one line, in double quotes that it cannot close."""
    return '"' + " ".join(text.replace('"', "'").split()) + '"'
