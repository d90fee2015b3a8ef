"""What Ctrl-C does to a long command: once, it finishes what is in flight; twice, it ends at once.

A termination or hang-up signal counts as the first Ctrl-C, unless whoever started the command wants it ignored, as
nohup does. Knows nothing about what the command does.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from chattygen.cli import show

PATIENCE = 10
"""Seconds that what is in flight gets after the first Ctrl-C."""


def stopping() -> None:
    """Say what the first Ctrl-C does."""
    show.note(f"stopping after what is in flight, in {PATIENCE} s at most; press Ctrl-C again to stop at once")


FIRST = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stoppable(begun: Callable[[], bool], first: Callable[[], None], last: Callable[[], None]) -> Iterator[Event]:
    """Yield an event that is set when the user wants the command to stop.

    Args:
        begun: whether the command has begun to look at the event; before, Ctrl-C raises KeyboardInterrupt at once.
        first: called when the event is set. After PATIENCE more seconds KeyboardInterrupt is raised.
        last: called at the second Ctrl-C, right before the process ends with exit code 130. Children that watch their
            parent end by themselves.
    """
    stop = Event()

    def asked(number: int, frame: FrameType | None) -> None:
        if not begun():
            raise KeyboardInterrupt
        if stop.is_set() and number == signal.SIGINT:
            last()
            os._exit(130)
        if not stop.is_set():
            stop.set()
            signal.alarm(PATIENCE)
            first()

    def late(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    heard = [number for number in FIRST if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, asked) for number in heard}
    before |= {signal.SIGALRM: signal.signal(signal.SIGALRM, late)}
    try:
        yield stop
    finally:
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
