"""Which literals SPARQL's ORDER BY puts in the order that a person would, and where each one stands in it.

Numbers, dates, times and years, as long as all have one datatype and one time zone or none. Knows nothing about graphs.
"""

from __future__ import annotations

import re
from decimal import Decimal

from chattygen.context.literals import decimal_number
from chattygen.domain import XSD, Literal

Scale = tuple[str, str]
"""Datatype and time zone: values of different scales are not compared."""

Place = tuple[Decimal, str]
"""Where a value stands on its scale."""

_TIMES = {
    XSD + "date": re.compile(r"(-?\d{4,})-(\d\d-\d\d)(Z|[+-]\d\d:\d\d)?"),
    XSD + "dateTime": re.compile(r"(-?\d{4,})-(\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?"),
    XSD + "gYear": re.compile(r"(-?\d{4,})()(Z|[+-]\d\d:\d\d)?"),
}


def place(literal: Literal) -> tuple[Scale, Place] | None:
    """The scale of a literal and its place there; None where there is no order, or the datatype does not allow it."""
    if decimal_number(literal) is not None:
        return (literal.datatype, ""), (Decimal(literal.value.strip()), "")
    found = _TIMES[literal.datatype].fullmatch(literal.value.strip()) if literal.datatype in _TIMES else None
    return ((literal.datatype, found[3] or ""), (Decimal(found[1]), found[2])) if found else None
