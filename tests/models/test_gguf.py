"""Headers of GGUF files, made by hand as the specification has them, and that of a real file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.models.catalog import Shape
from chattygen.models.gguf import shape


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def number(key: str, value: int) -> bytes:
    return string(key) + struct.pack("<II", 4, value)


TOLD = [
    string("general.architecture") + struct.pack("<I", 8) + string("toy"),
    # a list of two strings, and one of three 16-bit numbers: both are passed over
    string("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + string("a") + string("bc"),
    string("toy.odd") + struct.pack("<IIQHHH", 9, 2, 3, 1, 2, 3),
    number("toy.block_count", 5),
    number("toy.embedding_length", 96),
    number("toy.attention.head_count", 6),
]


def write(path: Path, *keys: bytes, magic: bytes = b"GGUF") -> Path:
    path.write_bytes(magic + struct.pack("<IQQ", 3, 0, len(keys)) + b"".join(keys))
    return path


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([], Shape(layers=5, kv_heads=6, head_dim=16)),  # 96 / 6
        ([number("toy.attention.head_count_kv", 2)], Shape(layers=5, kv_heads=2, head_dim=16)),
        ([number("toy.attention.key_length", 64)], Shape(layers=5, kv_heads=6, head_dim=64)),
    ],
)
def test_the_shape_is_told_by_the_keys_of_the_architecture(tmp_path: Path, more: list[bytes], expected: Shape) -> None:
    assert shape(write(tmp_path / "m.gguf", *TOLD, *more)) == expected


def test_a_header_that_tells_no_shape(tmp_path: Path) -> None:
    assert shape(write(tmp_path / "other.gguf", *TOLD, magic=b"GGML")) is None
    assert shape(write(tmp_path / "short.gguf", *TOLD[:3])) is None
    whole = write(tmp_path / "cut.gguf", *TOLD).read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[:-6])
    assert shape(tmp_path / "cut.gguf") is None


@pytest.mark.model
def test_the_shape_of_a_real_file(weights_home: Home) -> None:
    """As the model's own config.json has it: 30 layers, 9 heads of which 3 for keys, 576 wide."""
    (file,) = (weights_home.models / "smollm2-135m-instruct").glob("*.gguf")
    assert shape(file) == Shape(layers=30, kv_heads=3, head_dim=64)
