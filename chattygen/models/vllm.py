"""The command line of one vLLM server on the GPU; vLLM itself is never imported here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from chattygen.errors import ServerError
from chattygen.models.catalog import Entry
from chattygen.models.server import Launch
from chattygen.privacy import LOOPBACK, child_environment

DEADLINE = 900.0
"""Seconds until a server must answer: loading, compiling and capturing graphs take minutes."""


def launch(entry: Entry, weights: Path, port: int, key: str, memory: float = 0.9) -> Launch:
    """How to serve `weights` (a folder of safetensors) on loopback with `memory`, 0 to 1, of the GPU's memory.

    Raises:
        ServerError: vLLM is not installed.
    """
    if find_spec("vllm") is None:
        raise ServerError("vLLM is not installed", "run: pip install 'chattygen[gpu]', or use --cpu")
    return Launch(
        entry.name, command(entry, weights, port, memory), child_environment(VLLM_API_KEY=key), port, key, DEADLINE
    )


def command(entry: Entry, weights: Path, port: int, memory: float) -> tuple[str, ...]:
    """The words of the command line. The key is not among them: vLLM reads VLLM_API_KEY."""
    return (
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
        *("--model", str(weights)),
        *("--served-model-name", entry.name),
        *("--host", LOOPBACK),
        *("--port", str(port)),
        *("--max-model-len", str(entry.context)),
        *("--gpu-memory-utilization", f"{memory:.2f}"),
        "--enable-prefix-caching",
    )
