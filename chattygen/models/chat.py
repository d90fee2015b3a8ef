"""One client for every OpenAI-compatible server: send a request, wait for the whole answer, say what went wrong.

A call is made once: whether it is repeated is the caller's to decide, for whom failures that may pass have a class of
their own. No reply is trusted: the caller validates it. Knows nothing about how servers are started.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from chattygen.errors import CallError, ConnectionLost, PassingError
from chattygen.models.model import Completion, Constraint, Message
from chattygen.models.replies import BROKEN_OFF, Count, Done, Reply, completion
from chattygen.models.spelling import Dialect, count_request, fold_system, lines_of, spell
from chattygen.privacy import check_host

if TYPE_CHECKING:
    import httpx2

TIMEOUT = 600.0
"""Seconds a call may take: a long prompt on a slow CPU."""

LARGEST = 10_000_000
"""Bytes that an answer may have. A real one has some kilobytes; this one does not end."""

IDLE = 2.0
"""Seconds for which an unused connection is kept. Servers close theirs after five: none must be met while it closes."""

PASSING = (408, 425, 429, 500, 502, 503, 504)
"""Statuses of a server that may answer the same request later."""

CHARACTERS_PER_TOKEN = 3
"""Of the shortest usual tokens, on average: more tokens than any usual tokenizer makes of European text."""

Form = TypeVar("Form", bound=BaseModel)


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
        slots: how many requests the server takes at once, where that is known.
        own: the server is the user's own, not one that we started: errors name its address.
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
        slots: int = 1,
        own: bool = False,
        timeout: float = TIMEOUT,
    ) -> None:
        check_host(url, allow)
        import httpx2

        self.name = name
        self.revision = revision
        self.context = context
        # A server that works on several requests at once rounds differently from batch to batch.
        self.repeatable = dialect in ("llama-cpp", "xllamacpp") and slots == 1
        self.exact = dialect != "endpoint"
        self.dialect = dialect
        self._served_name = served_name or name
        self._system_role = system_role
        self._own = own or dialect == "endpoint"
        self._root = url.rstrip("/").removesuffix("/v1")
        self._timeout = timeout
        self._key = key
        # No proxy or password from the environment, and no redirect to a host that was not checked.
        self._http = httpx2.Client(
            trust_env=False,
            follow_redirects=False,
            timeout=timeout,
            limits=httpx2.Limits(keepalive_expiry=IDLE),
            headers={"Authorization": f"Bearer {key or 'none'}"},
        )
        # Priming and the call must follow each other. Some releases of llama-cpp-python crashed under several requests.
        self._instruction: list[Message] = []
        self._turn: AbstractContextManager[Any] = threading.Lock() if self.repeatable else nullcontext()

    def close(self) -> None:
        self._http.close()

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
        asked = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed}
        with self._turn:
            begun = time.monotonic()
            if self.repeatable:
                self._prime(messages)
            reply = self._send(messages, asked | (spell(constraint, self.dialect) if constraint else {}))
            seconds = time.monotonic() - begun
        if reply.choices[0].finish_reason in BROKEN_OFF:
            raise self._error(PassingError, f"the server broke its reply off ({reply.choices[0].finish_reason})")
        as_lines = constraint is not None and self.dialect == "endpoint"
        return completion(reply, seconds, lambda text, cut: lines_of(text, cut=cut) if as_lines else text)

    def _prime(self, messages: Sequence[Message]) -> None:
        """Leave the server with nothing in its cache but the instruction, so that the reply does not depend on what was
        asked before.

        llama.cpp evaluates what it has not in its cache as one batch, four tokens at a time, and rounds those that are
        left over differently. Where a prompt ends within a batch depends on how much of it the prompt before had in
        common. After this short one, that is always the instruction.
        """
        instruction = [message for message in messages if message[0] == "system"]
        if not instruction:
            return
        if instruction != self._instruction:
            # Two instructions begin alike, and a part of one would stay; this text has nothing in common with either.
            self._post("/v1/completions", {"model": self._served_name, "prompt": ".", "max_tokens": 1}, Done)
            self._instruction = instruction
        self._send([*instruction, ("user", ".")], {"max_tokens": 1})

    def _send(self, messages: Sequence[Message], asked: Mapping[str, Any]) -> Reply:
        turns = [
            {"role": role, "content": text} for role, text in (messages if self._system_role else fold_system(messages))
        ]
        return self._post("/v1/chat/completions", {"model": self._served_name, "messages": turns, **asked}, Reply)

    def count_tokens(self, text: str) -> int:
        """See `model.Model`. Other servers than our own tell no counts: then three characters count as a token."""
        if self.dialect == "endpoint":
            return -(-len(text) // CHARACTERS_PER_TOKEN)
        with self._turn:
            return self._post(*count_request(text, self.dialect, self._served_name), Count).count

    def _post(self, path: str, body: Mapping[str, Any], form: type[Form]) -> Form:
        """The server's answer to `body`, in the form that it must have."""
        import httpx2

        try:
            with self._http.stream("POST", self._root + path, json=body) as response:
                content = self._read(response)
        except httpx2.TimeoutException:
            raise self._error(PassingError, "no answer in time") from None
        except httpx2.ConnectError as error:
            raise self._error(ConnectionLost, f"no connection: {error}") from None
        except httpx2.TransportError as error:
            raise self._error(ConnectionLost, f"the connection broke: {error}") from None
        except httpx2.HTTPError as error:
            raise self._error(CallError, f"the answer cannot be read: {error}") from None
        if response.status_code != httpx2.codes.OK:
            raise self._refusal(response, content)
        try:
            return form.model_validate_json(content)
        except ValidationError as error:
            raise self._misfit(error, content) from None

    def _read(self, response: httpx2.Response) -> bytes:
        """The whole body, within the call's time even where it comes in drops."""
        deadline, content = time.monotonic() + self._timeout, bytearray()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > LARGEST:
                raise self._error(CallError, f"the answer has more than {LARGEST} bytes")
            if time.monotonic() > deadline:
                raise self._error(PassingError, "no answer in time: it does not end")
        return bytes(content)

    def _refusal(self, response: httpx2.Response, content: bytes) -> CallError:
        """What a status other than 200 means."""
        status = response.status_code
        reason = f"status {status}: {content.decode(errors='replace')}"
        if status in PASSING:
            after = response.headers.get("Retry-After", "")
            return self._error(partial(PassingError, after=float(after) if after.isdecimal() else 0.0), reason)
        return self._error(CallError, reason, HINTS.get(status, "") if self._own else "")

    def _misfit(self, error: ValidationError, content: bytes) -> CallError:
        """What is missing in an answer of status 200."""
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "JSON"
        if key.startswith("usage"):
            hint = "chattygen does not guess token counts: use a server that tells `usage` in every answer"
            return self._error(CallError, f"the server does not tell its token counts: {key}: {first['msg']}", hint)
        begins = content[:80].decode(errors="replace")
        return self._error(CallError, f"the answer is not a completion: {key}: {first['msg']}; it begins: {begins}")

    def _error(self, kind: ErrorKind, reason: str, hint: str = "") -> CallError:
        """An error of one line, and where to look."""
        where = f"see {self._root}" if self._own else "see: chattygen status, and the log that it names"
        if self._key:  # some servers repeat a key that they refuse
            reason = reason.replace(self._key, "[key]")
        return kind(
            f"the call to {self.name} failed: {' '.join(reason.split())[:300]}",
            hint.format(name=self.name, url=self._root) or where,
        )


ErrorKind = type[CallError] | partial[PassingError]

_KEY = "its server at {url} wants another key: set the variable that key_env names for {name} in models.toml"
_REQUEST = "run: chattygen check-model {name}; if the prompt was too long, lower its context in models.toml"
HINTS = {
    400: _REQUEST,
    401: _KEY,
    403: _KEY,
    404: "check endpoint (it ends in /v1) and served_name of {name} in models.toml; asked was {url}",
    413: _REQUEST,
    422: _REQUEST,
}
"""Status -> what the user of an own server can do about it."""
