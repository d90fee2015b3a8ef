"""Prompts of evaluation are jinja files in prompts/, in the form of those of generation: `<stage>.jinja` holds the
shared instruction, a line `---`, and the part that changes. The instruction comes first so that a server reuses its
prefix. Those that a benchmark is played with are an instruction alone, for the dialogue itself is what changes.
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
    system, _, user = _source(stage).partition("\n---\n")
    return ("system", _filled(system)), ("user", _filled(user, **values).strip())


def instruction(prompt: str, **values: object) -> Message:
    """The instruction of a prompt that has no other part."""
    return "system", _filled(_source(prompt), **values).strip()


def _filled(template: str, **values: object) -> str:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    return environment.from_string(template).render(**values)
