"""--entities FILE: dialogues about a user's own list of entities, and what became of those that have none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from chattygen.cli import show
from chattygen.config import Home
from chattygen.domain import Finding, Seed
from chattygen.errors import UsageError
from chattygen.results.reader import LostSeed, Reader

F = TypeVar("F", bound=Callable[..., Any])

INSTEAD = {"dialogues": "--dialogues", "strata": "--strata"}
"""Parameters that choose seeds where no list does."""


def entities_option(command: F) -> F:
    """`--entities`: arrives as the path of the file, or None."""
    return click.option(
        "--entities",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="A dialogue about each of these entities: one IRI a line; what follows a # at the beginning of a line or"
        " behind a space is a comment.",
    )(command)


def read_entities(path: Path) -> tuple[str, ...]:
    """The lines of a file that are not empty, each once, without comments and angle brackets.

    Raises:
        UsageError: there is none, or the file is no text.
    """
    hint = "give a text file with one IRI a line"
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"--entities {path}: {error.strerror}", hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--entities {path}: this is not UTF-8", hint) from error
    said = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    found = tuple(dict.fromkeys(re.sub(r"^<(.*)>$", r"\1", line) for line in said if line))
    if not found:
        raise UsageError(f"--entities {path}: there is no entity in it", hint)
    return found


def alone(settings: Mapping[str, Any]) -> None:
    """Raises UsageError where a list of entities stands beside another choice of seeds."""
    context = click.get_current_context()
    given = [words for name, words in INSTEAD.items() if context.get_parameter_source(name) != ParameterSource.DEFAULT]
    given += ["--phrasing reuse"] if settings["phrasing"] == "reuse" else []
    if given:
        raise UsageError(f"--entities and {given[0]}: the list says which entities get a dialogue", "leave one out")


def draw_list(entities: Iterable[tuple[Seed, Finding | None]]) -> None:
    """The entities of a plan, and what keeps some of them from being seeds."""
    rows = [[seed.iri, seed.label, seed.type_label, _why(refused)] for seed, refused in entities]
    show.table(["entity", "label", "node type", "cannot be a seed"], rows, title="\nentities", whole=["entity"])


def _why(refused: Finding | None) -> str:
    return f"{refused.rule}: {refused.message}" if refused else ""


def lost(home: Home, run: str) -> tuple[LostSeed, ...]:
    """The entities of a run's list that have no dialogue; none for a run without a list."""
    with Reader(home.database) as reader:
        stored = reader.run(run)
        return reader.lost(stored.id) if stored.settings.get("entities") else ()


def draw_lost(seeds: Iterable[LostSeed]) -> None:
    for seed in seeds:
        show.note(f"no dialogue: {seed.iri}  {seed.rule}: {seed.reason}")
