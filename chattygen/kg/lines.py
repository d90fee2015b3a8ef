"""N-Triples and N-Quads, where every line stands alone: count them, send them to the store, pass over the bad ones.

The store reads from a pipe, so that reading, hashing and checking here run beside its own work. Only what is certain is
repaired: a spelling that can mean one thing only. Knows nothing about files, folders or other formats.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyoxigraph

CHUNK = 262_144
PIPE = 1_048_576
"""Bytes that may wait for the store: what Linux grants to everybody."""

BLOCK = 8192
"""Bytes that are checked at a time when bad lines are skipped: some 70 lines, most of which are good."""

LONGEST = 64 * 1024 * 1024
"""Bytes of the longest line."""


@dataclass(frozen=True)
class Reject:
    """A line that is not loaded: its number from 1, the column from 1 where it went wrong, why, and the line itself."""

    line: int
    column: int
    reason: str
    text: bytes

    @property
    def cut_short(self) -> bool:
        """Whether the file ends in the middle of this line."""
        return not self.text.endswith(b"\n") and not self.text.rstrip().endswith(b".")


@dataclass(frozen=True)
class Cleaned:
    """Whole lines that the store will take, what was wrong with others, and how many were repaired."""

    good: bytes
    rejects: tuple[Reject, ...] = ()
    repaired: int = 0


class TooLong(ValueError):
    """A line is longer than LONGEST."""


def chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What `read` gives, cut at line ends; only the last piece may lack one.

    Raises:
        TooLong: so long a line is not meant to be one.
    """
    rest: list[bytes] = []
    waiting = 0
    while data := read(CHUNK):
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, data[:end]])
            rest, waiting = [], 0
        rest.append(data[end:])
        waiting += len(data) - end
        if waiting > LONGEST:
            raise TooLong
    if waiting:
        yield b"".join(rest)


QUIET_LINE = re.compile(rb"\n(?=[ \t]*(?:[#\r\n]|\Z))")


def count(chunk: bytes) -> int:
    """Number of lines that hold a statement."""
    body = b"\n" + chunk.removesuffix(b"\n")
    return body.count(b"\n") - len(QUIET_LINE.findall(body))


def predicates(chunk: bytes) -> set[bytes]:
    """The second word of each statement: the predicate in angle brackets, where there is white space around it."""
    words = (line.split(None, 2) for line in chunk.split(b"\n"))
    return {line[1] for line in words if len(line) > 1 and not line[0].startswith(b"#")}


# What is wrong with a line


def fault(line: bytes, format: str) -> tuple[int, str] | None:
    """(column, reason) if a line is not in `format` (a name in pyoxigraph), else None."""
    import pyoxigraph

    if has_triple_term(line):
        return line.index(b"<<(") + 1, "it holds a triple term (RDF-star), which is not RDF 1.1"
    try:
        deque(pyoxigraph.parse(line, getattr(pyoxigraph.RdfFormat, format)), maxlen=0)
    except SyntaxError as error:
        column, why = error.offset or 1, reason(error)
        if "must be followed by a dot" in why and error.lineno != 1:
            return len(line.rstrip()) + 1, "a dot must end the statement"
        if "Unexpected end" in why:
            why = "the line ends in the middle of a statement"
        return column, "a byte here is not UTF-8" if "UTF-8" in why else why
    return None


def reason(error: SyntaxError) -> str:
    """What a parser says, without the place."""
    return " ".join(re.sub(r"^Parser error .*?\d: ", "", str(error.msg)).split())


def first_fault(pieces: Iterable[bytes], format: str, start: int) -> Reject | None:
    """The bad line at `start` or one of the next two: a parser that misses a dot names the line after."""
    first = 1
    for piece in pieces:
        after = first + piece.count(b"\n")
        if after >= start:
            for number, line in enumerate(BytesIO(piece), first):
                found = fault(line, format) if number >= start else None
                if found:
                    return Reject(number, *found, line)
                if number >= start + 2:
                    return None
        first = after
    return None


TRIPLE_TERM = re.compile(rb'^(?![ \t]*#)[^"\n]*<<\(', re.M)


def has_triple_term(lines: bytes) -> bool:
    """Whether a line goes on with `<<(` before any text begins."""
    return b"<<(" in lines and TRIPLE_TERM.search(lines) is not None


# Bad lines


def clean(chunk: bytes, format: str, first: int) -> Cleaned:
    """Keep the good lines of a chunk and the ones that can be repaired with certainty.

    A block of lines that is good as a whole, as most are, is parsed once; only another is gone through line by line.

    Args:
        first: the number of the chunk's first line.
    """
    import pyoxigraph

    rdf_format: pyoxigraph.RdfFormat = getattr(pyoxigraph.RdfFormat, format)
    good: list[bytes] = []
    rejects: list[Reject] = []
    repaired = 0
    for number, line in _suspects(chunk, rdf_format, first, good):
        mended = repair(line)
        if _parses(mended, rdf_format):
            good.append(mended)
            repaired += 1
        else:
            column, why = fault(line, format) or (1, "")
            rejects.append(Reject(number, column, why, line))
    return Cleaned(b"".join(good), tuple(rejects), repaired)


