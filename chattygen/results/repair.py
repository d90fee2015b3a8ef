"""What was mended, by what was wrong: the correction that Chatty-Gen leaves to future work, counted (sections 5.3, 9).

An item of a stage, a question, a query or a turn, whose first line from the model broke a rule is counted once, under
what that rule is about. Knows nothing about how items are mended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

WRONG = ("alignment", "wording", "leak", "reference", "query", "form")
"""What can be wrong with an item: it asks for something else, sounds wrong, gives away what it must not, does not refer
back as it should, does not give the fact's answers, or is no line at all."""

OF_RULES = (
    dict.fromkeys(("Q8", "Q11"), "alignment")
    | dict.fromkeys(("Q5", "D3"), "leak")
    | dict.fromkeys(("D5", "D6", "D7", "D9"), "wording")
)
OF_LETTERS = {"Q": "wording", "S": "query", "D": "reference", "P": "form"}
"""Of the rules that are not in OF_RULES."""


@dataclass(frozen=True)
class Mended:
    """The items with one thing wrong: how many the model mended in a later attempt, how many the builder did, how many
    gave way to another fact, and how many were lost.
    """

    wrong: str
    model: int
    builder: int
    replaced: int
    lost: int

    @property
    def items(self) -> int:
        return self.model + self.builder + self.replaced + self.lost


def wrong_with(rule: str) -> str:
    """What is wrong with an item that breaks a rule; one of WRONG."""
    return OF_RULES.get(rule) or OF_LETTERS[rule[0]]


def read_repairs(rows: Callable[..., list[dict[str, Any]]], run: str) -> dict[tuple[str, str], int]:
    """(rule, how it was mended) -> items of the run with this id; those of a seed that was given up are lost."""
    return {(row["rule"], row["how"]): row["items"] for row in rows(REPAIRS, run)}


def mended(repairs: Mapping[tuple[str, str], int]) -> tuple[Mended, ...]:
    """The counts by what was wrong, without those of which there are none."""
    counts = {wrong: dict.fromkeys(("model", "builder", "replaced", "lost"), 0) for wrong in WRONG}
    for (rule, how), items in repairs.items():
        counts[wrong_with(rule)][how] += items
    return tuple(Mended(wrong, **by_how) for wrong, by_how in counts.items() if any(by_how.values()))


REPAIRS = """
select repair.rule, iif(seed.status = 'given-up', 'lost', repair.how) as how, count(*) as items
from seed join repair on repair.seed = seed.id
where seed.run = ? and seed.status in ('accepted', 'given-up') group by 1, 2 order by 1, 2
"""
