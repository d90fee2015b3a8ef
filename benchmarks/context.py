"""What the context of 100 dialogues costs as a graph grows, with our queries and with those of the published code.

    python benchmarks/context.py --triples 1000000 --triples 10000000 --keep FOLDER

Loads DBLP-shaped graphs of the chosen sizes (load.py makes them) and does, without a model, what `generate` does before
its first question: types, samples, label candidates, seeds, subgraphs (section 4 of the paper). Then the same with one
COUNT over all types, OFFSET paging, two counts and two reads per seed and single label look-ups, in three ways to draw
a seed. Each measurement has a process of its own. One line of JSON for each, the same as tables at the end. Peak memory
is read from /proc, so this needs Linux.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from string import Template
from tempfile import TemporaryDirectory
from typing import TypeVar

import click
import psutil

from benchmarks.load import dump
from chattygen.cli import show
from chattygen.config import Home, RunSettings
from chattygen.context import labels
from chattygen.context.advice import unfit
from chattygen.context.descriptions import class_labels
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.node_types import distribute
from chattygen.context.outlook import types_of
from chattygen.context.samples import take
from chattygen.context.seeds import SeedSource, why_not
from chattygen.context.subgraphs import extract
from chattygen.context.supply import supply
from chattygen.context.vocabulary import RDFS_LABEL
from chattygen.domain import Iri, Literal, NodeType, Seed, Subgraph, Term
from chattygen.errors import QueryTimeout
from chattygen.kg.folders import list_kgs, open_kg, read_manifest, read_profile
from chattygen.kg.graph import KnowledgeGraph, Rows
from chattygen.kg.load import load
from chattygen.kg.sparql import term_text
from chattygen.loop import askable
from chattygen.loop import draw as draw_seeds

OURS = "chattygen"
T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """The context of `seeds` dialogues from a graph of `triples`, made in one `way`.

    Attributes:
        measured: seeds that were really made; what each of them costs is scaled to `seeds`.
        seconds: in all, Python's start and imports aside; `parts` and `queries` are per part of the work, scaled alike.
        stopped: queries that reached the time limit; then `seconds` is what it takes at least.
        megabytes: the most memory that the process held; `store_megabytes` that of the store's own process.
    """

    way: str
    triples: int
    seeds: int
    measured: int
    seconds: float
    parts: dict[str, float]
    queries: dict[str, int]
    stopped: int
    megabytes: float
    store_megabytes: float


@dataclass
class Watch:
    """A KnowledgeGraph that books time and queries to the part of the work that is going on."""

    graph: KnowledgeGraph
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    queries: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    part: str = ""

    def __post_init__(self) -> None:
        self.name, self.fingerprint = self.graph.name, self.graph.fingerprint

    def select(self, query: str, *, deadline: float = 30.0) -> Rows:
        self.queries[self.part] += 1
        return self.graph.select(query, deadline=deadline)

    def ask(self, query: str, *, deadline: float = 30.0) -> bool:
        self.queries[self.part] += 1
        return self.graph.ask(query, deadline=deadline)

    def close(self) -> None:
        self.graph.close()

    @contextmanager
    def on(self, part: str) -> Iterator[None]:
        """Work on `part`; parts do not nest."""
        self.part, begun = part, time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - begun

    def each(self, part: str, items: Iterator[T]) -> Iterator[T]:
        """The same items; `part` is how long each takes to come."""
        while True:
            with self.on(part):
                item = next(items, None)
            if item is None:
                return
            yield item

    def figures(self, way: str, triples: int, seeds: int, measured: int, once: frozenset[str]) -> Measured:
        """What was booked, with all parts but `once` scaled from `measured` to `seeds`."""
        more = seeds / max(1, measured)
        parts = {part: seconds * (1 if part in once else more) for part, seconds in self.seconds.items()}
        queries = {part: round(self.queries[part] * (1 if part in once else more)) for part in parts}
        stores = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        return Measured(
            way,
            triples,
            seeds,
            measured,
            sum(parts.values()),
            parts,
            queries,
            self.stopped,
            peak(psutil.Process().pid),
            max((peak(store.pid) for store in stores), default=0.0),  # none after a query that was stopped
        )


def peak(pid: int) -> float:
    """The most megabytes that a process has held so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    (kilobytes,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(kilobytes) / 1024


# ---------------------------------------------------------------------------------------------------------------------
# Ours


def ours(home: Home, kg: str, seeds: int) -> Measured:
    """The context of a run of `seeds` dialogues as pipeline.py and loop.py make it; the best label candidate wins."""
    run = RunSettings(kg, seeds)
    with open_kg(home, kg) as graph:
        watch = Watch(graph)
        with watch.on("open"):
            manifest, profile = read_manifest(home, kg), read_profile(home, kg)
            settings = manifest.settings
            watch.ask("ASK {}")
        with watch.on("types"):
            types = types_of(watch, profile, settings, run)
        with watch.on("refusal"):
            if refused := unfit(watch, kg, profile, types, settings, run, partial(askable, run)):
                raise refused
        kept = types[0]
        owed = distribute(kept, seeds)
        with watch.on("samples and labels"):
            samples = {t.iri: take(watch, t, settings, run) for t in kept if owed[t.iri]}
            found = {iri: labels.candidates(s, settings, run.max_label_words) for iri, s in samples.items()}
            rules = {iri: labels.rule(samples[iri].node_type, best[0], "only") for iri, best in found.items() if best}
            counts = {known.iri: known.count for known in profile.classes}
            classes = class_labels(watch, counts, settings) | {t.iri: t.label for t in kept}
            names = Names(rules, classes, counts, frozenset(t.iri for t in kept))
        with watch.on("knowledge"):
            learned = {iri: learn(watch, samples[iri], rule, settings, run) for iri, rule in rules.items()}
        used: set[str] = set()

        def subgraphs(iri: str) -> Iterator[Subgraph]:
            def subgraph(seed: Seed) -> Subgraph:
                with watch.on("subgraphs"):
                    return extract(watch, seed, learned[iri], names, settings, run)

            def choice(subgraph: Subgraph) -> int:
                with watch.on("choice of facts"):
                    return askable(run, subgraph)

            drawn = iter(SeedSource(watch, samples[iri].node_type, rules[iri], settings, run))
            return supply(watch.each("seeds", drawn), subgraph, "thing", run, used, choice)

        made = len(draw_seeds({iri: subgraphs(iri) for iri in rules}, owed, kept, seeds))
        return watch.figures(OURS, manifest.triples, seeds, made, once=frozenset(watch.seconds))


# ---------------------------------------------------------------------------------------------------------------------
# Queries of the published kind

ALL_TYPES = "SELECT ?type (COUNT(?entity) AS ?n) WHERE { ?entity a ?type } GROUP BY ?type ORDER BY DESC(?n)"
PARENTS = "SELECT ?parent WHERE { $type <http://www.w3.org/2000/01/rdf-schema#subClassOf> ?parent }"
FIRST = "SELECT ?entity WHERE { ?entity a $type } LIMIT 1"
ABOUT_FIRST = "SELECT DISTINCT ?p ?o WHERE { $entity ?p ?o }"
PAGE = "SELECT ?entity ?label WHERE { ?entity a $type ; $naming ?label } $order LIMIT $limit OFFSET $offset"
SIZE = "SELECT (COUNT(*) AS ?n) WHERE { { $entity ?p ?o } UNION { ?s ?p $entity } }"
PREDICATES = "SELECT (COUNT(DISTINCT ?p) AS ?n) WHERE { { $entity ?p ?o } UNION { ?s ?p $entity } }"
LABEL = "SELECT ?label WHERE { $entity $naming ?label }"
OUT = "SELECT ?p ?o WHERE { $entity ?p ?o }"
IN = "SELECT ?s ?p WHERE { ?s ?p $entity }"

LIMIT = 10_000
"""Entities on a page."""
MOST = 1000
"""Triples of a seed; one with more is passed over."""
DRAWS = 10
"""Draws per seed before the drawing ends."""

Ask = Callable[..., Sequence[Sequence[Term | None]]]
Drawn = tuple[Term | None, Term | None] | None
"""An entity and its label; None where the time limit ended the drawing of one."""
Draw = Callable[[Ask, NodeType, int], Iterator[Drawn]]


def in_pages(ask: Ask, t: NodeType, wanted: int) -> Iterator[Drawn]:
    """Page after page, in the order that the store happens to have: what the published code does."""
    for offset in count(0, LIMIT):
        yield from (page := _page(ask, t, "", LIMIT, offset))
        if len(page) < LIMIT:
            return


def at_random(ask: Ask, t: NodeType, wanted: int, order: str = "") -> Iterator[Drawn]:
    """Each entity from a place of its own in the list: a random sample by OFFSET."""
    random = Random(t.iri)
    for _ in range(wanted * DRAWS):
        yield from _page(ask, t, order, 1, random.randrange(t.count))


def _page(ask: Ask, t: NodeType, order: str, limit: int, offset: int) -> list[Drawn]:
    try:
        rows = ask("pages", PAGE, type=Iri(t.iri), naming=Iri(RDFS_LABEL), order=order, limit=limit, offset=offset)
    except QueryTimeout:
        return [None]
    return [(entity, label) for entity, label in rows]


WAYS: dict[str, Draw] = {
    "pages": in_pages,
    "random OFFSET": at_random,
    "random OFFSET, ordered": partial(at_random, order="ORDER BY ?entity"),
}
ONCE = frozenset({"open", "types", "label predicate"})


def published(home: Home, kg: str, seeds: int, measured: int, way: str, limit: float) -> Measured:
    """The same job with queries of the published kind; `limit` is in seconds for each.

    Node types and label predicate are given, for there it takes a model to choose them. A seed needs as many predicates
    as ours need facts (the published code wants more than ten), and the neighbours get their labels, as ours do.
    """
    run = RunSettings(kg, seeds)
    manifest, profile = read_manifest(home, kg), read_profile(home, kg)
    with open_kg(home, kg) as graph:
        watch = Watch(graph)
        with watch.on("open"):
            watch.ask("ASK {}")
        kept, _ = types_of(graph, profile, manifest.settings, run)

        def ask(part: str, query: str, **terms: Iri | str | int) -> Sequence[Sequence[Term | None]]:
            texts = {name: term_text(term) if isinstance(term, Iri) else term for name, term in terms.items()}
            with watch.on(part):
                try:
                    return watch.select(Template(query).substitute(texts), deadline=limit).rows
                except QueryTimeout:
                    watch.stopped += 1
                    raise

        _types(ask, kept)
        done = 0
        for t in kept:
            wanted = distribute(kept, measured)[t.iri]
            tried = (_make(ask, drawn, run) for drawn in WAYS[way](ask, t, wanted))
            done += sum(islice(filter(None, tried), wanted))
        once = ONCE | {"pages"} if way == "pages" else ONCE  # a page has seeds enough for all
        return watch.figures(way, manifest.triples, seeds, done, once)


def _types(ask: Ask, kept: Sequence[NodeType]) -> None:
    """Count all types; for those that are kept look for parents, and for a label predicate on the first entity."""
    try:
        ask("types", ALL_TYPES)
        for t in kept:
            ask("types", PARENTS, type=Iri(t.iri))
            for (entity,) in ask("label predicate", FIRST, type=Iri(t.iri)):
                ask("label predicate", ABOUT_FIRST, entity=entity)
    except QueryTimeout:
        pass  # it is booked, and the types are known


def _make(ask: Ask, drawn: Drawn, run: RunSettings) -> bool:
    """Whether the drawn entity is done with: its subgraph is there, or the time limit ended it; else it is no seed."""
    if drawn is None:
        return True
    entity, label = drawn
    if not isinstance(entity, Iri) or not isinstance(label, Literal) or why_not(label.value, run.max_label_words):
        return False
    try:
        if _number(ask("counts", SIZE, entity=entity)) >= MOST:
            return False
        if _number(ask("counts", PREDICATES, entity=entity)) < run.min_questions:
            return False
        ask("labels", LABEL, entity=entity, naming=Iri(RDFS_LABEL))
        around = [o for _, o in ask("subgraphs", OUT, entity=entity)]
        around += [s for s, _ in ask("subgraphs", IN, entity=entity)]
        for neighbour in dict.fromkeys(term for term in around if isinstance(term, Iri)):
            ask("labels", LABEL, entity=neighbour, naming=Iri(RDFS_LABEL))
    except QueryTimeout:
        pass
    return True


def _number(rows: Sequence[Sequence[Term | None]]) -> int:
    ((number,),) = rows
    return int(number.value) if number else 0


# ---------------------------------------------------------------------------------------------------------------------
# What is measured


def make(home: Home, triples: int) -> str:
    """The name of the graph of that size, which is made and loaded unless it is there."""
    name = f"dblp-{triples}"
    if name not in [manifest.name for manifest in list_kgs(home)]:
        home.path.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=home.path) as folder:
            file = Path(folder) / "dump.nt"
            with file.open("w", encoding="utf-8") as lines:
                lines.writelines(dump(triples))
            seconds = load(home, name, [file]).seconds
        show.note(f"loaded {name} in {seconds:.0f} s")
    return name


