"""Why a server did not start or has died: one guess, from the end of its log and its exit code."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from chattygen.models.guard import MISSING

CAUSES = (
    (("no module named",), "a package is missing: pip install 'chattygen[cpu]' (or 'chattygen[gpu]')"),
    (
        ("less than desired gpu memory utilization",),
        "another program holds a part of the GPU's memory: see nvidia-smi and chattygen doctor",
    ),
    (
        ("out of memory", "cannot allocate", "bad_alloc", "failed to allocate", "memory for the cache", "kv cache is"),
        "not enough memory for this model",
    ),
    (("address already in use", "couldn't bind http"), "another program took the port in the meantime; run it again"),
    (
        ("no kernel image", "cuda driver", "no cuda gpus", "failed to infer device type"),
        "the GPU or driver does not suit",
    ),
    (("model path does not exist",), "the weights are missing: run chattygen pull-model"),
    (("failed to load model", "invalid magic", "gguf"), "the weights are damaged: run chattygen check-model"),
)
"""(what the log may hold, in lower case) -> what that means."""


LAST = 15
"""Lines at the end of a log that are looked at first."""

RAISED = re.compile(r"\b[A-Z]\w*(?:Error|Exception): \S")

UNTOLD = "Engine core initialization failed"
"""What vLLM's front says when its engine has ended; why, the engine has said long before."""


def error_line(lines: Sequence[str]) -> str:
    """The last line of a log that names an error and tells more than that there was one; else empty."""
    raised = (line.strip() for line in reversed(lines) if RAISED.search(line) and UNTOLD not in line)
    return next(raised, "")


def likely_cause(lines: Sequence[str], code: int | None) -> str:
    """The first cause that fits, at the end of the log if one does there.

    `code` is None for a server that did not answer in time.
    """
    if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return "killed from outside, most likely for lack of memory"
    if code in (-signal.SIGILL, 128 + signal.SIGILL):
        return "llama.cpp was built for another processor: rebuild it with CMAKE_ARGS=-DGGML_NATIVE=OFF"
    if code == MISSING:
        return "the program is not there: check the installation"
    for part in (lines[-LAST:], lines):
        text = "\n".join(part).lower()
        for marks, cause in CAUSES:
            if any(mark in text for mark in marks):
                return cause
    return "still loading? give it more time, or read the log" if code is None else "the log says why"
