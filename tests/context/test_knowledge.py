from __future__ import annotations

from chattygen.context.knowledge import TypeKnowledge

from .conftest import RDF_TYPE, V


def test_what_is_learned_about_books(books: TypeKnowledge) -> None:
    assert books.same == (((V + "author", "out"), (V + "wrote", "in")),)
    assert books.records == {V + "isbn", V + "number"}
    assert books.links == {V + "cover"}
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
    assert writers.records == frozenset()  # six are too few to say
    assert writers.links == frozenset()
    assert writers.constant == frozenset()
    assert writers.predicates[V + "hometown"] == "home town"
    assert writers.classes[V + "wrote", "out"] == {V + "Book": 20, V + "Work": 20}
