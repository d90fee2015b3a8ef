from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from chattygen.context.descriptions import Description
from chattygen.context.distractors import MOST, distractors
from chattygen.context.facts import Reader
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.samples import Relation, take
from chattygen.context.subgraphs import extract
from chattygen.domain import XSD, Fact, Iri, Literal, Seed, Value
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import BOOK, GENRE, KG, NAMES, RUN, SETTINGS, V

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
HARBOUR = Seed(KG + "b01", "The Glass Harbour", V + "Book", "book")
MAYOR: Relation = (V + "mayor", "out")


def year(text: str) -> Value:
    return Value(Literal(text, XSD + "integer"), text)


def test_they_come_from_the_other_books_and_cost_no_query(library: OxigraphGraph, books: TypeKnowledge) -> None:
    """w1 wrote the book, w6 has the same name; the other four writers are left. 1901 is the book's own year."""
    subgraph = extract(library, HARBOUR, books, NAMES, SETTINGS, RUN)
    of = {fact.predicate.removeprefix(V): others for fact, others in subgraph.others.items()}
    assert of["author"] == tuple(
        Value(Iri(KG + writer), name, "writer")
        for name, writer in [("Ada Moreau", "w3"), ("Bo Lindqvist", "w2"), ("Chidi Okafor", "w4"), ("Dora Silva", "w5")]
    )
    assert of["genre"] == (
        Value(Iri(GENRE + "Family_novels"), "Family novels"),
        Value(Iri(GENRE + "Travel_writing"), "Travel writing"),
    )
    assert of["pages"] == (year("140"),)
    assert len(of["published"]) == MOST
    assert set(of["published"]) <= {year(str(n)) for n in range(1902, 1921)}


def test_they_are_the_same_in_every_run(library: OxigraphGraph, books: TypeKnowledge) -> None:
    first, again = (extract(library, HARBOUR, books, NAMES, SETTINGS, RUN).others for _ in range(2))
    assert first == again
    assert all(
        [value.label for value in others] == sorted(value.label for value in others) for others in first.values()
    )


Reading = Callable[[dict[str, tuple[str, str]]], Reader]


@pytest.fixture
def reading(writers: TypeKnowledge) -> Reading:
    """Reader of a graph in which writers have had these mayors: local name -> label, local name of the class."""

    def read(ends: dict[str, tuple[str, str]]) -> Reader:
        known = {
            KG + name: Description({RDFS_LABEL: (Literal(label),)} if label else {}, (V + kind,) if kind else ())
            for name, (label, kind) in ends.items()
        }
        knowledge = replace(writers, ends={MAYOR: tuple(Iri(KG + name) for name in ends)})
        return Reader(knowledge, NAMES, SETTINGS, {V + "mayor": "mayor"}, known)

    return read


def fact(*labels: str, kind: str = "city", name: str = "mayor") -> Fact:
    values = tuple(Value(Iri(f"{KG}true{n}"), label, kind) for n, label in enumerate(labels))
    return Fact(V + name, name, "out", values, len(values), "entity", kind)


SEED = Seed(KG + "s", "Ada Lindqvist", V + "Writer", "writer")


@pytest.mark.parametrize(
    ("label", "kind", "taken"),
    [
        ("Rome", "City", True),
        ("Rome", "Writer", False),  # of another class
        ("Rome", "", False),
        ("Paris", "City", False),  # the true one, under another IRI
        ("paris", "City", False),
        ("Paris, France", "City", False),  # may be the same
        ("Paris (city)", "City", False),
        ("Lindqvist", "City", False),  # all of it is in the seed's name
        ("Lund", "City", False),  # true of the seed under another predicate
        ("4711", "City", True),  # whether that is concrete is judged by who asks
    ],
)
def test_what_could_be_true_or_of_another_kind_is_none(reading: Reading, label: str, kind: str, taken: bool) -> None:
    mayor, elsewhere = fact("Paris"), fact("Lund", name="home")
    found = distractors(SEED, (mayor, elsewhere), reading({"r": (label, kind)}))
    expected = {mayor: (Value(Iri(KG + "r"), label, "city"),)} if taken else {}
    assert found == expected


def test_one_label_is_one_distractor(reading: Reading) -> None:
    ends = {"r": ("Rome", "City"), "q": ("Rome", "City"), "o": ("Oslo", "City")}
    found = distractors(SEED, (fact("Paris"),), reading(ends))
    assert [value.label for value in found[fact("Paris")]] == ["Oslo", "Rome"]
    assert found[fact("Paris")][1].term == Iri(KG + "r")


def test_a_hub_and_a_fact_of_an_unknown_relation_have_none(reading: Reading) -> None:
    hub = replace(fact(), count=99)
    assert distractors(SEED, (hub, fact("Paris", name="home")), reading({"r": ("Rome", "City")})) == {}


def test_a_literal_has_the_datatype_and_the_language_of_a_true_one(writers: TypeKnowledge) -> None:
    terms = (Literal("Dane", lang="en"), Literal("Dansk", lang="da"), Literal("Swede"), Literal("1911", XSD + "gYear"))
    knowledge = replace(writers, ends={(V + "nation", "out"): terms})
    reader = Reader(knowledge, NAMES, SETTINGS, {V + "nation": "nation"}, {})
    own = Fact(V + "nation", "nation", "out", (Value(Literal("Finn", lang="en"), "Finn"),), 1, "text")
    assert distractors(SEED, (own,), reader) == {own: (Value(Literal("Dane", lang="en"), "Dane"),)}


def test_of_texts_only_those_that_several_entities_have_are_kept(library: OxigraphGraph, books: TypeKnowledge) -> None:
    """Each book has its own title; the number of pages is 120 or 140."""
    assert take(library, BOOK, SETTINGS, RUN).values[V + "title", "out"]
    assert books.ends[V + "title", "out"] == ()
    assert books.ends[V + "language", "out"] == (Literal("English"),)
    assert set(books.ends[V + "pages", "out"]) == {Literal("120", XSD + "integer"), Literal("140", XSD + "integer")}
    assert set(books.known) >= {KG + f"w{n}" for n in range(1, 7)}


def test_what_a_value_is_comes_from_how_its_class_was_named(library: OxigraphGraph, books: TypeKnowledge) -> None:
    names = replace(NAMES, beings={V + "Writer": "person"})
    subgraph = extract(library, HARBOUR, books, names, SETTINGS, RUN)
    author, genre = (next(f for f in subgraph.facts if f.predicate == V + name) for name in ("author", "genre"))
    assert {value.being for value in (*author.values, *subgraph.others[author])} == {"person"}
    assert {value.being for value in (*genre.values, *subgraph.others[genre])} == {"thing"}
