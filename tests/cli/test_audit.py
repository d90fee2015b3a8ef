"""audit: a drawn sample judged by a person or a model, stops, going on, and what the report says."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chattygen.results.audits import draw
from chattygen.results.recorder import Recorder
from tests.cli.test_compare import write_judge
from tests.cli.test_review import read_until
from tests.cli.test_runs import Called
from tests.results import hand_made

ASK = "right (r), sounds wrong (w), asks something else (e), wrong answer (a), skip (s), stop (q)?"
WHY = "why? (may be empty)"

BORN = """
1. Marie Curie  laureate, head
   1  When was Marie Curie born?
      fact: Marie Curie -> birth date -> ?
      SELECT ?v WHERE {
        <http://example.org/marie> <http://example.org/born> ?v
      }
      7 November 1867
"""
PRIZES = """
1. Marie Curie  laureate, head
   1  When was Marie Curie born?
      7 November 1867
   2  Which prizes did she receive?
      by itself: Which prizes did Marie Curie receive?
      fact: ? -> laureate -> Marie Curie
      SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }
      Chemistry 1911
      Physics 1903
"""
CREW = """
2. Marie Curie  ship
   1  How many sailors does Marie Curie have?
      fact: ? -> crew -> Marie Curie
      SELECT (COUNT(?v) AS ?n) WHERE { ?v <http://example.org/crew> <http://example.org/ship> }
      41
"""
SHIP = """
2. Marie Curie  ship
   1  How many sailors does Marie Curie have?  [builder: query]
      41
   2  Was it born on 7 November 1867?
      by itself: Was Marie Curie born on 7 November 1867?
      fact: Marie Curie -> birth date -> 7 November 1867
      ASK { <http://example.org/ship> <http://example.org/born> "1867-11-07" }
      no
"""
SHOWN = {(1, 1): BORN, (1, 2): PRIZES, (2, 1): CREW, (2, 2): SHIP}
"""(number of the dialogue, turn) -> what the person reads."""


class Desk:
    """An auditor's answers, given by turn and typed in the order in which the turns of the run are drawn."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, home: Path, run: str, seed: int = 0
    ) -> None:
        self.capsys, self.patch, self.home, self.run = capsys, patch, home, run
        drawn = draw([(f"{run}-{dialogue}", turn) for dialogue, turn in SHOWN], 4, seed)
        self.order = [(int(id.rpartition("-")[2]), turn) for id, turn in drawn]

    def call(self, *words: str, answers: str = "") -> Called:
        self.patch.setattr(sys, "stdin", io.StringIO(answers))
        return Called(self.capsys, self.home, "audit", self.run, *words)

    def audit(self, said: dict[tuple[int, int], str], *words: str, by: str = "jo") -> Called:
        return self.call("--reviewer", by, *words, answers="".join(said[turn] for turn in self.order))

    def stored(self) -> dict[tuple[int, int], list[tuple[Any, ...]]]:
        """Verdict, reason and reviewer, in the order of the rows, by turn."""
        connection = sqlite3.connect(self.home / "chattygen.db")
        of = "turn_verdict join dialogue on dialogue.id = turn_verdict.dialogue"
        rows = connection.execute(f"select n, turn, verdict, reason, reviewer from {of} order by turn_verdict.id")
        found: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
        for n, turn, *said in rows:
            found.setdefault((n, turn), []).append(tuple(said))
        connection.close()
        return found


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path, run: str) -> Desk:
    return Desk(capsys, monkeypatch, home, run)


MIXED = {(1, 1): "r\n", (1, 2): "r\n", (2, 1): "w\n who says so? \n", (2, 2): "e\n\n"}


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_person_judges_the_sample_and_reads_what_came_of_it(desk: Desk) -> None:
    called = desk.audit(MIXED)
    assert called.code == 0
    shown = "".join(SHOWN[turn] for turn in desk.order)
    assert called.out.startswith(shown)
    questions = [line for line in called.err.splitlines() if "left after it" not in line]
    assert sorted(questions) == sorted([ASK] * 4 + [WHY] * 2)
    assert desk.stored() == {
        (1, 1): [("right", "", "jo")],
        (1, 2): [("right", "", "jo")],
        (2, 1): [("sounds-wrong", "who says so?", "jo")],
        (2, 2): [("asks-else", "", "jo")],
    }
    # Wilson: of 4 turns 2 are right: z²/n = 0.96036, (0.98018 -+ sqrt(0.96036 * 0.49009)) / 1.96036; of 2 both are:
    # 2 / (2 + 3.84146) = 0.342; of 1 one is: 1 / 4.84146 = 0.207; and the same from the other end.
    assert squeezed(called.out[len(shown) :]) == [
        "",
        f"{desk.run}, judged by jo 4 of 4 turns",
        f"How many sailors does Marie Curie have? {desk.run}-2, turn 1",
        "sounds-wrong: who says so?",
        f"Was it born on 7 November 1867? {desk.run}-2, turn 2",
        "asks-else",
        "right 2, sounds-wrong 1, asks-else 1",
        "turns right share 95 % interval",
        "all 4 2 50% 15% to 85%",
        "kind how-many 1 0 0% 0% to 79%",
        "kind when 1 1 100% 21% to 100%",
        "kind which 1 1 100% 21% to 100%",
        "kind yes-no 1 0 0% 0% to 79%",
        "written by builder 2 0 0% 0% to 66%",
        "written by model 2 2 100% 34% to 100%",
    ]


