"""The user's list of entities: their types, what keeps one from a dialogue, none left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.context.listed import likely_rule, listed, too_little, types_of_list
from chattygen.context.namesakes import SHARED
from chattygen.domain import DroppedFact, DroppedType, Fact, Finding, Seed, Subgraph
from chattygen.kg.graph import KnowledgeGraph

from .conftest import BOOK, KG, RULES, RUN, SETTINGS, WRITER, V

CITY = DroppedType(V + "City", "city", 2, "rare: 7.14% of the entities")
WORK = DroppedType(V + "Work", "work", 20, "shadowed by book")
"""Every book is a work too."""


def of(*names: str) -> tuple[str, ...]:
    return tuple(KG + name for name in names)


def test_a_dropped_type_is_taken_for_entities_that_have_no_kept_one(library: KnowledgeGraph) -> None:
    run = replace(RUN, entities=of("lund", "w4", "b01", "nobody"))
    types = types_of_list(library, (BOOK, WRITER), (WORK, CITY), SETTINGS, run)
    # 20 books, 6 writers and 2 cities are 28
    assert [(t.iri, t.label, t.count, t.share) for t in types] == [
        (V + "Book", "book", 20, 20 / 28),
        (V + "Writer", "writer", 6, 6 / 28),
        (V + "City", "city", 2, 2 / 28),
    ]


def test_an_excluded_type_is_the_last_resort(library: KnowledgeGraph) -> None:
    excluded = replace(WORK, reason="excluded by the settings")
    rare = DroppedType(BOOK.iri, "book", 20, "rare: 1% of the entities")
    run = replace(RUN, entities=of("b01"))
    assert [t.iri for t in types_of_list(library, (), (excluded, rare), SETTINGS, run)] == [BOOK.iri]
    assert [t.iri for t in types_of_list(library, (), (excluded,), SETTINGS, run)] == [WORK.iri]


def test_a_list_of_nothing_that_is_there_has_no_types(library: KnowledgeGraph) -> None:
    run = replace(RUN, entities=("not an iri", *of("nobody")))
    assert types_of_list(library, (BOOK, WRITER), (), SETTINGS, run) == ()
    assert [refused and refused.rule for _, refused in listed(library, (), {}, SETTINGS, run)] == ["C1", "C1"]


def test_each_entity_comes_once_in_the_order_of_the_list(library: KnowledgeGraph) -> None:
    run = replace(RUN, entities=(*of("w4", "nobody", "b01"), "not an iri", *of("b02", "w4")), max_label_words=2)
    assert list(listed(library, (BOOK, WRITER), RULES, SETTINGS, run)) == [
        (Seed(KG + "w4", "Chidi Okafor", V + "Writer", "writer"), None),
        (
            Seed(KG + "nobody", "", "", ""),
            Finding("C1", "the entity is not in the graph, or has no class there", KG + "nobody"),
        ),
        (
            Seed(KG + "b01", "", "", ""),
            Finding("C3", "the entity's label has more than 2 words", KG + "b01 The Glass Harbour"),
        ),
        (Seed("not an iri", "", "", ""), Finding("C1", "the entity is not an IRI", "not an iri")),
        (Seed(KG + "b02", "Winter Letters", V + "Book", "book"), None),
    ]


FACT = Fact("http://e.org/p", "p", "out", (), 1, "text")
HIDDEN = DroppedFact("http://e.org/p", "out", SHARED.message)
OTHER = DroppedFact("http://e.org/p", "out", "blank nodes")


@pytest.mark.parametrize(
    ("facts", "dropped", "askable", "rule"),
    [
        ((FACT,), (), 2, None),
        ((FACT,), (OTHER,), 1, "C4"),
        ((), (OTHER,), 0, "C4"),
        ((), (OTHER, HIDDEN), 0, "C5"),
    ],
)
def test_what_is_too_little_for_a_dialogue(
    facts: tuple[Fact, ...], dropped: tuple[DroppedFact, ...], askable: int, rule: str | None
) -> None:
    subgraph = Subgraph(Seed("http://e.org/s", "S", "http://e.org/T", "t"), facts, 1, dropped)
    found = too_little(subgraph, askable, replace(RUN, min_questions=2))
    assert (found.rule if found else None) == rule


def test_how_a_type_will_probably_be_named(library: KnowledgeGraph) -> None:
    found = likely_rule(library, BOOK, SETTINGS, RUN)
    assert found is not None
    assert found.predicates == (V + "title",)
    named = SETTINGS.model_copy(update={"labels": {WRITER.iri: (V + "familyName",)}})
    by_user = likely_rule(library, WRITER, named, RUN)
    assert by_user is not None
    assert (by_user.predicates, by_user.chosen_by) == ((V + "familyName",), "user")