def _suspects(
    chunk: bytes, rdf_format: pyoxigraph.RdfFormat, first: int, good: list[bytes]
) -> Iterator[tuple[int, bytes]]:
    """The bad lines of a chunk with their numbers, in order; what is good is appended to `good` in between."""
    start = 0
    while start < len(chunk):
        end = chunk.rfind(b"\n", start, start + BLOCK) + 1 or chunk.find(b"\n", start) + 1 or len(chunk)
        block = chunk[start:end]
        if _parses(block, rdf_format):
            good.append(block)
        else:
            for number, line in enumerate(BytesIO(block), first):
                if _parses(line, rdf_format):
                    good.append(line)
                else:
                    yield number, line
        first += block.count(b"\n")
        start = end


def _parses(text: bytes, rdf_format: pyoxigraph.RdfFormat) -> bool:
    import pyoxigraph

    if has_triple_term(text):
        return False
    try:
        deque(pyoxigraph.parse(text, rdf_format), maxlen=0)
    except SyntaxError:
        return False
    return True


TOKEN = re.compile(rb'<([^<>\n]*)>|"(?:[^"\\\n]|\\.)*"(?:@([\w-]+))?')
SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")
ILLEGAL = re.compile(rb'[ "{}|^`]')


def repair(line: bytes) -> bytes:
    """Mend what can only mean one thing: illegal characters of an IRI are percent-encoded, `en_US` becomes `en-US`, and
    a language tag that cannot be one is dropped, so that the text stays.
    """

    def mend(token: re.Match[bytes]) -> bytes:
        iri, tag = token[1], token[2]
        if iri is not None and SCHEME.match(iri):
            return b"<" + ILLEGAL.sub(lambda c: b"%%%02X" % ord(c[0]), iri) + b">"
        if tag is None:
            return token[0]
        mended = tag.replace(b"_", b"-")
        text = token[0][: -len(tag) - 1]
        return text + b"@" + mended if _is_language(mended) else text

    return TOKEN.sub(mend, line)


def _is_language(tag: bytes) -> bool:
    return fault(b'<a:b> <a:b> "x"@%b .' % tag, "N_TRIPLES") is None


# From quads and relative IRIs to triples

QUAD = re.compile(
    rb"""^([ \t]*(?:<[^<>\n]*>|_:[^\s<"]+)[ \t]*<[^<>\n]*>[ \t]*"""
    rb"""(?:<[^<>\n]*>|_:[^\s<"]+|"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\n]*>)?))"""
    rb"""[ \t]*(?:<[A-Za-z][A-Za-z0-9+.-]*:[^<>"{}|^`\x00-\x20]*>|_:[^\s<"]*[^\s<".])[ \t]*(?=\.)""",
    re.M | re.X,
)


def without_graphs(chunk: bytes) -> bytes:
    """N-Quads as N-Triples: the names of graphs are left out."""
    return QUAD.sub(rb"\1 ", chunk)


def absolute(chunk: bytes, base: str) -> bytes:
    """Resolve the relative IRIs of lines, which N-Triples and N-Quads do not have but some files use."""

    def resolve(token: re.Match[bytes]) -> bytes:
        iri = token[1]
        return token[0] if iri is None or SCHEME.match(iri) else _resolved(iri, base)

    return TOKEN.sub(resolve, chunk)


@lru_cache(maxsize=100_000)
def _resolved(iri: bytes, base: str) -> bytes:
    """An IRI in angle brackets; one that cannot be resolved stays as it is, for the parser to name."""
    import pyoxigraph

    try:
        [triple] = pyoxigraph.parse(b"<%b> <a:b> <a:b> ." % iri, pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    except SyntaxError:
        return b"<" + iri + b">"
    return str(triple.subject).encode()


# To the store


def send(store: pyoxigraph.Store, pieces: Iterable[bytes], *, checked: bool = False) -> None:
    """Bulk-load N-Triples into the default graph of `store` while `pieces` are made.

    Args:
        checked: the lines have been parsed before: IRIs need not be checked again.

    Raises:
        SyntaxError: of the store's parser, with the number of the line in what was sent.
        OSError: the store cannot be written.
    """
    import pyoxigraph

    out, into = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # the store reads on while the next piece is made
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, PIPE)

    def load() -> None:
        try:
            store.bulk_load(path=f"/dev/fd/{out}", format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=checked)
        finally:
            os.close(out)

    with ThreadPoolExecutor(1) as threads:
        loading = threads.submit(load)
        try:
            for piece in pieces:
                _write(into, piece)
        except BrokenPipeError:
            pass  # the store has stopped reading; its result says why
        except BaseException:
            _give_up(into)
            raise
        finally:
            os.close(into)
    loading.result()


def _write(into: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(into, rest) :]


def _give_up(into: int) -> None:
    """Let the store meet a syntax error, which ends its load sooner than the end of the pipe: nobody wants the rest."""
    with suppress(BrokenPipeError):
        _write(into, b"\n!\n")
