"""How each kind of server wants a request spelled: its constraint, its system text, its question for a token count.

llama.cpp and vLLM take the GBNF grammar itself; any other server gets a JSON schema, and its reply is turned back into
lines. Knows nothing about HTTP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel
from pydantic_core import from_json

from chattygen.models.model import Constraint, Message

Dialect = Literal["llama-cpp", "xllamacpp", "vllm", "endpoint"]
"""How a server wants a constraint to be spelled, and whether it counts tokens."""


def spell(constraint: Constraint, dialect: Dialect) -> dict[str, Any]:
    """The fields of the request that make the server keep to `constraint`."""
    if dialect in ("llama-cpp", "xllamacpp"):
        return {"grammar": constraint.grammar}
    if dialect == "vllm":
        return {"structured_outputs": {"grammar": constraint.grammar}}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "lines", "schema": schema(constraint)}}}


def schema(constraint: Constraint) -> dict[str, Any]:
    """JSON schema of {"lines": [...]} with exactly as many strings as the constraint has lines, all bounded."""
    free = {"type": "string", "maxLength": constraint.max_line}
    items = [{"enum": list(texts)} if texts else free for texts in constraint.choices] or [free] * constraint.lines
    lines: dict[str, Any] = {"type": "array", "minItems": constraint.lines, "maxItems": constraint.lines}
    if all(item == items[0] for item in items):
        lines["items"] = items[0]
    else:
        lines |= {"prefixItems": items, "items": False}
    return {"type": "object", "properties": {"lines": lines}, "required": ["lines"], "additionalProperties": False}


def lines_of(text: str, *, cut: bool = False) -> str:
    """The lines in a {"lines": [...]} reply, joined by newlines; anything else as it is, for the caller to refuse.

    Of a reply that was cut, the lines that are there, the last of them cut, and the white space behind them.
    """
    try:
        if not cut:
            return "\n".join(_Lines.model_validate_json(text).lines)
        found = _Lines.model_validate(from_json(text, allow_partial="trailing-strings"))
        return "\n".join(found.lines) + text[len(text.rstrip()) :]
    except ValueError:
        return text


class _Lines(BaseModel):
    lines: list[str]


def count_request(text: str, dialect: Dialect, model: str) -> tuple[str, dict[str, str]]:
    """Path and body of the request for the number of tokens of `text`; `endpoint` has none."""
    if dialect == "vllm":
        return "/tokenize", {"model": model, "prompt": text}
    if dialect == "xllamacpp":
        return "/tokenize", {"content": text}
    return "/extras/tokenize/count", {"input": text}


def fold_system(messages: Sequence[Message]) -> list[Message]:
    """Put system text before the first user turn, for chat templates that know no system role."""
    system = [text for role, text in messages if role == "system"]
    rest = [message for message in messages if message[0] != "system"]
    if not system or not rest:
        return rest
    (role, text), *others = rest
    return [(role, "\n\n".join([*system, text])), *others]
