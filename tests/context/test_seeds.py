from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.context.seeds import SeedSource, seeds_from_entities, why_not
from chattygen.domain import Finding, NodeType, Seed
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import BOOK, KG, RULES, RUN, SETTINGS, WRITER, V


def test_all_writers_are_seeds_and_namesakes_are_two(library: OxigraphGraph) -> None:
    seeds = list(SeedSource(library, WRITER, RULES[WRITER.iri], SETTINGS, RUN))
    assert sorted((seed.iri, seed.label) for seed in seeds) == [
        (KG + "w1", "Ada Lindqvist"),
        (KG + "w2", "Bo Lindqvist"),
        (KG + "w3", "Ada Moreau"),
        (KG + "w4", "Chidi Okafor"),
        (KG + "w5", "Dora Silva"),
        (KG + "w6", "Ada Lindqvist"),
    ]
    assert {(seed.node_type, seed.type_label) for seed in seeds} == {(V + "Writer", "writer")}


def test_the_order_follows_the_seed_of_the_run(library: OxigraphGraph) -> None:
    def order(seed: int) -> list[str]:
        return [s.iri for s in SeedSource(library, BOOK, RULES[BOOK.iri], SETTINGS, replace(RUN, seed=seed))]

    assert order(1) == order(1) != order(2)
    assert sorted(order(1)) == sorted(order(2))


def test_a_type_without_usable_labels_ends(library: OxigraphGraph) -> None:
    source = SeedSource(library, WRITER, RULES[WRITER.iri], SETTINGS, replace(RUN, max_label_words=1))
    assert list(source) == []
    assert source.passed_over == 6


@pytest.mark.parametrize(
    ("label", "rule"),
    [
        ("", "C2"),
        ("10071", "C2"),
        ("one two three", "C3"),
        ("one two", None),
        ("国際意味網", None),
        ("国際意味網会議録集", "C3"),
    ],
)
def test_what_keeps_a_label_from_being_a_seed(label: str, rule: str | None) -> None:
    finding = why_not(label, 2)
    assert (finding.rule if finding else None) == rule


def test_the_users_entities_keep_their_order_and_none_is_lost(library: OxigraphGraph) -> None:
    iris = [KG + "w4", KG + "nobody", KG + "b01", KG + "w4", "not an iri", KG + "lund"]
    seeds, findings = seeds_from_entities(library, iris, (BOOK, WRITER), RULES, SETTINGS, RUN)
    assert seeds == (
        Seed(KG + "w4", "Chidi Okafor", V + "Writer", "writer"),
        Seed(KG + "b01", "The Glass Harbour", V + "Book", "book"),
        Seed(KG + "lund", "Lund", V + "City", "city"),
    )
    assert findings == (
        Finding("C1", "the entity is not in the graph, or has no class there", KG + "nobody"),
        Finding("C1", "the entity is not an IRI", "not an iri"),
    )


def test_a_users_entity_with_too_long_a_name_is_reported(library: OxigraphGraph) -> None:
    types: tuple[NodeType, ...] = (BOOK, WRITER)
    short = replace(RUN, max_label_words=2)
    seeds, findings = seeds_from_entities(library, [KG + "b01", KG + "b02"], types, RULES, SETTINGS, short)
    assert [seed.label for seed in seeds] == ["Winter Letters"]
    assert findings == (Finding("C3", "the entity's label has more than 2 words", KG + "b01 The Glass Harbour"),)
