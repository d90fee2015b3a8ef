"""Any SPARQL 1.1 endpoint behind the KnowledgeGraph seam: whole answers before a deadline, or an error that says why.

SPARQLWrapper writes the requests; connection.py sends them, and cuts the connection at the deadline. Endpoints cut
large answers, some without a word. So an answer that may be cut is counted by the endpoint, and fetched in parts when
there is more (parts.py): parts by hash need no ORDER BY and no OFFSET, which Virtuoso refuses beyond 10,000 rows, and
do not shift. Standard SPARQL only. Knows nothing about any particular graph or the paper.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse, IncompleteRead
from itertools import count
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector

from SPARQLWrapper import JSON, POST, SELECT, SPARQLWrapper

from chattygen import __version__
from chattygen.errors import GraphError, QueryError, QueryTimeout, UsageError
from chattygen.kg import parts
from chattygen.kg.answers import Answer, read, refusal, words
from chattygen.kg.connection import Line, opener
from chattygen.kg.graph import Rows
from chattygen.kg.parts import Row
from chattygen.kg.sparql import read_only
from chattygen.privacy import check_host

USER, PASSWORD = "CHATTYGEN_SPARQL_USER", "CHATTYGEN_SPARQL_PASSWORD"
"""The environment variables that hold what an endpoint may ask for; nothing else keeps them."""

ACCEPT = "application/sparql-results+json, application/sparql-results+xml;q=0.5"
MOST_BYTES = 2**29
"""A longer answer is refused: some 2 million rows."""
CERTAIN = 1000
"""Fewer rows than this are believed to be all, unless their number is round."""
PART = 500
"""Rows that are asked for at once when the endpoint's limit is not known."""
SPLITS = 2
"""How often a part that is cut is split again."""
BUSY = (429, 503)
PAUSES = (1.0, 3.0)
"""Seconds before a query goes again to an endpoint that is overloaded."""


@dataclass(frozen=True)
class _Reply:
    """A reply of a server, of any status; not `whole` when the connection was closed before its end."""

    status: int
    headers: Message
    body: bytes
    whole: bool


