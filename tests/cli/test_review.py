"""review, and what verdicts do to export and report; with and without a terminal, and when it is stopped."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chattygen.domain import Subgraph
from chattygen.results.recorder import Recorder
from tests.cli.test_export import files, many, records
from tests.cli.test_runs import Called
from tests.results import hand_made
from tests.results.hand_made import BORN, CURIE, CURIE_DIALOGUE, PRIZES
from tests.results.test_page import Parsed

ASK = "accept (a), reject (r), skip (s), stop (q)?"
TURN = "which turn, 1 to 2? (Enter: the whole dialogue)"
WHY = "why? (may be empty)"


class Desk:
    """A reviewer's answers, typed into the command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, home: Path) -> None:
        self.capsys, self.patch, self.home = capsys, patch, home

    def call(self, *arguments: str) -> Called:
        return Called(self.capsys, self.home, *arguments)

    def review(self, answers: str, *options: str, by: str = "jo") -> Called:
        self.patch.setattr(sys, "stdin", io.StringIO(answers))
        return self.call("review", "latest", "--reviewer", by, *options)


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path) -> Desk:
    return Desk(capsys, monkeypatch, home)


def stored(home: Path) -> list[tuple[Any, ...]]:
    """Number of the dialogue, turn, verdict, reason and reviewer, in the order of the rows."""
    connection = sqlite3.connect(home / "chattygen.db")
    of = "verdict join dialogue on dialogue.id = verdict.dialogue"
    found = connection.execute(f"select n, turn, verdict, reason, reviewer from {of} order by verdict.id").fetchall()
    connection.close()
    return found


CURIE_SHOWN = """
1. Marie Curie  laureate, head
   1  When was Marie Curie born?
      7 November 1867
   2  Which prizes did she receive?
      by itself: Which prizes did Marie Curie receive?
      Chemistry 1911
      Physics 1903
"""
SHIP_SHOWN = """
2. Marie Curie  ship
   1  How many sailors does Marie Curie have?  [builder: query]
      41
   2  Was it born on 7 November 1867?  [builder: turn, question, query]
      by itself: Was Marie Curie born on 7 November 1867?
      no
"""


def test_from_the_first_dialogue_to_the_last(desk: Desk, home: Path, run: str) -> None:
    called = desk.review("a\nr\n2\n a ship is not born \n")
    assert (called.code, called.out) == (0, CURIE_SHOWN + SHIP_SHOWN)
    assert called.err.splitlines() == [
        "1 of 2, 1 left after it",
        ASK,
        "2 of 2, 0 left after it",
        ASK,
        TURN,
        WHY,
        "verdicts stored: 2; jo has 0 of 2 dialogues left",
    ]
    assert stored(home) == [(1, None, "accept", "", "jo"), (2, 2, "reject", "a ship is not born", "jo")]


@pytest.mark.parametrize("end", ["q\n", "Q\n", ""])
def test_a_stop_keeps_what_was_judged_and_the_next_call_goes_on(desk: Desk, home: Path, run: str, end: str) -> None:
    stopped = desk.review(f"a\n{end}")
    assert (stopped.code, stopped.out) == (0, CURIE_SHOWN + SHIP_SHOWN)
    assert stopped.err.splitlines()[-1] == "verdicts stored: 1; jo has 1 of 2 dialogues left"
    assert stored(home) == [(1, None, "accept", "", "jo")]

    on = desk.review("R\n\n\n")
    assert (on.code, on.out) == (0, SHIP_SHOWN)
    assert on.err.splitlines()[0] == "1 of 1, 0 left after it"
    assert stored(home)[1:] == [(2, None, "reject", "", "jo")]

    nothing = desk.review("a\na\n")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == f"jo has judged all dialogues of {run}; --all shows them again\n"
    assert desk.review("q\n", by="kim").out == CURIE_SHOWN, "another person has judged nothing yet"
    assert len(stored(home)) == 2


