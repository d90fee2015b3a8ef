"""The graphs in the home folder: kgs/NAME holds `store/`, `profile.json`, `kept.zip` and, written last, `kg.json`.

A graph that an endpoint holds has no store. A folder without kg.json is no graph: it is what a stopped load or drop
left. Knows nothing about how files are read.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol
from typing import Literal as OneOf

from pydantic import ValidationError

from chattygen.config import GraphSettings, Home, Source, Strict, known
from chattygen.errors import GraphError, UsageError
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.kept import KEPT, KeptGraph
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import Profile
from chattygen.lock import acquire, lock

if TYPE_CHECKING:
    from chattygen.kg.endpoint import EndpointGraph

MANIFEST, PROFILE, STORE = "kg.json", "profile.json", "store"

PHRASINGS, TEMPLATES, INTEREST = "phrasings.toml", "templates.toml", "interest.toml"
"""How questions are worded and what nobody would ask: made by generation, mended by people, kept by a new load."""

USERS = "users.lock"
"""In the store of a Virtuoso: the file on which every process that uses it holds a shared lock."""


LocalStore = OneOf["oxigraph", "virtuoso"]
"""What can hold a graph that is loaded from files."""


class LoadedFile(Strict):
    """One file of a load: `sha256` of its decompressed bytes, `triples` as read, duplicates counted.

    `format` is a key of formats.FORMATS; `rejected` and `repaired` are numbers of lines; `note` is for the user.
    """

    path: str
    sha256: str
    triples: int
    format: str = ""
    rejected: int = 0
    repaired: int = 0
    note: str = ""


class Endpoint(Strict):
    """Where a graph is asked for: the address, and the IRIs of the named graphs (none: the default graph)."""

    url: str
    graphs: tuple[str, ...] = ()


class Manifest(Strict):
    """What a graph was made of.

    `fingerprint` depends on the contents of the files and the base IRI only, or on what was counted at the `endpoint`;
    `triples` are distinct ones; `loaded_at` is UTC, ISO 8601; `seconds` the time that the load took.
    `rejects` names the file beside kg.json that lists the rejected lines, or is empty.
    """

    name: str
    store: LocalStore | OneOf["endpoint"] = "oxigraph"
    endpoint: Endpoint | None = None
    files: tuple[LoadedFile, ...] = ()
    base: str | None = None
    fingerprint: str
    triples: int
    loaded_at: str
    seconds: float
    source: Source | None
    settings: GraphSettings
    rejected: int = 0
    repaired: int = 0
    rejects: str = ""
    notes: tuple[str, ...] = ()


class OpenGraph(KnowledgeGraph, Protocol):
    """A graph that is closed at the end of a `with` statement."""

    def __enter__(self) -> KnowledgeGraph: ...

    def __exit__(self, *_: object) -> None: ...


def check_name(name: str) -> None:
    """Raises UsageError unless `name` can name a graph."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        raise UsageError(
            f"{name!r} cannot name a graph", "use lower-case letters, digits and . _ - after a letter or digit"
        )


def list_kgs(home: Home) -> list[Manifest]:
    """The loaded graphs by name."""
    return [_manifest(path.parent) for path in sorted(home.kgs.glob("[!.]*/" + MANIFEST))]


def read_manifest(home: Home, name: str) -> Manifest:
    """The manifest of one graph.

    Raises:
        UnknownName: no such graph; says which there are.
    """
    return _manifest(_folder(home, name))


def read_profile(home: Home, name: str) -> Profile:
    """What the load learned about the graph; errors as in `read_manifest`."""
    path = _folder(home, name) / PROFILE
    try:
        return Profile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise GraphError(f"{path} cannot be read", "load the graph again with --replace") from None