class EndpointGraph:
    """A KnowledgeGraph at an endpoint. Holds nothing open between queries; may be used by several threads.

    Args:
        graphs: IRIs of the named graphs that are the data; none: the endpoint's default graph.
        allow: hosts beside loopback that may be contacted.
        user, password: given to the endpoint when it asks for them (basic or digest).
        cap: the most rows that the endpoint sends, where that is known for certain.

    Raises:
        PrivacyError: the host is neither loopback nor allowed.
        UsageError: the address is not one of an endpoint.
    """

    def __init__(
        self,
        name: str,
        fingerprint: str,
        url: str,
        *,
        graphs: Sequence[str] = (),
        allow: Collection[str] = (),
        user: str = "",
        password: str = "",
        cap: int = 0,
    ) -> None:
        check_address(url, allow)
        self.name, self.fingerprint = name, fingerprint
        self._url, self._graphs, self._cap = url, tuple(graphs), cap
        self._user, self._password, self._basic = user, password, False
        self._answers = count(1)

    def __enter__(self) -> EndpointGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        """Run a SELECT query; see KnowledgeGraph. The answer is always complete.

        An answer that was fetched in parts is in no particular order.

        Raises:
            GraphError: the endpoint cannot be reached, or lets nobody in.
            QueryTimeout: the deadline passed for all requests together, or the endpoint's own time limit did.
            QueryError: the query was refused, or its answer cannot be had whole.
        """
        clock = _Clock(deadline)
        found, short, capped = self._ask(query, "SELECT", clock)
        if not short and not capped and not self._may_be_cut(len(found.rows)):
            return Rows(found.variables, found.rows)
        total = self._count(query, clock)
        if short or total != len(found.rows):
            most = PART if short else len(found.rows) or PART
            return Rows(found.variables, self._in_parts(query, found.variables, total, most, short, clock))
        return Rows(found.variables, found.rows)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        """Run an ASK query; errors as in `select`."""
        found, short, _ = self._ask(query, "ASK", _Clock(deadline))
        if short:
            raise _incomplete(short)
        return bool(found.boolean)

    def close(self) -> None:
        """Nothing to free: each request has a connection of its own."""

    # -----------------------------------------------------------------------------------------------------------------
    # Whole answers

    def _ask(self, query: str, form: str, clock: _Clock) -> tuple[Answer, str, bool]:
        """The endpoint's answer; why it is less than all (or ""); whether it has reached a limit on rows."""
        unsafe = read_only(query)
        if unsafe:
            raise QueryError(unsafe.message, "ask with a SELECT or ASK over this graph")
        if parts.form(query) != form:
            raise QueryError(f"the query is not of the form {form}", f"ask with a query that begins {form}")
        reply = self._send(query, clock)
        found = read(reply.body, f"{next(self._answers)}_")
        if not found.whole or not reply.whole:
            return found, "the connection was closed in the middle of it", False
        if (found.boolean is None) == (form == "ASK"):
            raise QueryError(f"the endpoint's answer is none to a query that begins {form}", "check its address")
        return found, _partial(reply), any(re.search("max-?rows", name, re.IGNORECASE) for name in reply.headers)

    def _may_be_cut(self, rows: int) -> bool:
        """Whether so many rows could be a limit of the endpoint's."""
        if self._cap:
            return rows >= self._cap
        return rows >= CERTAIN or (rows > 0 and rows % 100 == 0)

    def _count(self, query: str, clock: _Clock) -> int:
        """How many rows the query has, as the endpoint counts them."""
        found, short, _ = self._ask(parts.count(query), "SELECT", clock)
        if short or len(found.rows) != 1 or found.rows[0][0] is None:
            raise _incomplete(short or "no count of its rows")
        return int(found.rows[0][0].value)

    def _in_parts(
        self, query: str, variables: Sequence[str], total: int, most: int, short: str, clock: _Clock
    ) -> tuple[Row, ...]:
        """All `total` rows, in parts of fewer than `most`.

        Raises:
            QueryError: the parts do not add up, overlap, or are themselves cut.
        """
        if not parts.can_be_split(variables):
            raise _incomplete(short or f"{most} of {total} rows")
        number = 3 * total // (2 * most) + 2
        found = [
            rows
            for hashes in parts.divided(range(parts.HASHES), number)
            for rows in self._part(query, variables, hashes, most, SPLITS, clock)
        ]
        got = sum(map(len, found))
        if got != total or not parts.disjoint(found):
            raise QueryError(
                f"the endpoint counts {total} rows and gives {got} in parts that do not fit together",
                "ask again when its data do not change; if they do not, the endpoint cannot be used",
            )
        return tuple(row for rows in found for row in rows)

    def _part(
        self, query: str, variables: Sequence[str], hashes: range, most: int, splits: int, clock: _Clock
    ) -> Iterable[tuple[Row, ...]]:
        """The rows with these hashes; a part that is cut itself is split again."""
        found, short, capped = self._ask(parts.part(query, variables, hashes), "SELECT", clock)
        if not short and not capped and len(found.rows) < most:
            yield found.rows
        elif not splits or len(hashes) == 1:
            raise _incomplete(short or f"{len(found.rows)} rows that are alike")
        else:
            for fewer in parts.divided(hashes, 8):
                yield from self._part(query, variables, fewer, most, splits - 1, clock)

    # -----------------------------------------------------------------------------------------------------------------
    # Requests

    def _send(self, query: str, clock: _Clock) -> _Reply:
        """The reply with status 200 or 206; an endpoint that is overloaded is asked again."""
        reply = self._exchange(query, clock)
        for pause in PAUSES:
            if reply.status not in BUSY or clock.left() <= pause:
                break
            time.sleep(pause)
            reply = self._exchange(query, clock)
        if reply.status == 401 and self._user and not self._basic and _wants_basic(reply):
            self._basic = True
            return self._send(query, clock)
        if reply.status not in (200, 206):
            raise _refused(self._url, reply, bool(self._user))
        return reply

    def _exchange(self, query: str, clock: _Clock) -> _Reply:
        """Send a query and read the reply to its end.

        Raises:
            QueryTimeout: the deadline passed; the connection is closed.
            GraphError: nobody answers at the address.
            QueryError: the server hung up, or the answer is too long.
        """
        with Line(clock.left()) as line:
            try:
                with closing(self._open(query, line)) as response:
                    reply = _receive(response)
            except URLError as error:
                if line.cut or isinstance(error.reason, TimeoutError):
                    raise clock.passed() from None
                raise GraphError(
                    f"{self._url} cannot be reached: {error.reason}", "check that the endpoint runs, and its address"
                ) from None
            except (OSError, HTTPException) as error:
                if line.cut or isinstance(error, TimeoutError):
                    raise clock.passed() from None
                raise QueryError(f"the endpoint hung up during a query: {error}", "ask for less") from None
            except ValueError as error:  # of the handler for digest
                raise GraphError(
                    f"{self._url} wants a login that cannot be given: {error}", "use basic, or digest with ASCII only"
                ) from None
        if line.cut:
            raise clock.passed()
        return reply

    def _open(self, query: str, line: Line) -> Any:
        """The response to a request, of any status, with its body unread."""
        user = "" if self._basic else self._user
        client = _Client(self._url, opener(line, self._url, user, self._password), line.seconds)
        if self._basic:
            client.setCredentials(self._user, self._password)
        for graph in self._graphs:
            client.addDefaultGraph(graph)
        client.setQuery(query)
        try:
            return client.query().response
        except HTTPError as error:
            return error


