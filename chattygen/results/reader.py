"""The reader: runs, dialogues and raw measures out of the results database, also while a run is being written.

Read-only. Gives back the values of domain.py; knows nothing about how they are exported or reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any

from chattygen.domain import Answer, AnswerForm, Bucket, Fact, Flow, Query, Question, Seed, Strata, Turn, Usage
from chattygen.errors import UnknownName
from chattygen.lock import is_held
from chattygen.results import database
from chattygen.results.asked import read_asked
from chattygen.results.audits import TurnVerdict, read_turn_verdicts
from chattygen.results.contents import Contents, read_contents
from chattygen.results.evaluations import (
    StoredEvaluation,
    StoredReply,
    read_evaluations,
    read_names,
    read_predicates,
    read_replies,
)
from chattygen.results.outcomes import SeedOutcome, read_outcomes
from chattygen.results.repair import read_repairs
from chattygen.results.strata import read_strata
from chattygen.results.values import beyond_from, value_from
from chattygen.results.verdicts import Verdict, read_verdicts

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredRun:
    """A run as it is now.

    Attributes:
        kg_source: `title`, `url` and `licence` of the graph, as far as they are known.
        settings: the fields of `config.RunSettings` as they were stored.
        models: role -> name of its model.
        repeatable: whether the same settings give the same texts again.
        started, last: ISO 8601 in UTC; `last` is its end, or the last thing that was stored when it has none.
        seconds: worked on it, without the pauses before it was resumed.
        status: a run whose process was killed and could not write how it ended is `interrupted`.
        dialogues: how many are finished; `wanted` how many were asked for; `visited` the seeds that were tried.
    """

    id: str
    kg: str
    kg_fingerprint: str
    kg_triples: int
    kg_source: dict[str, str]
    settings: dict[str, Any]
    models: dict[str, str]
    repeatable: bool
    started: str
    last: str
    seconds: float
    status: str
    reason: str
    chattygen_version: str
    dialogues: int
    visited: int

    @property
    def wanted(self) -> int:
        return int(self.settings["dialogues"])

    @property
    def approach(self) -> str:
        return str(self.settings["approach"])

    @property
    def serialisation(self) -> str:
        return str(self.settings["serialisation"])

    @property
    def language(self) -> str:
        return str(self.settings.get("language", "en"))


@dataclass(frozen=True)
class Player:
    """A model as it was used in a run: its role, its name in models.toml, its revision, and a hash of its prompt."""

    role: str
    model: str
    revision: str
    prompt_hash: str


@dataclass(frozen=True)
class StoredDialogue:
    """A finished dialogue, with what an export says about its run."""

    id: str
    run: str
    kg: str
    kg_fingerprint: str
    seed: Seed
    turns: tuple[Turn, ...]
    usage: Usage
    models: dict[str, str]
    approach: str
    serialisation: str
    language: str


@dataclass(frozen=True)
class LostSeed:
    """A seed that was given up: the rule and the reason, in the words of the run."""

    iri: str
    label: str
    rule: str
    reason: str


@dataclass(frozen=True)
class Measures:
    """Sums over the rows of a run, all from one moment; each dict in the order of the first row that it counts.

    Attributes:
        seeds: (status, rule that it was given up for) -> number of visited seeds.
        calls: (stage, model, whether their replies were those of earlier calls, which costs nothing) -> usage.
        findings: (stage, rule) -> number.
        turns: in the finished dialogues; each has one question and one query.
        by_model: `question`, `query`, `turn` -> how many of those in the finished dialogues the model wrote.
        verdicts: what people said, the latest of each on each dialogue.
        asked: the turns of the finished dialogues, grouped by what they ask and how they go on.
        repairs: (rule that an item broke at first, how it was mended) -> number of items.
    """

    run: StoredRun
    seeds: dict[tuple[str, str], int]
    calls: dict[tuple[str, str, bool], Usage]
    findings: dict[tuple[str, str], int]
    turns: int
    by_model: dict[str, int]
    verdicts: tuple[Verdict, ...] = ()
    asked: tuple[Row, ...] = ()
    repairs: dict[tuple[str, str], int] = field(default_factory=dict)


class Reader:
    """Reads the results database; a file that does not exist yet reads as one without runs.

    Raises:
        ResultsError: here and in every method, when the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = database.open_to_read(path)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def runs(self) -> list[StoredRun]:
        """All runs, the newest first."""
        return [self._run(row) for row in self._rows(f"{RUNS} order by run.rowid desc")]

    def run(self, name: str) -> StoredRun:
        """The run called `name`: its id, a beginning of it that no other run has, or `latest`.

        Raises:
            UnknownName: no run, or more than one, is called so.
        """
        runs = self.runs()
        found = runs[:1] if name == "latest" else [run for run in runs if run.id.startswith(name)]
        exact = [run for run in found if run.id == name] or found
        if len(exact) == 1:
            return exact[0]
        if not runs:
            raise UnknownName("there is no run yet", "run: chattygen generate --kg NAME")
        if not found:
            raise UnknownName(f"no run is called {name!r}", "run: chattygen list-runs")
        some = ", ".join(run.id for run in found[:3])
        raise UnknownName(f"{len(found)} runs begin with {name!r}: {some}", "give more of the id, or: latest")

    def players(self, run: str) -> list[Player]:
        """The models that answered in the run with this id, in the order of their first calls."""
        sql = "select role, model, revision, prompt_hash from call where run = ? group by 1, 2, 3, 4 order by min(id)"
        return [Player(**row) for row in self._rows(sql, run)]

    def seeds(self, run: str) -> dict[str, str]:
        """Finished dialogue of the run with this id -> the IRI of its seed."""
        sql = "select dialogue.id, seed.iri from dialogue join seed on seed.id = dialogue.seed where dialogue.run = ?"
        return {row["id"]: row["iri"] for row in self._rows(sql, run)}

    def dialogues(self, run: str) -> Iterator[StoredDialogue]:
        """The finished dialogues of the run with this id, in the order in which they were finished.

        They are read one by one, out of one query: as long as the iterator is neither at its end nor closed, it and
        all methods of this reader see the database as it was when the first one was read.
        """
        of = self._run(self._rows(f"{RUNS} where run.id = ?", run)[0])
        for id, rows in groupby(self._stream(TURNS, run), key=itemgetter("dialogue")):
            first, *others = rows
            yield StoredDialogue(
                id=id,
                run=of.id,
                kg=of.kg,
                kg_fingerprint=of.kg_fingerprint,
                seed=Seed(*(first[field] for field in SEED)),
                turns=tuple(_turn(row) for row in (first, *others) if row["n"]),
                usage=_usage(first),
                models=of.models,
                approach=of.approach,
                serialisation=of.serialisation,
                language=of.language,
            )

    def turns(self, run: str) -> list[tuple[str, int]]:
        """The turns of the finished dialogues of the run with this id: dialogue and number."""
        sql = "select dialogue.id, turn.n from dialogue join turn on turn.dialogue = dialogue.id where dialogue.run = ?"
        return [(row["id"], row["n"]) for row in self._rows(sql, run)]

    def measures(self, run: str) -> Measures:
        """What a report about the run with this id is made of; read in one transaction, so that the parts agree."""
        with database.errors_explained(self.path), self._db.atomic():
            seeds, calls, findings = (self._rows(sql, run) for sql in (SEEDS, CALLS, FINDINGS))
            (written,) = self._rows(WRITTEN, run)
            return Measures(
                run=self._run(self._rows(f"{RUNS} where run.id = ?", run)[0]),
                seeds={(row["status"], row["rule"]): row["number"] for row in seeds},
                calls={(row["stage"], row["model"], bool(row["reused"])): _usage(row) for row in calls},
                findings={(row["stage"], row["rule"]): row["number"] for row in findings},
                turns=written.pop("turns"),
                by_model=written,
                verdicts=read_verdicts(self._rows, run),
                asked=read_asked(self._rows, run),
                repairs=read_repairs(self._rows, run),
            )

    def contents(self, run: str) -> Contents:
        """What the dialogues of the run with this id hold, and what failed; read in one transaction."""
        with database.errors_explained(self.path), self._db.atomic():
            return read_contents(self._rows, run)

    def outcomes(self, run: str) -> list[SeedOutcome]:
        """What became of each seed of the run with this id that was accepted or given up; read in one transaction."""
        with database.errors_explained(self.path), self._db.atomic():
            return read_outcomes(self._rows, run)

    def lost(self, run: str) -> tuple[LostSeed, ...]:
        """The seeds of the run with this id that were given up, in the order of the visits."""
        sql = "select iri, label, rule, reason from seed where run = ? and status = 'given-up' order by n"
        return tuple(LostSeed(**row) for row in self._rows(sql, run))

    def verdicts(self, run: str) -> tuple[Verdict, ...]:
        """What people said about the dialogues of the run with this id, the latest of each person on each dialogue."""
        return read_verdicts(self._rows, run)

    def turn_verdicts(self, run: str) -> tuple[TurnVerdict, ...]:
        """What was said about turns of the run with this id, the latest of each reviewer on each turn."""
        return read_turn_verdicts(self._rows, run)

    def strata(self, run: str) -> tuple[Strata, ...]:
        """Head, torso and tail of the classes of the run with this id, as far as seeds were drawn by bucket."""
        return read_strata(self._rows, run)

    def evaluations(self, run: str) -> tuple[StoredEvaluation, ...]:
        """The evaluations of the run with this id, in the order in which they were begun."""
        return read_evaluations(self._rows, run, self.path)

    def replies(self, evaluation: str) -> tuple[StoredReply, ...]:
        """The replies of the evaluation with this id, by repeat, then in the order of the dialogues and turns."""
        return read_replies(self._rows, evaluation)

    def other_names(self, run: str) -> dict[str, tuple[str, ...]]:
        """Other names of entities among the gold answers of the run with this id, by IRI."""
        return read_names(self._rows, run)

    def predicate_counts(self, run: str) -> dict[str, tuple[int, Bucket]]:
        """Predicates that the run with this id asks about -> their triples in the graph and their buckets."""
        return read_predicates(self._rows, run)

    def _run(self, row: Row) -> StoredRun:
        told = row | {
            "kg_source": json.loads(row["kg_source"]),
            "settings": json.loads(row["settings"]),
            "models": json.loads(row["models"]),
            "repeatable": bool(row["repeatable"]),
            "seconds": _seconds(row),
        }
        if row["status"] == "running" and not is_held(database.lock_of(self.path, row["id"])):
            told |= {"status": "interrupted", "reason": KILLED}
        return StoredRun(**{name: told[name] for name in StoredRun.__dataclass_fields__})

    def _rows(self, sql: str, *parameters: str) -> list[Row]:
        return list(self._stream(sql, *parameters))

    def _stream(self, sql: str, *parameters: str) -> Iterator[Row]:
        with database.errors_explained(self.path):
            cursor = self._db.execute(sql, list(parameters))
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))


