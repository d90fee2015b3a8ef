"""A language model as a judge: asked with a choice of words, never trusted to keep to them.

Each call is recorded before the next one is made, and a request that was answered before is not made again: so a
judgement that was stopped goes on. Knows nothing about what is judged, nor where calls are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chattygen.domain import Call
from chattygen.errors import CallError
from chattygen.evaluation.prompting import prompt_hash, render
from chattygen.models.model import Constraint, Model

MAX_TOKENS = 1024
"""Room for a model that thinks before it answers; the others are held to a few words by the grammar."""

CHAT_TEMPLATE = 64
"""Tokens that a chat template may add around two messages."""


@dataclass(frozen=True)
class About:
    """What a call is about, by their ids: a turn of a dialogue, or two dialogues in the order in which they are
    shown.
    """

    dialogue: str
    other: str = ""
    turn: int | None = None


@dataclass(frozen=True)
class Judge:
    """Who judges, who remembers what was answered before, and who writes down each call, failed ones too."""

    model: Model
    recall: Callable[[Call], Call | None]
    record: Callable[[Call, About], None]


@dataclass(frozen=True)
class Judgement:
    """What a judge says: a word for each question, None where the reply has none of the allowed ones.

    `call` is None when the request does not fit the model's context and was not sent.
    """

    words: tuple[str | None, ...]
    call: Call | None


def ask(judge: Judge, stage: str, about: About, choices: Sequence[Sequence[str]], **values: object) -> Judgement:
    """Ask for one line for each of `choices`, each one of its texts; `values` are the variables of the stage's prompt.

    Raises:
        CallError: the call failed; it is recorded, and would be made again.
    """
    model, messages = judge.model, render(stage, **values)
    constraint = one_of_each(choices)
    if _too_long(model, [text for _, text in messages]):
        return Judgement((None,) * len(choices), None)
    blank = Call(
        stage=stage,
        role="judge",
        model=model.name,
        revision=model.revision,
        attempt=1,
        prompt_hash=prompt_hash(stage),
        messages=messages,
        constraint=constraint.grammar,
        max_tokens=MAX_TOKENS,
        temperature=0.0,
        sampling_seed=0,
    )
    call = judge.recall(blank)
    if call is None:
        call = _answered(judge, blank, constraint, about)
        judge.record(call, about)
    lines = [line.strip() for line in call.reply.strip().splitlines()]
    if len(lines) != len(choices):
        return Judgement((None,) * len(choices), call)
    return Judgement(tuple(line if line in texts else None for line, texts in zip(lines, choices, strict=True)), call)


def one_of_each(choices: Sequence[Sequence[str]]) -> Constraint:
    """One line for each of `choices`, one of its texts; these are ours and hold no quotation mark or backslash."""
    names = [f"l{n}" for n in range(1, len(choices) + 1)]
    rules = ["(" + " | ".join(f'"{text}"' for text in texts) + ")" for texts in choices]
    root = ' "\\n" '.join(names)
    body = "\n".join(f"{name} ::= {rule}" for name, rule in zip(names, rules, strict=True))
    return Constraint(f"root ::= {root}\n{body}\n", len(choices), tuple(map(tuple, choices)))


def _too_long(model: Model, texts: Sequence[str]) -> bool:
    left = model.context - MAX_TOKENS - CHAT_TEMPLATE
    # No token is less than a byte, so a short prompt need not be counted.
    return sum(len(text.encode()) for text in texts) > left and model.count_tokens("\n".join(texts)) > left


def _answered(judge: Judge, blank: Call, constraint: Constraint, about: About) -> Call:
    try:
        given = judge.model.complete(
            blank.messages,  # type: ignore[arg-type]
            constraint=constraint,
            max_tokens=blank.max_tokens,
            temperature=blank.temperature,
            seed=blank.sampling_seed,
        )
    except CallError as error:
        judge.record(replace(blank, error=error.message), about)
        raise
    return replace(
        blank,
        reply=given.text,
        thinking=given.thinking,
        finish=given.finish,
        prompt_tokens=given.prompt_tokens,
        completion_tokens=given.completion_tokens,
        cached_tokens=given.cached_tokens,
        seconds=given.seconds,
    )
