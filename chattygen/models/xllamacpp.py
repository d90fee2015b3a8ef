"""The command line of one llama.cpp server out of the package xllamacpp, on the CPU.

The package is a prebuilt wheel, so that no compiler is needed; its server takes several requests at once, each in a
slot that keeps the prompt of its last request. It is never imported here: `xllamacpp_server` is a process of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chattygen.models.catalog import Entry
from chattygen.models.cpu import machine
from chattygen.models.server import Launch
from chattygen.models.xllamacpp_server import KEY
from chattygen.privacy import child_environment

DEADLINE = 180.0
"""Seconds until a server must answer: several GB may have to come from a slow disk."""


def slots(entry: Entry) -> int:
    """How many requests the server takes at once: one, unless models.toml asks for more."""
    return entry.concurrency or 1


def launch(entry: Entry, weights: Path, port: int, key: str) -> Launch:
    """How to serve `weights` (a GGUF file) on loopback."""
    options = {
        "model": str(weights),
        "alias": entry.name,
        "port": str(port),
        "context": str(entry.context),
        "slots": str(slots(entry)),
        "threads": str(machine().cores),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Launch(
        model=entry.name,
        command=(sys.executable, "-m", "chattygen.models.xllamacpp_server", *words),
        environment=child_environment(**{KEY: key}),
        port=port,
        key=key,
        deadline=DEADLINE,
        engine="xllamacpp",
        slots=slots(entry),
    )
