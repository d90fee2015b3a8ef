"""The loop that makes dialogues: label the node types, draw seeds, send them through the stages, replace what fails.

Seeds go through the stages in cohorts: all of a cohort's questions, then all of its queries, then all of its
dialogues. So the instruction of a stage stays in the server's prefix cache. What fails gives its seed up, and another
one of the same node type takes its place. Seeds are drawn and dialogues numbered in an order that depends on the
settings, the graph and the replies only, whatever is finished first. Knows nothing about how models are started.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from chattygen import assembly
from chattygen.books import VISITS, Books, Outcome, Tell
from chattygen.config import RunSettings
from chattygen.context import (
    absent,
    descriptions,
    knowledge,
    labels,
    listed,
    namesakes,
    neighbours,
    samples,
    seeds,
    strata,
    subgraphs,
)
from chattygen.context.facts import Names
from chattygen.context.node_types import distribute, without
from chattygen.context.pools import Pool, draw, owe, spread
from chattygen.context.popularity import measures
from chattygen.context.supply import supply
from chattygen.domain import Being, Bucket, Dialogue, DroppedType, LabelRule, NodeType, Seed, Subgraph
from chattygen.generation.labelling import ask_label
from chattygen.generation.plan import plan as choose
from chattygen.generation.stages import LABEL
from chattygen.interest import judge
from chattygen.work import WORK, Draft, Stopped, Tools, asker, difference, give_up, in_order, unless_stopped


@dataclass(frozen=True)
class Named:
    """A node type whose entities can be named, with what naming it has shown."""

    sample: samples.TypeSample
    rule: LabelRule
    being: Being


def askable(run: RunSettings, subgraph: Subgraph) -> int:
    """How many questions of a dialogue a subgraph has facts for.

    What is of less interest counts as far as the fewest questions need it: so a seed with more to tell is preferred.
    """
    asked = choose(subgraph, run.questions)[0]
    told = [ask for ask in asked if ask.fact not in subgraph.interest]
    return max(len(told), min(len(asked), run.min_questions))


def unnamed(node_type: NodeType) -> DroppedType:
    return DroppedType(node_type.iri, node_type.label, node_type.count, "no label")


def make_dialogues(tools: Tools, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...], tell: Tell) -> Outcome:
    """Label the node types, then send cohorts of seeds through the stages until the wanted dialogues are there.

    Raises:
        CallError: a model's server failed.
    """
    books = Books(tools, tell)
    try:
        return _dialogues(tools, kept, dropped, books)
    except Stopped:
        return books.outcome("interrupted", "stopped by the user")


def _dialogues(tools: Tools, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...], books: Books) -> Outcome:
    run, most = tools.run, VISITS * tools.run.dialogues + 10
    books.say(0, LABEL.title)
    if run.entities:
        return _of_list(tools, kept, dropped, books)
    kept, dropped, named = _labels(tools, kept, dropped)
    wanted = distribute(kept, run.dialogues)
    tools.recorder.node_types(tools.id, kept, dropped, wanted)
    supplies = _supplies(tools, kept, named)
    owed = spread(wanted, run.strata)
    if run.approach == "head-to-tail":
        return assembly.questions(tools, [t for t in kept if wanted[t.iri]], supplies, books)
    if run.phrasing == "reuse":
        return assembly.assembled(tools, [t for t in kept if wanted[t.iri]], supplies, owed, books)
    while books.done < run.dialogues and books.visited < most:
        cohort = draw(supplies, owed, kept, min(run.cohort, run.dialogues - books.done))
        if not cohort:
            break
        for given_up in _work_on(tools, cohort, books):
            owe(owed, 1, (given_up.node_type, given_up.bucket), supplies, kept)
    if books.done == run.dialogues:
        return books.outcome("done")
    of_these = " of these buckets" if run.strata else ""
    why = (
        f"that is the most for {run.dialogues} dialogues"
        if books.visited >= most
        else f"no other entity{of_these} has {run.min_questions} facts to ask about"
    )
    return books.outcome("short", f"{books.visited} seeds visited, {books.visited - books.done} given up; {why}")


def _of_list(tools: Tools, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...], books: Books) -> Outcome:
    """A dialogue about each entity of the user's list, in its order; what cannot be a seed is stored as given up."""
    run = tools.run
    types = listed.types_of_list(tools.graph, kept, dropped, tools.settings, run)
    named = {t.iri: _name(tools, t) or _nameless(tools, t) for t in types}
    rules = {iri: found.rule for iri, found in named.items()}
    entities = list(listed.listed(tools.graph, types, rules, tools.settings, run))
    wanted = Counter(seed.node_type for seed, _ in entities)
    tools.recorder.node_types(tools.id, types, [gone for gone in dropped if gone.iri not in wanted], wanted)
    names = _names(tools, types, named)
    learned = {t.iri: _learn(tools, t, named[t.iri], names) for t in types}
    look, cohort = _looking(tools, names), list[Subgraph]()
    for place, (seed, refused) in enumerate(entities, 1):
        subgraph = Subgraph(seed, (), 0)
        if found := learned.get(seed.node_type):
            subgraph = look(found.extract(replace(seed, being=found.named.being)))
            refused = refused or listed.too_little(subgraph, askable(run, subgraph), run)
        if refused:
            books.visited += 1
            tools.recorder.give_up(tools.recorder.start_seed(tools.id, subgraph), refused.rule, refused.message)
        else:
            cohort.append(subgraph)
        if cohort and (len(cohort) == run.cohort or place == len(entities)):
            _work_on(tools, cohort, books)
            cohort = []
    if books.done == run.dialogues:
        return books.outcome("done")
    return books.outcome("short", f"{run.dialogues - books.done} of the entities have none")


