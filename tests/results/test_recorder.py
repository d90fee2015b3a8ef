"""The recorder: every table's rows after a small run, what a stop leaves, what the user reads when it cannot write."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chattygen import __version__
from chattygen.domain import Attempt, Call, Fact, Finding, Subgraph
from chattygen.errors import ResultsError
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CREW, CURIE, CURIE_DIALOGUE, NS, PRIZES, SHIP_DIALOGUE


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("recorded") / "chattygen.db"
    return path, hand_made.record(path)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_run(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert re.fullmatch(r"nobel-20261130-101502-[0-9a-f]{4}", run)
    assert rows(path, "select id, kg, kg_fingerprint, kg_triples, started, finished, status, reason from run") == [
        (
            run,
            "nobel",
            "f00d",
            1000,
            "2026-11-30T10:15:02.000Z",
            "2026-11-30T10:17:02.000Z",
            "interrupted",
            "stopped by the user",
        )
    ]
    ((settings, models, version),) = rows(path, "select settings, models, chattygen_version from run")
    assert json.loads(settings)["dialogues"] == 3
    assert json.loads(settings)["approach"] == "multi-stage"
    assert json.loads(models) == {"label": "small", "questions": "small", "sparql": "coder", "dialogue": "small"}
    assert version == __version__


def test_node_types_and_label_rules(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert rows(path, "select * from node_type") == [
        (run, NS + "Laureate", "laureate", 900, 0.9, 1, "", 2),
        (run, NS + "Ship", "ship", 100, 0.1, 1, "", 1),
        (run, NS + "Agent", "agent", 900, None, 0, "shadowed by laureate", 0),
    ]
    predicates = f'["{NS}given", "{NS}family"]'
    assert rows(path, "select * from label_rule") == [(run, NS + "Laureate", predicates, 0.98, "model")]


def test_seeds_and_their_ends(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert rows(path, "select n, iri, label, being, bucket, status, rule, reason, facts, triples from seed") == [
        (1, NS + "marie", "Marie Curie", "person", "head", "accepted", "", "", 2, 3),
        (2, NS + "pierre", "Pierre Curie", "person", "torso", "given-up", "Q8", "asks for another fact", 1, 1),
        (3, NS + "ship", "Marie Curie", "thing", None, "accepted", "", "", 2, 42),
        (4, NS + "irene", "Irène Joliot-Curie", "person", "tail", "interrupted", "", "", 1, 1),
    ]
    assert rows(path, "select started, finished from seed where n = 1") == [
        ("2026-11-30T10:15:02.000Z", "2026-11-30T10:15:32.000Z")
    ]
    assert rows(path, "select distinct run, node_type, type_label from seed where n < 3") == [
        (run, NS + "Laureate", "laureate")
    ]


def test_facts(recorded: tuple[Path, str]) -> None:
    path, _ = recorded
    stored = rows(
        path, 'select n, predicate, predicate_label, direction, value_kind, value_type, count, "values" from fact'
    )
    born = (
        '[{"type": "literal", "value": "1867-11-07", "datatype": "http://www.w3.org/2001/XMLSchema#date", "lang": "",'
        ' "label": "7 November 1867", "type_label": ""}]'
    )
    assert stored[0] == (1, NS + "born", "birth date", "out", "date", "", 1, born)
    assert stored[1][:7] == (2, NS + "laureate", "laureate", "in", "entity", "prize", 2)
    assert json.loads(stored[1][7])[1] == {
        "type": "uri",
        "value": NS + "chemistry1911",
        "datatype": "",
        "lang": "",
        "label": "Chemistry 1911",
        "type_label": "prize",
    }
    assert stored[4] == (2, NS + "crew", "crew", "in", "entity", "sailor", 41, "[]")  # a hub: only its count is known
    assert rows(path, "select * from dropped_fact") == [(1, 1, NS + "img", "out", "image")]


def test_calls(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert rows(
        path, "select seed, stage, attempt, item, prompt_tokens, completion_tokens, seconds, finish from call"
    ) == [
        (None, "label", 1, 0, 100, 5, 1.0, "stop"),
        (1, "questions", 1, 0, 400, 40, 4.0, "stop"),
        (1, "questions", 2, 2, 200, 10, 1.5, "stop"),
        (1, "queries", 1, 0, 300, 60, 6.0, "stop"),
        (1, "dialogue", 1, 0, 150, 20, 2.0, "stop"),
        (2, "questions", 1, 0, 400, 64, 5.0, "length"),
        (2, "questions", 2, 0, 0, 0, 0.5, "error"),
        (2, "questions", 3, 0, 410, 40, 4.0, "stop"),
        (3, "questions", 1, 0, 400, 40, 4.0, "stop"),
        (3, "queries", 1, 0, 300, 60, 6.0, "stop"),
        (3, "dialogue", 1, 0, 150, 20, 2.0, "stop"),
    ]
    columns = 'run, role, model, prompt_hash, messages, "constraint", reply, error, stored'
    assert rows(path, f"select {columns} from call where id in (4, 7)") == [
        (
            run,
            "sparql",
            "coder",
            "ab12",
            '[["system", "Write questions."], ["user", "Marie Curie"]]',
            'root ::= "x"',
            "When was X born?",
            "",
            "2026-11-30T10:15:02.000Z",
        ),
        (
            run,
            "questions",
            "small",
            "ab12",
            '[["system", "Write questions."], ["user", "Marie Curie"]]',
            'root ::= "x"',
            "When was X born?",
            "refused",
            "2026-11-30T10:15:32.000Z",
        ),
    ]


def test_findings_belong_to_their_call(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert rows(path, "select call, seed, stage, attempt, item, rule from finding") == [
        (2, 1, "questions", 1, 0, "Q5"),
        (6, 2, "questions", 1, 0, "P2"),
        (7, 2, "questions", 2, 0, "P4"),
        (8, 2, "questions", 3, 0, "Q8"),
        (10, 3, "queries", 1, 0, "S5"),
        (None, 3, "queries", 2, 1, "S6"),
        (11, 3, "dialogue", 1, 0, "D3"),
    ]
    assert rows(path, "select distinct run, message, evidence from finding where rule = 'Q5'") == [
        (run, "Q5 does not hold", "the text")
    ]


def test_dialogues(recorded: tuple[Path, str]) -> None:
    path, run = recorded
    assert rows(path, "select * from dialogue") == [
        (f"{run}-1", run, 1, 1, 1050, 130, 4, 13.5),
        (f"{run}-2", run, 3, 2, 850, 120, 3, 12.0),
    ]
    assert rows(path, "select * from turn where seed = 3") == [
        (f"{run}-2", 1, "How many sailors does Marie Curie have?", "model", 3, 1, "opening", None),
        (f"{run}-2", 2, "Was it born on 7 November 1867?", "builder", 3, 2, "reference", None),
    ]
    crew = "How many sailors does Marie Curie have?"
    tested = (
        '{"type": "literal", "value": "1867-11-07", "datatype": "http://www.w3.org/2001/XMLSchema#string", "lang": "",'
        ' "label": "7 November 1867", "type_label": ""}'
    )
    assert rows(path, "select * from question where seed = 3") == [
        (3, 1, 2, "How many sailors does X have?", crew, "how-many", "model", None, None),
        (3, 2, 1, "Was X born on 1867?", "Was Marie Curie born on 7 November 1867?", "yes-no", "builder", tested, None),
    ]
    assert rows(path, "select id, seed, n, form, origin, complete from query") == [
        (1, 1, 1, "select", "model", 1),
        (2, 1, 2, "select", "model", 1),
        (3, 3, 1, "count", "builder", 1),
        (4, 3, 2, "ask", "builder", 1),
    ]
    assert rows(path, "select * from answer where query in (1, 2, 4)") == [
        (1, 1, "literal", "1867-11-07", "7 November 1867", "http://www.w3.org/2001/XMLSchema#date", ""),
        (2, 1, "uri", NS + "chemistry1911", "Chemistry 1911", "", ""),
        (2, 2, "uri", NS + "physics1903", "Physics 1903", "", ""),
        (4, 1, "boolean", "false", "no", "", ""),
    ]


def test_a_repair_keeps_the_first_rule_and_the_last_word(recorded: tuple[Path, str], tmp_path: Path) -> None:
    assert rows(recorded[0], "select * from repair") == [
        (1, "questions", 2, "Q5", "model"),
        (2, "questions", 1, "P2", "builder"),
        (3, "queries", 1, "S5", "builder"),
        (3, "dialogue", 1, "D3", "builder"),
    ]
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder:
        seed = recorder.start_seed(hand_made.start(recorder), Subgraph(CURIE, (BORN,), 1))
        recorder.repair(seed, "questions", 1, "builder", "Q8")
        recorder.repair(seed, "questions", 1, "lost", "")
    assert rows(path, "select rule, how from repair") == [("Q8", "lost")]


def test_a_dialogue_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder:
        run = hand_made.start(recorder)
        seed = recorder.start_seed(run, Subgraph(CURIE, (BORN,), 1))
        with pytest.raises(LookupError, match=r"laureate.*is not a fact that start_seed stored"):
            recorder.dialogue(run, seed, CURIE_DIALOGUE)  # its second question asks about a fact that is not there
    for table in ("dialogue", "turn", "question", "query", "answer"):
        assert rows(path, f"select * from {table}") == []
    assert rows(path, "select status from seed") == [("visited",)]


def test_numbers_start_anew_in_every_run(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder:
        for _ in range(2):
            run = hand_made.start(recorder)
            seed = recorder.start_seed(run, Subgraph(SHIP_DIALOGUE.seed, (BORN, CREW), 42))
            assert recorder.dialogue(run, seed, SHIP_DIALOGUE) == f"{run}-1"
    assert rows(path, "select n from seed") == [(1,), (1,)]


def test_a_reply_cut_inside_a_character_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    made = hand_made.attempt("questions", 1, 1, 1, 1.0)
    assert made.call is not None
    cut = replace(made.call, reply="good \ud83d", messages=(("user", "\udc00 \x00 ü"),))
    with Recorder(path) as recorder:
        run = hand_made.start(recorder)
        recorder.attempt(run, None, Attempt("questions", 1, 0, cut, (Finding("P1", "bad", "\ud83d"),)))
    assert rows(path, "select reply, messages from call") == [("good \ufffd", '[["user", "\ufffd \\u0000 ü"]]')]
    assert rows(path, "select evidence from finding") == [("\ufffd",)]


def test_what_was_recorded_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from chattygen.results.recorder import Recorder\n"
        "from tests.results import hand_made\n"
        "recorder = Recorder(Path(sys.argv[1]))\n"
        "run = hand_made.start(recorder)\n"
        "recorder.attempt(run, None, hand_made.attempt('label', 1, 100, 5, 1.0, hand_made.finding('P3')))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program, str(path)], cwd=root, check=False).returncode == -9
    assert rows(path, "select stage, prompt_tokens from call") == [("label", 100)]
    assert rows(path, "select rule from finding") == [("P3",)]
    assert rows(path, "select status, finished from run") == [("running", None)]


def test_a_locked_database_is_an_error_that_says_so_and_passes(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path, timeout=0.05) as recorder:
        run = hand_made.start(recorder)
        other = sqlite3.connect(path)
        other.execute("begin immediate")
        with pytest.raises(ResultsError) as raised:
            recorder.attempt(run, None, hand_made.attempt("label", 1, 1, 1, 1.0))
        assert raised.value.message == f"the results database {path} is locked by another program"
        assert raised.value.hint == "close the program that writes to it and try again"
        other.rollback()
        recorder.attempt(run, None, hand_made.attempt("label", 1, 1, 1, 1.0))
        other.close()
    assert rows(path, "select count(*) from call") == [(1,)]


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    with Recorder(path) as recorder:
        run = hand_made.start(recorder)
        recorder.attempt(run, None, hand_made.attempt("label", 1, 1, 1, 1.0))
        # SQLite's own limit on the file's size gives the error that a full disk gives.
        pages = recorder._db.execute("pragma page_count").fetchone()[0]
        recorder._db.execute(f"pragma max_page_count = {pages}")
        big = Fact(NS + "p", "x" * 100_000, "out", (), 1, "text")
        with pytest.raises(ResultsError, match="cannot grow: the disk is full"):
            recorder.start_seed(run, Subgraph(CURIE, (big, PRIZES), 1))
    assert rows(path, "select count(*) from call") == [(1,)]
    assert rows(path, "select count(*) from seed") == [(0,)]


def test_a_judge_is_not_asked_twice_and_costs_no_run_anything(tmp_path: Path) -> None:
    path = tmp_path / "chattygen.db"
    run = hand_made.record(path)
    blank = Call("compare", "judge", "judy", "v1", 1, "abc", (("user", "1 or 2?"),), "root", 1024, 0.0, 0)
    told = replace(blank, reply="fluency: 1", finish="stop", prompt_tokens=30, completion_tokens=4, seconds=1.5)
    with Reader(path) as reader:
        before = reader.measures(run)
    with Recorder(path, clock=hand_made.Clock()) as recorder:
        assert recorder.recall_judge(blank) is None
        recorder.judge_call(replace(blank, error="gone"), "d1", "d2")
        assert recorder.recall_judge(blank) is None, "a call that failed has no reply"
        recorder.judge_call(told, "d1", "d2")
        recorder.judge_call(replace(told, stage="audit", messages=(("user", "right?"),)), "d1", turn=3)
        assert recorder.recall_judge(blank) == replace(told, reused=True)
        for change in ({"model": "jim"}, {"revision": "v2"}, {"constraint": "other"}, {"messages": (("user", "2?"),)}):
            assert recorder.recall_judge(replace(blank, **change)) is None  # type: ignore[arg-type]
    with Reader(path) as reader:
        assert reader.measures(run) == before
    connection = sqlite3.connect(path)
    columns = (
        "stage, dialogue, other, turn, model, reply, finish, prompt_tokens, completion_tokens, seconds, error, stored"
    )
    assert connection.execute(f"select {columns} from judge_call order by id").fetchall() == [
        ("compare", "d1", "d2", None, "judy", "", "error", 0, 0, 0.0, "gone", "2026-11-30T10:15:02.000Z"),
        ("compare", "d1", "d2", None, "judy", "fluency: 1", "stop", 30, 4, 1.5, "", "2026-11-30T10:15:02.000Z"),
        ("audit", "d1", "", 3, "judy", "fluency: 1", "stop", 30, 4, 1.5, "", "2026-11-30T10:15:02.000Z"),
    ]
    connection.close()
