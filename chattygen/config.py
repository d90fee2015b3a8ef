"""Where things lie and how they are set: the home folder, TOML files, KG recipes, the settings of a run.

Every wrong key is reported with file, key, got and expected. Knows nothing about models or stores.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chattygen.domain import Bucket
from chattygen.errors import ConfigError, UnknownName


@dataclass(frozen=True)
class Home:
    """The one folder that holds a user's state."""

    path: Path

    @property
    def kgs(self) -> Path:
        return self.path / "kgs"

    @property
    def models(self) -> Path:
        return self.path / "models"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        """pid files and keys of the servers that run now."""
        return self.path / "run"

    @property
    def database(self) -> Path:
        return self.path / "chattygen.db"

    def create(self) -> None:
        """Make the folder where it is missing, so that no other user of the machine can look into it."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    @classmethod
    def default(cls) -> Home:
        return cls(Path(platformdirs.user_data_dir("chattygen")))


class Strict(BaseModel):
    """A table of a TOML file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Table = TypeVar("Table", bound=BaseModel)


def read_toml(path: Path, shape: type[Table]) -> Table:
    """Read a TOML file into `shape`.

    Raises:
        ConfigError: the file is missing, not TOML, or a key is wrong: names file, key, got, expected.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file", "give the path of an existing TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}", "mend the line that is named") from None
    return check(data, shape, str(path))


def add_toml(path: Path, header: str, text: str) -> None:
    """Add `text` at the end of a TOML file, which begins with `header` if it is new; what stands in it stays."""
    before = path.read_text(encoding="utf-8").rstrip("\n") + "\n" if path.exists() else header
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(before + text, encoding="utf-8")
    os.replace(draft, path)


def toml_text(value: str) -> str:
    """A TOML string or quoted key: as in JSON, but for the one control character that JSON allows."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def check(data: dict[str, Any], shape: type[Table], source: str) -> Table:
    """Validate a table against `shape`; the first wrong key becomes a ConfigError."""
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        got = repr(first["input"])
        if first["type"] == "extra_forbidden":
            raise ConfigError(
                f"{source}: unknown key {key} (got {got[:80]})", f"expected one of: {_known_keys(shape, first['loc'])}"
            ) from None
        raise ConfigError(
            f"{source}: key {key}: got {got[:80]}", f"expected: {first['msg'].removeprefix('Value error, ')}"
        ) from None


def _known_keys(shape: type[BaseModel], location: tuple[int | str, ...]) -> str:
    """The keys that are allowed where `location` points into `shape`, for the hint."""
    fields = shape.model_fields
    for part in location[:-1]:
        nested = _nested(fields[part].annotation) if isinstance(part, str) and part in fields else None
        if nested is not None:
            fields = nested.model_fields
    return ", ".join(field.alias or name for name, field in fields.items())


def _nested(annotation: Any) -> type[BaseModel] | None:
    """The table type inside an annotation such as `dict[str, Entry]`, if there is one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _nested(inner)
        if found is not None:
            return found
    return None


RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


class Source(Strict):
    """Where a KG comes from; copied into reports and dataset cards."""

    title: str
    url: str = ""
    licence: str


class GraphSettings(Strict):
    """How a KG is read: what the recipe may set for it.

    The include and exclude lists hold IRIs, and beginnings of IRIs that end in `*`; an empty include list takes all.

    Attributes:
        language: language ranges by preference, see `languages`.
        labels: class IRI, or `*` for all classes -> the predicates that name its entities, joined with a space; one may
            be two hops away, written as two IRIs with ` / ` between them.
        predicate_labels: predicate or class IRI -> how it reads.
        interest: class IRI, or `*` for all classes -> predicate IRI -> how much a person would want to know it, 0 to 1:
            0 is never asked, less than 1 only after everything else, 1 whatever the data look like.
        popularity: class IRI, or `*` for all classes -> the predicate whose number says how popular an entity is; where
            there is none, that is the number of its triples.
    """

    type_predicate: str = RDF_TYPE
    domain: tuple[str, ...] = ()
    language: str = "en"
    include_types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    include_predicates: tuple[str, ...] = ()
    exclude_predicates: tuple[str, ...] = ()
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    predicate_labels: dict[str, str] = Field(default_factory=dict)
    interest: dict[str, dict[str, Annotated[float, Field(ge=0, le=1)]]] = Field(default_factory=dict)
    popularity: dict[str, str] = Field(default_factory=dict)

    @field_validator("language")
    @classmethod
    def _are_ranges(cls, text: str) -> str:
        """Keep what `languages` can read."""
        ranges = [part.strip() for part in text.removesuffix(",").split(",")]
        if ranges[0] == "*" or not all(re.fullmatch(r"\*|[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", part) for part in ranges):
            raise ValueError("a language tag such as en, or a list by preference such as: de, en, *")
        return text

    @field_validator("labels")
    @classmethod
    def _are_paths(cls, labels: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Keep IRIs, and pairs of IRIs."""
        for path in (path for paths in labels.values() for path in paths):
            if not re.fullmatch(r"\S+( / \S+)?", path):
                raise ValueError(f"{path!r} is neither the IRI of a predicate nor two IRIs with ' / ' between them")
        if not all(labels.values()):
            raise ValueError("at least one predicate for each class")
        return labels

    @property
    def languages(self) -> tuple[str, ...]:
        """The language ranges in order, `*` for any; one alone falls back to any, a list is taken at its word."""
        ranges = tuple(part.strip().lower() for part in self.language.split(",") if part.strip())
        return ranges if "," in self.language else (*ranges, "*")

    @property
    def paths(self) -> tuple[str, ...]:
        """The label predicates that are two hops away."""
        return tuple(sorted({path for paths in self.labels.values() for path in paths if " / " in path}))


