"""models.toml: which models there are, where their weights come from, and which model plays which role.

Roles are those of a run (Chatty-Gen, section 6: one model for all stages, or Multi-LLM): `label`, `questions`,
`sparql`, `dialogue`, `verify` (a sentence embedding) and `judge`. Knows nothing about servers; loads no weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from chattygen.config import Home, Strict, known, read_toml
from chattygen.errors import ConfigError, UnknownName
from chattygen.models.gpu import devices

Backend = Literal["llama-cpp", "vllm", "endpoint", "scripted", "embedding"]
Engine = Literal["llama-cpp-python", "xllamacpp"]
Profile = Literal["cpu", "gpu"]
Role = Literal["label", "questions", "sparql", "dialogue", "verify", "judge"]

ROLES: tuple[Role, ...] = get_args(Role)

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""A model's name; it becomes the name of a folder and of a log file."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


BELONGS: dict[str, Backend] = {
    **dict.fromkeys(("quantisation", "shape", "weights_bytes", "smaller", "chat_template"), "vllm"),
    "dialect": "endpoint",
    "engine": "llama-cpp",
}
"""Keys that only an entry of one backend may have."""


class WeightsFile(Strict):
    """One file of a model. `size` (bytes) and `sha256` may be left out: then the first pull pins them."""

    name: Annotated[str, Field(pattern=r"^[^/\\]+$")]
    size: int | None = Field(default=None, gt=0)
    sha256: Sha256 | None = None


class HuggingFace(Strict):
    """A repository; where an entry lists no files, `patterns` says which of the repository's files are wanted."""

    repository: str
    revision: str = "main"
    patterns: tuple[str, ...] = ()


class Wheels(Strict):
    """Packages that carry the files: part n of `parts` is `package` with {n} filled in, at `version`."""

    package: str
    version: str
    member: str
    parts: int = Field(default=1, ge=1)


class Shape(Strict):
    """What the size of a model's KV cache follows from, as its config.json has it."""

    layers: int = Field(gt=0)
    kv_heads: int = Field(gt=0)
    head_dim: int = Field(gt=0)


class Table(Strict):
    """`[models.NAME]`. For an endpoint, `served_name` is what that server calls the model (default: NAME), `key_env`
    the environment variable that holds its key, and `dialect` what it is, where that is known to take grammars.

    For vLLM, `shape` and `weights_bytes` are what a plan counts with until the weights are here, `smaller` is the model
    that stands in where the card is too small, and `concurrency` (of an endpoint and of llama.cpp too) the requests
    planned for at once. `engine` is the packaging of llama.cpp that serves a model: see `engines`.
    """

    title: str = ""
    backend: Backend
    context: int = Field(default=4096, ge=128)
    licence: str = ""
    system_role: bool = True
    files: tuple[WeightsFile, ...] = ()
    huggingface: HuggingFace | None = None
    wheels: Wheels | None = None
    endpoint: str | None = None
    served_name: str | None = None
    key_env: str | None = None
    dialect: Literal["vllm"] | None = None
    script: Path | None = None
    engine: Engine | None = None
    concurrency: int | None = Field(default=None, ge=1)
    quantisation: str | None = None
    shape: Shape | None = None
    weights_bytes: int | None = Field(default=None, gt=0)
    smaller: Name | None = None
    chat_template: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Table:
        for key, backend in BELONGS.items():
            if getattr(self, key) is not None and self.backend != backend:
                raise ValueError(f"no key {key!r}, which belongs to backend {backend!r}")
        needed = {"endpoint": self.endpoint, "scripted": self.script}
        if self.backend in needed:
            key = "endpoint" if self.backend == "endpoint" else "script"
            if needed[self.backend] is None:
                raise ValueError(f"backend {self.backend!r} needs the key {key!r}")
            return self
        if not self.files and not (self.huggingface and self.huggingface.patterns):
            raise ValueError("'files', or 'huggingface' with 'patterns', says what the weights are")
        if self.backend == "llama-cpp" and len(self.files) != 1:
            raise ValueError("backend 'llama-cpp' takes exactly one file")
        return self


class Entry(Table):
    """A model with its name and, for `script`, an absolute path."""

    name: Name

    @property
    def size(self) -> int | None:
        """Bytes of all files, or None while a size is not pinned."""
        sizes = [file.size for file in self.files]
        return None if not sizes or None in sizes else sum(size or 0 for size in sizes)


class Roles(Strict):
    """`[roles.cpu]` or `[roles.gpu]`: a model per role."""

    label: str
    questions: str
    sparql: str
    dialogue: str
    verify: str
    judge: str


class Profiles(Strict):
    cpu: Roles | None = None
    gpu: Roles | None = None


class Privacy(Strict):
    allow: tuple[str, ...] = ()


class File(Strict):
    """The whole of models.toml."""

    models: dict[Name, Table]
    roles: Profiles = Profiles()
    privacy: Privacy = Privacy()


