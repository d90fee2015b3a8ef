"""EndpointGraph against a real HTTP server on loopback, which answers as endpoints in the world do."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from chattygen.domain import XSD, BlankNode, Iri, Literal, Term
from chattygen.errors import ChattygenError, GraphError, PrivacyError, QueryError, QueryTimeout, UsageError
from chattygen.kg import endpoint as module
from chattygen.kg.endpoint import EndpointGraph
from tests.kg.conftest import TINY
from tests.kg.sparql_server import USER, Asked, Endpoint, Reply, serving

FILM = "http://example.org/film/"
KG = "http://kg.example/e/"
ALL = "SELECT ?s ?o WHERE { ?s <http://kg.example/p> ?o }"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

FIXTURES = {
    found["id"]: found
    for found in json.loads((Path(__file__).parent.parent / "data" / "endpoint-fixtures.json").read_text("utf-8"))
}


@pytest.fixture
def tiny_endpoint() -> Iterator[Endpoint]:
    with serving(TINY) as endpoint:
        yield endpoint


def numbered(rows: int) -> pyoxigraph.Store:
    """A store of <e/0> p 0 . <e/1> p 1 . and so on."""
    store = pyoxigraph.Store()
    predicate = pyoxigraph.NamedNode("http://kg.example/p")
    store.extend(
        pyoxigraph.Quad(pyoxigraph.NamedNode(f"{KG}{n}"), predicate, pyoxigraph.Literal(n)) for n in range(rows)
    )
    return store


def expected(rows: int) -> list[tuple[Term, Term]]:
    return [(Iri(f"{KG}{n}"), Literal(str(n), XSD + "integer")) for n in range(rows)]


def in_order(rows: tuple[tuple[Any, ...], ...]) -> list[tuple[Term, Term]]:
    return sorted(rows, key=lambda row: int(row[1].value))


@pytest.fixture(scope="module")
def many() -> pyoxigraph.Store:
    return numbered(25_000)


def graph_of(endpoint: Endpoint, **options: Any) -> EndpointGraph:
    return EndpointGraph("g", "f", endpoint.url, **options)


def error_of(kind: type[ChattygenError], call: Callable[[], object]) -> ChattygenError:
    """The error of exactly this class that `call` raises."""
    with pytest.raises(kind) as raised:
        call()
    assert type(raised.value) is kind
    assert raised.value.hint
    return raised.value


# ---------------------------------------------------------------------------------------------------------------------
# What the protocol promises


@pytest.mark.parametrize("xml", [False, True])
def test_terms_arrive_with_their_kind_datatype_and_language(xml: bool) -> None:
    store = pyoxigraph.Store()
    store.load(
        b'<a:s> <a:p> <a:o> , "t" , "d"@de-AT , "2001-01-01"^^<http://www.w3.org/2001/XMLSchema#date> , _:b .',
        pyoxigraph.RdfFormat.TURTLE,
    )
    with serving(store=store) as endpoint:
        endpoint.xml = xml
        found = graph_of(endpoint).select("SELECT ?o ?none { <a:s> <a:p> ?o }")
        again = graph_of(endpoint).select("SELECT ?o { <a:s> <a:p> ?o FILTER(isBlank(?o)) }")
    assert found.variables == ("o", "none")
    assert found.complete
    blank = [row[0] for row in found.rows if isinstance(row[0], BlankNode)]
    assert {row[0] for row in found.rows} == {
        Iri("a:o"),
        Literal("t"),
        Literal("d", RDF + "langString", "de-at"),
        Literal("2001-01-01", XSD + "date"),
        *blank,
    }
    assert len(blank) == 1
    assert {row[1] for row in found.rows} == {None}
    assert isinstance(again.rows[0][0], BlankNode)


@pytest.mark.parametrize("xml", [False, True])
def test_ask(tiny_endpoint: Endpoint, xml: bool) -> None:
    tiny_endpoint.xml = xml
    graph = graph_of(tiny_endpoint)
    assert graph.ask(f"ASK {{ ?x a <{FILM}Film> }}") is True
    assert graph.ask(f"ASK {{ ?x a <{FILM}Planet> }}") is False


@pytest.mark.parametrize(
    ("rows", "value"), [([{"__ASK_RETVAL": {"type": "literal", "value": "1"}}], True), ([], False)]
)
def test_virtuoso_answers_an_ask_with_a_row(tiny_endpoint: Endpoint, rows: list[Any], value: bool) -> None:
    """As seen from Virtuoso 7.2.5."""
    body = {"head": {"link": [], "vars": ["__ASK_RETVAL"]}, "results": {"distinct": False, "bindings": rows}}
    tiny_endpoint.instead = lambda asked: Reply(body=json.dumps(body).encode())
    assert graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }") is value


def test_a_request_is_a_post_with_query_and_graphs_and_nothing_else(tiny_endpoint: Endpoint) -> None:
    query = "# INSERT DATA { <a:b> <a:c> <a:d> }\nSELECT ?s { ?s ?p 'ü&=' }"
    with graph_of(tiny_endpoint, graphs=("http://e.org/g1", "http://e.org/g2")) as graph:
        assert graph.select(query).rows == ()
    [asked] = tiny_endpoint.asked
    assert (asked.method, asked.query) == ("POST", query)
    assert asked.graphs == ["http://e.org/g1", "http://e.org/g2"]
    assert asked.parameters == {}
    assert asked.headers["accept"].startswith("application/sparql-results+json")
    assert "authorization" not in asked.headers


def test_named_graphs_are_the_data() -> None:
    store = pyoxigraph.Store()
    quads = b'<a:s> <a:p> "0" .\n<a:s> <a:p> "1" <a:g1> .\n<a:s> <a:p> "2" <a:g2> .\n<a:s> <a:p> "3" <a:g3> .\n'
    store.load(quads, pyoxigraph.RdfFormat.N_QUADS)
    with serving(store=store) as endpoint:

        def values(*graphs: str) -> set[Any]:
            rows = graph_of(endpoint, graphs=graphs).select("SELECT ?o { ?s ?p ?o }").rows
            return {row[0].value for row in rows if row[0]}

        assert values() == {"0"}
        assert values("a:g2") == {"2"}
        assert values("a:g1", "a:g3") == {"1", "3"}


def test_iris_that_no_strict_parser_reads_are_taken_as_they_are(tiny_endpoint: Endpoint) -> None:
    body = {"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "uri", "value": "http://e.org/a b|c"}}]}}
    tiny_endpoint.instead = lambda asked: Reply(body=json.dumps(body).encode())
    assert graph_of(tiny_endpoint).select("SELECT ?s { ?s ?p ?o }").rows == ((Iri("http://e.org/a b|c"),),)


def test_numbers_without_quotes_keep_their_digits_and_nan_is_a_literal(tiny_endpoint: Endpoint) -> None:
    body = (
        b'{"head": {"vars": ["o"]}, "results": {"bindings": ['
        b'{"o": {"type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#decimal", "value": 1.50}},'
        b'{"o": {"type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#double", "value": NaN}},'
        b'{"o": {"type": "literal", "value": "two\nlines"}}]}}'
    )
    tiny_endpoint.instead = lambda asked: Reply(body=body)
    assert graph_of(tiny_endpoint).select("SELECT ?o { ?s ?p ?o }").rows == (
        (Literal("1.50", XSD + "decimal"),),
        (Literal("NaN", XSD + "double"),),
        (Literal("two\nlines"),),
    )


@pytest.mark.parametrize(
    "query",
    [
        "INSERT DATA { <a:b> <a:c> <a:d> }",
        "SELECT ?s { SERVICE <http://example.org/> { ?s ?p ?o } }",
        "SELECT ?s FROM <http://example.org/g> { ?s ?p ?o }",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "ASK { ?s ?p ?o }",
    ],
)
def test_what_is_no_harmless_select_is_never_sent(tiny_endpoint: Endpoint, query: str) -> None:
    error_of(QueryError, lambda: graph_of(tiny_endpoint).select(query))
    assert tiny_endpoint.asked == []


def test_a_select_is_no_ask(tiny_endpoint: Endpoint) -> None:
    error_of(QueryError, lambda: graph_of(tiny_endpoint).ask("SELECT ?s { ?s ?p ?o }"))
    assert tiny_endpoint.asked == []


# ---------------------------------------------------------------------------------------------------------------------
# Answers that are cut


@pytest.mark.parametrize(("cap", "tells"), [(1_000, False), (10_000, False), (10_000, True), (1_234, False)])
def test_a_capped_answer_is_fetched_in_parts(many: pyoxigraph.Store, cap: int, tells: bool) -> None:
    with serving(store=many) as endpoint:
        endpoint.cap, endpoint.tells = cap, tells
        found = graph_of(endpoint).select(f"PREFIX : <{KG}>\n{ALL} # all of them")
    assert found.complete
    assert found.variables == ("s", "o")
    assert in_order(found.rows) == expected(25_000)


def test_a_small_cap_that_the_endpoint_tells_of(many: pyoxigraph.Store) -> None:
    with serving(store=many) as endpoint:
        endpoint.cap, endpoint.tells = 37, True
        assert len(graph_of(endpoint).select(f"{ALL} LIMIT 30").rows) == 30
        assert len(endpoint.asked) == 1
        rows = graph_of(endpoint).select(f"{ALL} ORDER BY ?o LIMIT 150").rows
    assert in_order(rows) == expected(150)


def test_a_known_cap_saves_the_count(many: pyoxigraph.Store) -> None:
    with serving(store=many) as endpoint:
        endpoint.cap = 20_000
        assert len(graph_of(endpoint, cap=20_000).select(f"{ALL} LIMIT 15000").rows) == 15_000
        assert len(endpoint.asked) == 1
        assert in_order(graph_of(endpoint, cap=20_000).select(ALL).rows) == expected(25_000)


def test_a_whole_answer_of_a_round_number_is_only_counted() -> None:
    with serving(store=numbered(1_000)) as endpoint:
        assert in_order(graph_of(endpoint).select(ALL).rows) == expected(1_000)
        assert len(endpoint.queries) == 2
        endpoint.asked.clear()
        assert len(graph_of(endpoint).select(f"{ALL} LIMIT 999").rows) == 999
        assert len(endpoint.queries) == 1


def test_groups_are_fetched_in_parts_with_their_right_counts(many: pyoxigraph.Store) -> None:
    query = "SELECT ?end (COUNT(?o) AS ?n) { ?s ?p ?o BIND(FLOOR(?o / 10) AS ?end) } GROUP BY ?end ORDER BY ?end"
    with serving(store=many) as endpoint:
        endpoint.cap = 1_000
        rows = graph_of(endpoint).select(query).rows
    assert len(rows) == len({row[0] for row in rows}) == 2_500
    assert {row[1] for row in rows} == {Literal("10", XSD + "integer")}


def test_repeated_rows_are_kept() -> None:
    with serving(store=numbered(1_500)) as endpoint:
        endpoint.cap = 500
        rows = graph_of(endpoint).select("SELECT ?s { { ?s ?p ?o } UNION { ?s ?p ?o } }").rows
    assert sorted(rows) == sorted([(Iri(f"{KG}{n}"),) for n in range(1_500)] * 2)


def test_rows_that_cannot_be_told_apart_are_an_error_and_no_part_of_them_is_given() -> None:
    with serving(store=numbered(3_000)) as endpoint:
        endpoint.cap = 1_000
        error = error_of(QueryError, lambda: graph_of(endpoint).select("SELECT ?p { ?s ?p ?o }"))
    assert "incomplete (1000 rows that are alike)" in error.message


PARTIAL = {"Content-Type": "application/sparql-results+json", "X-SQL-State": "S1TAT", "X-SQL-Message": "RC...: partial"}


@pytest.mark.parametrize(
    ("status", "headers", "why"), [(200, PARTIAL, "X-SQL-State S1TAT"), (206, {}, "status 206")], ids=["header", "206"]
)
def test_an_answer_that_is_partial_when_it_is_large_is_fetched_in_parts(
    status: int, headers: dict[str, str], why: str
) -> None:
    def out_of_time(asked: Asked) -> Reply | None:
        reply = endpoint.evaluate(asked)
        document = json.loads(reply.body)
        rows = document["results"]["bindings"]
        if len(rows) < limit:
            return reply
        del rows[7:]
        return Reply(status, headers, json.dumps(document).encode())

    with serving(store=numbered(3_000)) as endpoint:
        endpoint.instead = out_of_time
        limit = 2_000
        assert in_order(graph_of(endpoint).select(ALL).rows) == expected(3_000)
        limit = 1
        for query in (ALL, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"):
            error = error_of(QueryError, lambda query=query: graph_of(endpoint).select(query))
            assert f"incomplete ({why}" in error.message
        body = b'{"head": {}, "boolean": false}'
        endpoint.instead = lambda asked: Reply(status, headers, body)
        assert "incomplete" in error_of(QueryError, lambda: graph_of(endpoint).ask("ASK { ?s ?p ?o }")).message


@pytest.mark.parametrize("chunked", [False, True])
def test_a_connection_that_is_cut_makes_no_answer(tiny_endpoint: Endpoint, chunked: bool) -> None:
    tiny_endpoint.cut, tiny_endpoint.chunked = 60, chunked
    error = error_of(QueryError, lambda: graph_of(tiny_endpoint).select("SELECT ?s { ?s ?p ?o }"))
    assert "incomplete (the connection was closed in the middle of it)" in error.message
    error = error_of(QueryError, lambda: graph_of(tiny_endpoint).select("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"))
    assert "incomplete (the connection was closed in the middle of it)" in error.message


@pytest.mark.parametrize("wrong", ["fewer", "twice"])
def test_parts_that_do_not_fit_together_are_noticed(wrong: str) -> None:
    """As when the data change, or when the server does not evaluate what it is asked."""

    def moving(asked: Asked) -> Reply | None:
        if '>= "5555" ' not in asked.query:
            return None
        if wrong == "fewer":
            return endpoint.evaluate(Asked("POST", f"{asked.query} LIMIT 3", [], {}, {}))
        return endpoint.evaluate(Asked("POST", asked.query.replace("5555", "0000").replace("6666", "1111"), [], {}, {}))

    with serving(store=numbered(3_000)) as endpoint:
        endpoint.cap, endpoint.instead = 1_000, moving
        error = error_of(QueryError, lambda: graph_of(endpoint).select(ALL))
    assert "the endpoint counts 3000 rows" in error.message
    assert "do not fit together" in error.message


# ---------------------------------------------------------------------------------------------------------------------
# Deadlines


def test_a_server_that_trickles_is_cut_off_at_the_deadline(tiny_endpoint: Endpoint) -> None:
    """Each read gets its byte long before a limit on reads would pass."""
    tiny_endpoint.trickle = 0.05
    started = time.monotonic()
    error = error_of(QueryTimeout, lambda: graph_of(tiny_endpoint).select("SELECT ?s { ?s ?p ?o }", deadline=0.5))
    assert time.monotonic() - started < 5
    assert error.message == "a query was stopped after 0.5 s"
    assert tiny_endpoint.hung_up.wait(10)


def test_the_deadline_holds_for_all_parts_together(many: pyoxigraph.Store) -> None:
    def slow(asked: Asked) -> Reply | None:
        time.sleep(0.2)
        return None

    with serving(store=many) as endpoint:
        endpoint.cap, endpoint.instead = 1_000, slow
        started = time.monotonic()
        error_of(QueryTimeout, lambda: graph_of(endpoint).select(ALL, deadline=1.0))
        assert time.monotonic() - started < 4


def test_a_server_that_says_nothing(tiny_endpoint: Endpoint) -> None:
    def asleep(asked: Asked) -> Reply | None:
        time.sleep(5)
        return None

    tiny_endpoint.instead = asleep
    graph = graph_of(tiny_endpoint)
    started = time.monotonic()
    error_of(QueryTimeout, lambda: graph.ask("ASK { ?s ?p ?o }", deadline=0.3))
    assert time.monotonic() - started < 3
    tiny_endpoint.instead = lambda asked: None
    assert graph.ask("ASK { ?s ?p ?o }")


# ---------------------------------------------------------------------------------------------------------------------
# Refusals


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (Reply(400, {}, b"Virtuoso 37000 Error SP030: syntax\nerror"), QueryError, "(status 400): Virtuoso 37000"),
        (Reply(500, {}, b"Virtuoso S1T00 Error SR171: Transaction timed out"), QueryTimeout, "its own time limit"),
        (Reply(504, {}, b""), QueryTimeout, "its own time limit"),
        (Reply(500, {}, b"<html><script>x()</script><h1>Oh &amp; no</h1></html>"), QueryError, "(status 500): Oh & no"),
        (Reply(404, {}, b""), GraphError, "there is no SPARQL endpoint at http://127.0.0.1"),
        (Reply(403, {}, b""), GraphError, "wants a user and a password (status 403)"),
        (Reply(200, {}, b"  <!DOCTYPE html><p>Welcome</p>"), QueryError, "the endpoint answered HTML: Welcome"),
        (Reply(200, {}, b"Query too complex"), QueryError, "something else than SPARQL results: Query too complex"),
        (Reply(200, {}, b""), QueryError, "something else than SPARQL results: nothing"),
        (Reply(200, {}, b'{"error": "x"}'), QueryError, "is not SPARQL 1.1 results"),
        (Reply(200, {}, b'{"head": {"vars": ["s"]}, "results": {"bindings": [7]}}'), QueryError, "is not SPARQL 1.1"),
        (Reply(200, {}, b'{"head": {}, "boolean": true}'), QueryError, "is none to a query that begins SELECT"),
        (Reply(200, {}, b"<sparql><head><variable na"), QueryError, "is not whole SPARQL results"),
    ],
)
def test_a_reply_that_is_no_answer(
    tiny_endpoint: Endpoint, reply: Reply, kind: type[ChattygenError], words: str
) -> None:
    tiny_endpoint.instead = lambda asked: reply
    assert words in error_of(kind, lambda: graph_of(tiny_endpoint).select("SELECT ?s { ?s ?p ?o }")).message
    assert len(tiny_endpoint.asked) == 1


def test_a_broken_query_is_the_endpoints_to_refuse(tiny_endpoint: Endpoint) -> None:
    error = error_of(QueryError, lambda: graph_of(tiny_endpoint).select("SELECT ?s {"))
    assert error.message.startswith("the endpoint refused a query (status 400): ")


def test_an_overloaded_endpoint_is_asked_again_after_a_pause(
    tiny_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES", (0.1, 0.2))
    tiny_endpoint.busy = 2
    started = time.monotonic()
    assert graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }")
    assert time.monotonic() - started >= 0.3
    tiny_endpoint.busy = 5
    error = error_of(QueryError, lambda: graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }"))
    assert error.message == "the endpoint is overloaded (status 503)"
    assert tiny_endpoint.busy == 2


def test_nobody_is_there(tiny_endpoint: Endpoint) -> None:
    with serving() as gone:
        graph = graph_of(gone)
    error = error_of(GraphError, lambda: graph.ask("ASK { ?s ?p ?o }"))
    assert error.message.startswith(f"{gone.url} cannot be reached: ")


# ---------------------------------------------------------------------------------------------------------------------
# Privacy


@pytest.mark.parametrize("url", ["http://dbpedia.example/sparql", "http://10.0.0.7/sparql", "sparql", "file:///etc"])
def test_no_other_host_unless_it_is_allowed(url: str) -> None:
    error_of(PrivacyError, lambda: EndpointGraph("g", "f", url))


def test_an_allowed_host_may_be_used() -> None:
    EndpointGraph("g", "f", "https://kg.example/sparql", allow=["kg.example"]).close()


@pytest.mark.parametrize(
    "url", ["ftp://localhost/sparql", "file://localhost/etc/passwd", "http://ada:pw@localhost/", "http://localhost/ü"]
)
def test_an_address_that_is_none(url: str) -> None:
    error_of(UsageError, lambda: EndpointGraph("g", "f", url))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(tiny_endpoint: Endpoint, status: int) -> None:
    with serving(TINY) as elsewhere:
        tiny_endpoint.instead = lambda asked: Reply(status, {"Location": elsewhere.url})
        error = error_of(GraphError, lambda: graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }"))
        assert error.message == f"{tiny_endpoint.url} sends on to {elsewhere.url}"
        assert elsewhere.asked == []


def test_no_proxy_of_the_environment_sees_a_query(tiny_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }")
        assert proxy.asked == []


@pytest.mark.parametrize("way", ["basic", "digest"])
def test_user_and_password(tiny_endpoint: Endpoint, way: str) -> None:
    tiny_endpoint.auth = way
    tiny_endpoint.password = "pä55" if way == "basic" else "pa55"
    known = graph_of(tiny_endpoint, user=USER, password=tiny_endpoint.password)
    assert known.ask("ASK { ?s ?p ?o }")
    assert len(known.select(f"SELECT ?x {{ ?x a <{FILM}Film> }}").rows) == 3
    assert tiny_endpoint.password not in str([asked.headers for asked in tiny_endpoint.asked])
    error = error_of(GraphError, lambda: graph_of(tiny_endpoint).ask("ASK { ?s ?p ?o }"))
    assert error.message == f"{tiny_endpoint.url} wants a user and a password (status 401)"
    wrong = graph_of(tiny_endpoint, user=USER, password="guess")
    tiny_endpoint.tries = 0
    error = error_of(GraphError, lambda: wrong.ask("ASK { ?s ?p ?o }"))
    assert error.message == f"{tiny_endpoint.url} refuses the user and password (status 401)"
    assert tiny_endpoint.tries == 1
    assert len(tiny_endpoint.asked) == 2


def test_a_kind_of_login_that_nobody_here_knows(tiny_endpoint: Endpoint) -> None:
    tiny_endpoint.auth = "Negotiate"
    graph = graph_of(tiny_endpoint, user=USER, password=tiny_endpoint.password)
    assert "wants a login that cannot be given" in error_of(GraphError, lambda: graph.ask("ASK { ?s ?p ?o }")).message


# ---------------------------------------------------------------------------------------------------------------------
# Answers as endpoints in the world gave them (endpoint-fixtures.json)


def replay(endpoint: Endpoint, id: str) -> EndpointGraph:
    """The endpoint gives the fixture's reply to everything."""
    found = FIXTURES[id]
    body = found["body"].encode()
    if id == "e01-row-cap":
        rows = [{"s": {"type": "uri", "value": f"{KG}{n}"}} for n in range(10_000)]
        body = json.dumps({"head": {"vars": ["s"]}, "results": {"bindings": rows}}).encode()
    headers = {name: value for name, value in found["headers"].items() if name != "Transfer-Encoding"}
    endpoint.instead = lambda asked: Reply(found["status"], headers, body)
    return graph_of(endpoint)


