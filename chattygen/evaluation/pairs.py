"""Two dialogues about one entity side by side, as a judge sees them: the comparison of Table 5 (section 7).

A judge may prefer what it reads first. So it sees each pair in both orders, and says for each criterion which of the
two is better; it must choose, as in the paper. Knows nothing about runs and intervals.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from chattygen.config import check
from chattygen.domain import Call
from chattygen.errors import ConfigError
from chattygen.evaluation.judge import About, Judge, ask

CRITERIA = ("fluency", "clarity", "variety")

STAGE = "compare"

WRITERS = ("questions", "sparql", "dialogue")
"""Roles whose models write a dialogue."""

FORM = "one dialogue per line, as export --to jsonl writes it"

Choice = OneOf["A", "B"] | None


@dataclass(frozen=True)
class Talk:
    """A dialogue as far as a judge is shown it; `seed` is the IRI of its entity, `writers` the models that wrote it."""

    id: str
    seed: str
    said: tuple[str, ...]
    writers: frozenset[str]


@dataclass(frozen=True)
class Judged:
    """A pair that was judged: for each criterion the choice with A shown first and that with B shown first.

    `alike`: both say the same, and the judge was not asked.
    """

    a: str
    b: str
    alike: bool
    chosen: tuple[tuple[Choice, Choice], ...]
    calls: tuple[Call, ...]


def pair_up(a: Iterable[Talk], b: Iterable[Talk]) -> list[tuple[Talk, Talk]]:
    """Pair dialogues about the same entity, the first with the first where there are several, in the order of `a`."""
    waiting: dict[str, list[Talk]] = {}
    for talk in b:
        waiting.setdefault(talk.seed, []).append(talk)
    return [(talk, waiting[talk.seed].pop(0)) for talk in a if waiting.get(talk.seed)]


def judge_pair(judge: Judge, a: Talk, b: Talk) -> Judged:
    """Show a pair in both orders, unless both say the same.

    Raises:
        CallError: as `judge.ask`.
    """
    if a.said == b.said:
        return Judged(a.id, b.id, True, ((None, None),) * len(CRITERIA), ())
    forward, first = _choose(judge, (a, "A"), (b, "B"))
    backward, second = _choose(judge, (b, "B"), (a, "A"))
    return Judged(a.id, b.id, False, tuple(zip(forward, backward, strict=True)), (*first, *second))


def _choose(
    judge: Judge, first: tuple[Talk, Choice], second: tuple[Talk, Choice]
) -> tuple[list[Choice], tuple[Call, ...]]:
    """The better one by each criterion, and the call if there was one."""
    choices = [[f"{criterion}: {place}" for place in (1, 2)] for criterion in CRITERIA]
    about = About(first[0].id, second[0].id)
    judged = ask(judge, STAGE, about, choices, first=first[0].said, second=second[0].said)
    sides = (first[1], second[1])
    chosen = [sides[texts.index(word)] if word else None for texts, word in zip(choices, judged.words, strict=True)]
    return chosen, (judged.call,) if judged.call else ()


def talk(id: str, seed: str, said: Iterable[str], models: Mapping[str, str]) -> Talk:
    """A dialogue with each utterance on one line; `models` is role -> name."""
    wrote = frozenset(models[role] for role in WRITERS if role in models)
    return Talk(id, seed, tuple(" ".join(text.split()) for text in said), wrote)


class _Seed(BaseModel):
    iri: str


class _Turn(BaseModel):
    utterance: str


class _Record(BaseModel):
    """What is needed of a line of an export; it may hold more."""

    id: str
    seed: _Seed
    turns: list[_Turn] = Field(min_length=1)
    models: dict[str, str] = Field(default_factory=dict)


def read_talks(path: Path) -> list[Talk]:
    """The dialogues of a JSONL file in the form of our export.

    Raises:
        ConfigError: the file cannot be read, or a line is no dialogue: names file, line, key, got and expected.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", f"give a JSONL file: {FORM}") from None
    talks = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            read = check(_object(line, where), _Record, where)
            talks.append(talk(read.id, read.seed.iri, (turn.utterance for turn in read.turns), read.models))
    return talks


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}: not JSON: {error}", FORM) from None
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: got {line.strip()[:60]}", FORM)
    return value
