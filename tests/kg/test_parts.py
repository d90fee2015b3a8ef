"""The rewriting of SELECT queries, judged by two parsers that are not ours."""

from __future__ import annotations

from importlib import resources

import pyoxigraph
import pytest
from rdflib.plugins.sparql.parser import parseQuery

from chattygen.domain import Iri, Literal, Term
from chattygen.kg import parts
from chattygen.kg.sparql import bind, parses, read_only

A, B = Iri("http://e.org/a"), Iri("http://e.org/b")
VALUES: dict[str, Term | list[Term] | int] = {"entities": [A, B], "predicates": [A], "bucket": Literal(""), "most": 9}
NAMES = sorted(path.name.removesuffix(".rq") for path in resources.files("chattygen.kg").joinpath("queries").iterdir())


def bound(name: str) -> str:
    """A named query with some value for each of its parameters."""
    text = resources.files("chattygen.kg").joinpath("queries", f"{name}.rq").read_text("utf-8")
    wanted = {word.strip("(){},.;") for line in text.splitlines() for word in line.split("#")[0].split()}
    return bind(name, **{word[1:]: VALUES.get(word[1:], A) for word in wanted if word.startswith("$")})


QUERIES = {
    **{name: bound(name) for name in NAMES},
    "prologue": "BASE <http://e.org/>\nPREFIX select: <http://e.org/> # SELECT\nSELECT * { ?s select:p ?o } # end",
    "values": "SELECT ?s { ?s ?p ?o } ORDER BY DESC(?s) LIMIT 5 OFFSET 2 VALUES ?s { <http://e.org/a> }",
    "nested": "SELECT DISTINCT ?s { { SELECT ?s { ?s ?p ?o } LIMIT 2 } FILTER EXISTS { ?s ?q 'SELECT } # {' } }",
}


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_and_what_is_made_of_it_is_sparql_11(name: str) -> None:
    query = QUERIES[name]
    assert parts.form(query) == "SELECT"
    for text in (query, parts.count(query), parts.part(query, ("s", "p_1"), range(0, 4096))):
        assert read_only(text) is None
        assert parses(text) is None
        parseQuery(text)


def test_the_parts_of_a_store_are_the_whole() -> None:
    store = pyoxigraph.Store()
    store.load(
        b'<a:1> <a:p> "x" , "x"@en , 1 , _:b .\n<a:2> <a:p> _:c ; <a:q> "\xc3\xa9" .', pyoxigraph.RdfFormat.TURTLE
    )
    query = "SELECT ?s ?o ?n { ?s <a:p> ?o OPTIONAL { ?s <a:q> ?n } }"

    def rows(text: str) -> list[str]:
        found = store.query(text)
        assert isinstance(found, pyoxigraph.QuerySolutions)
        return [str(row) for row in found]

    texts = [parts.part(query, ("s", "o", "n"), hashes) for hashes in parts.divided(range(parts.HASHES), 7)]
    assert sorted(row for text in texts for row in rows(text)) == sorted(rows(query))
    assert len(rows(query)) == 5
    [number] = rows(parts.count(query))
    assert '"5"' in number or "value=5" in number


def test_ranges_are_divided_without_gap_or_overlap() -> None:
    for hashes, number, lengths in (
        (range(0, 16), 3, [5, 5, 6]),
        (range(4, 6), 8, [1, 1]),
        (range(0, parts.HASHES), 2, [32768, 32768]),
    ):
        found = parts.divided(hashes, number)
        assert [len(piece) for piece in found] == lengths
        assert [hash for piece in found for hash in piece] == list(hashes)


def test_the_last_range_has_no_upper_end() -> None:
    text = parts.part("SELECT ?s { ?s ?p ?o }", ("s",), range(0xFF00, parts.HASHES))
    assert 'FILTER(?chattygen_hash >= "ff00" && ?chattygen_hash < "g")' in text
    assert 'FILTER(?chattygen_hash >= "00ff" && ?chattygen_hash < "0100")' in parts.part(
        "SELECT ?s { ?s ?p ?o }", ("s",), range(0xFF, 0x100)
    )


@pytest.mark.parametrize(
    ("names", "can"), [(("s", "o_2"), True), ((), False), (("s", "callret-0"), False), (("s) }",), False)]
)
def test_names_that_cannot_stand_in_a_query(names: tuple[str, ...], can: bool) -> None:
    assert parts.can_be_split(names) is can


def test_a_row_in_two_parts_is_found() -> None:
    one, two = (A, Literal("x")), (A, Literal("y"))
    assert parts.disjoint([(one, one), (two,)])
    assert not parts.disjoint([(one,), (two, one)])


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("PREFIX ask: <http://e.org/> ASK { ?s ?p ?o }", "ASK"),
        ("# ASK\nselect ?s { ?s ?p ?o }", "SELECT"),
        ("DESCRIBE <http://e.org/a>", "DESCRIBE"),
        ("", ""),
    ],
)
def test_the_form_of_a_query(query: str, form: str) -> None:
    assert parts.form(query) == form
