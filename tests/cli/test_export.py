"""export: to stdout, a file or a folder; splits; what is refused; that nothing appears half-made."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from chattygen.cli.main import main
from chattygen.domain import Subgraph
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CURIE, CURIE_DIALOGUE, PRIZES

STATUS = "2 of 3 dialogues, status interrupted: stopped by the user"


class Called:
    """What a command printed and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path, *arguments: str) -> None:
        try:
            main([*arguments, "--home", str(home)])
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


def test_export_to_stdout(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    called = Called(capsys, home, "export", run, "--to", "jsonl")
    assert called.code == 0
    assert [json.loads(line)["id"] for line in called.out.splitlines()] == [f"{run}-1", f"{run}-2"]
    assert called.err == "2 of 3 dialogues, status interrupted: stopped by the user\n"


def test_export_to_a_file(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    called = Called(capsys, home, "export", run, "--to", "jsonl", "--output", str(target))
    assert (called.code, called.out) == (0, "")
    assert called.err == f"{target}: 2 of 3 dialogues, status interrupted: stopped by the user\n"
    assert target.read_text(encoding="utf-8") == Called(capsys, home, "export", run, "--to", "jsonl").out
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out.jsonl"]


def test_export_overwrites_only_when_forced(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("precious")
    command = ("export", run, "--to", "jsonl", "--output", str(target))
    refused = Called(capsys, home, *command)
    assert refused.code == 2
    assert refused.err == f"chattygen: {target} exists\n  give another --output, or --force to overwrite it\n"
    assert target.read_text() == "precious"
    assert Called(capsys, home, *command, "--force").code == 0
    assert len(target.read_text().splitlines()) == 2


def damage(home: Path) -> None:
    """Tear the second dialogue: an export fails when the first one is already written."""
    connection = sqlite3.connect(home / "chattygen.db")
    connection.execute("update fact set \"values\" = 'torn' where seed = 3")
    connection.commit()
    connection.close()


def test_a_failed_export_leaves_the_old_file(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    missing = Called(capsys, home, "export", run, "--to", "jsonl", "--output", str(tmp_path / "no" / "out.jsonl"))
    assert missing.code == 1
    assert missing.err.splitlines()[0] == (
        f"chattygen: cannot write {tmp_path / 'no' / 'out.jsonl'}: No such file or directory"
    )

    damage(home)
    target = tmp_path / "out.jsonl"
    target.write_text("precious")
    with pytest.raises(json.JSONDecodeError):
        main(["export", run, "--to", "jsonl", "--output", str(target), "--force", "--home", str(home)])
    assert target.read_text() == "precious"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out.jsonl"]


@pytest.mark.parametrize("form", ["csv", "qald", "convquestions", "markdown"])
def test_other_forms_of_text(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path, form: str
) -> None:
    called = Called(capsys, home, "export", run, "--to", form)
    assert (called.code, called.err) == (0, f"{STATUS}\n")
    read = {
        "csv": lambda text: len(list(csv.DictReader(io.StringIO(text, newline="")))) / 2,
        "qald": lambda text: len(json.loads(text)["questions"]) / 2,
        "convquestions": lambda text: len(json.loads(text)),
        "markdown": lambda text: text.count("\n## "),
    }
    assert read[form](called.out) == 2
    target = tmp_path / "out"
    assert Called(capsys, home, "export", run, "--to", form, "--output", str(target)).code == 0
    assert target.read_bytes() == called.out.encode()


def test_stdout_is_utf_8_whatever_the_terminal_is(
    home: Path, run: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Recorder(home / "chattygen.db") as recorder:
        other = hand_made.start(recorder)
        seed = replace(CURIE, label="東")
        stored = recorder.start_seed(other, Subgraph(seed, (BORN, PRIZES), 3))
        recorder.dialogue(other, stored, replace(CURIE_DIALOGUE, seed=seed))
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
    main(["export", other, "--to", "jsonl", "--home", str(home)])
    sys.stdout.flush()
    assert json.loads(raw.getvalue().decode("utf-8"))["seed"]["label"] == "東"


def test_parquet_to_a_file(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    called = Called(capsys, home, "export", run, "--to", "parquet", "--output", str(target))
    assert (called.code, called.out, called.err) == (0, "", f"{target}: {STATUS}\n")
    lines = Called(capsys, home, "export", run, "--to", "jsonl").out.splitlines()
    assert parquet.read_table(target).to_pylist() == [json.loads(line) for line in lines]
    told = json.loads(parquet.read_schema(target).metadata[b"chattygen"])
    assert (told["run"], [player["model"] for player in told["models"]]) == (run, ["small", "small", "coder", "small"])


def many(home: Path) -> str:
    """A run with ten dialogues about ten seeds."""
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder, dialogues=10)
        for n in range(10):
            seed = replace(CURIE, iri=f"http://example.org/{n}")
            stored = recorder.start_seed(run, Subgraph(seed, (BORN, PRIZES), 3))
            recorder.dialogue(run, stored, replace(CURIE_DIALOGUE, seed=seed))
        recorder.finish_run(run, "done")
    return run


def records(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return list(parquet.read_table(path).to_pylist())
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def files(folder: Path) -> Iterator[str]:
    return (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("jsonl", ["train.jsonl", "dev.jsonl", "test.jsonl"]),
        ("parquet", ["train.parquet", "dev.parquet", "test.parquet"]),
        (
            "huggingface",
            [f"data/{name}-00000-of-00001.parquet" for name in ("train", "validation", "test")],
        ),
    ],
)
def test_splits(capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path, form: str, names: list[str]) -> None:
    run, folder = many(home), tmp_path / "out"
    called = Called(capsys, home, "export", run, "--to", form, "--split", "70,10,20", "--output", str(folder))
    assert (called.code, called.out) == (0, "")
    assert called.err == f"{folder}: 10 of 10 dialogues, status done\ntrain 7, dev 1, test 2\n"
    assert sorted(files(folder)) == sorted([*names, *(["README.md"] if form == "huggingface" else [])])
    seeds = [[record["seed"]["iri"] for record in records(folder / name)] for name in names]
    assert [len(part) for part in seeds] == [7, 1, 2]
    assert sorted(iri for part in seeds for iri in part) == [f"http://example.org/{n}" for n in range(10)]


def test_a_split_with_share_0_is_not_written_and_one_without_seeds_is_empty(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    called = Called(capsys, home, "export", run, "--to", "jsonl", "--split", "90,10,0", "--output", str(folder))
    assert called.err == f"{folder}: {STATUS}\ntrain 2, dev 0\n"
    assert list(files(folder)) == ["dev.jsonl", "train.jsonl"]
    assert (folder / "dev.jsonl").read_text() == ""


def test_a_dataset_folder(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    called = Called(capsys, home, "export", run, "--to", "huggingface", "--output", str(folder))
    assert (called.code, called.out, called.err) == (0, "", f"{folder}: {STATUS}\n")
    assert list(files(folder)) == ["README.md", "data/train-00000-of-00001.parquet"]
    assert f"run `{run}`" in (folder / "README.md").read_text(encoding="utf-8")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out"]


def test_a_folder_is_replaced_only_when_forced_and_only_if_an_export_made_it(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    command = ("export", run, "--to", "huggingface", "--output", str(folder))
    assert Called(capsys, home, *command).code == 0
    refused = Called(capsys, home, *command, "--split", "50,0,50")
    assert refused.err == f"chattygen: {folder} exists\n  give another --output, or --force to overwrite it\n"
    assert Called(capsys, home, *command, "--split", "50,0,50", "--force").code == 0
    assert list(files(folder)) == [
        "README.md",
        "data/test-00000-of-00001.parquet",
        "data/train-00000-of-00001.parquet",
    ]
    (folder / "data" / "thesis.txt").write_text("precious")
    foreign = Called(capsys, home, *command, "--force")
    assert (foreign.code, foreign.err.splitlines()[0]) == (
        2,
        f"chattygen: {folder} holds data/thesis.txt, which no export wrote",
    )
    assert (folder / "data" / "thesis.txt").read_text() == "precious"
    (folder / "data" / "thesis.txt").rename(folder / "thesis.txt")
    (folder / ".git").mkdir()
    assert "holds .git, which" in Called(capsys, home, *command, "--force").err
    assert len(list(files(folder))) == 4
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out"]


def test_a_folder_that_fails_leaves_the_old_one(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    command = ["export", run, "--to", "huggingface", "--output", str(folder), "--home", str(home)]
    main(command)
    before = {name: (folder / name).read_bytes() for name in files(folder)}
    damage(home)
    with pytest.raises(json.JSONDecodeError):
        main([*command, "--force"])
    assert {name: (folder / name).read_bytes() for name in files(folder)} == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out"]


def test_without_standalone_forms(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    only_standalone = "Which prizes did Marie Curie receive?"
    for form in ("jsonl", "csv", "convquestions", "markdown"):
        assert only_standalone in Called(capsys, home, "export", run, "--to", form).out
        without = Called(capsys, home, "export", run, "--to", form, "--no-standalone")
        assert (without.code, only_standalone in without.out) == (0, False)
        assert "Which prizes did she receive?" in without.out
    file, folder = tmp_path / "out.parquet", tmp_path / "out"
    for form, target in (("parquet", file), ("huggingface", folder)):
        assert Called(capsys, home, "export", run, "--to", form, "--no-standalone", "--output", str(target)).code == 0
    for written in (file, folder / "data" / "train-00000-of-00001.parquet"):
        assert "standalone" not in records(written)[0]["turns"][0]


def test_wrong_options(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    def refused(*options: str) -> list[str]:
        called = Called(capsys, home, "export", run, *options)
        assert (called.code, called.out) == (2, "")
        return called.err.splitlines()

    assert Called(capsys, home, "export", run).code == 2
    assert Called(capsys, home, "export", run, "--to", "xml").code == 2
    file = ["chattygen: this export is a file and cannot go to stdout", "  give --output, the name of a new file"]
    folder = ["chattygen: this export is a folder and cannot go to stdout", "  give --output, the name of a new folder"]
    assert refused("--to", "parquet") == file
    assert refused("--to", "huggingface") == folder
    assert refused("--to", "csv", "--split", "80,10,10") == folder
    assert refused("--to", "qald", "--no-standalone")[0] == "chattygen: QALD has nothing but standalone questions"
    assert refused("--to", "csv", "--force", "--output", str(home))[0] == f"chattygen: {home} is a folder"
    assert refused("--to", "csv", "--split", "80,10", "--output", str(tmp_path / "x")) == [
        "chattygen: --split 80,10: not three shares that sum to 100",
        "  give those of train, dev and test, such as 80,10,10",
    ]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home"]


def test_without_pyarrow(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # Python's own way to say that there is no such package
    for form in ("parquet", "huggingface"):
        called = Called(capsys, home, "export", run, "--to", form, "--output", str(tmp_path / "out"))
        assert called.code == 1
        assert called.err == "chattygen: Parquet needs the package pyarrow\n  pip install 'chattygen[export]'\n"
    assert Called(capsys, home, "export", run, "--to", "csv").code == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home"]


def test_a_run_without_dialogues(capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        recorder.finish_run(hand_made.start(recorder), "failed", "no node type is left")
    for form in ("jsonl", "csv", "qald", "convquestions", "markdown"):
        called = Called(capsys, home, "export", "latest", "--to", form)
        assert (called.code, called.err) == (0, "0 of 3 dialogues, status failed: no node type is left\n")
    called = Called(capsys, home, "export", "latest", "--to", "huggingface", "--output", str(tmp_path / "out"))
    assert called.code == 1
    assert called.err.startswith("chattygen: the run has no finished dialogue yet")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home"]
