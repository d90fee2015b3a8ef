"""Verbs that English has where a graph has a noun: nobody asks which person has a town as its death place. English.

The nouns are those of the field's usual vocabularies, as people's labels have them.
"""

from __future__ import annotations

from collections.abc import Mapping

from chattygen.context.reading import read
from chattygen.domain import Fact
from chattygen.generation.beings import beings

BORN = frozenset(["birth place", "birthplace", "place of birth", "birth date", "date of birth", "birth year"])
DIED = frozenset(["death place", "deathplace", "place of death", "death date", "date of death", "death year"])
WHERE = frozenset("city country municipality place province region town village".split())
"""Nouns of a group for the place in which it is."""

PAST: Mapping[str, str] = {
    **{verb: f"{verb}ed" for verb in ("author", "direct", "discover", "found", "invent", "paint", "record")},
    **{verb: f"{verb}d" for verb in ("compose", "produce", "receive")},
    **{"win": "won", "write": "wrote"},
}
"""Deeds that are done once their result is in a graph -> as they are told."""

DONE = f"(?:{'|'.join(PAST)})"
"""The same, as a regular expression."""

MADE: Mapping[str, str] = {
    **dict.fromkeys(("author", "songwriter", "writer"), "written by"),
    **{"artist": "by", "composer": "composed by", "creator": "created by", "director": "directed by"},
    **{"painter": "painted by", "producer": "produced by", "singer": "sung by"},
}
"""Who somebody is to a work -> what is said of the work."""


def happened(noun: str) -> str:
    """What happened in the place or on the day that a predicate of this noun names: `born`, `died`; else empty."""
    if noun.casefold() in BORN:
        return "born"
    return "died" if noun.casefold() in DIED else ""


def made_by(fact: Fact) -> str:
    """What is said of the other ends if they are works of the entity: `written by`; else empty."""
    said = read(fact.predicate_label)
    works = fact.direction == "in" and beings(fact) == {"work"} and not said.link
    return MADE.get(said.noun, "") if works else ""


def lie_inside(fact: Fact) -> bool:
    """Whether the other ends are groups that are in the entity: the organisations whose city it is."""
    return fact.direction == "in" and beings(fact) == {"group"} and _is_whereabouts(fact)


def is_seat(fact: Fact) -> bool:
    """Whether the one other end is a place by its noun: the city of an organisation."""
    placed = beings(fact) == {"place"} and _is_whereabouts(fact)
    return fact.direction == "out" and fact.count == 1 and placed and not holds_places(fact)


def holds_places(fact: Fact) -> bool:
    """Whether the object's end is a place in that at the subject's end: the cities that a province has."""
    return fact.predicate_label.startswith("has ") and beings(fact) == {"place"} and _is_whereabouts(fact)


def _is_whereabouts(fact: Fact) -> bool:
    said = read(fact.predicate_label)
    return not said.link and said.noun in WHERE
