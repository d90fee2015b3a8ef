"""Algorithm 2: the subgraph around a seed entity, filtered to what a person would ask about (section 4.3).

One hop in both directions. A fact is all triples with one predicate and direction; it is kept or dropped as a whole, so
that a query for it has exactly the answers that the subgraph shows. A seed costs at most four queries, and one more per
300 neighbours. Knows nothing about prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.descriptions import describe, predicate_labels, with_stand_ins
from chattygen.context.distractors import distractors
from chattygen.context.facts import Names, Reader
from chattygen.context.filters import about_predicate, about_values
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.samples import Relation, count, directions
from chattygen.domain import DroppedFact, Fact, Iri, Literal, Seed, Subgraph, Term, ValueKind
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import bind

_TOLD: dict[ValueKind, int] = {"entity": 0, "date": 0, "year": 0, "number": 2, "boolean": 3, "text": 3}


def extract(
    graph: KnowledgeGraph,
    seed: Seed,
    knowledge: TypeKnowledge,
    names: Names,
    settings: GraphSettings,
    run: RunSettings,
    fewest: int = 0,
) -> Subgraph:
    """The filtered subgraph of a seed: facts in order of interest, dropped ones in IRI order with the reason.

    Args:
        knowledge: what was learned about the seed's node type (knowledge.learn).
        fewest: where fewer relations than this may be asked about, their values are not read, and no fact is given.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    dropped: dict[Relation, str] = {}
    counts: dict[Relation, int] = {}
    for relation, (number, blank) in _counts(graph, seed, run):
        if reason := about_predicate(relation, knowledge, settings) or ("blank nodes" if blank else ""):
            dropped[relation] = reason
        else:
            counts[relation] = number
    if len(counts) < fewest:
        return Subgraph(seed, (), 0)
    ends = _ends(graph, seed, [relation for relation, number in counts.items() if number <= run.max_values], run)
    reader = _reader(graph, knowledge, names, counts, ends, settings, run)

    facts: dict[Relation, Fact] = {}
    for relation, number in sorted(counts.items()):
        fact = reader.fact(relation, number, ends.get(relation, ()))
        if reason := about_values(fact, seed, settings, run):
            dropped[relation] = reason
        else:
            facts[relation] = fact
    for relation, reason in _restatements(facts, knowledge):
        dropped[relation] = reason
    order = sorted(facts.keys() - dropped.keys(), key=lambda relation: _place(relation, facts[relation], reader))
    for relation in _superfluous_constants(order, knowledge, run.questions):
        dropped[relation] = "the same for all entities of the type"
    kept = _readable_once([facts[relation] for relation in order if relation not in dropped], dropped)
    return Subgraph(
        seed,
        kept,
        size=sum(fact.count for fact in kept),
        dropped=tuple(DroppedFact(p, direction, dropped[p, direction]) for p, direction in sorted(dropped)),
        interest={
            fact: score for fact in kept if (score := knowledge.interest_in((fact.predicate, fact.direction)).score) < 1
        },
        others=distractors(seed, kept, reader) if run.tests else {},
    )


def _counts(graph: KnowledgeGraph, seed: Seed, run: RunSettings) -> Iterable[tuple[Relation, tuple[int, int]]]:
    """Each relation of the seed with its number of other ends and of triples with a blank node there."""
    for direction in directions(run):
        for (_, predicate), numbers in count(graph, [seed.iri], direction, run.deadline).items():
            yield (predicate, direction), numbers


def _ends(
    graph: KnowledgeGraph, seed: Seed, relations: Iterable[Relation], run: RunSettings
) -> dict[Relation, tuple[Term, ...]]:
    """The other ends of some relations of the seed, sorted."""
    found: dict[Relation, set[Term]] = {}
    for direction in directions(run):
        predicates = [Iri(p) for p, side in sorted(relations) if side == direction]
        if not predicates:
            continue
        query = bind(f"facts_{direction}", entity=Iri(seed.iri), predicates=predicates)
        for predicate, value in graph.select(query, deadline=run.deadline).rows:
            if isinstance(predicate, Iri) and value is not None:
                found.setdefault((predicate.value, direction), set()).add(value)
    return {relation: tuple(sorted(terms, key=_order)) for relation, terms in found.items()}


def _order(term: Term) -> tuple[str, str, str]:
    return (term.value, term.datatype, term.lang) if isinstance(term, Literal) else (term.value, "", "")


def _reader(
    graph: KnowledgeGraph,
    knowledge: TypeKnowledge,
    names: Names,
    relations: Iterable[Relation],
    ends: dict[Relation, tuple[Term, ...]],
    settings: GraphSettings,
    run: RunSettings,
) -> Reader:
    """A reader that knows the neighbours, and the predicates that the sample of the type did not show."""
    new = {predicate for predicate, _ in relations} - knowledge.predicates.keys()
    neighbours = {term.value for terms in ends.values() for term in terms if isinstance(term, Iri)}
    known = describe(graph, neighbours | new, settings, run.deadline)
    named = with_stand_ins(graph, known, new, settings, run.deadline)
    labels = {**knowledge.predicates, **predicate_labels(named, new, settings)}
    return Reader(knowledge, names, settings, labels, {**knowledge.known, **known})


def _restatements(facts: dict[Relation, Fact], knowledge: TypeKnowledge) -> Iterable[tuple[Relation, str]]:
    """Of the relations that state the same fact, all but the first that this seed has."""
    for group in knowledge.same:
        present = [relation for relation in group if relation in facts]
        for relation in present[1:]:
            yield relation, f"same as {facts[present[0]].predicate_label}"


def _place(relation: Relation, fact: Fact, reader: Reader) -> tuple[float, int, bool, str]:
    """By interest; of equal interest described entities and dates first, then other nodes, numbers, texts."""
    bare = any(isinstance(value.term, Iri) and value.term.value not in reader.known for value in fact.values)
    score = reader.knowledge.interest_in(relation).score
    return -score, _TOLD[fact.value_kind] + bare, fact.direction == "in", fact.predicate


def _superfluous_constants(order: Sequence[Relation], knowledge: TypeKnowledge, wanted: int) -> Sequence[Relation]:
    """The relations that are the same for the whole type, less those needed to reach `wanted` facts.

    One that the settings give full interest stays.
    """
    constants = [r for r in order if r in knowledge.constant and knowledge.interest_in(r).score < 1]
    return constants[max(0, wanted - (len(order) - len(constants))) :]


def _readable_once(facts: Sequence[Fact], dropped: dict[Relation, str]) -> tuple[Fact, ...]:
    """The facts less those that read like an earlier one: predicates of two vocabularies with one label."""
    seen: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        first = seen.setdefault((fact.predicate_label.casefold(), fact.direction), fact)
        if first is not fact:
            dropped[fact.predicate, fact.direction] = f"reads like {first.predicate}"
    return tuple(seen.values())
