"""docs/datasette.yaml: it describes every table, and each of its queries gives what it says."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from chattygen.results.recorder import Recorder
from tests.conftest import REPOSITORY
from tests.results import hand_made
from tests.results.hand_made import NS
from tests.results.test_schema import TABLES

TOLD: dict[str, Any] = yaml.safe_load((REPOSITORY / "docs" / "datasette.yaml").read_text(encoding="utf-8"))
DATABASE = TOLD["databases"]["chattygen"]  # datasette names a database after its file


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Two runs, and verdicts on the first."""
    path = tmp_path_factory.mktemp("datasette") / "chattygen.db"
    run = hand_made.record(path)
    hand_made.record(path)
    with Recorder(path) as recorder:
        recorder.verdict(f"{run}-1", "reject", "jo", reason="dull")
        recorder.verdict(f"{run}-1", "accept", "jo")
        recorder.verdict(f"{run}-2", "reject", "jo", turn=2, reason="a ship is not born")
        recorder.verdict(f"{run}-2", "reject", "kim")
    return path, run


def test_every_table_is_described(recorded: tuple[Path, str]) -> None:
    assert DATABASE["tables"].keys() == TABLES
    connection = sqlite3.connect(recorded[0])
    for table, told in DATABASE["tables"].items():
        assert told["description"].endswith(".")
        columns = {row[1] for row in connection.execute(f'pragma table_info("{table}")')}
        assert told.keys() - {"description", "label_column"} == set()
        assert told.get("label_column", "run") in columns | {"run"}
    connection.close()


def expected(run: str) -> dict[str, list[tuple[Any, ...]]]:
    return {
        "dialogues": [
            (f"{run}-1", 1, "When was Marie Curie born?", "7 November 1867"),
            (f"{run}-1", 2, "Which prizes did she receive?", "Chemistry 1911, Physics 1903"),
            (f"{run}-2", 1, "How many sailors does Marie Curie have?", "41"),
            (f"{run}-2", 2, "Was it born on 7 November 1867?", "no"),
        ],
        "predicates": [(NS + "born", 2), (NS + "crew", 1), (NS + "laureate", 1)],
        "given_up": [("laureate", "Q8", "asks for another fact", 1)],
        "cost": [
            (run, "label", 1, 100, 5, 1.0),
            (run, "questions", 6, 1810, 194, 19.0),
            (run, "queries", 2, 600, 120, 12.0),
            (run, "dialogue", 2, 300, 40, 4.0),
        ],
        "wrong_queries": [("Marie Curie", "When was X born?", "S5 does not hold")],
        "behind_a_dialogue": [
            (stage, n, '[["system", "Write questions."], ["user", "Marie Curie"]]', "When was X born?")
            for stage, n in (("questions", 1), ("questions", 2), ("queries", 1), ("dialogue", 1))
        ],
        "rejected": [
            (f"{run}-2", 2, "Was it born on 7 November 1867?", "a ship is not born", "jo"),
            (f"{run}-2", None, None, "", "kim"),
        ],
    }


def test_every_query_has_an_expected_result() -> None:
    assert DATABASE["queries"].keys() == expected("run").keys()


@pytest.mark.parametrize("name", DATABASE["queries"])
def test_a_query(recorded: tuple[Path, str], name: str) -> None:
    path, run = recorded
    sql = DATABASE["queries"][name]["sql"]
    connection = sqlite3.connect(path)
    parameters = set(re.findall(r":([a-z]+)", sql))  # as datasette finds them, which then shows a field for each
    assert parameters == ({"dialogue"} if name == "behind_a_dialogue" else {"run"})
    assert connection.execute(sql, {"run": run, "dialogue": f"{run}-1"}).fetchall() == expected(run)[name]
    assert connection.execute(sql, {"run": "none", "dialogue": "none"}).fetchall() == []
    if name in {"dialogues", "cost"}:
        both = connection.execute(sql, {"run": ""}).fetchall()
        assert len(both) == 2 * len(expected(run)[name])
    connection.close()
