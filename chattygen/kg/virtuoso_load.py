"""Triples -> a Virtuoso database in a folder: bulk load, every file checked, written out, started again, counted again.

The triples come from a store that Oxigraph has already filled, so that both stores hold the same terms, and it is known
how many there must be. Knows nothing about formats or profiles.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path

from chattygen.errors import GraphError
from chattygen.kg import isql, virtuoso
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.virtuoso import STRICT, Server, VirtuosoGraph
from chattygen.kg.virtuoso_ini import GRAPH
from chattygen.kg.virtuoso_terms import Encoder

INCOMING = "incoming"

PIECE = 2**20
"""Bytes of N-Triples that are looked through at once."""

POLL = 1.0
"""Seconds between two looks at how far the loader is."""

STUCK = 900.0
"""A loader that adds no triple for so many seconds is given up."""

DONE = "2"
"""The state of a finished row of load_list."""

Progress = Callable[[int, float], None]
"""(triples so far, seconds so far)"""


@dataclass(frozen=True)
class Loaded:
    """What a load came to: distinct triples, and the seconds it took."""

    triples: int
    seconds: float


def move(oxigraph: Path, folder: Path, name: str, fingerprint: str, progress: Progress) -> VirtuosoGraph:
    """Move everything out of an Oxigraph store, which is deleted, into a new Virtuoso; errors as in `copy`."""
    copy(oxigraph, folder, progress)
    shutil.rmtree(oxigraph)
    return virtuoso.open_graph(folder, name, fingerprint)


def copy(oxigraph: Path, folder: Path, progress: Progress) -> Loaded:
    """Load everything that the Oxigraph store in `oxigraph` holds in its default graph into a new Virtuoso in `folder`.

    Needs room for the triples as N-Triples while it works. Loads again, strictly, where Virtuoso takes different
    literals for one (virtuoso_terms.py).

    Raises:
        GraphError: as `load_into`, or the two stores hold different numbers of triples.
    """
    import pyoxigraph

    store = pyoxigraph.Store.read_only(str(oxigraph))
    for strict in (False, True):
        (folder / INCOMING).mkdir(parents=True)
        if strict:
            (folder / STRICT).touch()
        file = folder / INCOMING / "graph.nt"
        with file.open("wb") as output, BufferedWriter(Encoder(output, strict), PIECE) as pieces:
            store.dump(pieces, pyoxigraph.RdfFormat.N_TRIPLES, from_graph=pyoxigraph.DefaultGraph())
        loaded = load_into(folder, [file], progress)
        if loaded.triples == len(store):
            return loaded
        shutil.rmtree(folder)
    raise GraphError(
        f"Virtuoso holds {loaded.triples:,} of {len(store):,} triples",
        "some of them are equal for Virtuoso; load the graph into Oxigraph: leave --store out",
    )


def load_into(folder: Path, files: Sequence[Path], progress: Progress) -> Loaded:
    """Load N-Triples files into a new database in `folder`, and leave no server running.

    The files lie in `folder`/incoming, the only folder that the server may read, and are deleted. A blank node belongs
    to its file.

    Raises:
        GraphError: Virtuoso is missing, does not start, refuses a file, gets stuck, or forgets triples; with the end of
            its log in the notes.
    """
    started = time.monotonic()
    users = virtuoso.join(folder)
    try:
        server = virtuoso.start(folder, sum(file.stat().st_size for file in files))
        with virtuoso.endpoint(server, "", "") as graph:
            _load(folder, server, graph, files, lambda triples: progress(triples, time.monotonic() - started))
            before = _count(graph)
        virtuoso.stop(folder)
        shutil.rmtree(folder / INCOMING)
        with virtuoso.endpoint(virtuoso.start(folder), "", "") as graph:
            after = _count(graph)
    finally:
        virtuoso.leave(users, folder)
    if after != before:
        raise virtuoso.failure(f"Virtuoso held {before:,} triples, and {after:,} after a restart", folder)
    return Loaded(after, round(time.monotonic() - started, 3))


def _load(
    folder: Path, server: Server, graph: KnowledgeGraph, files: Sequence[Path], tell: Callable[[int], None]
) -> None:
    """Lock the new database up, run the loader to its end, and have everything written out."""
    loader = isql.begin(
        server.sql,
        [
            # Nobody needs it again; whoever wants to administer the database can set another with virtuoso-t +pwddba.
            f"user_set_password('dba', '{secrets.token_hex(16)}')",
            *[f"ld_dir('{INCOMING}', '{file.name}', '{GRAPH}')" for file in files],
            "rdf_loader_run()",
            "select ll_file, ll_state, replace(coalesce(ll_error, ''), '\\n', ' ') from DB.DBA.load_list",
            "checkpoint",
        ],
    )
    try:
        triples, grew = 0, time.monotonic()
        while loader.poll() is None:
            if (now := _count(graph)) > triples:
                triples, grew = now, time.monotonic()
                tell(triples)
            elif time.monotonic() - grew > STUCK:
                raise virtuoso.failure(f"Virtuoso's loader is stuck: no new triple for {STUCK:.0f} s", folder)
            with suppress(subprocess.TimeoutExpired):
                loader.wait(POLL)
        _check(folder, isql.rows(loader), len(files))
    finally:
        loader.kill()
        loader.wait()


def _check(folder: Path, load_list: Sequence[Sequence[str]], files: int) -> None:
    """Every file must be loaded to its end: only the list of the loader tells what was wrong with one."""
    for file, state, *error in load_list:
        if state != DONE or any(error):
            reason = "".join(error) or f"it stopped in state {state}"
            raise virtuoso.failure(f"Virtuoso could not load {file}: {reason}", folder)
    if len(load_list) != files:
        raise virtuoso.failure(f"Virtuoso took {len(load_list)} of {files} files", folder)


def _count(graph: KnowledgeGraph) -> int:
    """The number of triples."""
    [[number]] = graph.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", deadline=STUCK).rows
    return int(number.value) if number else 0
