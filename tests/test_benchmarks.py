"""benchmarks/generate.py: the command on a small graph with a scripted model, and its checks on spoiled dialogues.
benchmarks/results.py: the run that it makes, and how it watches a command.
benchmarks/engines.py: what it reads in a server's log.
benchmarks/context.py: how many queries it sends for a seed, and what it makes of those that it did not send.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks import context, engines, results
from benchmarks.generate import Checks, check
from chattygen.config import Home
from chattygen.domain import XSD
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load
from chattygen.results import database
from chattygen.results.reader import Reader, StoredDialogue
from chattygen.results.recorder import Recorder
from chattygen.results.report import make_report
from tests.conftest import REPOSITORY

NS = "http://example.org/lakes/"
LAKES = "\n".join(
    f'<{NS}{name}> a <{NS}Lake> ; <{NS}name> "{name} Water" ; <{NS}depth> {depth} ;'
    f' <{NS}surveyDate> "{date}"^^<{XSD}date> ; <{NS}district> "{district}" .'
    for name, depth, date, district in [
        ("Ember", 31, "1901-05-06", "Northfell"),
        ("Fallow", 12, "1902-07-08", "Easterby"),
        ("Gannet", 57, "1903-09-10", "Southmoor"),
        ("Harrow", 8, "1904-11-12", "Westholm"),
    ]
)

# For each fact: line of the prompt, question, query line, later turn. The query for the district counts, which is wrong
# (S6) twice in the same words, so the builder writes it.
FACTS = [
    ("depth of X: a number", "How deep is X?", "How deep (stored): SELECT ?x { :e :depth ?x }", "How deep is it?"),
    (
        "survey date of X: a date",
        "When was X surveyed?",
        "When was: SELECT ?x { :e :surveyDate ?x }",
        "When was it surveyed?",
    ),
    (
        "district of X",
        "Which district is X in?",
        "Which district: SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :district ?x }",
        "Which district is it in?",
    ),
]


def rule(match: str, reply: str, times: int = 0) -> str:
    return json.dumps({"match": match, "reply": reply, "times": times})


def script() -> str:
    """Replies for every order in which the three facts can be asked; the first reply of all is no reply (P1)."""
    rules = [rule(r"\AX is a lake\.", "no", times=1), rule(r"\AWhat is a lake", "place")]
    for order in permutations(FACTS):
        cues = [fact[0].split(" of ")[0] for fact in order]
        questions = [fact[1].replace("?", r"\?") for fact in order]
        rules += [
            rule(
                r"\n".join(fact[0] for fact in order) + r"(\nExactly one line each\.)?\Z",
                "\n".join(map(": ".join, zip(cues, (f[1] for f in order), strict=True))),
            ),
            rule(r" \|.*\n".join(questions) + r" \|.*\Z", "\n".join(fact[2] for fact in order)),
            rule(r"\n".join(questions[1:]) + r"\Z", "\n".join(fact[3] for fact in order[1:])),
        ]
    return "\n".join([*rules, rule(r"\AWhich district is X in\? \|", FACTS[2][2])])


MODELS = """
[roles.cpu]
label = "lines"
questions = "lines"
sparql = "lines"
dialogue = "lines"
verify = "all-minilm-l6-v2"
judge = "lines"

[models.lines]
backend = "scripted"
script = "script.jsonl"

