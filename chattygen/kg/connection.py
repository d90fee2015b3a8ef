"""HTTP to an endpoint that ends when it must: no proxy, no redirect, and a connection that is cut at the deadline.

A time limit on each read holds nothing: a server that sends a byte now and then keeps every read alive. Knows nothing
about SPARQL.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from threading import Timer
from typing import Any
from urllib import request


class Line:
    """The connections of one request, which are cut after so many seconds. Use it in a `with` statement."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.cut = False
        self._sockets: list[socket.socket] = []
        self._timer = Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Line:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def hold(self, connected: socket.socket) -> None:
        """Cut this connection when it is time; at once if it was."""
        self._sockets.append(connected)
        if self.cut:
            self._cut()

    def _cut(self) -> None:
        self.cut = True
        for connected in self._sockets:
            with suppress(OSError):  # it was closed already
                socket.socket.shutdown(connected, socket.SHUT_RDWR)


def opener(line: Line, url: str, user: str, password: str) -> request.OpenerDirector:
    """What opens requests over `line`; with a user, it answers when `url` asks for a digest of the password.

    A status that is no success is raised as urllib.error.HTTPError.
    """
    # Bare: build_opener would add proxies, redirects and files.
    bare = request.OpenerDirector()
    for handler in (_Http(line), _Https(line), request.HTTPErrorProcessor(), request.HTTPDefaultErrorHandler()):
        bare.add_handler(handler)
    if user:
        passwords = request.HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, url, user, password)
        bare.add_handler(_Digest(passwords))
    return bare


class _Http(request.HTTPHandler):
    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def http_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(partial(_Connection, self._line), req)


class _Https(request.HTTPSHandler):
    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def https_open(self, req: request.Request) -> HTTPResponse:
        return self.do_open(partial(_SecureConnection, self._line), req)


class _Digest(request.HTTPDigestAuthHandler):
    def http_error_401(self, req: request.Request, fp: Any, code: int, msg: str, headers: Any) -> Any:
        if req.has_header("Authorization"):
            return None  # one try: more would lock the user out
        fp.close()  # else nobody does when the request goes out again
        return super().http_error_401(req, fp, code, msg, headers)


class _Connection(HTTPConnection):
    def __init__(self, line: Line, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.hold(self.sock)


class _SecureConnection(HTTPSConnection):
    def __init__(self, line: Line, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.hold(self.sock)
