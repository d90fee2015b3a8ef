"""A language model marks a reply: is it right, given the question and the gold answers (A_LM; Head-to-Tail, section 2).

A judge may prefer the option that it reads first. So it is asked twice, `yes or no` and `no or yes`, and a reply is
right or wrong only if it says so both times. Knows nothing about how else a reply is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from chattygen.domain import Answer, Call
from chattygen.evaluation.judge import About, Judge, ask

STAGE = "mark"

OPTIONS = ("yes", "no")

SHOWN_ANSWERS = 50

SHOWN_CHARACTERS = 2000
"""Of a reply; a longer one is cut."""

Verdict = OneOf["right", "wrong", "undecided"]
"""`undecided`: the two orders of the options lead to different words, or one of them to none."""


@dataclass(frozen=True)
class Mark:
    """What the judge says of a reply, with the options in either order: `yes`, `no`, or None for anything else."""

    words: tuple[str | None, str | None]
    calls: tuple[Call, ...]

    @property
    def verdict(self) -> Verdict:
        if self.words == ("yes", "yes"):
            return "right"
        return "wrong" if self.words == ("no", "no") else "undecided"


def mark(judge: Judge, about: About, question: str, answers: Sequence[Answer], reply: str) -> Mark:
    """Have a reply marked; one that is missing need not be.

    Args:
        about: dialogue and turn.
        question: the standalone one.

    Raises:
        CallError: as `judge.ask`.
    """
    shown = [_line(answer.label or answer.value) for answer in answers[:SHOWN_ANSWERS]]
    more = [f"and {len(answers) - SHOWN_ANSWERS} more"] if len(answers) > SHOWN_ANSWERS else []
    judged = [
        ask(
            judge,
            STAGE,
            about,
            [OPTIONS],
            question=_line(question),
            answers=shown + more or ["none"],
            reply=_line(reply)[:SHOWN_CHARACTERS],
            options=options,
        )
        for options in (OPTIONS, OPTIONS[::-1])
    ]
    first, second = (one.words[0] for one in judged)
    return Mark((first, second), tuple(one.call for one in judged if one.call))


def _line(text: str) -> str:
    return " ".join(text.split())
