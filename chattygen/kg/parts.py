"""A SELECT query written anew so that an endpoint counts its rows, or gives those rows whose hash is in a range.

The query goes into braces as a subquery, which SPARQL 1.1 lets any SELECT be once its prologue is set before it;
nothing inside is touched. A row belongs to one part, whatever order the endpoint has. Knows nothing about endpoints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from chattygen.domain import BlankNode, Term
from chattygen.kg.sparql import tokens

NUMBER, HASH = "chattygen_number", "chattygen_hash"
"""Variables that no query has."""

DIGITS = 4
HASHES = 16**DIGITS
"""Hashes are numbers from 0 to HASHES: the first hexadecimal digits of an MD5."""

Row = tuple[Term | None, ...]


def form(query: str) -> str:
    """SELECT, ASK, or whatever the query begins with after its prologue."""
    found = (token.text.upper() for token in tokens(query) if token.kind == "word")
    return next((word for word in found if word not in ("PREFIX", "BASE")), "")


def count(query: str) -> str:
    """The query for the number of rows."""
    prologue, body = _split(query)
    return f"{prologue}SELECT (COUNT(*) AS ?{NUMBER}) WHERE {{ {{ {body}\n}} }}"


def part(query: str, variables: Sequence[str], hashes: range) -> str:
    """The query for the rows whose hash is one of `hashes`.

    Args:
        variables: those that the query gives.
    """
    prologue, body = _split(query)
    # STR of a blank node or of nothing is an error, which COALESCE turns into "".
    texts = ', " ", '.join(f'COALESCE(STR(?{name}), "")' for name in variables)
    chosen = " ".join(f"?{name}" for name in variables)
    hashed = f'BIND(SUBSTR(MD5(CONCAT({texts}, "")), 1, {DIGITS}) AS ?{HASH})'
    test = f'FILTER(?{HASH} >= "{_digits(hashes.start)}" && ?{HASH} < "{_digits(hashes.stop)}")'
    return f"{prologue}SELECT {chosen} WHERE {{ {{ {body}\n}} {hashed} {test} }}"


def divided(hashes: range, number: int) -> list[range]:
    """`hashes` in so many ranges of about one length, or as many as there can be."""
    number = min(number, len(hashes))
    bounds = [hashes.start + len(hashes) * n // number for n in range(number + 1)]
    return [range(low, high) for low, high in pairwise(bounds)]


def can_be_split(variables: Sequence[str]) -> bool:
    """Whether an endpoint's names for the columns can stand in a query."""
    return bool(variables) and all(re.fullmatch(r"\w+", name) for name in variables)


def disjoint(parts: Iterable[tuple[Row, ...]]) -> bool:
    """Whether no row is in two parts, as far as that can be told: a blank node has another label in each answer."""
    seen: set[Row] = set()
    for rows in parts:
        found = {row for row in rows if not any(isinstance(term, BlankNode) for term in row)}
        if found & seen:
            return False
        seen |= found
    return True


def _digits(number: int) -> str:
    # "g" comes after every hexadecimal digit.
    return f"{number:0{DIGITS}x}" if number < HASHES else "g"


def _split(query: str) -> tuple[str, str]:
    """The prologue (PREFIX, BASE), and the rest: what may stand in braces as a subquery."""
    start = next(token.start for token in tokens(query) if token.kind == "word" and token.text.upper() == "SELECT")
    return query[:start], query[start:]
