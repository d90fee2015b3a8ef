from __future__ import annotations

from hashlib import md5
from pathlib import Path
from random import Random

import pytest

from chattygen.config import GraphSettings, Home
from chattygen.context.entities import shuffled
from chattygen.domain import NodeType
from chattygen.errors import GraphError
from chattygen.kg import draws, profile, typed
from chattygen.kg.draws import entities_of, part_query, parts
from chattygen.kg.folders import open_kg, read_profile
from chattygen.kg.kept import KEPT, KeptGraph
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import overlap

LAKE, WATER = "http://e.org/Lake", "http://e.org/Water"
SETTINGS = GraphSettings()
LAKES = [f"http://e.org/lake{n:03}" for n in range(300)]
FIRST = {iri for iri in LAKES if md5(iri.encode()).hexdigest().startswith("0")}


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A graph of 300 lakes, 270 of them waters, and a store for which 20 entities are many."""
    monkeypatch.setattr(draws, "PART", 20)
    monkeypatch.setattr(profile, "PART", 20)
    monkeypatch.setattr(typed, "HELD", 40)
    file = tmp_path / "lakes.ttl"
    text = "".join(f"<{iri}> a <{LAKE}>{f', <{WATER}>' if n % 10 else ''} .\n" for n, iri in enumerate(LAKES))
    file.write_text(text)
    home = Home(tmp_path / "home")
    load(home, "lakes", [file])
    return home


def test_parts() -> None:
    assert parts(8000) == [""]
    assert parts(8001) == list("0123456789abcdef")
    assert parts(16 * 8000 + 1)[:17] == [f"0{digit}" for digit in "0123456789abcdef"] + ["10"]


def test_the_first_part_is_answered_without_the_store(large: Home) -> None:
    folder = large.kgs / "lakes"
    with KeptGraph(OxigraphGraph("lakes", "f", folder / "no store"), folder / KEPT) as graph:
        assert set(entities_of(graph, SETTINGS, LAKE, "0", 30)) == FIRST
        with pytest.raises(GraphError):
            entities_of(graph, SETTINGS, LAKE, "1", 30)


def test_what_is_kept_is_what_the_store_says(large: Home) -> None:
    with open_kg(large, "lakes") as kept, OxigraphGraph("lakes", "f", large.kgs / "lakes" / "store") as store:
        query = part_query(SETTINGS, LAKE, "0")
        assert set(kept.select(query).rows) == set(store.select(query).rows)
        assert kept.ask(f"ASK {{ <{LAKES[1]}> a <{WATER}> }}")


def test_every_entity_comes_once(large: Home) -> None:
    assert len(LAKES) == read_profile(large, "lakes").classes[0].count == 300
    with open_kg(large, "lakes") as graph:
        found = list(shuffled(graph, NodeType(LAKE, "lake", 300, 1.0), SETTINGS, Random(1), 30))
    assert set(found[: len(FIRST)]) == FIRST
    assert sorted(found) == LAKES


def test_the_overlap_of_large_classes_is_told_from_a_sample(large: Home) -> None:
    both = len([iri for iri in FIRST if LAKES.index(iri) % 10])
    with open_kg(large, "lakes") as graph:
        assert overlap(graph, SETTINGS, LAKE, 300, WATER) == round(300 * both / len(FIRST))
        assert overlap(graph, SETTINGS, WATER, 270, LAKE) == 270
        assert overlap(graph, SETTINGS, LAKE, 20, WATER) == 270  # of a small one all are counted


def test_a_damaged_file_is_said(large: Home) -> None:
    (large.kgs / "lakes" / KEPT).write_bytes(b"PK")
    with pytest.raises(GraphError, match="cannot be read"):
        open_kg(large, "lakes")
