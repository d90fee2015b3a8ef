"""A model whose server may die: another server is then started, once, and the call is asked again.

Several calls may be in flight when that happens: they all wait for the same new server. A server that lives and answers
with an error, or not in time, is left alone: that is the caller's to judge. Knows nothing about what a server is made
of: who makes a Supervised says how one is found, and how it is talked to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import TypeVar

from chattygen.config import Home
from chattygen.errors import CallError, ModelError, PassingError, ServerError
from chattygen.models import server
from chattygen.models.chat import ChatModel
from chattygen.models.model import Completion, Constraint, Message

RESTARTS = 1
"""Servers of one model that may die in a run before it stops."""

Find = Callable[["server.Running | None", server.Waiting], server.Running]
"""(the server that died, if any, and whom to tell) -> one that answers; raises ServerError."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Line:
    """A server and the client that talks to it."""

    running: server.Running
    model: ChatModel


class Supervised:
    """A model on a server of this machine; implements `model.Model`. Close it.

    Args:
        find: the server to use, and after a death the one to use then.
        connect: a client for a server; its port and key differ from server to server.
        end: what is to be done with a server that is used no more.
        report: who is told that a server died and another one starts.

    Raises:
        ServerError: there is no server.
    """

    def __init__(
        self,
        home: Home,
        find: Find,
        connect: Callable[[server.Running], ChatModel],
        end: Callable[[server.Running], None],
        report: server.Waiting,
    ) -> None:
        self._home, self._find, self._connect, self._end, self._report = home, find, connect, end, report
        self._changing, self._closing = Lock(), Event()
        self._over: ModelError | None = None
        running = find(None, report)
        try:
            model = connect(running)
        except BaseException:
            end(running)
            raise
        self._lines = [Line(running, model)]
        self.name, self.revision = model.name, model.revision
        self.context, self.repeatable, self.exact = model.context, model.repeatable, model.exact

    def complete(
        self,
        messages: Sequence[Message],
        *,
        constraint: Constraint | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """See `model.Model`."""
        return self._call(
            lambda model: model.complete(
                messages, constraint=constraint, max_tokens=max_tokens, temperature=temperature, seed=seed
            )
        )

    def count_tokens(self, text: str) -> int:
        """See `model.Model`."""
        return self._call(lambda model: model.count_tokens(text))

    def close(self) -> None:
        """Hang up and end the server, even one that is just being started."""
        self._closing.set()
        with self._changing:
            for line in self._lines:
                line.model.close()
            self._end(self._lines[-1].running)

    def _call(self, ask: Callable[[ChatModel], Answer]) -> Answer:
        while True:
            line = self._lines[-1]
            try:
                return ask(line.model)
            except PassingError:
                if not server.died(line.running):
                    raise
            self._replace(line)

    def _replace(self, dead: Line) -> None:
        """Have another server in the place of a dead one, unless another call has seen to it already.

        Raises:
            CallError: no more restarts, the new server did not start, or it would be another model.
        """
        with self._changing:
            if self._lines[-1] is not dead:
                return
            if self._over is None:
                try:
                    self._lines.append(self._successor(dead))
                    return
                except ModelError as error:
                    self._over = error
            over = CallError(self._over.message, self._over.hint)
            for note in getattr(self._over, "__notes__", []):
                over.add_note(note)
            raise over

    def _successor(self, dead: Line) -> Line:
        death = server.death(dead.running) or ServerError(f"the server of {self.name} was stopped")
        if len(self._lines) > RESTARTS:
            death.message += ", and so had the one before it"
            raise death
        self._report(0.0, f"{death.message}; starting another one")
        server.stop(dead.running, self._home)  # what a dead server leaves behind still holds memory
        running = self._find(dead.running, self._waiting)
        try:
            model = self._connect(running)
            if model.revision != self.revision:
                model.close()
                raise ServerError(f"{self.name} has other weights now", "start a new run: chattygen generate")
        except BaseException:
            self._end(running)
            raise
        return Line(running, model)

    def _waiting(self, seconds: float, words: str) -> None:
        """Pass on how a start goes, unless nobody waits for it any more."""
        if self._closing.is_set():
            raise ServerError(f"the call to {self.name} was given up", "")
        self._report(seconds, words)
