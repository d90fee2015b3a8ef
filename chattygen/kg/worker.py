"""The process that holds an open Oxigraph store and answers one query at a time.

Started by oxigraph.py as `python -m chattygen.kg.worker STORE DESCRIPTOR`, where the descriptor is one end of a pipe.
A query in pyoxigraph cannot be stopped, so the process is what is killed at a deadline. Requests are
`(query, deadline)`; replies are `("rows", variables, rows)`, `("boolean", value)` or `("error", message)`.
It ends when the pipe does. Knows nothing about the paper.
"""

from __future__ import annotations

import signal
import sys
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from chattygen.domain import BlankNode, Iri, Literal, Term

if TYPE_CHECKING:
    import pyoxigraph

GRACE = 5.0
"""Seconds after a deadline at which the worker ends by itself: its parent should have killed it, and may be gone."""


def serve(store_path: str, connection: Connection) -> None:
    """Answer queries from `connection` until it is closed at the other end."""
    import pyoxigraph

    try:
        store = pyoxigraph.Store.read_only(store_path)
    except (OSError, RuntimeError) as error:
        connection.send(("error", f"the store cannot be opened: {error}"))
        return
    connection.send(("ready",))
    while True:
        try:
            query, deadline = connection.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_REAL, deadline + GRACE)
        reply = answer(store, query)
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send(reply)


def answer(store: pyoxigraph.Store, query: str) -> tuple[object, ...]:
    """Run one SELECT or ASK to its end."""
    import pyoxigraph

    try:
        result = store.query(query)
        if isinstance(result, pyoxigraph.QueryBoolean):
            return ("boolean", bool(result))
        if isinstance(result, pyoxigraph.QuerySolutions):
            variables = tuple(variable.value for variable in result.variables)
            rows = tuple(tuple(None if term is None else to_domain(term) for term in row) for row in result)
            return ("rows", variables, rows)
    except (SyntaxError, ValueError, OSError, RuntimeError) as error:
        return ("error", str(error))
    return ("error", "only SELECT and ASK are answered")


def to_domain(term: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple) -> Term:
    """A term of pyoxigraph as a value of chattygen.

    Raises:
        ValueError: it is a triple term, which RDF 1.1 does not have.
    """
    import pyoxigraph

    if isinstance(term, pyoxigraph.NamedNode):
        return Iri(term.value)
    if isinstance(term, pyoxigraph.BlankNode):
        return BlankNode(term.value)
    if isinstance(term, pyoxigraph.Literal):
        return Literal(term.value, term.datatype.value, term.language or "")
    raise ValueError("the answer holds a triple term, which is not RDF 1.1")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(sys.argv[1], Connection(int(sys.argv[2])))
