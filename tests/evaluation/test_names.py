"""Other names of entities, read off a small graph in real Oxigraph."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.config import GraphSettings, Home
from chattygen.domain import Answer
from chattygen.evaluation.names import names, other_names
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load

TURTLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
:oslo a :City ; rdfs:label "Oslo"@en , "Oslo"@no , "Ослo"@ru ; skos:altLabel "Christiania" , "Kristiania  by" .
:ada a :Person ; rdfs:label "Ada Berg" ; foaf:title "Dr." ; :jobTitle "captain" ; foaf:familyName "Berg" ;
    :nickname "Addie" ; :birthPlace :oslo ; :motto "name" .
:bo a :Person ; rdfs:label "Bo" .
"""


def test_names_that_the_label_does_not_say(tmp_path: Path) -> None:
    home, file = Home(tmp_path / "home"), tmp_path / "people.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    load(home, "people", [file])
    answers = [
        Answer("uri", "http://example.org/oslo", "Oslo"),
        Answer("uri", "http://example.org/ada", "Ada Berg"),
        Answer("uri", "http://example.org/bo", "Bo"),
        Answer("uri", "http://example.org/nobody", "Nobody"),
        Answer("literal", "http://example.org/ada", "a text"),
    ]
    with open_kg(home, "people") as graph:
        assert other_names(graph, answers, GraphSettings(), 30.0) == {
            "http://example.org/ada": ("Addie",),
            "http://example.org/oslo": ("Christiania", "Kristiania by", "Ослo"),
        }


@pytest.mark.parametrize(
    ("predicate", "whole"),
    [
        ("http://www.w3.org/2004/02/skos/core#prefLabel", True),
        ("http://schema.org/alternateName", True),
        ("http://example.org/also_known_as", True),
        ("http://xmlns.com/foaf/0.1/title", False),
        ("http://purl.org/dc/terms/title", True),
        ("http://example.org/jobTitle", False),
        ("http://example.org/lastName", False),
        ("http://example.org/teamName", False),
    ],
)
def test_which_predicates_name_the_whole_entity(predicate: str, whole: bool) -> None:
    assert names(predicate) is whole
