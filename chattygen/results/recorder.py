"""The recorder: the only writer of the results database (design, section 2), but for replies (see evaluations.py).

Each method is one transaction that is on disk when the method returns, so a stop at any moment loses at most what was
in flight. A resumed run goes over its own steps again: what is stored already is left as it is, so each method but
those that store verdicts and calls of a judge may be called twice. Speaks the values of domain.py; knows nothing about
how they came to be, nor how they are reported.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any
from typing import Literal as OneOf

from chattygen import __version__
from chattygen.domain import (
    Attempt,
    Call,
    Dialogue,
    DroppedType,
    LabelRule,
    NodeType,
    Question,
    Repair,
    Strata,
    Subgraph,
    Visit,
)
from chattygen.results import database
from chattygen.results.audits import TurnJudgement
from chattygen.results.claims import Claims
from chattygen.results.database import clean, iso
from chattygen.results.strata import rows
from chattygen.results.values import beyond_to, dumps, value_to
from chattygen.results.visits import store as store_visits

Row = dict[str, Any]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Recorder:
    """Writes runs as they happen. Its methods take turns, so several threads may use it.

    Args:
        path: the database file; it and its folders are created when missing.
        timeout: seconds to wait for another writer.
        clock: the time that is written into the rows.

    Raises:
        ResultsError: here and in every method, when the file is locked, full, damaged or no database.
    """

    def __init__(self, path: Path, *, timeout: float = 30.0, clock: Callable[[], datetime] = utc_now) -> None:
        self.path = path
        self._clock = clock
        self._db = database.open_to_write(path, timeout)
        self._turn = RLock()
        self._claims = Claims(path)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        with self._turn:
            self._db.close()
            self._claims.leave_all()

    def start_run(
        self,
        kg: str,
        fingerprint: str,
        triples: int,
        settings: Mapping[str, Any],
        models: Mapping[str, str],
        *,
        source: Mapping[str, str] | None = None,
        repeatable: bool = True,
    ) -> str:
        """Open a run with status `running` and return its id, such as `nobel-20261130-101502-3f2a` (UTC).

        Args:
            kg: name of the graph; `fingerprint` and `triples` say which state of it.
            settings: the fields of `config.RunSettings`, and `language` unless it is "en".
            models: role -> name of its model; questions, sparql and dialogue must be among the roles.
            source: `title`, `url` and `licence` of the graph, as far as they are known.
            repeatable: False when a server may give another text for the same request.
        """
        now = self._clock()
        run = f"{kg}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        row = {
            "id": run,
            "kg": kg,
            "kg_fingerprint": fingerprint,
            "kg_triples": triples,
            "kg_source": dumps(source or {}),
            "settings": dumps(settings),
            "models": dumps(models),
            "repeatable": int(repeatable),
            "started": iso(now),
            "status": "running",
            "reason": "",
            "chattygen_version": __version__,
        }
        self._claims.hold(run, "run", "see: chattygen list-runs")
        with self._transaction():
            self._insert("run", row)
            self._insert("session", {"run": run, "n": 1, "started": iso(now)})
        return run

    def resume_run(self, run: str) -> None:
        """Open a run again; its last session, if it was killed, ends with the last thing that it stored.

        Raises:
            UsageError: another process works on it.
        """
        self._claims.hold(run, "run", "see: chattygen list-runs")
        with self._transaction():
            self._db.execute(END_SESSION, {"run": run})
            self._insert("session", {"run": run, "n": self._next("session", run), "started": iso(self._clock())})
            self._db.table("run").update(run, {"status": "running", "reason": "", "finished": None})

    def node_types(
        self, run: str, kept: Iterable[NodeType], dropped: Iterable[DroppedType], wanted: Mapping[str, int]
    ) -> None:
        """Store the node type distribution; `wanted` is the number of seeds per IRI of a kept type."""
        with self._transaction():
            if self._find("select 1 from node_type where run = :run", {"run": run}):
                return
            for node_type in kept:
                row = {**vars(node_type), "kept": 1, "reason": "", "wanted": wanted.get(node_type.iri, 0)}
                self._insert("node_type", {"run": run, **row})
            for gone in dropped:
                self._insert("node_type", {"run": run, **vars(gone), "share": None, "kept": 0, "wanted": 0})

    def label_rule(self, run: str, rule: LabelRule) -> None:
        """Store which predicates name the entities of a node type."""
        row = {"run": run, **vars(rule), "predicates": dumps(rule.predicates)}
        with self._transaction():
            if not self._find("select 1 from label_rule where run = :run and node_type = :node_type", row):
                self._insert("label_rule", row)

    def strata(self, run: str, strata: Strata) -> None:
        """Store the buckets of a node type."""
        with self._transaction():
            if not self.strata_method(run, strata.node_type):
                for row in rows(strata):
                    self._insert("stratum", {"run": run, **row})

    def strata_method(self, run: str, node_type: str) -> str:
        """How the buckets of a node type were found: `exact`, `estimated`, or "" when they are not stored."""
        sql = "select method from stratum where run = :run and node_type = :node_type"
        with self._turn, database.errors_explained(self.path):
            found = self._find(sql, {"run": run, "node_type": node_type})
        return str(found[0]) if found else ""

    def start_seed(self, run: str, subgraph: Subgraph) -> int:
        """Store a visited seed with its subgraph and return the seed's id."""
        with self._transaction():
            where = {"run": run, "iri": subgraph.seed.iri}
            if stored := self._find("select id from seed where run = :run and iri = :iri", where):
                again = "update seed set status = 'visited', finished = null where id = ? and status = 'interrupted'"
                self._db.execute(again, stored)
                return int(stored[0])
            row = {
                "n": self._next("seed", run),
                **vars(subgraph.seed),
                "status": "visited",
                "rule": "",
                "reason": "",
                "started": iso(self._clock()),
                "facts": len(subgraph.facts),
                "triples": subgraph.size,
            }
            seed = self._insert("seed", where | row)
            for n, fact in enumerate((*subgraph.facts, *subgraph.absent), 1):
                values = dumps([value_to(value) for value in fact.values])
                self._insert("fact", {"seed": seed, "n": n, **vars(fact), "values": values})
            for n, gone in enumerate(subgraph.dropped, 1):
                self._insert("dropped_fact", {"seed": seed, "n": n, **vars(gone)})
        return seed

    def recall(self, run: str, seed: int | None, item: int, call: Call, *, anywhere: bool) -> Call | None:
        """The call with the reply to the same request, if there is one: from this very step of the run, made before
        the run was resumed, or, with `anywhere`, from any step of any run.
        """
        where = {"run": run, "seed": seed, "item": item, "stage": call.stage, "request": call.request}
        with self._turn, database.errors_explained(self.path):
            found = self._find(RECALL, where | {"anywhere": anywhere})
        if found is None:
            return None
        return replace(call, **dict(zip(REPLY, found, strict=True)), reused=True)

    def attempt(self, run: str, seed: int | None, attempt: Attempt) -> None:
        """Store a model call, if there was one, and its findings; `seed` is None for work that serves the whole run."""
        where = {"run": run, "seed": seed, "stage": attempt.stage, "attempt": attempt.number, "item": attempt.item}
        with self._transaction():
            if attempt.call is None:
                if self._find(f"select 1 from finding where call is null and {STEP}", where):
                    return
                call = None
            else:
                row = where | vars(attempt.call) | {"request": attempt.call.request}
                if self._find(f"select 1 from call where request = :request and error = '' and {STEP}", row):
                    return
                row |= {"messages": dumps(attempt.call.messages), "reused": int(attempt.call.reused)}
                call = self._insert("call", row | {"stored": iso(self._clock())})
            for finding in attempt.findings:
                self._insert("finding", {"call": call, **where, **vars(finding)})

    def repair(self, seed: int, stage: str, item: int, how: Repair, rule: str) -> None:
        """Store what became of an item of a stage whose first line broke `rule`; a later `how` takes the place of the
        earlier one, whose rule stays.
        """
        row = {"seed": seed, "stage": stage, "item": item, "rule": rule, "how": how}
        with self._transaction():
            self._db.execute(REPAIRED, clean(row))

    def dialogue(self, run: str, seed: int, dialogue: Dialogue) -> str:
        """Store a finished dialogue with its questions, queries and answers, accept its seed; return the dialogue's id.

        Every question must ask about a fact that `start_seed` stored for this seed.
        """
        with self._transaction():
            if stored := self._find("select id from dialogue where seed = :seed", {"seed": seed}):
                return str(stored[0])
            n = self._next("dialogue", run)
            row = {"id": f"{run}-{n}", "run": run, "seed": seed, "n": n, **vars(dialogue.usage)}
            self._insert("dialogue", row)
            for turn in dialogue.turns:
                self._question(seed, turn.n, turn.question)
                query = vars(turn.query) | {"complete": int(turn.query.complete)}
                answers = query.pop("answers")
                number = self._insert("query", {"seed": seed, "n": turn.n, **query})
                for answer_n, answer in enumerate(answers, 1):
                    self._insert("answer", {"query": number, "n": answer_n, **vars(answer)})
                said = {name: value for name, value in vars(turn).items() if name not in ("question", "query")}
                self._insert("turn", {"dialogue": row["id"], **said, "seed": seed, "question": turn.n})
            self._end_seed(seed, "accepted", "", "")
        return str(row["id"])

    def visits(self, run: str, visits: Sequence[Visit]) -> None:
        """Store visits to seeds by the program alone, with their dialogues: all of them in one transaction."""
        with self._transaction():
            store_visits(self._db, run, visits, iso(self._clock()))

    def give_up(self, seed: int, rule: str, reason: str) -> None:
        """Close a seed that led to no dialogue: the rule that failed at last, and why in words."""
        with self._transaction():
            self._end_seed(seed, "given-up", rule, reason)

    def finish_run(self, run: str, status: OneOf["done", "short", "interrupted", "failed"], reason: str = "") -> None:
        """Close a run; seeds that are still in work become `interrupted`."""
        now = iso(self._clock())
        with self._transaction():
            # Nobody works on these any more, whatever the run's own end was.
            self._db.execute(
                "update seed set status = 'interrupted', finished = ? where run = ? and status = 'visited'", [now, run]
            )
            self._db.execute("update session set finished = ? where run = ? and finished is null", [now, run])
            self._db.table("run").update(run, clean({"status": status, "reason": reason, "finished": now}))
        self._claims.leave(run)

    def verdict(
        self,
        dialogue: str,
        verdict: OneOf["accept", "reject"],
        reviewer: str,
        *,
        turn: int | None = None,
        reason: str = "",
    ) -> None:
        """Store what a reviewer says about a finished dialogue, or what is wrong with one turn of it.

        Earlier verdicts are kept; the latest of a reviewer on a dialogue counts.
        """
        row = {"dialogue": dialogue, "turn": turn, "verdict": verdict, "reason": reason, "reviewer": reviewer}
        with self._transaction():
            self._insert("verdict", row | {"stored": iso(self._clock())})

    def turn_verdict(
        self, dialogue: str, turn: int, verdict: TurnJudgement, reviewer: str, *, reason: str = ""
    ) -> None:
        """Store what a reviewer says about one turn; earlier verdicts are kept, the latest of a reviewer counts."""
        row = {"dialogue": dialogue, "turn": turn, "verdict": verdict, "reason": reason, "reviewer": reviewer}
        with self._transaction():
            self._insert("turn_verdict", row | {"stored": iso(self._clock())})

    def recall_judge(self, call: Call) -> Call | None:
        """The call with the reply that a judge gave to the same request, if it was asked before."""
        with self._turn, database.errors_explained(self.path):
            found = self._find(RECALL_JUDGE, {"request": call.request})
        return replace(call, **dict(zip(REPLY, found, strict=True)), reused=True) if found else None

    def judge_call(self, call: Call, dialogue: str, other: str = "", turn: int | None = None) -> None:
        """Store a call to a judge about a turn of a dialogue, or about two dialogues in the order they were shown."""
        row = {name: value for name, value in vars(call).items() if name not in ("role", "attempt", "reused")}
        row |= {"dialogue": dialogue, "other": other, "turn": turn, "messages": dumps(call.messages)}
        with self._transaction():
            self._insert("judge_call", row | {"request": call.request, "stored": iso(self._clock())})

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turn, database.errors_explained(self.path), database.immediate(self._db):
            yield

    def _find(self, sql: str, values: Row) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found: tuple[Any, ...] | None = self._db.execute(sql, clean(values)).fetchone()
        return found

    def _insert(self, table: str, row: Row) -> int:
        """Insert a row whose keys are columns and return its rowid."""
        return int(self._db.table(table).insert(clean(row)).last_rowid or 0)

    def _next(self, table: str, run: str) -> int:
        """The next number, from 1, of a seed or dialogue within its run."""
        found = self._db.execute(f'select coalesce(max(n), 0) + 1 from "{table}" where run = ?', [run]).fetchone()
        return int(found[0])

    def _question(self, seed: int, n: int, question: Question) -> None:
        key = clean({"seed": seed, "predicate": question.fact.predicate, "direction": question.fact.direction})
        where = "seed = :seed and predicate = :predicate and direction = :direction"
        fact = next(iter(self._db.table("fact").rows_where(where, key)), None)
        if fact is None:
            raise LookupError(f"{key} is not a fact that start_seed stored")
        row = {column: value for column, value in vars(question).items() if column != "form"}  # it is the query's
        row["tested"] = dumps(value_to(question.tested)) if question.tested else None
        row["beyond"] = dumps(beyond_to(question.beyond)) if question.beyond else None
        self._insert("question", {"seed": seed, "n": n, **row, "fact": fact["n"]})

    def _end_seed(self, seed: int, status: str, rule: str, reason: str) -> None:
        ended = {"status": status, "rule": rule, "reason": reason, "finished": iso(self._clock()), "seed": seed}
        self._db.execute(END_SEED, clean(ended))


