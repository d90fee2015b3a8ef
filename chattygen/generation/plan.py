"""Which facts a dialogue asks about, in which order, and in which form: the program's part of question generation.

The program chooses and the model words (design of the stages, section 5.2): so no fact is asked twice, and a model cannot
ask about something that the graph does not say.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from chattygen.context.summary import plural, reading, relation, summarised
from chattygen.domain import Fact, Subgraph
from chattygen.generation.words import contains_words

LISTED = 8
"""A fact with more values than this is asked for as a number: nobody wants to hear thirty names."""

COUNT_SHARE = 0.25
"""Share of the facts with three to LISTED values that are asked for as a number, for variety."""


@dataclass(frozen=True)
class Ask:
    """One question to be worded: the fact and the form of its answer."""

    fact: Fact
    form: Literal["value", "count"]

    @property
    def cue(self) -> str:
        """What the reply repeats before the question, so that a small model asks about this fact and not the next."""
        return " ".join(reading(self.fact)) + ": "

    @property
    def phrase(self) -> str:
        """The line of the prompt that stands for it."""
        if self.form == "value":
            return summarised(self.fact)
        if self.fact.direction == "out":
            return f"number of {plural(' '.join(reading(self.fact)))} of X: a number"
        return f"number of {relation(self.fact, counted=False)}: a number"


def plan(subgraph: Subgraph, questions: int) -> tuple[tuple[Ask, ...], tuple[Ask, ...]]:
    """Choose what to ask: (asked, spare), each in order; `asked` has at most `questions`.

    The choice is drawn by the seed's IRI, so that entities of one type are not all asked the same, and is the same in
    every run. A fact whose answer stands in the seed's label is never asked.
    """
    draw = random.Random(subgraph.seed.iri)
    usable = [fact for fact in subgraph.facts if fact.value_kind != "boolean" and not _told(fact, subgraph.seed.label)]
    weights = {fact: draw.random() * (rank + 1) for rank, fact in enumerate(usable)}
    chosen = sorted(usable, key=lambda fact: weights[fact])
    asks = [Ask(fact, _form(fact, draw)) for fact in chosen]
    return tuple(asks[:questions]), tuple(asks[questions:])


def _form(fact: Fact, draw: random.Random) -> Literal["value", "count"]:
    if not fact.values or fact.count > LISTED:
        return "count"
    if fact.count >= 3 and fact.value_kind == "entity" and draw.random() < COUNT_SHARE:
        return "count"
    return "value"


def _told(fact: Fact, label: str) -> bool:
    return any(contains_words(label, value.label) for value in fact.values)
