"""An endpoint -> a graph that is ready: what a load learns of files is asked of the endpoint, and no store is made.

On a failure nothing is left, as with a load. Knows nothing about the paper.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path

from chattygen.config import GraphSettings, Home, Source
from chattygen.errors import GraphError, UsageError
from chattygen.kg.folders import MANIFEST, PROFILE, Endpoint, Manifest, check_name, open_endpoint, publish, workshop
from chattygen.kg.profile import Profile, profile


def attach(
    home: Home,
    name: str,
    url: str,
    *,
    graphs: Sequence[str] = (),
    allow: Collection[str] = (),
    source: Source | None = None,
    settings: GraphSettings | None = None,
    replace: bool = False,
) -> Manifest:
    """Call the graph at an endpoint `name`.

    Args:
        graphs: IRIs of the named graphs that are the data; none: the endpoint's default graph.
        allow: hosts beside loopback that may be contacted.
        replace: take the place of a graph of that name, which is deleted once the new one is ready.

    Raises:
        UsageError: a bad name, a name that is taken, an address that is none.
        PrivacyError: a host that may not be contacted.
        GraphError: the endpoint cannot be asked, gives no whole answer, or has no triples.
    """
    check_name(name)
    for iri in graphs:
        if not re.fullmatch(r'[A-Za-z][A-Za-z0-9+.-]*:[^<>"{}|^`\\\x00-\x20]*', iri):
            raise UsageError(f"{iri!r} is not the IRI of a graph", "give a whole one, such as http://example.org/graph")
    if (home.kgs / name / MANIFEST).exists() and not replace:
        raise UsageError(f"there is a graph named {name!r} already", "add --replace, or choose another --name")
    endpoint = Endpoint(url=url, graphs=tuple(sorted(set(graphs))))
    settings = settings or GraphSettings()
    started = time.monotonic()
    with open_endpoint(name, "", endpoint, allow) as graph:
        learned = profile(graph, settings)
    if not learned.triples:
        where = ", ".join(endpoint.graphs) or "its default graph"
        raise GraphError(f"{url} has no triples in {where}", "name the graphs that hold the data with --graph IRI")
    manifest = Manifest(
        name=name,
        store="endpoint",
        endpoint=endpoint,
        fingerprint=_fingerprint(endpoint, learned),
        triples=learned.triples,
        loaded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 3),
        source=source,
        settings=settings,
    )
    try:
        with workshop(home, name) as folder:
            _write(folder, manifest, learned)
            publish(home, name, folder)
    except OSError as error:
        raise GraphError(
            f"the graph cannot be stored: {error}", "check the free space, and the rights of --home"
        ) from None
    return manifest


def _write(folder: Path, manifest: Manifest, learned: Profile) -> None:
    (folder / PROFILE).write_text(learned.model_dump_json(), encoding="utf-8")
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=2), encoding="utf-8")


def _fingerprint(endpoint: Endpoint, learned: Profile) -> str:
    """sha256 over the place and the counts: a change that leaves every count as it was is not noticed."""
    return hashlib.sha256(f"{endpoint.model_dump_json()}\n{learned.model_dump_json()}".encode()).hexdigest()
