from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from chattygen.errors import BadData, GraphError
from chattygen.kg.compression import opened, plain_name

TEXT = b"".join(b"<http://e.org/%d> <http://e.org/p> <http://e.org/o> .\n" % n for n in range(500))


def zstd(data: bytes) -> bytes:
    """Two frames, as parallel compressors write them."""
    module = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return bytes(module.compress(data[:7000]) + module.compress(data[7000:]))


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstd,
}


def contents(path: Path) -> bytes:
    with opened(path) as reader:
        return b"".join(iter(lambda: reader.read(1000), b""))


@pytest.mark.parametrize("compress", [bytes, *COMPRESSORS.values()])
def test_the_content_tells_the_compression_and_the_hash_is_of_what_is_inside(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "dump.nt"
    file.write_bytes(compress(TEXT))
    with opened(file) as reader:
        assert b"".join(iter(lambda: reader.read(1000), b"")) == TEXT
        assert reader.sha256() == hashlib.sha256(TEXT).hexdigest()
        assert reader.tail == TEXT[-4096:]


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressed_data_that_end_too_early(tmp_path: Path, name: str) -> None:
    file = tmp_path / "x.nt.z"
    whole = COMPRESSORS[name](TEXT)
    for cut in (1, len(whole) // 2):
        file.write_bytes(whole[:-cut])
        with pytest.raises(BadData) as raised:
            contents(file)
        assert raised.value.message == f"{file}: the {name} data end too early: the file is cut short"
        assert raised.value.hint.startswith("fetch the file again")


@pytest.mark.parametrize("name", COMPRESSORS)
def test_damaged_data(tmp_path: Path, name: str) -> None:
    file = tmp_path / "x.nt.z"
    whole = bytearray(COMPRESSORS[name](TEXT))
    whole[8:16] = b"\xff\x00\xff\x00\xff\x00\xff\x00"
    file.write_bytes(bytes(whole))
    with pytest.raises(BadData, match=f"the {name} data are damaged: "):
        contents(file)


def test_several_members_are_one_text(tmp_path: Path) -> None:
    file = tmp_path / "x.gz"
    file.write_bytes(gzip.compress(TEXT) + gzip.compress(TEXT))
    assert contents(file) == TEXT + TEXT


def test_a_byte_order_mark_is_left_out_but_hashed(tmp_path: Path) -> None:
    file = tmp_path / "x.nt"
    file.write_bytes(b"\xef\xbb\xbfabc")
    with opened(file) as reader:
        assert reader.read(10) == b"abc"
        assert reader.had_bom
        assert reader.sha256() == hashlib.sha256(b"\xef\xbb\xbfabc").hexdigest()


def test_without_a_module_for_zstandard_the_hint_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's own way to say that a module is not there: None in sys.modules."""
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    file = tmp_path / "x.nt.zst"
    file.write_bytes(b"\x28\xb5\x2f\xfd rest")
    with pytest.raises(GraphError, match="which this Python cannot read") as raised:
        contents(file)
    assert "chattygen[zstd]" in raised.value.hint


@pytest.mark.parametrize(
    ("name", "plain"), [("a.nt.gz", "a.nt"), ("a.TTL.BZ2", "a.TTL"), ("a.nt.zst", "a.nt"), ("a.nt", "a.nt")]
)
def test_plain_name(name: str, plain: str) -> None:
    assert plain_name(Path("folder") / name) == plain
