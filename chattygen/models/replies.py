"""What an OpenAI-compatible server's answer must hold to be a completion, and what is made of it.

Token counts are the server's own, never guessed. Knows nothing about HTTP, nor about what the reply should say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, Field, model_validator

from chattygen.models.model import Completion

_THINKING = re.compile(r"\s*<think>(?P<thinking>.*?)(?:</think>\s*|\Z)", re.DOTALL)

BROKEN_OFF = ("abort", "error")
"""What vLLM gives as the reason for a reply that it did not finish."""


class Message(BaseModel):
    """`reasoning` and `reasoning_content` are two names for thinking that the server has taken out itself."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(BaseModel):
    message: Message
    finish_reason: str | None = None


class Details(BaseModel):
    cached_tokens: int | None = None


class Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: Details | None = None


class Reply(BaseModel):
    """An answer to a request for a chat completion."""

    choices: list[Choice] = Field(min_length=1)
    usage: Usage


class Done(BaseModel):
    """An answer that nothing is wanted from."""


class Count(BaseModel):
    """An answer to a request for a token count. llama.cpp's own server gives the tokens, not their number."""

    count: int

    @model_validator(mode="before")
    @classmethod
    def _counted(cls, told: Any) -> Any:
        if isinstance(told, dict) and "count" not in told and isinstance(told.get("tokens"), list):
            return {"count": len(told["tokens"])}
        return told


def completion(reply: Reply, seconds: float, plain: Callable[[str, bool], str]) -> Completion:
    """The reply without its thinking; one that is nothing but thinking was cut off, whatever the server says.

    `plain` turns (text, whether it was cut) into lines.
    """
    choice, usage = reply.choices[0], reply.usage
    message = choice.message
    text, thinking = message.content or "", message.reasoning_content or message.reasoning or ""
    if block := _THINKING.match(text):
        text, thinking = text[block.end() :], block["thinking"].strip()
    cut = choice.finish_reason == "length" or bool(thinking and not text)
    details = usage.prompt_tokens_details
    return Completion(
        text=plain(text, cut),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        finish="length" if cut else "stop",
        seconds=seconds,
        thinking=thinking,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
    )