class Catalog:
    """What a models.toml says. `source` is its path, `allow` the hosts that the user lets us contact. `engine` goes
    before what the file says of an entry.
    """

    def __init__(self, file: File, source: Path, engine: Engine | None = None) -> None:
        self.source = source
        self.allow = file.privacy.allow
        self._profiles = file.roles
        self._entries = {name: _entry(name, table, source, engine) for name, table in file.models.items()}
        for entry in self._entries.values():
            self._check_smaller(entry)
        for profile in get_args(Profile):
            if (table := getattr(file.roles, profile)) is not None:
                for role in ROLES:
                    self._check_role(f"roles.{profile}.{role}", role, getattr(table, role))

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def entry(self, name: str) -> Entry:
        """The entry of a model.

        Raises:
            UnknownName: there is none of that name.
        """
        return self._entries[known(name, self.names, "model", "chattygen list-models")]

    def stand_ins(self, name: str) -> list[Entry]:
        """The entry of a model, and after it those that stand in for it on a smaller card, one smaller than the other.

        Raises:
            UnknownName: there is no model of that name.
        """
        entries = [self.entry(name)]
        while entries[-1].smaller:
            entries.append(self._entries[entries[-1].smaller])
        return entries

    def roles(self, profile: Profile, overrides: Mapping[str, str] | None = None) -> dict[Role, str]:
        """Which model plays each role: `[roles.PROFILE]`, changed by `overrides` (role -> model).

        Raises:
            UnknownName: an override names no role or no model.
            ConfigError: the file has no such profile, or a role gets a model of the wrong kind.
        """
        overrides = overrides or {}
        for role, name in overrides.items():
            known(role, list(ROLES), "role", "chattygen list-models")
            self.entry(name)
            self._check_role(f"override of {role}", role, name)
        table = getattr(self._profiles, profile)
        if table is None and any(role not in overrides for role in ROLES):
            raise ConfigError(
                f"{self.source}: key roles.{profile}: got nothing", f"expected a model for each of: {', '.join(ROLES)}"
            )
        return {role: overrides.get(role) or getattr(table, role) for role in ROLES}

    def roles_of(self, name: str) -> list[str]:
        """Where a model is used by default, as `cpu:questions`."""
        tables = [(profile, getattr(self._profiles, profile)) for profile in get_args(Profile)]
        return [f"{p}:{role}" for p, table in tables if table for role in ROLES if getattr(table, role) == name]

    def _check_smaller(self, entry: Entry) -> None:
        """`smaller` leads from one vLLM model to the next, and comes to an end."""
        passed, name = [entry.name], entry.smaller
        while name is not None:
            fitting = [n for n, e in self._entries.items() if e.backend == "vllm" and n not in passed]
            if name not in fitting:
                raise ConfigError(
                    f"{self.source}: key models.{passed[-1]}.smaller: got {name!r}",
                    f"expected another model of backend 'vllm': {', '.join(fitting) or 'there is none'}",
                )
            passed.append(name)
            name = self._entries[name].smaller

    def _check_role(self, key: str, role: str, name: str) -> None:
        """`verify` is a sentence embedding, every other role a language model."""
        fitting = [n for n, entry in self._entries.items() if (entry.backend == "embedding") == (role == "verify")]
        if name not in fitting:
            raise ConfigError(f"{self.source}: key {key}: got {name!r}", f"expected one of: {', '.join(fitting)}")


def _entry(name: str, table: Table, source: Path, engine: Engine | None) -> Entry:
    given = table.model_dump() | {"name": name}
    if engine and table.backend == "llama-cpp":
        given["engine"] = engine
    if table.script is not None:
        given["script"] = (source.parent / table.script).absolute()
    return Entry.model_validate(given)


def load_catalog(home: Home, path: Path | None = None, engine: Engine | None = None) -> Catalog:
    """Read `path`, else HOME/models.toml, else the models.toml that comes with chattygen; `engine` as in `Catalog`.

    Raises:
        ConfigError: names file, key, got and expected.
    """
    package = Path(__file__).resolve().parent.parent
    candidates = [home.path / "models.toml", package / "models.toml", package.parent / "models.toml"]
    source = path or next((file for file in candidates if file.is_file()), candidates[0])
    return Catalog(read_toml(source, File), source, engine)


def names_for(catalog: Catalog, words: Sequence[str], profile: Profile) -> list[str]:
    """Turn role and model names, or nothing (all roles), into distinct model names in a stable order.

    Raises:
        UnknownName: a word is neither a role nor a model.
    """
    names = []
    for word in words or ROLES:
        if word in ROLES:
            names.append(catalog.roles(profile)[word])
        elif word in catalog.names:
            names.append(word)
        else:
            there = f"roles: {', '.join(ROLES)}; models: {', '.join(catalog.names)}"
            raise UnknownName(f"{word!r} is neither a role nor a model; {there}", "run: chattygen list-models")
    return list(dict.fromkeys(names))


def detect_profile() -> Profile:
    """`gpu` where the driver reports an NVIDIA card and vLLM is installed, else `cpu`."""
    return "gpu" if find_spec("vllm") and devices() else "cpu"
