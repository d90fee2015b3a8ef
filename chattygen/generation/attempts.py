"""Ask, parse, assert, repair with the finding: the one way every stage talks to a model (section 5.3).

A stage wants one line per item. Items whose line passes stay; the others are asked again, alone, with the finding that
they raised. What still fails after the last attempt comes back as None, for the builder or the caller to decide. Every
attempt is recorded before the next one starts, and so is every call that failed before it is made again. Knows nothing
about the stages' own rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from chattygen.domain import Attempt, Call, Finding, Repair
from chattygen.errors import CallError, PassingError
from chattygen.generation.form import form_findings, prompt_cut, whole_lines
from chattygen.generation.grammar import lines
from chattygen.generation.prompting import prompt_hash, render
from chattygen.generation.stages import Stage
from chattygen.models.model import Constraint, Model

Record = Callable[[Attempt], None]
"""Stores an attempt; called once per attempt, durable when it returns."""

Recall = Callable[[Call, int], Call | None]
"""(call without its reply, item) -> the call with the reply that the same request got earlier, or None."""

Repaired = Callable[[int, Repair, str], None]
"""(item, how it was mended, the rule that its first line broke); an empty rule where that has been said before."""

RETRY_TEMPERATURE = 0.3
"""Attempts after the first: the same words at temperature 0 would fail the same way."""

CHAT_TEMPLATE = 64
"""Tokens that a chat template may add around two messages."""

PAUSES = (1.0, 5.0)
"""Seconds before the second and the third try of a call whose failure may pass."""

LONGEST_PAUSE = 60.0
"""Seconds that a server can have us wait at most."""

THINKING = 1024
"""Tokens more for a model that thought and was cut: what small thinking models need for a short task."""

Good = TypeVar("Good")
Answer = TypeVar("Answer")


def nothing(call: Call, item: int) -> Call | None:
    """A memory that holds nothing."""
    return None


def untold(item: int, how: Repair, rule: str) -> None:
    """Tells nobody about a repair."""


@dataclass(frozen=True)
class Asker:
    """Who is asked, who writes it down, who remembers what was answered before, and how to wait (seconds).

    `temperature` is that of every attempt; None leaves it to the attempts: 0, then RETRY_TEMPERATURE.
    """

    model: Model
    stage: Stage
    record: Record
    attempts: int = 3
    seed: int = 0
    recall: Recall = nothing
    wait: Callable[[float], None] = time.sleep
    temperature: float | None = None
    repaired: Repaired = untold


def call(asker: Asker, attempt: int, item: int, constraint: Constraint, max_tokens: int, **values: object) -> Attempt:
    """One call with the stage's prompt, unless its reply is remembered. A prompt that does not fit the model's context
    is not sent (P5).

    Raises:
        CallError: the server failed, repeatedly where that might have passed; each try is recorded as P4.
    """
    model, prompt = asker.model, asker.stage.prompt or asker.stage.name
    messages = render(prompt, **values)
    usual = 0.0 if attempt == 1 else RETRY_TEMPERATURE
    blank = Call(
        stage=asker.stage.name,
        role=asker.stage.role,
        model=model.name,
        revision=model.revision,
        attempt=attempt,
        prompt_hash=prompt_hash(prompt),
        messages=tuple((role, content) for role, content in messages),
        constraint=constraint.grammar,
        max_tokens=max_tokens,
        temperature=usual if asker.temperature is None else asker.temperature,
        sampling_seed=asker.seed + attempt,
    )
    counted = None
    left = model.context - max_tokens - CHAT_TEMPLATE
    # No token is less than a byte, so a short prompt need not be counted.
    if sum(len(text.encode()) for _, text in messages) > left:
        counted = persist(asker, blank, item, lambda: model.count_tokens("\n".join(text for _, text in messages)))
        if counted > left:
            too_long = Finding("P5", f"the prompt has {counted} tokens, but only {left} fit")
            return Attempt(blank.stage, attempt, item, None, (too_long,))
    done = asker.recall(blank, item) or persist(asker, blank, item, lambda: answered(blank, model, constraint))
    raised = prompt_cut(done, counted if model.exact else None) or form_findings(done, constraint, exact=model.exact)
    return Attempt(blank.stage, attempt, item, done, raised)


def persist(asker: Asker, blank: Call, item: int, ask: Callable[[], Answer]) -> Answer:
    """What `ask` returns at last; it is tried again, after a pause, where its failure may pass.

    Raises:
        CallError: the last try failed, or one that would fail again; each is recorded as P4 with its reason.
    """
    for pause in (*PAUSES, None):
        try:
            return ask()
        except CallError as error:
            failed = Finding("P4", "the call failed", error.message)
            asker.record(Attempt(blank.stage, blank.attempt, item, replace(blank, error=error.message), (failed,)))
            if pause is None or not isinstance(error, PassingError):
                raise
            asker.wait(min(max(pause, error.after), LONGEST_PAUSE))
    raise AssertionError("the last try returns or raises")


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


def ask_items(
    asker: Asker,
    rules: Sequence[str],
    render_values: Callable[[Sequence[int], dict[int, Finding]], dict[str, object]],
    check: Callable[[int, str, dict[int, Good]], Good | tuple[Finding, ...]],
    max_tokens_per_line: int,
) -> list[Good | None]:
    """Ask for one line per rule until each passes `check`, is refused twice for the same words, or has no attempt left.

    Every item that did not pass at once is told to `asker.repaired`, one that never passed as the builder's work; a
    caller to whose builder it is too much says so afterwards.

    Args:
        rules: a GBNF rule per item.
        render_values: the variables of the prompt for the items (indices) asked for now and their last findings.
        check: index, line and what is accepted so far -> the accepted value, or the findings that refuse it.

    Returns:
        One value per item, None where no attempt passed.
    """
    accepted: dict[int, Good] = {}
    findings: dict[int, Finding] = {}
    broken: dict[int, str] = {}
    refused: dict[int, str] = {}
    stubborn: set[int] = set()
    room, thinking = 1, 0
    for number in range(1, asker.attempts + 1):
        wanted = [index for index in range(len(rules)) if index not in accepted and index not in stubborn]
        if not wanted:
            break
        constraint = lines([rules[index] for index in wanted])
        item = 0 if len(wanted) == len(rules) else wanted[0] + 1
        limit = room * (max_tokens_per_line * len(wanted) + 16) + thinking
        # `again` keeps a prompt from being the one before it word for word: only its sampling would differ.
        values = render_values(wanted, findings) | {"again": number > 1}
        attempt = call(asker, number, item, constraint, limit, **values)
        raised = list(attempt.findings)
        if attempt.call is None:
            asker.record(attempt)
            broken |= {index: raised[0].rule for index in wanted if index not in broken}
            break  # what is too long now is too long the next time
        if any(finding.rule == "P2" for finding in raised):
            room, thinking = 2, THINKING if attempt.call.thinking else 0
        said = whole_lines(attempt.call.reply, raised)
        broken |= {index: raised[0].rule for index in wanted[len(said) :] if index not in broken}
        for index, line in zip(wanted, said, strict=False):
            outcome = check(index, line, accepted)
            if isinstance(outcome, tuple):
                findings[index] = outcome[0]
                broken.setdefault(index, outcome[0].rule)
                raised.extend(outcome)
                if refused.get(index) == line:
                    stubborn.add(index)  # a small model would say it a third time
                refused[index] = line
            else:
                accepted[index] = outcome
        asker.record(replace(attempt, findings=tuple(raised)))
    for index, rule in sorted(broken.items()):
        asker.repaired(index + 1, "model" if index in accepted else "builder", rule)
    return [accepted.get(index) for index in range(len(rules))]