KILLED = "its process ended without a word: killed, or the machine went down"

RUNS = """
select run.*,
    coalesce(run.finished, max(
        (select max(started) from session where session.run = run.id),
        coalesce((select max(stored) from call where call.run = run.id), ''),
        coalesce((select max(coalesce(finished, started)) from seed where seed.run = run.id), '')
    )) as last,
    (select sum(julianday(finished) - julianday(started)) from session
        where session.run = run.id and finished is not null) as closed,
    (select started from session where session.run = run.id and finished is null) as opened,
    (select count(*) from dialogue where dialogue.run = run.id) as dialogues,
    (select count(*) from seed where seed.run = run.id) as visited
from run
"""

# One row per turn, or one without a turn for a dialogue that has none. The indexes of the keys give them in this order,
# so that nothing is sorted; the cross join keeps SQLite from beginning with another table.
TURNS = """
select dialogue.id as dialogue, dialogue.prompt_tokens, dialogue.completion_tokens, dialogue.calls, dialogue.seconds,
    seed.iri, seed.label, seed.node_type, seed.type_label, seed.being, seed.bucket, seed.said,
    turn.n, turn.utterance, turn.utterance_origin, turn.flow, turn.refers_to,
    question.pattern, question.text, question.kind, question.origin as question_origin,
    question.tested, question.beyond,
    fact.predicate, fact.predicate_label, fact.direction, fact."values", fact.count, fact.value_kind, fact.value_type,
    query.sparql, query.form, query.origin as query_origin, query.complete,
    (select json_group_array(json_array(type, value, label, datatype, lang))
        from (select * from answer where answer.query = query.id order by answer.n)) as answers
from dialogue
    cross join seed on seed.id = dialogue.seed
    left join turn on turn.dialogue = dialogue.id
    left join question on question.seed = turn.seed and question.n = turn.question
    left join fact on fact.seed = question.seed and fact.n = question.fact
    left join query on query.seed = question.seed and query.n = question.n
where dialogue.run = ? order by dialogue.n, turn.n
"""