[models.all-minilm-l6-v2]
backend = "embedding"
files = [{ name = "model.safetensors" }, { name = "tokenizer.json" }]
"""


@pytest.fixture
def home(tmp_path: Path, weights_home: Home) -> Home:
    home = Home(tmp_path / "home")
    home.path.mkdir()
    home.models.symlink_to(weights_home.models.resolve(), target_is_directory=True)
    (home.path / "models.toml").write_text(MODELS)
    (home.path / "script.jsonl").write_text(script())
    (tmp_path / "lakes.ttl").write_text(LAKES)
    return home


def command(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "benchmarks/generate.py", *arguments, "--home", str(home.path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )


def test_the_figures_of_a_run(home: Home, tmp_path: Path) -> None:
    lakes = str(tmp_path / "lakes.ttl")
    called = command(home, "--kg", lakes, "--dialogues", "2", "--questions", "3", "--model", "lines")
    assert called.returncode == 0, called.stderr
    line, *tables = called.stdout.splitlines()
    seen = json.loads(line)
    assert (seen["model"], seen["kg"], seen["status"], seen["model_start"]) == ("lines", "lakes", "done", 0)
    assert (seen["accepted"], seen["visited"], seen["turns"]) == (2, 2, 3)
    assert seen["findings"] == {"S6": 4, "P1": 1}
    assert seen["given_up"] == {}
    assert seen["queries_by_model"] == 4 / 6
    assert (seen["questions_by_model"], seen["turns_by_model"]) == (1, 1)
    assert seen["waiting"] == 0, "a scripted model answers at once"
    assert seen["checks"] == {"other_answers": 0, "names_seed": 0, "contains_answer": 0, "facts_twice": 0}
    # a river says what it is; 2 + 1 calls for questions, 2 per dialogue for queries, 1 for turns: all are counted
    with sqlite3.connect(home.database) as database:
        calls, tokens = database.execute("select count(*), sum(prompt_tokens + completion_tokens) from call").fetchone()
    database.close()
    assert calls == 9
    assert seen["tokens"] == tokens / 2
    rows = [row.split() for row in tables if row.startswith("lakes")]
    assert [rows[0][:4], rows[0][-2:]] == [["lakes", "2", "/", "2"], ["0%", "3.0"]]
    assert rows[1:] == [
        ["lakes", "100%", "67%", "100%", "S6", "4,", "P1", "1"],
        ["lakes", "0", "0", "0", "0"],
    ]

    again = command(home, "--kg", lakes, "--dialogues", "1", "--questions", "3", "--model", "lines")
    assert again.returncode == 0, "a graph of that name is not loaded twice"
    assert "loaded lakes" in called.stderr
    assert "loaded lakes" not in again.stderr


def test_an_unknown_graph_or_model_is_two_lines(home: Home, tmp_path: Path) -> None:
    unknown = command(home, "--kg", "atlantis", "--model", "lines")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "no graph is called 'atlantis'" in unknown.stderr
    assert "Traceback" not in unknown.stderr
    nobody = command(home, "--kg", str(tmp_path / "lakes.ttl"), "--model", "nobody")
    assert (nobody.returncode, nobody.stdout) == (2, "")
    assert "no model is called 'nobody'" in nobody.stderr


def test_the_checks_see_what_is_wrong(home: Home, tmp_path: Path) -> None:
    called = command(
        home, "--kg", str(tmp_path / "lakes.ttl"), "--dialogues", "1", "--questions", "3", "--model", "lines"
    )
    assert called.returncode == 0, called.stderr
    with Reader(home.database) as reader, open_kg(home, "lakes") as graph:
        (good,) = reader.dialogues(reader.run("latest").id)
        first, second, third = good.turns
        assert check([good], graph) == Checks(0, 0, 0, 0)

        def spoiled(**changes: object) -> StoredDialogue:
            return replace(good, turns=(first, replace(second, **changes), third))  # type: ignore[arg-type]

        named = spoiled(utterance=f"What of {good.seed.label.upper()}?")
        assert check([named], graph) == Checks(0, 1, 0, 0)
        answer = second.query.answers[0]
        told = spoiled(question=replace(second.question, text=f"Is it {answer.label} or not?"))
        assert check([told], graph) == Checks(0, 0, 1, 0)
        again = spoiled(question=replace(second.question, fact=first.question.fact))
        assert check([again, good], graph) == Checks(0, 0, 0, 1)
        lang = replace(answer, lang="en")
        other = spoiled(query=replace(second.query, answers=(lang,)))
        assert check([other], graph) == Checks(1, 0, 0, 0)


def test_a_multiplied_run_is_like_one_that_was_recorded(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with Recorder(home.database) as recorder:
        run = results.start(recorder, "large", 6)
        results.record(recorder, run, range(2))
    db = database.open_to_write(home.database, 1.0)
    results.multiply(db, 3)
    assert db.execute("pragma foreign_key_check").fetchall() == []
    db.close()
    with Reader(home.database) as reader:
        dialogues = list(reader.dialogues(run))
        report = make_report(reader.measures(run))
    assert [dialogue.id for dialogue in dialogues] == [f"{run}-{n}" for n in range(1, 7)]
    assert len({dialogue.seed.iri for dialogue in dialogues}) == 6
    assert dialogues[5].turns == dialogues[1].turns
    assert [len(turn.query.answers) for turn in dialogues[5].turns] == [2, 2, 2, 2, 2]
    # of each dialogue: 4 calls of 460 tokens, 3 findings
    assert (report.usage.calls, report.usage.tokens, report.errors_by_rule) == (24, 11040, {"Q8": 6, "S5": 6, "D8": 6})

    seconds, computing, megabytes = results.watch(home, ["show-run", "large", "--limit", "1"])
    assert min(seconds, computing) > 0
    assert 10 < megabytes < 1000, "of a Python process"
    with pytest.raises(click.ClickException, match="no run is called 'small'"):
        results.watch(home, ["show-run", "small"])


def test_the_context_of_four_lakes(tmp_path: Path) -> None:
    home, lakes = Home(tmp_path / "home"), tmp_path / "lakes.ttl"
    lakes.write_text(LAKES.replace(f"{NS}name>", "http://www.w3.org/2000/01/rdf-schema#label>"))
    load(home, "lakes", [lakes])
    own = context.ours(home, "lakes", 4)
    assert (own.triples, own.seeds, own.measured, own.stopped) == (20, 4, 4, 0)
    # a lake has its triples counted, out and in, and its values read: no lake is a value of another
    assert own.queries["subgraphs"] == 4 * 3
    assert own.seconds == pytest.approx(sum(own.parts.values()))

    # 2 of 8 are made: the queries for a seed count four times, those for all seeds once
    paged = context.published(home, "lakes", 8, 2, "pages", 30.0)
    assert (paged.seeds, paged.measured, paged.stopped) == (8, 2, 0)
    # for a lake: two counts, two reads, its own label and that of its class
    seed = {"counts": 8 * 2, "labels": 8 * 2, "subgraphs": 8 * 2}
    assert paged.queries == {"open": 1, "types": 2, "label predicate": 2, "pages": 1, **seed}
    for way in ("random OFFSET", "random OFFSET, ordered"):
        drawn = context.published(home, "lakes", 8, 2, way, 30.0)
        assert drawn.queries == {"open": 1, "types": 2, "label predicate": 2, "pages": 8, **seed}

    assert context.published(home, "lakes", 8, 2, "pages", 0.0).stopped > 0, "no store answers at once"


def test_both_engines_tell_their_speed_in_the_same_words() -> None:
    log = """
llama_perf_context_print: prompt eval time =     400.00 ms /   600 tokens (    0.67 ms per token)
llama_perf_context_print:        eval time =     270.50 ms /     9 runs   (   30.06 ms per token)
llama_perf_context_print:       total time =     680.00 ms /   609 tokens
0.17 I slot print_timing: id  0 | task 0 | prompt eval time =      50.00 ms /    30 tokens (    1.67 ms per token)
0.17 I slot print_timing: id  0 | task 0 |        eval time =      29.50 ms /     1 tokens (   29.50 ms per token)
0.17 I slot print_timing: id  0 | task 0 |       total time =      79.50 ms /    31 tokens
"""
    assert engines.timings(log) == engines.Timings(450.0, 630, 300.0, 10, 759.5)
    assert engines.timings("load time = 12.00 ms") == engines.Timings()


@pytest.mark.parametrize("setup", ["ollama:1", "xllamacpp", "xllamacpp:many"])
def test_a_setup_that_is_none_is_named(setup: str) -> None:
    called = CliRunner().invoke(engines.main, ["--setup", setup])
    assert called.exit_code == 2
    assert f"{setup} is not ENGINE:SLOTS" in called.stderr
