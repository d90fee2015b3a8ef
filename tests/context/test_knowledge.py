from __future__ import annotations

import pytest

from chattygen.config import GraphSettings
from chattygen.context.interest import Interest
from chattygen.context.knowledge import TypeKnowledge, learn
from chattygen.context.samples import take
from chattygen.domain import LabelRule, NodeType
from chattygen.kg.graph import KnowledgeGraph

from .conftest import BOOK, RDF_TYPE, RULES, RUN, SETTINGS, Load, V


def test_what_is_learned_about_books(books: TypeKnowledge) -> None:
    assert books.same == (((V + "author", "out"), (V + "wrote", "in")),)
    assert books.interest == {
        (V + "isbn", "out"): Interest(0.0, "identifier"),
        (V + "number", "out"): Interest(0.0, "identifier"),
        (V + "cover", "out"): Interest(0.0, "link to elsewhere"),
        (V + "language", "out"): Interest(0.2, "the same for nearly all"),
        (RDF_TYPE, "out"): Interest(0.2, "the same for nearly all"),
    }
    assert books.interest_in((V + "genre", "out")) == Interest(1.0)
    assert books.years == {V + "published"}
    assert books.constant == {(V + "language", "out"), (RDF_TYPE, "out")}
    assert books.predicates[V + "isbn"] == "isbn"
    # 6 writers and 3 genres stand at the other ends; nothing is said about genres.
    assert books.examples[V + "author", "out"] == 6
    assert books.classes[V + "author", "out"] == {V + "Writer": 6}
    assert books.examples[V + "genre", "out"] == 3
    assert books.classes[V + "genre", "out"] == {}


def test_what_is_learned_about_writers(writers: TypeKnowledge) -> None:
    assert writers.same == (((V + "wrote", "out"), (V + "author", "in")),)
    assert writers.interest == {}  # six are too few to say
    assert writers.constant == frozenset()
    assert writers.predicates[V + "hometown"] == "home town"
    assert writers.classes[V + "wrote", "out"] == {V + "Book": 20, V + "Work": 20}


@pytest.mark.parametrize(
    ("first", "datatype", "record"),
    [
        (995, "string", True),  # 995 to 1006: numerals, each entity its own, that are no numbers
        (1001, "string", True),
        (1960, "string", False),  # a year for each
        (2095, "string", True),  # 2095 to 2106: not all of them are years
        (3_000_000, "integer", False),  # numbers, and far more than there are entities
        (1, "integer", False),  # a running number, but twelve entities are too few to say
    ],
)
def test_numerals_that_are_no_numbers_are_records(loaded: Load, first: int, datatype: str, record: bool) -> None:
    graph, _ = loaded("".join(f':e{n} a v:E ; v:no "{first + n}"^^xsd:{datatype} .\n' for n in range(12)))
    kind = NodeType(V + "E", "e", 12, 1.0)
    learned = learn(graph, take(graph, kind, SETTINGS, RUN), LabelRule(kind.iri, (), 0.0, "only"), SETTINGS, RUN)
    assert (learned.interest_in((V + "no", "out")) == Interest(0.0, "identifier")) == record


def test_the_settings_override_what_the_sample_tells(library: KnowledgeGraph) -> None:
    of_all = {V + "isbn": 1.0, V + "genre": 0.5, V + "author": 0.0}
    settings = GraphSettings(interest={"*": of_all, BOOK.iri: {V + "genre": 0.25}, V + "Writer": {V + "pages": 0.0}})
    learned = learn(library, take(library, BOOK, settings, RUN), RULES[BOOK.iri], settings, RUN)
    told = {name: learned.interest_in((V + name, "out")) for name in ("isbn", "genre", "author", "number", "pages")}
    assert told == {
        "isbn": Interest(1.0, "by the settings"),
        "genre": Interest(0.25, "by the settings"),  # the class counts before all classes
        "author": Interest(0.0, "by the settings"),
        "number": Interest(0.0, "identifier"),
        "pages": Interest(1.0),  # another class's
    }
