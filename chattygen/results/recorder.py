"""The recorder: the only writer of the results database (design, section 2).

Each method is one transaction that is on disk when the method returns, so a stop at any moment loses at most what was
in flight. Speaks the values of domain.py; knows nothing about how they came to be, nor how they are reported.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any
from typing import Literal as OneOf

from chattygen import __version__
from chattygen.domain import Attempt, Dialogue, DroppedType, Iri, LabelRule, NodeType, Question, Subgraph, Value
from chattygen.results import schema

Row = dict[str, Any]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Recorder:
    """Writes a run as it happens. Use from one thread.

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
        self._db = schema.open_to_write(path, timeout)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def start_run(
        self, kg: str, fingerprint: str, triples: int, settings: Mapping[str, Any], models: Mapping[str, str]
    ) -> str:
        """Open a run with status `running` and return its id, such as `nobel-20261130-101502-3f2a` (UTC).

        Args:
            kg: name of the graph; `fingerprint` and `triples` say which state of it.
            settings: the fields of `config.RunSettings`, and `language` unless it is "en".
            models: role -> name of its model; questions, sparql and dialogue must be among the roles.
        """
        now = self._clock()
        run = f"{kg}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        row = {
            "id": run,
            "kg": kg,
            "kg_fingerprint": fingerprint,
            "kg_triples": triples,
            "settings": _json(settings),
            "models": _json(models),
            "started": _iso(now),
            "status": "running",
            "reason": "",
            "chattygen_version": __version__,
        }
        with self._transaction():
            self._insert("run", row)
        return run

    def node_types(
        self, run: str, kept: Iterable[NodeType], dropped: Iterable[DroppedType], wanted: Mapping[str, int]
    ) -> None:
        """Store the node type distribution; `wanted` is the number of seeds per IRI of a kept type."""
        with self._transaction():
            for node_type in kept:
                row = {**vars(node_type), "kept": 1, "reason": "", "wanted": wanted.get(node_type.iri, 0)}
                self._insert("node_type", {"run": run, **row})
            for gone in dropped:
                self._insert("node_type", {"run": run, **vars(gone), "share": None, "kept": 0, "wanted": 0})

    def label_rule(self, run: str, rule: LabelRule) -> None:
        """Store which predicates name the entities of a node type."""
        with self._transaction():
            self._insert("label_rule", {"run": run, **vars(rule), "predicates": _json(rule.predicates)})

    def start_seed(self, run: str, subgraph: Subgraph) -> int:
        """Store a visited seed with its subgraph and return the seed's id."""
        with self._transaction():
            row = {
                "run": run,
                "n": self._next("seed", run),
                **vars(subgraph.seed),
                "status": "visited",
                "rule": "",
                "reason": "",
                "started": _iso(self._clock()),
                "facts": len(subgraph.facts),
                "triples": subgraph.size,
            }
            seed = self._insert("seed", row)
            for n, fact in enumerate(subgraph.facts, 1):
                values = _json([_value(value) for value in fact.values])
                self._insert("fact", {"seed": seed, "n": n, **vars(fact), "values": values})
            for n, gone in enumerate(subgraph.dropped, 1):
                self._insert("dropped_fact", {"seed": seed, "n": n, **vars(gone)})
        return seed

    def attempt(self, run: str, seed: int | None, attempt: Attempt) -> None:
        """Store a model call, if there was one, and its findings; `seed` is None for work that serves the whole run."""
        with self._transaction():
            call = None
            if attempt.call is not None:
                row = {**vars(attempt.call), "messages": _json(attempt.call.messages), "item": attempt.item}
                call = self._insert("call", {"run": run, "seed": seed, **row, "stored": _iso(self._clock())})
            where = {"stage": attempt.stage, "attempt": attempt.number, "item": attempt.item}
            for finding in attempt.findings:
                self._insert("finding", {"call": call, "run": run, "seed": seed, **where, **vars(finding)})

    def dialogue(self, run: str, seed: int, dialogue: Dialogue) -> str:
        """Store a finished dialogue with its questions, queries and answers, accept its seed; return the dialogue's id.

        Every question must ask about a fact that `start_seed` stored for this seed.
        """
        with self._transaction():
            n = self._next("dialogue", run)
            row = {"id": f"{run}-{n}", "run": run, "seed": seed, "n": n, **vars(dialogue.usage)}
            self._insert("dialogue", row)
            for turn in dialogue.turns:
                self._question(seed, turn.n, turn.question)
                query = vars(turn.query) | {"complete": int(turn.query.complete)}
                answers = query.pop("answers")
                stored = self._insert("query", {"seed": seed, "n": turn.n, **query})
                for answer_n, answer in enumerate(answers, 1):
                    self._insert("answer", {"query": stored, "n": answer_n, **vars(answer)})
                said = {"utterance": turn.utterance, "utterance_origin": turn.utterance_origin}
                self._insert("turn", {"dialogue": row["id"], "n": turn.n, **said, "seed": seed, "question": turn.n})
            self._end_seed(seed, "accepted", "", "")
        return str(row["id"])

    def give_up(self, seed: int, rule: str, reason: str) -> None:
        """Close a seed that led to no dialogue: the rule that failed at last, and why in words."""
        with self._transaction():
            self._end_seed(seed, "given-up", rule, reason)

    def finish_run(self, run: str, status: OneOf["done", "short", "interrupted", "failed"], reason: str = "") -> None:
        """Close a run; seeds that are still in work become `interrupted`."""
        now = _iso(self._clock())
        with self._transaction():
            # Nobody works on these any more, whatever the run's own end was.
            self._db.execute(
                "update seed set status = 'interrupted', finished = ? where run = ? and status = 'visited'", [now, run]
            )
            self._db.table("run").update(run, _clean({"status": status, "reason": reason, "finished": now}))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with schema.errors_explained(self.path), schema.immediate(self._db):
            yield

    def _insert(self, table: str, row: Row) -> int:
        """Insert a row whose keys are columns and return its rowid."""
        return int(self._db.table(table).insert(_clean(row)).last_rowid or 0)

    def _next(self, table: str, run: str) -> int:
        """The next number, from 1, of a seed or dialogue within its run."""
        found = self._db.execute(f'select coalesce(max(n), 0) + 1 from "{table}" where run = ?', [run]).fetchone()
        return int(found[0])

    def _question(self, seed: int, n: int, question: Question) -> None:
        key = _clean({"seed": seed, "predicate": question.fact.predicate, "direction": question.fact.direction})
        where = "seed = :seed and predicate = :predicate and direction = :direction"
        fact = next(iter(self._db.table("fact").rows_where(where, key)), None)
        if fact is None:
            raise LookupError(f"{key} is not a fact that start_seed stored")
        row = {column: value for column, value in vars(question).items() if column != "form"}  # it is the query's
        self._insert("question", {"seed": seed, "n": n, **row, "fact": fact["n"]})

    def _end_seed(self, seed: int, status: str, rule: str, reason: str) -> None:
        ended = {"status": status, "rule": rule, "reason": reason, "finished": _iso(self._clock())}
        self._db.table("seed").update(seed, _clean(ended))


def _value(value: Value) -> dict[str, str]:
    """A value of a fact as JSON: an IRI has neither datatype nor language."""
    term = value.term
    if isinstance(term, Iri):
        kind = {"type": "uri", "value": term.value, "datatype": "", "lang": ""}
    else:
        kind = {"type": "literal", "value": term.value, "datatype": term.datatype, "lang": term.lang}
    return {**kind, "label": value.label, "type_label": value.type_label}


def _json(value: Any) -> str:
    """JSON as people read it: text of any script is kept as it is."""
    return json.dumps(value if not isinstance(value, Mapping) else dict(value), ensure_ascii=False)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clean(row: Row) -> Row:
    """`row` without lone surrogates: a reply cut inside a character may hold one, and SQLite could not store it."""
    return {
        column: re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value
        for column, value in row.items()
    }
