"""Evaluations of a run: what systems replied to its turns, written as it comes and read back.

A system is a model, a chatbot or a sanity system that a benchmark is played to (Head-to-Tail, section 3). The same run,
system and settings are one evaluation: it goes on where it was stopped, and a reply that is stored is never asked for
again. Knows nothing about how systems are asked, nor how replies are scored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any
from typing import Literal as OneOf

from chattygen import __version__
from chattygen.domain import Bucket
from chattygen.lock import is_held
from chattygen.results import database
from chattygen.results.claims import Claims
from chattygen.results.recorder import utc_now
from chattygen.results.values import dumps

Row = dict[str, Any]
Rows = Callable[..., list[Row]]
"""Runs SQL with parameters."""

Key = tuple[str, int, int]
"""Dialogue, turn, repeat: what one reply is about."""


@dataclass(frozen=True)
class Given:
    """A reply as it came, or, with an `error`, the call that failed; `messages` are what was sent."""

    messages: Sequence[tuple[str, str]]
    reply: str = ""
    thinking: str = ""
    finish: OneOf["stop", "length", "error"] = "error"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class StoredEvaluation:
    """An evaluation as it is now; `settings` are those that it is known by, `status` of a killed one is `interrupted`.

    `turns` are those that have a first reply, `dialogues` those with such a turn, `judged` the replies that a judge was
    asked about. Tokens and seconds are sums over all replies.
    """

    id: str
    run: str
    n: int
    system: str
    revision: str
    settings: dict[str, Any]
    status: str
    reason: str
    started: str
    dialogues: int
    turns: int
    repeats: int
    judged: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True)
class StoredReply:
    """A reply; `correct` is what `judge` says about it, the latest that was asked; None when there is no verdict."""

    id: int
    dialogue: str
    turn: int
    repeat: int
    reply: str
    judge: str
    revision: str
    correct: bool | None


class EvaluationRecorder:
    """Writes evaluations as they happen, each reply on disk when the method returns. Threads may share it.

    Args:
        path, timeout, clock: as those of `recorder.Recorder`.

    Raises:
        ResultsError: here and in every method, when the file is locked, full, damaged or no database.
    """

    def __init__(self, path: Path, *, timeout: float = 30.0, clock: Callable[[], datetime] = utc_now) -> None:
        self.path = path
        self._clock = clock
        self._db = database.open_to_write(path, timeout)
        self._turn = RLock()
        self._claims = Claims(path)

    def __enter__(self) -> EvaluationRecorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._turn:
            self._db.close()
            self._claims.leave_all()

    def begin(self, run: str, system: str, revision: str, settings: Mapping[str, Any]) -> str:
        """Open the evaluation of a run by a system under these settings, a new one or the one there is; its id.

        Raises:
            UsageError: another process works on it.
        """
        key = [run, system, revision, json.dumps(settings, sort_keys=True)]
        with self._transaction():
            known = "select id from evaluation where run = ? and system = ? and revision = ? and settings = ?"
            if found := self._db.execute(known, key).fetchone():
                evaluation = str(found[0])
                self._claims.hold(evaluation, "evaluation", "wait for its end")
                again = {"status": "running", "reason": "", "finished": None}
                self._db.table("evaluation").update(evaluation, again)
                return evaluation
            count = "select coalesce(max(n), 0) + 1 from evaluation where run = ?"
            n = int(self._db.execute(count, [run]).fetchone()[0])
            evaluation = f"{run}-e{n}"
            self._claims.hold(evaluation, "evaluation", "wait for its end")
            row = {"id": evaluation, "n": n, **dict(zip(("run", "system", "revision", "settings"), key, strict=True))}
            row |= {"started": self._now(), "status": "running", "reason": "", "chattygen_version": __version__}
            self._db.table("evaluation").insert(database.clean(row))
        return evaluation

    def replied(self, evaluation: str) -> dict[Key, str]:
        """The replies that are stored."""
        sql = "select dialogue, turn, repeat, reply from reply where evaluation = ? and error = ''"
        with self._turn, database.errors_explained(self.path):
            return {(row[0], row[1], row[2]): row[3] for row in self._db.execute(sql, [evaluation]).fetchall()}

    def reply(self, evaluation: str, key: Key, given: Given) -> None:
        """Store a reply, or a call that failed and will be made again."""
        self.replies(evaluation, [(key, given)])

    def replies(self, evaluation: str, made: Iterable[tuple[Key, Given]]) -> None:
        """Store several at once: a transaction takes much longer than a reply of a sanity system."""
        rows = [
            dict(zip(("evaluation", "dialogue", "turn", "repeat"), (evaluation, *key), strict=True))
            | vars(given)
            | {"messages": dumps(list(given.messages)), "stored": self._now()}
            for key, given in made
        ]
        with self._transaction():
            self._db.table("reply").insert_all(map(database.clean, rows))

    def finish(self, evaluation: str, status: OneOf["done", "interrupted", "failed"], reason: str = "") -> None:
        ended = {"status": status, "reason": reason, "finished": self._now()}
        with self._transaction():
            self._db.table("evaluation").update(evaluation, database.clean(ended))
        self._claims.leave(evaluation)

    def verdict(self, reply: int, judge: str, revision: str, correct: bool | None) -> None:
        """Store what a judge says about a reply; its first word stands."""
        row = {"reply": reply, "judge": judge, "revision": revision, "correct": correct, "stored": self._now()}
        with self._transaction():
            self._db.table("reply_verdict").insert(row, ignore=True)

    def about_graph(
        self, run: str, names: Mapping[str, Iterable[str]], predicates: Mapping[str, tuple[int, Bucket]]
    ) -> None:
        """Store what scores need of the run's graph; what is stored already stays.

        Args:
            names: IRI of an entity -> its other names.
            predicates: IRI -> its number of triples and its bucket.
        """
        called = [{"run": run, "iri": iri, "name": name} for iri, found in names.items() for name in found]
        counted = [
            {"run": run, "predicate": iri, "triples": triples, "bucket": bucket}
            for iri, (triples, bucket) in predicates.items()
        ]
        with self._transaction():
            self._db.table("other_name").insert_all(map(database.clean, called), ignore=True)
            self._db.table("predicate_count").insert_all(map(database.clean, counted), ignore=True)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turn, database.errors_explained(self.path), database.immediate(self._db):
            yield

    def _now(self) -> str:
        return database.iso(self._clock())


def read_evaluations(rows: Rows, run: str, path: Path) -> tuple[StoredEvaluation, ...]:
    """The evaluations of a run in the order in which they were begun; `path` is the database."""
    found = []
    for row in rows(EVALUATIONS, run):
        told = row | {"settings": json.loads(row["settings"])}
        if row["status"] == "running" and not is_held(database.lock_of(path, row["id"])):
            told |= {"status": "interrupted", "reason": "its process ended without a word"}
        found.append(StoredEvaluation(**{name: told[name] for name in StoredEvaluation.__dataclass_fields__}))
    return tuple(found)


def read_replies(rows: Rows, evaluation: str) -> tuple[StoredReply, ...]:
    """The replies of an evaluation, by repeat, then in the order of the dialogues and turns."""
    found = rows(REPLIES, evaluation)
    return tuple(
        StoredReply(
            **{name: row[name] for name in ("id", "dialogue", "turn", "repeat", "reply")},
            judge=row["judge"] or "",
            revision=row["revision"] or "",
            correct=None if row["correct"] is None else bool(row["correct"]),
        )
        for row in found
    )


def read_names(rows: Rows, run: str) -> dict[str, tuple[str, ...]]:
    """IRI of an entity among the gold answers -> its other names."""
    found: dict[str, tuple[str, ...]] = {}
    for row in rows("select iri, name from other_name where run = ? order by iri, name", run):
        found[row["iri"]] = (*found.get(row["iri"], ()), row["name"])
    return found


def read_predicates(rows: Rows, run: str) -> dict[str, tuple[int, Bucket]]:
    """IRI of a predicate that is asked about -> its number of triples and its bucket, the most frequent first."""
    sql = "select predicate, triples, bucket from predicate_count where run = ? order by triples desc, predicate"
    return {row["predicate"]: (row["triples"], row["bucket"]) for row in rows(sql, run)}


EVALUATIONS = """
select evaluation.*,
    count(distinct reply.dialogue) as dialogues,
    count(reply.id) filter (where reply.repeat = 1) as turns,
    coalesce(max(reply.repeat), 0) as repeats,
    count(reply.id) filter (where exists (select 1 from reply_verdict where reply_verdict.reply = reply.id)) as judged,
    coalesce(sum(reply.prompt_tokens), 0) as prompt_tokens,
    coalesce(sum(reply.completion_tokens), 0) as completion_tokens,
    coalesce(sum(reply.seconds), 0.0) as seconds
from evaluation left join reply on reply.evaluation = evaluation.id and reply.error = ''
where evaluation.run = ? group by evaluation.id order by evaluation.n
"""

REPLIES = """
select reply.id, reply.dialogue, reply.turn, reply.repeat, reply.reply, said.judge, said.revision, said.correct
from reply
    join dialogue on dialogue.id = reply.dialogue
    left join (select *, max(rowid) from reply_verdict group by reply) as said on said.reply = reply.id
where reply.evaluation = ? and reply.error = '' order by reply.repeat, dialogue.n, reply.turn
"""