def test_with_all_a_later_verdict_replaces_the_earlier_one(desk: Desk, home: Path, run: str) -> None:
    desk.review("a\nr\n2\nnot born\n")
    again = desk.review("r\n\ndull\ns\n", "--all")
    assert again.out == CURIE_SHOWN + SHIP_SHOWN
    said = again.err.splitlines()
    assert said[0] == "jo said earlier: accept"
    assert "jo said earlier: reject turn 2: not born" in said
    assert said[-1] == "verdicts stored: 1; jo has 0 of 2 dialogues left"
    assert stored(home)[2:] == [(1, None, "reject", "dull", "jo")]
    assert "jo said earlier: reject: dull" in desk.review("q\n", "--all").err
    assert "said earlier" not in desk.review("q\n", "--all", by="kim").err


def test_what_is_skipped_is_left(desk: Desk, home: Path, run: str) -> None:
    assert desk.review("s\na\n").err.splitlines()[-1] == "verdicts stored: 1; jo has 1 of 2 dialogues left"
    assert desk.review("s\n").out == CURIE_SHOWN
    assert stored(home) == [(2, None, "accept", "", "jo")]


def test_an_answer_that_means_nothing_is_asked_for_again(desk: Desk, home: Path, run: str) -> None:
    called = desk.review("\nyes\nr\n3\n0\none\n1\nbad\nq\n")
    assert called.err.splitlines()[1:9] == [ASK, ASK, ASK, TURN, TURN, TURN, TURN, WHY]
    assert stored(home) == [(1, 1, "reject", "bad", "jo")]


@pytest.mark.parametrize("answers", ["r\n", "r\n2\n", "r\n9\n"])
def test_half_a_rejection_is_none(desk: Desk, home: Path, run: str, answers: str) -> None:
    called = desk.review(answers)
    assert called.code == 0
    assert called.err.splitlines()[-1] == "verdicts stored: 0; jo has 2 of 2 dialogues left"
    assert stored(home) == []


def test_nothing_to_judge(desk: Desk, home: Path) -> None:
    none = desk.review("a\n")
    assert (none.code, none.err) == (2, "chattygen: there is no run yet\n  run: chattygen generate --kg NAME\n")
    assert not home.exists()
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder)
    empty = desk.review("a\n")
    assert (empty.code, empty.out, empty.err) == (0, "", f"{run} has no finished dialogue yet\n")


def test_the_reviewer_is_the_user(desk: Desk, home: Path, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n"))
    assert desk.call("review", "latest").code == 0
    assert stored(home) == [(1, None, "accept", "", "ada")]

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)  # a user without an entry, as containers have them
    nameless = desk.call("review", "latest")
    assert (nameless.code, nameless.out) == (2, "")
    assert nameless.err == "chattygen: this system has no name for you\n  give one with --reviewer\n"
    blank = desk.review("a\n", by=" ")
    assert (blank.code, blank.err) == (2, "chattygen: a reviewer needs a name\n  give one with --reviewer\n")
    assert len(stored(home)) == 1


def test_text_stays_text(desk: Desk, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty = "[bold]x[/bold] \x1b[31m:smile:"
    plain = "[bold]x[/bold] \ufffd[31m:smile:"
    turn = replace(CURIE_DIALOGUE.turns[1], question=replace(CURIE_DIALOGUE.turns[1].question, text=nasty))
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder)
        seed = recorder.start_seed(run, Subgraph(CURIE, (BORN, PRIZES), 3))
        recorder.dialogue(run, seed, replace(CURIE_DIALOGUE, turns=(turn,)))
        # The run goes on meanwhile: neither waits for the other.
        called = desk.review(f"r\n\n{nasty}\n", by=f"jo {nasty}")
        recorder.finish_run(run, "done")
    assert f"by itself: {plain}" in called.out
    assert called.err.splitlines()[-1] == f"verdicts stored: 1; jo {plain} has 0 of 1 dialogues left"
    assert stored(home) == [(1, None, "reject", nasty, f"jo {nasty}")]
    again = desk.review("q\n", "--all", by=f"jo {nasty}")
    assert f"jo {plain} said earlier: reject: {plain}" in again.err
    assert "\x1b" not in called.out + called.err + again.err

    # A terminal that knows nothing of UTF-8 deletes half a character.
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"r\n\nf\xc3r\n"), encoding="utf-8"))
    assert desk.call("review", "latest", "--reviewer", "kim").code == 0
    assert stored(home)[1:] == [(1, None, "reject", "f\ufffdr", "kim")]


