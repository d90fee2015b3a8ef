from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.domain import XSD, BlankNode, Iri, Literal
from chattygen.errors import GraphError, QueryError, QueryTimeout
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph

FILM = "http://example.org/film/"
CROSS_PRODUCT = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


def workers(graph: OxigraphGraph) -> list[psutil.Process]:
    """The processes that serve a graph, told by their arguments: the tests share a graph, which has one too."""
    store, found = str(graph._store), []
    for child in psutil.Process().children():
        with suppress(psutil.ZombieProcess):  # of another test
            if store in child.cmdline():
                found.append(child)
    return found


def big(home: Home, folder: Path) -> OxigraphGraph:
    file = folder / "big.nt"
    file.write_text("".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/{n + 1}> .\n" for n in range(2000)))
    load(home, "big", [file])
    return open_kg(home, "big")


def test_terms_arrive_with_their_kind_datatype_and_language(tiny: OxigraphGraph) -> None:
    rows = tiny.select(
        "PREFIX : <http://example.org/film/> SELECT ?l ?d ?m ?b ?none "
        "{ :Person <http://www.w3.org/2000/01/rdf-schema#label> ?l . :Ada :born ?d . ?f :minutes ?m . ?b :wonBy :Ada }"
    )
    assert rows.variables == ("l", "d", "m", "b", "none")
    assert rows.complete
    [(label, date, minutes, blank, none)] = rows.rows
    assert label == Literal("person", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en")
    assert date == Literal("1901-05-06", XSD + "date")
    assert minutes == Literal("96", XSD + "integer")
    assert isinstance(blank, BlankNode)
    assert none is None


def test_ask(tiny: OxigraphGraph) -> None:
    assert tiny.ask(f"ASK {{ <{FILM}Ada> <{FILM}bornIn> <{FILM}Oslo> }}") is True
    assert tiny.ask(f"ASK {{ <{FILM}Ada> <{FILM}bornIn> <{FILM}Rome> }}") is False


def test_an_iri_with_parentheses_and_an_apostrophe(tiny: OxigraphGraph) -> None:
    rows = tiny.select(f"SELECT ?o {{ <{FILM}Solo_(1979_film)> <{FILM}directedBy> ?o . <{FILM}It's_Late> ?p ?o }}")
    assert rows.rows == ((Iri(FILM + "Ada"),),)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x { ?x ?p",
        "ASK { ?s ?p ?o }",
        "SELECT ?s { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "DESCRIBE <http://example.org/film/Ada>",
    ],
)
def test_a_query_that_is_no_harmless_select_is_refused_and_the_graph_goes_on(tiny: OxigraphGraph, query: str) -> None:
    with pytest.raises(QueryError) as raised:
        tiny.select(query)
    assert raised.value.hint
    assert "\n" not in raised.value.message
    assert tiny.ask("ASK { ?s ?p ?o }")


def test_a_select_is_no_ask(tiny: OxigraphGraph) -> None:
    with pytest.raises(QueryError, match="not an ASK"):
        tiny.ask("SELECT ?s { ?s ?p ?o }")


def test_the_deadline_kills_the_query_and_the_graph_answers_again(home: Home, tmp_path: Path) -> None:
    with big(home, tmp_path) as graph:
        assert len(graph.select("SELECT ?s { ?s ?p ?o }").rows) == 2000
        [worker] = workers(graph)
        started = time.monotonic()
        with pytest.raises(QueryTimeout, match="after 1 s"):
            graph.select(CROSS_PRODUCT, deadline=1.0)
        assert time.monotonic() - started < 3
        assert not worker.is_running()
        assert len(graph.select("SELECT ?s { ?s ?p ?o }").rows) == 2000
    assert workers(graph) == []


def test_a_worker_that_dies_is_reported_and_replaced(tiny: OxigraphGraph) -> None:
    assert tiny.ask("ASK { ?s ?p ?o }")
    for worker in workers(tiny):
        worker.kill()
        worker.wait()
    with pytest.raises(QueryError, match="ended"):
        tiny.ask("ASK { ?s ?p ?o }")
    assert tiny.ask("ASK { ?s ?p ?o }")


def test_a_query_that_overflows_the_parser_costs_the_worker_only(tiny: OxigraphGraph) -> None:
    with pytest.raises(QueryError):
        tiny.ask("ASK { FILTER(" + "(" * 20_000 + "1" + ")" * 20_000 + ") }")
    assert tiny.ask("ASK { ?s ?p ?o }")


def test_the_worker_ignores_ctrl_c(tiny: OxigraphGraph) -> None:
    assert tiny.ask("ASK { ?s ?p ?o }")
    before = workers(tiny)
    assert len(before) == 1
    for worker in before:
        worker.send_signal(signal.SIGINT)
    assert tiny.ask("ASK { ?s ?p ?o }")
    assert workers(tiny) == before


def test_the_worker_dies_with_its_parent(home: Home, tmp_path: Path) -> None:
    big(home, tmp_path).close()
    code = f"""
import psutil, time
from pathlib import Path
from chattygen.config import Home
from chattygen.kg.folders import open_kg
graph = open_kg(Home(Path({str(home.path)!r})), "big")
graph.ask("ASK {{ ?s ?p ?o }}")
print(psutil.Process().children()[0].pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        worker = psutil.Process(int(parent.stdout.readline()))
        os.kill(parent.pid, signal.SIGKILL)
    worker.wait(timeout=10)


def test_a_missing_store_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with OxigraphGraph("gone", "", tmp_path / "gone") as graph, pytest.raises(GraphError) as raised:
        graph.ask("ASK { ?s ?p ?o }")
    assert "the graph gone cannot be opened" in raised.value.message
    assert raised.value.hint == "load it again with --replace"
