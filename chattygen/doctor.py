"""What `chattygen doctor` looks at: the machine, the home folder, what is loaded, what runs and what listens.

Each check yields lines: ok, warning, or fault, with what to do about it. Nothing is started but the reader of an
embedded store; nothing is changed but records of processes that are gone. `sweep` ends what is ours and nobody's any
more: by process id and start time, or by the mark that only servers of this home folder bear.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import psutil

from chattygen import __version__, lock
from chattygen.config import Home
from chattygen.errors import ChattygenError
from chattygen.models import processes, server, weights
from chattygen.models.catalog import Catalog, detect_profile, load_catalog
from chattygen.models.engines import with_version
from chattygen.privacy import check_host, is_loopback

if TYPE_CHECKING:
    from chattygen.kg import virtuoso

SPACE = 5e9
"""Bytes of free disk below which a warning is due: a small model and a database of some runs."""

MEMORY = 4e9
"""Bytes of free memory below which a warning is due: the default model on a CPU, with its context."""

ENGINES = {"llama_cpp": "llama-cpp-python", "xllamacpp": "xllamacpp", "vllm": "vllm"}
"""What can run a model: module -> package."""

NEWBORN = 5.0
"""Seconds after the start in which a server need not have a record."""

SWEEP = "run: chattygen doctor --sweep"


@dataclass(frozen=True)
class Line:
    """What one check has seen, and what to do when that is not ok."""

    check: str
    state: Literal["ok", "warning", "fault"]
    seen: str
    do: str = ""


def examine(home: Home, models_file: Path | None = None) -> Iterator[Line]:
    """All checks, in the order of the parts of chattygen."""
    yield from _machine(home)
    yield from _engines()
    yield from _cards()
    yield from _home(home)
    yield from _database(home)
    try:
        catalog = load_catalog(home, models_file)
        yield from _models(home, catalog)
    except ChattygenError as error:
        yield Line("models", "fault", error.message, error.hint)
    else:
        yield from _graphs(home, catalog)
    yield from _servers(home)
    yield from _virtuosos(home)
    yield from _sockets(home)


def sweep(home: Home) -> list[str]:
    """End the servers that nobody uses any more, and delete their records; says what was ended."""
    ended = []
    for orphan in [running for running in server.running(home) if running.orphan]:
        server.stop(orphan, home)
        ended.append(f"the server of {orphan.model} (process {orphan.pid})")
    for stray in _strays(home):
        with suppress(psutil.NoSuchProcess):
            stray.kill()
            ended.append(f"process {stray.pid}, a server without a record")
    for store, found, used in _virtuoso_servers(home):
        if not used:
            from chattygen.kg import virtuoso

            had = [process.pid for process in found.processes]
            virtuoso.leave(virtuoso.join(store), store)  # the last one to leave ends it
            ended += [f"the Virtuoso of {store} (process {pid})" for pid in had]
    return ended


# ---------------------------------------------------------------------------------------------------------------------
# What is here


def _machine(home: Home) -> Iterator[Line]:
    memory, disk = psutil.virtual_memory(), shutil.disk_usage(_existing(home.path))
    yield Line("chattygen", "ok", f"{__version__} on Python {platform.python_version()}, {platform.platform()}")
    yield Line("processor", "ok", f"{psutil.cpu_count(logical=False) or '?'} cores, {os.cpu_count()} threads")
    yield _enough("memory", memory.available, memory.total, MEMORY, "close other programs, or use a smaller model")
    yield _enough("disk", disk.free, disk.total, SPACE, "free some space, or give another --home")


def _enough(check: str, free: int, total: int, least: float, do: str) -> Line:
    seen = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB free"
    return Line(check, "ok", seen) if free >= least else Line(check, "warning", seen, do)


def _existing(path: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(place for place in (path, *path.parents) if place.exists())


def _engines() -> Iterator[Line]:
    """What is installed, without importing it: importing vLLM takes half a minute."""
    here = [with_version(package) for module, package in ENGINES.items() if find_spec(module)]
    if here:
        yield Line("engines", "ok", ", ".join(here))
    else:
        yield Line(
            "engines", "warning", "none is installed", "run: pip install 'chattygen[cpu]', or use an endpoint of yours"
        )


def _cards() -> Iterator[Line]:
    from chattygen.models import gpu

    cards = gpu.devices()
    for card in cards:
        yield Line("GPU", "ok", f"{card.name}, {card.free / 1e9:.1f} of {card.total / 1e9:.1f} GB free")
    if not cards:
        yield Line("GPU", "ok", "no NVIDIA card: models run on the CPU")


def _home(home: Home) -> Iterator[Line]:
    place = _existing(home.path)
    if not os.access(place, os.W_OK | os.X_OK):
        yield Line("home", "fault", f"{place} cannot be written", "make it writable, or give another --home")
    else:
        yield Line("home", "ok", str(home.path) if place == home.path else f"{home.path} (not there yet)")
    for record in sorted(home.run.glob("*.json")):
        if stat.S_IMODE(record.stat().st_mode) & 0o077:
            yield Line("home", "fault", f"{record} holds a key and others can read it", f"run: chmod 600 '{record}'")


def _database(home: Home) -> Iterator[Line]:
    from chattygen.results.database import open_to_read

    if not home.database.exists():
        yield Line("database", "ok", "no run yet")
        return
    try:
        open_to_read(home.database).close()
    except ChattygenError as error:
        yield Line("database", "fault", error.message, error.hint)
    else:
        yield Line("database", "ok", f"{home.database}, {home.database.stat().st_size / 1e6:.1f} MB")


def _models(home: Home, catalog: Catalog) -> Iterator[Line]:
    """The models of the roles that a run has by default."""
    profile = detect_profile()
    for name in dict.fromkeys(catalog.roles(profile).values()):
        entry = catalog.entry(name)
        seen = f"{name}, for {' '.join(role for role, model in catalog.roles(profile).items() if model == name)}"
        if entry.endpoint:
            try:
                check_host(entry.endpoint, catalog.allow)
            except ChattygenError as error:
                yield Line("models", "fault", error.message, error.hint)
                continue
        missing = weights.state(entry, home) == "missing"
        yield (
            Line("models", "warning", f"{seen}: no weights here", f"run: chattygen pull-model {name}")
            if missing
            else Line("models", "ok", seen)
        )


def _graphs(home: Home, catalog: Catalog) -> Iterator[Line]:
    from chattygen.kg import folders

    for folder in sorted(home.kgs.glob("[!.]*/")):
        name = folder.name
        if not (folder / folders.MANIFEST).exists():
            yield Line("graphs", "warning", f"{folder} is what a stopped load or drop left", "delete it")
            continue
        try:
            manifest = folders.read_manifest(home, name)
            seen = f"{name}, {manifest.triples:,} triples, {manifest.store}"
            if manifest.store != "virtuoso":  # which would be started for that
                with folders.open_kg(home, name, catalog.allow) as graph:
                    graph.ask("ASK { ?s ?p ?o }")
            elif not (folder / folders.STORE / "virtuoso.db").exists():
                yield Line("graphs", "fault", f"{seen}: no database", "load it again with --replace")
                continue
        except ChattygenError as error:
            yield Line("graphs", "fault", f"{name}: {error.message}", error.hint)
        else:
            yield Line("graphs", "ok", seen)


# ---------------------------------------------------------------------------------------------------------------------
# What runs


def _servers(home: Home) -> Iterator[Line]:
    for running in server.running(home):
        parts = (f"{running.model} at {running.url}", running.engine, f"process {running.pid}, by {running.started_by}")
        seen = ", ".join(filter(None, parts))
        if running.orphan:
            yield Line("servers", "fault", f"{seen}: nobody uses it any more", SWEEP)
        elif server.answers(running):
            yield Line("servers", "ok", f"{seen}, {running.memory / 1e9:.1f} GB")
        elif time.time() < running.started + running.deadline:
            yield Line("servers", "ok", f"{seen}: still loading")
        else:
            yield Line("servers", "warning", f"{seen}: does not answer", f"run: chattygen stop-models {running.model}")
    for stray in _strays(home):
        yield Line("servers", "fault", f"process {stray.pid} is a server of this home without a record", SWEEP)


def _strays(home: Home) -> list[psutil.Process]:
    """Processes of servers of this home that no record leads to."""
    known = {process.pid for running in server.running(home) for process in processes.members(running.pid)}
    strays = []
    for process in processes.marked(home.path):
        with suppress(psutil.NoSuchProcess):
            kin = {process.pid, *(parent.pid for parent in process.parents())}
            if not kin & known and time.time() - process.create_time() > NEWBORN:
                strays.append(process)
    return strays


def _virtuosos(home: Home) -> Iterator[Line]:
    for store, found, used in _virtuoso_servers(home):
        seen = f"Virtuoso of {store}, process {found.pid}"
        if used:
            yield Line("servers", "ok", seen)
        elif found.processes:
            yield Line("servers", "fault", f"{seen}: nobody uses it any more", SWEEP)
        else:
            yield Line("servers", "warning", f"{seen}: ended without deleting its record", SWEEP)


def _virtuoso_servers(home: Home) -> Iterator[tuple[Path, virtuoso.Server, bool]]:
    """The store, its server, and whether someone uses it or is just ending it; also of loads that are not done."""
    from chattygen.kg import folders, virtuoso

    for record in sorted(home.kgs.glob(f"*/{folders.STORE}/{virtuoso.RECORD}")):
        with suppress(FileNotFoundError, json.JSONDecodeError, TypeError):
            found = virtuoso.Server(**json.loads(record.read_text()))
            unused = lock.acquire(record.parent / folders.USERS)
            if unused:
                unused.close()
            yield record.parent, found, unused is None


def _sockets(home: Home) -> Iterator[Line]:
    """What listens, of all processes of servers: only this machine may reach it."""
    ours = {process.pid: process for process in processes.marked(home.path)}
    for running in server.running(home):
        ours |= {process.pid: process for process in processes.members(running.pid)}
    for _, found, _ in _virtuoso_servers(home):
        ours |= {process.pid: process for process in found.processes}
    listening = processes.listening(ours.values())
    for process, address, port in listening:
        seen = f"{address} port {port}, process {process.pid}"
        if is_loopback(address):
            yield Line("listening", "ok", seen)
        else:
            yield Line("listening", "fault", f"{seen}: other machines can reach it", f"run: kill {process.pid}")
    if not listening:
        yield Line("listening", "ok", "nothing")