@pytest.mark.parametrize("end", ["q\n", "Q\n", ""])
def test_a_stop_keeps_what_was_judged_and_the_next_call_goes_on(desk: Desk, end: str) -> None:
    stopped = desk.call("--reviewer", "jo", answers=f"r\n{end}")
    assert stopped.code == 0
    assert stopped.out.startswith(SHOWN[desk.order[0]] + SHOWN[desk.order[1]])
    assert f"all {1} {1} 100% 21% to 100%" in squeezed(stopped.out)
    assert list(desk.stored()) == desk.order[:1]

    on = desk.call("--reviewer", "jo", answers="r\ns\nr\n")
    assert on.out.startswith("".join(SHOWN[turn] for turn in desk.order[1:]))
    assert on.err.splitlines()[0] == "1 of 3, 2 left after it"
    assert list(desk.stored()) == [desk.order[n] for n in (0, 1, 3)]

    assert desk.call("--reviewer", "jo", answers="r\n").out.startswith(SHOWN[desk.order[2]]), "it was skipped"
    done = desk.call("--reviewer", "jo", answers="w\n\n")
    assert done.err == "jo has judged all turns of this sample; --all shows them again, a larger --sample has more\n"
    assert len(desk.stored()) == 4
    assert desk.call("--reviewer", "kim", answers="q\n").out.startswith(SHOWN[desk.order[0]])


def test_half_a_verdict_is_none_and_nonsense_is_asked_again(desk: Desk) -> None:
    assert desk.call("--reviewer", "jo", answers="w\n").code == 0
    assert desk.stored() == {}
    called = desk.call("--reviewer", "jo", answers="x\n\nright\nA\nno\nq\n")
    assert called.err.splitlines().count(ASK) == 5
    assert desk.stored() == {desk.order[0]: [("wrong-answer", "no", "jo")]}


def test_a_small_sample_is_the_beginning_of_a_larger_one(desk: Desk) -> None:
    small = desk.call("--reviewer", "jo", "--sample", "1", answers="r\nr\n")
    assert small.out.startswith(SHOWN[desk.order[0]] + "\n")
    assert "1 of 1, 0 left after it" in small.err
    assert list(desk.stored()) == desk.order[:1]
    larger = desk.call("--reviewer", "jo", "--sample", "3", answers="r\nr\nr\n")
    assert "1 of 2, 1 left after it" in larger.err
    assert list(desk.stored()) == desk.order[:3]


def test_another_seed_is_another_order(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path, run: str
) -> None:
    desks = [Desk(capsys, monkeypatch, home, run, seed) for seed in range(20)]
    assert len({tuple(one.order) for one in desks}) > 1
    for seed in (3, 4):
        shown = desks[seed].call("--reviewer", "jo", "--seed", str(seed), "--all", answers="q\n").out
        assert shown.startswith(SHOWN[desks[seed].order[0]])


def test_with_all_a_later_verdict_counts(desk: Desk) -> None:
    desk.audit(MIXED)
    again = desk.audit(dict.fromkeys(SHOWN, "r\n"), "--all")
    assert "jo said earlier: sounds-wrong: who says so?" in again.err.splitlines()
    assert "all 4 4 100% 51% to 100%" in squeezed(again.out)  # 4 / (4 + 3.84146)
    assert desk.stored()[2, 2] == [("asks-else", "", "jo"), ("right", "", "jo")]


def test_the_report_alone_asks_nobody(desk: Desk) -> None:
    nothing = desk.call("--report")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", f"no turn of {desk.run} has a verdict yet\n")
    desk.audit(MIXED)
    desk.audit({**MIXED, (2, 1): "r\n", (2, 2): "a\n\n"}, by="kim")
    told = desk.call("--report", answers="w\n\n" * 4)
    assert told.err == ""
    # Both say right of two turns and of one that it is not: 3 of 4. Jo finds 2 of 4 right, Kim 3: chance gives
    # 0.5 * 0.75 + 0.5 * 0.25 = 0.5, and (0.75 - 0.5) / (1 - 0.5) = 0.5.
    assert squeezed(told.out)[-1] == "jo and kim both judged 4 turns and agree on 75% of them; kappa 0.50"

    listed = json.loads(desk.call("--report", "--json").out)
    assert (listed["run"], listed["turns"]) == (desk.run, 4)
    assert [(one["reviewer"], one["all"]["right"]) for one in listed["audits"]] == [("jo", 2), ("kim", 3)]
    assert listed["audits"][0]["all"]["low"] == pytest.approx(0.15, abs=0.0001)
    assert listed["agreements"] == [{"reviewers": ["jo", "kim"], "both": 4, "share": 0.75, "kappa": 0.5}]
    assert "judged" not in listed


