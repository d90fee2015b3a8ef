"""compare-runs: two recorded runs side by side, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from chattygen.cli.judging import one_by_one
from chattygen.cli.main import main
from chattygen.domain import Dialogue, Seed, Subgraph
from chattygen.errors import Interrupted
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CREW, CURIE, CURIE_DIALOGUE, IRENE, PIERRE, PRIZES, SHIP, SHIP_DIALOGUE

Visit = tuple[Seed, Dialogue | None, tuple[int, int, float], tuple[str, ...]]
"""A seed, its dialogue if it was accepted, its one call (prompt and reply in tokens, seconds), rules that failed."""

A: list[Visit] = [
    (CURIE, CURIE_DIALOGUE, (90, 10, 1.0), ("Q1",)),
    (PIERRE, CURIE_DIALOGUE, (90, 10, 1.0), ()),
    (SHIP, None, (90, 10, 1.0), ("P1",)),
    (IRENE, None, (90, 10, 1.0), ("Q8",)),
]
B: list[Visit] = [
    (PIERRE, SHIP_DIALOGUE, (1190, 10, 3.0), ()),
    (CURIE, CURIE_DIALOGUE, (1190, 10, 3.0), ()),
    (SHIP, None, (1190, 10, 3.0), ("P1",)),
]
"""CURIE_DIALOGUE has two queries by the model, SHIP_DIALOGUE two by the builder."""


def record(home: Path, visits: list[Visit], *, end: bool = True, fingerprint: str = "f00d") -> str:
    with Recorder(home / "chattygen.db", clock=hand_made.Clock()) as recorder:
        settings = {"dialogues": 3, "approach": "multi-stage", "serialisation": "full"}
        run = recorder.start_run("nobel", fingerprint, 1000, settings, hand_made.MODELS)
        for seed, dialogue, call, rules in visits:
            visited = recorder.start_seed(run, Subgraph(seed, (BORN, PRIZES, CREW), 3))
            found = [hand_made.finding(rule) for rule in rules]
            recorder.attempt(run, visited, hand_made.attempt("questions", 1, *call, *found))
            if dialogue:
                recorder.dialogue(run, visited, dialogue)
            else:
                recorder.give_up(visited, rules[0], "")
        if end:
            recorder.finish_run(run, "done")
    return run


class Called:
    """What the command printed and how it ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path, *words: str) -> None:
        try:
            main(["compare-runs", *words, "--home", str(home)])
            self.code: object = 0
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


