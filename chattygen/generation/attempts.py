"""Ask, parse, assert, repair with the finding: the one way every stage talks to a model (section 5.3).

A stage wants one line per item. Items whose line passes stay; the others are asked again, alone, with the finding that
they raised. What still fails after the last attempt comes back as None, for the builder or the caller to decide. Every
attempt is recorded before the next one starts. Knows nothing about the stages' own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from chattygen.domain import Attempt, Call, Finding
from chattygen.errors import CallError
from chattygen.generation.grammar import lines
from chattygen.generation.prompting import prompt_hash, render
from chattygen.generation.stages import Stage
from chattygen.models.model import Constraint, Message, Model

Record = Callable[[Attempt], None]
"""Stores an attempt; called once per attempt, durable when it returns."""

Recall = Callable[[Call, int], Call | None]
"""(call without its reply, item) -> the call with the reply that the same request got earlier, or None."""

RETRY_TEMPERATURE = 0.3
"""Attempts after the first: the same words at temperature 0 would fail the same way."""

CHAT_TEMPLATE = 64
"""Tokens that a chat template may add around two messages."""

Good = TypeVar("Good")


def nothing(call: Call, item: int) -> Call | None:
    """A memory that holds nothing."""
    return None


@dataclass(frozen=True)
class Asker:
    """Who is asked, who writes it down, and who remembers what was answered before."""

    model: Model
    stage: Stage
    record: Record
    attempts: int = 3
    seed: int = 0
    recall: Recall = nothing


def call(asker: Asker, attempt: int, item: int, constraint: Constraint, max_tokens: int, **values: object) -> Attempt:
    """One call with the stage's prompt, unless its reply is remembered. A prompt that does not fit the model's context
    is not sent (P5).

    Raises:
        CallError: the server failed; recorded as P4 before.
    """
    messages = render(asker.stage.name, **values)
    too_long = does_not_fit(asker.model, messages, max_tokens)
    if too_long:
        return Attempt(asker.stage.name, attempt, item, None, (too_long,))
    blank = Call(
        stage=asker.stage.name,
        role=asker.stage.role,
        model=asker.model.name,
        revision=asker.model.revision,
        attempt=attempt,
        prompt_hash=prompt_hash(asker.stage.name),
        messages=tuple((role, content) for role, content in messages),
        constraint=constraint.grammar,
        max_tokens=max_tokens,
        temperature=0.0 if attempt == 1 else RETRY_TEMPERATURE,
        sampling_seed=asker.seed + attempt,
    )
    done = asker.recall(blank, item)
    if done is None:
        try:
            done = answered(blank, asker.model, constraint)
        except CallError as error:
            failed = replace(blank, error=error.message)
            raised = (Finding("P4", "the call failed", error.message),)
            asker.record(Attempt(asker.stage.name, attempt, item, failed, raised))
            raise
    return Attempt(asker.stage.name, attempt, item, done, form_findings(done, constraint))


def answered(call: Call, model: Model, constraint: Constraint) -> Call:
    """The call with the model's reply; errors as in `Model.complete`."""
    completion = model.complete(
        call.messages,  # type: ignore[arg-type]
        constraint=constraint,
        max_tokens=call.max_tokens,
        temperature=call.temperature,
        seed=call.sampling_seed,
    )
    return replace(
        call,
        reply=completion.text,
        thinking=completion.thinking,
        finish=completion.finish,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cached_tokens=completion.cached_tokens,
        seconds=completion.seconds,
    )


def does_not_fit(model: Model, messages: Sequence[Message], max_tokens: int) -> Finding | None:
    """P5: prompt and reply together need more tokens than the model's context, by the served tokenizer.

    It is asked only when the prompt has more bytes than there are tokens left, since no token is less than a byte.
    """
    left = model.context - max_tokens - CHAT_TEMPLATE
    if sum(len(text.encode()) for _, text in messages) <= left:
        return None
    needed = model.count_tokens("\n".join(text for _, text in messages))
    return Finding("P5", f"the prompt has {needed} tokens, but only {left} fit") if needed > left else None


def form_findings(call: Call, constraint: Constraint) -> tuple[Finding, ...]:
    """P1: not the lines that were asked for; P2: cut at the token limit; P3: nothing at all."""
    if call.finish == "length":
        return (Finding("P2", "the reply was cut at the token limit", call.reply[-80:]),)
    if not call.reply.strip():
        return (Finding("P3", "the reply is empty"),)
    got = split(call.reply)
    if len(got) != constraint.lines:
        return (Finding("P1", f"{len(got)} lines where {constraint.lines} were asked for", call.reply[:200]),)
    for line, allowed in zip(got, constraint.choices, strict=False):
        if allowed and line not in allowed:
            return (Finding("P1", "not one of the allowed texts", line),)
    return ()


def split(reply: str) -> list[str]:
    """The lines of a reply without surrounding white space."""
    return [line.strip() for line in reply.strip().split("\n")]


def ask_items(
    asker: Asker,
    rules: Sequence[str],
    render_values: Callable[[Sequence[int], dict[int, Finding]], dict[str, object]],
    check: Callable[[int, str, dict[int, Good]], Good | tuple[Finding, ...]],
    max_tokens_per_line: int,
) -> list[Good | None]:
    """Ask for one line per rule until each passes `check` or the attempts are used up.

    Args:
        rules: a GBNF rule per item.
        render_values: the variables of the prompt for the items (indices) asked for now and their last findings.
        check: index, line and what is accepted so far -> the accepted value, or the findings that refuse it.

    Returns:
        One value per item, None where no attempt passed.
    """
    accepted: dict[int, Good] = {}
    findings: dict[int, Finding] = {}
    for number in range(1, asker.attempts + 1):
        wanted = [index for index in range(len(rules)) if index not in accepted]
        if not wanted:
            break
        constraint = lines([rules[index] for index in wanted])
        item = 0 if len(wanted) == len(rules) else wanted[0] + 1
        # `again` keeps a prompt from being the one before it word for word: only its sampling would differ.
        values = render_values(wanted, findings) | {"again": number > 1}
        attempt = call(asker, number, item, constraint, max_tokens_per_line * len(wanted) + 16, **values)
        raised = list(attempt.findings)
        got = split(attempt.call.reply) if attempt.call and not raised else []
        if raised and raised[0].rule == "P2" and attempt.call:
            got = split(attempt.call.reply)[:-1]
        for index, line in zip(wanted, got, strict=False):
            outcome = check(index, line, accepted)
            if isinstance(outcome, tuple):
                findings[index] = outcome[0]
                raised.extend(outcome)
            else:
                accepted[index] = outcome
        asker.record(replace(attempt, findings=tuple(raised)))
    return [accepted.get(index) for index in range(len(rules))]
