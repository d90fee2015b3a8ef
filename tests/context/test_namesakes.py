"""Entities with one label, in a real store: by type, by a fact, not at all."""

from __future__ import annotations

import pytest

from chattygen.config import GraphSettings
from chattygen.context.descriptions import class_labels
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.namesakes import called, learn_calling
from chattygen.context.samples import take
from chattygen.context.subgraphs import extract
from chattygen.domain import Being, LabelRule, NodeType, Seed, Subgraph
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile

from .conftest import KG, NAMES, RDFS_LABEL, RULES, RUN, SETTINGS, WRITER, Load, V

ATLAS = """
:adana a v:City ; rdfs:label "Adana" ; v:river :seyhan .
:adanap a v:Province ; rdfs:label "Adana"@en ; v:country :turkey .
:adanax rdfs:label "Adana" . # no class: nothing that a person could mean
[] a v:Song ; rdfs:label "Adana" . # nor can this be asked for
:adanaf a v:Song ; v:alias "Adana" ; rdfs:label "Salt" .
:limburg1 a v:Province ; rdfs:label "Limburg" ; v:country :belgium ; v:seat :hasselt ;
    v:founded "1839-04-19"^^xsd:date .
:limburg2 a v:Province ; rdfs:label "Limburg" ; v:country :dutch ; v:founded "1839-09-05"^^xsd:date .
:limburg3 a v:Province ; rdfs:label "Limburg" ; v:country :belgium2 ; v:seat :hasselt .
:blue1 a v:Lake ; rdfs:label "Blue Lake" ; v:country :turkey .
:blue2 a v:Lake ; rdfs:label "Blue Lake" ; v:country :turkey .
:mosh a v:Song ; rdfs:label "Mosh (song)" ; v:singer :ada .
:mash a v:Song ; rdfs:label "Mash (song)" ; v:singer :ada .
:mash2 a v:Song ; rdfs:label "Mash" ; v:singer :bo .
:turkey a v:Country ; rdfs:label "Turkey" . :belgium a v:Country ; rdfs:label "Belgium" .
:belgium2 a v:Country ; rdfs:label "Belgium" . :dutch a v:Country ; rdfs:label "Netherlands" .
:seyhan a v:River ; rdfs:label "Seyhan" . :hasselt a v:City ; rdfs:label "Hasselt" .
:ada a v:Writer ; rdfs:label "Ada" . :bo a v:Writer ; rdfs:label "Bo" .
""" + "\n".join(f':intro{n} a v:Song ; rdfs:label "Introduction" ; v:year {1900 + n} .' for n in range(22))


def said(graph: KnowledgeGraph, profile: Profile, name: str, kind: str, being: Being) -> Subgraph:
    counts = {found.iri: found.count for found in profile.classes}
    rules = {iri: LabelRule(iri, (RDFS_LABEL,), 1.0, "only") for iri in counts}
    names = Names(rules, class_labels(graph, counts, SETTINGS), counts, frozenset(counts))
    node_type = NodeType(V + kind, kind.lower(), counts[V + kind], 1.0)
    sample, rule = take(graph, node_type, SETTINGS, RUN), rules[node_type.iri]
    [label] = [
        row[0].value
        for row in graph.select(f"SELECT ?l {{ <{KG}{name}> <{RDFS_LABEL}> ?l }}").rows
        if row[0] is not None
    ]
    seed = Seed(KG + name, label, node_type.iri, node_type.label, being)
    subgraph = extract(graph, seed, learn(graph, sample, rule, SETTINGS, RUN), names, SETTINGS, RUN)
    calling = learn_calling(sample, rule, names, (p.iri for p in profile.predicates), SETTINGS)
    return called(graph, subgraph, calling, SETTINGS, RUN)


