from __future__ import annotations

from chattygen.config import GraphSettings
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
    assert by_iri[RDFS + "label"] == PredicateCount(iri=RDFS + "label", triples=14, subjects=13)
    assert by_iri[FILM + "stars"] == PredicateCount(iri=FILM + "stars", triples=3, subjects=2)
    assert by_iri[FILM + "directedBy"] == PredicateCount(iri=FILM + "directedBy", triples=3, subjects=3)
    assert [found.triples for found in learned.predicates] == [14, 11, 3, 3, 3, 2, 1, 1, 1, 1]


def test_another_type_predicate(tiny: OxigraphGraph) -> None:
    learned = profile(tiny, GraphSettings(type_predicate=FILM + "bornIn"))
    assert [(found.iri, found.count) for found in learned.classes] == [(FILM + "Oslo", 2), (FILM + "Rome", 1)]
    assert learned.entities == 3


def test_overlap(tiny: OxigraphGraph) -> None:
    assert overlap(tiny, GraphSettings(), FILM + "Director", FILM + "Person") == 2
    assert overlap(tiny, GraphSettings(), FILM + "Film", FILM + "Person") == 0
