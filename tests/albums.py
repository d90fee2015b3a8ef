"""The singer of tests/data/albums.ttl: her subgraph with what lies beyond it, out of a real Oxigraph store."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.neighbours import knowledge_of, look_beyond
from chattygen.context.samples import take
from chattygen.context.subgraphs import extract
from chattygen.domain import LabelRule, NodeType, Seed, Subgraph
from chattygen.kg.graph import KnowledgeGraph

ALBUMS = Path(__file__).parent / "data" / "albums.ttl"
A = "http://example.org/albums/"
V = A + "vocab/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
COUNTS = {"Singer": 1, "Painter": 1, "Town": 2, "River": 1, "Genre": 3, "Language": 1, "Producer": 1, "Album": 5}
NAMES = Names(
    {V + name: LabelRule(V + name, (LABEL,), 1.0, "only") for name in COUNTS},
    classes={},
    counts={V + name: number for name, number in COUNTS.items()},
    kept=frozenset({V + "Singer", V + "Album"}),
)
SETTINGS = GraphSettings()
RUN = RunSettings(kg="albums", hops=2)
MIRA = Seed(A + "mira", "Mira Holt", V + "Singer", "singer", "person")


def around_mira(graph: KnowledgeGraph, run: RunSettings = RUN, settings: GraphSettings = SETTINGS) -> Subgraph:
    singer = NodeType(V + "Singer", "singer", 1, 1.0)
    learned = learn(graph, take(graph, singer, settings, run), NAMES.rules[singer.iri], settings, run)
    subgraph = extract(graph, MIRA, learned, NAMES, settings, run)
    knowing = partial(knowledge_of, graph, names=NAMES, settings=settings, run=run)
    return look_beyond(graph, subgraph, NAMES, knowing, settings, run)
