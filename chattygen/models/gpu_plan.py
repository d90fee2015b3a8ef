"""How vLLM servers share one card: each gets a part of its memory, a context length and a number of requests at once.

What a server needs is its weights, its KV cache and an overhead. Where the models do not fit as they are asked for, the
plan gives way in this order, and takes the first that fits:

1. fewer requests at once, down to what one whole context holds;
2. a shorter context, down to LEAST tokens;
3. the model with the largest weights makes way for the smaller one that models.toml names for it, and 1 and 2 anew.

Arithmetic only: knows nothing about drivers, files, servers or command lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattygen.errors import ServerError
from chattygen.models.gpu import GIB, Device

CONCURRENCY = 16
"""Requests at once that a plan begins with, unless models.toml says otherwise."""

REQUEST = 2048
"""Tokens, prompt and reply, that a plan counts for each request at once; the calls of a run take a few hundred. Any one
of them may fill the whole context: a server whose cache is full puts a request off and computes it again.
"""

LEAST = 4096
"""Tokens that a context is not cut below."""

BATCH = 2048
"""Tokens that a server works on in one step. vLLM's own choice depends on the card, up to 16,384, and the memory for
activations grows with it; the servers are told this number so that OVERHEAD holds on every card.
"""

OVERHEAD = 2 * GIB
"""Bytes that a server holds beyond weights and KV cache. Logs in vLLM's issues: activations 0.2 to 1.3 GiB (#15039,
A100), CUDA context and libraries 0.2 to 0.4, CUDA graphs 0.1 to 0.4. What is not used of it, vLLM adds to the cache.
"""

RESERVE = 1 * GIB
"""Bytes per server that stay free on the card: a server grows past its share after it has measured itself, by over 1
GiB in the worst case that was reported (vLLM #51590)."""


@dataclass(frozen=True)
class Demand:
    """What a model asks for: bytes of weights, bytes of KV cache per token, tokens of context, requests at once."""

    model: str
    weights: int
    per_token: int
    context: int
    concurrency: int = CONCURRENCY
    quantisation: str = ""


@dataclass(frozen=True)
class Share:
    """What one server gets.

    Attributes:
        weights, cache, overhead: bytes.
        tokens: what the cache holds: one whole context at least, and REQUEST tokens for each request.
        context: --max-model-len, tokens.
        requests: --max-num-seqs.
        fraction: --gpu-memory-utilization, 0 to 1: of the card's total, as vLLM counts it.
        card: number of the card.
    """

    model: str
    quantisation: str
    weights: int
    cache: int
    tokens: int
    context: int
    requests: int
    fraction: float
    card: int
    overhead: int = OVERHEAD

    @property
    def needed(self) -> int:
        """Bytes."""
        return self.weights + self.cache + self.overhead


@dataclass(frozen=True)
class Plan:
    """The shares of the servers that are to be started on `device`, one after the other, in the order asked for."""

    device: Device
    shares: tuple[Share, ...]

    @property
    def left(self) -> int:
        """Bytes that neither the servers nor their reserve take."""
        return self.device.free - _taken(self.shares)


def cache_bytes(layers: int, kv_heads: int, head_dim: int) -> int:
    """Bytes of KV cache per token: a key and a value per layer and head, in 16 bit."""
    return 2 * layers * kv_heads * head_dim * 2


def make_plan(device: Device, wanted: Sequence[Sequence[Demand]]) -> Plan:
    """Share `device` among models. Each is a sequence: the model, and the smaller ones that may stand in for it.

    Raises:
        ServerError: they do not fit; says what each needs, what is free and what would fit.
    """
    tried = [0] * len(wanted)
    while True:
        models = [chain[number] for chain, number in zip(wanted, tried, strict=True)]
        if shares := _fit(device, models):
            return Plan(device, shares)
        smaller = [place for place, chain in enumerate(wanted) if tried[place] + 1 < len(chain)]
        if not smaller:
            raise _refusal(device, models, wanted)
        tried[max(smaller, key=lambda place: models[place].weights)] += 1


def gib(size: int) -> str:
    """Bytes as people read them."""
    return f"{size / GIB:.1f} GiB"


def describe(share: Share) -> str:
    """One line: what a server needs and why."""
    quantisation = f" ({share.quantisation})" if share.quantisation else ""
    return (
        f"{share.model}: weights {gib(share.weights)}{quantisation} + KV cache {gib(share.cache)}"
        f" ({share.tokens:,} tokens: {share.requests} requests at once, context {share.context:,})"
        f" + overhead {gib(share.overhead)} = {gib(share.needed)}"
    )


def _fit(device: Device, models: Sequence[Demand]) -> tuple[Share, ...]:
    """The largest shares that fit, or none."""
    for tokens in _cache_lengths(models):
        shares = tuple(_share(device, model, tokens) for model in models)
        if _taken(shares) <= device.free:
            return shares
    return ()


def _cache_lengths(models: Sequence[Demand]) -> Iterator[int]:
    """Lengths of the caches to try, in tokens, from all that is asked for down to LEAST."""
    most = max(max(model.concurrency * REQUEST, model.context) for model in models)
    yield from range(most, LEAST, -REQUEST)
    yield LEAST


def _share(device: Device, model: Demand, tokens: int) -> Share:
    """The share of a model whose cache holds at most `tokens`."""
    requests = max(1, min(model.concurrency, tokens // REQUEST))
    context = min(model.context, tokens)
    held = max(context, requests * min(REQUEST, context))
    cache = model.per_token * held
    needed = model.weights + cache + OVERHEAD
    fraction = -(-needed * 10_000 // device.total) / 10_000  # rounded up
    return Share(
        *(model.model, model.quantisation, model.weights, cache, held, context, requests, fraction, device.index)
    )


def _taken(shares: Sequence[Share]) -> int:
    return sum(share.needed + RESERVE for share in shares)


def _refusal(device: Device, models: Sequence[Demand], wanted: Sequence[Sequence[Demand]]) -> ServerError:
    """The error that says what is missing; `models` are the smallest that may be taken."""
    shares = [_share(device, model, LEAST) for model in models]
    taken = _taken(shares)
    alone = [model.model for chain in wanted for model in chain if _fit(device, [model])] if len(wanted) > 1 else []
    remedies = [f"{' or '.join(alone)} for every role (--role ROLE=MODEL)"] if alone else []
    if taken <= device.total:
        remedies.append(f"all of them, once other programs give back {gib(taken - device.free)}")
    else:
        remedies.append(f"all of them on a card with {gib(taken)} free")
    error = ServerError(
        f"{' and '.join(model.model for model in models)} do not fit on {device.name}: even with a short context they"
        f" need {gib(taken)}, and {gib(device.free)} of its {gib(device.total)} are free",
        f"what fits: {'; '.join(remedies)}",
    )
    for share in shares:
        error.add_note(describe(share))
    error.add_note(f"and {gib(RESERVE)} for each server, which stays free")
    return error