def check_address(url: str, allow: Collection[str] = ()) -> None:
    """Let `url` pass when it may be an endpoint that may be contacted; errors as in EndpointGraph."""
    check_host(url, allow)
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not re.fullmatch(r"[!-~]+", url):
        raise UsageError(f"{url!r} is not the address of an endpoint", "give one such as http://127.0.0.1:8890/sparql")


class _Clock:
    """What is left of a deadline that holds for all requests of a query together."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def left(self) -> float:
        """Seconds, more than 0; raises QueryTimeout when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> QueryTimeout:
        return QueryTimeout(f"a query was stopped after {self._seconds:g} s", "give it more time, or ask for less")


class _Client(SPARQLWrapper):
    """SPARQLWrapper over an opener of ours; its own is global, obeys proxies and follows redirects."""

    def __init__(self, url: str, opener: OpenerDirector, seconds: float) -> None:
        super().__init__(url, returnFormat=JSON, agent=f"chattygen/{__version__}")
        self._opener, self._seconds = opener, seconds
        self.setMethod(POST)
        self.setOnlyConneg(True)
        self.addCustomHttpHeader("Accept", ACCEPT)

    def _parseQueryType(self, query: str) -> str:
        return str(SELECT)  # all are reads; the guess of the wrapper is misled by comments, and might send an update

    def _query(self) -> tuple[HTTPResponse, str]:
        return self._opener.open(self._createRequest(), timeout=self._seconds), JSON


def _receive(response: Any) -> _Reply:
    """Read a response to its end."""
    try:
        body, whole = response.read(MOST_BYTES + 1), not response.length
    except IncompleteRead as error:
        body, whole = error.partial, False
    if len(body) > MOST_BYTES:
        raise QueryError(f"the endpoint's answer has more than {MOST_BYTES:,} bytes", "ask for less")
    return _Reply(response.status, response.headers, body, whole)


def _partial(reply: _Reply) -> str:
    """Why the endpoint says that its answer is not all, or "". Virtuoso answers so when its time is up."""
    if reply.status == 206:
        return "status 206, partial content"
    state = reply.headers.get("X-SQL-State", "")
    return f"X-SQL-State {state}, partial results" if state else ""


def _wants_basic(reply: _Reply) -> bool:
    return any(way.lower().startswith("basic") for way in reply.headers.get_all("WWW-Authenticate", []))


def _refused(url: str, reply: _Reply, with_user: bool) -> GraphError:
    """The error for a reply that is no answer."""
    status, text = reply.status, words(reply.body)
    if 300 <= status < 400:
        return GraphError(
            f"{url} sends on to {reply.headers.get('Location', 'nowhere')}",
            "redirects are not followed; attach that address if you trust it",
        )
    if status in (401, 403):
        what = "refuses the user and password" if with_user else "wants a user and a password"
        return GraphError(f"{url} {what} (status {status})", f"set {USER} and {PASSWORD} in the environment")
    if status in (404, 405, 410):
        return GraphError(f"there is no SPARQL endpoint at {url} (status {status})", "check the address")
    if status in BUSY:
        return QueryError(f"the endpoint is overloaded (status {status})", "try again later, or ask for less")
    if status in (408, 504):
        return QueryTimeout(f"the endpoint stopped a query at its own time limit (status {status})", "ask for less")
    return refusal(f"the endpoint refused a query (status {status})", text)


def _incomplete(why: str) -> QueryError:
    return QueryError(
        f"the endpoint's answer is incomplete ({why})",
        "give the endpoint more time or rows, or load a dump: chattygen load-kg",
    )
