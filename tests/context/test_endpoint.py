"""One file, twice: in Oxigraph, and behind an endpoint. Whatever is learned, drawn and answered must be the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chattygen.config import Home, RunSettings
from chattygen.context import labels
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.outlook import types_of
from chattygen.context.samples import take
from chattygen.context.seeds import SeedSource
from chattygen.context.subgraphs import extract
from chattygen.domain import LabelRule, NodeType, Seed, Subgraph
from chattygen.kg.attach import attach
from chattygen.kg.endpoint import EndpointGraph
from chattygen.kg.folders import open_kg, read_manifest, read_profile
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.load import load
from tests.context.conftest import LIBRARY
from tests.journeys.lakes import GRAPH, SILENT, fresh, make_home, write_script
from tests.kg.sparql_server import Endpoint, serving
from tests.test_pipeline import exported, generate

LAKES = "http://example.org/lakes/"
FILES = {"lakes": GRAPH, "library": LIBRARY}


@pytest.fixture(scope="module", params=[0, 5], ids=["no-cap", "cap-5"])
def served(request: pytest.FixtureRequest) -> Iterator[dict[str, Endpoint]]:
    """Both files behind endpoints, which cut each answer after so many rows."""
    with serving(GRAPH) as lakes, serving(LIBRARY) as library:
        lakes.cap = library.cap = request.param
        lakes.tells = library.tells = True
        yield {"lakes": lakes, "library": library}


@pytest.fixture(scope="module")
def both(served: dict[str, Endpoint], tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The graph NAME is loaded, NAME-served is attached."""
    home = Home(tmp_path_factory.mktemp("both"))
    for name, file in FILES.items():
        load(home, name, [file])
        attach(home, f"{name}-served", served[name].url)
    return home


@pytest.mark.parametrize("name", FILES)
def test_the_same_profile(both: Home, name: str) -> None:
    assert read_profile(both, name) == read_profile(both, f"{name}-served")
    assert read_manifest(both, name).triples == read_manifest(both, f"{name}-served").triples


def test_the_profile_is_what_was_counted_by_hand(both: Home) -> None:
    found = read_profile(both, "lakes-served")
    assert {c.iri.removeprefix(f"{LAKES}vocab/"): c.count for c in found.classes} == {
        "River": 8,
        "Island": 7,
        "Lake": 6,
        "Region": 2,
    }
    assert found.entities == 23


def context(
    graph: KnowledgeGraph, home: Home, name: str, run: RunSettings
) -> list[tuple[NodeType, LabelRule, list[Seed], list[Subgraph]]]:
    """Each node type with its label rule, its seeds in their order, and their subgraphs."""
    settings = read_manifest(home, name).settings
    kept, _ = types_of(graph, read_profile(home, name), settings, run)
    made = []
    for kind in kept:
        sample = take(graph, kind, settings, run)
        if not (found := labels.candidates(sample, settings, run.max_label_words)):
            continue
        rule = labels.rule(kind, found[0], "only")
        names = Names({kind.iri: rule}, classes={}, counts={}, kept=frozenset({kind.iri}))
        knowledge = learn(graph, sample, rule, settings, run)
        seeds = list(SeedSource(graph, kind, rule, settings, run))
        made.append((kind, rule, seeds, [extract(graph, s, knowledge, names, settings, run) for s in seeds]))
    return made


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_types_labels_seeds_and_subgraphs(both: Home, name: str, seed: int) -> None:
    run = RunSettings(kg=name, seed=seed)
    with open_kg(both, name) as loaded, open_kg(both, f"{name}-served") as attached:
        assert isinstance(attached, EndpointGraph)
        here, there = context(loaded, both, name, run), context(attached, both, f"{name}-served", run)
    assert here == there
    assert len(here) >= 2
    assert sum(len(subgraph.facts) for *_, subgraphs in here for subgraph in subgraphs) > 50


def dialogues(home: Home, kg: str) -> list[dict[str, Any]]:
    """What a run exports, without what differs between any two runs and names the store."""
    outcome = generate(home, kg=kg, dialogues=4, questions=3, seed=3)
    made = exported(home, outcome.run)
    for dialogue in made:
        dialogue["id"] = dialogue["id"].removeprefix(outcome.run)
        dialogue |= {"run": "", "kg": "", "kg_fingerprint": ""}
        dialogue["usage"]["seconds"] = 0.0
    return made


def test_a_whole_run_gives_the_same_benchmark(weights_home: Home, tmp_path: Path) -> None:
    home = fresh(make_home(tmp_path / "shared", weights_home), tmp_path / "home")
    write_script(home.path, SILENT)
    with serving(GRAPH) as endpoint:
        attach(home, "served", endpoint.url)
        made = dialogues(home, "served")
        assert json.dumps(made) == json.dumps(dialogues(home, "lakes"))
    assert len(made) == 4
    assert all(turn["answers"] for dialogue in made for turn in dialogue["turns"])
