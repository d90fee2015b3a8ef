from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from chattygen.config import RDF_TYPE
from chattygen.domain import XSD, BlankNode, Iri, Literal, Term
from chattygen.errors import QueryError
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.sparql import bind, can_be_asked, foreign_iris, parses, read_only, term_text, tokens

FILM = "http://example.org/film/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def film(name: str) -> Iri:
    return Iri(FILM + name)


# Terms


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Iri("http://e.org/It's_(a)"), "<http://e.org/It's_(a)>"),
        (Literal("plain"), '"plain"'),
        (Literal('a "b" \\ c\nd\re\tf'), '"a \\"b\\" \\\\ c\\nd\\re\\tf"'),
        (Literal("chat", XSD + "string", "fr-BE"), '"chat"@fr-BE'),
        (Literal("1", XSD + "integer"), f'"1"^^<{XSD}integer>'),
        (BlankNode("b1"), "_:b1"),
    ],
)
def test_term_text(term: Term, text: str) -> None:
    assert term_text(term) == text


@pytest.mark.parametrize("character", ' <>"{}|\\^`\n\t\x00\x7f'.replace("\x7f", ""))
def test_an_iri_with_an_illegal_character_is_refused(character: str) -> None:
    with pytest.raises(QueryError):
        term_text(Iri(f"http://e.org/a{character}b"))


@pytest.mark.parametrize(
    "term", [Iri(""), Literal("x", XSD + "string", "en> . ?s ?p ?o"), Literal("x", "a b"), BlankNode("b . ?s ?p")]
)
def test_other_parts_of_a_term_cannot_inject_either(term: Term) -> None:
    with pytest.raises(QueryError):
        term_text(term)


@pytest.mark.parametrize(
    "value", ['"', '\\"', "\\", "\\u0022", '"""', "' } SERVICE <http://x/> {", "#", "\n", "\0", "\r\n", "é"]
)
def test_a_literal_goes_through_the_engine_unchanged(tiny: OxigraphGraph, value: str) -> None:
    rows = tiny.select(f"SELECT ?x {{ BIND({term_text(Literal(value))} AS ?x) }}").rows
    assert rows == ((Literal(value),),)


# Named queries


QUERIES = sorted(path.stem for path in (Path(__file__).parents[2] / "chattygen" / "kg" / "queries").glob("*.rq"))


@pytest.mark.parametrize("name", QUERIES)
def test_every_named_query_begins_with_its_source_and_is_sparql_once_bound(name: str) -> None:
    template = (Path(__file__).parents[2] / "chattygen" / "kg" / "queries" / f"{name}.rq").read_text(encoding="utf-8")
    assert template.startswith("# ")
    values: dict[str, Term | int] = {"limit": 1, "offset": 0, "bucket": Literal("0a"), "most": 9}
    wanted = {token.text[1:] for token in tokens(template) if token.text.startswith("$")}
    query = bind(name, **{parameter: values.get(parameter, film("Ada")) for parameter in wanted})
    assert parses(query) is None
    assert read_only(query) is None
    assert not any(token.text.startswith("$") for token in tokens(query))


BORN = film("born")


def test_bind_replaces_only_parameters() -> None:
    query = bind("facts_out", entity=film("Ada"), predicates=[BORN, film("bornIn")])
    assert "VALUES ?predicate { <http://example.org/film/born> <http://example.org/film/bornIn> }" in query
    assert "<http://example.org/film/Ada> ?predicate ?value ." in query


@pytest.mark.parametrize(
    "terms",
    [{}, {"entity": film("Ada")}, {"entity": film("Ada"), "predicates": [BORN], "more": 1}, {"entitee": film("Ada")}],
)
def test_bind_wants_exactly_its_parameters(terms: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"query facts_out takes \['entity', 'predicates'\]"):
        bind("facts_out", **terms)


def test_bind_refuses_a_blank_node_which_would_be_a_variable() -> None:
    with pytest.raises(QueryError):
        bind("facts_out", entity=BlankNode("b"), predicates=[BORN])


def test_bind_refuses_an_injected_iri() -> None:
    with pytest.raises(QueryError):
        bind("facts_out", entity=Iri("http://e.org/a> ?p ?o } # "), predicates=[BORN])


def test_facts_in_both_directions(tiny: OxigraphGraph) -> None:
    outgoing = bind("facts_out", entity=film("Noon"), predicates=[film("directedBy"), film("stars")])
    assert set(tiny.select(outgoing).rows) == {(film("directedBy"), film("Cy")), (film("stars"), film("Ada"))}
    incoming = bind("facts_in", entity=film("Oslo"), predicates=[film("bornIn")])
    assert set(tiny.select(incoming).rows) == {(film("bornIn"), film("Ada")), (film("bornIn"), film("Cy"))}


def test_an_empty_list_of_terms_gives_no_rows(tiny: OxigraphGraph) -> None:
    assert tiny.select(bind("facts_out", entity=film("Noon"), predicates=[])).rows == ()


