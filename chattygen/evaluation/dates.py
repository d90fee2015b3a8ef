"""Dates in their usual spellings, as year, month and day.

Month names are read in English, German, French, Spanish, Italian, Portuguese and Dutch, and the Chinese and Japanese
signs for year, month and day. `01/04/1912` has two readings, `01.04.1912` has the day first. Texts are taken in lower
case and without accents, as `normalise.fold` gives them. Knows nothing about gold answers.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from itertools import chain

Date = tuple[int | None, int | None, int | None]
"""Year, month and day, None where it is not said; a year before Christ is negative."""

MONTHS = "january february march april may june july august september october november december".split()

_NAMES = """
january jan januar janner janvier janv enero ene gennaio janeiro januari
february feb februar fevrier fevr febrero febbraio fevereiro februari
march mar marz mars marzo marco maart
april apr avril abril abr aprile
may mai mayo maggio maio mei
june jun juni juin junio giugno junho
july jul juli juillet julio luglio julho
august aug aout agosto ago augustus
september sep sept septembre septiembre setiembre settembre setembro
october oct oktober okt octobre octubre ottobre outubro
november nov novembre noviembre novembro
december dec dezember dez decembre diciembre dic dicembre dezembro
"""
_MONTH_OF = {name: n for n, names in enumerate(_NAMES.strip().splitlines(), 1) for name in names.split()}

_M = r"\b(?P<name>" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")\b\.?"
_D = r"(?<![\d.,/-])(?P<d>\d{1,2})(?:(?:st|nd|rd|th|er|e|o)?\b|\.)"
_BC = r"(?:\s*(?P<bc>bce?\b|b\.\s?c\.?(?:\s?e\.?)?|v\.\s?chr\.?|av\.\s?j\.\s?-?c\.?)|\s*(?:ad|ce)\b)?"
_Y = r"(?P<y>\d{3,4})(?![\d/]|[.,]\d)" + _BC
_OF = r"\s*(?:of|de|del|di|do|van)?\s*"
_NUMERIC = r"(?<![\d./-])"
_TIME = r"(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:z|[+-]\d\d:\d\d)?"
_END = r"(?![\d/]|[.-]\d)"

_IN_TEXT = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_NUMERIC}(?P<y>-?\d{{4}})-(?P<m>\d\d?)-(?P<d>\d\d?){_TIME}{_END}",
        rf"{_NUMERIC}(?P<y>\d{{4}})(?P<sep>[/.])(?P<m>\d\d?)(?P=sep)(?P<d>\d\d?){_END}",
        rf"{_NUMERIC}(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{{4}}){_END}",
        rf"{_NUMERIC}(?P<first>\d\d?)(?P<sep>[/-])(?P<second>\d\d?)(?P=sep)(?P<y>\d{{4}}){_END}",
        r"(?P<y>\d{1,4})\s?年\s?(?:(?P<m>\d\d?)\s?月\s?(?:(?P<d>\d\d?)\s?日)?)?",
        rf"{_D}{_OF}{_M},?{_OF}{_Y}",
        rf"{_M}\s*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_Y}",
        rf"\b{_Y},?\s+{_M}\s+(?P<d>\d{{1,2}})\b",
        rf"{_M},?{_OF}{_Y}",
        rf"{_NUMERIC}(?P<y>-?\d{{4}})-(?P<m>\d\d){_END}",
        r"\b(?P<y>\d{1,4})\s*(?P<bc>bce?\b|b\.\s?c\.?(?:\s?e\.?)?|v\.\s?chr\.?|av\.\s?j\.\s?-?c\.?)",
    )
)
_ALONE = (
    *_IN_TEXT,
    *(
        re.compile(pattern)
        for pattern in (
            rf"{_D}{_OF}{_M}",
            rf"{_M}\s*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?",
            r"(?P<m>\d\d?)月(?P<d>\d\d?)日",
            r"--(?P<m>\d\d)-(?P<d>\d\d)",
            rf"(?P<sign>-)?{_Y}(?:z|[+-]\d\d:\d\d)?",
            r"(?:ad\s*(?P<y>\d{1,4}))",
            r"(?P<y>\d{1,4})\s*(?:ad|ce)",
        )
    ),
)
"""What is a date only where nothing else is said."""

_BEFORE = re.compile(
    r"(?:(?:in|on|at|around|about|circa|ca|c|approximately|the|year|of|im|am|jahre?|um|vers|le|l'an|l'annee|annee|en|el"
    r"|ano|nel|il|l'anno|em|o|op|het|jaar|de|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b[.,]?\s*)+"
)


def dates(folded: str) -> frozenset[Date]:
    """The readings of a text that is only a date, perhaps with words such as `in the year`; none if it is not."""
    text = folded.strip(' .,;!"*()')
    found = _BEFORE.match(text)
    rest = text[found.end() :] if found else text
    readings = chain.from_iterable(
        _readings(match) for pattern in _ALONE for one in {text, rest} if (match := pattern.fullmatch(one))
    )
    return frozenset(readings)


def rewritten(folded: str, month_first: bool) -> str:
    """A text with each date in it as year, English month and day: `1912 april 1`."""
    parts: list[str] = []
    end = 0
    for match, readings in _found(folded):
        if match.start() >= end:
            parts += [folded[end : match.start()], f" {spelt(readings[-1 if month_first else 0])} "]
            end = match.end()
    return "".join([*parts, folded[end:]])


def spelt(date: Date) -> str:
    year, month, day = date
    parts = (year, MONTHS[month - 1] if month else None, day)
    return " ".join(str(part) for part in parts if part is not None)


def _found(text: str) -> list[tuple[re.Match[str], list[Date]]]:
    """The dates in a text from left to right, a longer one before a shorter one that begins where it does."""
    matches = [match for pattern in _IN_TEXT for match in pattern.finditer(text)]
    matches.sort(key=lambda match: (match.start(), -match.end()))
    return [(match, readings) for match in matches if (readings := list(_readings(match)))]


def _readings(match: re.Match[str]) -> Iterator[Date]:
    """The dates that a match can mean, the day before the month first; none if the calendar has no such day."""
    said = {key: value for key, value in match.groupdict().items() if value}
    year = int(said["y"]) if "y" in said else None
    if year is not None and ("bc" in said or "sign" in said):
        year = -year
    pairs: list[tuple[int | None, int | None]]
    if "first" in said:
        first, second = int(said["first"]), int(said["second"])
        pairs = [(second, first), (first, second)]
    else:
        month = _MONTH_OF[said["name"]] if "name" in said else int(said["m"]) if "m" in said else None
        pairs = [(month, int(said["d"]) if "d" in said else None)]
    for month, day in pairs:
        if month is None or (1 <= month <= 12 and (day is None or 1 <= day <= _days(year, month))):
            yield year, month, day


def _days(year: int | None, month: int) -> int:
    """The days of a month; 29 in February where no year is said. The calendar repeats after 400 years."""
    return monthrange(2000 + (year or 0) % 400, month)[1]
