"""What the NVIDIA driver says of the cards in this machine, through nvidia-ml-py.

Knows nothing about models or servers. Without a driver there are no cards, which is no error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

GIB = 1024**3

KEPT = 0.015
"""The part of a card's nominal memory that the driver keeps: 1.1 % of an A100 80 GB, 1.5 % of an A100 40 GB."""


@dataclass(frozen=True)
class Device:
    """A card.

    Attributes:
        index: its number in the order of the PCI bus, as nvidia-smi counts.
        total: bytes that programs can have, what the driver keeps left out; CUDA, and so vLLM, calls this the total.
        free: bytes that no program holds now.
    """

    index: int
    name: str
    total: int
    free: int


def devices() -> tuple[Device, ...]:
    """The cards that may be used: all, or those that CUDA_VISIBLE_DEVICES lists by number or UUID."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        return tuple(_read(pynvml.nvmlDeviceGetCount()))
    finally:
        pynvml.nvmlShutdown()


def roomiest() -> Device | None:
    """The card with the most free memory, if there is a card."""
    return max(devices(), key=lambda device: device.free, default=None)


def imagined(gigabytes: float) -> Device:
    """An empty card that is not in this machine, by the size that its name gives (80 for an A100 80 GB)."""
    usable = round(gigabytes * GIB * (1 - KEPT))
    return Device(0, f"a card of {gigabytes:g} GB", usable, usable)


def _read(count: int) -> Iterator[Device]:
    import pynvml

    for index in range(count):
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        if not _visible(index, pynvml.nvmlDeviceGetUUID(handle)):
            continue
        try:
            memory = pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2)
        except pynvml.NVMLError_NotSupported:
            continue  # the card shares the machine's memory and has none of its own to plan with
        yield Device(index, pynvml.nvmlDeviceGetName(handle), memory.total - memory.reserved, memory.free)


def _visible(index: int, uuid: str) -> bool:
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return True
    words = [word.strip() for word in listed.split(",")]
    return any(word == str(index) or (word.startswith("GPU-") and uuid.startswith(word)) for word in words)
