"""Files -> a store that is ready: read, checked, counted, recorded.

A load goes into a folder of its own beside the graphs and is moved to its place at the end, so that a load that fails
or is killed leaves nothing that looks ready, and a replaced graph stays until the new one is whole. The first syntax
error stops a load, unless bad lines are to be skipped. All quads go into the default graph. Knows nothing about the
paper.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chattygen.config import GraphSettings, Home, Source
from chattygen.errors import GraphError, UsageError
from chattygen.kg import formats
from chattygen.kg.compression import plain_name
from chattygen.kg.fill import Progress, fill
from chattygen.kg.folders import (
    MANIFEST,
    PROFILE,
    STORE,
    LoadedFile,
    LocalStore,
    Manifest,
    check_name,
    publish,
    workshop,
)
from chattygen.kg.formats import Input
from chattygen.kg.kept import KEPT, keep
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import profile
from chattygen.kg.rejects import REJECTS, Rejects

if TYPE_CHECKING:
    from chattygen.kg.virtuoso import VirtuosoGraph

DRAFT = "draft"
"""The Oxigraph store that is filled first when another is to hold the graph."""


def load(
    home: Home,
    name: str,
    files: Sequence[Path],
    *,
    base: str | None = None,
    format: str | None = None,
    source: Source | None = None,
    settings: GraphSettings | None = None,
    store: LocalStore = "oxigraph",
    replace: bool = False,
    skip_bad: bool = False,
    max_bad: float = 1.0,
    progress: Progress = lambda triples, seconds, file, count: None,
) -> Manifest:
    """Load files, and the RDF files of folders, into the graph `name`.

    Args:
        base: resolves relative IRIs.
        format: a key of formats.FORMATS, for files that do not tell by themselves.
        store: what is to hold the graph: the embedded Oxigraph, or a Virtuoso of its own.
        replace: take the place of a graph of that name, which is deleted once the new one is ready.
        skip_bad: leave bad lines of N-Triples and N-Quads out, and repair what is certain; they are listed in the
            file that the manifest names.
        max_bad: percent of the lines; more bad ones stop the load.

    Raises:
        UsageError: a bad name, a name that is taken, no such file, a base that is no IRI, a format without lines to
            skip.
        BadData: a syntax error, a damaged file or one that is no RDF; names file, line and column.
        GraphError: no triples, the store cannot be written, or Virtuoso is missing or fails.
    """
    check_name(name)
    if not files:
        raise UsageError("there is no file to load", "name one or more files, or a recipe")
    _check_base(base)
    if (home.kgs / name / MANIFEST).exists() and not replace:
        raise UsageError(
            f"a graph named {name!r} is already loaded", "add --replace to load it anew, or choose another --name"
        )
    if store == "virtuoso":
        from chattygen.kg.virtuoso import find_program

        find_program()
    settings = settings or GraphSettings()
    try:
        inputs, left_out = formats.find(files, format, skip_bad)
        if skip_bad:
            _check_lines(inputs)
        with workshop(home, name) as folder:
            rejects = Rejects(folder / REJECTS, max_bad) if skip_bad else None
            manifest = _build(folder, name, inputs, base, source, settings, store, rejects, left_out, progress)
            publish(home, name, folder)
    except OSError as error:
        raise GraphError(
            f"the load failed: {error}", "check the free space, and the rights of files and --home"
        ) from None
    return manifest


def default_name(path: Path) -> str:
    """A graph name made of a file's stem or a folder's name: `Nobel Prizes.ttl.gz` gives `nobel-prizes`."""
    plain = plain_name(path)
    stem = plain if path.is_dir() else plain.rpartition(".")[0] or plain
    return re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("._-")


def _check_base(base: str | None) -> None:
    import pyoxigraph

    try:
        pyoxigraph.parse(b"", pyoxigraph.RdfFormat.TURTLE, base_iri=base)
    except ValueError as error:
        raise UsageError(f"the base {base!r} is no absolute IRI: {error}", "give an absolute IRI with --base") from None


def _check_lines(inputs: Sequence[Input]) -> None:
    for file in inputs:
        if not file.format.by_line:
            raise UsageError(
                f"{file.path} is {file.format.title}: --skip-bad is for N-Triples and N-Quads, whose lines stand alone",
                "nobody can tell where a bad statement of another format ends: mend it and load it without --skip-bad",
            )


def _build(
    folder: Path,
    name: str,
    inputs: list[Input],
    base: str | None,
    source: Source | None,
    settings: GraphSettings,
    store: LocalStore,
    rejects: Rejects | None,
    left_out: list[str],
    progress: Progress,
) -> Manifest:
    """Make a whole graph in `folder`: store, profile, and the manifest at the end."""
    started = time.monotonic()

    def tell(triples: int, step: int) -> None:
        progress(triples, time.monotonic() - started, step, len(inputs))

    place = folder / (STORE if store == "oxigraph" else DRAFT)
    filled = fill(place, inputs, base, settings.type_predicate, rejects, progress)
    fingerprint = _fingerprint(filled.files, base)
    with _opened(folder, name, fingerprint, store, lambda triples: tell(triples, len(inputs) + 1)) as graph:
        tell(filled.triples, len(inputs))
        with OxigraphGraph(name, fingerprint, folder / STORE) as again:
            more = [again] if store == "oxigraph" else []
            learned = profile(
                graph,
                settings,
                more=more,
                seen=filled.predicates,
                triples=filled.triples,
                classes=filled.classes,
            )
    manifest = Manifest(
        name=name,
        store=store,
        files=filled.files,
        base=base,
        fingerprint=fingerprint,
        triples=learned.triples,
        loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 3),
        source=source,
        settings=settings,
        rejected=sum(file.rejected for file in filled.files),
        repaired=sum(file.repaired for file in filled.files),
        rejects=REJECTS if (folder / REJECTS).exists() else "",
        notes=(*left_out, *(file.note for file in filled.files if file.note)),
    )
    keep(folder / KEPT, settings, [(found.iri, found.count) for found in learned.classes], filled.classes)
    (folder / PROFILE).write_text(learned.model_dump_json(), encoding="utf-8")
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2), encoding="utf-8")
    return manifest


def _opened(
    folder: Path, name: str, fingerprint: str, store: LocalStore, moved: Callable[[int], None]
) -> OxigraphGraph | VirtuosoGraph:
    """The new graph; `moved` hears how many triples Virtuoso has, if it is to hold it."""
    if store == "oxigraph":
        return OxigraphGraph(name, fingerprint, folder / STORE)
    from chattygen.kg import virtuoso_load

    return virtuoso_load.move(folder / DRAFT, folder / STORE, name, fingerprint, lambda triples, _: moved(triples))


def _fingerprint(files: Sequence[LoadedFile], base: str | None) -> str:
    """sha256 over what decides the triples: the contents of the files, in any order, and the base IRI."""
    return hashlib.sha256("\n".join([*sorted(file.sha256 for file in files), base or ""]).encode()).hexdigest()
