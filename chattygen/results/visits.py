"""Many dialogues in one transaction: for those that the program assembles, of which there may be a hundred in a second.

The rows are those that Recorder writes one by one for a seed that goes through the stages, except that what the filters
left out is stored with the first visit to a seed only. Knows nothing about how dialogues come to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlite_utils import Database

from chattygen.domain import Fact, Query, Question, Turn, Visit
from chattygen.results.database import clean
from chattygen.results.values import beyond_to, dumps, value_to

Row = dict[str, Any]

THIN = ("C4", "too few of its facts can be asked about")
"""The rule and the reason of a visit that nothing came of."""


def store(db: Database, run: str, visits: Sequence[Visit], now: str) -> None:
    """Store visits with their dialogues, inside the caller's transaction; those that are stored already are left."""
    numbers = {table: _last(db, table, run) for table in ("seed", "dialogue")}
    seed_id, query_id = (db.execute(f"select coalesce(max(id), 0) from {t}").fetchone()[0] for t in ("seed", "query"))
    rows: dict[str, list[Row]] = {}
    for visit in visits:
        if _is_stored(db, run, visit):
            continue
        seed_id, numbers["seed"] = seed_id + 1, numbers["seed"] + 1
        rows.setdefault("seed", []).append(_seed(visit, now) | {"id": seed_id, "run": run, "n": numbers["seed"]})
        for table, row in _context(visit):
            rows.setdefault(table, []).append({"seed": seed_id, **row})
        if not visit.turns:
            continue
        numbers["dialogue"] += 1
        dialogue = {"id": f"{run}-{numbers['dialogue']}", "run": run, "seed": seed_id, "n": numbers["dialogue"]}
        nothing = {"prompt_tokens": 0, "completion_tokens": 0, "calls": 0, "seconds": 0.0}
        rows.setdefault("dialogue", []).append(dialogue | nothing)
        facts = {fact: n for n, fact in enumerate(_facts(visit), 1)}
        for turn in visit.turns:
            query_id += 1
            for table, row in _turn(turn, facts, seed_id, query_id, dialogue["id"]):
                rows.setdefault(table, []).append(row)
    for table in ("seed", "fact", "dropped_fact", "dialogue", "question", "query", "answer", "turn"):
        _insert(db, table, rows.get(table, ()))


def _is_stored(db: Database, run: str, visit: Visit) -> bool:
    where = {"run": run, "iri": visit.subgraph.seed.iri, "visit": visit.number}
    sql = "select 1 from seed where run = :run and iri = :iri and visit = :visit"
    return db.execute(sql, clean(where)).fetchone() is not None


def _seed(visit: Visit, now: str) -> Row:
    rule, reason = ("", "") if visit.turns else THIN
    return {
        **vars(visit.subgraph.seed),
        "visit": visit.number,
        "status": "accepted" if visit.turns else "given-up",
        "rule": rule,
        "reason": reason,
        "started": now,
        "finished": now,
        "facts": len(visit.subgraph.facts),
        "triples": visit.subgraph.size,
    }


def _facts(visit: Visit) -> tuple[Fact, ...]:
    return (*visit.subgraph.facts, *visit.subgraph.absent)


def _context(visit: Visit) -> Iterable[tuple[str, Row]]:
    for n, fact in enumerate(_facts(visit), 1):
        yield "fact", {"n": n, **vars(fact), "values": dumps([value_to(value) for value in fact.values])}
    if visit.number == 1:
        for n, gone in enumerate(visit.subgraph.dropped, 1):
            yield "dropped_fact", {"n": n, **vars(gone)}


def _turn(turn: Turn, facts: dict[Fact, int], seed: int, query_id: int, dialogue: str) -> Iterable[tuple[str, Row]]:
    yield "question", {"seed": seed, "n": turn.n, **question_row(turn.question), "fact": facts[turn.question.fact]}
    yield "query", {"id": query_id, "seed": seed, "n": turn.n, **_query(turn.query)}
    for n, answer in enumerate(turn.query.answers, 1):
        yield "answer", {"query": query_id, "n": n, **vars(answer)}
    said = {name: value for name, value in vars(turn).items() if name not in ("question", "query")}
    yield "turn", {"dialogue": dialogue, **said, "seed": seed, "question": turn.n}


def question_row(question: Question) -> Row:
    """A question's own columns; its form is the query's."""
    row = {column: value for column, value in vars(question).items() if column not in ("form", "fact")}
    row["tested"] = dumps(value_to(question.tested)) if question.tested else None
    row["beyond"] = dumps(beyond_to(question.beyond)) if question.beyond else None
    return row


def _query(query: Query) -> Row:
    row = vars(query) | {"complete": int(query.complete)}
    return {column: value for column, value in row.items() if column != "answers"}


def _last(db: Database, table: str, run: str) -> int:
    return int(db.execute(f"select coalesce(max(n), 0) from {table} where run = ?", [run]).fetchone()[0])


def _insert(db: Database, table: str, rows: Sequence[Row]) -> None:
    """Insert rows that all have the same columns."""
    if rows:
        columns = ", ".join(f'"{column}"' for column in rows[0])
        places = ", ".join(f":{column}" for column in rows[0])
        db.conn.executemany(f'insert into "{table}" ({columns}) values ({places})', map(clean, rows))
