"""Which models answer in the place of which, and what the servers that must be started get of the card.

Brings together what models.toml says, the weights on the disk and the card; the arithmetic is in `gpu_plan`. Asked
before a run begins, so that the run records the models that really answer. Starts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from chattygen.config import Home
from chattygen.errors import ModelError, WeightsError
from chattygen.models import engines, gpu_plan, weights
from chattygen.models.catalog import Catalog, Entry, Shape
from chattygen.models.cpu_plan import cpu_plan
from chattygen.models.gpu import Device, roomiest
from chattygen.models.gpu_plan import CONCURRENCY, Demand, Plan, Share


@dataclass(frozen=True)
class Placement:
    """`answering`: a model asked for -> the one that answers, itself or a smaller one. `plan` is None where no vLLM
    server is to be started, or where there is no card."""

    answering: Mapping[str, str]
    plan: Plan | None = None

    def share(self, model: str) -> Share | None:
        """What the server of `model` gets of the card, if it is to be started there."""
        return next((share for share in self.plan.shares if share.model == model), None) if self.plan else None

    def stand_ins(self) -> list[str]:
        """Which models answer in the place of others, in words."""
        others = [(asked, answers) for asked, answers in self.answering.items() if asked != answers]
        return [f"{asked} is too large for this card: {answers} answers in its place" for asked, answers in others]

    def roles(self, roles: Mapping[str, str]) -> dict[str, str]:
        """The roles, with the models that answer."""
        return {role: self.answering.get(model, model) for role, model in roles.items()}


def place(
    catalog: Catalog,
    names: Iterable[str],
    home: Home,
    served: Collection[str] = (),
    *,
    device: Device | None = None,
    stand_ins: bool = True,
) -> Placement:
    """Find room for the models among `names`: on a card for those of vLLM, in the memory for those of llama.cpp. Those
    that are `served` already need none.

    Args:
        device: plan for this card; by default for the one here that has the most free memory.
        stand_ins: whether a smaller model may answer; a run that goes on keeps its models.

    Raises:
        ServerError: they do not fit; says what each needs, what is free and what would fit.
        ModelError: neither models.toml nor the weights tell the size of a model.
        UnknownName: there is no model of a name.
    """
    wanted = list(dict.fromkeys(names))
    answering, chains = {}, []
    for name in wanted:
        chain = [entry for entry in catalog.stand_ins(name) if entry.name == name or entry.name not in wanted]
        chain = chain if stand_ins else chain[:1]
        running = [entry.name for entry in chain if entry.name in served]
        answering[name] = running[0] if running else name
        if chain[0].backend == "vllm" and not running:
            chains.append(chain)
    cpu_plan([catalog.entry(name) for name in wanted if name not in served], home)
    device = device or (roomiest() if chains else None)
    if not chains or device is None:
        return Placement(answering)
    plan = gpu_plan.make_plan(device, [[demand(entry, home) for entry in chain] for chain in chains])
    placed = {chain[0].name: share.model for chain, share in zip(chains, plan.shares, strict=True)}
    return Placement(answering | placed, plan)


def share_alone(entry: Entry, home: Home) -> Share | None:
    """What a vLLM model gets when no other is planned for; None where there is no card.

    Raises:
        ServerError, ModelError: as `place`.
    """
    device = roomiest()
    return gpu_plan.make_plan(device, [[demand(entry, home)]]).shares[0] if device else None


def demand(entry: Entry, home: Home) -> Demand:
    """What a vLLM model asks for: measured on its weights where they are pulled, else as models.toml says.

    Raises:
        ModelError: neither tells.
    """
    try:
        folder = weights.find(entry, home)
    except WeightsError:
        size, shape = entry.weights_bytes, entry.shape
    else:
        size = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
        shape = _shape(folder / "config.json") or entry.shape
    if not size or not shape:
        raise ModelError(
            f"nothing tells how large {entry.name} is, so that it cannot be planned for",
            f"run: chattygen pull-model {entry.name}, or give it weights_bytes and shape in models.toml",
        )
    per_token = gpu_plan.cache_bytes(shape.layers, shape.kv_heads, shape.head_dim)
    concurrency = entry.concurrency or CONCURRENCY
    return Demand(entry.name, size, per_token, entry.context, concurrency, entry.quantisation or "")


def requests_at_once(entries: Iterable[Entry], placement: Placement) -> int:
    """How many requests a run keeps in flight by default: as many as the least of its servers takes at once.

    Raises:
        ServerError: a model needs an engine that is not installed.
    """
    least = [_takes(entry, placement) for entry in entries if entry.backend in ("llama-cpp", "vllm", "endpoint")]
    return min(least, default=1)


def _takes(entry: Entry, placement: Placement) -> int:
    if entry.backend == "llama-cpp":
        return engines.slots(entry)
    if share := placement.share(entry.name):
        return share.requests
    return entry.concurrency or (CONCURRENCY if "vllm" in (entry.backend, entry.dialect) else 1)


def _shape(config: Path) -> Shape | None:
    """The shape of a model by its config.json in the form of Hugging Face, if that tells it."""
    try:
        told = json.loads(config.read_text())
        told = told.get("text_config", told)
        heads = told["num_attention_heads"]
        return Shape(
            layers=told["num_hidden_layers"],
            kv_heads=told.get("num_key_value_heads") or heads,
            head_dim=told.get("head_dim") or told["hidden_size"] // heads,
        )
    except (OSError, ValueError, KeyError):
        return None
