"""Answers that a load has kept with the graph: the first part of each large class (draws.py).

The data of a loaded graph never change, so an answer that was kept is as good as one that is asked for. Whoever asks
cannot tell the difference, but on millions of triples it is there at once. Knows nothing about stores.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock

from chattygen.config import GraphSettings
from chattygen.domain import Iri
from chattygen.errors import GraphError
from chattygen.kg.draws import part_query, parts
from chattygen.kg.graph import KnowledgeGraph, Rows
from chattygen.kg.typed import Seen

KEPT = "kept.zip"
"""The file beside kg.json: for each query, named by its hash, the IRIs that answer it, one a line."""


class KeptGraph:
    """A KnowledgeGraph that answers from the file where it can, and asks `graph` for the rest."""

    def __init__(self, graph: KnowledgeGraph, file: Path) -> None:
        self.name, self.fingerprint = graph.name, graph.fingerprint
        self._graph, self._file = graph, file
        try:
            with zipfile.ZipFile(file) as archive:
                self._names = frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile):
            raise GraphError(f"{file} cannot be read", "load the graph again with --replace") from None
        self._one_at_a_time = Lock()

    def __enter__(self) -> KeptGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        """See KnowledgeGraph."""
        if (name := _name(query)) not in self._names:
            return self._graph.select(query, deadline=deadline)
        with self._one_at_a_time, zipfile.ZipFile(self._file) as archive:
            lines = archive.read(name).decode().split("\n")
        return Rows(("entity",), tuple((Iri(line),) for line in lines if line))

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        """See KnowledgeGraph."""
        return self._graph.ask(query, deadline=deadline)

    def close(self) -> None:
        """See KnowledgeGraph."""
        self._graph.close()


def keep(file: Path, settings: GraphSettings, counts: Iterable[tuple[str, int]], classes: Mapping[str, Seen]) -> None:
    """Write the first part of every class that has more than one; no file where there is none.

    Args:
        counts: (IRI, number of entities) of each class.
        classes: what was seen of them.
    """
    answers: dict[str, tuple[str, ...]] = {}
    for iri, count in counts:
        first, *others = parts(count)
        entities = classes[iri].part(first) if others and iri in classes else None
        if entities is not None:
            answers[_name(part_query(settings, iri, first))] = entities
    if answers:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, entities in answers.items():
                archive.writestr(name, "\n".join(entities))


def _name(query: str) -> str:
    return hashlib.sha256(query.encode()).hexdigest()
