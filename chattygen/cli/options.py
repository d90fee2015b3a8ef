"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from chattygen.config import Home

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


def engine_option(command: F) -> F:
    """`--engine`: the packaging of llama.cpp; arrives as `engine` (None: as models.toml says, or what is installed)."""
    return click.option(
        "--engine",
        type=click.Choice(["llama-cpp-python", "xllamacpp"]),
        envvar="CHATTYGEN_ENGINE",
        help="What serves models on the CPU.  [default: what is installed, llama-cpp-python first]"
        "  [env: CHATTYGEN_ENGINE]",
    )(command)
