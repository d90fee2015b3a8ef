"""Entities that share a label are told apart, and labels are said as a person says them.

A seed that another entity of the graph is called like gets its type in front of its name where the types differ, else
one fact that the others do not have. Names are looked up by exact text, never by a scan; a label two hops away is not
looked up. Knows nothing about models; the English is spoken.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import UNKNOWN, Description, describe, name_by, name_of
from chattygen.context.facts import Names
from chattygen.context.labels import sample_names
from chattygen.context.languages import named
from chattygen.context.literals import shown
from chattygen.context.names import unbracketed
from chattygen.context.samples import Relation, TypeSample, directions
from chattygen.context.spoken import kinds, telling, tells, with_type, without_bracket, year
from chattygen.context.vocabulary import RDFS_LABEL, label_rank
from chattygen.domain import DroppedFact, Fact, Finding, Iri, LabelRule, Literal, Seed, Subgraph
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

MOST = 20
"""With more namesakes than this an entity is not told apart: who asks for `Introduction` must not expect an answer."""

MOST_ENDS = 1000
"""More other ends of the namesakes than this are not read; the facts in question then do not count."""

MOST_PREDICATES = 30
"""Predicates under which a name is looked up, besides those that name the node types."""

MOST_TAGS = 4
"""Language tags under which a label is looked up, each with a query of its own."""

LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

SHARED = Finding("C5", "no fact tells the entity from those that are called like it")


@dataclass(frozen=True)
class Calling:
    """How the entities of a node type are called.

    Attributes:
        predicates: IRIs of the predicates under which a name of the graph may stand.
        tags: language tags that names of the type have, the empty one for none.
        kinds: what the type is called in brackets.
    """

    rule: LabelRule
    names: Names
    predicates: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: frozenset[str]


def learn_calling(
    sample: TypeSample, rule: LabelRule, names: Names, predicates: Iterable[str], settings: GraphSettings
) -> Calling:
    """Learn it from the type's sample; `predicates` are the IRIs of the graph's, the most used first. Asks nothing."""
    ruled = {p for named_by in names.rules.values() for p in named_by.predicates if len(named_by.predicates) == 1}
    naming = {*islice((p for p in predicates if label_rank(p) is not None), MOST_PREDICATES), RDFS_LABEL, *ruled}
    literals = (lit for p in rule.predicates for found in sample.literals(p).values() for lit in found)
    tags = dict.fromkeys(["", *named(settings.languages), *(literal.lang for literal in literals)])
    return Calling(
        rule,
        names,
        tuple(sorted(p for p in naming if " / " not in p)),
        tuple(tags)[:MOST_TAGS],
        kinds(sample.node_type.label, sample_names(sample, rule, settings.languages)),
    )


def called(
    graph: KnowledgeGraph, subgraph: Subgraph, calling: Calling, settings: GraphSettings, run: RunSettings
) -> Subgraph:
    """The subgraph with what its seed is said as. Without any fact if it cannot be told from its namesakes (C5).

    Costs a query for each tag, as many for a bracket, more for a joined name, and up to four where there are namesakes.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    seed = subgraph.seed
    known = _namesakes(graph, seed, seed.label, calling, settings, run)
    if known is None:
        return _silent(subgraph)
    if known:
        said = _by_type(seed, known, calling.names) or _by_fact(graph, subgraph, known, calling, settings, run)
        return replace(subgraph, seed=replace(seed, said=said)) if said else _silent(subgraph)
    said = without_bracket(seed, subgraph.facts, calling.kinds)
    if said:
        bare = _namesakes(graph, seed, unbracketed(seed.label)[0], calling, settings, run)
        if bare is None or any(seed.node_type in description.types for description in bare.values()):
            said = ""
    return replace(subgraph, seed=replace(seed, said=said))


def _silent(subgraph: Subgraph) -> Subgraph:
    dropped = [*subgraph.dropped, *(DroppedFact(f.predicate, f.direction, SHARED.message) for f in subgraph.facts)]
    return Subgraph(subgraph.seed, (), 0, tuple(sorted(dropped, key=lambda gone: (gone.predicate, gone.direction))))


