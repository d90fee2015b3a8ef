"""How far a run is, in words: what is done, how fast it goes, how long it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chattygen.pipeline import Progress


class Pace:
    """Follows a run's progress.

    What a resumed run recalls takes no time, so the pace is measured from the first call that is made.
    """

    def __init__(self) -> None:
        self.last: Progress | None = None
        self._seconds = 0.0
        self._begin = (0.0, 0.0)

    def add(self, progress: Progress, seconds: float) -> None:
        """Take note of the progress `seconds` after the start."""
        self.last, self._seconds = progress, seconds
        if not progress.spent.calls:
            self._begin = (seconds, progress.reached)

    def words(self) -> str:
        """The words beside the progress bar."""
        progress = self.last
        if progress is None:
            return ""
        words = [f"{progress.done} of {progress.wanted} dialogues, {progress.visited} seeds"]
        if progress.stage:
            words.append(progress.stage.lower())
        words.append(f"{progress.findings} findings")
        if progress.spent.seconds:
            words.append(f"{progress.spent.tokens / progress.spent.seconds:.0f} tokens/s")
        words.append(minutes(self._seconds))
        seconds, reached = self._begin
        left = progress.wanted - progress.reached
        if progress.reached > reached and left > 0:
            pace = (self._seconds - seconds) / (progress.reached - reached)
            words.append(f"about {minutes(pace * left)} left")
        return ", ".join(words)


def minutes(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
