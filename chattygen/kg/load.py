"""Files -> a store that is ready: formats, gzip, progress, counts, fingerprint.

A load goes into a folder of its own beside the graphs and is moved to its place at the end, so that a load that fails
or is killed leaves nothing that looks ready, and a replaced graph stays until the new one is whole. The first syntax
error stops a load. All quads go into the default graph. Knows nothing about the paper.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from chattygen.config import GraphSettings, Home, Source
from chattygen.errors import BadData, GraphError, UsageError
from chattygen.kg.library import MANIFEST, PROFILE, STORE, LoadedFile, Manifest, check_name, publish, workshop
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import profile

if TYPE_CHECKING:
    import pyoxigraph

FORMATS = {".nt": "N_TRIPLES", ".nq": "N_QUADS", ".ttl": "TURTLE", ".trig": "TRIG"}
"""File suffix, before any .gz -> name of the format in pyoxigraph."""

SUPPORTED = "supported: N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), each plain or gzip-compressed"

Progress = Callable[[int, float, int, int], None]
"""(triples so far, seconds so far, file index, number of files); index == number while the graph is profiled."""

TICK = 20_000


def load(
    home: Home,
    name: str,
    files: Sequence[Path],
    *,
    base: str | None = None,
    format: str | None = None,
    source: Source | None = None,
    settings: GraphSettings | None = None,
    replace: bool = False,
    progress: Progress = lambda triples, seconds, file, count: None,
) -> Manifest:
    """Load files into the graph `name`.

    Args:
        base: resolves the relative IRIs of Turtle and TriG.
        format: a key of FORMATS without the dot, for files whose suffix does not tell.
        replace: take the place of a graph of that name, which is deleted once the new one is ready.

    Raises:
        UsageError: a bad name, a name that is taken, no such file, an unknown format.
        BadData: a syntax error or damaged file; names file, line and column.
        GraphError: no triples, or the store cannot be written.
    """
    check_name(name)
    settings = settings or GraphSettings()
    formats = [_format(path, format) for path in files]
    if not files:
        raise UsageError("there is no file to load", "name one or more files, or a recipe")
    if (home.kgs / name / MANIFEST).exists() and not replace:
        raise UsageError(
            f"a graph named {name!r} is already loaded", "add --replace to load it anew, or choose another --name"
        )
    try:
        with workshop(home, name) as folder:
            manifest = _build(folder, name, list(zip(files, formats, strict=True)), base, source, settings, progress)
            publish(home, name, folder)
    except OSError as error:
        raise GraphError(
            f"the load failed: {error}", "check the free space, and the rights of files and --home"
        ) from None
    return manifest


def _build(
    folder: Path,
    name: str,
    files: list[tuple[Path, str]],
    base: str | None,
    source: Source | None,
    settings: GraphSettings,
    progress: Progress,
) -> Manifest:
    """Make a whole graph in `folder`: store, profile, and the manifest at the end."""
    started = time.monotonic()
    loaded, triples = _fill(folder / STORE, files, base, started, progress)
    fingerprint = _fingerprint(loaded, base)
    progress(triples, time.monotonic() - started, len(files), len(files))
    with OxigraphGraph(name, fingerprint, folder / STORE) as graph:
        learned = profile(graph, settings)
    manifest = Manifest(
        name=name,
        files=tuple(loaded),
        base=base,
        fingerprint=fingerprint,
        triples=triples,
        loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 3),
        source=source,
        settings=settings,
    )
    (folder / PROFILE).write_text(learned.model_dump_json(), encoding="utf-8")
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
    return manifest


def default_name(path: Path) -> str:
    """A graph name made of a file's stem: `Nobel Prizes.ttl.gz` gives `nobel-prizes`."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
    return re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("._-")


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _format(path: Path, named: str | None) -> str:
    """The pyoxigraph name of a file's format.

    Raises:
        UsageError: no such file, or a format that is not supported.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file", "check the path")
    suffix = f".{named.lower().lstrip('.')}" if named else Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(f"{path}: {suffix or 'no suffix'} is not a format that can be loaded", SUPPORTED)
    return FORMATS[suffix]


class _Reader:
    """The decompressed bytes of a file, hashed as they are read; a leading byte order mark is left out."""

    def __init__(self, path: Path, file: gzip.GzipFile | BufferedReader) -> None:
        self._path, self._file = path, file
        self._hash = hashlib.sha256()
        self._fresh = True

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._file.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadData(f"{self._path}: the gzip data are damaged: {error}", "fetch the file again") from None
        self._hash.update(data)
        if self._fresh:
            self._fresh = False
            return data.removeprefix(b"\xef\xbb\xbf")
        return data

    def sha256(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def _open(path: Path) -> Iterator[_Reader]:
    """Open a file, gzip-compressed or not: its first two bytes tell."""
    with path.open("rb") as raw:
        compressed = raw.peek(2)[:2] == b"\x1f\x8b"
        with gzip.open(raw) if compressed else raw as file:
            yield _Reader(path, file)


# ---------------------------------------------------------------------------------------------------------------------
# Triples


def _fill(
    folder: Path, files: list[tuple[Path, str]], base: str | None, started: float, progress: Progress
) -> tuple[list[LoadedFile], int]:
    """Write the triples of all files into a new store; returns the files and the number of distinct triples."""
    import pyoxigraph

    loaded: list[LoadedFile] = []
    before = 0
    store = pyoxigraph.Store(str(folder))
    for index, (path, format) in enumerate(files):
        tell = partial(_tell, progress, before, started, index, len(files))
        loaded.append(_add(store, path, format, base, len(files) > 1, tell))
        before += loaded[-1].triples
    if not len(store):
        raise GraphError("the files hold no triples", "check that these are the files you meant")
    return loaded, len(store)


def _tell(progress: Progress, before: int, started: float, index: int, count: int, read: int) -> None:
    progress(before + read, time.monotonic() - started, index, count)


def _add(
    store: pyoxigraph.Store, path: Path, format: str, base: str | None, rename: bool, tell: Callable[[int], None]
) -> LoadedFile:
    """Add one file to the store; `tell` hears the number of its triples read so far."""
    read = 0

    def counted(reader: _Reader) -> Iterator[pyoxigraph.Quad]:
        nonlocal read
        for quad in _quads(path, reader, format, base, rename):
            read += 1
            if read % TICK == 0:
                tell(read)
            yield quad

    with _open(path) as reader:
        store.bulk_extend(counted(reader))
        tell(read)
        return LoadedFile(path=str(path.absolute()), sha256=reader.sha256(), triples=read)


def _quads(path: Path, reader: _Reader, format: str, base: str | None, rename: bool) -> Iterator[pyoxigraph.Quad]:
    """The triples of one file, in the default graph.

    Blank nodes are renamed when there are several files: equal labels in two files are two nodes.
    """
    import pyoxigraph

    rdf_format: pyoxigraph.RdfFormat = getattr(pyoxigraph.RdfFormat, format)
    relative = base if format in ("TURTLE", "TRIG") else None
    try:
        for quad in pyoxigraph.parse(cast(IO[bytes], reader), rdf_format, base_iri=relative, rename_blank_nodes=rename):
            if isinstance(quad.object, pyoxigraph.Triple):
                raise BadData(f"{path}: holds a triple term (RDF-star), which is not RDF 1.1", "leave such triples out")
            yield pyoxigraph.Quad(quad.subject, quad.predicate, quad.object)
    except SyntaxError as error:
        reason = re.sub(r"^Parser error .*?\d: ", "", str(error.msg))
        hint = "mend that line and load again; nothing was loaded"
        if "No scheme found" in reason and not relative:
            hint = "if the IRIs are relative to something, say so with --base IRI; nothing was loaded"
        raise BadData(f"{path}:{error.lineno}:{error.offset}: {reason}", hint) from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}", "give an absolute IRI with --base") from None


def _fingerprint(files: Sequence[LoadedFile], base: str | None) -> str:
    """sha256 over what decides the triples: the contents of the files, in any order, and the base IRI."""
    return hashlib.sha256("\n".join([*sorted(file.sha256 for file in files), base or ""]).encode()).hexdigest()
