"""A real HTTP server on loopback that answers as a test tells it to."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any


Answer = tuple[int, bytes | Iterator[bytes], dict[str, str]]
"""(status, body, headers). A body that is not bytes is sent piece by piece, without its length."""


class ResetInTheMiddle(Exception):
    """Raised instead of an answer: the connection is reset when half of the body is sent."""


@dataclass
class Fake:
    """The requests that arrived, how many were there at once, and the answer to a request."""

    answer: Callable[[Request], Answer]
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    at_once: int = 0
    most_at_once: int = 0


def completion(text: str | None, *, finish: str = "stop", usage: dict[str, Any] | None = None, **message: Any) -> bytes:
    usage = {"prompt_tokens": 700, "completion_tokens": 3, "total_tokens": 703} if usage is None else usage
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


JSON = {"Content-Type": "application/json"}


@contextmanager
def serving(answer: Callable[[Request], Answer]) -> Iterator[Fake]:
    fake, counting = Fake(answer), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            fake.requests.append(request)
            with counting:
                fake.at_once += 1
                fake.most_at_once = max(fake.most_at_once, fake.at_once)
            try:
                status, content, headers = fake.answer(request)
            except ResetInTheMiddle:
                self._reset()
                return
            finally:
                with counting:
                    fake.at_once -= 1
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if isinstance(content, bytes) and "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    for piece in [content] if isinstance(content, bytes) else content:
                        self.wfile.write(piece)

        def _reset(self) -> None:
            whole = completion("When was X born?")
            self.send_response(200)
            self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole[: len(whole) // 2])
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

        do_GET = do_HEAD = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
