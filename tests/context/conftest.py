"""The made-up library of tests/data/context.ttl, loaded into a real Oxigraph store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context.facts import Names
from chattygen.context.knowledge import TypeKnowledge, learn
from chattygen.context.samples import take
from chattygen.domain import LabelRule, NodeType
from chattygen.kg.folders import open_kg, read_profile
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import Profile

KG = "http://example.org/kg/"
V = "http://example.org/vocab/"
GENRE = "http://example.org/genre/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
LIBRARY = Path(__file__).parents[1] / "data" / "context.ttl"

BOOK = NodeType(V + "Book", "book", 20, 20 / 26)
WRITER = NodeType(V + "Writer", "writer", 6, 6 / 26)
RULES = {
    V + "Book": LabelRule(V + "Book", (V + "title",), 1.0, "only"),
    V + "Writer": LabelRule(V + "Writer", (V + "givenName", V + "familyName"), 1.0, "only"),
}
NAMES = Names(
    RULES,
    classes={V + "City": "city"},
    counts={V + "Book": 20, V + "Work": 20, V + "Writer": 6, V + "City": 2},
    kept=frozenset({V + "Book", V + "Writer"}),
)
SETTINGS = GraphSettings()
RUN = RunSettings(kg="library", questions=4)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    home = Home(tmp_path_factory.mktemp("home"))
    load(home, "library", [LIBRARY])
    with open_kg(home, "library") as graph:
        yield graph


@pytest.fixture(scope="session")
def books(library: OxigraphGraph) -> TypeKnowledge:
    return learn(library, take(library, BOOK, SETTINGS, RUN), RULES[BOOK.iri], SETTINGS, RUN)


@pytest.fixture(scope="session")
def writers(library: OxigraphGraph) -> TypeKnowledge:
    return learn(library, take(library, WRITER, SETTINGS, RUN), RULES[WRITER.iri], SETTINGS, RUN)


PREFIXES = f"""
@prefix : <{KG}> .
@prefix v: <{V}> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
"""

Load = Callable[..., tuple[KnowledgeGraph, Profile]]
"""(Turtle without prefixes, settings) -> the graph in a real store and what its load has counted."""


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Home]:
    """(Turtle, type predicate) -> a home with that graph, loaded once: no other setting changes what a load does."""

    @cache
    def home_of(turtle: str, type_predicate: str) -> Home:
        folder = tmp_path_factory.mktemp("odd")
        file = folder / "odd.ttl"
        file.write_text(PREFIXES + turtle, encoding="utf-8")
        load(Home(folder), "odd", [file], settings=GraphSettings(type_predicate=type_predicate))
        return Home(folder)

    return home_of


@pytest.fixture
def loaded(homes: Callable[[str, str], Home]) -> Iterator[Load]:
    with ExitStack() as stack:

        def load_turtle(turtle: str, settings: GraphSettings = SETTINGS) -> tuple[KnowledgeGraph, Profile]:
            home = homes(turtle, settings.type_predicate)
            graph = open_kg(home, "odd")
            stack.callback(graph.close)
            return graph, read_profile(home, "odd")

        yield load_turtle
