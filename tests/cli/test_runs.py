"""list-runs, show-run, export: what a person and a program read, after any stop."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.cli.main import main
from chattygen.domain import Answer, Dialogue, Subgraph
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import ADA_DIALOGUE, ADA_SUBGRAPH, BORN, CURIE, CURIE_DIALOGUE, PRIZES


class Called:
    """What a command printed and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path, *arguments: str) -> None:
        try:
            main([*arguments, "--home", str(home)])
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


def test_list_runs(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    called = Called(capsys, home, "list-runs")
    assert called.code == 0
    header, line = called.out.splitlines()
    assert header.split() == ["run", "status", "dialogues", "started", "(UTC)"]
    assert line.split() == [run, "interrupted", "2", "of", "3", "2026-11-30", "10:15"]

    listed = Called(capsys, home, "list-runs", "--json")
    assert json.loads(listed.out) == [
        {
            "run": run,
            "kg": "nobel",
            "status": "interrupted",
            "started": "2026-11-30T10:15:02.000Z",
            "dialogues": 2,
            "wanted": 3,
            "visited": 4,
        }
    ]


def test_before_the_first_run(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert Called(capsys, home, "list-runs", "--json").out == "[]\n"
    empty = Called(capsys, home, "list-runs")
    assert (empty.code, empty.out) == (0, "")
    assert empty.err == "there is no run yet; run: chattygen generate --kg NAME\n"
    for command in (["show-run", "latest"], ["report", "x"], ["export", "latest", "--to", "jsonl"]):
        called = Called(capsys, home, *command)
        assert (called.code, called.out) == (2, "")
        assert called.err == "chattygen: there is no run yet\n  run: chattygen generate --kg NAME\n"
    assert not home.exists()


def test_show_run_reads_like_a_conversation(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    assert Called(capsys, home, "show-run", "latest").out == (
        f"{run}  nobel, multi-stage, summarised\n"
        "\n"
        "1. Marie Curie  laureate, head\n"
        "   1  When was Marie Curie born?\n"
        "      7 November 1867\n"
        "   2  Which prizes did she receive?\n"
        "      Chemistry 1911\n"
        "      Physics 1903\n"
        "\n"
        "2. Marie Curie  ship\n"
        "   1  How many sailors does Marie Curie have?  [builder: query]\n"
        "      41\n"
        "   2  Was it born on 7 November 1867?  [builder: turn, question, query]\n"
        "      no\n"
        "\n"
        "2 of 3 dialogues, status interrupted: stopped by the user\n"
    )


def test_show_run_says_what_a_turn_refers_to_and_that_there_is_no_answer(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder, dialogues=1)
        recorder.dialogue(run, recorder.start_seed(run, ADA_SUBGRAPH), ADA_DIALOGUE)
        recorder.finish_run(run, "done")
    assert Called(capsys, home, "show-run", "latest").out.splitlines()[2:] == [
        "1. Ada Berg  captain",
        "   1  Who was the mentor of Ada Berg?",
        "      Bo Lind",
        "   2  Where was he born?  refers to turn 1",
        "      Bergen",
        "   3  Was Ada Berg born in Bergen?  [builder: turn]",
        "      no",
        "   4  Which of her ships are of 1999?",
        "      Gull",
        "   5  And the last one?  refers to turn 4",
        "      Tern",
        "   6  When did she die?",
        "      the graph has no answer",
        "",
        "1 of 1 dialogues, status done",
    ]


def test_show_run_with_queries_and_a_limit(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    assert Called(capsys, home, "show-run", run[:10], "--query", "--limit", "1").out == (
        f"{run}  nobel, multi-stage, summarised\n"
        "\n"
        "1. Marie Curie  laureate, head\n"
        "   1  When was Marie Curie born?\n"
        "      SELECT ?v WHERE {\n"
        "        <http://example.org/marie> <http://example.org/born> ?v\n"
        "      }\n"
        "      7 November 1867\n"
        "   2  Which prizes did she receive?\n"
        "      SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }\n"
        "      Chemistry 1911\n"
        "      Physics 1903\n"
        "\n"
        "showing 1 of 2\n"
        "2 of 3 dialogues, status interrupted: stopped by the user\n"
    )


def record_one(home: Path, dialogue: Dialogue) -> str:
    """A run that never came to its end."""
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        run = hand_made.start(recorder, dialogues=20)
        recorder.dialogue(run, recorder.start_seed(run, Subgraph(dialogue.seed, (BORN, PRIZES), 3)), dialogue)
    return run


def with_answers(answers: tuple[Answer, ...], *, complete: bool = True) -> Dialogue:
    turn = CURIE_DIALOGUE.turns[1]
    return replace(
        CURIE_DIALOGUE, turns=(replace(turn, query=replace(turn.query, answers=answers, complete=complete)),)
    )


def test_show_run_shows_five_answers_and_counts_the_others(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    answers = tuple(Answer("uri", f"http://example.org/{n}", f"Prize {n}" if n > 1 else "") for n in range(1, 18))
    record_one(home, with_answers(answers, complete=False))
    assert Called(capsys, home, "show-run", "latest").out.splitlines()[3:] == [
        "   2  Which prizes did she receive?",
        "      http://example.org/1",
        "      Prize 2",
        "      Prize 3",
        "      Prize 4",
        "      Prize 5",
        "      and 12 more",
        "      the store cut the answers short",
        "",
        "1 of 20 dialogues, status interrupted: its process ended without a word: killed, or the machine went down",
    ]


def test_a_run_that_goes_on_says_so(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        hand_made.start(recorder, dialogues=20)
        shown = Called(capsys, home, "show-run", "latest").out
    assert shown.splitlines()[-1] == "0 of 20 dialogues, status running; last stored 2026-11-30 10:15 UTC"


def test_text_of_the_graph_stays_text(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    nasty = "[bold]x[/bold] \x1b[31m:smile:\n9 of 9 dialogues\x9b"
    dialogue = with_answers((Answer("literal", "v", nasty),))
    turn = replace(dialogue.turns[0], utterance=nasty)
    record_one(home, replace(dialogue, seed=replace(CURIE, label=nasty, type_label="[red]"), turns=(turn,)))
    shown = Called(capsys, home, "show-run", "latest").out
    plain = "[bold]x[/bold] \ufffd[31m:smile: 9 of 9 dialogues\ufffd"
    assert shown.splitlines()[2:5] == [f"1. {plain}  [red], head", f"   2  {plain}", f"      {plain}"]
    exported = Called(capsys, home, "export", "latest", "--to", "jsonl").out
    assert json.loads(exported)["seed"]["label"] == nasty
    assert "\x1b" not in exported
    assert "\x9b" not in exported


def test_wrong_names_and_options(capsys: pytest.CaptureFixture[str], home: Path, run: str) -> None:
    unknown = Called(capsys, home, "show-run", "dblp")
    assert (unknown.code, unknown.err) == (2, "chattygen: no run is called 'dblp'\n  run: chattygen list-runs\n")
    assert Called(capsys, home, "show-run", run, "--limit", "0").code == 2


def test_a_file_that_is_no_database(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    home.mkdir()
    (home / "chattygen.db").write_text("dear diary, " * 100)
    called = Called(capsys, home, "list-runs")
    assert called.code == 1
    assert called.err == (
        f"chattygen: the results database {home / 'chattygen.db'} is not a SQLite database\n"
        "  move that file away or give another --home\n"
    )