def alone(work: Callable[..., Measured], *arguments: object) -> Measured:
    """Do `work` in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


@click.command()
@click.option(
    "--triples",
    type=click.IntRange(1000),
    multiple=True,
    default=(1_000_000, 10_000_000),
    show_default=True,
    help="Size of a graph; repeatable, the smallest first.",
)
@click.option("--seeds", type=click.IntRange(1), default=100, show_default=True, help="Contexts to make.")
@click.option(
    "--measured",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Seeds really made with the published queries; the rest is scaled.",
)
@click.option("--limit", type=float, default=60.0, show_default=True, help="Seconds for each published query.")
@click.option("--repeats", type=click.IntRange(1), default=2, show_default=True, help="Of ours, the best counts.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Leave the loaded graphs in this folder, and take those that are there.",
)
def main(triples: tuple[int, ...], seeds: int, measured: int, limit: float, repeats: int, keep: Path | None) -> None:
    """Load graphs and print what the context of dialogues costs."""
    found: list[Measured] = []
    with TemporaryDirectory() as temporary:
        home = Home((keep or Path(temporary)).resolve())
        for size in triples:
            kg = make(home, size)
            tried = [alone(ours, home, kg, seeds) for _ in range(repeats)]
            found.append(min(tried, key=lambda one: one.seconds))
            show.data_json(asdict(found[-1]))
            for way in WAYS:
                found.append(alone(published, home, kg, seeds, measured, way, limit))
                show.data_json(asdict(found[-1]))
    draw(found, limit)


# ---------------------------------------------------------------------------------------------------------------------
# The tables


def draw(found: Sequence[Measured], limit: float) -> None:
    own = [one for one in found if one.way == OURS]
    small, large = own[0], own[-1]
    rows: list[tuple[str, int | str, list[float]]] = [
        *[(part, large.queries[part], [one.parts[part] for one in own]) for part in small.parts],
        ("all", sum(large.queries.values()), [one.seconds for one in own]),
        ("peak MB", "", [one.megabytes for one in own]),
        ("peak MB of the store", "", [one.store_megabytes for one in own]),
    ]
    show.table(
        ["part", "queries", *[f"{one.triples:,}" for one in own], "last : first"],
        [
            [
                part,
                queries,
                *[f"{value:.{0 if 'MB' in part else 2}f}" for value in values],
                f"{values[-1] / values[0]:.1f}",
            ]
            for part, queries, values in rows
        ],
        title=f"\nchattygen: seconds for the context of {small.seeds} dialogues, by triples of the graph",
        whole=["part"],
    )
    for one in own:
        _draw_others(one, [other for other in found if other.triples == one.triples and other.way != OURS], limit)


def _figure(value: float) -> str:
    return f"{value:.2f}" if value < 30 else f"{value:.0f}"


def _draw_others(own: Measured, others: Sequence[Measured], limit: float) -> None:
    """A column for each way to draw seeds, on one graph."""
    parts = dict.fromkeys(part for one in others for part in one.parts)
    show.table(
        ["part", *[one.way for one in others]],
        [
            *[[part, *[f"{one.parts.get(part, 0.0):.2f}" for one in others]] for part in parts],
            ["all", *[f"{one.seconds:.1f}" for one in others]],
            ["times ours", *[f"{one.seconds / own.seconds:.1f}" for one in others]],
            ["seeds measured", *[str(one.measured) for one in others]],
            [f"queries over {limit:g} s", *[str(one.stopped) for one in others]],
        ],
        title=f"\npublished queries on {own.triples:,} triples: seconds, scaled to {own.seeds} seeds; by drawing",
        whole=["part"],
    )


if __name__ == "__main__":
    main()
