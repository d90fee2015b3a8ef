"""The seam to a language model and to a sentence embedding: all that context, generation and results may know of them.

Knows nothing about servers, files or HTTP. A call is constrained by a GBNF grammar whose reply is plain lines; a server
that takes no grammar gets the same constraint as a JSON schema and its reply is turned back into the same lines, so the
callers parse one form. Replies are validated by the caller whatever the server claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import Protocol

Message = tuple[OneOf["system", "user", "assistant"], str]
"""(role, content)"""


@dataclass(frozen=True)
class Constraint:
    """What a reply may look like: exactly `lines` lines, each matching its rule.

    `grammar` is GBNF whose `root` matches the lines joined by a newline. `choices` lists, per line, the only allowed
    texts, or is empty where the line is free text.
    """

    grammar: str
    lines: int
    choices: tuple[tuple[str, ...], ...] = ()
    max_line: int = 300


@dataclass(frozen=True)
class Completion:
    """A reply with the server's own token counts.

    `finish` is `length` when the reply was cut at `max_tokens`. `thinking` holds a stripped leading think block.
    `cached_tokens` is the part of `prompt_tokens` that the server took from its prefix cache, if it says so.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish: OneOf["stop", "length"]
    seconds: float
    thinking: str = ""
    cached_tokens: int = 0


class Model(Protocol):
    """A language model.

    Attributes:
        name: its entry in models.toml.
        revision: which state of it answers: a hash of its weights and the engine, or the address of a server that does
            not tell.
        context: length of its context in tokens.
        repeatable: whether the same request always gets the same reply.
        exact: whether its server takes the grammar itself, so that a reply which does not match shows that the server
            ignored it, and counts tokens by its own tokenizer; otherwise the counts are estimates on the high side.
    """

    name: str
    revision: str
    context: int
    repeatable: bool
    exact: bool

    def complete(
        self,
        messages: Sequence[Message],
        *,
        constraint: Constraint | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """Complete a chat.

        Raises:
            PassingError: the server is busy, broken, slow or gone; the same call may succeed later. Not repeated here.
            CallError: the server refused, or its answer is not a completion. Never returns an empty stand-in.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Number of tokens of `text` by the served tokenizer.

        Raises:
            CallError: as in `complete`.
        """
        ...


class Embedder(Protocol):
    """A sentence embedding."""

    name: str

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors, one per text: shape (len(texts), dimension)."""
        ...
