"""What a run has come to: kept while it goes on, told to whoever draws it, and how it ended.

Knows nothing about how dialogues are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from chattygen.domain import Usage
from chattygen.work import Tools

VISITS = 3
"""Seeds visited per dialogue asked for, and ten more, before a run ends short."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, for whoever draws it.

    Attributes:
        reached: `done` and, for each dialogue in work, the part of its stages that lies behind it.
        spent: on calls that were made now; what was answered before the run was resumed costs nothing.
    """

    run: str
    done: int
    reached: float
    wanted: int
    visited: int
    stage: str
    findings: int
    spent: Usage


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `status` as in the results database, `reason` when it is not done."""

    run: str
    status: Literal["done", "short", "interrupted"]
    dialogues: int
    wanted: int
    visited: int
    reason: str = ""


@dataclass
class Books:
    """What a run has come to so far, and who is told of it."""

    tools: Tools
    tell: Tell
    done: int = 0
    visited: int = 0
    findings: int = 0
    spent: Usage = field(default_factory=Usage)

    def say(self, reached: float, stage: str = "") -> None:
        run = self.tools.run
        self.tell(
            Progress(self.tools.id, self.done, reached, run.dialogues, self.visited, stage, self.findings, self.spent)
        )

    def outcome(self, status: Literal["done", "short", "interrupted"], reason: str = "") -> Outcome:
        return Outcome(self.tools.id, status, self.done, self.tools.run.dialogues, self.visited, reason)
