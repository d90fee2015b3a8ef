from __future__ import annotations

import pytest

from chattygen.config import GraphSettings
from chattygen.context.descriptions import (
    UNKNOWN,
    best_text,
    class_labels,
    describe,
    name_of,
    predicate_labels,
)
from chattygen.domain import LabelRule, Literal
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import GENRE, KG, RULES, SETTINGS, V


def neighbour_labels(
    graph: OxigraphGraph, iris: list[str], settings: GraphSettings, rules: dict[str, LabelRule]
) -> dict[str, str]:
    """As a subgraph names its neighbours: described in one batch, then named one by one."""
    known = describe(graph, iris, settings, 30.0)
    return {iri: name_of(iri, known.get(iri, UNKNOWN), rules, settings) for iri in iris}


def test_neighbours_of_any_class_get_labels(library: OxigraphGraph) -> None:
    undescribed = [GENRE + "Sea_stories", "http://elsewhere.example/4711", "http://x.org/a b"]
    iris = [KG + "w4", KG + "b02", KG + "paris", *undescribed]
    assert neighbour_labels(library, iris, SETTINGS, RULES) == {
        KG + "w4": "Chidi Okafor",
        KG + "b02": "Winter Letters",
        KG + "paris": "Paris",
        GENRE + "Sea_stories": "Sea stories",  # nothing is said about it, but its IRI can be read
        "http://elsewhere.example/4711": "",
        "http://x.org/a b": "a b",
    }


def test_without_rules_the_usual_name_predicates_are_found(library: OxigraphGraph) -> None:
    assert neighbour_labels(library, [KG + "w4", KG + "b02"], SETTINGS, {}) == {
        KG + "w4": "Chidi Okafor",
        KG + "b02": "Winter Letters",
    }


def test_the_language_is_preferred(library: OxigraphGraph) -> None:
    french = GraphSettings(language="fr")
    assert neighbour_labels(library, [KG + "paris", KG + "lund"], french, {}) == {
        KG + "paris": "Paname",
        KG + "lund": "Lund",
    }


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ([Literal("b", lang="en"), Literal("a")], "b"),
        ([Literal("b", lang="de"), Literal("aa")], "aa"),
        ([Literal("b", lang="de")], "b"),
        ([Literal("Long name", lang="en-GB"), Literal("Name", lang="en")], "Name"),
        ([Literal("Bb"), Literal("Aa")], "Aa"),
        ([Literal(" two\n words ")], "two words"),
        ([Literal("   ")], ""),
        ([], ""),
    ],
)
def test_one_name_is_chosen_among_several(literals: list[Literal], expected: str) -> None:
    assert best_text(literals, SETTINGS.languages) == expected


def test_classes_and_predicates_are_named_in_running_text(library: OxigraphGraph) -> None:
    settings = GraphSettings(predicate_labels={V + "wrote": "author of", V + "Work": "literary work"})
    assert class_labels(library, [V + "City", V + "Book", V + "Work"], settings) == {
        V + "City": "city",
        V + "Work": "literary work",
    }
    predicates = [V + "hometown", V + "wrote", V + "familyName", V + "p123"]
    assert predicate_labels(describe(library, predicates, settings, 30), predicates, settings) == {
        V + "hometown": "home town",
        V + "wrote": "author of",
        V + "familyName": "family name",
        V + "p123": "",
    }


def test_descriptions_leave_metadata_classes_and_long_texts_out(library: OxigraphGraph) -> None:
    known = describe(library, [KG + "w1", V + "City", GENRE + "Sea_stories"], SETTINGS, 30)
    assert set(known) == {KG + "w1", V + "City"}
    assert known[KG + "w1"].types == (V + "Writer",)
    assert known[V + "City"].types == ()
    assert name_of(V + "pastTime", UNKNOWN, {}, SETTINGS) == "past time"
