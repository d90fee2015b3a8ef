"""Files -> triples in an Oxigraph store, all in the default graph, each file counted and hashed as it is read.

Lines (N-Triples, N-Quads) go through a pipe to the store's own parser; of other formats the triples are handed over one
by one. The first fault is told in words, unless bad lines are skipped. Knows nothing about folders of graphs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from chattygen.errors import BadData, GraphError
from chattygen.kg import faults, formats, lines
from chattygen.kg.compression import Reader, opened
from chattygen.kg.folders import LoadedFile
from chattygen.kg.formats import Input
from chattygen.kg.rejects import Rejects
from chattygen.kg.typed import Seen, Typed

if TYPE_CHECKING:
    import pyoxigraph

Progress = Callable[[int, float, int, int], None]
"""(triples so far, seconds so far, file index, number of files); index == number while the graph is profiled,
number + 1 while it goes into Virtuoso."""

TICK = 20_000
"""Triples between two calls of Progress, at least."""

Tell = Callable[[int], None]
"""Hears the number of triples read so far from one file."""

SAMPLE = 8
"""The predicates of one piece in so many are listed, which finds them all in most dumps and costs little."""

STAR = (b"<<", b"{|", b'"Triple"')
"""What a document with triple terms (RDF-star, RDF 1.2) has in it somewhere. Only then is every triple looked at, which
takes half as long as loading it.
"""


@dataclass(frozen=True)
class Filled:
    """What went into a store: the files, and what was seen on the way: predicates, most likely all, and classes."""

    files: tuple[LoadedFile, ...]
    predicates: frozenset[str]
    classes: Mapping[str, Seen]

    @property
    def triples(self) -> int:
        """Triples read, duplicates counted."""
        return sum(file.triples for file in self.files)


def fill(
    folder: Path,
    inputs: Sequence[Input],
    base: str | None,
    type_predicate: str,
    rejects: Rejects | None,
    progress: Progress,
) -> Filled:
    """Write the triples of all files into a new store; bad lines go to `rejects`, or stop the load where it is None.

    Raises:
        BadData: as `load.load`.
        GraphError: the files hold no triples.
    """
    import pyoxigraph

    started = time.monotonic()
    filling = _Filling(pyoxigraph.Store(str(folder)), base, Typed(type_predicate), rejects)
    loaded: list[LoadedFile] = []
    before = 0
    for index, file in enumerate(inputs):

        def tell(read: int, index: int = index, before: int = before) -> None:
            progress(before + read, time.monotonic() - started, index, len(inputs))

        with opened(file.path) as reader:
            add = filling.add_lines if file.format.by_line else filling.add_document
            loaded.append(add(file, reader, tell))
        before += loaded[-1].triples
    if rejects:
        rejects.check()
    if not before:
        raise GraphError("the files hold no triples", "check that these are the files you meant")
    filling.check_stars()
    return Filled(tuple(loaded), filling.known_predicates(), filling.typed.classes())


class _Filling:
    """A store that is being filled, and what is noticed on the way."""

    def __init__(self, store: pyoxigraph.Store, base: str | None, typed: Typed, rejects: Rejects | None) -> None:
        self._store, self._base, self._rejects = store, base, rejects
        self.typed = typed
        self._predicates: set[bytes] = set()
        self._unlisted = False
        self._stars: list[Path] = []

    def known_predicates(self) -> frozenset[str]:
        """None where a document was read, or they are not written plainly."""
        if self._unlisted or not all(re.fullmatch(rb"<[^<>\\]*>", word) for word in self._predicates):
            return frozenset()
        return frozenset(word[1:-1].decode() for word in self._predicates)

    def check_stars(self) -> None:
        """Raises BadData if documents brought triple terms."""
        if self._stars and self._store.query("ASK { ?s ?p ?o FILTER isTRIPLE(?o) }"):
            raise BadData(
                f"{', '.join(map(str, self._stars))}: a triple term (RDF-star) is in there, which is not RDF 1.1",
                "leave such statements out; nothing was loaded",
            )

    def add_document(self, file: Input, reader: Reader, tell: Tell) -> LoadedFile:
        """Add Turtle, TriG, RDF/XML or JSON-LD."""
        import pyoxigraph

        self._unlisted = True
        watched = _Watched(reader)
        read = 0

        def quads() -> Iterator[pyoxigraph.Quad]:
            nonlocal read
            rdf_format: pyoxigraph.RdfFormat = getattr(pyoxigraph.RdfFormat, file.format.oxigraph)
            graphs = file.format.key in ("trig", "jsonld")
            data = cast(IO[bytes], watched)
            for quad in pyoxigraph.parse(data, rdf_format, base_iri=self._base, rename_blank_nodes=True):
                read += 1
                if read % TICK == 0:
                    tell(read)
                self.typed.add_triple(quad)
                yield pyoxigraph.Quad(quad.subject, quad.predicate, quad.object) if graphs else quad

        try:
            self._store.bulk_extend(quads())
        except SyntaxError as error:
            cut_short = not reader.read(1) and not formats.closed(file.end, reader.tail)
            raise faults.bad_document(file, error, read, cut_short) from None
        if not formats.closed(file.end, reader.tail):
            raise BadData(f"{file.path}: its root element is not closed: the file is cut short", formats.FETCH_AGAIN)
        if watched.star:
            self._stars.append(file.path)
        tell(read)
        return LoadedFile(path=str(file.path.absolute()), sha256=reader.sha256(), triples=read, format=file.format.key)

    def add_lines(self, file: Input, reader: Reader, tell: Tell) -> LoadedFile:
        """Add N-Triples or N-Quads."""
        read, told, number, pieces_read = 0, 0, 1, 0
        note = file.note
        rejects = self._rejects
        rejected, repaired = (rejects.rejected, rejects.repaired) if rejects else (0, 0)

        def pieces() -> Iterator[bytes]:
            nonlocal read, told, number, pieces_read, note
            for raw in lines.chunks(reader.read):
                chunk = self._absolute(raw)
                if chunk != raw:
                    relative = f"{file.format.title} has no relative IRIs; those in it were resolved against"
                    note = f"{file.path}: {relative} {self._base}"
                piece = self._checked(file, chunk, number)
                piece = lines.without_graphs(piece) if file.format.key == "nq" else piece
                yield piece
                number += chunk.count(b"\n")
                if pieces_read % SAMPLE == 0:
                    self._predicates |= lines.predicates(piece)
                self.typed.add_lines(piece)
                pieces_read += 1
                read += lines.count(piece)
                if read >= told + TICK:
                    told = read
                    tell(read)

        try:
            lines.send(self._store, pieces(), checked=rejects is not None)
        except lines.TooLong:
            raise BadData(
                f"{file.path}: a line is longer than {lines.LONGEST:,} bytes", "check what this file is"
            ) from None
        except SyntaxError as error:
            raise self._bad_line(file, error) from None
        tell(read)
        return LoadedFile(
            path=str(file.path.absolute()),
            sha256=reader.sha256(),
            triples=read,
            format=file.format.key,
            rejected=rejects.rejected - rejected if rejects else 0,
            repaired=(rejects.repaired - repaired if rejects else 0) + reader.had_bom,
            note=note,
        )

    def _absolute(self, chunk: bytes) -> bytes:
        return lines.absolute(chunk, self._base) if self._base else chunk

    def _checked(self, file: Input, chunk: bytes, first: int) -> bytes:
        """The lines of a chunk that may be sent to the store, which refuses all bad ones but triple terms.

        Raises:
            BadData: the file is cut short, too many lines are bad, or one has a triple term and may not be skipped.
        """
        if self._rejects is None:
            star = lines.has_triple_term(chunk) and lines.clean(chunk, file.format.oxigraph, first).rejects
            if star:
                raise faults.bad_line(file.path, file.format, star[0])
            return chunk
        cleaned = lines.clean(chunk, file.format.oxigraph, first)
        if cleaned.rejects and cleaned.rejects[-1].cut_short:
            raise faults.bad_line(file.path, file.format, cleaned.rejects[-1])
        self._rejects.add(file.path, cleaned, lines.count(chunk))
        return cleaned.good

    def _bad_line(self, file: Input, error: SyntaxError) -> BadData:
        """Say what the store's parser has met, from the line itself: the parser saw it without the name of a graph."""
        near = error.lineno or 1
        with opened(file.path) as reader:
            pieces = (self._absolute(piece) for piece in lines.chunks(reader.read))
            found = lines.first_fault(pieces, file.format.oxigraph, max(near - 1, 1))
        found = found or lines.Reject(near, error.offset or 1, lines.reason(error), b"\n")
        return faults.bad_line(file.path, file.format, found)


class _Watched:
    """A reader that notices whether triple terms may be in what it reads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._last = b""
        self.star = False

    def read(self, size: int = -1) -> bytes:
        data = self._reader.read(size)
        if not self.star:
            seen = self._last + data
            self.star = any(mark in seen for mark in STAR)
            self._last = data[-8:]
        return data
