from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from chattygen.config import Home
from chattygen.kg.folders import list_kgs, open_kg
from tests.cli.test_kgs import run
from tests.kg.sparql_server import USER, Endpoint, Reply, serving

TINY = Path(__file__).parent.parent / "data" / "tiny.ttl"
FILM = "http://example.org/film/"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name in ("CHATTYGEN_SPARQL_USER", "CHATTYGEN_SPARQL_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHATTYGEN_HOME", str(tmp_path / "home"))
    return Home(tmp_path / "home")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(TINY) as endpoint:
        yield endpoint


def nothing_left(home: Home) -> bool:
    return not list_kgs(home) and not [
        path for path in home.path.rglob("*") if path.suffix != ".lock" and path.is_file()
    ]


def test_attach_list_describe_drop(endpoint: Endpoint, capsys: pytest.CaptureFixture[str], home: Home) -> None:
    assert run("attach-kg", endpoint.url, "--name", "films") == 0
    attached = capsys.readouterr()
    assert attached.out == ""
    assert f"asking {endpoint.url} for its classes and predicates" in attached.err
    assert "40 triples" in attached.err
    assert sorted(path.name for path in (home.kgs / "films").iterdir()) == ["kg.json", "profile.json"]

    assert run("list-kgs", "--json") == 0
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["triples"], listed["store"]) == ("films", 40, "endpoint")
    assert listed["endpoint"] == {"url": endpoint.url, "graphs": []}
    assert run("list-kgs") == 0
    assert endpoint.url in capsys.readouterr().out

    assert run("describe-kg", "films", "--json") == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["triples"], described["entities"], described["endpoint"]["url"]) == (40, 8, endpoint.url)
    assert {found["iri"]: found["count"] for found in described["classes"]} == {
        FILM + "Film": 3,
        FILM + "Person": 3,
        FILM + "City": 2,
        FILM + "Director": 2,
        FILM + "Award": 0,
    }
    assert run("describe-kg", "films") == 0
    assert f"held by {endpoint.url}\n" in capsys.readouterr().out

    assert run("drop-kg", "films", "--yes") == 0
    assert "its endpoint keeps the data" in capsys.readouterr().err
    assert nothing_left(home)


def test_the_same_as_a_load_of_the_same_file(endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("load-kg", str(TINY), "--quiet") == 0
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 0
    described = []
    for name in ("tiny", "films"):
        run("describe-kg", name, "--json")
        described.append(json.loads(capsys.readouterr().out))
    for key in ("triples", "entities", "classes", "predicates"):
        assert described[0][key] == described[1][key]


def test_the_fingerprint_knows_the_counts_the_graphs_and_the_address(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], home: Home
) -> None:
    def fingerprint(*options: str) -> str:
        assert run("attach-kg", endpoint.url, "--name", "films", "--replace", "--quiet", *options) == 0
        [manifest] = list_kgs(home)
        return manifest.fingerprint

    first = fingerprint()
    assert fingerprint() == first
    a, b, c = (ox.NamedNode(f"http://e.org/{name}") for name in "abc")
    endpoint.store.add(ox.Quad(a, b, c))
    second = fingerprint()
    assert second != first
    endpoint.store.add(ox.Quad(a, b, c, ox.NamedNode("http://e.org/g")))
    assert fingerprint() == second
    assert fingerprint("--graph", "http://e.org/g") not in (first, second)
    [manifest] = list_kgs(home)
    assert (manifest.triples, manifest.endpoint and manifest.endpoint.graphs) == (1, ("http://e.org/g",))
    with serving(TINY) as other:
        assert run("attach-kg", other.url, "--name", "films", "--replace", "--quiet") == 0
    assert list_kgs(home)[0].fingerprint != first


def test_recipe_and_type_predicate(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Home
) -> None:
    recipe = tmp_path / "films.toml"
    recipe.write_text(
        'name = "films"\nfiles = []\n[source]\ntitle = "Films"\nlicence = "CC0"\n'
        f'[settings]\nlanguage = "fr"\nexclude_types = ["{FILM}City"]\n'
    )
    assert run("attach-kg", endpoint.url, "--recipe", str(recipe), "--quiet") == 0
    [manifest] = list_kgs(home)
    assert (manifest.name, manifest.source and manifest.source.title) == ("films", "Films")
    assert (manifest.settings.language, manifest.settings.exclude_types) == ("fr", (f"{FILM}City",))
    options = ("--name", "by-award", "--recipe", str(recipe), "--type-predicate", f"{FILM}stars", "--quiet")
    assert run("attach-kg", endpoint.url, *options) == 0
    by_award = list_kgs(home)[0]
    assert (by_award.name, by_award.settings.type_predicate) == ("by-award", f"{FILM}stars")
    assert by_award.settings.language == "fr"
    assert capsys.readouterr() == ("", "")