# Tokens


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("SELECT*{?s<http://a/b>?o}", ["SELECT", "*", "{", "?s", "<http://a/b>", "?o", "}"]),
        ("?a<?b && ?c>?d", ["?a", "<", "?b", "&", "&", "?c", ">", "?d"]),
        ("'SERVICE <x>' \"a'b\" # SERVICE\n1.5e3", ["'SERVICE <x>'", '"a\'b"', "1.5e3"]),
        ('"""a "quoted" \\""" # no""" x', ['"""a "quoted" \\""" # no"""', "x"]),
        ("'''it''s'''", ["'''it''s'''"]),
        ("ex:a. :b ex: ex:c\\,d%20", ["ex:a", ".", ":b", "ex:", "ex:c\\,d%20"]),
        ('"x"@en-GB "1"^^xsd:int', ['"x"', "@en-GB", '"1"', "^^", "xsd:int"]),
        ('"" "unclosed', ['""', '"', "unclosed"]),
    ],
)
def test_tokens(query: str, texts: list[str]) -> None:
    assert [token.text for token in tokens(query)] == texts


# S1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x WHERE { <http://e.org/a> <http://e.org/p> ?x }",
        'ASK { ?s ?p "SERVICE <http://x/> {" }',
        "PREFIX e: <http://e.org/> SELECT (COUNT(DISTINCT ?x) AS ?n) { e:a e:p ?x }",
    ],
)
def test_s1_passes(query: str) -> None:
    assert parses(query) is None


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT ?x WHERE { ?x ?p ?o", "not SPARQL 1.1"),
        ("Here is it, SELECT ?x { ?x ?p ?o }", "not SPARQL 1.1"),
        ("SELECT ?x { ?x foo:p ?o }", "prefix of foo:p is not declared"),
        ("SELECT ?x { ?x <relative> ?o }", "not SPARQL 1.1"),
        ("SELECT (COUNT(*) AS ?n) ?x { ?x ?p ?o }", "not SPARQL 1.1"),
        ("SELECT ?x { ?x ?p ?o LATERAL { ?x ?p ?o } }", "LATERAL is not part"),
        ("SELECT ?x { << ?a ?b ?c >> ?p ?x }", "<< is not part"),
        ("SELECT ?x { ?x ?p '\ud800' }", "not SPARQL 1.1"),
        ("", "not SPARQL 1.1"),
    ],
)
def test_s1_fails(query: str, words: str) -> None:
    finding = parses(query)
    assert finding is not None
    assert finding.rule == "S1"
    assert words in finding.message
    assert "\n" not in finding.message


@pytest.mark.parametrize("query", ["SELECT ?x " + "{" * 10_000, "ASK { " + "?s ?p ?o . " * 200 + "}"])
def test_s1_does_not_hand_the_engine_what_would_crash_or_hang_it(query: str) -> None:
    started = time.monotonic()
    finding = parses(query)
    assert finding is not None
    assert "too long" in finding.message
    assert time.monotonic() - started < 2


# S2


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x { ?x ?p ?o }",
        "PREFIX e: <http://e.org/> ASK { e:a e:service ?o }",
        "# SERVICE\nSELECT ?x { ?x <http://e.org/service#FROM> 'INSERT SERVICE' }",
        "SELECT ?service ?from { ?service ?p ?from }",
    ],
)
def test_s2_passes(query: str) -> None:
    assert read_only(query) is None


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://x/> { ?s ?p ?o } }",
        "SELECT * { service silent ?x { ?s ?p ?o } }",
        "PREFIX x: <http://x/> SELECT * { ?s ?p trueSERVICE x:a { ?s ?p ?o } }",
        "PREFIX e: <http://x/> PREFIX SERVICEe: <http://x/> SELECT * { SERVICEe:a { ?s ?p ?o } }",
        "PREFIX x: <http://x/> SELECT * { FILTER(1<x:y)SERVICE#>\n<http://x/> { ?s ?p ?o } }",
        "SELECT * FROM <http://x/> { ?s ?p ?o }",
        "DELETE WHERE { ?s ?p ?o }",
        "PREFIX e: <http://e.org/> INSERT DATA { e:a e:b e:c }",
        "LOAD <http://x/>",
        "DESCRIBE <http://x/>",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "",
    ],
)
def test_s2_fails(query: str) -> None:
    finding = read_only(query)
    assert finding is not None
    assert finding.rule == "S2"


# S3


@pytest.mark.parametrize(
    ("query", "foreign"),
    [
        ("SELECT ?x { <http://e.org/a> <http://e.org/p> ?x }", ()),
        ("PREFIX e: <http://e.org/> SELECT ?x { e:a e:p ?x . ?x e:q e:q }", ("http://e.org/q",)),
        ("PREFIX : <http://e.org/> SELECT ?x { :a :p ?x }", ()),
        ("SELECT ?x { ?x a <http://e.org/a> }", (RDF_TYPE,)),
        ("SELECT ?x { ?x ?p '<http://evil/>' } # <http://evil/>", ()),
        (f'SELECT ?x {{ ?x <http://e.org/p> "1"^^<{XSD}integer> }}', ()),
        ("SELECT ?x { ?x <http://e.org/\\u0070> <http://e.org/\\u0071> }", ("http://e.org/q",)),
        ("BASE <http://e.org/> SELECT ?x { ?x <zz> ?y }", ("zz",)),
    ],
)
def test_s3(query: str, foreign: tuple[str, ...]) -> None:
    assert foreign_iris(query, {"http://e.org/a", "http://e.org/p"}) == foreign


def test_iris_that_sparql_cannot_spell_are_told() -> None:
    assert can_be_asked("http://x.org/Prague_(city)")
    assert not can_be_asked("http://x.org/two words")
