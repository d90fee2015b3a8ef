"""The file of wordings that come with a graph: written once by a model, mended by a person, used without either.

One table for each node type, predicate, direction and form of answer. A question has `X` where the entity is named, a
later turn `{ref}` where it is referred to. What is read is held to the rules that need no entity (Q1, Q4, Q6, D3, D5).
Knows nothing about how wordings are made or used.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, field_validator, model_validator

from chattygen.config import Strict, add_toml, read_toml, toml_text
from chattygen.domain import Direction, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.questions import no_context
from chattygen.generation.words import words

REF = "{ref}"

Form = Literal["value", "values", "count", "yes-no"]
"""Whether one value is asked for, several, or their number; or whether one is the right one."""

HEADER = """\
# How questions about the entities of this graph are worded: chattygen generate --phrasing reuse
#
# One [[phrasing]] for each class of entities, predicate, direction and form of the answer: value (one), values
# (several), count or yes-no. X stands for the name of the entity, and Y for what is tested with yes or no. `later` says
# how the same is asked in a later turn, with {ref} for the pronoun or the phrase that refers to the entity; without it,
# the program puts that in the place of X. Change what you like; it is used as it stands here. A phrasing without
# wordings is never asked for, and `reason` says why. What is new is added at the end, so remarks and order are kept.
"""


class Wording(Strict):
    """One way to ask. `origin` says who worded it, and `model` which model if it was one."""

    question: str
    later: tuple[str, ...] = ()
    origin: Literal["model", "builder", "person"] = "person"
    model: str = ""

    @field_validator("question")
    @classmethod
    def _is_question(cls, text: str) -> str:
        if words(text).count("x") != 1:
            raise ValueError("Q1: X, the place of the entity's name, exactly once")
        if REF in text:
            raise ValueError(f"Q1: no {REF} in a question, which names the entity")
        if text.count("?") != 1 or not text.endswith("?"):
            raise ValueError("Q4: one question, with a question mark at its end")
        if context := no_context(text):
            raise ValueError(f"Q6: a question that needs no earlier sentence; this one {context.message}")
        return text

    @field_validator("later")
    @classmethod
    def _are_turns(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            if text.count(REF) != 1 or "x" in words(text):
                raise ValueError(f"D3, D4: {REF} exactly once in a later turn, and no X; got {text!r}")
            if text.count("?") != 1 or not text.endswith("?") or len(words(text)) < 3:
                raise ValueError(f"D5: several words and one question mark, at the end; got {text!r}")
        return texts


class Key(NamedTuple):
    """What a phrasing is about."""

    type: str
    predicate: str
    direction: Direction
    form: Form


class Phrasing(Strict):
    """The wordings for one key.

    Attributes:
        type: IRI of the node type.
        of: class of the other ends for which they were worded; a wording that says it is used for no other.
        about: the fact, for whoever reads the file.
        reason: why there are no wordings.
    """

    type: str
    predicate: str
    direction: Direction
    form: Form
    of: str = ""
    about: str = ""
    reason: str = ""
    wordings: tuple[Wording, ...] = ()

    @model_validator(mode="after")
    def _names_what_is_tested(self) -> Phrasing:
        texts = (text for wording in self.wordings for text in (wording.question, *wording.later))
        for text in texts if self.form == "yes-no" else ():
            if words(text).count("y") != 1:
                raise ValueError(f"Q10: Y, the place of what is tested, exactly once; got {text!r}")
        return self

    @property
    def key(self) -> Key:
        return Key(self.type, self.predicate, self.direction, self.form)


class PhrasingFile(Strict):
    """The whole file."""

    phrasing: tuple[Phrasing, ...] = Field(default=())

    @model_validator(mode="after")
    def _each_key_once(self) -> PhrasingFile:
        seen: set[Key] = set()
        for phrasing in self.phrasing:
            if phrasing.key in seen:
                raise ValueError(f"one phrasing for each key; there are two for {' '.join(phrasing.key)}")
            seen.add(phrasing.key)
        return self


Phrasings = dict[Key, Phrasing]


def key_of(subgraph: Subgraph, ask: Ask) -> Key | None:
    """The key under which an ask is worded; None for what has no wording of this kind."""
    if ask.beyond or not ask.fact.count:
        return None
    values: Form = "value" if ask.fact.count == 1 else "values"
    form: Form = values if ask.form == "value" else ask.form
    return Key(subgraph.seed.node_type, ask.fact.predicate, ask.fact.direction, form)


def read(path: Path) -> Phrasings:
    """The phrasings of a file.

    Raises:
        ConfigError: there is no file, or a wording breaks a rule: names file, key, got, expected.
    """
    return {phrasing.key: phrasing for phrasing in read_toml(path, PhrasingFile).phrasing}


def add(path: Path, new: Iterable[Phrasing]) -> None:
    """Add phrasings at the end of a file, which is made if it is not there; what stands in it stays as it is."""
    add_toml(path, HEADER, "".join(f"\n{_table(phrasing)}" for phrasing in new))


def _table(phrasing: Phrasing) -> str:
    """One phrasing as TOML."""
    fields = ("type", "predicate", "direction", "form", "of", "about", "reason")
    given = [(name, getattr(phrasing, name)) for name in fields]
    lines = ["[[phrasing]]", *(f"{name} = {toml_text(value)}" for name, value in given if value)]
    if phrasing.wordings:
        lines += ["wordings = [", *(f"    {_inline(wording)}," for wording in phrasing.wordings), "]"]
    return "\n".join(lines) + "\n"


def _inline(wording: Wording) -> str:
    later = f"later = [{', '.join(map(toml_text, wording.later))}], " if wording.later else ""
    model = f", model = {toml_text(wording.model)}" if wording.model else ""
    return f"{{ question = {toml_text(wording.question)}, {later}origin = {toml_text(wording.origin)}{model} }}"