class Recipe(Strict):
    """kg-loaders/*.toml: one KG, its files, licence and settings.

    `files` are relative to the recipe; a graph too large to come with it names none. `base` resolves relative IRIs.
    """

    name: str
    files: tuple[str, ...] = ()
    base: str | None = None
    source: Source
    settings: GraphSettings = GraphSettings()


def read_recipe(path: Path) -> Recipe:
    return read_toml(path, Recipe)


FLOW: Mapping[str, float] = {"ellipsis": 0.15, "follow-up": 0.1, "unanswerable": 0.0}
"""Share of the turns of each form, 0 to 1, as far as the facts of the seeds allow; the others refer to the seed."""


KINDS: Mapping[str, float] = {"yes-no": 0.1}
"""Share of the questions of a kind, 0 to 1, as far as the facts allow; `how-many`, if given, is that of counts."""

MOST_YES_NO = 0.2
"""One in a dialogue of five."""


@dataclass(frozen=True)
class RunSettings:
    """What a run was asked to do; stored with the run. Defaults are those of the CLI.

    Attributes:
        questions: questions per dialogue; `min_questions` is what a seed must offer to be accepted at all.
        rare: node types below this share are dropped (Algorithm 1, R).
        shadowed: a parent is dropped when one child holds more than this share of it (S).
        max_label_words: a seed with a longer label is passed over.
        max_values: a fact with more values than this is asked for as a number only.
        max_literal: literals with more characters than this are left out.
        deadline: seconds a SPARQL query may take.
        attempts: attempts per stage before repair item by item.
        cohort: seeds that go through a stage together, so that the server's prefix cache serves them.
            At least as many as are in flight.
        in_flight: how many of them are worked on at once; what comes of it does not depend on this.
        hops: 2 asks up to two questions of a dialogue over two facts; 1 asks none.
        flow: form of a turn -> the share of the turns that have it; see FLOW.
        kinds: kind of question -> the share of the questions that are of it; see KINDS.
        strata: the buckets of popularity that seeds are drawn from in equal numbers; none: from all entities alike.
        popularity: `density`, the IRI of a predicate, or a file of scores; empty: as the recipe says, else density.
        before: with strata, only entities with a date before this year are seeds; None for all.
        date_predicate: what states that date.
        entities: IRIs of the seeds, in order, each once; none: seeds are drawn.
        phrasing: `each` words every dialogue; `reuse` words what is asked once, and assembles dialogues from that.
        phrasings: the file of those wordings; empty: the one in the graph's folder.
        judge_interest: a model says once per node type and predicate whether a person would ask.
    """

    kg: str
    dialogues: int = 20
    questions: int = 5
    min_questions: int = 3
    approach: Literal["multi-stage", "single-prompt", "head-to-tail"] = "multi-stage"
    serialisation: Literal["summarised", "full"] = "summarised"
    seed: int = 0
    rare: float = 0.01
    shadowed: float = 0.99
    direction: Literal["both", "out", "in"] = "both"
    max_label_words: int = 12
    max_values: int = 30
    max_literal: int = 80
    deadline: float = 30.0
    attempts: int = 3
    cohort: int = 5
    in_flight: int = 1
    hops: int = 1
    flow: Mapping[str, float] = field(default_factory=lambda: dict(FLOW), hash=False)
    kinds: Mapping[str, float] = field(default_factory=lambda: dict(KINDS), hash=False)
    strata: tuple[Bucket, ...] = ()
    popularity: str = ""
    before: int | None = None
    date_predicate: str = ""
    phrasing: Literal["each", "reuse"] = "each"
    phrasings: str = ""
    judge_interest: bool = False
    entities: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "strata", tuple(self.strata))  # stored settings come back as lists
        object.__setattr__(self, "entities", tuple(self.entities))

    @property
    def looks_beyond(self) -> bool:
        """Whether the facts around the neighbours of a seed are needed."""
        in_stages = self.approach == "multi-stage" and self.phrasing == "each"
        return in_stages and (self.hops > 1 or self.flow["follow-up"] > 0)

    @property
    def tests(self) -> bool:
        """Whether yes-no questions are asked."""
        return self.approach == "multi-stage" and self.kinds.get("yes-no", 0) > 0

    def at_once(self, seeds: int) -> RunSettings:
        """These settings, with so many seeds worked on at once."""
        return replace(self, in_flight=seeds, cohort=max(self.cohort, seeds))


def known(name: str, names: list[str], what: str, command: str) -> str:
    """Return `name` if it is one of `names`.

    Raises:
        UnknownName: says which names there are and which command lists or makes them.
    """
    if name in names:
        return name
    there = f"there are: {', '.join(sorted(names))}" if names else "there is none yet"
    raise UnknownName(f"no {what} is called {name!r}; {there}", f"run: {command}")
