"""A turn of a dialogue as a judge sees it: with what was said before, its fact, its query and its answers.

The judge gives one of the verdicts that a person can give. Knows nothing about which turns are drawn, nor what is made
of the verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from chattygen.domain import Beyond, Fact, Question, Seed, Turn
from chattygen.evaluation.judge import About, Judge, Judgement, ask

VERDICTS = ("right", "sounds-wrong", "asks-else", "wrong-answer")
"""What each means is said in the prompt, and to people in docs/results.md."""

STAGE = "audit"

SHOWN_ANSWERS = 10


def judge_turn(judge: Judge, dialogue: str, seed: Seed, turns: Sequence[Turn]) -> Judgement:
    """Have the last of `turns` judged; those before it are shown.

    Args:
        dialogue: its id.

    Raises:
        CallError: as `judge.ask`.
    """
    *before, turn = turns
    return ask(
        judge,
        STAGE,
        About(dialogue, turn=turn.n),
        [VERDICTS],
        entity=_line(f"{seed.label} ({seed.type_label})" if seed.type_label else seed.label),
        before=[_line(one.utterance) for one in before],
        utterance=_line(turn.utterance),
        standalone=_line(turn.question.text),
        fact=_line(fact_words(turn.question, seed)),
        query=_line(turn.query.sparql),
        answers=_line(_answers(turn)),
    )


def fact_words(question: Question, seed: Seed) -> str:
    """What a question is about: `Ada Berg -> birth date -> ?`, or `? -> captain -> Ada Berg` for a fact whose object is
    the seed; a yes-no question has what it tests in the place of `?`.

    Two facts are one path from the seed, with arrows that point to the objects: `Ada Berg <- captain <- ? -> home port
    -> ?`. A question with a condition asks for the `?` on the way to it, and so does one for the greatest or smallest.
    """
    fact, beyond = question.fact, question.beyond
    if beyond:
        return f"{seed.label} {_step(fact)} ? {_step(beyond.fact)} {_end(beyond)}"
    other = question.tested.label if question.tested else "?"
    ends = (seed.label, other) if fact.direction == "out" else (other, seed.label)
    return f"{ends[0]} -> {fact.predicate_label} -> {ends[1]}"


def _step(fact: Fact) -> str:
    arrow = "->" if fact.direction == "out" else "<-"
    return f"{arrow} {fact.predicate_label} {arrow}"


def _end(beyond: Beyond) -> str:
    """What stands at the end of the second fact."""
    if beyond.kind == "condition":
        return beyond.fact.values[0].label
    return {"hop": "?", "most": "the greatest", "least": "the smallest"}[beyond.kind]


def _answers(turn: Turn) -> str:
    answers = turn.query.answers
    shown = [answer.label or answer.value for answer in answers[:SHOWN_ANSWERS]]
    more = [f"and {len(answers) - SHOWN_ANSWERS} more"] if len(answers) > SHOWN_ANSWERS else []
    none = "none" if turn.question.answerable else "none; this turn is one that the graph cannot answer"
    return "; ".join(shown + more) or none


def _line(text: str) -> str:
    return " ".join(text.split())
