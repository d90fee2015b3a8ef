"""report: on the terminal, as JSON, and as a web page that is written whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from chattygen.cli.main import main
from chattygen.config import RunSettings
from chattygen.results.recorder import Recorder
from tests.cli.test_runs import Called
from tests.results import hand_made


def test_report_for_a_person(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    called = Called(capsys, home, "report", run)
    lines = called.out.splitlines()
    assert lines[:9] == [
        f"{run}  nobel, multi-stage, summarised",
        "2 of 3 dialogues, status interrupted: stopped by the user",
        "",
        "success rate          50% of 4 seeds visited (2 accepted, 1 given up, 1 unfinished)",
        "time                  2.0 minutes, waiting for the model 30% of it",
        "tokens                3,169 = 2,810 prompt + 359 reply",
        "per dialogue          1,584.5 tokens, 18.0 s waiting for the model",
        "written by the model  3 of 4 questions, 2 of 4 queries, 3 of 4 turns",
        "errors                2 question, 2 query, 1 dialogue, 2 unparsed",
    ]
    words = [line.split() for line in lines[9:]]
    assert ["stage", "errors", "unparsed", "calls", "prompt", "reply", "seconds"] in words
    assert ["questions", "2", "2", "6", "1810", "194", "19.0"] in words
    assert ["all", "5", "2", "11", "2810", "359", "36.0"] in words
    assert ["coder", "2", "600", "120", "12.0"] in words
    assert ["Q8", "1", "1"] in words
    assert ["D3", "1", "0"] in words
    assert lines[9] == "yes or no             1 of 4 turns; to be answered with no: 1"
    assert ["kind", "planned", "turns", "share"] in words
    assert ["yes-no", "15%", "1", "25%"] in words
    assert ["reference", "-", "2", "50%"] in words
    assert ["follow-up", "10%", "0", "0%"] in words
    assert ["wrong", "at", "first", "items", "model", "mended", "builder", "mended", "another", "fact", "lost"] in words
    assert ["leak", "2", "1", "1", "0", "0"] in words
    assert ["form", "1", "0", "0", "0", "1"] in words


def test_report_says_what_was_reused_and_what_may_not_come_again(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    made = hand_made.attempt("questions", 1, 400, 40, 6.0)
    assert made.call is not None
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        settings = asdict(RunSettings(kg="nobel", dialogues=3))
        run = recorder.start_run("nobel", "f00d", 1000, settings, hand_made.MODELS, repeatable=False)
        recorder.attempt(run, None, made)
        recorder.attempt(run, None, replace(made, item=2, call=replace(made.call, reused=True)))
    lines = Called(capsys, home, "report", run).out.splitlines()
    assert "reused                1 call with 440 tokens, answered by what was stored already" in lines
    assert [line for line in lines if line.startswith("repeatable            no: sampling was seeded, but a server")]
    assert json.loads(Called(capsys, home, "report", run, "--json").out)["repeatable"] is False


def test_report_for_a_program(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    report = json.loads(Called(capsys, home, "report", "latest", "--json").out)
    assert report["run"] == run
    assert (report["success_rate"], report["dialogues"], report["visited"]) == (0.5, 2, 4)
    assert report["usage"] == {"prompt_tokens": 2810, "completion_tokens": 359, "calls": 11, "seconds": 36.0}
    assert [stage["name"] for stage in report["stages"]] == ["label", "questions", "queries", "dialogue"]
    assert report["queries"] == {"by_model": 2, "total": 4}
    assert report["asked"]["kinds"][0] == {"name": "when", "planned": None, "turns": 1}
    assert (report["asked"]["yes_no"], report["asked"]["no"], report["asked"]["two_facts"]) == (1, 1, 0)
    assert report["mended"][0] == {"wrong": "leak", "model": 1, "builder": 1, "replaced": 0, "lost": 0}


def test_report_of_a_run_without_calls(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        recorder.finish_run(hand_made.start(recorder), "failed", "no node type is left")
    called = Called(capsys, home, "report", "latest")
    assert called.code == 0
    assert "0 of 3 dialogues, status failed: no node type is left" in called.out
    assert "success rate          - of 0 seeds visited (0 accepted, 0 given up)" in called.out
    assert "0.0 minutes, waiting for the model - of it" in called.out


def test_a_page(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    called = Called(capsys, home, "report", "latest", "--html", str(target))
    assert (called.code, called.out) == (0, "")
    assert called.err == f"{target}: 2 of 3 dialogues, status interrupted: stopped by the user\n"
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>\n")
    assert page.rstrip().endswith("</html>")
    assert page.count('<details class="dialogue"') == 2
    assert 'id="beside"' not in page
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "report.html"]


def test_a_page_with_fewer_dialogues_and_another_run(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        other = hand_made.start(recorder)
        recorder.finish_run(other, "failed", "no seed")
    target = tmp_path / "report.html"
    called = Called(capsys, home, "report", run, "--html", str(target), "--against", other, "--dialogues", "1")
    assert called.code == 0
    page = target.read_text(encoding="utf-8")
    assert page.count('<details class="dialogue"') == 1
    assert f"<code>{other}</code>" in page[page.index('id="beside"') :]
    assert Called(capsys, home, "report", run, "--html", str(target), "--dialogues", "0", "--force").code == 0
    assert '<details class="dialogue"' not in target.read_text(encoding="utf-8")


def test_a_page_of_a_run_without_dialogues(capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        recorder.finish_run(hand_made.start(recorder), "failed", "no node type is left")
    target = tmp_path / "report.html"
    called = Called(capsys, home, "report", "latest", "--html", str(target))
    assert called.err == f"{target}: 0 of 3 dialogues, status failed: no node type is left\n"
    assert "No dialogue is finished." in target.read_text(encoding="utf-8")


def test_a_page_is_overwritten_only_when_forced(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    target = tmp_path / "report.html"
    target.write_text("precious")
    refused = Called(capsys, home, "report", run, "--html", str(target))
    assert refused.code == 2
    assert refused.err == f"chattygen: {target} exists\n  give another --html, or --force to overwrite it\n"
    assert target.read_text() == "precious"
    assert Called(capsys, home, "report", run, "--html", str(target), "--force").code == 0
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_page_that_fails_leaves_the_old_file(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path
) -> None:
    lost = tmp_path / "no" / "report.html"
    missing = Called(capsys, home, "report", run, "--html", str(lost))
    assert missing.code == 1
    assert missing.err.splitlines() == [
        f"chattygen: cannot write {lost}: No such file or directory",
        "  give a path in a folder that exists and has room",
    ]

    # The second dialogue is damaged: the page fails when most of it is already written.
    connection = sqlite3.connect(home / "chattygen.db")
    connection.execute("update fact set \"values\" = 'torn' where seed = 3")
    connection.commit()
    connection.close()
    target = tmp_path / "report.html"
    target.write_text("precious")
    with pytest.raises(json.JSONDecodeError):
        main(["report", run, "--html", str(target), "--force", "--home", str(home)])
    assert target.read_text() == "precious"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "report.html"]


@pytest.mark.parametrize("options", [["--against", "latest"], ["--dialogues", "5"], ["--force"]])
def test_options_of_a_page_want_a_page(
    capsys: pytest.CaptureFixture[str], home: Path, run: str, options: list[str]
) -> None:
    called = Called(capsys, home, "report", run, *options)
    assert (called.code, called.out) == (2, "")
    assert called.err == ("chattygen: --against, --dialogues and --force are about a page\n  give --html FILE too\n")


def test_wrong_use(capsys: pytest.CaptureFixture[str], home: Path, run: str, tmp_path: Path) -> None:
    target = str(tmp_path / "report.html")
    both = Called(capsys, home, "report", run, "--html", target, "--json")
    assert (both.code, both.err) == (2, "chattygen: --html and --json are two reports\n  give one of them\n")
    unknown = Called(capsys, home, "report", run, "--html", target, "--against", "dblp")
    assert (unknown.code, unknown.err) == (2, "chattygen: no run is called 'dblp'\n  run: chattygen list-runs\n")
    assert Called(capsys, home, "report", run, "--html", target, "--dialogues", "-1").code == 2
    assert not Path(target).exists()
