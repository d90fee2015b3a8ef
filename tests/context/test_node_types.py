from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.config import GraphSettings
from chattygen.context.node_types import class_label, distribute, select, without
from chattygen.domain import Iri, NodeType
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.kg.profile import overlap
from chattygen.kg.sparql import bind

from .conftest import RDF_TYPE, SETTINGS, V

OWL = "http://www.w3.org/2002/07/owl"


def never(child: str, parent: str) -> int:
    raise AssertionError(f"asked for {child} in {parent}")


def test_the_types_of_the_library(library: OxigraphGraph) -> None:
    rows = library.select(bind("types", type_predicate=Iri(RDF_TYPE))).rows
    classes = [(str(row[0].value), int(row[1].value)) for row in rows if row[0] and row[1]]
    kept, dropped = select(
        classes, lambda child, parent: overlap(library, SETTINGS, child, 1, parent), SETTINGS, rare=0.05, shadowed=0.99
    )
    # 20 + 20 + 6 + 2 = 48 without metadata; City has 2/48 = 4.17 %. Without City and Work, 26 are left.
    assert kept == (
        NodeType(V + "Book", "book", 20, 20 / 26),
        NodeType(V + "Writer", "writer", 6, 6 / 26),
    )
    assert {d.iri: d.reason for d in dropped} == {
        V + "Work": "shadowed by book",
        V + "City": "rare: 4.17% of the entities",
        OWL + "#Class": "metadata",
        OWL + "ObjectProperty": "metadata",
    }
    # 10 * 20/26 = 7.69 and 10 * 6/26 = 2.31: 7 and 2, and the one left goes to the larger remainder.
    assert distribute(kept, 10) == {V + "Book": 8, V + "Writer": 2}


def test_a_parent_is_shadowed_by_extension_and_never_by_its_neighbour_in_the_list() -> None:
    # Publication holds 174; 173 are Inproceedings (99.4 %), 100 are Article, which has a second parent, Text.
    shared = {("Inproceedings", "Publication"): 173, ("Article", "Text"): 100, ("Text", "Article"): 100}
    classes = [("Publication", 174), ("Inproceedings", 173), ("Text", 130), ("Article", 100)]
    asked: list[tuple[str, str]] = []

    def overlap_of(child: str, parent: str) -> int:
        asked.append((child, parent))
        return shared[child, parent]

    kept, dropped = select(classes, overlap_of, SETTINGS, rare=0.0, shadowed=0.99)
    assert [t.iri for t in kept] == ["Inproceedings", "Text", "Article"]
    assert [(d.iri, d.reason) for d in dropped] == [("Publication", "shadowed by inproceedings")]
    assert asked == [("Inproceedings", "Publication")]  # no other pair has counts that allow it
    assert sum(t.share for t in kept) == pytest.approx(1.0)


def test_of_equal_classes_the_one_with_the_shorter_label_stays() -> None:
    kept, dropped = select(
        [("http://x.org/Laureate", 877), ("http://x.org/Person", 877)],
        lambda c, p: 877,
        SETTINGS,
        rare=0,
        shadowed=0.99,
    )
    assert [t.label for t in kept] == ["person"]
    assert [d.reason for d in dropped] == ["shadowed by person"]


def test_thresholds_at_their_ends_keep_everything() -> None:
    classes = [("http://x.org/Big", 9999), ("http://x.org/Same", 9999), ("http://x.org/Small", 1)]
    kept, dropped = select(classes, never, SETTINGS, rare=0.0, shadowed=1.0)
    assert len(kept) == 3
    assert dropped == ()


def test_the_domain_and_exclusions() -> None:
    settings = GraphSettings(domain=("http://x.org/",), exclude_types=("http://x.org/Draft",))
    classes = [("http://x.org/Book", 5), ("http://y.org/Book", 9), ("http://x.org/Draft", 7), ("http://x.org/Q42", 3)]
    kept, dropped = select(classes, never, settings, rare=0.0, shadowed=0.99)
    assert [(t.iri, t.share) for t in kept] == [("http://x.org/Book", 1.0)]
    assert [d.reason for d in dropped] == ["outside the domain", "excluded by the settings", "no readable name"]


def test_labels_of_the_graph_come_before_the_iri() -> None:
    labels = {"http://x.org/Q42": "human"}
    kept, _ = select([("http://x.org/Q42", 3)], never, SETTINGS, rare=0.0, shadowed=0.99, labels=labels)
    assert kept == (NodeType("http://x.org/Q42", "human", 3, 1.0),)
    assert class_label("http://x.org/SoloArtist") == "solo artist"


def test_a_type_that_goes_leaves_its_share_to_the_others() -> None:
    types = (NodeType("a", "a", 6, 0.6), NodeType("b", "b", 3, 0.3), NodeType("c", "c", 1, 0.1))
    assert [(t.iri, t.share) for t in without(types, "a")] == [("b", 0.75), ("c", 0.25)]


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=30), st.integers(0, 1000))
def test_the_distribution_sums_to_the_request(counts: list[int], m: int) -> None:
    types = [NodeType(f"t{i}", "t", count, 0.0) for i, count in enumerate(counts)]
    found = distribute(types, m)
    assert sum(found.values()) == m
    assert all(abs(found[t.iri] - m * t.count / sum(counts)) < 1 for t in types)


def test_no_types_no_distribution() -> None:
    assert distribute((), 20) == {}