@pytest.mark.parametrize(
    ("name", "kind", "being", "expected"),
    [
        ("adana", "City", "place", "the city Adana"),
        ("adanap", "Province", "place", "the province Adana"),  # though its label has a language tag
        ("adanaf", "Song", "work", ""),  # only its other name is Adana
        # not by its country, of which another Limburg has a namesake; nor by a year, which one shares, nor by the seat
        ("limburg2", "Province", "place", "the province Limburg whose country is Netherlands"),
        ("mosh", "Song", "work", 'the song "Mosh"'),
        ("mash", "Song", "work", ""),  # the other song is called so: the bracket is needed
        ("mash2", "Song", "work", ""),
        ("turkey", "Country", "place", ""),
        ("hasselt", "City", "place", ""),
    ],
)
def test_what_is_said(loaded: Load, name: str, kind: str, being: Being, expected: str) -> None:
    found = said(*loaded(ATLAS), name, kind, being)
    assert found.seed.said == expected
    assert found.facts or name in ("turkey", "hasselt")


@pytest.mark.parametrize(("name", "kind"), [("blue1", "Lake"), ("limburg1", "Province"), ("limburg3", "Province")])
def test_c5_what_has_nothing_of_its_own_has_nothing_to_ask_about(loaded: Load, name: str, kind: str) -> None:
    """limburg1 and limburg3 share their seat, and the names of their countries; two were founded in 1839."""
    found = said(*loaded(ATLAS), name, kind, "place")
    assert (found.facts, found.size, found.seed.said) == ((), 0, "")
    reasons = {gone.reason for gone in found.dropped if gone.predicate == V + "country"}
    assert reasons == {"no fact tells the entity from those that are called like it"}


def test_c5_too_many_namesakes_are_not_told_apart(loaded: Load) -> None:
    assert said(*loaded(ATLAS), "intro0", "Song", "work").facts == ()


@pytest.mark.parametrize(
    ("iri", "expected"),
    [
        ("w1", "the writer Ada Lindqvist born in 1880"),  # w6 has no birth date
        ("w2", ""),  # shares each part of the name with somebody, but not both
        ("w6", None),  # nothing but books, and those are several
    ],
)
def test_namesakes_by_given_and_family_name(library: KnowledgeGraph, iri: str, expected: str | None) -> None:
    names = {"w1": "Ada Lindqvist", "w2": "Bo Lindqvist", "w6": "Ada Lindqvist"}
    sample, rule = take(library, WRITER, SETTINGS, RUN), RULES[WRITER.iri]
    seed = Seed(KG + iri, names[iri], WRITER.iri, "writer", "person")
    subgraph = extract(library, seed, learn(library, sample, rule, SETTINGS, RUN), NAMES, SETTINGS, RUN)
    found = called(library, subgraph, learn_calling(sample, rule, NAMES, (), SETTINGS), SETTINGS, RUN)
    assert (found.seed.said if found.facts else None) == expected
    assert found.facts == (subgraph.facts if expected is not None else ())


def test_what_is_told_apart_keeps_its_facts(loaded: Load) -> None:
    found = said(*loaded(ATLAS), "limburg2", "Province", "place")
    assert {fact.predicate_label for fact in found.facts} == {"country", "founded"}
    assert found.size == 2


def test_the_tags_under_which_names_are_looked_up_are_those_of_the_sample(loaded: Load) -> None:
    graph, _ = loaded(':p a v:City ; rdfs:label "Köln"@de-AT . :q a v:City ; rdfs:label "Köln" .')
    settings = GraphSettings(language="en")
    node_type = NodeType(V + "City", "city", 2, 1.0)
    sample = take(graph, node_type, settings, RUN)
    rule = LabelRule(node_type.iri, (RDFS_LABEL,), 1.0, "only")
    names = Names({node_type.iri: rule}, {}, {}, frozenset())
    calling = learn_calling(sample, rule, names, [V + "title", V + "depth", V + "altLabel"], settings)
    assert calling.tags == ("", "en", "de-at")
    assert calling.predicates == tuple(sorted([RDFS_LABEL, V + "title"]))
    assert calling.kinds == {"city"}
