"""serve-models --plan: what each model needs, what it gets of the card, and the command that would start it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from chattygen.cli import show
from chattygen.config import Home
from chattygen.errors import UsageError, WeightsError
from chattygen.models import cpu_plan, engines, vllm, weights
from chattygen.models.catalog import Entry
from chattygen.models.gpu import Device, imagined
from chattygen.models.gpu_plan import RESERVE, Share, describe, gib
from chattygen.models.placement import Placement

PORT = 8000
"""The port that a plan shows for the first server; without --port, any that is free is taken."""


def card(size: str) -> Device:
    """The card that `--gpu-memory` stands for: `80GB`.

    Raises:
        UsageError: it is no such size.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:G|GB|GiB)?", size.strip(), re.IGNORECASE)
    if not found or float(found[1]) == 0:
        raise UsageError(f"--gpu-memory {size}: not the size of a card", "for example: --gpu-memory 80GB")
    return imagined(float(found[1]))


def draw(entries: Iterable[Entry], placement: Placement, home: Home, port: int | None) -> None:
    """Print the plan; nothing is started."""
    if placement.plan:
        device = placement.plan.device
        show.line(f"{device.name}: {gib(device.free)} of {gib(device.total)} are free", style="bold")
    for number, entry in enumerate(entries):
        for line in plan_lines(entry, placement.share(entry.name), home, (port or PORT) + number):
            show.data(show.clean(line))
    if placement.plan:
        left = f"{gib(placement.plan.left)} are left, and {gib(RESERVE)} for each server stays free"
        show.note(f"{left}; they are started one after the other, with their key in VLLM_API_KEY")


def draw_stand_ins(placement: Placement) -> None:
    """Say which models answer in the place of others."""
    for words in placement.stand_ins():
        show.note(words)


def plan_lines(entry: Entry, share: Share | None, home: Home, port: int) -> list[str]:
    """What one server needs, and its command."""
    where = _weights(entry, home)
    if share:
        needs = f"{describe(share)}, {share.fraction:.1%} of the card"
        return [needs, f"  {shlex.join(vllm.command(entry, where, port, share))}"]
    needs = cpu_plan.describe(cpu_plan.demand(entry, home))
    return [needs, f"  {shlex.join(engines.launch(entry, where, port, '').command)}"]


def _weights(entry: Entry, home: Home) -> Path:
    """Where the weights are, or will be."""
    try:
        return weights.find(entry, home)
    except WeightsError:
        folder = home.models / entry.name
        return folder / entry.files[0].name if len(entry.files) == 1 else folder