def test_user_and_password_come_from_the_environment_and_are_not_stored(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Home
) -> None:
    endpoint.auth = "digest"
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 1
    what, hint = capsys.readouterr().err.splitlines()
    assert what == f"chattygen: {endpoint.url} wants a user and a password (status 401)"
    assert "CHATTYGEN_SPARQL_USER" in hint
    monkeypatch.setenv("CHATTYGEN_SPARQL_USER", USER)
    monkeypatch.setenv("CHATTYGEN_SPARQL_PASSWORD", endpoint.password)
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 0
    assert run("describe-kg", "films") == 0
    assert endpoint.password not in (home.kgs / "films" / "kg.json").read_text()
    assert USER not in (home.kgs / "films" / "kg.json").read_text()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--name", "No"], 2, "cannot name a graph"),
        ([], 2, "the graph has no name"),
        (["--name", "films", "--graph", "no iri"], 2, "'no iri' is not the IRI of a graph"),
        (["--name", "films", "--graph", "http://e.org/none"], 1, "has no triples in http://e.org/none"),
        (["--name", "films", "--recipe", "none.toml"], 2, "none.toml: no such file"),
    ],
)
def test_wrong_use_is_two_lines_and_leaves_nothing(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], home: Home, options: list[str], code: int, words: str
) -> None:
    assert run("attach-kg", endpoint.url, "--quiet", *options) == code
    captured = capsys.readouterr()
    what, hint = captured.err.splitlines()
    assert what.startswith("chattygen: ")
    assert words in what
    assert hint.startswith("  ")
    assert captured.out == ""
    assert nothing_left(home)


def test_a_name_that_is_taken(endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 0
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 2
    assert "there is a graph named 'films' already" in capsys.readouterr().err


def test_an_endpoint_that_is_not_ours_to_ask(
    capsys: pytest.CaptureFixture[str], home: Home, endpoint: Endpoint
) -> None:
    assert run("attach-kg", "http://kg.example/sparql", "--name", "films") == 2
    what, hint = capsys.readouterr().err.splitlines()[-2:]
    assert what == "chattygen: kg.example is not this machine, and nothing may leave this machine"
    assert '[privacy] allow = ["kg.example"]' in hint
    assert nothing_left(home)


def test_a_host_is_checked_again_whenever_the_graph_is_used(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], home: Home
) -> None:
    """The user allowed kg.example once, and does not any more."""
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 0
    manifest = home.kgs / "films" / "kg.json"
    manifest.write_text(manifest.read_text().replace(endpoint.url, "https://kg.example/sparql"))
    assert run("describe-kg", "films") == 2
    assert "kg.example is not this machine" in capsys.readouterr().err
    assert run("list-kgs") == 0
    with open_kg(home, "films", allow=["kg.example"]) as graph:
        assert graph.name == "films"


PARTIAL = {"Content-Type": "application/sparql-results+json", "X-SQL-State": "S1TAT"}


@pytest.mark.parametrize(
    "wrong", [Reply(200, PARTIAL, b'{"head": {"vars": ["n"]}, "results": {"bindings": []}}'), Reply(500), Reply(200)]
)
def test_a_failure_in_the_middle_leaves_nothing_and_a_graph_of_that_name_whole(
    endpoint: Endpoint, capsys: pytest.CaptureFixture[str], home: Home, wrong: Reply
) -> None:
    """The endpoint answers the first four queries and then never again."""
    endpoint.instead = lambda asked: wrong if len(endpoint.asked) > 4 else None
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 1
    assert len(endpoint.asked) > 4
    assert nothing_left(home)

    endpoint.instead = lambda asked: None
    assert run("attach-kg", endpoint.url, "--name", "films", "--quiet") == 0
    before = (home.kgs / "films" / "kg.json").read_bytes()
    endpoint.instead = lambda asked: wrong
    assert run("attach-kg", endpoint.url, "--name", "films", "--replace", "--quiet") == 1
    assert (home.kgs / "films" / "kg.json").read_bytes() == before
