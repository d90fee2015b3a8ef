"""The same graph in an Oxigraph and in a Virtuoso, and whether tests of Virtuoso can run here."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.kg import virtuoso_load
from chattygen.kg.folders import STORE
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.virtuoso import VirtuosoGraph, open_graph

Pair = tuple[OxigraphGraph, VirtuosoGraph]
"""One graph in both stores."""


def needs_virtuoso() -> None:
    """Skip the test where Virtuoso is missing; fail it where every test must run (CHATTYGEN_TEST_ALL)."""
    if shutil.which("virtuoso-t") and shutil.which("isql-vt"):
        return
    reason = "Virtuoso is missing; Debian: apt install virtuoso-opensource-7-bin"
    if os.environ.get("CHATTYGEN_TEST_ALL"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def fill(folder: Path, files: list[Path], base: str | None = None) -> tuple[Path, Path]:
    """Load the files into Oxigraph, and what that holds into Virtuoso; both stores."""
    needs_virtuoso()
    home, store = Home(folder), folder / "virtuoso"
    manifest = load(home, "both", files, base=base)
    told: list[int] = []
    loaded = virtuoso_load.copy(home.kgs / "both" / STORE, store, lambda triples, seconds: told.append(triples))
    assert loaded.triples == manifest.triples
    assert all(0 < triples <= loaded.triples for triples in told)
    return home.kgs / "both" / STORE, store


def opened(stores: tuple[Path, Path]) -> Iterator[Pair]:
    with OxigraphGraph("both", "f", stores[0]) as one, open_graph(stores[1], "both", "f") as other:
        yield one, other


def servers(folder: Path) -> list[psutil.Process]:
    """The processes of Virtuoso that run in a folder."""
    found = []
    for process in psutil.process_iter(["name"]):
        with suppress(psutil.NoSuchProcess):  # a zombie counts as gone
            if process.info["name"] == "virtuoso-t" and process.cwd() == str(folder.resolve()):
                found.append(process)
    return found


def gone(folder: Path) -> bool:
    """Whether no Virtuoso runs there any more, a few seconds from now at the latest."""
    deadline = time.monotonic() + 15
    while servers(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not servers(folder)
