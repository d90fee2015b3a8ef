"""Births and deaths, for which English has verbs: nobody asks which person has a town as its death place. English.

The nouns are those of the field's usual vocabularies, as people's labels have them.
"""

from __future__ import annotations

BORN = frozenset(["birth place", "birthplace", "place of birth"])
DIED = frozenset(["death place", "deathplace", "place of death"])


def happened(noun: str) -> str:
    """What happened in the place that a predicate of this noun names: `born`, `died`; else empty."""
    if noun.casefold() in BORN:
        return "born"
    return "died" if noun.casefold() in DIED else ""