def test_for_a_person(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    called = Called(capsys, tmp_path, a, "latest")
    assert (called.code, called.err) == (0, "")
    lines = called.out.splitlines()
    assert lines[:5] == [
        f"A  {a}  nobel, multi-stage, full",
        f"B  {b}  nobel, multi-stage, full",
        "3 seeds in both runs, 2 of them accepted by both; 1 only in A, 0 only in B",
        "",
        "means per seed (turns, queries by the model: of seeds that both accepted)",
    ]
    rows = [" ".join(line.split()) for line in lines[5:]]
    # One loss among three pairs: 8 of 27 resamples hold none of it, and 1, more than a fortieth, nothing else.
    assert rows == [
        "measure A B B - A 95 % interval",
        "accepted 67% 67% +0% +0% to +0% no clear difference",
        "findings 0.67 0.33 -0.33 -1.00 to +0.00 no clear difference",
        "question errors 0.33 0.00 -0.33 -1.00 to +0.00 no clear difference",
        "query errors 0.00 0.00 +0.00 +0.00 to +0.00 no clear difference",
        "dialogue errors 0.00 0.00 +0.00 +0.00 to +0.00 no clear difference",
        "parse errors 0.33 0.33 +0.00 +0.00 to +0.00 no clear difference",
        "tokens 100 1,200 +1,100 +1,100 to +1,100 more in B",
        "calls 1.00 1.00 +0.00 +0.00 to +0.00 no clear difference",
        "seconds 1.00 3.00 +2.00 +2.00 to +2.00 more in B",
        "turns 2.00 2.00 +0.00 +0.00 to +0.00 no clear difference",
        "queries by the model 100% 50% -50% -100% to +0% no clear difference",
        "",
        "findings per seed, by rule",
        "rule A B B - A 95 % interval",
        "P1 0.33 0.33 +0.00 +0.00 to +0.00 no clear difference",
        "Q1 0.33 0.00 -0.33 -1.00 to +0.00 no clear difference",
    ]
    turned = Called(capsys, tmp_path, b, a).out
    assert ["tokens", "1,200", "100", "-1,100"] in [line.split()[:4] for line in turned.splitlines()]
    assert turned.count("less in B") == 2
    assert "0 only in A, 1 only in B" in turned


def test_for_a_program_and_the_same_every_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    called = Called(capsys, tmp_path, a, b, "--json")
    assert Called(capsys, tmp_path, a, b, "--json").out == called.out
    told = json.loads(called.out)
    measures, rules = told.pop("measures"), told.pop("rules")
    assert told == {"a": a, "b": b, "paired": 3, "alone_a": 1, "alone_b": 0, "both_accepted": 2}
    assert [measure["measure"] for measure in measures] == [
        "accepted",
        "findings",
        "question errors",
        "query errors",
        "dialogue errors",
        "parse errors",
        "tokens",
        "calls",
        "seconds",
        "turns",
        "queries by the model",
    ]
    assert measures[6] == {
        "measure": "tokens",
        "seeds": 3,
        "a": 100.0,
        "b": 1200.0,
        "difference": 1100.0,
        "low": 1100.0,
        "high": 1100.0,
        "clear": True,
    }
    assert [(rule["measure"], rule["difference"], rule["clear"]) for rule in rules] == [
        ("P1", 0.0, False),
        ("Q1", -0.333333333, False),
    ]


def test_without_two_dialogues_on_both_sides(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A[1:]), record(tmp_path, B)
    out = Called(capsys, tmp_path, a, b).out
    assert "2 seeds in both runs, 1 of them accepted by both; 1 only in A, 1 only in B" in out
    assert "turns, queries by the model: not compared, they need two seeds that both runs accepted" in out


def test_refusals_are_two_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a = record(tmp_path, A)

    def refused(*words: str) -> str:
        called = Called(capsys, tmp_path, *words)
        assert (called.code, called.out) == (2, "")
        what, hint = called.err.splitlines()
        assert hint.startswith("  ")
        return what.removeprefix("chattygen: ")

    assert refused(a, a) == f"both are the same run: {a}"
    assert refused(a, "seas") == "no run is called 'seas'"
    changed = record(tmp_path, B, fingerprint="feed")
    assert refused(a, changed) == "the data of nobel were others: fingerprint f00d, then feed"
    assert refused(a, record(tmp_path, A[3:])) == "the runs have only one seed in common"
    assert refused(record(tmp_path, A[3:]), record(tmp_path, B)) == "the runs have no seed in common"


def test_a_run_that_is_worked_on_is_refused_and_one_that_was_killed_is_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a, killed = record(tmp_path, A), record(tmp_path, B, end=False)
    with Recorder(tmp_path / "chattygen.db") as recorder:
        working = hand_made.start(recorder)
        called = Called(capsys, tmp_path, a, working)
        assert (called.code, called.out) == (2, "")
        assert called.err == f"chattygen: the run {working} is still running\n  wait for its end, or stop it\n"
    assert Called(capsys, tmp_path, a, killed).code == 0


PREFERENCES: list[dict[str, object]] = [
    {"match": "Interviewer 1:\n- How many", "reply": "fluency: 1\nclarity: 1\nvariety: 2", "times": 0},
    {"match": "Interviewer 2:\n- How many", "reply": "fluency: 2\nclarity: 1\nvariety: 9", "times": 0},
]
"""About Pierre, A asks when Marie Curie was born and B how many sailors she has. The judge finds that more fluent in
either order, always finds clearer what it reads first, and once finds a ninth dialogue more varied. About Marie, both
runs say the same.
"""


def write_judge(home: Path, rules: list[dict[str, object]], name: str = "judy") -> None:
    (home / "script.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in rules), encoding="utf-8")
    entry = f'[models.{name}]\nbackend = "scripted"\nscript = "script.jsonl"\n'
    (home / "models.toml").write_text(entry, encoding="utf-8")


def calls(home: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(home / "chattygen.db")
    found = connection.execute("select dialogue, other from judge_call where error = '' order by id").fetchall()
    connection.close()
    return found


def test_a_judge_for_a_person(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    write_judge(tmp_path, PREFERENCES)
    called = Called(capsys, tmp_path, a, b, "--judge", "judy")
    assert called.code == 0
    rows = [" ".join(line.split()) for line in called.out.splitlines()]
    shown = rows[rows.index("2 pairs of dialogues (1 alike): which is better, in both orders") :]
    # Of two pairs one is won: a quarter of the resamples hold only that one, a quarter only the other.
    assert shown[1:5] == [
        "criterion A tie B B - A 95 % interval",
        "fluency 0 1 1 +50% +0% to +100% no clear difference",
        "clarity 0 2 0 +0% +0% to +0% no clear difference",
        "variety 0 2 0 +0% +0% to +0% no clear difference",
    ]
    assert shown[7:11] == [
        "criterion orders agree chose what came first no valid reply",
        "fluency 100% 50% 0",
        "clarity 0% 100% 0",
        "variety - 0% 1",
    ]
    assert shown[11].startswith("judged by judy: 2 calls, 0 of them stored before;")
    assert calls(tmp_path) == [(f"{a}-2", f"{b}-1"), (f"{b}-1", f"{a}-2")]


def test_a_judge_for_a_program_and_no_call_twice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = record(tmp_path, A), record(tmp_path, B)
    write_judge(tmp_path, PREFERENCES)
    first, again = (json.loads(Called(capsys, tmp_path, a, b, "--json", "--judge", "judy").out) for _ in (1, 2))
    assert (first["paired"], first["judged"]["pairs"], first["judged"]["alike"]) == (3, 2, 1)
    assert first["judged"]["choices"] == [
        {"a": f"{a}-1", "b": f"{b}-2"} | {name: [None, None] for name in ("fluency", "clarity", "variety")},
        {"a": f"{a}-2", "b": f"{b}-1", "fluency": ["B", "B"], "clarity": ["A", "B"], "variety": [None, "A"]},
    ]
    assert first["judged"]["criteria"][0] == {
        "criterion": "fluency",
        "pairs": 2,
        "a": 0,
        "ties": 1,
        "b": 1,
        "difference": 0.5,
        "low": 0.0,
        "high": 1.0,
        "heard": 1,
        "first": 0.5,
        "agreed": 1.0,
        "clear": False,
    }
    usage, usage_again = (told["judged"].pop("usage") for told in (first, again))
    assert again == first
    # Two replies of 32 characters, four to a token.
    assert (usage["calls"], usage["reused"], usage["completion_tokens"]) == (2, 0, 16)
    assert usage_again == usage | {"reused": 2}
    assert len(calls(tmp_path)) == 2


def test_a_judgement_that_stops_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The script has one reply each time it is read, and two are wanted for the one pair that is not alike."""
    a, b = record(tmp_path, A), record(tmp_path, B)
    write_judge(tmp_path, [{"reply": "fluency: 1\nclarity: 1\nvariety: 1"}])
    stopped = Called(capsys, tmp_path, a, b, "--judge", "judy")
    assert stopped.code == 1
    said = stopped.err.splitlines()
    assert said[-3].startswith("chattygen: the script of judy has no reply left")
    assert said[-1] == (
        "  1 of 2 pairs are judged and stored; run the command again: no call that is stored is made twice"
    )
    assert len(calls(tmp_path)) == 1
    assert Called(capsys, tmp_path, a, b, "--judge", "judy").code == 0
    assert len(calls(tmp_path)) == 2


def test_ctrl_c_says_how_to_go_on() -> None:
    def work(item: str) -> str:
        if item == "c":
            raise KeyboardInterrupt
        return item

    with pytest.raises(Interrupted) as stopped:
        one_by_one(work, "abcd", "judging", "pairs")
    assert stopped.value.message == "stopped; 2 of 4 pairs are judged and stored"
    assert stopped.value.hint == "run the command again: no call that is stored is made twice"


def test_a_judge_of_its_own_work_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The hand-made attempts say that `small` wrote both runs."""
    a, b = record(tmp_path, A), record(tmp_path, B)
    write_judge(tmp_path, PREFERENCES, "small")
    called = Called(capsys, tmp_path, a, b, "--judge", "small", "--json")
    warnings = [f"warning: small judges its own work: it wrote {name}" for name in "AB"]
    assert called.err.splitlines()[:2] == warnings
    assert json.loads(called.out)["judged"]["warnings"] == warnings
    write_judge(tmp_path, PREFERENCES)
    assert "warning" not in Called(capsys, tmp_path, a, b, "--judge", "judy").err


def lines(seeds: list[Seed], model: str = "big") -> str:
    return "".join(
        json.dumps(
            {
                "id": f"other-{n}",
                "seed": {"iri": seed.iri},
                "turns": [{"utterance": "How many sailors?"}],
                "models": {"questions": model, "sparql": model, "dialogue": model},
            }
        )
        + "\n"
        for n, seed in enumerate(seeds, 1)
    )


def test_against_dialogues_of_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, other = record(tmp_path, A), tmp_path / "other.jsonl"
    other.write_text(lines([SHIP, CURIE, PIERRE], "judy"), encoding="utf-8")
    write_judge(tmp_path, PREFERENCES)
    called = Called(capsys, tmp_path, a, "--against", str(other), "--json", "--judge", "judy")
    assert called.code == 0
    told = json.loads(called.out)
    assert (told["a"], told["against"], told["judged"]["pairs"]) == (a, str(other), 2)
    assert "measures" not in told
    assert [(one["a"], one["b"], one["fluency"]) for one in told["judged"]["choices"]] == [
        (f"{a}-1", "other-2", ["B", "B"]),
        (f"{a}-2", "other-3", ["B", "B"]),
    ]
    assert told["judged"]["warnings"] == ["warning: judy judges its own work: it wrote B"]
    shown = Called(capsys, tmp_path, a, "--against", str(other), "--judge", "judy").out.splitlines()
    assert shown[:2] == [f"A  {a}  nobel, multi-stage, full", f"B  {other}"]
    assert "means per seed" not in "".join(shown)


def test_what_no_judge_can_compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, other = record(tmp_path, A), tmp_path / "other.jsonl"
    write_judge(tmp_path, PREFERENCES)

    def refused(*words: str) -> str:
        called = Called(capsys, tmp_path, *words)
        assert (called.code, called.out) == (2, "")
        what, hint = called.err.splitlines()
        assert hint.startswith("  ")
        return what.removeprefix("chattygen: ")

    for seeds, reason in (
        ([], "no entity has a dialogue in both: A has 2 dialogues, B 0"),
        ([SHIP, IRENE], "no entity has a dialogue in both: A has 2 dialogues, B 2"),
        ([SHIP, CURIE], "only one entity has a dialogue in both: A has 2 dialogues, B 2"),
    ):
        other.write_text(lines(seeds), encoding="utf-8")
        assert refused(a, "--against", str(other), "--judge", "judy") == reason
    empty = record(tmp_path, A[2:])
    assert refused(empty, record(tmp_path, A), "--judge", "judy") == (
        "no entity has a dialogue in both: A has 0 dialogues, B 2"
    )
    assert refused(a) == refused(a, "latest", "--against", str(other), "--judge", "judy")
    assert refused(a, "--against", str(other)) == "--against needs --judge"
    nobody = Called(capsys, tmp_path, a, record(tmp_path, B), "--judge", "jim")
    assert (nobody.code, nobody.err.splitlines()[0]) == (
        2,
        "chattygen: no model is called 'jim'; there are: judy",
    )
    assert calls(tmp_path) == []
