from __future__ import annotations

from pathlib import Path

from chattygen.config import GraphSettings, Home
from chattygen.kg.folders import read_profile
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import ClassCount, PredicateCount, overlap, profile

FILM = "http://example.org/film/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"


def test_profile_counts_what_was_counted_by_hand(tiny: OxigraphGraph) -> None:
    learned = profile(tiny, GraphSettings())
    assert learned.triples == 40
    assert learned.entities == 8
    assert learned.classes == (
        ClassCount(iri=FILM + "Film", count=3, blank=0),
        ClassCount(iri=FILM + "Person", count=3, blank=0),
        ClassCount(iri=FILM + "City", count=2, blank=0),
        ClassCount(iri=FILM + "Director", count=2, blank=0),
        ClassCount(iri=FILM + "Award", count=0, blank=1),
    )
    by_iri = {found.iri: found for found in learned.predicates}
    assert by_iri[RDFS + "label"] == PredicateCount(iri=RDFS + "label", triples=14)
    assert by_iri[FILM + "stars"] == PredicateCount(iri=FILM + "stars", triples=3)
    assert by_iri[FILM + "directedBy"] == PredicateCount(iri=FILM + "directedBy", triples=3)
    assert [found.triples for found in learned.predicates] == [14, 11, 3, 3, 3, 2, 1, 1, 1, 1]


def test_a_list_of_predicates_is_taken_if_it_accounts_for_all_triples(tiny: OxigraphGraph) -> None:
    learned = profile(tiny, GraphSettings())
    every = {found.iri for found in learned.predicates}
    assert profile(tiny, GraphSettings(), seen=every, triples=40) == learned
    assert profile(tiny, GraphSettings(), seen=every - {FILM + "stars"}, triples=40) == learned
    assert profile(tiny, GraphSettings(), seen=every, triples=41) == learned


def test_entities_are_counted_once_and_blank_nodes_never(home: Home, tmp_path: Path) -> None:
    """Two entities, one of them of two classes; a blank node of two classes; and a type that is no class."""
    file = tmp_path / "x.ttl"
    file.write_text("""@prefix e: <http://e.org/> .
        e:a a e:C, e:D . e:b a e:D . e:c a "no class" . [] a e:C, e:D . [] a e:D .""")
    load(home, "x", [file])
    learned = read_profile(home, "x")
    assert learned.entities == 2
    assert learned.classes == (
        ClassCount(iri="http://e.org/D", count=2, blank=2),
        ClassCount(iri="http://e.org/C", count=1, blank=1),
    )


def test_another_type_predicate(tiny: OxigraphGraph) -> None:
    learned = profile(tiny, GraphSettings(type_predicate=FILM + "bornIn"))
    assert [(found.iri, found.count) for found in learned.classes] == [(FILM + "Oslo", 2), (FILM + "Rome", 1)]
    assert learned.entities == 3


def test_overlap(tiny: OxigraphGraph) -> None:
    assert overlap(tiny, GraphSettings(), FILM + "Director", 2, FILM + "Person") == 2
    assert overlap(tiny, GraphSettings(), FILM + "Film", 3, FILM + "Person") == 0


def test_blank_nodes_are_told_apart_where_a_class_has_both(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "x.nt"
    kinds = {"Both": ["<http://e.org/a>", "_:a", "_:b"], "Named": ["<http://e.org/a>"], "Blank": ["_:a", "_:c"]}
    file.write_text(
        "".join(
            f"{entity} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/{kind}> .\n"
            for kind, entities in kinds.items()
            for entity in [*entities, entities[0]]
        )
    )
    load(home, "x", [file])
    learned = read_profile(home, "x")
    assert learned.entities == 1
    assert learned.classes == (
        ClassCount(iri="http://e.org/Both", count=1, blank=2),
        ClassCount(iri="http://e.org/Named", count=1, blank=0),
        ClassCount(iri="http://e.org/Blank", count=0, blank=2),
    )
