from __future__ import annotations

import re

import pytest

from chattygen.kg.virtuoso_ini import buffers, settings


def test_no_key_is_disabled_by_a_blank_before_it() -> None:
    lines = settings(8890, 1111, 20_000).splitlines()
    assert all(re.fullmatch(r"(\[\w+\]|\w+ = \S.*|)", line) for line in lines)
    assert "ServerPort = 127.0.0.1:8890" in lines
    assert "ServerPort = 127.0.0.1:1111" in lines
    assert "NumberOfBuffers = 20000" in lines
    assert "MaxDirtyBuffers = 15000" in lines
    assert "DirsAllowed = ." in lines


@pytest.mark.parametrize(
    ("memory", "data", "number"),
    [
        (24_000_000_000, 10**12, 899_685),  # a third of 24 GB in pages of 8,892 bytes
        (24_000_000_000, 1_000_000_000, 224_921),  # twice 1 GB
        (24_000_000_000, 1_000_000, 20_000),
        (10_000_000, 10**12, 20_000),
        (10**13, 10**13, 4_000_000),
    ],
)
def test_buffers(memory: int, data: int, number: int) -> None:
    assert buffers(memory, data) == number
