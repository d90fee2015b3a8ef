"""Dialogues and single questions from wordings that were paid for once: `generate --phrasing reuse`, and Head-to-Tail.

First the wordings that the node types lack are made and kept with the graph; then the program assembles dialogues, as
many of one seed as are needed, or asks one question at a time, without a call. Knows nothing about how many dialogues
there are to be: that is loop.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, islice

from chattygen.context.attributes import left_out
from chattygen.context.pools import Pool
from chattygen.domain import Subgraph, Visit
from chattygen.generation.assemble import Known, Run, assemble, known
from chattygen.generation.attempts import Asker
from chattygen.generation.phrasing import WARMTH, Asking, cases, phrase_all, planned, testable
from chattygen.generation.phrasings import Phrasing, Phrasings, add, read
from chattygen.generation.queries import build
from chattygen.generation.stages import Stage
from chattygen.generation.templates import Template, attributes, next_question, values
from chattygen.work import Tools, asker, unless_stopped

SAMPLE = 40
"""Entities of a node type whose facts are worded; what none of them has is not asked about."""


def phrase(tools: Tools, supplies: dict[Pool, Iterator[Subgraph]], types: Sequence[str]) -> Phrasings:
    """The phrasings of the graph; those that the node types lack are made now and added to the file, type by type.

    What is looked at for that is put back in front of the supplies.

    Raises:
        ConfigError: a wording in the file breaks a rule.
        CallError: the model's server failed.
    """
    there = _read(tools)
    for iri in types:
        looked_at = _first(supplies, iri)
        found = cases(looked_at) | cases(looked_at, testable)
        missing = {key: own for key, own in found.items() if key not in there}
        _add(tools, phrase_all(_asking(tools), missing, tools.embedder), there)
    return there


def phrase_templates(tools: Tools, supplies: dict[Pool, Iterator[Subgraph]], types: Sequence[str]) -> Phrasings:
    """The templates of the graph, as `phrase` does it: a wording for each attribute, the reason for what is none.

    What stands in the file was decided before, perhaps by a person: one without any wording stays without.
    """
    there = _read(tools)
    for iri in types:
        looked_at = _first(supplies, iri)
        decided = {(key.predicate, key.direction) for key in there if key.type == iri}
        worded = {(key.predicate, key.direction) for key, found in there.items() if key.type == iri and found.wordings}
        reasons = {relation: reason for relation, reason in left_out(looked_at).items() if relation not in decided}
        none = {*reasons, *(decided - worded)}
        missing = {
            key: own
            for key, own in cases(looked_at, values).items()
            if key not in there and (key.predicate, key.direction) not in none
        }
        _add(tools, phrase_all(_asking(tools), missing, tools.embedder, 1, in_dialogues=False), there)
        said = (Phrasing(type=iri, predicate=p, direction=d, form="value", reason=r) for (p, d), r in reasons.items())
        _add(tools, said, there)
    return there


def _read(tools: Tools) -> Phrasings:
    return read(tools.phrasings) if tools.phrasings.exists() else {}


def _first(supplies: dict[Pool, Iterator[Subgraph]], iri: str) -> list[Subgraph]:
    """The first subgraphs of a node type, from all its pools, which have them still."""
    pools = [pool for pool in supplies if pool[0] == iri]
    looked_at: list[Subgraph] = []
    for pool in pools:
        first = list(islice(supplies[pool], SAMPLE // len(pools)))
        supplies[pool] = chain(first, supplies[pool])
        looked_at += first
    return looked_at


def _add(tools: Tools, new: Iterable[Phrasing], there: Phrasings) -> None:
    """Put new phrasings into the file, and to those that are there."""
    if made := list(new):
        add(tools.phrasings, made)
        there |= {phrasing.key: phrasing for phrasing in made}


def _asking(tools: Tools) -> Asking:
    def asking(stage: Stage, number: int) -> Asker:
        usual = asker(tools, stage)
        # Other seeds, so that no round is the one before it again.
        return replace(usual, attempts=1, seed=number * usual.attempts, temperature=WARMTH) if number else usual

    return asking


def dialogues(tools: Tools, subgraphs: Iterator[Subgraph], phrasings: Phrasings) -> Iterator[Visit]:
    """Visits to the seeds of a pool, each with the turns of a new dialogue: of every seed the first one, then of every
    seed the second, until nothing new can be said. A seed of which nothing can be said at all is visited in vain.
    """
    seeds: list[Known] = []
    for subgraph in subgraphs:
        seed = known(subgraph, phrasings, planned(subgraph))
        visit = _visit(tools, seed, 1)
        yield visit
        if visit.turns:
            seeds.append(seed)
    for number in count(2):
        unless_stopped(tools)
        visits = ((seed, _visit(tools, seed, number)) for seed in seeds)
        left: list[Known] = []
        for seed, visit in visits:
            if visit.turns:
                left.append(seed)
                yield visit
        if not left:
            return
        seeds = left


def questions(
    tools: Tools, subgraphs: Iterator[Subgraph], templates: Phrasings, asked: Counter[Template], texts: set[str]
) -> Iterator[Visit]:
    """Visits to the entities of a pool, each with one question; as `dialogues`, the first of every entity first."""
    entities: list[Known] = []
    for subgraph in subgraphs:
        entity = attributes(subgraph, templates)
        turns = next_question(entity, asked, texts, _running(tools, subgraph))
        yield Visit(subgraph, 1, turns)
        if turns:
            entities.append(entity)
    for number in count(2):
        left: list[Known] = []
        for entity in entities:
            unless_stopped(tools)
            if turns := next_question(entity, asked, texts, _running(tools, entity.subgraph)):
                left.append(entity)
                yield Visit(entity.subgraph, number, turns)
        if not left:
            return
        entities = left


def _running(tools: Tools, subgraph: Subgraph) -> Run:
    return lambda question: build(question, subgraph, tools.graph, tools.run.deadline)


def _visit(tools: Tools, seed: Known, number: int) -> Visit:
    unless_stopped(tools)
    run = _running(tools, seed.subgraph)
    # A follow-up is about two facts, and only questions about one are worded beforehand.
    flow = {form: share for form, share in tools.run.flow.items() if form == "ellipsis"}
    turns = assemble(seed, number, tools.run.questions, tools.run.min_questions, run, flow, tools.run.kinds)
    return Visit(seed.subgraph, number, turns)
