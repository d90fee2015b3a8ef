"""The file of what a model has judged about the facts of a graph: kept with the graph, mended by a person.

A line for each node type and predicate, with a score as in `[settings.interest]` of a recipe, which goes before it.
Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel

from chattygen.config import add_toml, read_toml, toml_text

DULL = 0.5
"""The score of what a model says nobody would ask: behind everything else, but before what looks like records."""

HEADER = """\
# Would a person ask about it? chattygen generate --judge-interest
#
# class . predicate = 1 or less: what has less than 1 is asked about only after everything else, what has 0 never.
# Change what you like; it is used as it stands here. [settings.interest] of the recipe goes before it. What is new is
# added at the end.
"""

Score = Annotated[float, Field(ge=0, le=1)]
Scores = Mapping[str, Mapping[str, float]]
"""Node type IRI -> predicate IRI -> score."""


class _File(RootModel[dict[str, dict[str, Score]]]):
    pass


def read(path: Path) -> Scores:
    """The scores of a file; none if there is no file.

    Raises:
        ConfigError: it is no such file: names file, key, got, expected.
    """
    return read_toml(path, _File).root if path.exists() else {}


def add(path: Path, node_type: str, scores: Mapping[str, float], labels: Mapping[str, str]) -> None:
    """Add the scores of a node type at the end of a file, which is made if it is not there."""
    said = {predicate: " ".join(labels.get(predicate, "").split()) for predicate in scores}
    lines = (
        f"{toml_text(node_type)}.{toml_text(predicate)} = {score:g}{'  # ' * bool(said[predicate])}{said[predicate]}"
        for predicate, score in scores.items()
    )
    add_toml(path, HEADER, "\n" + "".join(f"{line}\n" for line in lines))
