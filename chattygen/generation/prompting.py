"""Prompts are jinja files in prompts/: `<stage>.jinja` holds the shared instruction, a line `---`, and the part that
changes with the seed. The instruction comes first so that a server reuses its prefix from one seed to the next.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

import jinja2

from chattygen.models.model import Message


@cache
def _source(stage: str) -> tuple[str, str]:
    text = files("chattygen.generation").joinpath("prompts", f"{stage}.jinja").read_text(encoding="utf-8")
    system, _, user = text.partition("\n---\n")
    return system, user


@cache
def prompt_hash(stage: str) -> str:
    """Identifies the version of a stage's prompt in every recorded call: 12 hexadecimal digits."""
    return hashlib.sha256("\n---\n".join(_source(stage)).encode()).hexdigest()[:12]


def render(stage: str, **values: object) -> tuple[Message, ...]:
    """The messages of one call; an undefined variable is an error, never an empty string."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    system, user = _source(stage)
    return (
        ("system", environment.from_string(system).render()),
        ("user", environment.from_string(user).render(**values).strip()),
    )
