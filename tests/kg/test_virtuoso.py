"""A real Virtuoso: who may ask it, how it is shared, and that nothing is left of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import psutil
import pytest

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.errors import GraphError, QueryError, QueryTimeout
from chattygen.kg import isql, virtuoso, virtuoso_load
from chattygen.kg.folders import STORE, drop_kg, list_kgs, open_kg
from chattygen.kg.load import load
from chattygen.kg.virtuoso import VirtuosoGraph, open_graph
from tests.kg.conftest import DATA
from tests.virtuoso import gone, needs_virtuoso, servers

ODD = "http://example.org/odd/"
LAKES = "http://example.org/lakes/"
FILM = "http://example.org/film/"


@pytest.fixture(scope="module")
def small(filled: tuple[Path, Path]) -> Iterator[VirtuosoGraph]:
    with open_graph(filled[1], "both", "f") as graph:
        yield graph


@pytest.fixture
def spare(filled: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the small database for tests that do something to its server."""
    place = tmp_path / "store"
    shutil.copytree(filled[1], place, ignore=shutil.ignore_patterns("*.lck", "*.lock", "server.json"))
    return place


# ---------------------------------------------------------------------------------------------------------------------
# The commands


def described(home: Path, name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    with suppress(SystemExit):
        main(["describe-kg", name, "--json", "--home", str(home)])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_load_describe_replace_drop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_virtuoso()
    home, lakes = Home(tmp_path / "home"), [DATA / "lakes.ttl"]
    one, other = load(home, "one", lakes), load(home, "other", lakes, store="virtuoso")
    assert (one.store, other.store) == ("oxigraph", "virtuoso")
    assert (other.triples, other.fingerprint) == (101, one.fingerprint)
    assert sorted(path.name for path in (home.kgs / "other").iterdir()) == ["kg.json", "profile.json", "store"]
    expected = described(home.path, "one", capsys)
    assert described(home.path, "other", capsys) == {**expected, "name": "other", "store": "virtuoso"}
    with open_kg(home, "other") as before:
        load(home, "other", [DATA / "tiny.ttl"], store="virtuoso", replace=True)
        assert before.ask(f"ASK {{ <{LAKES}l1> ?p ?o }}")  # who has the old graph open goes on with it
        [old] = home.kgs.glob(".other.*.old")
    with open_kg(home, "other") as graph:
        assert not graph.ask(f"ASK {{ <{LAKES}l1> ?p ?o }}")
        assert graph.ask(f"ASK {{ <{FILM}Ada> ?p ?o }}")
    drop_kg(home, "other")
    load(home, "third", lakes)
    assert not old.exists()
    drop_kg(home, "third")
    assert [manifest.name for manifest in list_kgs(home)] == ["one"]
    assert gone(home.kgs / "other" / STORE)


def test_a_killed_load_leaves_neither_a_graph_nor_a_server(tmp_path: Path) -> None:
    needs_virtuoso()
    arguments = ["load-kg", str(DATA / "lakes.ttl"), "--store", "virtuoso", "--home", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-m", "chattygen", *arguments], stderr=subprocess.DEVNULL) as command:
        deadline = time.monotonic() + 60
        while not (found := list((tmp_path / "kgs").glob(".*/store/virtuoso.log"))) and time.monotonic() < deadline:
            time.sleep(0.05)
        command.kill()
    [log] = found
    assert gone(log.parent)
    virtuoso.join(log.parent).close()  # waits for the guard too
    assert list_kgs(Home(tmp_path)) == []
    load(Home(tmp_path), "lakes", [DATA / "lakes.ttl"])
    assert sorted(path.name for path in (tmp_path / "kgs").iterdir()) == [".lakes.lock", "lakes"]


# ---------------------------------------------------------------------------------------------------------------------
# The server


def test_all_sockets_listen_on_loopback(small: VirtuosoGraph, filled: tuple[Path, Path]) -> None:
    [server] = servers(filled[1])
    listening = {c.laddr.ip for c in server.net_connections() if c.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


def test_nobody_can_write(small: VirtuosoGraph) -> None:
    update = urlencode({"update": f"INSERT DATA {{ GRAPH <urn:x> {{ <{ODD}a> <{ODD}b> <{ODD}c> }} }}"}).encode()
    query = urlencode({"query": f"INSERT DATA {{ GRAPH <urn:x> {{ <{ODD}a> <{ODD}b> <{ODD}c> }} }}"}).encode()
    for body in (update, query):
        with pytest.raises(HTTPError) as raised:
            urlopen(small.server.url, body)
        raised.value.close()
    with pytest.raises(GraphError, match="Bad login"):
        isql.rows(isql.begin(small.server.sql, ["select 1"]))


def test_a_query_that_is_refused(small: VirtuosoGraph) -> None:
    with pytest.raises(QueryError):
        small.select("SELECT ?x WHERE { ?x ?p")
    assert small.ask("ASK { ?s ?p ?o }")


def test_a_query_really_ends_after_its_deadline(small: VirtuosoGraph, filled: tuple[Path, Path]) -> None:
    [server] = servers(filled[1])
    texts = ", ".join(f"STR(?s{i})" for i in range(6))
    triples = " . ".join(f"?s{i} ?p{i} ?o{i}" for i in range(6))
    started = time.monotonic()
    with pytest.raises(QueryTimeout, match="after 1 s"):
        small.select(f"SELECT (COUNT(*) AS ?n) {{ {triples} FILTER(CONCAT({texts}) = 'x') }}", deadline=1)
    assert time.monotonic() - started < 3
    assert small.ask("ASK { ?s ?p ?o }")
    deadline = time.monotonic() + 30
    while server.cpu_percent(1) > 5 and time.monotonic() < deadline:
        pass
    assert server.cpu_percent(1) <= 5


def test_two_users_share_a_server_and_the_last_one_ends_it(spare: Path) -> None:
    first = open_graph(spare, "spare", "f")
    second = open_graph(spare, "spare", "f")
    assert first.server == second.server
    first.close()
    assert second.ask("ASK { ?s ?p ?o }")
    second.close()
    assert servers(spare) == []
    second.close()


def test_a_killed_user_leaves_no_server_and_a_killed_server_is_replaced(spare: Path) -> None:
    code = f"""
import time
from pathlib import Path
from chattygen.kg.virtuoso import open_graph
graph = open_graph(Path({str(spare)!r}), "spare", "f")
print(graph.ask("ASK {{ ?s ?p ?o }}"), flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as user:
        assert user.stdout
        assert user.stdout.readline() == b"True\n"
        assert len(servers(spare)) == 1
        os.kill(user.pid, signal.SIGKILL)
    assert gone(spare)
    with open_graph(spare, "spare", "f") as graph:
        count = graph.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }").rows
        [server] = servers(spare)
        server.kill()
        assert gone(spare)
        with pytest.raises(GraphError):
            graph.ask("ASK { ?s ?p ?o }")
        with open_graph(spare, "spare", "f") as again:
            assert again.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }").rows == count
    assert gone(spare)


def test_a_bad_file_is_named_with_the_reason(tmp_path: Path) -> None:
    needs_virtuoso()
    store = tmp_path / "store"
    (store / "incoming").mkdir(parents=True)
    good, bad = store / "incoming" / "good.nt", store / "incoming" / "bad.nt"
    good.write_text(f"<{ODD}a> <{ODD}b> <{ODD}c> .\n")
    bad.write_text(f'<{ODD}a> <{ODD}b> <{ODD}d> .\n<{ODD}a> <{ODD}b> "open .\n<{ODD}a> <{ODD}b> <{ODD}e> .\n')
    with pytest.raises(GraphError, match=r"could not load .*bad\.nt: .*Unterminated") as raised:
        virtuoso_load.load_into(store, [good, bad], lambda triples, seconds: None)
    assert str(store / "virtuoso.log") in raised.value.hint
    assert servers(store) == []


def test_a_server_that_cannot_start_says_why(spare: Path) -> None:
    (spare / "virtuoso.db").write_bytes(b"no database" * 1000)
    with pytest.raises(GraphError, match="ended while starting") as raised:
        open_graph(spare, "spare", "f")
    assert raised.value.__notes__
    assert servers(spare) == []


def test_a_folder_without_a_database(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="the graph gone cannot be opened"):
        open_graph(tmp_path, "gone", "f")


def test_without_virtuoso_there_is_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "virtuoso.db").touch()
    monkeypatch.setenv("PATH", "/nowhere")
    for attempt in (
        lambda: open_graph(tmp_path, "any", "f"),
        lambda: load(Home(tmp_path), "any", [DATA / "tiny.ttl"], store="virtuoso"),
    ):
        with pytest.raises(GraphError, match="not installed") as raised:
            attempt()
        assert "apt install virtuoso-opensource-7-bin" in raised.value.hint
    assert not (tmp_path / "kgs").exists()


def test_stop_without_a_server_does_nothing(tmp_path: Path) -> None:
    virtuoso.stop(tmp_path)
    assert list(tmp_path.iterdir()) == []
