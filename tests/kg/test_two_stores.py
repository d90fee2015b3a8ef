"""A real Virtuoso beside a real Oxigraph: the same files must give the same graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

import pytest

from chattygen.config import GraphSettings, RunSettings, read_recipe
from chattygen.context import descriptions, knowledge, labels, samples, seeds, subgraphs
from chattygen.context.facts import Names
from chattygen.context.node_types import select
from chattygen.domain import XSD, BlankNode, Iri, Literal, Subgraph, Term
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import overlap, profile
from chattygen.kg.sparql import bind, term_text
from tests.virtuoso import Pair, fill, opened

REPOSITORY = Path(__file__).parents[2]
NOBEL = read_recipe(REPOSITORY / "kg-loaders" / "nobel.toml")
SMALL = GraphSettings()
ODD = "http://example.org/odd/"
LAKES = "http://example.org/lakes/"
FILM = "http://example.org/film/"
KG = "http://example.org/kg/"
LIBRARY = "http://example.org/vocab/"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
FOAF = "http://xmlns.com/foaf/0.1/"
DBO = "http://dbpedia.org/ontology/"
PEOPLE = "https://example.org/nobel/"
RUN = RunSettings(kg="any", deadline=60)


@pytest.fixture(scope="module")
def small(filled: tuple[Path, Path]) -> Iterator[Pair]:
    yield from opened(filled)


@pytest.fixture(scope="module")
def nobel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    files = [REPOSITORY / "kg-loaders" / file for file in NOBEL.files]
    yield from opened(fill(tmp_path_factory.mktemp("nobel"), files, NOBEL.base))


def rows(graph: KnowledgeGraph, query: str) -> Counter[tuple[Term | None, ...]]:
    """The rows, however they are sorted; a blank node has another label in each store."""
    found = graph.select(query, deadline=60)
    assert found.complete
    return Counter(tuple(BlankNode("") if isinstance(t, BlankNode) else t for t in row) for row in found.rows)


ODD_TERMS = [
    *[f"n{i}" for i in range(1, 19)],
    *[f"d{i}" for i in range(1, 11)],
    *[f"e{i}" for i in range(1, 17)],
    *[f"f{i}" for i in range(1, 5)],
    *[f"b{i}" for i in range(1, 6)],
    *[f"t{i}" for i in range(1, 32)],
    *[f"o{i}" for i in range(1, 9)],
    *[f"s{i}" for i in range(1, 13)],
    *[f"l{i}" for i in range(1, 7)],
    *[f"i{i}" for i in range(1, 13)],
]


def test_every_term_comes_back_the_same_and_is_found_by_its_name(small: Pair) -> None:
    oxigraph, virtuoso = small
    for name in ODD_TERMS:
        query = f"SELECT ?x WHERE {{ <{ODD}{name}> <{ODD}is> ?x }}"
        [(term,)] = oxigraph.select(query).rows
        assert term is not None
        assert (name, virtuoso.select(query).rows) == (name, ((term,),))
        assert (name, virtuoso.ask(f"ASK {{ <{ODD}{name}> <{ODD}is> {term_text(term)} }}")) == (name, True)
        count = f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ <{ODD}{name}> <{ODD}is> ?x }}"
        assert (name, virtuoso.select(count).rows) == (name, ((Literal("1", XSD + "integer"),),))


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("n3", Literal("1", XSD + "integer")),
        ("n9", Literal("123456789012", XSD + "integer")),
        ("n15", Literal("abc", XSD + "integer")),
        ("e6", Literal("3.141592653589793", XSD + "double")),
        ("b3", Literal("true", XSD + "boolean")),
        ("t5", Literal("-0044-03-15", XSD + "date")),
        ("t20", Literal("1899", XSD + "gYear")),
        ("s6", Literal("tab\t\"quoted\" back\\slash 'x'")),
        ("l1", Literal("colour", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en-gb")),
        ("i1", Iri("http://example.org/It's_Late")),
    ],
)
def test_terms_of_virtuoso_by_hand(small: Pair, name: str, term: Term) -> None:
    assert small[1].select(f"SELECT ?x WHERE {{ <{ODD}{name}> <{ODD}is> ?x }}").rows == ((term,),)


@pytest.mark.parametrize(("iri", "text"), [("It's_Late", "late"), ("Zürich", "a town"), ("😀", "a face")])
def test_an_odd_iri_can_be_asked_about(small: Pair, iri: str, text: str) -> None:
    query = f"SELECT ?x WHERE {{ <http://example.org/{iri}> <{ODD}is> ?x }}"
    assert small[1].select(query).rows == ((Literal(text),),)


PARAMETERS: dict[str, Term | Sequence[Term] | int] = {
    "entity": Iri(LAKES + "r1"),
    "entities": [Iri(LAKES + "l1"), Iri(LAKES + "north"), Iri(FILM + "Ada"), Iri(ODD + "n15"), Iri(ODD + "t18")],
    "predicates": [Iri(LAKES + "vocab/region"), Iri(LAKES + "vocab/outflow"), Iri(LAKES + "north"), Iri(LABEL)],
    "predicate": Iri(LAKES + "vocab/region"),
    "type_predicate": Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
    "type": Iri(LAKES + "vocab/River"),
    "child": Iri(FILM + "Director"),
    "parent": Iri(FILM + "Person"),
    "first": Iri(LAKES + "vocab/region"),
    "second": Iri(LABEL),
    "link": Iri(LAKES + "vocab/region"),
    "bucket": Literal(""),
    "text": Literal("Lund"),
    "given": Iri(LIBRARY + "givenName"),
    "family": Iri(LIBRARY + "familyName"),
    "given_name": Literal("Ada"),
    "family_name": Literal("Lindqvist"),
    "most": 9,
}
NAMED = sorted(file.name for file in resources.files("chattygen.kg").joinpath("queries").iterdir())


@pytest.mark.parametrize("name", NAMED)
def test_every_named_query_gives_the_same(small: Pair, name: str) -> None:
    text = resources.files("chattygen.kg").joinpath("queries", name).read_text()
    wanted = set(re.findall(r"\$(\w+)", re.sub("#.*", "", text)))
    query = bind(name.removesuffix(".rq"), **{key: PARAMETERS[key] for key in wanted})
    expected = rows(small[0], query)
    assert expected
    assert rows(small[1], query) == expected


def test_namesakes_are_found_by_exact_text_and_tag(small: Pair) -> None:
    paris = Literal("Paris", LANG_STRING, "en")
    asked = {key: PARAMETERS[key] for key in ("type_predicate", "most")} | {"predicates": [Iri(LABEL)]}
    joined = {
        key: PARAMETERS[key] for key in ("type_predicate", "most", "given", "family", "given_name", "family_name")
    }
    for graph in small:
        assert rows(graph, bind("namesakes", **asked, text=paris)) == {(Iri(KG + "paris"),): 1}
        assert rows(graph, bind("namesakes", **asked, text=Literal("Paris"))) == {}
        writers = {(Iri(KG + "w1"),): 1, (Iri(KG + "w6"),): 1}
        assert rows(graph, bind("namesakes_joined", **joined)) == writers


def test_the_hash_of_an_entity_is_the_same(small: Pair) -> None:
    found = [
        rows(graph, bind("entities_by_hash", **{**TYPED, "bucket": Literal(digit)}))
        for digit in "0123456789abcdef"
        for graph in small
    ]
    assert found[::2] == found[1::2]
    assert sum(map(len, found[::2])) == 8


TYPED = {key: PARAMETERS[key] for key in ("type", "type_predicate")}


QUERIES = [
    f"SELECT ?x WHERE {{ <{PEOPLE}Niels_Henrik_David_Bohr> <{DBO}birthPlace> ?x }}",
    f"SELECT ?x WHERE {{ <{PEOPLE}Niels_Henrik_David_Bohr> <{DBO}birthDate> ?x }}",
    f"SELECT ?x WHERE {{ ?x <{DBO}birthPlace> <{PEOPLE}Denmark> }}",
    f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x <{DBO}birthPlace> <{PEOPLE}Sweden> }}",
    f"SELECT ?x WHERE {{ ?x <{FOAF}familyName> 'Curie' }}",
    f"SELECT ?x ?name WHERE {{ ?x <{FOAF}givenName> ?name FILTER(REGEX(?name, '^jo', 'i')) }}",
    f"SELECT ?place (COUNT(?x) AS ?n) WHERE {{ ?x <{DBO}birthPlace> ?place }} GROUP BY ?place HAVING (COUNT(?x) > 20)",
    f"SELECT ?x ?died WHERE {{ ?x <{DBO}birthPlace> <{PEOPLE}Norway> OPTIONAL {{ ?x <{DBO}deathPlace> ?died }} }}",
    f"SELECT DISTINCT ?x {{ {{ ?x <{DBO}birthPlace> <{PEOPLE}Oslo> }} UNION {{ ?x a <{DBO}Organisation> }} }}",
    f"SELECT ?x WHERE {{ ?x <{DBO}birthPlace> <{PEOPLE}Norway> FILTER NOT EXISTS {{ ?x <{DBO}deathPlace> ?y }} }}",
    f"SELECT ?x WHERE {{ ?x <{FOAF}gender> 'female' MINUS {{ ?x <{DBO}deathPlace> ?y }} }}",
    f"SELECT ?name WHERE {{ ?x <{FOAF}familyName> ?name }} ORDER BY ?name LIMIT 5",
    "SELECT ?p (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p",
    f"PREFIX f: <{FOAF}> SELECT (CONCAT(?g, ' ', ?f) AS ?name) WHERE {{ ?x f:givenName ?g ; f:familyName ?f }}",
    f"SELECT ?x WHERE {{ ?x <{DBO}birthPlace>/<{DBO}name> 'Norway' }}",
    "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o FILTER(isBlank(?o)) }",
]


@pytest.mark.parametrize("query", QUERIES)
def test_queries_give_the_same(nobel: Pair, query: str) -> None:
    expected = rows(nobel[0], query)
    assert expected
    assert rows(nobel[1], query) == expected


NO_BIG_NUMBER = "!REGEX(STR(?x), 'n(6|8|9|10)$')"
"""Of a whole number from 2^31 on Virtuoso says that it is a decimal."""

LAKE_QUERIES = [
    f"SELECT ?x ?d WHERE {{ ?x <{LAKES}vocab/depth> ?d FILTER(?d > 50) }}",
    f"SELECT ?x WHERE {{ ?x <{LAKES}vocab/surveyDate> ?d FILTER(?d < '1910-01-01'^^<{XSD}date>) }}",
    f"SELECT ?x WHERE {{ ?x <{LAKES}vocab/surveyDate> ?d FILTER(YEAR(?d) = 1911) }}",
    f"SELECT (MAX(?d) AS ?deepest) (MIN(?d) AS ?least) (SUM(?d) AS ?all) WHERE {{ ?x <{LAKES}vocab/depth> ?d }}",
    f"SELECT ?x WHERE {{ ?x <{LAKES}vocab/depth> 104 }}",
    f"SELECT ?x ?d WHERE {{ ?x <{LAKES}vocab/depth> ?d }} ORDER BY DESC(?d) LIMIT 2",
    f"SELECT ?l WHERE {{ ?x <{LAKES}vocab/depth> ?d ; <{LABEL}> ?l FILTER(LANG(?l) = '') }}",
    f"SELECT ?l WHERE {{ ?x <{LABEL}> ?l FILTER(LANGMATCHES(LANG(?l), 'nl')) }}",
    f"SELECT ?x (DATATYPE(?v) AS ?d) WHERE {{ ?x <{ODD}is> ?v FILTER(isIRI(?x) && LANG(?v) = '' && {NO_BIG_NUMBER}) }}",
    f"SELECT ?x (STR(?v) AS ?d) (STRLEN(STR(?v)) AS ?n) WHERE {{ ?x <{ODD}is> ?v FILTER(LANG(?v) != '') }}",
]


@pytest.mark.parametrize("query", LAKE_QUERIES)
def test_queries_over_values_give_the_same(small: Pair, query: str) -> None:
    expected = rows(small[0], query)
    assert expected
    assert rows(small[1], query) == expected


def test_the_same_profile(small: Pair, nobel: Pair) -> None:
    for (oxigraph, virtuoso), graph_settings in ((small, SMALL), (nobel, NOBEL.settings)):
        assert profile(virtuoso, graph_settings) == profile(oxigraph, graph_settings)


def context(graph: KnowledgeGraph, graph_settings: GraphSettings) -> list[Subgraph]:
    """Section 4 over a graph: five seeds of each node type with their subgraphs, the first label candidate chosen."""
    learned = profile(graph, graph_settings)
    counts = {found.iri: found.count for found in learned.classes}
    kept, _ = select(
        [(found.iri, found.count) for found in learned.classes if found.count],
        lambda child, parent: overlap(graph, graph_settings, child, counts[child], parent),
        graph_settings,
        rare=RUN.rare,
        shadowed=RUN.shadowed,
    )
    named = {}
    for node_type in kept:
        sample = samples.take(graph, node_type, graph_settings, RUN)
        if found := labels.candidates(sample, graph_settings, RUN.max_label_words):
            named[node_type.iri] = (node_type, sample, labels.rule(node_type, found[0], "only"))
    names = Names(
        {iri: rule for iri, (_, _, rule) in named.items()},
        classes=descriptions.class_labels(graph, counts, graph_settings),
        counts=counts,
        kept=frozenset(t.iri for t in kept),
    )
    made = []
    for node_type, sample, rule in named.values():
        known = knowledge.learn(graph, sample, rule, graph_settings, RUN)
        source = iter(seeds.SeedSource(graph, node_type, rule, graph_settings, RUN))
        for _, seed in zip(range(5), source, strict=False):
            made.append(subgraphs.extract(graph, seed, known, names, graph_settings, RUN))
    return made


def test_the_same_seeds_and_subgraphs(small: Pair, nobel: Pair) -> None:
    for (oxigraph, virtuoso), graph_settings, fewest in ((small, SMALL, 15), (nobel, NOBEL.settings, 10)):
        expected = context(oxigraph, graph_settings)
        assert len(expected) >= fewest
        assert any(subgraph.facts for subgraph in expected)
        assert context(virtuoso, graph_settings) == expected


EQUAL = """
@prefix : <http://example.org/odd/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :p 5, 5.0, 5e0, "5"^^xsd:float, "5", "5"@en .
:b :p true, 1, 1.0 .
:c :p "1899-01-01"^^xsd:date, "1899-01-01Z"^^xsd:date, "1899"^^xsd:gYear, "1899-01"^^xsd:gYearMonth,
    "1899-01-01T00:00:00"^^xsd:dateTime, "1899-01-01T00:00:00Z"^^xsd:dateTime .
:d :p "2001-02-03T04:05:06Z"^^xsd:dateTime, "2001-02-03T06:05:06+02:00"^^xsd:dateTime .
:e :p 0.0e0, -0.0e0, 0, false .
"""


def test_equal_values_of_one_subject_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "equal.ttl"
    file.write_text(EQUAL)
    for oxigraph, virtuoso in opened(fill(tmp_path, [file])):
        for name in "abcde":
            query = f"SELECT ?x WHERE {{ <{ODD}{name}> <{ODD}p> ?x }}"
            expected = rows(oxigraph, query)
            assert rows(virtuoso, query) == expected
            for (term,) in expected:
                assert term is not None
                assert virtuoso.ask(f"ASK {{ <{ODD}{name}> <{ODD}p> {term_text(term)} }}")
