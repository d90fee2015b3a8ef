from __future__ import annotations

from dataclasses import replace

from chattygen.context.samples import take
from chattygen.domain import BlankNode, Iri, Literal
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import KG, RUN, SETTINGS, WRITER, V


def test_a_sample_holds_counts_and_values_of_both_directions(library: OxigraphGraph) -> None:
    sample = take(library, WRITER, SETTINGS, RUN)
    assert sorted(sample.entities) == [f"{KG}w{n}" for n in range(1, 7)]
    assert sample.counts[V + "author", "in"] == {f"{KG}w{n}": books for n, books in enumerate([4, 3, 3, 3, 3, 4], 1)}
    assert sample.values[V + "author", "in"][KG + "w2"] == {Iri(f"{KG}b{n:02d}") for n in (5, 6, 7)}
    assert sample.values[V + "hometown", "out"] == {
        KG + "w1": {Iri(KG + "lund")},
        KG + "w2": {Iri(KG + "paris")},
        KG + "w3": {Iri(KG + "paris")},
    }
    assert [type(term) for term in sample.values[V + "award", "out"][KG + "w1"]] == [BlankNode]
    assert sample.coverage((V + "hometown", "out")) == 3 / 6
    assert sample.coverage((V + "nothing", "out")) == 0.0
    assert sample.literals(V + "gender") == {KG + "w1": (Literal("female"),)}


def test_one_direction_can_be_asked_for(library: OxigraphGraph) -> None:
    sample = take(library, WRITER, SETTINGS, replace(RUN, direction="in"))
    assert set(sample.counts) == {(V + "author", "in")}