JUDGE: list[dict[str, object]] = [
    {"match": "The question: How many", "reply": "wrong-answer", "times": 0},
    {"match": "The question: Was it", "reply": "I do not know.", "times": 0},
    {"reply": "right", "times": 0},
]


def test_a_model_judges_under_its_own_name(desk: Desk) -> None:
    desk.audit(MIXED)
    write_judge(desk.home, JUDGE)
    called = desk.call("--judge", "judy", "--json")
    assert called.code == 0
    told = json.loads(called.out)
    assert [(one["reviewer"], one["all"]["turns"], one["all"]["right"]) for one in told["audits"]] == [
        ("jo", 4, 2),
        ("model:judy", 3, 2),
    ]
    assert told["agreements"] == [{"reviewers": ["jo", "model:judy"], "both": 3, "share": 1.0, "kappa": 1.0}]
    judged = told["judged"]
    assert (judged["judge"], judged["turns"], judged["invalid"], judged["warnings"]) == ("judy", 4, 1, [])
    # wrong-answer, I do not know., right and right have 12, 14, 5 and 5 characters, four to a token.
    assert (judged["usage"]["calls"], judged["usage"]["reused"], judged["usage"]["completion_tokens"]) == (4, 0, 8)
    assert desk.stored()[2, 1] == [("sounds-wrong", "who says so?", "jo"), ("wrong-answer", "", "model:judy")]
    assert desk.stored()[2, 2] == [("asks-else", "", "jo")], "no verdict without a valid reply"

    before = desk.stored()
    again = desk.call("--judge", "judy")
    assert squeezed(again.out)[-2] == "1 of 4 turns got no valid reply, and so no verdict"
    assert squeezed(again.out)[-1].startswith("judged by judy: 4 calls, 4 of them stored before;")
    assert desk.stored() == before


def test_a_judge_that_stops_goes_on(desk: Desk) -> None:
    """The script has one reply each time it is read, and four are wanted."""
    write_judge(desk.home, [{"reply": "right"}])
    for made in (1, 2, 3):
        stopped = desk.call("--judge", "judy")
        assert (stopped.code, len(desk.stored())) == (1, made)
        assert f"{made} of 4 turns are judged and stored; run the command again" in stopped.err
    assert desk.call("--judge", "judy").code == 0
    assert list(desk.stored()) == desk.order


def test_the_judge_of_models_toml_and_its_own_work(desk: Desk) -> None:
    write_judge(desk.home, JUDGE, "small")
    models = desk.home / "models.toml"
    roles = "".join(f'{role} = "small"\n' for role in ("label", "questions", "sparql", "dialogue", "judge"))
    words = '[models.words]\nbackend = "embedding"\nfiles = [{ name = "model.safetensors" }]\n'
    tables = "".join(f'[roles.{profile}]\nverify = "words"\n{roles}' for profile in ("cpu", "gpu"))
    models.write_text(models.read_text() + words + tables)
    called = desk.call("--judge")
    assert called.code == 0
    assert called.err.splitlines()[0] == f"warning: small judges its own work: it wrote {desk.run}"
    assert "model:small" in called.out


def test_what_is_refused(desk: Desk, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words in (
        ("--judge", "judy", "--reviewer", "jo"),
        ("--judge", "judy", "--all"),
        ("--judge", "judy", "--report"),
        ("--json",),
        ("--reviewer", "model:judy"),
        ("--reviewer", " "),
        ("--sample", "0"),
    ):
        refused = desk.call(*words, answers="r\n")
        assert (refused.code, refused.out) == (2, ""), words
    assert desk.stored() == {}
    with Recorder(tmp_path / "empty" / "chattygen.db", clock=hand_made.Clock()) as recorder:
        empty = hand_made.start(recorder)
        recorder.finish_run(empty, "short", "nothing to ask")
    for words in ((), ("--judge",), ("--report",)):
        called = Called(capsys, tmp_path / "empty", "audit", empty, *words)
        assert (called.code, called.out) == (2, "")
        assert called.err == f"chattygen: {empty} has no finished dialogue yet\n  see: chattygen list-runs\n"


def test_ctrl_c_ends_it_well(home: Path, run: str) -> None:
    command = [sys.executable, "-m", "chattygen", "audit", run, "--reviewer", "jo", "--home", str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        os.write(process.stdin.fileno(), b"r\n")
        read_until(process.stderr, f"2 of 4, 2 left after it\n{ASK}\n".encode())
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (0, b"")
    assert "1 of 4 turns" in out.decode()
