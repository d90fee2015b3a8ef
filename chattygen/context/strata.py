"""Head, torso and tail: the entities of a node type in three buckets by popularity (Head-to-Tail, section 2).

Entities are sorted by popularity and their popularity is added up: head are those up to a third of the sum, torso
those up to two thirds, tail the rest. All entities of equal popularity are in one bucket, the lowest that any of them
would be in. A type of up to EXACT entities is looked at as a whole; of a larger one, or where the store takes too long,
a random part that needs no sorting is (kg/draws.py), and by how much the result may be off is part of it. Knows nothing
about labels, runs and models.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from chattygen.config import GraphSettings
from chattygen.context.popularity import Measure, score, score_type
from chattygen.context.vocabulary import is_metadata_predicate
from chattygen.domain import BUCKETS, Bucket, NodeType, Strata, Thresholds
from chattygen.errors import QueryTimeout
from chattygen.kg.draws import entities_of, parts
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile

EXACT = 100_000
"""A type with more entities is estimated: it takes long to count, and is held in memory while it is sorted."""

DEADLINE = 300.0
"""Seconds for one query; the slowest counts the triples of a whole type, or lists it."""

KEPT = 10_000
"""Entities of each bucket that are remembered, to draw seeds from."""

LOOKED_THROUGH = 10
"""Parts of an estimated type that are looked through for entities of a bucket, beside the one it was estimated from."""

RESAMPLES = 200
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ranking:
    """The strata of a node type, and random entities of each bucket: all that there are, or KEPT of them."""

    strata: Strata
    known: Mapping[Bucket, Sequence[str]]


def thresholds(histogram: Mapping[float, int]) -> Thresholds:
    """Where the buckets begin; `histogram` says how many entities have a popularity. Order and memory do not matter."""
    total = sum(popularity * number for popularity, number in histogram.items())
    head = torso = None
    above = 0.0
    for popularity in sorted(histogram, reverse=True):
        above += popularity * histogram[popularity]
        if 3 * above > 2 * total or not total:
            break
        torso = popularity
        if 3 * above <= total:
            head = popularity
    return Thresholds(head, torso)


def bucket_of(popularity: float, limits: Thresholds) -> Bucket:
    """The bucket of an entity or a predicate with this popularity."""
    if limits.head is not None and popularity >= limits.head:
        return "head"
    return "torso" if limits.torso is not None and popularity >= limits.torso else "tail"


def stratify(
    graph: KnowledgeGraph,
    node_type: NodeType,
    settings: GraphSettings,
    measured: Measure,
    *,
    exact: bool = True,
) -> Ranking:
    """The strata of a node type; the same measure and data give the same, unless the store is too slow.

    Args:
        exact: False estimates in any case, unless the whole type is no more than a part.

    Raises:
        QueryTimeout, QueryError: as the graph does; a timeout only when it is in the way of an estimate.
    """
    iri, count = node_type.iri, node_type.count
    if exact and count <= EXACT:
        try:
            scored = score_type(graph, settings, iri, measured, DEADLINE)
        except QueryTimeout:
            pass  # the store is too slow to count them all: the method of what is returned says that it is estimated
        else:
            limits, numbers, known = _divide(scored)
            left_out = max(count - len(scored), 0)
            return Ranking(Strata(iri, measured.name, limits, numbers, left_out, "exact", len(scored)), known)
    sample = entities_of(graph, settings, iri, parts(count)[0], DEADLINE)
    scored = list(score(graph, sample, measured, DEADLINE))
    limits, numbers, known = _divide(scored)
    whole = {bucket: round(count * number / max(len(sample), 1)) for bucket, number in numbers.items()}
    left_out, error = max(count - sum(whole.values()), 0), error_of_shares(len(scored))
    between = _between(Counter(popularity for _, popularity in scored))
    strata = Strata(iri, measured.name, limits, whole, left_out, "estimated", len(scored), error, between)
    return Ranking(strata, known)


def _divide(scored: Sequence[tuple[str, float]]) -> tuple[Thresholds, dict[Bucket, int], dict[Bucket, list[str]]]:
    """Where the buckets of these entities begin, how many are in each, and the first KEPT of each."""
    limits = thresholds(Counter(popularity for _, popularity in scored))
    numbers = dict.fromkeys(BUCKETS, 0)
    known: dict[Bucket, list[str]] = {bucket: [] for bucket in BUCKETS}
    for iri, popularity in scored:
        bucket = bucket_of(popularity, limits)
        numbers[bucket] += 1
        if len(known[bucket]) < KEPT:
            known[bucket].append(iri)
    return limits, numbers, known


def drawn(
    graph: KnowledgeGraph,
    node_type: NodeType,
    settings: GraphSettings,
    measured: Measure,
    ranking: Ranking,
    bucket: Bucket,
    rng: Random,
) -> Iterator[str]:
    """The IRIs of entities of a bucket, each once, in an order that depends on `rng` and the data only.

    Of an estimated type LOOKED_THROUGH more parts are looked through once those that are known have run out: the head
    of a large type is so small that looking for all of it would take hours.

    Raises:
        QueryTimeout, QueryError: as the graph does, while iterating.
    """
    known = list(ranking.known[bucket])
    rng.shuffle(known)
    yield from known
    if ranking.strata.method == "exact":
        return
    others = parts(node_type.count)[1:]
    rng.shuffle(others)
    for part in others[:LOOKED_THROUGH]:
        listed = entities_of(graph, settings, node_type.iri, part, DEADLINE)
        scored = score(graph, listed, measured, DEADLINE)
        found = [iri for iri, popularity in scored if bucket_of(popularity, ranking.strata.thresholds) == bucket]
        rng.shuffle(found)
        yield from found


def predicate_strata(profile: Profile, settings: GraphSettings) -> Strata:
    """The predicates of a graph by their number of triples, without those that type entities or keep records."""
    triples = {p.iri: p.triples for p in profile.predicates}
    asked = {
        iri: number
        for iri, number in triples.items()
        if iri != settings.type_predicate and not is_metadata_predicate(iri)
    }
    limits = thresholds(Counter(asked.values()))
    numbers = Counter(bucket_of(number, limits) for number in asked.values())
    entities = {bucket: numbers[bucket] for bucket in BUCKETS}
    return Strata("", "triples", limits, entities, len(triples) - len(asked), "exact", len(asked))


def error_of_shares(looked_at: int) -> float:
    """By how much the share of entities above any popularity may be off in a random sample, 0 to 1.

    The inequality of Dvoretzky, Kiefer and Wolfowitz (Massart's constant): it holds for all popularities at once, so
    also for thresholds that the sample itself has given.
    """
    return min(1.0, math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * looked_at))) if looked_at else 1.0


def _between(histogram: Mapping[float, int]) -> dict[str, tuple[float | None, float | None]]:
    """Bootstrap intervals of the thresholds of head and torso, the same for the same histogram."""
    import numpy

    values = sorted(histogram)
    numbers = numpy.array([histogram[value] for value in values])
    if not values:
        return {}
    draws = numpy.random.default_rng(0).multinomial(numbers.sum(), numbers / numbers.sum(), size=RESAMPLES)
    found = [thresholds({v: int(n) for v, n in zip(values, draw, strict=True) if n}) for draw in draws]
    return {"head": _interval([f.head for f in found]), "torso": _interval([f.torso for f in found])}


def _interval(found: Sequence[float | None]) -> tuple[float | None, float | None]:
    """The middle 95 %; None, a bucket without entities, is above everything."""
    ordered = sorted(found, key=lambda value: math.inf if value is None else value)
    tail = round(len(ordered) * (1 - CONFIDENCE) / 2)
    return ordered[tail], ordered[-1 - tail]
