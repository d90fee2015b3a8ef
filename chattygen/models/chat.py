"""One client for every OpenAI-compatible server: how each backend spells a constraint, and what a reply is.

llama.cpp and vLLM take the GBNF grammar itself; any other server gets a JSON schema, and its reply is turned back into
lines. No reply is trusted: the caller validates it. Knows nothing about how servers are started.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from chattygen.errors import CallError
from chattygen.models.model import Completion, Constraint, Message
from chattygen.privacy import check_host

Dialect = Literal["llama-cpp", "vllm", "endpoint"]
"""How a server wants a constraint to be spelled, and whether it counts tokens."""

TIMEOUT = 600.0
"""Seconds a call may take: a long prompt on a slow CPU."""

_THINKING = re.compile(r"\s*<think>(?P<thinking>.*?)(?:</think>\s*|(?P<open>\Z))", re.DOTALL)


class ChatModel:
    """A model behind an OpenAI-compatible server; implements `model.Model`.

    Args:
        name: the entry in models.toml.
        context: tokens per request.
        url: base URL, ending in /v1.
        key: the server's API key, or empty.
        revision: as in `model.Model`.
        served_name: what the server calls the model, if not `name`.
        allow: hosts beyond loopback that may be contacted.
        system_role: False folds system text into the first user turn.
        timeout: seconds per call.

    Raises:
        PrivacyError: the host is neither loopback nor allowed.
    """

    def __init__(
        self,
        name: str,
        context: int,
        url: str,
        key: str = "",
        *,
        dialect: Dialect,
        revision: str = "",
        served_name: str = "",
        allow: Collection[str] = (),
        system_role: bool = True,
        timeout: float = TIMEOUT,
    ) -> None:
        check_host(url, allow)
        import httpx2
        import openai

        self.name = name
        self.revision = revision
        self.context = context
        # llama.cpp takes one request after the other; a server that batches rounds differently from batch to batch.
        self.repeatable = dialect == "llama-cpp"
        self.dialect = dialect
        self._served_name = served_name or name
        self._system_role = system_role
        self._root = url.rstrip("/").removesuffix("/v1")
        # No proxy from the environment, no redirect to a host that was not checked, no retry that nobody counts.
        key = key or "none"
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx2.Client(trust_env=False, follow_redirects=False, timeout=timeout, headers=headers)
        self._client = openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=timeout, http_client=self._http)
        # llama-cpp-python has one slot, and some releases crashed under concurrent requests.
        self._turn: AbstractContextManager[Any] = threading.Lock() if dialect == "llama-cpp" else nullcontext()

    def close(self) -> None:
        self._client.close()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        constraint: Constraint | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Completion:
        """See `model.Model`."""
        with self._turn, self._failures():
            begun = time.monotonic()
            if self.dialect == "llama-cpp":
                self._prime(messages)
            reply = self._send(
                messages,
                max_tokens=max_tokens,
                temperature=temperature,
                seed=seed,
                extra_body=spell(constraint, self.dialect) if constraint else None,
            )
            seconds = time.monotonic() - begun
        return _completion(reply, seconds, lines_of if constraint and self.dialect == "endpoint" else str)

    def _prime(self, messages: Sequence[Message]) -> None:
        """Leave the server with nothing in its cache but the instruction, so that the reply does not depend on what was
        asked before.

        llama.cpp evaluates what it has not in its cache as one batch, four tokens at a time, and rounds those that are
        left over differently. Where a prompt ends within a batch depends on how much of it the prompt before had in
        common. After this short one, that is always the instruction.
        """
        instruction = [message for message in messages if message[0] == "system"]
        if instruction:
            self._send([*instruction, ("user", ".")], max_tokens=1)

    def _send(self, messages: Sequence[Message], **options: Any) -> _Reply:
        turns: list[Any] = [
            {"role": role, "content": text} for role, text in (messages if self._system_role else fold_system(messages))
        ]
        response = self._client.chat.completions.with_raw_response.create(
            model=self._served_name, messages=turns, **options
        )
        return _Reply.model_validate_json(response.http_response.content)

    def count_tokens(self, text: str) -> int:
        """See `model.Model`. Other servers than our own tell no counts: then three characters count as a token, which
        is more tokens than any usual tokenizer makes of European text.
        """
        if self.dialect == "endpoint":
            return math.ceil(len(text) / 3)
        if self.dialect == "llama-cpp":
            path, body = "/extras/tokenize/count", {"input": text}
        else:
            path, body = "/tokenize", {"model": self._served_name, "prompt": text}
        with self._turn, self._failures():
            response = self._http.post(self._root + path, json=body)
            response.raise_for_status()
            return _Count.model_validate_json(response.content).count

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn whatever a call can raise into a CallError with a reason of one line."""
        import httpx2
        import openai

        try:
            yield
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in first["loc"]) or "reply"
            reason = f"the answer is not a completion: {key}: {first['msg']}"
        except (openai.APITimeoutError, httpx2.TimeoutException):
            reason = "no answer in time"
        except openai.APIStatusError as error:
            reason = f"status {error.status_code}: {error.response.text}"
        except openai.APIConnectionError as error:
            reason = f"no connection: {error.__cause__ or error}"
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            reason = str(error)
        else:
            return
        raise CallError(
            f"the call to {self.name} failed: {' '.join(reason.split())[:300]}",
            "see: chattygen status, and the log that it names" if self.dialect != "endpoint" else f"see {self._root}",
        )


class _Message(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Details(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _Details | None = None


class _Reply(BaseModel):
    """What a reply must hold to be a completion: usage is the server's, never guessed."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage


class _Count(BaseModel):
    count: int


def _completion(reply: _Reply, seconds: float, plain: Callable[[str], str]) -> Completion:
    """The reply without its thinking; one that is nothing but thinking was cut off, whatever the server says."""
    choice, usage = reply.choices[0], reply.usage
    text, thinking = choice.message.content or "", choice.message.reasoning_content or ""
    cut = choice.finish_reason == "length"
    if block := _THINKING.match(text):
        text, thinking = text[block.end() :], block["thinking"].strip()
    details = usage.prompt_tokens_details
    return Completion(
        text=plain(text),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        finish="length" if cut or (thinking and not text) else "stop",
        seconds=seconds,
        thinking=thinking,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
    )


def fold_system(messages: Sequence[Message]) -> list[Message]:
    """Put system text before the first user turn, for chat templates that know no system role."""
    system = [text for role, text in messages if role == "system"]
    rest = [message for message in messages if message[0] != "system"]
    if not system or not rest:
        return rest
    (role, text), *others = rest
    return [(role, "\n\n".join([*system, text])), *others]


def spell(constraint: Constraint, dialect: Dialect) -> dict[str, Any]:
    """The fields of the request that make the server keep to `constraint`."""
    if dialect == "llama-cpp":
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


def lines_of(text: str) -> str:
    """The lines in a {"lines": [...]} reply, joined by newlines; anything else as it is, for the caller to refuse."""
    try:
        return "\n".join(_Lines.model_validate_json(text).lines)
    except ValidationError:
        return text


class _Lines(BaseModel):
    lines: list[str]
