"""How much a person would want to know each fact of a node type, as far as a sample of it can tell (section 4.3).

Judged by how the values look and how they spread over the entities, never by what the predicate is called: what stands
for a record, or tells nothing apart, comes last or is not asked at all. Knows nothing about stores, labels or models.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chattygen.context.coordinates import coordinates
from chattygen.context.literals import is_address, is_id_like, kind_of, shown, whole_number
from chattygen.context.names import is_opaque
from chattygen.context.samples import Relation, TypeSample
from chattygen.domain import XSD, Literal

ENOUGH = 10
"""Sampled entities that a statement about all of them needs."""
MANY = 20
"""Entities that a statement about how values repeat needs."""
MOST = 0.8
"""Share of the values that must look alike for all to be taken so."""
OWN = 0.95
"""Distinct values / values from which on each entity has its own."""
APART = 0.5
"""The same, from which on they still tell entities apart."""
SHARED = 0.25
"""The same, up to which a day is one on which records were made and not one on which something happened."""
NEARLY_ALL = 0.9
"""What more than this share of the entities have in common tells next to nothing about any of them."""
SENTENCE = 8
"""Words of a text that nobody gives as an answer in passing."""
STOPPED = 5
"""The same, of one that ends with a full stop."""
YEARS = range(1400, 2101)
"""Numbers that are taken for years when a predicate has no others."""

_TEXTS = frozenset(XSD + name for name in ("string", "normalizedString", "token", "NMTOKEN", "Name", "NCName", "ID"))
_HASH = re.compile(r"(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{16,}")
_SHORT_CODE = re.compile(r"(?=.*[A-Za-z])(?:[A-Za-z0-9]{1,3}|[A-Z0-9]{4,5})")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:(?!00(?:\.0+)?(?!\.?\d))\d\d")


@dataclass(frozen=True)
class Interest:
    """`score` is 0 to 1: 0 is never asked, less than 1 only after everything else; `reason` says why, in words."""

    score: float
    reason: str = ""


PLAIN = Interest(1.0)
"""Of a fact that nothing speaks against."""


def interests(sample: TypeSample) -> dict[Relation, Interest]:
    """The relations of a node type that something speaks against; all others are PLAIN.

    What looks like an address, a hash, an identifier or a sentence that each has for itself gets 0. What may be an
    identifier gets little, and so do a code, a coordinate, a date of the records, what nearly all entities have, and a
    number that counts another relation.
    """
    degrees: dict[Relation, Interest] = {(p, "out"): Interest(0.3, "coordinate") for p in coordinates(sample)}
    found = {relation: _of(sample, relation) for relation in sample.values}
    return degrees | {relation: interest for relation, interest in found.items() if interest}


def _of(sample: TypeSample, relation: Relation) -> Interest | None:
    predicate, direction = relation
    own = sample.literals(predicate) if direction == "out" else {}
    return (
        _by_look(own, sample.node_type.count)
        or (_by_dates(own, len(sample.entities)) if own else None)
        or (Interest(0.3, "counts another fact") if own and _counts(own, sample) else None)
        or (Interest(0.2, "the same for nearly all") if _alike(sample, relation) else None)
    )


def _by_look(own: Mapping[str, tuple[Literal, ...]], population: int) -> Interest | None:
    """What the literals are, by the form of each and by how many of them differ."""
    if len(own) < ENOUGH:
        return None
    literals = [literal for values in own.values() for literal in values]
    distinct = len(set(literals)) / len(literals)

    def mostly(test: Callable[[Literal], bool]) -> bool:
        return sum(map(test, literals)) >= MOST * len(literals)

    if mostly(is_address):
        return Interest(0.0, "address or image")
    if mostly(is_hash):
        return Interest(0.0, "hash")
    opaque = mostly(is_opaque_text)
    if distinct >= OWN and (opaque or _are_numerals(literals) or _run_on(literals, len(own), population)):
        return Interest(0.0, "identifier")
    if distinct >= APART and opaque:
        return Interest(0.1, "identifier")
    if distinct >= OWN and mostly(is_sentence):
        return Interest(0.0, "free text")
    return Interest(0.3, "code") if distinct >= APART and mostly(is_code) else None


def is_sentence(literal: Literal) -> bool:
    """Whether a literal is a text of many words, or of several with a full stop: a remark, an abstract."""
    number = len(literal.value.split())
    return _is_text(literal) and (number >= SENTENCE or (number >= STOPPED and literal.value.rstrip().endswith(".")))


def is_hash(literal: Literal) -> bool:
    """Whether a literal is one long hexadecimal number, with or without dashes."""
    return _is_text(literal) and bool(_HASH.fullmatch(literal.value.strip().replace("-", "")))


def is_opaque_text(literal: Literal) -> bool:
    """Whether a literal is one word with digits that nobody could read: `0000-0002-1825-0097`, `tt0111161`."""
    text = literal.value.strip()
    if not _is_text(literal) or not text or re.search(r"\s", text) or shown(literal) != text:
        return False
    coded = any(is_opaque(part) and any(map(str.isdigit, part)) for part in text.split("/"))
    return is_id_like(literal) or (coded and kind_of(literal) == "text")


def is_code(literal: Literal) -> bool:
    """Whether a literal is an abbreviation like `DE`, `en` or `EBRD`: up to three characters, or five in capitals."""
    return _is_text(literal) and bool(_SHORT_CODE.fullmatch(literal.value.strip()))


def _is_text(literal: Literal) -> bool:
    """Whether a literal is a plain text; one with a datatype of its own, a currency, is a quantity."""
    return bool(literal.lang) or literal.datatype in _TEXTS


def _are_numerals(literals: list[Literal]) -> bool:
    """Whether all are texts of digits, which are no numbers, and not all of them years."""
    numerals = all(_is_text(literal) and literal.value.isdecimal() for literal in literals)
    return numerals and not all(int(literal.value[:9]) in YEARS for literal in literals)


def _run_on(literals: list[Literal], entities: int, population: int) -> bool:
    """Whether all are whole numbers, each a different one, not far beyond the number of entities."""
    numbers = [whole_number(literal) for literal in literals]
    running = all(number is not None and 0 <= number <= 2 * population for number in numbers)
    return running and entities >= MANY and len(set(numbers)) == len(numbers)


def _by_dates(own: Mapping[str, tuple[Literal, ...]], entities: int) -> Interest | None:
    """Times to the second, and days on which many of the entities were entered; no event has either.

    A day of entry that each entity has for itself looks like any other date.
    """
    literals = [literal for values in own.values() for literal in values]
    if len(own) >= ENOUGH and 2 * sum(bool(_STAMP.match(literal.value)) for literal in literals) >= len(literals):
        return Interest(0.1, "time stamp")
    days = all(kind_of(literal) == "date" for literal in literals)
    everywhere = len(own) >= MANY and len(own) >= OWN * entities
    if days and everywhere and 1 < len(set(literals)) <= SHARED * len(literals):
        return Interest(0.2, "day that many share")
    return None


def _counts(own: Mapping[str, tuple[Literal, ...]], sample: TypeSample) -> bool:
    """Whether the one number of each entity is how many other ends another relation of it has."""
    numbers = {e: whole_number(values[0]) for e, values in own.items() if len(values) == 1}
    for counts in sample.counts.values():
        both = [e for e in numbers.keys() & counts.keys() if numbers[e] is not None]
        equal = [e for e in both if numbers[e] == counts[e]]
        if len(both) >= ENOUGH and len(equal) >= OWN * len(both) and len({counts[e] for e in equal}) >= 3:
            return True
    return False


def _alike(sample: TypeSample, relation: Relation) -> bool:
    """Whether nearly all entities that have the relation have the very same other ends."""
    found = sample.values[relation]
    return len(found) >= MANY and max(Counter(found.values()).values()) > NEARLY_ALL * len(found)