def _nameless(tools: Tools, node_type: NodeType) -> Named:
    """A type without a label rule: its entities are called as the graph calls any other node."""
    sample = samples.take(tools.graph, node_type, tools.settings, tools.run)
    return Named(sample, LabelRule(node_type.iri, (), 0.0, "only"), "thing")


def _work_on(tools: Tools, cohort: Sequence[Subgraph], books: Books) -> list[Seed]:
    """Send a cohort through the stages and store its dialogues; return the seeds that were given up."""
    drafts = [Draft(tools.recorder.start_seed(tools.id, subgraph), subgraph) for subgraph in cohort]
    books.visited += len(drafts)
    given_up = []
    stages = WORK[tools.run.approach]
    for behind, (stage, work) in enumerate(stages):
        before = [(len(draft.rules), draft.spent) for draft in drafts]
        alive = []
        books.say(books.done + behind * len(drafts) / len(stages), stage.title)
        for number, finished in enumerate(in_order(partial(work, tools), drafts, tools)):
            draft, (rules, spent) = drafts[number], before[number]
            failed = draft.rules[rules:]
            books.findings += len(failed)
            books.spent += difference(draft.spent, spent)
            if finished:
                alive.append(draft)
            else:
                give_up(tools, draft, stage, failed)
                given_up.append(draft.subgraph.seed)
            books.say(books.done + (behind * len(drafts) + number + 1) / len(stages), stage.title)
        drafts = alive
    reached = books.done + len(drafts)
    for draft in drafts:
        tools.recorder.dialogue(tools.id, draft.id, Dialogue(draft.subgraph.seed, draft.turns, draft.usage))
        books.done += 1
        books.say(reached)
    return given_up


def _labels(
    tools: Tools, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...]
) -> tuple[tuple[NodeType, ...], tuple[DroppedType, ...], dict[str, Named]]:
    """Name every node type that gets dialogues; what cannot be named is dropped, and its dialogues shared out anew."""
    named: dict[str, Named] = {}
    while True:
        wanted = distribute(kept, tools.run.dialogues)
        node_type = next((t for t in kept if wanted[t.iri] and t.iri not in named), None)
        if node_type is None:
            return kept, dropped, named
        if found := _name(tools, node_type):
            named[node_type.iri] = found
        else:
            kept, dropped = without(kept, node_type.iri), (*dropped, unnamed(node_type))


def _name(tools: Tools, node_type: NodeType) -> Named | None:
    """Section 4.2 for one node type: how its entities are named; None when they cannot be."""
    sample = samples.take(tools.graph, node_type, tools.settings, tools.run)
    found = labels.candidates(sample, tools.settings, tools.run.max_label_words)
    rule = labels.users_rule(sample, tools.settings)
    being: Being = "thing"
    if found:
        chosen, being = ask_label(asker(tools, LABEL), node_type, found)
        rule = rule or labels.rule(node_type, chosen, "model" if len(found) > 1 else "only")
    if rule is None:
        return None
    tools.recorder.label_rule(tools.id, rule)
    return Named(sample, rule, being)


