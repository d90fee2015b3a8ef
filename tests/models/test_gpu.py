"""What the NVIDIA driver says, asked through the real nvidia-ml-py of a driver that the test plays."""

from __future__ import annotations

import ctypes
from ctypes.util import find_library
from dataclasses import dataclass
from typing import Any

import pynvml
import pytest

from chattygen.models.gpu import Device, devices, imagined, roomiest

MIB = 1024**2


@dataclass
class Card:
    name: bytes
    uuid: bytes
    total: int
    reserved: int
    free: int


A100 = Card(b"NVIDIA A100-SXM4-80GB", b"GPU-5e1f", 81920 * MIB, 868 * MIB, 50000 * MIB)
L4 = Card(b"NVIDIA L4", b"GPU-77aa", 23034 * MIB, 400 * MIB, 22600 * MIB)
SPARK = Card(b"NVIDIA GB10", b"GPU-0b0b", 0, 0, 0)


class Driver:
    """The functions of libnvidia-ml that are asked; each returns 0, or the number of an error."""

    def __init__(self, *cards: Card, start: int = 0) -> None:
        self.cards, self.start, self.open = cards, start, 0

    def nvmlInitWithFlags(self, flags: int) -> int:
        self.open += self.start == 0
        return self.start

    def nvmlShutdown(self) -> int:
        self.open -= 1
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = len(self.cards)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: ctypes.c_uint, handle: Any) -> int:
        ctypes.cast(handle, ctypes.POINTER(ctypes.c_void_p)).contents.value = index.value + 1
        return 0

    def nvmlDeviceGetName(self, handle: Any, text: Any, length: Any) -> int:
        text.value = self._card(handle).name
        return 0

    def nvmlDeviceGetUUID(self, handle: Any, text: Any, length: Any) -> int:
        text.value = self._card(handle).uuid
        return 0

    def nvmlDeviceGetMemoryInfo_v2(self, handle: Any, memory: Any) -> int:
        card = self._card(handle)
        if not card.total:
            return int(pynvml.NVML_ERROR_NOT_SUPPORTED)
        memory._obj.total, memory._obj.reserved, memory._obj.free = card.total, card.reserved, card.free
        return 0

    def _card(self, handle: Any) -> Card:
        return self.cards[(ctypes.cast(handle, ctypes.c_void_p).value or 0) - 1]


def play(monkeypatch: pytest.MonkeyPatch, *cards: Card, start: int = 0) -> Driver:
    driver = Driver(*cards, start=start)
    monkeypatch.setattr(pynvml, "nvmlLib", driver)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return driver


def test_the_total_is_without_what_the_driver_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = play(monkeypatch, A100, L4)
    assert devices() == (
        Device(0, "NVIDIA A100-SXM4-80GB", 81052 * MIB, 50000 * MIB),
        Device(1, "NVIDIA L4", 22634 * MIB, 22600 * MIB),
    )
    assert driver.open == 0


def test_the_card_with_the_most_free_memory_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, L4, A100)
    assert roomiest() == Device(1, "NVIDIA A100-SXM4-80GB", 81052 * MIB, 50000 * MIB)


@pytest.mark.parametrize(
    ("listed", "numbers"),
    [("1", [1]), ("GPU-5e1f", [0]), ("GPU-7", [1]), ("1,0", [0, 1]), ("", []), ("-1", []), ("11", [])],
)
def test_only_the_cards_that_the_user_lists_are_used(
    monkeypatch: pytest.MonkeyPatch, listed: str, numbers: list[int]
) -> None:
    play(monkeypatch, A100, L4)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    assert [device.index for device in devices()] == numbers


def test_a_card_without_memory_of_its_own_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, SPARK, L4)
    assert [device.index for device in devices()] == [1]


def test_a_driver_that_is_not_loaded_means_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, A100, start=pynvml.NVML_ERROR_DRIVER_NOT_LOADED)
    assert devices() == ()
    assert roomiest() is None


@pytest.mark.skipif(find_library("nvidia-ml") is not None, reason="an NVIDIA driver is installed here")
def test_no_driver_means_no_card() -> None:
    assert devices() == ()


def test_an_imagined_card_is_empty_and_lacks_what_a_driver_keeps() -> None:
    # 40 GiB less 1.5 %: 42,949,672,960 * 0.985 = 42,305,427,865.6
    assert imagined(40) == Device(0, "a card of 40 GB", 42_305_427_866, 42_305_427_866)