def start(home: Path, stdin: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "chattygen", "review", "latest", "--reviewer", "jo", "--home", str(home)]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def read_until(stream: Any, end: bytes) -> bytes:
    read = b""
    while not read.endswith(end):
        piece = os.read(stream.fileno(), 1)
        assert piece, f"{end!r} was not said, only {read!r}"
        read += piece
    return read


def test_ctrl_c_ends_it_well_and_nothing_was_held_back_meanwhile(home: Path, run: str) -> None:
    with start(home, subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"a\n")
        process.stdin.flush()
        read_until(process.stderr, f"2 of 2, 0 left after it\n{ASK}\n".encode())
        other = sqlite3.connect(home / "chattygen.db", timeout=0)
        (busy, _, _) = other.execute("pragma wal_checkpoint(truncate)").fetchone()
        other.close()
        assert not busy, "a reader still looks at an old state"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (0, b"verdicts stored: 1; jo has 1 of 2 dialogues left\n")
    assert stored(home) == [(1, None, "accept", "", "jo")]


def test_on_a_terminal(home: Path, run: str) -> None:
    here, there = pty.openpty()
    with start(home, there) as process:
        os.close(there)
        assert process.stderr is not None
        read_until(process.stderr, f"{ASK} ".encode())
        os.write(here, b"a\n")
        read_until(process.stderr, f"{ASK} ".encode())
        os.write(here, b"\x04")  # Ctrl-D
        _, said = process.communicate(timeout=20)
    os.close(here)
    assert (process.returncode, said) == (0, b"\nverdicts stored: 1; jo has 1 of 2 dialogues left\n")
    assert stored(home) == [(1, None, "accept", "", "jo")]


@pytest.mark.parametrize("form", ["jsonl", "csv", "qald", "convquestions", "markdown", "parquet", "huggingface"])
def test_an_export_of_what_was_accepted(desk: Desk, run: str, tmp_path: Path, form: str) -> None:
    desk.review("r\n\n\na\n")
    desk.review("a\ns\n", by="kim")  # rejected by one: not accepted
    target = tmp_path / "out"
    called = desk.call("export", run, "--to", form, "--only-accepted", "--output", str(target))
    assert (called.code, called.out) == (0, "")
    assert called.err == f"{target}: 1 accepted of 2 dialogues, status interrupted: stopped by the user\n"
    if form == "huggingface":
        assert "People read the dialogues" in (target / "README.md").read_text(encoding="utf-8")
        assert [one["id"] for one in records(target / "data" / "train-00000-of-00001.parquet")] == [f"{run}-2"]
    elif form == "parquet":
        target = target.rename(tmp_path / "out.parquet")
        assert [one["id"] for one in records(target)] == [f"{run}-2"]
    else:
        text = target.read_text(encoding="utf-8")
        assert "How many sailors does Marie Curie have?" in text
        assert "When was Marie Curie born?" not in text
        assert desk.call("export", run, "--to", form, "--only-accepted").out.encode() == target.read_bytes()


def test_without_the_option_all_is_exported(desk: Desk, run: str, tmp_path: Path) -> None:
    desk.review("a\nr\n\n\n")
    called = desk.call("export", run, "--to", "jsonl")
    assert len(called.out.splitlines()) == 2
    assert called.err == "2 of 3 dialogues, status interrupted: stopped by the user\n"
    assert desk.call("export", run, "--to", "huggingface", "--output", str(tmp_path / "out")).code == 0
    assert "no person need have read them" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_splits_are_dealt_over_what_was_accepted(desk: Desk, home: Path, tmp_path: Path) -> None:
    run, folder = many(home), tmp_path / "out"
    desk.review("a\nr\n\n\n" * 5)  # the 1st, 3rd, ... are accepted
    options = ("--to", "jsonl", "--split", "60,20,20", "--only-accepted", "--output", str(folder))
    called = desk.call("export", run, *options)
    assert called.err == f"{folder}: 5 accepted of 10 dialogues, status done\ntrain 3, dev 1, test 1\n"
    assert list(files(folder)) == ["dev.jsonl", "test.jsonl", "train.jsonl"]
    seeds = [record["seed"]["iri"] for name in files(folder) for record in records(folder / name)]
    assert sorted(seeds) == [f"http://example.org/{n}" for n in (0, 2, 4, 6, 8)]


