"""Options that many commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from chattygen.config import Home
from chattygen.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


def home_option(command: F) -> F:
    """`--home`: the folder of all state; arrives as a `Home` named `home`."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="CHATTYGEN_HOME",
        callback=lambda ctx, param, value: Home(value.absolute()) if value else Home.default(),
        help="Folder that holds graphs, models, logs and results.  [env: CHATTYGEN_HOME]",
    )(command)


def json_option(command: F) -> F:
    """`--json`: machine-readable output; arrives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")(command)


def models_file_option(command: F) -> F:
    """`--models-file`: another models.toml; arrives as `models_file` (None means the one that comes with chattygen)."""
    return click.option(
        "--models-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Use this models.toml instead of HOME/models.toml or the one that comes with chattygen.",
    )(command)


def popularity_options(command: F) -> F:
    """`--popularity`, `--before`, `--date-predicate`: what makes an entity head, torso or tail, and which ones count.

    A file becomes an absolute path, so that a resumed run finds it.
    """
    for option in (
        click.option(
            "--date-predicate", default="", metavar="IRI", help="What states the date of an entity, for --before."
        ),
        click.option("--before", type=int, metavar="YEAR", help="Leave out entities that are newer, or have no date."),
        click.option(
            "--popularity",
            default="",
            metavar="density|IRI|FILE",
            callback=lambda ctx, param, value: str(Path(value).absolute()) if Path(value).is_file() else value,
            help="Popular is what is in many triples, or has a high number under this predicate, or in a file of two"
            " columns, entity and score.  [default: as the recipe says, else density]",
        ),
    ):
        command = option(command)
    return command


def engine_option(command: F) -> F:
    """`--engine`: the packaging of llama.cpp; arrives as `engine` (None: as models.toml says, or what is installed)."""
    return click.option(
        "--engine",
        type=click.Choice(["llama-cpp-python", "xllamacpp"]),
        envvar="CHATTYGEN_ENGINE",
        help="What serves models on the CPU.  [default: what is installed, llama-cpp-python first]"
        "  [env: CHATTYGEN_ENGINE]",
    )(command)


def shares(option: str, given: str, defaults: Mapping[str, float], others: Sequence[str] = ()) -> dict[str, float]:
    """`ellipsis=15,follow-up=10`, in percent, as shares from 0 to 1; what is not given stays as in `defaults`.

    `others` may be given too, and have no share otherwise.

    Raises:
        UsageError: an unknown name, no number, or more than 100 in all.
    """
    found = dict(defaults)
    for pair in given.split(",") if given else []:
        name, _, percent = (part.strip() for part in pair.partition("="))
        if name not in (*defaults, *others) or not re.fullmatch(r"\d+(?:\.\d+)?", percent):
            example = ",".join(f"{known}={share:.0%}".rstrip("%") for known, share in defaults.items())
            raise UsageError(f"{option} {given}: {pair} is not NAME=PERCENT", f"for example: {option} {example}")
        found[name] = float(percent) / 100
    if sum(found.values()) > 1:
        raise UsageError(f"{option} {given}: more than 100 percent in all", "give less of some")
    return found
