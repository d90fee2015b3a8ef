"""The bytes inside a file, plain or compressed with gzip, bzip2, xz or Zstandard: its first bytes tell which.

They are hashed as they are read. Data that end too early or are damaged become errors in words. Knows nothing of RDF.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from chattygen.errors import BadData, GraphError

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "Zstandard"}
BOM = b"\xef\xbb\xbf"
TAIL = 4096


class Reader:
    """What a file holds, decompressed.

    Attributes:
        had_bom: it began with a byte order mark, which is left out.
        tail: the last bytes read, up to 4096.
    """

    def __init__(self, path: Path, file: IO[bytes], compression: str, damage: tuple[type[Exception], ...]) -> None:
        self._path, self._file, self._compression, self._damage = path, file, compression, damage
        self._hash = hashlib.sha256()
        self._fresh = True
        self.had_bom = False
        self.tail = b""

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, none at the end.

        Raises:
            BadData: the compressed data end too early or are damaged.
        """
        try:
            data = self._file.read(size)
        except EOFError:
            raise BadData(
                f"{self._path}: the {self._compression} data end too early: the file is cut short",
                "fetch the file again; nothing was loaded",
            ) from None
        except self._damage as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the decompressor's
                raise
            raise BadData(
                f"{self._path}: the {self._compression} data are damaged: {error}",
                "fetch the file again; nothing was loaded",
            ) from None
        self._hash.update(data)
        self.tail = (self.tail + data)[-TAIL:] if len(data) < TAIL else data[-TAIL:]
        if self._fresh:
            self._fresh = False
            self.had_bom = data.startswith(BOM)
            return data.removeprefix(BOM)
        return data

    def sha256(self) -> str:
        """Of all bytes read so far, decompressed."""
        return self._hash.hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[Reader]:
    """Open a file.

    Raises:
        GraphError: it is Zstandard, and this Python has no module for that.
    """
    with path.open("rb") as raw:
        start = raw.peek(6)
        compression = next((name for magic, name in MAGIC.items() if start.startswith(magic)), "")
        file, *damage = _decompressed(path, raw, compression)
        with file:
            yield Reader(path, file, compression, tuple(damage))


def _decompressed(path: Path, raw: IO[bytes], compression: str) -> tuple[Any, ...]:
    """The file to read from, and the exceptions that mean damaged data."""
    if compression == "gzip":
        return gzip.open(raw), zlib.error, gzip.BadGzipFile
    if compression == "bzip2":
        return bz2.open(raw), OSError
    if compression == "xz":
        return lzma.open(raw), lzma.LZMAError
    if compression == "Zstandard":
        zstd = _zstd(path)
        return zstd.open(raw), zstd.ZstdError
    return (raw,)


def _zstd(path: Path) -> ModuleType:
    """Python's own module (3.14), or its copy for earlier ones: both notice a file that was cut short."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    raise GraphError(
        f"{path}: compressed with Zstandard, which this Python cannot read",
        "run: pip install 'chattygen[zstd]', or unpack it first: zstd -d FILE",
    )


def plain_name(path: Path) -> str:
    """The name of a file without the suffix of its compression."""
    return path.name[: -len(path.suffix)] if path.suffix.lower() in SUFFIXES else path.name
