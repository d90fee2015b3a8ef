from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.config import GraphSettings
from chattygen.context.knowledge import TypeKnowledge, learn
from chattygen.context.samples import take
from chattygen.context.subgraphs import extract
from chattygen.domain import XSD, Fact, Iri, Literal, Seed, Value
from chattygen.errors import QueryTimeout
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import BOOK, GENRE, KG, NAMES, RDF_TYPE, RULES, RUN, SETTINGS, V

ADA = Seed(KG + "w1", "Ada Lindqvist", V + "Writer", "writer")
HARBOUR = Seed(KG + "b01", "The Glass Harbour", V + "Book", "book")


def book(n: int, title: str) -> Value:
    return Value(Iri(f"{KG}b{n:02d}"), title, "book")


ADAS_BOOKS = (
    book(1, "The Glass Harbour"),
    book(2, "Winter Letters"),
    book(3, "A Map of Salt"),
    book(4, "The Quiet Orchard"),
)


def test_the_facts_about_a_writer(library: OxigraphGraph, writers: TypeKnowledge) -> None:
    subgraph = extract(library, ADA, writers, NAMES, SETTINGS, RUN)
    lund = (Value(Iri(KG + "lund"), "Lund", "city"),)
    born = Literal("1880-02-03", XSD + "date")
    assert subgraph.facts == (
        Fact(V + "born", "born", "out", (Value(born, "1880-02-03"),), 1, "date"),
        Fact(V + "buried", "buried", "out", lund, 1, "entity", "city"),
        Fact(V + "hometown", "home town", "out", lund, 1, "entity", "city"),
        Fact(V + "wrote", "wrote", "out", ADAS_BOOKS, 4, "entity", "book"),
        Fact(V + "gender", "gender", "out", (Value(Literal("female"), "female"),), 1, "text"),
    )
    assert subgraph.size == 1 + 1 + 1 + 4 + 1
    assert [(d.predicate, d.direction, d.reason) for d in subgraph.dropped] == [
        (V + "alias", "out", "label"),
        (V + "author", "in", "same as wrote"),
        (V + "award", "out", "blank nodes"),
        (V + "biography", "out", "long text"),
        (V + "familyName", "out", "label"),
        (V + "givenName", "out", "label"),
        (V + "motto", "out", "several languages"),
        (V + "page", "out", "no label"),
        (V + "portrait", "out", "address or image"),
        (RDF_TYPE, "out", "metadata"),
    ]


def test_the_facts_about_a_book(library: OxigraphGraph, books: TypeKnowledge) -> None:
    subgraph = extract(library, HARBOUR, books, NAMES, SETTINGS, RUN)
    integer = XSD + "integer"
    assert subgraph.facts == (
        Fact(V + "author", "author", "out", (Value(Iri(KG + "w1"), "Ada Lindqvist", "writer"),), 1, "entity", "writer"),
        Fact(V + "published", "published", "out", (Value(Literal("1901", integer), "1901"),), 1, "year"),
        Fact(V + "genre", "genre", "out", (Value(Iri(GENRE + "Sea_stories"), "Sea stories"),), 1, "entity"),
        Fact(V + "pages", "pages", "out", (Value(Literal("120", integer), "120"),), 1, "number"),
    )
    assert {d.predicate.removeprefix(V): d.reason for d in subgraph.dropped} == {
        "cover": "link to elsewhere",
        "isbn": "identifier",
        "language": "the same for all entities of the type",
        "number": "identifier",
        "title": "label",
        "wrote": "same as author",
        RDF_TYPE: "metadata",
    }


def test_a_constant_is_asked_when_there_is_too_little_else(library: OxigraphGraph, books: TypeKnowledge) -> None:
    subgraph = extract(library, HARBOUR, books, NAMES, SETTINGS, replace(RUN, questions=5))
    assert [fact.predicate_label for fact in subgraph.facts] == ["author", "published", "genre", "pages", "language"]
    assert subgraph.interest == {subgraph.facts[4]: 0.2}


