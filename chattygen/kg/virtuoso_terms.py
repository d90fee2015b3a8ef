"""Literals that Virtuoso 7 would change: kept out of its hands, or mapped back.

It stores "abc"^^xsd:integer as 0, sends six digits of a double and knows no xsd:time in a query. Such literals are
stored under a datatype of ours, which it leaves alone, in data and queries alike; the rest it keeps by value and spells
in its own way, which is mapped back to Oxigraph's. It also takes 5 and 5.0 of one subject and predicate for one triple:
a graph in which that happens is kept strictly, with all that may equal something else under a datatype of ours. Worked
out on 7.2.5. Knows nothing about servers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from io import RawIOBase
from typing import IO, TYPE_CHECKING

from chattygen.domain import XSD, Iri, Literal, Term
from chattygen.kg.sparql import tokens

if TYPE_CHECKING:
    from typing_extensions import Buffer

OURS = "urn:chattygen:datatype:"
"""Stands before the IRI of a datatype that Virtuoso is not to see."""

NEVER = frozenset(
    {XSD + name for name in "time duration dayTimeDuration yearMonthDuration".split()}
    | {XSD + name for name in "int long short byte unsignedInt unsignedLong unsignedShort unsignedByte".split()}
    | {XSD + f"{sign}Integer" for sign in ("positive", "negative", "nonPositive", "nonNegative")}
    | {
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral",
        "http://www.opengis.net/ont/geosparql#wktLiteral",
        "http://www.openlinksw.com/schemas/virtrdf#Geometry",
    }
)
"""Datatypes of which no literal is safe."""

MERGED = frozenset(
    XSD + name for name in "decimal double float boolean dateTime gYear gYearMonth gMonthDay gMonth gDay".split()
)
"""Datatypes with literals that may equal an integer, a date, or one another."""

SMALL = 2**31
"""Whole numbers from here on come back as decimals."""


def is_safe(value: str, datatype: str, strict: bool = False) -> bool:
    """Whether Virtuoso gives the literal back as the same value; `value` is spelt as Oxigraph does.

    Args:
        strict: also next to any other literal.
    """
    if strict and (datatype in MERGED or (datatype == XSD + "date" and not re.fullmatch(r"-?\d+-\d\d-\d\d", value))):
        return False
    if datatype == XSD + "integer":
        return bool(re.fullmatch(r"-?\d{1,19}", value)) and -(2**63) <= int(value) < 2**63
    if datatype == XSD + "decimal":
        number = re.fullmatch(r"-?(\d{1,15})(\.\d{1,15})?", value)
        return bool(number) and ("." in value or abs(int(value)) < SMALL)
    if datatype in (XSD + "double", XSD + "float"):
        finite = re.fullmatch(r"-?\d+(\.\d+)?", value)
        return bool(finite) and float(f"{float(value):g}") == float(value)
    if datatype == XSD + "boolean":
        return value in ("true", "false")
    if datatype == XSD + "dateTime":
        return not re.search(r"\.\d{7}", value)
    return datatype not in NEVER


def decoded(term: Term | None) -> Term | None:
    """A term of an answer as Oxigraph would give it."""
    if isinstance(term, Iri):
        return Iri(term.value.removeprefix(OURS))
    if not isinstance(term, Literal) or term.lang:
        return term
    value, datatype = term.value, term.datatype
    if datatype.startswith(OURS):
        return replace(term, datatype=datatype.removeprefix(OURS))
    if datatype == XSD + "boolean":
        return replace(term, value={"1": "true", "0": "false"}.get(value, value))
    if datatype == XSD + "decimal" and re.fullmatch(r"-?\d+", value) and abs(int(value)) >= SMALL:
        return replace(term, datatype=XSD + "integer")
    if datatype in (XSD + "double", XSD + "float") and re.fullmatch(r"[-+.\de]+", value):
        plain = format(Decimal(repr(float(value))), "f")
        return replace(term, value=plain.rstrip("0").rstrip(".") if "." in plain else plain)
    if datatype in (XSD + "date", XSD + "dateTime", XSD + "gYear", XSD + "gYearMonth"):
        return replace(term, value=re.sub(r"^-(\d{3})(?=-|$)", r"-0\1", value))
    return term


def encoded_query(query: str, strict: bool = False) -> str:
    """The query with ours in the place of the datatypes of its unsafe literals, where these are written as IRIs."""
    found = tokens(query)
    ends: list[str] = []
    done = 0
    for text, mark, iri in zip(found, found[1:], found[2:], strict=False):
        if (text.kind, mark.text, iri.kind) == ("string", "^^", "iri"):
            value, datatype = _unquoted(text.text), iri.text[1:-1]
            if not is_safe(value, datatype, strict):
                ends.append(f"{query[done : iri.start]}<{OURS}{datatype}>")
                done = iri.start + len(iri.text)
    return "".join([*ends, query[done:]])


class Encoder(RawIOBase):
    """A file to write N-Triples to, which puts ours in the place of unsafe datatypes on the way to `output`."""

    def __init__(self, output: IO[bytes], strict: bool = False) -> None:
        self._output, self._rest, self._strict = output, b"", strict

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        """Takes pieces of any length; the last one ends with a line."""
        piece = bytes(data)
        lines, newline, self._rest = (self._rest + piece).rpartition(b"\n")
        self._output.write(_TYPED.sub(self._encoded, lines + newline))
        return len(piece)

    def _encoded(self, typed: re.Match[bytes]) -> bytes:
        value, datatype = typed["value"], typed["datatype"]
        if is_safe(value.decode(), datatype.decode(), self._strict):
            return typed[0]
        return b'"%b"^^<%b%b>' % (value, OURS.encode(), datatype)


_TYPED = re.compile(rb'"(?P<value>(?:[^"\\\n]|\\.)*)"\^\^<(?P<datatype>[^>\n]*)>')


def _unquoted(text: str) -> str:
    """What stands between the quotes of a string token; escapes matter in no datatype that is looked at."""
    quotes = text[:3] if text[:3] in ('"""', "'''") else text[0]
    return text[len(quotes) : -len(quotes)]