def _supplies(tools: Tools, kept: Sequence[NodeType], named: Mapping[str, Named]) -> dict[Pool, Iterator[Subgraph]]:
    """One supply of subgraphs per node type, or per bucket of it."""
    names = _names(tools, kept, named)
    used: set[str] = set()
    drawing = _drawing(tools) if tools.run.strata else None

    def supplied(node_type: NodeType) -> dict[Pool, Iterator[Subgraph]]:
        learned = cache(lambda: _learn(tools, node_type, named.get(node_type.iri), names))
        if drawing is None:
            return {(node_type.iri, None): _supply(tools, node_type, learned, used)}
        return {
            (node_type.iri, bucket): _supply(tools, node_type, learned, used, bucket, drawing(node_type, bucket))
            for bucket in tools.run.strata
        }

    look = _looking(tools, names)
    return {pool: map(look, subgraphs) for t in kept for pool, subgraphs in supplied(t).items()}


def _names(tools: Tools, kept: Sequence[NodeType], named: Mapping[str, Named]) -> Names:
    counts = {found.iri: found.count for found in tools.profile.classes}
    return Names(
        {iri: found.rule for iri, found in named.items()},
        classes=descriptions.class_labels(tools.graph, counts, tools.settings) | {t.iri: t.label for t in kept},
        counts=counts,
        kept=frozenset(t.iri for t in kept),
        beings={iri: found.being for iri, found in named.items()},
    )


def _looking(tools: Tools, names: Names) -> Callable[[Subgraph], Subgraph]:
    """What adds the facts around the neighbours of a seed to its subgraph, where the run needs them."""
    graph, settings, run = tools.graph, tools.settings, tools.run
    if not run.looks_beyond:
        return lambda subgraph: subgraph
    knowing = cache(partial(neighbours.knowledge_of, graph, names=names, settings=settings, run=run))
    return partial(neighbours.look_beyond, graph, names=names, knowing=knowing, settings=settings, run=run)


@dataclass(frozen=True)
class Learned:
    """How the seeds of a node type are found: by their label rule, and with the facts around them.

    `extract` gives no facts, or too few, and reads less, where there are fewer than its keyword `fewest`.
    """

    named: Named
    extract: Callable[..., Subgraph]


def _learn(tools: Tools, node_type: NodeType, named: Named | None, names: Names) -> Learned | None:
    """What a node type is like; one that got no dialogues is named only now, when the others have run out."""
    named = named or _name(tools, node_type)
    if named is None:
        return None
    learned = knowledge.learn(tools.graph, named.sample, named.rule, tools.settings, tools.run)
    if tools.run.judge_interest:
        learned = judge(tools, learned, names)
    predicates = (found.iri for found in tools.profile.predicates)
    calling = namesakes.learn_calling(named.sample, named.rule, names, predicates, tools.settings)

    wanted = tools.run.flow["unanswerable"] > 0
    usual = absent.usual(tools.graph, named.sample, learned, names, tools.settings, tools.run) if wanted else ()

    def extract(seed: Seed, fewest: int = 0) -> Subgraph:
        unless_stopped(tools)
        subgraph = subgraphs.extract(tools.graph, seed, learned, names, tools.settings, tools.run, fewest)
        if len(subgraph.facts) < fewest:
            return subgraph
        subgraph = absent.without(subgraph, usual, learned)
        return namesakes.called(tools.graph, subgraph, calling, tools.settings, tools.run)

    return Learned(named, extract)


def _supply(
    tools: Tools,
    node_type: NodeType,
    learned: Callable[[], Learned | None],
    used: set[str],
    bucket: Bucket | None = None,
    draw: seeds.Draw | None = None,
) -> Iterator[Subgraph]:
    """The subgraphs of one pool, worked out when the first of them is wanted."""
    if found := learned():
        rule, run = found.named.rule, tools.run
        source = seeds.SeedSource(tools.graph, node_type, rule, tools.settings, run, bucket, draw)
        extract = partial(found.extract, fewest=run.min_questions)
        yield from supply(source, extract, found.named.being, run, used, partial(askable, run))


def _drawing(tools: Tools) -> Callable[[NodeType, Bucket], seeds.Draw]:
    """What draws entities of a bucket; a node type is divided when the first of its buckets is asked for, and once.

    A resumed run divides as it did before, also where the store was too slow then and is not now.
    """
    run, graph, settings = tools.run, tools.graph, tools.settings
    measured = measures(run, settings, {found.iri for found in tools.profile.predicates})

    @cache
    def ranking(node_type: NodeType) -> strata.Ranking:
        unless_stopped(tools)
        exact = tools.recorder.strata_method(tools.id, node_type.iri) != "estimated"
        found = strata.stratify(graph, node_type, settings, measured(node_type.iri), exact=exact)
        tools.recorder.strata(tools.id, found.strata)
        return found

    def draw(node_type: NodeType, bucket: Bucket) -> seeds.Draw:
        return lambda rng: strata.drawn(
            graph, node_type, settings, measured(node_type.iri), ranking(node_type), bucket, rng
        )

    return draw
