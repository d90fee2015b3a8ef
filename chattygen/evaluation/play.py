"""A dialogue is played to a system turn by turn; a question by itself is one of one turn (Head-to-Tail, section 3.1).

The system sees what was said so far, with the gold answers or its own replies between the questions, so that it has to
tell what a turn refers to. It is asked for brief answers and may say that it is unsure; the prompt has two examples, or
none, or one of the same graph in the place of the one that has an answer. Knows nothing about who the system is, how
replies are stored and what they are worth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

from chattygen.domain import Answer, Seed, Turn
from chattygen.evaluation.prompting import instruction
from chattygen.models.model import Message

Prompt = OneOf["few-shot", "zero-shot", "in-domain"]
History = OneOf["gold", "own"]

UNSURE = "unsure"
"""What a system is asked to say when it does not know."""

SHOWN_ANSWERS = 10

Messages = tuple[Message, ...]
Ask = Callable[[Turn, Messages], str]
"""Sends the messages to the system and returns its reply."""


@dataclass(frozen=True)
class Manner:
    """How a system is asked.

    Attributes:
        brief: answers in as few words as possible are asked for.
        unsure: the system is told to say so when it does not know.
        history: what stands after an earlier question, the gold answers or the system's own reply.
    """

    prompt: Prompt = "few-shot"
    brief: bool = True
    unsure: bool = True
    history: History = "gold"


@dataclass(frozen=True)
class Talk:
    """A dialogue, or a question by itself, as it is played."""

    id: str
    seed: Seed
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Example:
    """A question with its answer, as the prompt shows it."""

    question: str
    answer: str


FindExample = Callable[[Talk, Turn], Example | None]


def play(talk: Talk, manner: Manner | None, ask: Ask, find: FindExample = lambda talk, turn: None) -> None:
    """Play a dialogue to its end.

    Args:
        manner: None for a system that is not asked in words; then nothing is sent.
        find: the example for a turn under the prompt `in-domain`, if there is one.
    """
    said: Messages = ()
    for turn in talk.turns:
        question: Message = ("user", turn.utterance)
        reply = ask(turn, (_instruction(talk, turn, manner, find), *said, question) if manner else ())
        answer = shown(turn.query.answers) if manner and manner.history == "gold" else reply.strip()
        said = (*said, question, ("assistant", answer or UNSURE))


def _instruction(talk: Talk, turn: Turn, manner: Manner, find: FindExample) -> Message:
    values: dict[str, object] = {"brief": manner.brief, "unsure": manner.unsure}
    if manner.prompt == "in-domain":
        values["example"] = find(talk, turn)
    return instruction(manner.prompt, **values)


def shown(answers: Iterable[Answer]) -> str:
    """Gold answers as somebody would say them; empty where there is none."""
    labels = [answer.label or answer.value for answer in answers]
    more = [f"and {len(labels) - SHOWN_ANSWERS} more"] if len(labels) > SHOWN_ANSWERS else []
    return "; ".join(labels[:SHOWN_ANSWERS] + more)


def examples(talks: Iterable[Talk]) -> FindExample:
    """Finds an example for a turn: a question about another entity of the same type, in its standalone form, about the
    same predicate where there is one.

    It tells nothing about the entity that the dialogue is about: neither asks about it nor has it as an answer. Which
    of several it is depends on the entities only, so that another run with the same questions gets the same.
    """
    by_type: dict[tuple[str, ...], list[tuple[Talk, Turn]]] = {}
    for talk in talks:
        for turn in talk.turns:
            if turn.query.answers and turn.query.complete:
                for key in ((talk.seed.node_type,), (talk.seed.node_type, *asked(turn))):
                    by_type.setdefault(key, []).append((talk, turn))

    def find(talk: Talk, turn: Turn) -> Example | None:
        for key in ((talk.seed.node_type, *asked(turn)), (talk.seed.node_type,)):
            fit = [one for one in by_type.get(key, ()) if not _tells(one, talk, turn)]
            if fit:
                _, chosen = min(fit, key=lambda one: _draw(talk.seed.iri, turn.n, one[0].seed.iri, one[1].n))
                return Example(chosen.question.text, shown(chosen.query.answers))
        return None

    return find


def asked(turn: Turn) -> tuple[str, str, str]:
    """What the question of a turn asks for, whatever the entity: predicate, direction, form of the answer."""
    fact = turn.question.asked
    return fact.predicate, fact.direction, turn.query.form


def _tells(example: tuple[Talk, Turn], talk: Talk, turn: Turn) -> bool:
    """Whether an example is about the entity of the dialogue, or holds the answer to the turn turned round."""
    other, its = example
    seed = talk.seed.iri
    return (
        other.seed.iri == seed
        or any(answer.value == seed for answer in its.query.answers)
        or any(answer.value == other.seed.iri for answer in turn.query.answers)
    )


def _draw(*parts: object) -> bytes:
    return hashlib.sha256(" ".join(map(str, parts)).encode()).digest()
