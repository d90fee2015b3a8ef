"""Buckets worked out by hand, and by a plain script over the files themselves."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import md5
from pathlib import Path
from random import Random

import pytest
from pyoxigraph import NamedNode, RdfFormat, parse

from chattygen.config import GraphSettings, Home, read_recipe
from chattygen.context.popularity import Measure
from chattygen.context.strata import (
    Ranking,
    bucket_of,
    drawn,
    error_of_shares,
    predicate_strata,
    stratify,
    thresholds,
)
from chattygen.domain import BUCKETS, Bucket, NodeType, Strata, Thresholds
from chattygen.errors import QueryTimeout
from chattygen.kg import draws
from chattygen.kg.endpoint import EndpointGraph
from chattygen.kg.folders import open_kg, read_profile
from chattygen.kg.graph import KnowledgeGraph, Rows
from chattygen.kg.load import load
from chattygen.kg.profile import PredicateCount, Profile
from tests.context.test_popularity import HARBOURS, H, V
from tests.journeys.lakes import GRAPH as LAKES
from tests.kg.sparql_server import serving

ROOT = Path(__file__).parents[2]
L = "http://example.org/lakes/"
SETTINGS = GraphSettings()
Open = Callable[[Path], KnowledgeGraph]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """File -> the graph, loaded."""
    with ExitStack() as stack:

        def open_file(file: Path) -> KnowledgeGraph:
            home = Home(tmp_path_factory.mktemp("home"))
            load(home, "graph", [file], base="https://example.org/nobel/")
            graph = open_kg(home, "graph")
            stack.callback(graph.close)
            return graph

        yield open_file


@pytest.mark.parametrize(
    ("popularities", "head", "torso"),
    [
        ([1] * 9, None, None),  # all are equal: the lowest bucket
        ([5], None, None),  # one entity has all of it
        ([], None, None),
        ([0, 0], None, None),
        ([3, 3, 3], None, None),
        ([3, 2, 1, 1, 1, 1], 3, 2),  # 9: up to 3, up to 6; the twos end at 5, the ones at 9
        ([4, 2, 1, 1, 1], None, 2),  # 9: the four is more than 3, and the two ends at 6
        ([5, 3, 1], None, 5),  # 9: the five is between 3 and 6, the three ends at 8
        ([7, 1, 1], None, None),  # 7 of 9 are more than two thirds
        ([4, 4, 2, 2], None, 4),  # 12: one four would be head, but both are 8
        ([3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1], None, 3),  # 18: the threes end at 9; the ones at 18
        ([2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 2, 2),  # 18: the twos end at 6, the ones at 18: no torso
        ([0.5, 0.25, 0.25, 0.25, 0.25], 0.5, 0.5),
    ],
)
def test_thresholds_by_hand(popularities: list[float], head: float | None, torso: float | None) -> None:
    assert thresholds(Counter(popularities)) == Thresholds(head, torso)


def test_the_bucket_of_a_popularity() -> None:
    assert [bucket_of(n, Thresholds(10, 4)) for n in (99, 10, 9, 4, 3, 0)] == [
        *("head", "head", "torso", "torso", "tail", "tail")
    ]
    assert [bucket_of(n, Thresholds(None, 4)) for n in (99, 4, 3)] == ["torso", "torso", "tail"]
    assert bucket_of(99, Thresholds(None, None)) == "tail"


def names(ranking: Ranking) -> dict[Bucket, set[str]]:
    return {bucket: {iri.rsplit("/", 1)[1] for iri in ranking.known[bucket]} for bucket in BUCKETS}


def test_harbours_by_density_and_by_traffic(opened: Open) -> None:
    graph, harbour = opened(HARBOURS), NodeType(V + "Harbour", "harbour", 9, 1.0)
    found = stratify(graph, harbour, SETTINGS, Measure())
    assert found.strata == Strata(
        V + "Harbour", "density", Thresholds(36, 16), {"head": 1, "torso": 2, "tail": 6}, 0, "exact", 9
    )
    assert names(found) == {"head": {"h1"}, "torso": {"h2", "h3"}, "tail": {"h4", "h5", "h6", "h7", "h8", "h9"}}
    assert [round(found.strata.share(bucket), 3) for bucket in BUCKETS] == [0.111, 0.222, 0.667]
    by_calls = stratify(graph, harbour, SETTINGS, Measure(V + "calls", V + "calls"))
    assert names(by_calls) == {"head": {"h9"}, "torso": {"h7", "h8"}, "tail": {"h1", "h2", "h3", "h4", "h5", "h6"}}
    # Before 1900: h1, h2, h3, h5, h6 with 36, 20, 16, 6, 6 of 84: 36 is more than 28, and 36 + 20 are two thirds.
    early = stratify(graph, harbour, SETTINGS, Measure(before=1900, date_predicate=V + "opened"))
    assert names(early) == {"head": set(), "torso": {"h1", "h2"}, "tail": {"h3", "h5", "h6"}}
    assert (early.strata.thresholds, early.strata.left_out) == (Thresholds(None, 20), 4)


def test_lakes_by_hand(opened: Open) -> None:
    """Lakes have 8, 7, 7, 7, 8, 6 triples; the eights are 16 of 43, more than a third, less than two."""
    graph = opened(LAKES)
    found = stratify(graph, NodeType(L + "vocab/Lake", "lake", 6, 1.0), SETTINGS, Measure())
    assert names(found) == {"head": set(), "torso": {"l1", "l5"}, "tail": {"l2", "l3", "l4", "l6"}}
    # Both regions are in 9 triples, so they are tail; of a class that nobody is in there is nothing to divide.
    region = stratify(graph, NodeType(L + "vocab/Region", "region", 2, 1.0), SETTINGS, Measure())
    assert names(region) == {"head": set(), "torso": set(), "tail": {"north", "south"}}
    nobody = stratify(graph, NodeType(L + "vocab/Sea", "sea", 0, 0.0), SETTINGS, Measure())
    assert nobody.strata.entities == {"head": 0, "torso": 0, "tail": 0}
    assert nobody.strata.share("head") == 0


def plain(file: Path, base: str | None) -> dict[str, dict[str, Bucket]]:
    """Class -> entity -> bucket, from the triples of a file: each entity on its own, as the paper says it."""
    data = gzip.decompress(file.read_bytes())
    form = RdfFormat.TURTLE if ".ttl" in file.name else RdfFormat.N_TRIPLES
    triples = {(q.subject, q.predicate, q.object) for q in parse(data, format=form, base_iri=base)}
    density: Counter[object] = Counter()
    classes: dict[str, set[NamedNode]] = {}
    for subject, predicate, object_ in triples:
        density.update({subject, object_})
        if predicate.value == SETTINGS.type_predicate and isinstance(subject, NamedNode):
            classes.setdefault(object_.value, set()).add(subject)  # type: ignore[union-attr]
    found: dict[str, dict[str, Bucket]] = {}
    for iri, entities in classes.items():
        total = sum(density[entity] for entity in entities)
        found[iri] = {}
        for entity in entities:
            as_popular = sum(density[other] for other in entities if density[other] >= density[entity])
            third = 3 * as_popular / total
            found[iri][entity.value] = "head" if third <= 1 else "torso" if third <= 2 else "tail"
    return found


@pytest.mark.parametrize("name", ["nobel", "dblp-sample"])
def test_the_bundled_samples_against_a_plain_script(name: str, tmp_path: Path) -> None:
    recipe = read_recipe(ROOT / "kg-loaders" / f"{name}.toml")
    file = ROOT / "kg-loaders" / recipe.files[0]
    load(Home(tmp_path), name, [file], base=recipe.base)
    expected = plain(file, recipe.base)
    profile = read_profile(Home(tmp_path), name)
    several = 0
    with open_kg(Home(tmp_path), name) as graph:
        for counted in profile.classes:
            if counted.count:
                node_type = NodeType(counted.iri, "", counted.count, 0.0)
                found = stratify(graph, node_type, SETTINGS, Measure())
                known: dict[str, Bucket] = {iri: bucket for bucket in BUCKETS for iri in found.known[bucket]}
                assert known == expected[counted.iri]
                assert found.strata.entities == {bucket: [*known.values()].count(bucket) for bucket in BUCKETS}
                several += len(set(known.values())) == 3
    assert several >= 2


def test_a_bucket_is_drawn_whole_in_an_order_that_follows_the_seed(opened: Open) -> None:
    graph, harbour = opened(HARBOURS), NodeType(V + "Harbour", "harbour", 9, 1.0)
    ranking = stratify(graph, harbour, SETTINGS, Measure())

    def order(bucket: Bucket, seed: int) -> list[str]:
        return list(drawn(graph, harbour, SETTINGS, Measure(), ranking, bucket, Random(seed)))

    assert order("tail", 1) == order("tail", 1) != order("tail", 2)
    assert sorted(order("tail", 1)) == [f"{H}h{n}" for n in range(4, 10)]
    assert order("head", 1) == [H + "h1"]


@pytest.mark.parametrize("cap", [0, 4])
def test_an_endpoint_that_cuts_its_answers_gives_the_same(opened: Open, cap: int) -> None:
    harbour = NodeType(V + "Harbour", "harbour", 9, 1.0)
    calls = Measure(V + "calls", V + "calls", before=1900, date_predicate=V + "opened")
    with serving(HARBOURS) as endpoint:
        endpoint.cap, endpoint.tells = cap, True
        served, loaded = EndpointGraph("harbours", "f", endpoint.url), opened(HARBOURS)
        for measured in (Measure(), calls):
            assert stratify(served, harbour, SETTINGS, measured) == stratify(loaded, harbour, SETTINGS, measured)


# ---------------------------------------------------------------------------------------------------------------------
# A class that is too large to look at as a whole

TOWNS = [f"http://e.org/town{n:03}" for n in range(300)]
SIZE = {iri: 100 if n % 20 == 0 else 20 if n % 5 == 0 else 1 for n, iri in enumerate(TOWNS)}
TOWN = NodeType("http://e.org/Town", "town", 300, 1.0)
BY_SIZE = Measure("http://e.org/size", "http://e.org/size")
FIRST = [iri for iri in TOWNS if md5(iri.encode()).hexdigest().startswith("0")]


@pytest.fixture
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KnowledgeGraph]:
    """300 towns, and a store for which 20 entities are many: it divides the class into 16 parts."""
    monkeypatch.setattr(draws, "PART", 20)
    file = tmp_path / "towns.ttl"
    file.write_text("".join(f"<{iri}> a <http://e.org/Town> ; <http://e.org/size> {n} .\n" for iri, n in SIZE.items()))
    load(Home(tmp_path), "towns", [file])
    with open_kg(Home(tmp_path), "towns") as graph:
        yield graph


def test_a_large_class_is_estimated_from_its_first_part(towns: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = stratify(towns, TOWN, SETTINGS, BY_SIZE)
    # 15 towns of 100, 45 of 20, 240 of 1 are 2640, a third is 880: the hundreds are 1500, the twenties end at 2400.
    assert exact.strata.thresholds == Thresholds(None, 100)
    assert exact.strata.entities == {"head": 0, "torso": 15, "tail": 285}
    found = stratify(towns, TOWN, SETTINGS, BY_SIZE, exact=False)
    sizes = Counter(SIZE[iri] for iri in FIRST)
    assert found.strata.method == "estimated"
    assert found.strata.looked_at == len(FIRST) == sizes.total()
    assert found.strata.thresholds == thresholds(sizes)
    assert {iri for bucket in BUCKETS for iri in found.known[bucket]} == set(FIRST)
    for bucket in BUCKETS:
        number = sum(bucket_of(SIZE[iri], found.strata.thresholds) == bucket for iri in FIRST)
        assert found.strata.entities[bucket] == round(300 * number / len(FIRST))
        assert len(found.known[bucket]) == number
    assert found.strata.error == error_of_shares(len(FIRST))
    for name, threshold in vars(found.strata.thresholds).items():
        low, high = found.strata.between[name]
        assert (low or 101) <= (threshold or 101) <= (high or 101)
    monkeypatch.setattr("chattygen.context.strata.EXACT", 299)
    assert stratify(towns, TOWN, SETTINGS, BY_SIZE) == found
    monkeypatch.setattr("chattygen.context.strata.EXACT", 300)
    assert stratify(towns, TOWN, SETTINGS, BY_SIZE) == exact


def test_of_an_estimated_class_other_parts_are_looked_through_too(
    towns: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranking = stratify(towns, TOWN, SETTINGS, BY_SIZE, exact=False)
    torso_or_more = {iri for iri, size in SIZE.items() if bucket_of(size, ranking.strata.thresholds) == "torso"}
    assert torso_or_more

    def found(parts: int) -> list[str]:
        monkeypatch.setattr("chattygen.context.strata.LOOKED_THROUGH", parts)
        return list(drawn(towns, TOWN, SETTINGS, BY_SIZE, ranking, "torso", Random(1)))

    assert len(found(15)) == len(set(found(15)))
    assert set(found(15)) == torso_or_more
    assert found(0) == found(15)[: len(found(0))]
    assert set(found(0)) == torso_or_more & set(FIRST)
    assert set(found(0)) <= set(found(3)) < torso_or_more


class Slow:
    """A graph that is too slow for a whole class."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self.name, self.fingerprint, self.graph = graph.name, graph.fingerprint, graph

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        if "VALUES" not in query and "MD5" not in query:
            raise QueryTimeout("a query was stopped")
        return self.graph.select(query, deadline=deadline)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        return self.graph.ask(query, deadline=deadline)

    def close(self) -> None:
        self.graph.close()


