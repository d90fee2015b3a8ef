"""What a person is told beside a turn: who wrote it, which turn it refers to, that it has no answer.

Knows nothing about how it is drawn.
"""

from __future__ import annotations

from chattygen.domain import Turn


def builder_parts(turn: Turn) -> list[str]:
    """What of a turn chattygen's builder wrote and not the model."""
    origins = {"turn": turn.utterance_origin, "question": turn.question.origin, "query": turn.query.origin}
    return [part for part, origin in origins.items() if origin == "builder"]


def reference(turn: Turn) -> str:
    """`refers to turn 2`, or nothing where it is enough to know what the dialogue is about."""
    return f"refers to turn {turn.refers_to}" if turn.refers_to else ""


def no_answer(turn: Turn) -> str:
    """What stands for the answers of a turn that has none; nothing if it has some."""
    if turn.query.answers:
        return ""
    return "no answer" if turn.question.answerable else "the graph has no answer"
