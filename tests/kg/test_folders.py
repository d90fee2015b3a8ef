from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.config import GraphSettings, Home, Source
from chattygen.errors import GraphError, UnknownName, UsageError
from chattygen.kg.folders import check_name, drop_kg, list_kgs, open_kg, read_manifest, read_profile
from chattygen.kg.load import load
from tests.kg.conftest import TINY

SOURCE = Source(title="Tiny", licence="Apache-2.0")


@pytest.fixture
def loaded(home: Home) -> Home:
    load(home, "b", [TINY], source=SOURCE, settings=GraphSettings(language="nl"))
    load(home, "a", [TINY])
    return home


def test_list_read_open(loaded: Home) -> None:
    assert [manifest.name for manifest in list_kgs(loaded)] == ["a", "b"]
    manifest = read_manifest(loaded, "b")
    assert (manifest.triples, manifest.source, manifest.settings.language) == (40, SOURCE, "nl")
    assert read_profile(loaded, "b").entities == 8
    with open_kg(loaded, "b") as graph:
        assert (graph.name, graph.fingerprint) == ("b", manifest.fingerprint)
        assert graph.ask('ASK { ?s ?p "Ada Berg" }')


def test_drop(loaded: Home) -> None:
    drop_kg(loaded, "a")
    assert not (loaded.kgs / "a").exists()
    assert [manifest.name for manifest in list_kgs(loaded)] == ["b"]


def test_an_unknown_name_says_which_there_are(loaded: Home) -> None:
    with pytest.raises(UnknownName, match="there are: a, b"):
        open_kg(loaded, "c")


@pytest.mark.parametrize("name", ["../b", ".b", ""])
def test_a_name_is_never_a_path(loaded: Home, name: str) -> None:
    with pytest.raises(UnknownName):
        drop_kg(loaded, name)
    assert len(list_kgs(loaded)) == 2


def test_nothing_is_there_before_the_first_load(tmp_path: Path) -> None:
    assert list_kgs(Home(tmp_path / "new")) == []


def test_a_damaged_manifest_is_an_error_with_a_hint(loaded: Home) -> None:
    (loaded.kgs / "a" / "kg.json").write_text("{")
    with pytest.raises(GraphError, match=r"kg\.json cannot be read"):
        list_kgs(loaded)


@pytest.mark.parametrize("name", ["dblp", "yago-4.5", "0_a"])
def test_good_names(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", ["", "DBLP", ".a", "-a", "a/b", "a b", "a\n"])
def test_bad_names(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name)