def test_every_fixture_is_a_test() -> None:
    here = Path(__file__).read_text("utf-8")
    assert len(FIXTURES) == 8
    assert [id for id in FIXTURES if here.count(f'"{id}"') == 0] == []


@pytest.mark.parametrize("cap", [10_000, 1_000, 1_048_576])
def test_e01_a_round_number_of_rows_is_never_the_end(cap: int) -> None:
    """Asked for 50,000 where there are 12,000, or all; 1,048,576 rows are left to the heuristic itself."""
    query = FIXTURES["e01-row-cap"]["query"]
    if cap > 20_000:
        with serving() as endpoint:
            assert graph_of(endpoint)._may_be_cut(cap)
        return
    store = pyoxigraph.Store()
    a, kind = pyoxigraph.NamedNode(RDF + "type"), pyoxigraph.NamedNode(KG + "C")
    store.extend(pyoxigraph.Quad(pyoxigraph.NamedNode(f"{KG}{n}"), a, kind) for n in range(12_000))
    with serving(store=store) as endpoint:
        endpoint.cap = cap
        rows = graph_of(endpoint).select(query).rows
    assert sorted(rows) == sorted((Iri(f"{KG}{n}"),) for n in range(12_000))


def test_e01_ten_thousand_rows_to_everything_is_an_error(tiny_endpoint: Endpoint) -> None:
    graph = replay(tiny_endpoint, "e01-row-cap")
    error_of(QueryError, lambda: graph.select(FIXTURES["e01-row-cap"]["query"]))