def open_kg(home: Home, name: str, allow: Collection[str] = ()) -> OpenGraph:
    """Open a graph for queries, whatever holds it; errors as in `read_manifest`.

    Args:
        allow: hosts beside loopback that may be contacted.

    Raises:
        PrivacyError: the graph lies on a host that may not be contacted.
    """
    manifest = read_manifest(home, name)
    if manifest.endpoint:
        return open_endpoint(name, manifest.fingerprint, manifest.endpoint, allow)
    graph: OpenGraph = OxigraphGraph(name, manifest.fingerprint, home.kgs / name / STORE)
    if manifest.store == "virtuoso":
        from chattygen.kg.virtuoso import open_graph

        graph = open_graph(home.kgs / name / STORE, name, manifest.fingerprint)
    kept = home.kgs / name / KEPT
    return KeptGraph(graph, kept) if kept.exists() else graph


def open_endpoint(name: str, fingerprint: str, endpoint: Endpoint, allow: Collection[str]) -> EndpointGraph:
    """A graph at an endpoint, with the user and password of the environment; errors as in EndpointGraph."""
    from chattygen.kg.endpoint import PASSWORD, USER, EndpointGraph

    user, password = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    return EndpointGraph(
        name, fingerprint, endpoint.url, graphs=endpoint.graphs, allow=allow, user=user, password=password
    )


def drop_kg(home: Home, name: str) -> None:
    """Delete a graph, or forget where it is; errors as in `read_manifest`."""
    folder = _folder(home, name)
    served = _manifest(folder).store == "virtuoso"
    (folder / MANIFEST).unlink()
    if served:
        from chattygen.kg.virtuoso import stop

        stop(folder / STORE)
    shutil.rmtree(folder)


def _folder(home: Home, name: str) -> Path:
    names = [path.parent.name for path in home.kgs.glob("[!.]*/" + MANIFEST)]
    return home.kgs / known(name, names, "graph", "chattygen load-kg FILE --name NAME, or chattygen list-kgs")


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise GraphError(f"{path} cannot be read", f"delete the folder {folder} and load the graph again") from None


# ---------------------------------------------------------------------------------------------------------------------
# Folders on the way: kgs/.NAME.TOKEN.loading while a load runs, .old for the moment of a swap; kgs/.NAME.lock stays


@contextmanager
def workshop(home: Home, name: str) -> Iterator[Path]:
    """An empty folder for this load only; gone afterwards, whatever happens, unless it was published."""
    home.create()
    home.kgs.mkdir(exist_ok=True)
    _sweep(home)
    with _lock(home, name) as mine:
        if not mine:
            raise UsageError(f"the graph {name!r} is being loaded by another command", "wait for it, or stop it")
        folder = home.kgs / f".{name}.{token_hex(4)}.loading"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def publish(home: Home, name: str, folder: Path) -> None:
    """Move a finished load to its place; a graph that was there is deleted after the swap."""
    place, old = home.kgs / name, folder.with_suffix(".old")
    if place.exists():
        for paid_for in (PHRASINGS, TEMPLATES, INTEREST):
            if (place / paid_for).exists():
                shutil.copy2(place / paid_for, folder / paid_for)
        place.rename(old)
    folder.rename(place)
    (old / MANIFEST).unlink(missing_ok=True)
    _delete(old)


def _sweep(home: Home) -> None:
    """Delete what dead loads left; put a graph back whose swap was cut in half."""
    for left in [*home.kgs.glob(".*.loading"), *home.kgs.glob(".*.old")]:
        name = left.name[1:].rsplit(".", 2)[0]
        with _lock(home, name) as mine:
            if not mine:
                continue
            if left.suffix == ".old" and (left / MANIFEST).exists() and not (home.kgs / name).exists():
                left.rename(home.kgs / name)
            else:
                _delete(left)


def _delete(folder: Path) -> None:
    """Delete a folder; one whose Virtuoso is in use waits for a later sweep, for that reads its files by name."""
    users = folder / STORE / USERS
    if users.exists():
        unused = acquire(users)
        if unused is None:
            return
        unused.close()
    shutil.rmtree(folder, ignore_errors=True)


def _lock(home: Home, name: str) -> AbstractContextManager[bool]:
    """Whether no other process works on the graph `name`."""
    return lock(home.kgs / f".{name}.lock")
