"""The seam to a store: what the rest of chattygen may ask of a knowledge graph.

Knows nothing about any particular store. Results carry `complete`: a store that cuts an answer short must say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from chattygen.domain import Term


@dataclass(frozen=True)
class Rows:
    """The solutions of a SELECT query: `rows[i][j]` is the term of `variables[j]`, or None where it is unbound."""

    variables: tuple[str, ...]
    rows: tuple[tuple[Term | None, ...], ...]
    complete: bool = True


class KnowledgeGraph(Protocol):
    """A graph that can be queried with SPARQL 1.1.

    Attributes:
        name: the name the user gave it.
        fingerprint: changes when the data change; part of every record.
    """

    name: str
    fingerprint: str

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        """Run a SELECT query.

        Args:
            query: SPARQL 1.1 text.
            deadline: seconds after which the query is stopped.

        Raises:
            QueryTimeout: the deadline passed; the query no longer runs.
            QueryError: the store refused the query.
        """
        ...

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        """Run an ASK query; errors as in `select`."""
        ...

    def close(self) -> None:
        """Free what the graph holds (a worker process, a connection)."""
        ...