def test_e02_counts_that_ran_out_of_time_are_discarded(tiny_endpoint: Endpoint) -> None:
    graph = replay(tiny_endpoint, "e02-anytime-partial")
    error = error_of(QueryError, lambda: graph.select(FIXTURES["e02-anytime-partial"]["query"]))
    assert error.message == "the endpoint's answer is incomplete (X-SQL-State S1TAT, partial results)"


def test_e03_a_stack_trace_in_the_answer_is_a_timeout(tiny_endpoint: Endpoint) -> None:
    graph = replay(tiny_endpoint, "e03-trace-in-body")
    error = error_of(QueryTimeout, lambda: graph.select(FIXTURES["e03-trace-in-body"]["query"]))
    assert "the endpoint stopped a query at its own time limit: java.util.concurrent.TimeoutException" in error.message


def test_e08_html_is_no_answer(tiny_endpoint: Endpoint) -> None:
    graph = replay(tiny_endpoint, "e08-html-200")
    error = error_of(QueryError, lambda: graph.ask(FIXTURES["e08-html-200"]["query"]))
    assert error.message == "the endpoint answered HTML: This site is under heavy load"


def test_e11_pages_that_overlap_are_noticed() -> None:
    """A server that gives some rows as it likes, capped at three: e/2 twice, and of five rows one is never seen."""
    pages = json.loads(FIXTURES["e11-unstable-pages"]["body"])
    assert pages == [[f"{KG}{n}" for n in range(3)], [f"{KG}{n}" for n in range(2, 5)]]

    def unstable(asked: Asked) -> Reply | None:
        if "COUNT" in asked.query:
            return None
        page = pages[len(endpoint.asked) % 2] if len(endpoint.asked) < 4 else []
        rows = [{"s": {"type": "uri", "value": iri}} for iri in page]
        body = json.dumps({"head": {"vars": ["s"]}, "results": {"bindings": rows}}).encode()
        return Reply(headers={"X-SPARQL-MaxRows": "3"} if len(endpoint.asked) == 1 else {}, body=body)

    with serving(store=numbered(6)) as endpoint:
        endpoint.instead = unstable
        error = error_of(QueryError, lambda: graph_of(endpoint).select("SELECT ?s { ?s ?p ?o }"))
    assert "incomplete" in error.message or "do not fit together" in error.message


