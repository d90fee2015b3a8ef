"""Whether the memory holds the llama.cpp servers that are asked for, and with how many threads they compute.

A server needs its weights, the KV cache of all its slots (reserved at the start, whatever is used of it) and an
overhead. Several servers compute one after the other, since a run goes through its stages one after the other, so each
has all cores; memory they must share. Starts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chattygen.config import Home
from chattygen.errors import ServerError, WeightsError
from chattygen.models import cpu, engines, gguf, weights
from chattygen.models.catalog import Entry
from chattygen.models.gpu_plan import cache_bytes, gib

OVERHEAD = 1024**3
"""Bytes that a server holds beyond weights and KV cache: buffers for the computation, and Python. With either package
0.74 GiB were seen for a vocabulary of 152 thousand tokens, on which the buffers depend most."""

LEAST = 2048
"""Tokens of context below which no advice goes."""


@dataclass(frozen=True)
class Demand:
    """What a server asks for: bytes of weights, bytes of KV cache per token, tokens of context, requests at once."""

    model: str
    weights: int
    per_token: int
    context: int
    slots: int = 1
    engine: str = ""

    @property
    def cache(self) -> int:
        """Bytes of KV cache."""
        return self.per_token * self.context * self.slots

    @property
    def needed(self) -> int:
        """Bytes in all."""
        return self.weights + self.cache + OVERHEAD


@dataclass(frozen=True)
class Plan:
    """Servers that fit: what each needs, and the machine that they run on."""

    machine: cpu.Machine
    demands: tuple[Demand, ...]


def cpu_plan(entries: Iterable[Entry], home: Home) -> Plan:
    """Plan for the `llama-cpp` models among `entries`, none of which is served yet, on this machine.

    Raises:
        ServerError: they do not fit, or their engine is not installed.
    """
    return fit(cpu.machine(), [demand(entry, home) for entry in entries if entry.backend == "llama-cpp"])


def demand(entry: Entry, home: Home) -> Demand:
    """What a model asks for, by its file. Before it is pulled, its size by models.toml counts, and no KV cache.

    Raises:
        ServerError: its engine is not installed.
    """
    try:
        path = weights.find(entry, home)
    except WeightsError:
        size, shape = entry.size or 0, None
    else:
        size, shape = path.stat().st_size, gguf.shape(path)
    per_token = cache_bytes(shape.layers, shape.kv_heads, shape.head_dim) if shape else 0
    return Demand(entry.name, size, per_token, entry.context, engines.slots(entry), engines.choose(entry))


def fit(machine: cpu.Machine, demands: Sequence[Demand]) -> Plan:
    """The plan for these servers.

    Raises:
        ServerError: they do not fit; says what each needs, what is free and what would fit.
    """
    if _needed(demands) > machine.free:
        raise _refusal(machine, demands)
    return Plan(machine, tuple(demands))


def describe(demand: Demand) -> str:
    """One line: what a server needs and why."""
    if not demand.weights:
        return f"{demand.model} on {demand.engine}: its size is not known before it is pulled"
    at_once = f"{demand.slots} slots, " if demand.slots > 1 else ""
    return (
        f"{demand.model} on {demand.engine}: weights {gib(demand.weights)} + KV cache {gib(demand.cache)}"
        f" ({at_once}context {demand.context:,}) + overhead {gib(OVERHEAD)} = {gib(demand.needed)}"
    )


def _needed(demands: Iterable[Demand]) -> int:
    return sum(demand.needed for demand in demands)


def _refusal(machine: cpu.Machine, demands: Sequence[Demand]) -> ServerError:
    """The error that says what is missing."""
    needed, names = _needed(demands), " and ".join(demand.model for demand in demands)
    alone = [demand.model for demand in demands if demand.needed <= machine.free] if len(demands) > 1 else []
    remedies = [f"{' or '.join(alone)} for every role (--role ROLE=MODEL)"] if alone else []
    if context := _shorter(machine, demands):
        remedies.append(f"context = {context} in models.toml")
    if needed <= machine.total:
        remedies.append(f"{names}, once other programs give back {gib(needed - machine.free)}")
    error = ServerError(
        f"the memory does not hold {names}: {gib(needed)} are needed, and {gib(machine.free)} of {gib(machine.total)}"
        " are free",
        f"what fits: {'; '.join(remedies)}" if remedies else "choose a smaller model: chattygen list-models",
    )
    for demand in demands:
        error.add_note(describe(demand))
    return error


def _shorter(machine: cpu.Machine, demands: Sequence[Demand]) -> int:
    """The longest context, a power of two, with which they all fit; 0 if there is none."""
    tokens = 1 << max(demand.context for demand in demands).bit_length()
    while (tokens := tokens // 2) >= LEAST:
        if _needed(replace(demand, context=min(demand.context, tokens)) for demand in demands) <= machine.free:
            return tokens
    return 0