def test_where_the_store_is_too_slow_a_class_is_estimated(towns: KnowledgeGraph) -> None:
    assert stratify(Slow(towns), TOWN, SETTINGS, BY_SIZE) == stratify(towns, TOWN, SETTINGS, BY_SIZE, exact=False)


def test_the_error_of_shares() -> None:
    """Of 185 entities: the square root of ln 40 / 370, which is 3.689 / 370."""
    assert error_of_shares(185) == pytest.approx(0.09985, abs=1e-5)
    assert error_of_shares(0) == error_of_shares(1) == 1.0


def test_predicates_by_triples() -> None:
    triples = {"http://e.org/a": 9, "http://e.org/b": 6, "http://e.org/c": 3, "http://e.org/d": 9}
    other = {SETTINGS.type_predicate: 50, "http://www.w3.org/2002/07/owl#sameAs": 70}
    counted = tuple(PredicateCount(iri=iri, triples=number) for iri, number in {**triples, **other}.items())
    profile = Profile(triples=0, entities=0, classes=(), predicates=counted)
    # The nines are 18 of 27: two thirds, so torso.
    assert predicate_strata(profile, SETTINGS) == Strata(
        "", "triples", Thresholds(None, 9), {"head": 0, "torso": 2, "tail": 2}, 2, "exact", 4
    )
