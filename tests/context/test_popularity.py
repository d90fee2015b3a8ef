"""Popularity of the harbours of tests/data/harbours.ttl, counted by hand; files of scores, right and wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context.popularity import Measure, measure, measures, number, read_scores, score
from chattygen.errors import ConfigError, UsageError
from chattygen.kg.folders import open_kg
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.load import load

H = "http://example.org/harbours/"
V = H + "vocab/"
ALL = [f"{H}h{n}" for n in range(1, 10)]
HARBOURS = Path(__file__).parents[1] / "data" / "harbours.ttl"
PREDICATES = {V + "calls", V + "opened"}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    home = Home(tmp_path_factory.mktemp("home"))
    load(home, "harbours", [HARBOURS])
    with open_kg(home, "harbours") as graph:
        yield graph


def scored(graph: KnowledgeGraph, measured: Measure, entities: list[str] = ALL) -> dict[str, float]:
    return {iri.removeprefix(H): popularity for iri, popularity in score(graph, entities, measured, 30)}


def test_density_counts_the_triples_in_both_directions(graph: KnowledgeGraph) -> None:
    six = {f"h{n}": 6 for n in range(4, 10)}
    assert scored(graph, Measure()) == {"h1": 36, "h2": 20, "h3": 16} | six
    assert scored(graph, Measure(), [H + "s1", H + "nobody", "not an iri"]) == {"s1": 1}
    assert scored(graph, Measure(), []) == {}


def test_a_triple_that_has_the_entity_twice_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "self.nt"
    file.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/a> .\n<http://e.org/b> <http://e.org/p> _:x .\n")
    load(Home(tmp_path), "self", [file])
    with open_kg(Home(tmp_path), "self") as graph:
        assert dict(score(graph, ["http://e.org/a", "http://e.org/b"], Measure(), 30)) == {
            "http://e.org/a": 1,
            "http://e.org/b": 1,
        }


def test_traffic_is_the_highest_number_under_the_predicate(graph: KnowledgeGraph, tmp_path: Path) -> None:
    calls = scored(graph, Measure(V + "calls", V + "calls"))
    assert calls == {f"h{n}": 5 for n in range(1, 7)} | {"h7": 10, "h8": 20, "h9": 30}
    file = tmp_path / "odd.ttl"
    values = ('7, "9"', '"12"^^<http://www.w3.org/2001/XMLSchema#int>', '"many"', "-3", "2.5e1")
    file.write_text("".join(f"<http://e.org/{n}> <http://e.org/p> {value} .\n" for n, value in enumerate(values)))
    load(Home(tmp_path), "odd", [file])
    with open_kg(Home(tmp_path), "odd") as odd:
        found = dict(score(odd, [f"http://e.org/{n}" for n in range(5)], Measure(predicate="http://e.org/p"), 30))
    assert found == {"http://e.org/0": 9, "http://e.org/1": 12, "http://e.org/4": 25}


def test_scores_of_a_file(graph: KnowledgeGraph) -> None:
    assert scored(graph, Measure("f", scores={H + "h2": 4, H + "h9": 0.5, H + "other": 7})) == {"h2": 4, "h9": 0.5}


def test_newer_entities_and_those_without_a_date_are_left_out(graph: KnowledgeGraph) -> None:
    assert scored(graph, Measure(before=1900, date_predicate=V + "opened")) == {
        "h1": 36,
        "h2": 20,
        "h3": 16,
        "h5": 6,
        "h6": 6,
    }
    assert scored(graph, Measure(before=1901, date_predicate=V + "opened")).keys() == {
        *("h1", "h2", "h3", "h5", "h6", "h7")
    }
    assert scored(graph, Measure(before=1900, date_predicate=V + "calls")) == {}  # "5" is no year


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("17", 17),
        (" 17 ", 17),
        ("+2", 2),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("-1", None),
        ("", None),
        ("1,000", None),
        ("1_000", None),
        ("nan", None),
        ("1e999", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "http://e.org/a\t3\nhttp://e.org/b,c\t0.5\n",
        "entity\tviews\n<http://e.org/a>\t3\n\n<http://e.org/b,c>\t0.5",
        'http://e.org/a,3\r\n"http://e.org/b,c",0.5\r\n',
        '\ufeffentity,views\nhttp://e.org/a,3\n"http://e.org/b,c",0.5\n',
    ],
)
def test_a_file_of_scores(text: str, tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_text(text, encoding="utf-8", newline="")
    assert read_scores(file) == {"http://e.org/a": 3, "http://e.org/b,c": 0.5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://e.org/a\t3\nhttp://e.org/b\n", ":2: got 1 columns"),
        ("http://e.org/a,3,4\n", ":1: got 3 columns"),
        ("http://e.org/a\t3\nhttp://e.org/b\tmany\n", ":2: got 'many'"),
        ("http://e.org/a\tmany\n", ":1: got 'many'"),
        ("http://e.org/a\t-3\n", ":1: got '-3'"),
        ("entity\tviews\nno iri\t3\n", ":2: got 'no iri'"),
        ("http://e.org/a\t3\n\nhttp://e.org/a\t4\n", ":3: http://e.org/a has a score already"),
        ('http://e.org/a,3\n"http://e.org/b"x,4\n', ":2: not CSV"),
        ("", ": no scores"),
        ("entity,views\n", ": no scores"),
    ],
)
def test_a_wrong_line_is_named(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read_scores(file)
    assert error.value.message.startswith(f"{file}{said}")
    assert error.value.hint


def test_a_file_in_another_encoding_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_bytes("http://e.org/a\t3\nhttp://e.org/Zürich\t4\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r":2: a byte here is not UTF-8"):
        read_scores(file)


def test_what_options_stand_for(tmp_path: Path) -> None:
    file = tmp_path / "scores.tsv"
    file.write_text("http://e.org/a\t3\n")
    assert measure("density", None, "", PREDICATES) == Measure()
    assert measure(V + "calls", 1900, V + "opened", PREDICATES) == Measure(
        V + "calls", V + "calls", None, 1900, V + "opened"
    )
    assert measure(str(file), None, "", PREDICATES) == Measure(str(file), scores={"http://e.org/a": 3})


@pytest.mark.parametrize(
    ("popularity", "before", "date_predicate", "said"),
    [
        ("votes.tsv", None, "", "popularity votes.tsv: neither a file nor an IRI"),
        ("http://e.org/no", None, "", "popularity http://e.org/no: the graph has no such predicate"),
        ("density", 1900, "", "--before needs --date-predicate"),
        ("density", None, V + "opened", "--date-predicate needs --before"),
        ("density", 1900, V + "closed", f"date predicate {V}closed: the graph has no such predicate"),
    ],
)
def test_wrong_options(popularity: str, before: int | None, date_predicate: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        measure(popularity, before, date_predicate, PREDICATES)
    assert error.value.message == said
    assert error.value.hint


def test_the_option_counts_before_the_recipe_and_the_class_before_all_classes() -> None:
    recipe = GraphSettings(popularity={"http://e.org/Ship": V + "opened", "*": V + "calls"})
    run = RunSettings(kg="harbours")
    measured = measures(run, recipe, PREDICATES)
    assert [measured(iri).name for iri in ("http://e.org/Ship", V + "Harbour")] == [V + "opened", V + "calls"]
    assert measures(run, GraphSettings(), PREDICATES)(V + "Harbour") == Measure()
    forced = measures(RunSettings(kg="harbours", popularity="density"), recipe, PREDICATES)
    assert forced("http://e.org/Ship") == Measure()
