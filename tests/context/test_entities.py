from __future__ import annotations

from dataclasses import replace
from random import Random

from chattygen.context.entities import sample, shuffled
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import BOOK, KG, SETTINGS

ALL = {f"{KG}b{n:02d}" for n in range(1, 21)}


def test_every_entity_comes_once_in_an_order_of_the_seed(library: OxigraphGraph) -> None:
    orders = [list(shuffled(library, BOOK, SETTINGS, Random(seed), 30)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])
    assert all(len(order) == 20 and set(order) == ALL for order in orders)


def test_a_large_type_is_visited_in_parts(library: OxigraphGraph) -> None:
    large = replace(BOOK, count=8001)  # more than one part holds: 16 queries
    found = list(shuffled(library, large, SETTINGS, Random(1), 30))
    assert len(found) == 20
    assert set(found) == ALL


def test_a_sample_is_no_larger_than_the_type(library: OxigraphGraph) -> None:
    assert len(sample(library, BOOK, SETTINGS, Random(1), 7, 30)) == 7
    assert len(sample(library, BOOK, SETTINGS, Random(1), 50, 30)) == 20
