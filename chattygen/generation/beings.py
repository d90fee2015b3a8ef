"""Classes whose name says what kind of being their entities are: a song is a work. English."""

from __future__ import annotations

from collections.abc import Mapping

from chattygen.domain import Being, Fact

SAID: Mapping[str, Being] = {
    **dict.fromkeys(
        "agency association band club company institution organisation organization party team university".split(),
        "group",
    ),
    **dict.fromkeys(
        "city continent country island lake mountain province region river sea town village".split(), "place"
    ),
    **dict.fromkeys("album article book film movie novel paper poem publication song track".split(), "work"),
    **dict.fromkeys(
        "actor author director laureate person player politician researcher scientist singer songwriter writer".split(),
        "person",
    ),
}
"""Last word of a class -> what it is: a small model takes an organisation or a song for a person now and then."""


def said_by(type_label: str) -> Being | None:
    """What the class itself says, if it does: `football club` is a group."""
    return SAID.get(" ".join(type_label.casefold().split()[-1:]))


def beings(fact: Fact) -> frozenset[Being]:
    """What the other ends are: as the run knows of their node types, or as their class says, if it draws no seeds."""
    if not fact.values:
        told = said_by(fact.value_type)
        return frozenset([told] if told else [])
    known = ((value.being, said_by(value.type_label or fact.value_type)) for value in fact.values)
    return frozenset(being if being != "thing" or told is None else told for being, told in known)