def _namesakes(
    graph: KnowledgeGraph, seed: Seed, label: str, calling: Calling, settings: GraphSettings, run: RunSettings
) -> Mapping[str, Description] | None:
    """The other entities that are called `label`, described; None when they are too many."""
    typing, most = Iri(settings.type_predicate), MOST + 2  # the seed is among them
    predicates = [Iri(predicate) for predicate in calling.predicates]
    queries = [
        bind("namesakes", predicates=predicates, text=text, type_predicate=typing, most=most)
        for text in _texts(label, calling)
    ]
    if len(calling.rule.predicates) == 2 and label == seed.label:
        first, second = map(Iri, calling.rule.predicates)
        own = describe(graph, [seed.iri], settings, run.deadline).get(seed.iri, UNKNOWN)
        parts = (name_by((p.value,), own, settings.languages) for p in (first, second))
        queries += [
            bind(
                "namesakes_joined",
                given=first,
                given_name=given,
                family=second,
                family_name=family,
                type_predicate=typing,
                most=most,
            )
            for given, family in product(*(_texts(part, calling) for part in parts))
        ]
    found: set[str] = set()
    for query in queries:
        rows = graph.select(query, deadline=run.deadline).rows
        if len(rows) == most:
            return None
        found |= {entity.value for (entity,) in rows if isinstance(entity, Iri)} - {seed.iri}
    return {
        iri: description
        for iri, description in describe(graph, found, settings, run.deadline).items()
        if description.types and name_of(iri, description, calling.names.rules, settings) == label
    }


def _texts(label: str, calling: Calling) -> list[Literal]:
    """A label as the terms that the graph may have for it; none for an empty one."""
    return [Literal(label, LANG_STRING, tag) if tag else Literal(label) for tag in calling.tags if label]


def _by_type(seed: Seed, known: Mapping[str, Description], names: Names) -> str:
    """The seed said with its type, if that tells it from all of them; else empty."""
    types = {iri for description in known.values() for iri in description.types}
    labels = {names.of_class(iri) for iri in types}
    apart = seed.node_type not in types and seed.type_label not in {"", "entity", "thing", *labels}
    return with_type(seed) if apart else ""


def _by_fact(
    graph: KnowledgeGraph,
    subgraph: Subgraph,
    known: Mapping[str, Description],
    calling: Calling,
    settings: GraphSettings,
    run: RunSettings,
) -> str:
    """The seed said with the best fact that none of them has; empty if there is none."""
    facts = [fact for fact in subgraph.facts if tells(fact)]
    theirs = _ends(graph, facts, known, calling, settings, run)
    alone = [
        fact
        for fact in facts
        if (fact.predicate, fact.direction) in theirs
        and _said(fact, fact.values[0].label) not in {_said(fact, end) for end in _of(theirs, fact)}
    ]
    forms = [(*telling(subgraph.seed, fact), not _of(theirs, fact)) for fact in alone]
    return min(((rank, unknown, place, form) for place, (rank, form, unknown) in enumerate(forms)), default=("",))[-1]


def _of(theirs: Mapping[Relation, set[str]], fact: Fact) -> set[str]:
    return theirs[fact.predicate, fact.direction]


def _said(fact: Fact, label: str) -> str:
    """What a namesake must not have: of dates the year, since it may be all that is said."""
    return label[: len(year(fact))].casefold() if year(fact) else label.casefold()


def _ends(
    graph: KnowledgeGraph,
    facts: Iterable[Fact],
    known: Mapping[str, Description],
    calling: Calling,
    settings: GraphSettings,
    run: RunSettings,
) -> dict[Relation, set[str]]:
    """Relation of a fact -> labels of the other ends that the namesakes have under it; without those too many to read.

    An end without a label stands with its IRI.
    """
    theirs: dict[Relation, set[str]] = {}
    ends: list[tuple[Relation, Iri]] = []
    for direction in directions(run):
        predicates = sorted({fact.predicate for fact in facts if fact.direction == direction})
        if not predicates:
            continue
        entities, bound = [Iri(iri) for iri in sorted(known)], [Iri(p) for p in predicates]
        query = bind(f"ends_{direction}", entities=entities, predicates=bound, most=MOST_ENDS)
        rows = graph.select(query, deadline=run.deadline).rows
        if len(rows) == MOST_ENDS:
            continue
        theirs |= {(predicate, direction): set() for predicate in predicates}
        for _, predicate, end in rows:
            if isinstance(predicate, Iri) and isinstance(end, Literal):
                theirs[predicate.value, direction].add(shown(end))
            elif isinstance(predicate, Iri) and isinstance(end, Iri):
                ends.append(((predicate.value, direction), end))
    described = describe(graph, {end.value for _, end in ends}, settings, run.deadline)
    for relation, end in ends:
        description = described.get(end.value, UNKNOWN)
        theirs[relation].add(name_of(end.value, description, calling.names.rules, settings) or end.value)
    return theirs
