"""What this machine's processors and memory give, also inside a container. Knows nothing about models or servers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")
"""Where a container finds its limits."""


@dataclass(frozen=True)
class Machine:
    """`cores`: threads that compute without sharing a core; `total` and `free`: bytes of memory."""

    cores: int
    total: int
    free: int


def machine(cgroup: Path = CGROUP) -> Machine:
    """This machine, or the part of it that this container may use."""
    memory = psutil.virtual_memory()
    total, free = memory.total, memory.available
    if (limit := _number(cgroup / "memory.max")) is not None:
        used = (_number(cgroup / "memory.current") or 0) - _reclaimable(cgroup / "memory.stat")
        total, free = min(total, limit), min(free, limit - used)
    return Machine(_cores(cgroup), total, max(free, 0))


def _cores(cgroup: Path) -> int:
    """Physical cores, no more than this process may run on: llama.cpp waits for its slowest thread at every step."""
    counts = [psutil.cpu_count(logical=False) or 1]
    if hasattr(os, "sched_getaffinity"):
        counts.append(len(os.sched_getaffinity(0)))
    quota, _, period = _text(cgroup / "cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal():
        counts.append(max(1, int(quota) // int(period)))
    return min(counts)


def _reclaimable(stat: Path) -> int:
    """Bytes of files that are only kept in memory in case somebody reads them again."""
    counts = dict(line.split() for line in _text(stat).splitlines())
    return int(counts.get("inactive_file", 0)) + int(counts.get("active_file", 0))


def _number(path: Path) -> int | None:
    """The number in a file; None where there is no file, or no limit (`max`)."""
    text = _text(path)
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
