from __future__ import annotations

from chattygen.context.vocabulary import (
    is_metadata_predicate,
    is_metadata_type,
    label_rank,
    listed,
    means_type,
    name_parts,
)

from .conftest import RDF_TYPE, RDFS_LABEL, V


def test_metadata_classes_are_matched_by_namespace() -> None:
    assert is_metadata_type("http://www.w3.org/2002/07/owl#Class")
    assert is_metadata_type("http://www.w3.org/2002/07/owlObjectProperty")
    assert is_metadata_type("http://www.openlinksw.com/schemas/virtrdf#array-of-string")
    assert is_metadata_type("http://www.w3.org/2004/02/skos/core#ConceptScheme")


def test_a_name_that_only_looks_like_metadata_stays() -> None:
    assert not is_metadata_type("http://schema.org/Class")
    assert not is_metadata_type("http://www.w3.org/2004/02/skos/core#Concept")
    assert not is_metadata_type("http://example.org/owl#Barn")


def test_metadata_predicates() -> None:
    assert is_metadata_predicate(RDF_TYPE)
    assert is_metadata_predicate("http://www.w3.org/2002/07/owlsameAs")
    assert is_metadata_predicate("http://dbpedia.org/ontology/wikiPageWikiLink")
    assert not is_metadata_predicate("http://dbpedia.org/ontology/birthPlace")


def test_usual_name_predicates_rank_before_unusual_ones() -> None:
    assert label_rank(RDFS_LABEL) == 0
    ranks = [label_rank(p) for p in ("http://x.org/prefLabel", "http://x.org/name", "http://x.org/team_name")]
    assert None not in ranks
    assert ranks == sorted(ranks, key=lambda rank: rank or 0)
    assert label_rank("http://x.org/givenName") is None
    assert label_rank("http://x.org/birthDate") is None


def test_given_and_family_name_make_a_pair() -> None:
    assert name_parts([V + "surname", V + "age", V + "first_name"]) == (V + "first_name", V + "surname")
    assert name_parts([V + "surname", V + "age"]) is None


def test_lists_hold_iris_and_beginnings() -> None:
    assert listed(V + "Book", [V + "Book"])
    assert listed(V + "Book", ["http://other.example/*", V + "*"])
    assert not listed(V + "Bookshop", [V + "Book"])
    assert not listed(V + "Book", [])


def test_what_may_say_of_which_class_an_entity_is() -> None:
    yes = [
        "http://www.wikidata.org/prop/direct/P31",
        V + "instanceOf",
        V + "hasType",
        V + "is_a",
        V + "type",
        V + "kind",
    ]
    assert [p for p in yes if not means_type(p)] == []
    no = ["http://www.wikidata.org/prop/direct/P279", V + "typeface", V + "mankind", V + "name"]
    assert [p for p in no if means_type(p)] == []
