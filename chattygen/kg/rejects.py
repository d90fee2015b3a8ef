"""The lines that a load with --skip-bad leaves out: written down with their reasons, counted, and held to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chattygen.errors import BadData
from chattygen.kg.lines import Cleaned, Reject

REJECTS = "rejects.tsv"
"""Name of the file: file, line, column, reason and the line itself (to the end, tabs and all); bytes that are not UTF-8
are written as backslash escapes.
"""

ENOUGH = 10_000
"""Lines after which the share of bad ones means something; before, only the end of the load is judged."""


class Rejects:
    """Counts over all files of a load. The file appears with the first bad line."""

    def __init__(self, path: Path, max_bad: float) -> None:
        self._path, self._max_bad = path, max_bad
        self._first = ""
        self.lines = self.rejected = self.repaired = 0

    def add(self, source: Path, cleaned: Cleaned, lines: int) -> None:
        """Note what became of some lines of a file.

        Raises:
            BadData: more than `max_bad` percent of the lines so far are bad.
        """
        self.lines += lines
        self.repaired += cleaned.repaired
        if cleaned.rejects:
            self.rejected += len(cleaned.rejects)
            first = cleaned.rejects[0]
            self._first = self._first or f"{source}:{first.line}:{first.column}: {first.reason}"
            self._write(source, cleaned.rejects)
        if self.lines >= ENOUGH:
            self.check()

    def check(self) -> None:
        """Raises BadData if more than `max_bad` percent of the lines are bad."""
        if self.rejected * 100 > self._max_bad * self.lines:
            share = f"{self.rejected:,} of {self.lines:,} lines are bad, more than {self._max_bad:g} %"
            raise BadData(
                f"{share}; the first: {self._first}",
                "if that is to be expected, allow more with --max-bad PERCENT; nothing was loaded",
            )

    def _write(self, source: Path, rejects: Sequence[Reject]) -> None:
        fresh = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            if fresh:
                file.write("file\tline\tcolumn\treason\ttext\n")
            for one in rejects:
                text = one.text.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
                file.write(f"{source}\t{one.line}\t{one.column}\t{one.reason}\t{text}\n")