STEP = "run = :run and seed is :seed and stage = :stage and attempt = :attempt and item = :item"
"""A step of a run; `item` is 0 for the whole stage."""

REPLY = ("reply", "thinking", "finish", "prompt_tokens", "completion_tokens", "cached_tokens", "seconds")
"""The fields of a call that come with its reply."""

OWN = "(run = :run and seed is :seed and stage = :stage and item = :item)"
RECALL = f"""
select {", ".join(REPLY)} from call
where request = :request and error = '' and (:anywhere or {OWN})
order by {OWN} desc, reused, id limit 1
"""

REPAIRED = """
insert into repair (seed, stage, item, rule, how) values (:seed, :stage, :item, :rule, :how)
on conflict (seed, stage, item) do update set how = excluded.how
"""

RECALL_JUDGE = f"""
select {", ".join(REPLY)} from judge_call where request = :request and error = '' order by id limit 1
"""

END_SESSION = """
update session set finished = max(
    started,
    coalesce((select max(stored) from call where run = :run), ''),
    coalesce((select max(coalesce(finished, started)) from seed where run = :run), '')
)
where run = :run and finished is null
"""

END_SEED = """
update seed set status = :status, rule = :rule, reason = :reason, finished = :finished
where id = :seed and status = 'visited'
"""
