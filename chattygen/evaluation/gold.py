"""A gold answer, and whether a text says it: by value for dates and numbers, else by any of its names.

A name may have its initials for its first names and its last name first, lack its bracket or its foreign article, or
have another name of the same behind it in brackets. The rules are listed in docs/evaluation.md. Knows nothing about
questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from chattygen.context.literals import kind_of
from chattygen.context.names import readable, unbracketed
from chattygen.domain import XSD, Answer, Literal
from chattygen.evaluation.dates import Date, dates, spelt
from chattygen.evaluation.normalise import Tokens, fold, variants
from chattygen.evaluation.numbers import Readings, plain, values

_ARTICLES = {
    "de": "der die das den dem ein eine einen",
    "fr": "le la les un une des l",
    "es": "el la los las un una",
    "it": "il lo la i gli le un uno una l",
    "pt": "o a os as um uma",
    "nl": "de het een",
}
_ANY_ARTICLE = frozenset(word for words in _ARTICLES.values() for word in words.split())
_NAME_ENDS = frozenset({"jr", "sr", "ii", "iii", "iv"})
_ROUNDED = {XSD + "float": Decimal("1e-6"), XSD + "double": Decimal("1e-9")}
"""How far apart two spellings of a number that is stored in binary may be, relatively."""

_CODE = re.compile(r"0\d+")
"""A numeral in a string that is no number: `007`."""

_LONGEST_EXPONENT = 3
"""Digits; a number beyond that is compared as text."""


@dataclass(frozen=True)
class Gold:
    """A gold answer; a date or a number where it is one.

    Attributes:
        names: the texts that say it, of a date or number in plain spelling.
        articles: articles of its language other than English, which it may lack.
        margin: how far off a number may be, relatively.
    """

    iri: str
    names: tuple[str, ...]
    articles: frozenset[str] = frozenset()
    date: Date | None = None
    number: Decimal | None = None
    margin: Decimal = Decimal(0)

    @cached_property
    def tokens(self) -> tuple[Tokens, ...]:
        return _all_variants(self.names)

    @cached_property
    def keys(self) -> frozenset[Tokens]:
        return frozenset(self.tokens) | {one[1:] for one in self.tokens if len(one) > 1 and one[0] in self.articles}

    @cached_property
    def parts(self) -> frozenset[NameParts]:
        return frozenset(map(name_parts, self.names))


class Said:
    """A reply, or a part of one, as it is compared with gold answers; what is worked out is kept."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> tuple[Tokens, ...]:
        return variants(self.text)

    @cached_property
    def keys(self) -> frozenset[Tokens]:
        return frozenset(self.tokens) | {one[1:] for one in self.tokens if len(one) > 1 and one[0] in _ANY_ARTICLE}

    @cached_property
    def dates(self) -> frozenset[Date]:
        return dates(fold(self.text))

    @cached_property
    def numbers(self) -> Readings:
        return values(fold(self.text))

    @cached_property
    def parts(self) -> NameParts:
        return name_parts(self.text)

    @cached_property
    def halves(self) -> tuple[Said, Said] | None:
        """What stands before a bracket at the end, and in it."""
        before, inside = unbracketed(self.text.strip(" .*\"'"))
        return (Said(before), Said(inside)) if inside else None


def gold(answer: Answer, alternatives: Mapping[str, Sequence[str]]) -> Gold:
    """What counts as an answer; `alternatives` is IRI -> further labels."""
    if answer.type == "uri":
        names = (answer.label or readable(answer.value) or answer.value, *alternatives.get(answer.value, ()))
        return Gold(answer.value, _with_and_without_bracket(names))
    literal = Literal(answer.value, answer.datatype or XSD + "string", answer.lang)
    kind, text = kind_of(literal), answer.value.strip()
    if kind in ("date", "year") and len(found := dates(fold(text))) == 1:
        [date] = found
        return Gold("", (spelt(date),), date=date)
    if kind == "number" and _is_sayable(literal):
        number = Decimal(text)
        return Gold("", (plain(number),), number=number, margin=_ROUNDED.get(literal.datatype, Decimal(0)))
    articles = frozenset(_ARTICLES.get(answer.lang.split("-")[0].lower(), "").split())
    return Gold("", _with_and_without_bracket((answer.label or text, text)), articles)


def _is_sayable(number: Literal) -> bool:
    """Whether a literal in the form of a number is one that is said by its value."""
    text = number.value.strip().lower()
    is_code = number.datatype == XSD + "string" and bool(_CODE.fullmatch(text))
    return not is_code and len(text.partition("e")[2].lstrip("+-")) <= _LONGEST_EXPONENT


def says(said: Said, gold: Gold) -> bool:
    """Whether a text says a gold answer and nothing else."""
    if gold.keys & said.keys or (gold.iri and said.text.strip(" <>") == gold.iri):
        return True
    if gold.date:
        whole = gold.date in said.dates
    elif gold.number is not None:
        whole = is_number(gold, said.numbers) or _is_year(gold.number, said.dates)
    else:
        whole = any(_same_name(said.parts, one) for one in gold.parts)
    return whole or (said.halves is not None and all(says(half, gold) for half in said.halves))


def is_number(gold: Gold, readings: Readings) -> bool:
    """Whether one of the readings is the number of a gold answer."""
    number = gold.number
    return number is not None and any(abs(one - number) <= gold.margin * abs(number) for one in readings)


def _is_year(number: Decimal, dates: Iterable[Date]) -> bool:
    """Whether a number is said as a year: `in 1912`."""
    return any(year == number and month is None for year, month, _ in dates)


NameParts = tuple[str, ...]
"""The words of a name, first names first: an initial in upper case, a word folded."""


def name_parts(text: str) -> NameParts:
    """`Tolkien, J. R. R.` and `J.R.R. Tolkien` as `J`, `R`, `R`, `tolkien`."""
    parts = [part.strip() for part in text.strip(' *"').split(",")]
    if len(parts) == 2 or (len(parts) == 3 and fold(parts[2]).strip(".") in _NAME_ENDS):
        parts[:2] = parts[1::-1]
    words = re.findall(r"([^\s.\-]+)(\.?)", " ".join(parts))
    return tuple(
        word.upper() if len(word) == 1 and word.isalpha() and (dot or word.isupper()) else re.sub(r"\W", "", fold(word))
        for word, dot in words
    )


def _same_name(a: NameParts, b: NameParts) -> bool:
    """Whether two names have the same last word, and as many words before it, equal but for initials."""
    if len(a) != len(b) or len(a) < 2 or a[-1] != b[-1] or len(a[-1]) < 2:
        return False
    return all(x == y or _abbreviates(x, y) or _abbreviates(y, x) for x, y in zip(a[:-1], b[:-1], strict=True))


def _abbreviates(initial: str, word: str) -> bool:
    return len(initial) == 1 and initial.isupper() and word.startswith(fold(initial)[:1])


def _with_and_without_bracket(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for name in names for text in (name, unbracketed(name)[0]) if text))


def _all_variants(texts: Iterable[str]) -> tuple[Tokens, ...]:
    return tuple(dict.fromkeys(one for text in texts for one in variants(text)))
