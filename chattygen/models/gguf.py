"""The header of a GGUF file: the shape of the model, from which the size of its KV cache follows.

A header is `GGUF`, a version, the numbers of tensors and of keys, and for each key its name, a type and a value; all
little-endian. See the GGUF specification of ggml. The tensors are not looked at.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import IO

from chattygen.models.catalog import Shape

FORMATS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9
"""Types of values; the rest are in FORMATS."""

Value = int | float | str


def shape(path: Path) -> Shape | None:
    """The shape of the model in a file, or None where its header does not tell."""
    try:
        keys = _keys(path)
        name = keys["general.architecture"]
        heads = int(keys[f"{name}.attention.head_count"])
        return Shape(
            layers=int(keys[f"{name}.block_count"]),
            kv_heads=int(keys.get(f"{name}.attention.head_count_kv", heads)),
            head_dim=int(keys.get(f"{name}.attention.key_length") or int(keys[f"{name}.embedding_length"]) // heads),
        )
    except (struct.error, ValueError, KeyError):
        return None


def _keys(path: Path) -> dict[str, Value]:
    """The keys of a header with their values, without those that are lists."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            return {}
        _, _, count = _take(file, "<IQQ")
        found: dict[str, Value] = {}
        for _ in range(count):
            key, kind = _string(file), _take(file, "<I")[0]
            if kind == STRING:
                found[key] = _string(file)
            elif kind == ARRAY:
                _skip(file)
            else:
                found[key] = _take(file, FORMATS[kind])[0]
        return found


def _take(file: IO[bytes], form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _string(file: IO[bytes]) -> str:
    (length,) = _take(file, "<Q")
    return file.read(length).decode(errors="replace")


def _skip(file: IO[bytes]) -> None:
    """Pass over a list, of strings (a vocabulary) or of numbers."""
    kind, count = _take(file, "<IQ")
    if kind != STRING:
        file.seek(count * struct.calcsize(FORMATS[kind]), os.SEEK_CUR)
        return
    for _ in range(count):
        file.seek(_take(file, "<Q")[0], os.SEEK_CUR)
