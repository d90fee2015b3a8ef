"""Recheck: run the stored queries of dialogues again and tell where the graph gives other answers than it gave then.

The paper stores an answer with each query once (section 5.3); a graph moves on, and gold answers grow wrong without
notice. Answers are compared as sets of typed terms. Knows nothing about how the queries came to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from chattygen.domain import Answer, Iri, Literal, Query, Term
from chattygen.errors import QueryError
from chattygen.kg.graph import KnowledgeGraph
from chattygen.results.reader import StoredDialogue

Given = Term | bool
"""What a query gives: terms, or the yes or no of an ASK."""


@dataclass(frozen=True)
class Drift:
    """A stored query that does not give its stored answers any more.

    Attributes:
        dialogue, turn: where it is stored: the id of the dialogue, the number of the turn from 1.
        seed: label of the seed entity.
        question: the standalone question.
        what: `answers`: other ones; `failed`: the query was refused or stopped at its deadline, `error` says which;
            `incomplete`: the store cut the answers short, so that nothing can be said about them.
        missing: stored answers that are not given any more, in their stored order.
        new: what is given and not stored, in a stable order.
    """

    dialogue: str
    turn: int
    seed: str
    question: str
    sparql: str
    what: OneOf["answers", "failed", "incomplete"]
    missing: tuple[Answer, ...] = ()
    new: tuple[Given, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Checked:
    """One query that was run again; `drift` is None when it gave exactly the stored answers."""

    dialogue: str
    turn: int
    drift: Drift | None


def recheck(dialogues: Iterable[StoredDialogue], graph: KnowledgeGraph, deadline: float) -> Iterator[Checked]:
    """Run every query of `dialogues` again, one after the other, in the order of the turns.

    Args:
        deadline: seconds that each query may take.

    Raises:
        GraphError: the graph cannot be opened. A query that fails is a drift.
    """
    for dialogue in dialogues:
        for turn in dialogue.turns:
            query = turn.query
            at = (dialogue.id, turn.n, dialogue.seed.label, turn.question.text, query.sparql)
            yield Checked(dialogue.id, turn.n, _drift(at, query, graph, deadline))


def _drift(at: tuple[str, int, str, str, str], query: Query, graph: KnowledgeGraph, deadline: float) -> Drift | None:
    try:
        given = _ask(query, graph, deadline)
    except QueryError as error:
        return Drift(*at, "failed", error=error.message)
    if given is None:
        return Drift(*at, "incomplete")
    stored = {_given(answer): answer for answer in query.answers}
    missing = tuple(answer for term, answer in stored.items() if term not in given)
    new = tuple(sorted(given - stored.keys(), key=str))
    return Drift(*at, "answers", missing, new) if missing or new else None


def _ask(query: Query, graph: KnowledgeGraph, deadline: float) -> set[Given] | None:
    """What the query gives now, or None when the store cut it short."""
    if query.form == "ask":
        return {graph.ask(query.sparql, deadline=deadline)}
    rows = graph.select(query.sparql, deadline=deadline)
    return {row[0] for row in rows.rows if row[0] is not None} if rows.complete else None


def _given(answer: Answer) -> Given:
    if answer.type == "boolean":
        return answer.value == "true"
    return Iri(answer.value) if answer.type == "uri" else Literal(answer.value, answer.datatype, answer.lang)