SEED = ("iri", "label", "node_type", "type_label", "being", "bucket", "said")

SEEDS = "select status, rule, count(*) as number from seed where run = ? group by status, rule order by min(n)"

CALLS = """
select stage, model, reused, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens,
    count(*) as calls, sum(seconds) as seconds
from call where run = ? group by stage, model, reused order by min(id)
"""

FINDINGS = "select stage, rule, count(*) as number from finding where run = ? group by stage, rule order by min(id)"

WRITTEN = """
select count(*) as turns,
    count(*) filter (where question.origin = 'model') as question,
    count(*) filter (where query.origin = 'model') as query,
    count(*) filter (where turn.utterance_origin = 'model') as turn
from dialogue
    join turn on turn.dialogue = dialogue.id
    join question on question.seed = turn.seed and question.n = turn.question
    join query on query.seed = turn.seed and query.n = turn.question
where dialogue.run = ?
"""


def _seconds(row: Row) -> float:
    """The sessions that ended, and the one that did not, which lasts until the last thing that was stored."""
    opened = row["opened"] or row["last"]
    going = datetime.fromisoformat(row["last"]) - datetime.fromisoformat(opened)
    return round((row["closed"] or 0.0) * 86_400 + going.total_seconds(), 3)


def _usage(row: Row) -> Usage:
    return Usage(row["prompt_tokens"], row["completion_tokens"], row["calls"], row["seconds"])


def _turn(row: Row) -> Turn:
    fact = Fact(
        predicate=row["predicate"],
        predicate_label=row["predicate_label"],
        direction=row["direction"],
        values=tuple(value_from(stored) for stored in json.loads(row["values"])),
        count=row["count"],
        value_kind=row["value_kind"],
        value_type=row["value_type"],
    )
    forms: Mapping[str, AnswerForm] = {"select": "value", "count": "count", "ask": "yes-no"}
    question = Question(
        fact,
        row["pattern"],
        row["text"],
        row["kind"],
        row["question_origin"],
        forms[row["form"]],
        value_from(json.loads(row["tested"])) if row["tested"] else None,
        beyond_from(json.loads(row["beyond"])) if row["beyond"] else None,
    )
    answers = tuple(Answer(*stored) for stored in json.loads(row["answers"]))
    query = Query(row["sparql"], row["form"], row["query_origin"], answers, bool(row["complete"]))
    # Those that are older than this column all have its default.
    flow: Flow = "opening" if row["n"] == 1 else row["flow"]
    return Turn(row["n"], row["utterance"], row["utterance_origin"], question, query, flow, row["refers_to"])
