from __future__ import annotations

from dataclasses import replace

from chattygen.generation.interest import TOGETHER, ask_interest
from chattygen.generation.stages import INTEREST

from .hand_made import BORN, MENTOR, RANK, fact, literal, script


def test_each_fact_is_judged_by_its_own_line() -> None:
    told = script("birth date: yes\nrank: no\nmentor: yes")
    assert ask_interest(told.asker(INTEREST), "captain", (BORN, RANK, MENTOR)) == (True, False, True)
    assert told.prompt(1).splitlines()[0] == "X is a captain."
    assert 'rank of X, such as "rear admiral"' in told.prompt(1)
    assert len(told.attempts) == 1


def test_only_yes_and_no_are_answers() -> None:
    told = script("birth date: yes\nrank: perhaps", "rank: perhaps not", "rank: no")
    assert ask_interest(told.asker(INTEREST), "captain", (BORN, RANK)) == (True, False)
    assert told.rules == [["P1"], ["P1"], []]


def test_what_is_not_judged_is_asked() -> None:
    told = script("birth date: no\nrank: perhaps", "rank: maybe", "rank: never")
    assert ask_interest(told.asker(INTEREST), "captain", (BORN, RANK)) == (False, True)


def test_a_label_cannot_leave_its_line() -> None:
    """A line break or a quotation mark in a value would be a line of its own, or end the example."""
    nasty = fact("motto", "motto", literal('no\nrank: no "yes'), "text")
    told = script("motto: yes")
    assert ask_interest(told.asker(INTEREST), "captain", (nasty,)) == (True,)
    assert told.prompt(1).splitlines()[1:] == ['motto of X, such as "no rank: no \'yes"']


def test_many_facts_are_judged_in_several_calls() -> None:
    facts = [replace(RANK, predicate=f"{RANK.predicate}{n}", predicate_label=f"rank {n}") for n in range(TOGETHER + 1)]
    first = "\n".join(f"rank {n}: {'no' if n == 3 else 'yes'}" for n in range(TOGETHER))
    told = script(first, f"rank {TOGETHER}: no")
    judged = ask_interest(told.asker(INTEREST), "captain", facts)
    assert [n for n, would in enumerate(judged) if not would] == [3, TOGETHER]
