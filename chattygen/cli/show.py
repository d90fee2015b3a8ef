"""Everything that is drawn on a terminal: the only user of rich.

stdout carries data, stderr carries progress and notes. Text from a KG is escaped, so that a label cannot draw.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

out = Console(highlight=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)


def note(text: str) -> None:
    """One line for the person, on stderr."""
    err.print(escape(clean(text)))


def ask(question: str) -> str:
    """Ask the person on stderr and read one line from stdin, which need not be a terminal.

    Raises:
        EOFError: there is no more input.
    """
    at_terminal = sys.stdin.isatty()
    err.print(escape(clean(question)), end=" " if at_terminal else "\n")
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if at_terminal and not answer.endswith("\n"):  # Ctrl-C or Ctrl-D: nobody ended the line
            err.print()
    if not answer:
        raise EOFError
    return answer.strip()


def show_cursor() -> None:
    """Give the cursor back that a progress bar hides."""
    err.show_cursor(True)


def data(text: str) -> None:
    """One piece of output, on stdout, as it is."""
    click.echo(text)


def data_json(value: Any) -> None:
    """A JSON value on stdout, one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def clean(text: str) -> str:
    """`text` without control characters: KG text must not move the cursor or change colours."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def line(text: str, *, indent: int = 0, style: str = "", aside: str = "") -> None:
    """One line for a person on stdout, with a faint `aside` after it.

    `style` is one of rich's, such as `bold` or `dim`; without a terminal it is left out.
    """
    drawn = Text(" " * indent + clean(text).replace("\n", " "), style=style)
    if aside:
        drawn.append(f"  {clean(aside)}", style="dim")
    out.print(drawn)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "", whole: Sequence[str] = ()
) -> None:
    """A table on stdout; numbers are aligned to the right. Cells of the columns `whole` are never broken into lines."""
    drawn = Table(title=escape(title) or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
        drawn.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=column in whole)
    for row in rows:
        drawn.add_row(*[escape(clean(str(cell))) for cell in row])
    out.print(drawn)


class Bar(Protocol):
    """A progress bar: absolute position, total (None: unknown) and a few words."""

    def update(self, done: int, total: int | None = None, words: str = "") -> None: ...


@contextmanager
def progress(title: str, *, bytes_: bool = False, each: bool = False, quiet: bool = False) -> Iterator[Bar]:
    """A progress bar on stderr; without a terminal, the title and the last words as two plain lines.

    `each`: without a terminal, a line whenever more is done.
    """
    if quiet or not err.is_terminal:
        plain = _Plain(title, each, quiet)
        yield plain
        plain.end()
        return
    columns = [DownloadColumn(), TransferSpeedColumn()] if bytes_ else []
    drawn = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *columns,
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
        console=err,
    )
    with drawn:
        task = drawn.add_task(escape(title), total=None, words="")

        class Drawn:
            def update(self, done: int, total: int | None = None, words: str = "") -> None:
                drawn.update(task, completed=done, total=total, words=escape(clean(words)))

        yield Drawn()


class _Plain:
    """Progress without a terminal."""

    def __init__(self, title: str, each: bool, quiet: bool) -> None:
        self.title, self.each, self.quiet = title, each, quiet
        self.done, self.words = 0, ""
        if not quiet:
            note(title)

    def update(self, done: int, total: int | None = None, words: str = "") -> None:
        if self.each and not self.quiet and done > self.done:
            note(words)
        self.done, self.words = done, words

    def end(self) -> None:
        if not self.each and not self.quiet and self.words:
            note(f"{self.title}: {self.words}")
