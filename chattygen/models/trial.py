"""Try a model out before a run depends on it: does it speak, obey a grammar, hear its instructions, stop when told?

Each trial is one small call. Knows nothing about servers or files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.errors import CallError
from chattygen.models.model import Completion, Constraint, Embedder, Message, Model

GRAMMAR = Constraint(
    grammar='root ::= ("red" | "blue") "\\n" ("Who" | "What") " " [a-z ]{3,20} " Ada Lovelace?"',
    lines=2,
    choices=(("red", "blue"), ()),
    max_line=60,
)
"""What a run's grammars are made of: alternatives, character classes with a bound, a forced name, several lines."""

OBEYED = re.compile(r"(red|blue)\n(Who|What) [a-z ]{3,20} Ada Lovelace\?")

COUNT: Message = ("user", "Count from one to twenty in words.")
BRIEF: Message = ("system", "Be brief.")
INSTRUCTION: Message = ("system", "You are a patient teacher of arithmetic and you answer in English.")


@dataclass(frozen=True)
class Trial:
    """What was tried, whether it went well, and what was seen."""

    name: str
    passed: bool
    seen: str


def try_model(model: Model, *, grammar: bool, system_role: bool) -> Iterator[Trial]:
    """The trials of a language model, each as soon as it is done.

    `grammar`: its server takes GBNF as it is, so the reply must match it to the letter. `system_role`: its chat
    template must pass system text on.
    """
    spoken = _call(model, COUNT, max_tokens=48)
    if isinstance(spoken, str):
        yield Trial("speaks", False, spoken)
        return
    yield Trial("speaks", bool(spoken.text.strip()), _short(spoken.text))
    if spoken.seconds:
        yield Trial("speed", True, f"{spoken.completion_tokens / spoken.seconds:.1f} tokens/s")

    kept = _call(model, ("user", "Choose a colour, then ask about a person."), constraint=GRAMMAR, max_tokens=60)
    text = kept if isinstance(kept, str) else kept.text
    obeyed = OBEYED.fullmatch(text) if grammar else len(text.split("\n")) == GRAMMAR.lines
    yield Trial("obeys a grammar", bool(obeyed), _short(text))

    cut = _call(model, COUNT, max_tokens=3)
    told = not isinstance(cut, str) and cut.finish == "length"
    yield Trial("says when a reply is cut", told, cut if isinstance(cut, str) else cut.finish)

    if system_role:
        # Some templates put a default where there is no system text, so two texts are compared, not text and none.
        short, long = (_call(model, system, COUNT, max_tokens=3) for system in (BRIEF, INSTRUCTION))
        heard = not isinstance(short, str) and not isinstance(long, str) and long.prompt_tokens > short.prompt_tokens
        yield Trial("hears system text", heard, "yes" if heard else "no: set system_role = false in models.toml")


def try_embedder(embedder: Embedder) -> Iterator[Trial]:
    """The trials of a sentence embedding."""
    question, fitting, other = embedder.embed(["When did the man die?", "death date", "birth place"])
    near, far = _dot(question, fitting), _dot(question, other)
    yield Trial("tells meanings apart", near > far, f"{near:.2f} for a fact that fits, {far:.2f} for another")


def _call(model: Model, *messages: Message, max_tokens: int, constraint: Constraint | None = None) -> Completion | str:
    """The completion, or the reason why there is none."""
    try:
        return model.complete(messages, constraint=constraint, max_tokens=max_tokens)
    except CallError as error:
        return error.message


def _short(text: str) -> str:
    return " ".join(text.split())[:80]


def _dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
