"""Facts about Ada Berg, a captain, as tests/data/captain.ttl states them, and embeddings made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from chattygen.domain import (
    XSD,
    Attempt,
    Direction,
    Fact,
    Iri,
    Literal,
    Query,
    Question,
    Repair,
    Seed,
    Subgraph,
    Value,
    ValueKind,
)
from chattygen.generation.attempts import Asker
from chattygen.generation.stages import QUESTIONS, Stage
from chattygen.generation.wording import kind_of, with_name
from chattygen.models.scripted import Answering, Rule, ScriptedModel

SEA = "http://example.org/sea/"
LATE = SEA + "It's_Late_(1931_ship)"

ADA = Seed(SEA + "ada", "Ada Berg", SEA + "Captain", "captain", "person")


def nodes(*names: str, type_label: str = "") -> tuple[Value, ...]:
    return tuple(Value(Iri(SEA + name), name, type_label) for name in names)


def fact(
    name: str,
    label: str,
    values: tuple[Value, ...],
    kind: ValueKind = "entity",
    value_type: str = "",
    *,
    direction: Direction = "out",
    count: int | None = None,
) -> Fact:
    return Fact(SEA + name, label, direction, values, len(values) if count is None else count, kind, value_type)


def literal(text: str, datatype: str = "string", lang: str = "") -> tuple[Value, ...]:
    return (Value(Literal(text, XSD + datatype if ":" not in datatype else datatype, lang), text),)


BORN = fact("birthDate", "birth date", literal("1901-05-06", "date"), "date")
RANK = fact(
    "rank",
    "rank",
    literal("rear admiral", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
    "text",
)
MOTTO = fact("motto", "motto", literal('say "aye" \\ go'), "text")
CREW = fact("crew", "crew", literal("12", "integer"), "number")
MENTOR = fact("mentor", "mentor", nodes("bo", type_label="captain"), "entity", "captain")
PUPIL = fact("mentor", "mentor", nodes("cy", type_label="captain"), "entity", "captain", direction="in")
FRIENDS = fact("friend", "friend", nodes("bo", "cy", "dee", type_label="captain"), "entity", "captain")
MEDALS = fact("medal", "medal", (), "entity", "medal", count=9)
SHIPS = fact(
    "captain",
    "captain",
    (Value(Iri(SEA + "gull"), "Gull", "ship"), Value(Iri(LATE), "It's Late", "ship")),
    "entity",
    "ship",
    direction="in",
)
FACTS = (BORN, RANK, MOTTO, CREW, MENTOR, PUPIL, FRIENDS, MEDALS, SHIPS)


def around(*facts: Fact, seed: Seed = ADA) -> Subgraph:
    return Subgraph(seed, facts, sum(f.count for f in facts))


def question(
    pattern: str, about: Fact = BORN, seed: Seed = ADA, *, form: OneOf["value", "count"] = "value"
) -> Question:
    return Question(about, pattern, with_name(pattern, seed.label), kind_of(pattern), "model", form)


QUERY = Query("SELECT ?x WHERE { }", "select", "model", ())
"""A query for tests that look at the words only."""


class Alike:
    """Everything means the same."""

    name = "alike"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


@dataclass
class Topics:
    """A text means the first topic that stands in it: one axis per topic, and one for all other texts."""

    topics: tuple[str, ...]
    name: str = "topics"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(axis == self._axis(text)) for axis in range(len(self.topics) + 1)] for text in texts]

    def _axis(self, text: str) -> int:
        return next((n for n, topic in enumerate(self.topics) if topic in text), len(self.topics))


@dataclass
class Script:
    """A model that answers by rule, and what was recorded of its attempts."""

    model: ScriptedModel
    attempts: list[Attempt] = field(default_factory=list)
    repairs: dict[int, tuple[Repair, str]] = field(default_factory=dict)
    """Item -> how it was mended, the rule that its first line broke."""

    def asker(self, stage: Stage = QUESTIONS, attempts: int = 3) -> Asker:
        return Asker(self.model, stage, self.attempts.append, attempts, repaired=self._repaired)

    def _repaired(self, item: int, how: Repair, rule: str) -> None:
        self.repairs[item] = (how, rule or self.repairs[item][1])

    def prompt(self, number: int) -> str:
        """The user's message of the call with this number, from 1."""
        call = self.attempts[number - 1].call
        assert call is not None
        return call.messages[-1][1]

    @property
    def rules(self) -> list[list[str]]:
        """The ids of the findings, per attempt."""
        return [[finding.rule for finding in attempt.findings] for attempt in self.attempts]


def script(*replies: str | Answering | Rule) -> Script:
    """One reply per call, in order."""
    return Script(ScriptedModel("script", [r if isinstance(r, Rule) else Rule(r) for r in replies]))
