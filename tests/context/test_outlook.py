from __future__ import annotations

import pytest

from chattygen.config import RDF_TYPE, GraphSettings, RunSettings
from chattygen.context.outlook import Outlook, outlooks, types_of
from chattygen.domain import LabelRule, NodeType
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import profile

from .conftest import BOOK, RDFS_LABEL, SETTINGS, WRITER, Load, V

RUN = RunSettings(kg="odd", rare=0.0)

NUMERALS = "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece".split()
FLAT = "".join(
    f':c{n} a v:Corporation ; rdfs:label "Casa {word}"@es ; v:identifier "{n}" .\n' for n, word in enumerate(NUMERALS)
)
CORPORATION = NodeType(V + "Corporation", "corporation", 13, 1.0)


def test_a_healthy_graph(library: OxigraphGraph) -> None:
    learned = profile(library, SETTINGS)
    kept, _ = types_of(library, learned, SETTINGS, RunSettings(kg="library", rare=0.05))
    assert kept == (BOOK, WRITER)
    books, writers = outlooks(library, learned, kept, SETTINGS, RunSettings(kg="library", questions=4, min_questions=4))
    # Author, year, genre and pages, of every book: the first that is looked at is good enough.
    assert (books.node_type, books.seeds, books.facts, books.good) == (BOOK, 1, 4, True)
    assert books.rule == LabelRule(BOOK.iri, (V + "title",), 1.0, "only")
    assert [candidate.predicates for candidate in books.candidates] == [(V + "title",)]
    assert len(books.examples) == 3
    # Only w1 has as many: birth, burial, home town, books and gender; the others have books, two a home town.
    assert (writers.node_type, writers.facts, writers.good) == (WRITER, 5, True)


def test_whoever_needs_one_good_type_pays_for_one(library: OxigraphGraph) -> None:
    learned = profile(library, SETTINGS)
    kept = (BOOK, NodeType("not an IRI at all", "x", 1, 0.1))
    assert next(outlooks(library, learned, kept, SETTINGS, RUN)).good


def test_one_class_without_links(loaded: Load) -> None:
    graph, learned = loaded(FLAT)
    (found,) = outlooks(graph, learned, [CORPORATION], SETTINGS, RUN)
    assert found.rule == LabelRule(CORPORATION.iri, (RDFS_LABEL,), 1.0, "only")
    # Twelve of the thirteen are looked at; each has a label, a type and a number of its own.
    assert (found.seeds, found.facts, found.good) == (12, 0, False)
    assert found.left_out == {"label": 12, "metadata": 12, "identifier": 12}


def test_readings_of_a_sensor_have_no_names(loaded: Load) -> None:
    graph, learned = loaded(
        "".join(f":r{n} a v:Reading ; v:degrees {n}.5 ; v:by :s1 . " for n in range(12))
        + ":s1 a v:Sensor ; v:model 7 ."
    )
    kept, _ = types_of(graph, learned, SETTINGS, RUN)
    reading, sensor = NodeType(V + "Reading", "reading", 12, 12 / 13), NodeType(V + "Sensor", "sensor", 1, 1 / 13)
    assert list(outlooks(graph, learned, kept, SETTINGS, RUN)) == [Outlook(reading, None), Outlook(sensor, None)]


def test_a_label_of_the_users_that_names_nothing_is_not_looked_for_in_the_whole_class(
    loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = GraphSettings(labels={CORPORATION.iri: (V + "brand",)})
    graph, learned = loaded(FLAT, settings)
    asked: list[str] = []
    select = graph.select

    def counted(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(query, deadline=deadline)

    monkeypatch.setattr(graph, "select", counted)
    (found,) = outlooks(graph, learned, [CORPORATION], settings, RUN)
    assert found.rule == LabelRule(CORPORATION.iri, (V + "brand",), 0.0, "user")
    assert (found.seeds, found.good) == (0, False)
    # The labels of the classes; the sampled entities, their counts and their values, out and in.
    assert len(asked) == 1 + 1 + 2 + 2


def test_what_can_be_asked_is_the_callers_to_say(library: OxigraphGraph) -> None:
    learned = profile(library, SETTINGS)
    (found,) = outlooks(library, learned, [BOOK], SETTINGS, RUN, askable=lambda subgraph: 2)
    assert (found.seeds, found.facts, found.good) == (12, 2, False)
    assert RDF_TYPE not in found.left_out  # reasons, not predicates
    assert found.left_out["metadata"] == 12


def test_what_is_asked_last_or_never_is_told(library: OxigraphGraph) -> None:
    """Not what is never asked for another reason, such as the type, nor what the settings give full interest."""
    settings = GraphSettings(interest={"*": {V + "isbn": 1.0, V + "genre": 0.0}})
    (found,) = outlooks(library, profile(library, settings), [BOOK], settings, RUN)
    assert {relation[0].removeprefix(V): interest.score for relation, interest in found.interest.items()} == {
        "cover": 0.0,
        "genre": 0.0,
        "number": 0.0,
        "language": 0.2,
    }
