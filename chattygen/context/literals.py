"""What a literal is to a person: a date, a year, a number, yes or no, a text, or nothing to ask about (section 4.3).

Decided by datatype and, where published data get the datatype wrong, by lexical form. Knows nothing about graphs.
"""

from __future__ import annotations

import re
from calendar import monthrange

from chattygen.domain import XSD, Iri, Literal, ValueKind

_INTEGER = ["integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"]
_UNSIGNED = ["negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"]
_NUMERIC = frozenset(XSD + name for name in [*_INTEGER, *_UNSIGNED, "decimal", "float", "double"])
_DATES = frozenset(XSD + name for name in ("date", "dateTime", "dateTimeStamp", "gYearMonth", "gMonthDay"))
_DATE = re.compile(r"(-?\d{4,})-(\d{2})(?:-(\d{2})(?:T[\d:.]+)?)?(?:Z|[+-]\d{2}:\d{2})?")
_MONTH_DAY = re.compile(r"--(\d{2})-(\d{2})(?:Z|[+-]\d{2}:\d{2})?")
_YEAR = re.compile(r"-?\d{4}(Z|[+-]\d{2}:\d{2})?")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_UNITS = ("year", "month", "day", "hour", "minute", "second")
_POINT = re.compile(r"-?\d+\.\d+\s*[,; ]\s*-?\d+\.\d+")
_IMAGE = re.compile(r"\.(jpe?g|png|gif|svg|tiff?|webp|bmp|ico)(\?.*)?$", re.IGNORECASE)
_ADDRESS = re.compile(r"(mailto:|tel:|https?://|ftp://|www\.)\S+$|[\w.+-]+@[\w-]+\.[\w.-]+$", re.IGNORECASE)
_HEX = re.compile(r"(?=.*\d)[0-9a-fA-F-]{8,}")
_MARKUP = re.compile(r"</?[A-Za-z][^>]*>|&(amp|lt|gt|quot|apos|nbsp|#\d+|#x[0-9a-fA-F]+);|\$[^$]*[\\^_{][^$]*\$")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069\ufffd]")
"""Control characters, those that turn the direction of writing, and what stands for a character that was lost."""


def kind_of(literal: Literal, predicate_label: str = "") -> ValueKind:
    """The kind of a literal; the predicate's label tells a year from a number (`year of publication`, `2015`).

    Where the form is not what the datatype asks for (`"2015"^^xsd:date`, `"abc"^^xsd:integer`), the form decides.
    """
    text, datatype = literal.value.strip(), literal.datatype
    if datatype == XSD + "boolean" and text in ("true", "false", "1", "0"):
        return "boolean"
    of_years = datatype == XSD + "gYear" or datatype in _DATES or "year" in predicate_label.lower().split()
    if of_years and _YEAR.fullmatch(text):
        return "year"
    if _is_date(text):
        return "date"
    return "number" if _NUMBER.fullmatch(text) else "text"


def is_ill_typed(literal: Literal) -> bool:
    """Whether a literal is no value at all, neither of its datatype nor of another: a number in words, 31 February."""
    if literal.datatype in _NUMERIC or literal.datatype in _DATES or literal.datatype == XSD + "gYear":
        return kind_of(literal) == "text"
    return literal.datatype == XSD + "boolean" and kind_of(literal) != "boolean"


def _is_date(text: str) -> bool:
    """Whether the text is a day or a month of the calendar."""
    if found := _DATE.fullmatch(text):
        year, month, day = int(found[1]), int(found[2]), int(found[3] or 1)
    elif found := _MONTH_DAY.fullmatch(text):
        year, month, day = 2000, int(found[1]), int(found[2])
    else:
        return False
    return 1 <= month <= 12 and 1 <= day <= monthrange(2000 + year % 400, month)[1]


def shown(literal: Literal) -> str:
    """The literal as a person reads it: on one line, and `PT1H15M` as `1 hour 15 minutes`."""
    text = " ".join(literal.value.split())
    period = _DURATION.fullmatch(text)
    if not period or not any(period.groups()):
        return text
    parts = [(number, unit) for number, unit in zip(period.groups(), _UNITS, strict=True) if number]
    return " ".join(f"{number} {unit if number == '1' else unit + 's'}" for number, unit in parts)


def is_label(literal: Literal) -> bool:
    """Whether a literal can be shown as a name: a string that says something, in plain text, and is no address."""
    stringy = bool(literal.lang) or literal.datatype == XSD + "string"
    plain = not _MARKUP.search(literal.value) and not _CONTROLS.search(literal.value)
    return stringy and plain and any(c.isalnum() for c in literal.value) and not is_address(literal)


def is_name_like(literal: Literal) -> bool:
    """Whether a literal looks like a name and not like a date, a number or a code."""
    letters = sum(c.isalpha() for c in literal.value)
    return is_label(literal) and kind_of(literal) == "text" and letters > sum(c.isdigit() for c in literal.value)


def is_address(term: Literal | Iri) -> bool:
    """Whether the term is only a way to somewhere else: an image, or, as a literal, a web or mail address."""
    text = term.value.strip()
    if _IMAGE.search(text):
        return "/" in text or isinstance(term, Literal)
    if isinstance(term, Iri):
        return text.startswith(("mailto:", "tel:"))
    return term.datatype == XSD + "anyURI" or bool(_ADDRESS.match(text))


def is_id_like(literal: Literal) -> bool:
    """Whether a literal looks like a record number: one word, mostly digits or hexadecimal, yet no number or date."""
    text = literal.value.strip()
    if not text or " " in text or literal.datatype in _NUMERIC or _YEAR.fullmatch(text) or kind_of(literal) == "date":
        return False
    return sum(c.isdigit() for c in text) >= len(text) / 2 or bool(_HEX.fullmatch(text))


def whole_number(literal: Literal) -> int | None:
    """The value of an integer literal, else None."""
    text = literal.value.strip()
    return int(text) if literal.datatype in _NUMERIC and re.fullmatch(r"[+-]?\d{1,18}", text) else None


def decimal_number(literal: Literal) -> float | None:
    """The value of a literal with a numeric datatype, else None."""
    text = literal.value.strip()
    return float(text) if literal.datatype in _NUMERIC and _NUMBER.fullmatch(text) else None


def is_shape(literal: Literal) -> bool:
    """Whether the literal is geometry or markup, which nobody asks for."""
    return bool(_POINT.fullmatch(literal.value.strip())) or literal.datatype.rsplit("#", 1)[-1] in (
        "wktLiteral",
        "gmlLiteral",
        "geoJSONLiteral",
        "XMLLiteral",
        "HTML",
    )
