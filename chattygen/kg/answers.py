"""What an endpoint sends back for a query: terms, or the reason why it is no answer (SPARQL 1.1 results, JSON and XML).

Servers send web pages, stack traces and halves of documents under status 200, so the bytes are judged, not their
labels. Virtuoso 7 says `typed-literal`, and answers an ASK with a row. IRIs are taken as they are: published data hold
some that no strict parser lets pass. Language tags get lower case, as in Oxigraph. Knows nothing about HTTP.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any

from chattygen.domain import XSD, BlankNode, Iri, Literal, Term
from chattygen.errors import QueryError, QueryTimeout
from chattygen.kg.sparql import first_line
from chattygen.kg.worker import to_domain

LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
VIRTUOSO_ASK = "__ASK_RETVAL"

_TRACE = re.compile(r"^[ \t]*((?:Virtuoso \w+ Error|[\w.$]+(?:Exception|Error)\b).*)", re.MULTILINE)
"""The line of an error message or stack trace; a line of a JSON document begins with another character."""
_TIME_IS_UP = re.compile(r"time.?out|timed out|time limit|S1T00", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The solutions of a SELECT, or the `boolean` of an ASK; not `whole` when the document breaks off."""

    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Term | None, ...], ...] = ()
    boolean: bool | None = None
    whole: bool = True


def read(body: bytes, scope: str) -> Answer:
    """Read a results document.

    Args:
        scope: goes into the labels of blank nodes, which mean nothing outside their answer.

    Raises:
        QueryTimeout: the server ran out of its own time while it wrote.
        QueryError: this is no results document, or it holds what RDF 1.1 does not have.
    """
    start = body[:1000].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise QueryError(
            f"the endpoint answered HTML: {words(body)}", "check its address, or wait: it may be overloaded"
        )
    if start.startswith(b"<"):
        return _xml(body, scope)
    if not start.startswith(b"{"):
        said = words(body) or "nothing"
        raise QueryError(f"the endpoint answered something else than SPARQL results: {said}", "check its address")
    try:
        document = json.loads(body, strict=False, parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        return _broken(body)
    try:
        return _json(document, scope)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise QueryError(f"the endpoint's answer is not SPARQL 1.1 results: {reason}", "check its address") from None


def refusal(what: str, text: str) -> QueryError:
    """The error for a query that the server refused or gave up with `text`."""
    if _TIME_IS_UP.search(text):
        return QueryTimeout(f"the endpoint stopped a query at its own time limit: {text}", "ask for less")
    return QueryError(f"{what}: {text}", "mend the query, or look into the endpoint's log")


def words(body: bytes) -> str:
    """The text of an error page, on one line, without its tags."""
    text = re.sub(r"(?is)<(script|style)\b.*?</\1>|<[^>]*>", " ", body[:10_000].decode("utf-8", "replace"))
    return first_line(html.unescape(text))


def _broken(body: bytes) -> Answer:
    """A JSON document that is none: an error message of the server ends it, or nothing does."""
    trace = _TRACE.search(body[-10_000:].decode("utf-8", "replace"))
    if trace:
        raise refusal("the endpoint failed while it answered", first_line(trace[1]))
    head = re.search(rb'"vars"\s*:\s*\[(.*?)\]', body[:10_000], re.DOTALL)
    return Answer(tuple(name.decode() for name in re.findall(rb'"(\w+)"', head[1])) if head else (), whole=False)


def _json(document: Any, scope: str) -> Answer:
    if "boolean" in document:
        return Answer(boolean=bool(document["boolean"]))
    variables = tuple(str(name) for name in document["head"]["vars"])
    rows = tuple(
        tuple(None if (term := found.get(name)) is None else _term(term, scope) for name in variables)
        for found in document["results"]["bindings"]
    )
    if variables == (VIRTUOSO_ASK,):
        return Answer(boolean=bool(rows))
    return Answer(variables, rows)


def _term(found: dict[str, Any], scope: str) -> Term:
    value, kind = str(found["value"]), found["type"]
    if kind == "uri":
        return Iri(value)
    if kind == "bnode":
        return BlankNode(scope + value)
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term of the type {kind}")
    lang = found.get("xml:lang", "").lower()
    return Literal(value, LANG_STRING if lang else found.get("datatype", XSD + "string"), lang)


def _xml(body: bytes, scope: str) -> Answer:
    from pyoxigraph import QueryBoolean, QueryResultsFormat, parse_query_results

    try:
        found = parse_query_results(body, QueryResultsFormat.XML)
        if isinstance(found, QueryBoolean):
            return Answer(boolean=bool(found))
        rows = tuple(tuple(None if term is None else _scoped(to_domain(term), scope) for term in row) for row in found)
    except (SyntaxError, ValueError) as error:
        reason = first_line(str(error))
        raise QueryError(f"the endpoint's answer is not whole SPARQL results: {reason}", "ask for less") from None
    return Answer(tuple(variable.value for variable in found.variables), rows)


def _scoped(term: Term, scope: str) -> Term:
    return BlankNode(scope + term.value) if isinstance(term, BlankNode) else term
