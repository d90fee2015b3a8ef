"""The tables: made once, strict, keys enforced, documented."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from chattygen.results import database
from tests.results import hand_made

TABLES = {
    "run", "node_type", "label_rule", "seed", "fact", "dropped_fact", "call", "finding", "question", "query", "answer",
    "dialogue", "turn", "session", "verdict", "judge_call", "turn_verdict",
    "repair", "stratum", "evaluation", "reply", "reply_verdict", "other_name", "predicate_count",
}  # fmt: skip


def test_opening_twice_applies_the_migrations_once_and_keeps_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "chattygen.db"
    hand_made.record(path)
    db = database.open_to_write(path, 1.0)
    assert db.execute("select migration_set, name from _sqlite_migrations").fetchall() == [
        ("chattygen", "evaluations"),
        ("chattygen", "first_tables"),
        ("chattygen", "judging"),
        ("chattygen", "kinds"),
        ("chattygen", "repairs"),
        ("chattygen", "resume"),
        ("chattygen", "saying"),
        ("chattygen", "strata"),
        ("chattygen", "verdicts"),
        ("chattygen", "visits"),
    ]
    assert set(db.table_names()) == TABLES | {"_sqlite_migrations"}
    assert db.execute("select count(*) from seed").fetchone() == (4,)


def test_every_table_is_strict_and_the_file_is_in_wal_mode(tmp_path: Path) -> None:
    db = database.open_to_write(tmp_path / "chattygen.db", 1.0)
    assert {name for name in TABLES if db.table(name).strict} == TABLES
    assert db.journal_mode == "wal"
    with pytest.raises(sqlite3.IntegrityError, match=r"cannot store TEXT value in INTEGER column run\.kg_triples"):
        db.execute("insert into run values ('r','k','f','many','{}','{}','','','done','','','{}',1)")


def test_a_seed_needs_its_run(tmp_path: Path) -> None:
    db = database.open_to_write(tmp_path / "chattygen.db", 1.0)
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        db.execute(
            "insert into seed values (1,'none',1,'i','l','t','t','thing',null,'visited','','','s',null,0,0,'',1)"
        )


def test_an_export_can_always_name_its_models(tmp_path: Path) -> None:
    db = database.open_to_write(tmp_path / "chattygen.db", 1.0)
    row = "insert into run values ('r','k','f',1,'{}',?,'s',null,'running','','1','{}',1)"
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        db.execute(row, ['{"questions": "a", "sparql": "b"}'])
    db.execute(row, ['{"questions": "a", "sparql": "b", "dialogue": "c"}'])


def test_the_documentation_lists_every_table_with_its_columns(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    documented = {}
    for section in text.split("\n### `")[1:]:
        table, _, rest = section.partition("`")
        body = rest.split("\n#")[0]
        documented[table] = [line.split("`")[1] for line in body.splitlines() if line.startswith("| `")]
    db = database.open_to_write(tmp_path / "chattygen.db", 1.0)
    assert documented == {table: [column.name for column in db.table(table).columns] for table in TABLES}
