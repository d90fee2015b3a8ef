"""The reader: runs, dialogues and raw measures out of the results database, also while a run is being written.

Read-only. Gives back the values of domain.py; knows nothing about how they are exported or reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from typing import Literal as OneOf

from chattygen.domain import Answer, Fact, Iri, Literal, Query, Question, Seed, Turn, Usage, Value
from chattygen.errors import UnknownName
from chattygen.results import schema

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredRun:
    """A run as it is now.

    Attributes:
        settings: the fields of `config.RunSettings` as they were stored.
        models: role -> name of its model.
        started, last: ISO 8601 in UTC; `last` is its end, or the last thing that was stored when it has none.
        status: `running` also when the process was killed and could not write how it ended.
        dialogues: how many are finished; `wanted` how many were asked for; `visited` the seeds that were tried.
    """

    id: str
    kg: str
    kg_fingerprint: str
    kg_triples: int
    settings: dict[str, Any]
    models: dict[str, str]
    started: str
    last: str
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
class Measures:
    """The rows that a report sums up, all from one moment.

    Attributes:
        seeds: (status, rule that it was given up for) of every visited seed.
        calls: (stage, model, usage) of every call, in the order of the calls.
        findings: (stage, rule) of every finding.
        origins: (`question`, `query` or `turn`; who wrote it) for each one in the finished dialogues.
    """

    run: StoredRun
    seeds: tuple[tuple[str, str], ...]
    calls: tuple[tuple[str, str, Usage], ...]
    findings: tuple[tuple[str, str], ...]
    origins: tuple[tuple[str, str], ...]


class Reader:
    """Reads the results database; a file that does not exist yet reads as one without runs.

    Raises:
        ResultsError: here and in every method, when the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = schema.open_to_read(path)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def runs(self) -> list[StoredRun]:
        """All runs, the newest first."""
        return [_run(row) for row in self._rows(f"{RUNS} order by run.rowid desc")]

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

    def dialogues(self, run: str) -> Iterator[StoredDialogue]:
        """The finished dialogues of the run with this id, in the order in which they were finished."""
        of = _run(self._rows(f"{RUNS} where run.id = ?", run)[0])
        for row in self._rows(DIALOGUES, run):
            yield StoredDialogue(
                id=row["id"],
                run=of.id,
                kg=of.kg,
                kg_fingerprint=of.kg_fingerprint,
                seed=Seed(row["iri"], row["label"], row["node_type"], row["type_label"], row["being"], row["bucket"]),
                turns=self._turns(row["id"]),
                usage=_usage(row),
                models=of.models,
                approach=of.approach,
                serialisation=of.serialisation,
                language=of.language,
            )

    def measures(self, run: str) -> Measures:
        """What a report about the run with this id sums up; read in one transaction, so that the parts agree."""
        with schema.errors_explained(self.path), self._db.atomic():
            seeds = self._rows("select status, rule from seed where run = ? order by n", run)
            calls = self._rows(
                "select stage, model, prompt_tokens, completion_tokens, 1 as calls, seconds"
                " from call where run = ? order by id",
                run,
            )
            findings = self._rows("select stage, rule from finding where run = ? order by id", run)
            return Measures(
                run=_run(self._rows(f"{RUNS} where run.id = ?", run)[0]),
                seeds=tuple((row["status"], row["rule"]) for row in seeds),
                calls=tuple((row["stage"], row["model"], _usage(row)) for row in calls),
                findings=tuple((row["stage"], row["rule"]) for row in findings),
                origins=tuple((row["part"], row["origin"]) for row in self._rows(ORIGINS, run)),
            )

    def _turns(self, dialogue: str) -> tuple[Turn, ...]:
        answers: dict[int, list[Answer]] = {}
        for row in self._rows(ANSWERS, dialogue):
            answer = Answer(row["type"], row["value"], row["label"], row["datatype"], row["lang"])
            answers.setdefault(row["turn"], []).append(answer)
        return tuple(_turn(row, tuple(answers.get(row["n"], ()))) for row in self._rows(TURNS, dialogue))

    def _rows(self, sql: str, *parameters: str) -> list[Row]:
        with schema.errors_explained(self.path):
            cursor = self._db.execute(sql, list(parameters))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]


RUNS = """
select run.*,
    coalesce(run.finished, max(
        run.started,
        coalesce((select max(stored) from call where call.run = run.id), ''),
        coalesce((select max(coalesce(finished, started)) from seed where seed.run = run.id), '')
    )) as last,
    (select count(*) from dialogue where dialogue.run = run.id) as dialogues,
    (select count(*) from seed where seed.run = run.id) as visited
from run
"""

DIALOGUES = """
select dialogue.*, seed.iri, seed.label, seed.node_type, seed.type_label, seed.being, seed.bucket
from dialogue join seed on seed.id = dialogue.seed
where dialogue.run = ? order by dialogue.n
"""

TURNS = """
select turn.n, turn.utterance, turn.utterance_origin,
    question.pattern, question.text, question.kind, question.origin as question_origin,
    query.sparql, query.form, query.origin as query_origin, query.complete,
    fact.predicate, fact.predicate_label, fact.direction, fact."values", fact.count, fact.value_kind, fact.value_type
from turn
    join question on question.seed = turn.seed and question.n = turn.question
    join fact on fact.seed = question.seed and fact.n = question.fact
    join query on query.seed = question.seed and query.n = question.n
where turn.dialogue = ? order by turn.n
"""

ANSWERS = """
select turn.n as turn, answer.*
from turn
    join query on query.seed = turn.seed and query.n = turn.question
    join answer on answer.query = query.id
where turn.dialogue = ? order by turn.n, answer.n
"""

ORIGINS = """
select 'question' as part, question.origin from question join seed on seed.id = question.seed where seed.run = ?1
union all
select 'query', query.origin from query join seed on seed.id = query.seed where seed.run = ?1
union all
select 'turn', turn.utterance_origin from turn join dialogue on dialogue.id = turn.dialogue where dialogue.run = ?1
"""


def _run(row: Row) -> StoredRun:
    parsed = {"settings": json.loads(row["settings"]), "models": json.loads(row["models"])}
    return StoredRun(**{name: row[name] for name in StoredRun.__dataclass_fields__} | parsed)


def _usage(row: Row) -> Usage:
    return Usage(row["prompt_tokens"], row["completion_tokens"], row["calls"], row["seconds"])


def _turn(row: Row, answers: tuple[Answer, ...]) -> Turn:
    fact = Fact(
        predicate=row["predicate"],
        predicate_label=row["predicate_label"],
        direction=row["direction"],
        values=tuple(_value(stored) for stored in json.loads(row["values"])),
        count=row["count"],
        value_kind=row["value_kind"],
        value_type=row["value_type"],
    )
    form: OneOf["value", "count"] = "count" if row["form"] == "count" else "value"
    question = Question(fact, row["pattern"], row["text"], row["kind"], row["question_origin"], form)
    query = Query(row["sparql"], row["form"], row["query_origin"], answers, bool(row["complete"]))
    return Turn(row["n"], row["utterance"], row["utterance_origin"], question, query)


def _value(stored: dict[str, str]) -> Value:
    is_iri = stored["type"] == "uri"
    term = Iri(stored["value"]) if is_iri else Literal(stored["value"], stored["datatype"], stored["lang"])
    return Value(term, stored["label"], stored["type_label"])
