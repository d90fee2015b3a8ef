"""Whether a person would ask: a model's judgement of the facts of a node type, once for all its entities (section 4.3).

Chatty-Gen asks about whatever the graph says. What the spread of the values gives away is context/interest.py; this is
for what only somebody who knows the world can tell. Knows nothing about files or stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chattygen.context.summary import quoted, summarised
from chattygen.domain import Fact, Finding
from chattygen.generation.asks import Ask, cue
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.grammar import any_of, literal

TOGETHER = 10
"""Facts that are judged in one call."""

TOKENS_PER_LINE = 20

ANSWERS: Mapping[str, bool] = {"yes": True, "no": False}


def ask_interest(asker: Asker, type_label: str, facts: Sequence[Fact]) -> tuple[bool, ...]:
    """Whether a person would ask about each of the facts, one of its kind each; True where the model gives no answer.

    Raises:
        CallError: as the model does.
    """
    return tuple(
        judged
        for start in range(0, len(facts), TOGETHER)
        for judged in _judge(asker, type_label, facts[start : start + TOGETHER])
    )


def _judge(asker: Asker, type_label: str, facts: Sequence[Fact]) -> list[bool]:
    cues = [cue(Ask(fact, "value")) for fact in facts]

    def check(index: int, line: str, accepted: dict[int, bool]) -> bool | tuple[Finding, ...]:
        answer = ANSWERS.get(line.removeprefix(cues[index]))
        return (Finding("P1", "neither yes nor no", line),) if answer is None else answer

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {"type": type_label, "facts": [_phrase(facts[index]) for index in wanted]}

    rules = [f"{literal(own)} {any_of(tuple(ANSWERS))}" for own in cues]
    return [answer is not False for answer in ask_items(asker, rules, values, check, TOKENS_PER_LINE)]


def _phrase(fact: Fact) -> str:
    """`builder of X, such as "Harland and Wolff"`"""
    example = next((value.label for value in fact.values if value.label), "")
    return f"{summarised(fact)}, such as {quoted(example)}" if example else summarised(fact)
