"""What one question is to ask, before a model words it; and how the prompt says that.

The planning of what is asked is in plan.py. Knows nothing about models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chattygen.context.reading import plural, read
from chattygen.context.summary import full, relation, summarised
from chattygen.domain import AnswerForm, Beyond, Fact, Value
from chattygen.generation import yes_no


@dataclass(frozen=True)
class Ask:
    """One question to be worded: what it is about and the form of its answer; fields as those of Question."""

    fact: Fact
    form: AnswerForm
    tested: Value | None = None
    beyond: Beyond | None = None

    @property
    def asked(self) -> Fact:
        """The fact whose other ends are the answer, or are counted."""
        return self.beyond.asked if self.beyond else self.fact


def cue(ask: Ask) -> str:
    """What the reply repeats before the question, so that a small model asks about this fact and not the next."""
    return read(ask.fact.predicate_label).words + ": "


def phrase(ask: Ask, form: Literal["summarised", "full"] = "summarised") -> str:
    """The line of the prompt that stands for it; `full` shows the values of what is not counted."""
    if ask.tested:
        return yes_no.phrase(ask.fact, ask.tested)
    if ask.form == "value":
        return full(ask.fact) if form == "full" else summarised(ask.fact)
    said = read(ask.fact.predicate_label)
    if ask.fact.direction == "out" and not said.link:
        return f"number of {plural(said.noun)} of X: a number"
    if ask.fact.direction == "out" and not said.noun:
        tie = said.link if said.is_verb else f"is {said.link}"
        return f"number of {plural(ask.fact.value_type or 'entity')} that X {tie}: a number"
    return f"number of {relation(ask.fact, counted=False)}: a number"
