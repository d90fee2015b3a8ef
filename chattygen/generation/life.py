"""Births and deaths, for which English has verbs: nobody asks which person has a town as its death place. English.

The nouns are those of the field's usual vocabularies, as people's labels have them.
"""

from __future__ import annotations

import re

BORN = frozenset(["birth place", "birthplace", "place of birth", "birth date", "date of birth", "birth year"])
DIED = frozenset(["death place", "deathplace", "place of death", "death date", "date of death", "death year"])


def happened(noun: str) -> str:
    """What happened in the place or on the day that a predicate of this noun names: `born`, `died`; else empty."""
    if noun.casefold() in BORN:
        return "born"
    return "died" if noun.casefold() in DIED else ""


def told(pattern: str, noun: str) -> str:
    """`pattern` with the verb in the place of the noun: `whose death place is X` becomes `who died in X`."""
    event, had = happened(noun), rf"{noun.replace(' ', ' ?')} (?:(?:at|in) )?"
    if not event:
        return pattern
    one, many = ("was born", "were born") if event == "born" else (event, event)
    pattern = re.sub(rf"\bhas (?:her|his|its|their) {had}X\b", f"{one} in X", pattern)
    pattern = re.sub(rf"\bhave their {had}X\b", f"{many} in X", pattern)
    pattern = re.sub(rf"\bperson whose {had}(?:is|was) X\b", f"person who {one} in X", pattern)
    return re.sub(rf"\bwhose {had}(?:is|was) X\b", f"who {many} in X", pattern)
