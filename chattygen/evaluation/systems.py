"""Who a benchmark is played to: a language model or chatbot, and three sanity systems that bound every report.

`oracle` runs the stored query on the graph, so that less than full marks are a fault of the benchmark or of the scores.
`unsure` never knows. `majority` gives the answer that is most frequent for the predicate in the other dialogues: what
can be guessed without knowing the entity. Knows nothing about servers, nor how replies are stored and scored.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chattygen.domain import Iri, Query, Turn
from chattygen.errors import CallError, PassingError, QueryError
from chattygen.evaluation.play import UNSURE, Manner, Messages, Talk, asked
from chattygen.kg.graph import KnowledgeGraph
from chattygen.models.model import Completion, Model

SANITY = ("oracle", "unsure", "majority")
"""Their names, which `evaluate --model` takes beside those of models.toml."""

BRIEF_TOKENS, LONG_TOKENS = 128, 512
"""Room for a reply: some names, or some sentences where brevity is not asked for."""

THINKING = 1024
"""Tokens more for a model that thought and was cut."""

CHAT_TEMPLATE = 64
"""Tokens that a chat template may add around the messages."""

PAUSES = (1.0, 5.0)
"""Seconds before the second and the third try of a call whose failure may pass."""

LONGEST_PAUSE = 60.0
"""Seconds that a server can have us wait at most."""


@dataclass(frozen=True)
class System:
    """Who replies. `revision` says which state of it; `manner` is how it is asked, None if it is not asked in words.

    `reply` gets the dialogue, the turn and the messages; it raises CallError.
    """

    name: str
    revision: str
    manner: Manner | None
    reply: Callable[[Talk, Turn, Messages], Completion]


def speaker(model: Model, manner: Manner, wait: Callable[[float], object] = time.sleep) -> System:
    """A language model, or a chatbot that is called as one; asked for the likeliest reply, without a grammar."""

    def reply(talk: Talk, turn: Turn, messages: Messages) -> Completion:
        room = BRIEF_TOKENS if manner.brief else LONG_TOKENS
        _refuse_too_long(model, messages, room)
        given = _patiently(lambda: model.complete(messages, max_tokens=room), wait)
        if given.finish == "length" and given.thinking:
            _refuse_too_long(model, messages, room + THINKING)
            given = _patiently(lambda: model.complete(messages, max_tokens=room + THINKING), wait)
        return given

    return System(model.name, model.revision, manner, reply)


def _refuse_too_long(model: Model, messages: Messages, room: int) -> None:
    left, text = model.context - room - CHAT_TEMPLATE, "\n".join(text for _, text in messages)
    # No token is less than a byte, so a short prompt need not be counted.
    if len(text.encode()) > left and (tokens := model.count_tokens(text)) > left:
        raise CallError(
            f"a prompt of {tokens} tokens does not fit the context of {model.name}, {model.context} tokens",
            "give it more context in models.toml",
        )


def _patiently(call: Callable[[], Completion], wait: Callable[[float], object]) -> Completion:
    """What `call` returns at last; it is made again, after a pause, where its failure may pass."""
    for pause in PAUSES:
        try:
            return call()
        except PassingError as error:
            wait(min(max(pause, error.after), LONGEST_PAUSE))
    return call()


def oracle(graph: KnowledgeGraph, deadline: float) -> System:
    """Answers by the stored query; an entity is called as among the gold answers, or by its IRI if it is not there."""

    def reply(talk: Talk, turn: Turn, messages: Messages) -> Completion:
        begun = time.monotonic()
        try:
            said = _looked_up(graph, turn.query, deadline)
        except QueryError:  # less than full marks will show it
            said = []
        return _said(said, time.monotonic() - begun)

    return System("oracle", graph.fingerprint, None, reply)


def _looked_up(graph: KnowledgeGraph, query: Query, deadline: float) -> list[str]:
    if query.form == "ask":
        return ["yes" if graph.ask(query.sparql, deadline=deadline) else "no"]
    labels = {(answer.type == "uri", answer.value): answer.label for answer in query.answers}
    found = [row[0] for row in graph.select(query.sparql, deadline=deadline).rows if row[0] is not None]
    return [labels.get((isinstance(term, Iri), term.value)) or term.value for term in found]


def unsure() -> System:
    return System("unsure", "", None, lambda talk, turn, messages: _said(()))


def majority(talks: Sequence[Talk]) -> System:
    """Guesses by the gold answers of `talks`; those of the dialogue at hand do not count, nor do they break a tie."""
    everywhere: dict[tuple[str, ...], Counter[str]] = {}
    own: dict[tuple[str, ...], Counter[str]] = {}
    for talk in talks:
        for turn in talk.turns:
            labels = [answer.label or answer.value for answer in turn.query.answers]
            everywhere.setdefault(asked(turn), Counter()).update(labels)
            own.setdefault((talk.seed.iri, *asked(turn)), Counter()).update(labels)

    def reply(talk: Talk, turn: Turn, messages: Messages) -> Completion:
        others = everywhere.get(asked(turn), Counter()) - own.get((talk.seed.iri, *asked(turn)), Counter())
        return _said([min(others, key=lambda label: (-others[label], label))] if others else ())

    return System("majority", str(len(talks)), None, reply)


def _said(answers: Iterable[str], seconds: float = 0.0) -> Completion:
    """A reply with one answer a line."""
    lines = [" ".join(answer.split()) for answer in answers]
    return Completion("\n".join(lines) or UNSURE, 0, 0, "stop", seconds)
