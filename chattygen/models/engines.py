"""Two packagings of llama.cpp behind one seam: which of them serves a model on the CPU, and how it is started.

    llama-cpp-python   extra `cpu`        compiled on installation, for this processor; one request at a time
    xllamacpp          extra `cpu-wheel`  a prebuilt wheel; several requests at once, each in a slot with its own cache

An entry's `engine` decides (models.toml, or --engine for all entries); else the first that is installed is used.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

from chattygen.errors import ServerError
from chattygen.models import llamacpp, xllamacpp
from chattygen.models.catalog import Engine, Entry
from chattygen.models.server import Launch

ENGINES: tuple[Engine, ...] = get_args(Engine)

MODULES: dict[Engine, tuple[str, ...]] = {"llama-cpp-python": ("llama_cpp", "uvicorn"), "xllamacpp": ("xllamacpp",)}
"""What must be there for an engine to run; uvicorn comes with llama-cpp-python's server only."""

INSTALL: dict[Engine, str] = {
    "llama-cpp-python": "run: pip install 'chattygen[cpu]' (needs a C++ compiler and cmake, takes about 10 minutes)",
    "xllamacpp": "run: pip install 'chattygen[cpu-wheel]'",
}


def choose(entry: Entry) -> Engine:
    """The engine that serves a `llama-cpp` model.

    Raises:
        ServerError: the one that is asked for is not installed, or none is.
    """
    if entry.engine is None:
        for engine in ENGINES:
            if installed(engine):
                return engine
        raise ServerError("no llama.cpp is installed", f"{INSTALL['xllamacpp']}; faster where compiled: [cpu]")
    if not installed(entry.engine):
        raise ServerError(f"{entry.engine}, which {entry.name} asks for, is not installed", INSTALL[entry.engine])
    return entry.engine


def installed(engine: Engine) -> bool:
    """Whether an engine is installed with its server."""
    return all(find_spec(module) for module in MODULES[engine])


def slots(entry: Entry) -> int:
    """How many requests the server of a `llama-cpp` model takes at once.

    Raises:
        ServerError: as `choose`.
    """
    return xllamacpp.slots(entry) if choose(entry) == "xllamacpp" else 1


def launch(entry: Entry, weights: Path, port: int, key: str) -> Launch:
    """How to serve `weights` (a GGUF file) on loopback.

    Raises:
        ServerError: as `choose`.
    """
    if choose(entry) == "xllamacpp":
        return xllamacpp.launch(entry, weights, port, key)
    return llamacpp.launch(entry, weights, port, key)


def with_version(engine: str) -> str:
    """An engine (or vLLM) as people are told of it: `xllamacpp 2026.10.11549`."""
    try:
        return f"{engine} {version(engine)}"
    except PackageNotFoundError:
        return engine
