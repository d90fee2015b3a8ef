"""A real SPARQL 1.1 endpoint on loopback over a real pyoxigraph store, which a test can make misbehave as others do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pyoxigraph

RESULTS = "application/sparql-results+json"
USER = "ada"


@dataclass
class Asked:
    """A request: its query, its graphs, its other parameters, its headers (names in lower case)."""

    method: str
    query: str
    graphs: list[str]
    parameters: dict[str, list[str]]
    headers: dict[str, str]


@dataclass
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": RESULTS})
    body: bytes = b""


@dataclass
class Endpoint:
    """The server and what is wrong with it; whatever is not set is right.

    Attributes:
        asked: the requests so far.
        cap: the most rows that are sent; nothing says so unless `tells`, which is Virtuoso's header for it.
        cut: bytes after which the connection is closed; `chunked`: no length is announced.
        trickle: seconds between two bytes.
        auth: `basic` or `digest`: how it wants USER and `password`.
        busy: so many requests are refused with 503.
        xml: it knows the older format of results only.
        instead: what it says in the place of an answer, or None.
        tries: wrong logins so far.
        hung_up: set once a client has closed its connection before the end.
    """

    store: pyoxigraph.Store
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    cap: int | None = None
    tells: bool = False
    cut: int | None = None
    chunked: bool = False
    trickle: float = 0.0
    auth: str = ""
    password: str = "pa55"
    busy: int = 0
    tries: int = 0
    xml: bool = False
    instead: Callable[[Asked], Reply | None] = lambda asked: None
    hung_up: threading.Event = field(default_factory=threading.Event)

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if self.busy:
            self.busy -= 1
            return Reply(503, {"Content-Type": "text/html"}, b"<html>come back later</html>")
        return self.instead(asked) or self.evaluate(asked)

    def evaluate(self, asked: Asked) -> Reply:
        """What the store says, as the protocol has it."""
        graphs = [pyoxigraph.NamedNode(iri) for iri in asked.graphs] or None
        try:
            found = self.store.query(asked.query, default_graph=graphs)
        except SyntaxError as error:
            return Reply(400, {"Content-Type": "text/plain"}, str(error).encode())
        assert isinstance(found, pyoxigraph.QuerySolutions | pyoxigraph.QueryBoolean)
        if self.xml:
            kind = pyoxigraph.QueryResultsFormat.XML
            return Reply(headers={"Content-Type": kind.media_type}, body=found.serialize(format=kind) or b"")
        body = found.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b""
        return self.capped(body) if self.cap else Reply(body=body)

    def capped(self, body: bytes) -> Reply:
        document = json.loads(body)
        rows = document.get("results", {}).get("bindings", [])
        reply = Reply()
        if self.tells and len(rows) >= (self.cap or 0):
            reply.headers["X-SPARQL-MaxRows"] = str(self.cap)
        del rows[self.cap :]
        reply.body = json.dumps(document).encode()
        return reply

    def lets_in(self, authorization: str, method: str, uri: str) -> bool:
        right = self.is_right(authorization, method, uri)
        self.tries += bool(authorization) and not right
        return right

    def is_right(self, authorization: str, method: str, uri: str) -> bool:
        if self.auth == "basic":
            return authorization == "Basic " + base64.b64encode(f"{USER}:{self.password}".encode()).decode()
        if not authorization.startswith("Digest "):
            return False
        said = dict(re.findall(r'(\w+)="?([^",]*)"?', authorization))
        mine = _md5(f"{USER}:lakes:{self.password}")
        right = _md5(f"{mine}:n0nce:{said['nc']}:{said['cnonce']}:auth:{_md5(f'{method}:{uri}')}")
        return said["response"] == right

    @property
    def queries(self) -> list[str]:
        return [asked.query for asked in self.asked]


def _md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


@contextmanager
def serving(*files: Path, store: pyoxigraph.Store | None = None) -> Iterator[Endpoint]:
    """Serve the triples of some files, or a store, at `url`."""
    store = store or pyoxigraph.Store()
    for file in files:
        store.load(path=file)
    endpoint = Endpoint(store)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parameters = parse_qs(sent.decode(), keep_blank_values=True)
            headers = {name.lower(): value for name, value in self.headers.items()}
            [query], graphs = parameters.pop("query", [""]), parameters.pop("default-graph-uri", [])
            if endpoint.auth and not endpoint.lets_in(headers.get("authorization", ""), "POST", self.path):
                ways = {"basic": 'Basic realm="lakes"', "digest": 'Digest realm="lakes", nonce="n0nce", qop="auth"'}
                way = ways.get(endpoint.auth, endpoint.auth)
                self.send(Reply(401, {"WWW-Authenticate": way, "Content-Type": "text/html"}, b"<h1>Who are you?</h1>"))
                return
            self.send(endpoint.answer(Asked(self.command, query, graphs, parameters, headers)))

        do_GET = do_PUT = do_POST

        def send(self, reply: Reply) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if endpoint.chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                elif "Transfer-Encoding" not in reply.headers:
                    self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.send_body(reply.body)
                return
            endpoint.hung_up.set()

        def send_body(self, body: bytes) -> None:
            self.close_connection = True
            if endpoint.trickle:
                for byte in body:
                    time.sleep(endpoint.trickle)
                    self.wfile.write(bytes([byte]))
            sent = body if endpoint.cut is None else body[: endpoint.cut]
            if endpoint.chunked:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent))
                if endpoint.cut is None:
                    self.wfile.write(b"0\r\n\r\n")
            else:
                self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/sparql"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
