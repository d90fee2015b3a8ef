"""Prompts of evaluation are jinja files in prompts/, in the form of those of generation: `<stage>.jinja` holds the
shared instruction, a line `---`, and the part that changes. The instruction comes first so that a server reuses its
prefix.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

import jinja2

from chattygen.models.model import Message


@cache
def _source(stage: str) -> str:
    return files("chattygen.evaluation").joinpath("prompts", f"{stage}.jinja").read_text(encoding="utf-8")


def prompt_hash(stage: str) -> str:
    """Identifies the version of a prompt in every recorded call: 12 hexadecimal digits."""
    return hashlib.sha256(_source(stage).encode()).hexdigest()[:12]


def render(stage: str, **values: object) -> tuple[Message, ...]:
    """The messages of one call; an undefined variable is an error, never an empty string."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    system, _, user = _source(stage).partition("\n---\n")
    return (
        ("system", environment.from_string(system).render()),
        ("user", environment.from_string(user).render(**values).strip()),
    )
