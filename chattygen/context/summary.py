"""Algorithm 3 in words: how a subgraph is written for a prompt, summarised or in full (section 5.4).

A fact becomes a noun phrase about `X`, the placeholder of the seed entity, followed by what is hidden at its other end:
`birth date of X: a date`, `3 albums whose artist is X`. Phrases lead a small model to the right question where triples
do not. In the summarised form the other end is only described; in the full form it is listed. Knows nothing about
models.
"""

from __future__ import annotations

from chattygen.context.reading import article, plural, read
from chattygen.domain import Fact, ValueKind

LISTED = 12
"""Values listed per fact in the full form; more are counted."""

_HIDDEN: dict[ValueKind, str] = {"date": "date", "year": "year", "boolean": "truth value", "number": "number"}


def summarised(fact: Fact) -> str:
    """The fact with its other end described: `birth date of X: a date`, `3 albums whose artist is X`."""
    other = hidden(fact) if fact.direction == "out" else ""
    return f"{relation(fact)}: {other}" if other else relation(fact)


def full(fact: Fact) -> str:
    """The fact with its values: `birth place of X: "Raipur", "India"`."""
    listed = ", ".join(quoted(value.label) for value in fact.values[:LISTED])
    more = f" and {fact.count - LISTED} more" if fact.count > LISTED else ""
    return f"{relation(fact)}: {listed}{more}" if listed else summarised(fact)


def relation(fact: Fact, name: str = "X", *, counted: bool = True) -> str:
    """The fact as a noun phrase about `name`, without its other end.

    `counted` says how many there are where they are the head of the phrase (`3 albums whose artist is X`); otherwise
    the plural stands alone when there are several.
    """
    said = read(fact.predicate_label)
    if fact.direction == "out":
        if not said.link:
            return f"{said.noun} of {name}"
        tie = f"{name} {said.link}" if said.is_verb else f"{name} {said.auxiliary} {said.link}"
        if said.noun:
            return f"{said.noun if fact.count <= 1 else plural(said.noun)} that {tie}"
        when = fact.value_kind in ("date", "year") and not said.is_verb
        return f"when {name} was {said.link}" if when else f"what {tie}"
    one = fact.count == 1
    head = others(fact)
    if counted:
        head = f"{article(head)} {head}" if one else f"{fact.count} {head}"
    if not said.link:
        return f"{head} whose {said.noun} is {name}"
    if said.is_verb:
        return f"{head} that {said.link if one else said.base} {name}"
    return f"{head} that {'is' if one else 'are'} {said.link} {name}"


def others(fact: Fact) -> str:
    """What the other ends are called, in the number that they have: `album`, `albums`, `entities`."""
    noun = fact.value_type or "entity"
    return noun if fact.count == 1 else plural(noun)


def hidden(fact: Fact) -> str:
    """What stands at the other end, without saying it: `a date`, `5 people`; nothing for texts and unknown classes.

    A word such as `text` or `entity` in its place finds its way into the question.
    """
    noun = _HIDDEN.get(fact.value_kind) or fact.value_type
    if not noun:
        return ""
    if fact.count <= 1:
        return f"{article(noun)} {noun}"
    return f"{fact.count} {plural(noun)}" if fact.value_type else plural(noun)


def quoted(text: str) -> str:
    """KG text as data in a prompt: on one line, in double quotes that it cannot close."""
    return '"' + " ".join(text.replace('"', "'").split()) + '"'