def test_with_nothing_accepted_no_file_is_touched(desk: Desk, run: str, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("precious")
    command = ("export", "latest", "--to", "jsonl", "--only-accepted", "--force", "--output", str(target))
    for answers, rejected, waiting in (("q\n", 0, 2), ("r\n\n\nq\n", 1, 1)):
        desk.review(answers)
        refused = desk.call(*command)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err == (
            f"chattygen: no dialogue of {run} is accepted: {rejected} rejected, {waiting} not reviewed\n"
            f"  judge them first: chattygen review {run}\n"
        )
    assert target.read_text() == "precious"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "out.jsonl"]


def test_a_report_without_verdicts_does_not_speak_of_them(desk: Desk, run: str, tmp_path: Path) -> None:
    assert "review" not in desk.call("report", run).out
    assert json.loads(desk.call("report", run, "--json").out)["review"] is None
    page = tmp_path / "page.html"
    desk.call("report", run, "--html", str(page))
    assert "eviewed" not in page.read_text(encoding="utf-8")
    assert "ejected" not in page.read_text(encoding="utf-8")


def test_a_report_for_a_person_and_for_a_program(desk: Desk, run: str) -> None:
    desk.review("a\n")
    alone = desk.call("report", run).out.splitlines()
    assert "reviewed              1 of 2: 1 accepted, 0 rejected" in alone
    assert "kappa" not in "".join(alone)

    desk.review("a\nr\n\n\n", by="kim")
    once = [line.split() for line in desk.call("report", run).out.splitlines()]
    assert ["reviewer", "and", "both", "judged", "agreement", "Cohen's", "kappa"] in once
    assert ["jo", "kim", "1", "100%", "-"] in once

    desk.review("a\n")  # the second one: they agree on one of two, as chance would have it
    lines = desk.call("report", run).out.splitlines()
    assert "reviewed              2 of 2: 1 accepted, 1 rejected" in lines
    assert ["jo", "kim", "2", "50%", "0.00"] in [line.split() for line in lines]
    assert json.loads(desk.call("report", run, "--json").out)["review"] == {
        "reviewed": 2,
        "accepted": 1,
        "rejected": 1,
        "agreements": [{"reviewers": ["jo", "kim"], "both": 2, "share": 0.5, "kappa": 0.0}],
    }


def test_a_page_marks_what_was_rejected(desk: Desk, run: str, tmp_path: Path) -> None:
    nasty = "<script>document.title=2</script> {{ 7*7 }} \x1b"
    desk.review(f"a\nr\n2\n{nasty}\n", by="<b>jo</b>")
    desk.review("a\nr\n\n\n", by="kim")
    path = tmp_path / "page.html"
    assert desk.call("report", run, "--html", str(path)).code == 0
    page = path.read_text(encoding="utf-8")
    parsed = Parsed(page)
    plain = nasty.replace("\x1b", "\N{REPLACEMENT CHARACTER}")
    assert (
        "People reviewed 2 of 2 dialogues: 1 accepted, 1 rejected. <b>jo</b> and kim both judged 2 dialogues"
        " and agree on 100%, Cohen's kappa 1.00." in parsed.words("measures")
    )
    first, second = parsed.words("dialogues").split("2 Marie Curie ship, 2 turns")
    assert "ejected" not in first
    assert second.startswith(" rejected http://example.org/ship Rejected by kim How many sailors")
    one, two = second.split("Was it born on 7 November 1867?")
    assert one.count("Rejected by") == 1
    assert two.endswith(f"Rejected by <b>jo</b>: {plain}")
    assert {"script", "b"} & {tag for tag, _ in parsed.tags} == set()
    assert "\x1b" not in page