def test_the_settings_say_what_is_of_interest(library: OxigraphGraph) -> None:
    """Of the numbers one is asked, the constant stays though there is enough else, the rest moves behind."""
    scores = {V + "isbn": 1.0, V + "language": 1.0, V + "author": 0.5, V + "genre": 0.0}
    settings = GraphSettings(interest={BOOK.iri: scores})
    learned = learn(library, take(library, BOOK, settings, RUN), RULES[BOOK.iri], settings, RUN)
    subgraph = extract(library, HARBOUR, learned, NAMES, settings, RUN)
    names = [fact.predicate_label for fact in subgraph.facts]
    assert names == ["published", "isbn", "pages", "language", "author"]  # a year, two numbers, a text
    assert subgraph.interest == {subgraph.facts[4]: 0.5}
    assert {d.reason for d in subgraph.dropped if d.predicate == V + "genre"} == {"by the settings"}


def test_a_hub_is_only_counted(library: OxigraphGraph, writers: TypeKnowledge) -> None:
    subgraph = extract(library, ADA, writers, NAMES, SETTINGS, replace(RUN, max_values=3))
    assert Fact(V + "wrote", "wrote", "out", (), 4, "entity", "book") in subgraph.facts


def test_one_direction(library: OxigraphGraph, writers: TypeKnowledge) -> None:
    subgraph = extract(library, ADA, writers, NAMES, SETTINGS, replace(RUN, direction="in"))
    assert subgraph.facts == (Fact(V + "author", "author", "in", ADAS_BOOKS, 4, "entity", "book"),)
    assert subgraph.size == 4
    assert subgraph.dropped == ()


def test_predicates_can_be_excluded_and_named(library: OxigraphGraph, writers: TypeKnowledge) -> None:
    settings = GraphSettings(exclude_predicates=(V + "gender",))
    dropped = extract(library, ADA, writers, NAMES, settings, RUN).dropped
    assert {d.reason for d in dropped if d.predicate == V + "gender"} == {"excluded by the settings"}


def test_predicates_that_the_sample_did_not_show_are_named_too(library: OxigraphGraph, writers: TypeKnowledge) -> None:
    unseen = replace(writers, predicates={}, classes={}, examples={})
    assert extract(library, ADA, unseen, NAMES, SETTINGS, RUN) == extract(library, ADA, writers, NAMES, SETTINGS, RUN)


def test_a_seed_costs_five_queries(
    library: OxigraphGraph, writers: TypeKnowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    select = library.select

    def counted(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(query, deadline=deadline)

    monkeypatch.setattr(library, "select", counted)
    subgraph = extract(library, ADA, writers, NAMES, SETTINGS, RUN)
    assert len(asked) == 5
    asked.clear()
    assert extract(library, ADA, writers, NAMES, SETTINGS, RUN, fewest=5) == subgraph  # it has five facts
    assert len(asked) == 5
    asked.clear()
    assert extract(library, ADA, writers, NAMES, SETTINGS, RUN, fewest=20).facts == ()  # not so many relations
    assert len(asked) == 2  # her relations, on either side


CROSS_PRODUCT = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o . ?p ?q ?r }"
"""The sixth power of the number of triples: no machine ends that within half a second."""


@pytest.mark.parametrize("slow", [1, 2, 3, 4, 5])
def test_the_deadline_is_the_runs(
    library: OxigraphGraph, writers: TypeKnowledge, monkeypatch: pytest.MonkeyPatch, slow: int
) -> None:
    """Whichever of the five queries is slow, the real store stops it when the run says so."""
    asked: list[str] = []
    select = library.select

    def hindered(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(CROSS_PRODUCT, deadline=deadline) if len(asked) == slow else select(query, deadline=30.0)

    monkeypatch.setattr(library, "select", hindered)
    with pytest.raises(QueryTimeout, match=r"stopped after 0\.5 s"):
        extract(library, ADA, writers, NAMES, SETTINGS, replace(RUN, deadline=0.5))
    assert len(asked) == slow