def test_e12_a_typed_string_is_a_plain_one(tiny_endpoint: Endpoint) -> None:
    rows = replay(tiny_endpoint, "e12-typed-literal").select("SELECT ?o { ?s ?p ?o }").rows
    assert rows == ((Literal("België"),), (Literal("Belgie"),))


def test_e14_a_blank_node_means_nothing_in_another_answer(tiny_endpoint: Endpoint) -> None:
    graph = replay(tiny_endpoint, "e14-bnode-in-results")
    [[first]], [[second]] = (graph.select("SELECT ?o { ?s ?p ?o }").rows for _ in range(2))
    assert isinstance(first, BlankNode)
    assert isinstance(second, BlankNode)
    assert first != second


@pytest.mark.parametrize("chunked", [False, True])
def test_e15_an_answer_that_breaks_off(tiny_endpoint: Endpoint, chunked: bool) -> None:
    found = FIXTURES["e15-cut-connection"]
    graph = replay(tiny_endpoint, found["id"])
    tiny_endpoint.chunked = chunked
    if chunked:
        tiny_endpoint.cut = len(found["body"])
    error = error_of(QueryError, lambda: graph.select("SELECT ?s { ?s ?p ?o }"))
    assert error.message == "the endpoint's answer is incomplete (the connection was closed in the middle of it)"


def test_e15_is_mended_in_smaller_parts() -> None:
    """A proxy that closes the connection after 40 kB."""
    with serving(store=numbered(3_000)) as endpoint:
        endpoint.cut = 40_000
        assert in_order(graph_of(endpoint).select(ALL).rows) == expected(3_000)


def test_parts_are_those_of_the_md5_of_the_standard(many: pyoxigraph.Store) -> None:
    """One of three parts is what Python's own MD5 says; 25,000 rows of at most 20,000 make three."""
    with serving(store=many) as endpoint:
        endpoint.cap = 20_000
        graph_of(endpoint).select(ALL)
        [part] = [query for query in endpoint.queries if '>= "5555" ' in query]
        assert [query.count('< "aaaa"') for query in endpoint.queries] == [0, 0, 0, 1, 0]
        rows = graph_of(endpoint).select(part).rows
    everything = expected(25_000)
    wanted = [n for n in range(25_000) if "5555" <= hashlib.md5(f"{KG}{n} {n}".encode()).hexdigest()[:4] < "aaaa"]
    assert 0 < len(wanted) < 25_000
    assert in_order(rows) == [everything[n] for n in wanted]
