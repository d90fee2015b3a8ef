"""How systems stand on a run, as tables and bars that a terminal, a page or a program can show (Head-to-Tail).

Values only: who works them out and who draws them is somebody else's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chattygen.results.charts import Chart


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers under a key of its own; `about` says what a row is and how to read it."""

    key: str
    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]


@dataclass(frozen=True)
class Standings:
    """What a report says about the evaluations of a run.

    Attributes:
        tables: those of the paper that the evaluations have something for, in the paper's order, then others.
        plots: for each system how its replies go from head to tail.
        data: the same as JSON, with everything that the tables leave out.
    """

    tables: tuple[Table, ...]
    plots: dict[str, Chart]
    data: list[dict[str, Any]]
