"""The loop that makes dialogues: label the node types, draw seeds, send them through the stages, replace what fails.

Seeds go through the stages in cohorts: all of a cohort's questions, then all of its queries, then all of its
dialogues. So the instruction of a stage stays in the server's prefix cache. What fails gives its seed up, and another
one of the same node type takes its place. Seeds are drawn and dialogues numbered in an order that depends on the
settings, the graph and the replies only, whatever is finished first. Knows nothing about how models are started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from chattygen.config import RunSettings
from chattygen.context import descriptions, knowledge, labels, namesakes, samples, seeds, subgraphs
from chattygen.context.facts import Names
from chattygen.context.node_types import distribute, without
from chattygen.context.supply import supply
from chattygen.domain import Being, Dialogue, DroppedType, LabelRule, NodeType, Seed, Subgraph, Usage
from chattygen.generation.labelling import ask_label
from chattygen.generation.plan import plan as choose
from chattygen.generation.stages import LABEL
from chattygen.work import WORK, Draft, Stopped, Tools, asker, difference, give_up, in_order, unless_stopped

VISITS = 3
"""Seeds visited per dialogue asked for, and ten more, before a run ends short."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, for whoever draws it.

    Attributes:
        reached: `done` and, for each dialogue in work, the part of its stages that lies behind it.
        spent: on calls that were made now; what was answered before the run was resumed costs nothing.
    """

    run: str
    done: int
    reached: float
    wanted: int
    visited: int
    stage: str
    findings: int
    spent: Usage


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `status` as in the results database, `reason` when it is not done."""

    run: str
    status: Literal["done", "short", "interrupted"]
    dialogues: int
    wanted: int
    visited: int
    reason: str = ""


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


@dataclass
class Books:
    """What a run has come to so far, and who is told of it."""

    tools: Tools
    tell: Tell
    done: int = 0
    visited: int = 0
    findings: int = 0
    spent: Usage = field(default_factory=Usage)

    def say(self, reached: float, stage: str = "") -> None:
        run = self.tools.run
        self.tell(
            Progress(self.tools.id, self.done, reached, run.dialogues, self.visited, stage, self.findings, self.spent)
        )

    def outcome(self, status: Literal["done", "short", "interrupted"], reason: str = "") -> Outcome:
        return Outcome(self.tools.id, status, self.done, self.tools.run.dialogues, self.visited, reason)


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
    kept, dropped, named = _labels(tools, kept, dropped)
    owed = distribute(kept, run.dialogues)
    tools.recorder.node_types(tools.id, kept, dropped, owed)
    supplies = _supplies(tools, kept, named)
    while books.done < run.dialogues and books.visited < most:
        cohort = draw(supplies, owed, kept, min(run.cohort, run.dialogues - books.done))
        if not cohort:
            break
        for given_up in _work_on(tools, cohort, books):
            _owe(owed, 1, given_up.node_type, supplies, kept)
    if books.done == run.dialogues:
        return books.outcome("done")
    why = (
        f"that is the most for {run.dialogues} dialogues"
        if books.visited >= most
        else f"no other entity has {run.min_questions} facts to ask about"
    )
    return books.outcome("short", f"{books.visited} seeds visited, {books.visited - books.done} given up; {why}")


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


def _supplies(tools: Tools, kept: Sequence[NodeType], named: Mapping[str, Named]) -> dict[str, Iterator[Subgraph]]:
    """One supply of subgraphs per node type."""
    counts = {found.iri: found.count for found in tools.profile.classes}
    names = Names(
        {iri: found.rule for iri, found in named.items()},
        classes=descriptions.class_labels(tools.graph, counts, tools.settings) | {t.iri: t.label for t in kept},
        counts=counts,
        kept=frozenset(t.iri for t in kept),
    )
    used: set[str] = set()
    return {t.iri: _supply(tools, t, named.get(t.iri), names, used) for t in kept}


def _supply(tools: Tools, node_type: NodeType, named: Named | None, names: Names, used: set[str]) -> Iterator[Subgraph]:
    """The subgraphs of one node type; one that got no dialogues is named only now, when the others have run out."""
    named = named or _name(tools, node_type)
    if named is None:
        return
    learned = knowledge.learn(tools.graph, named.sample, named.rule, tools.settings, tools.run)
    source = seeds.SeedSource(tools.graph, node_type, named.rule, tools.settings, tools.run)

    predicates = (found.iri for found in tools.profile.predicates)
    calling = namesakes.learn_calling(named.sample, named.rule, names, predicates, tools.settings)

    def extract(seed: Seed) -> Subgraph:
        unless_stopped(tools)
        subgraph = subgraphs.extract(tools.graph, seed, learned, names, tools.settings, tools.run)
        return namesakes.called(tools.graph, subgraph, calling, tools.settings, tools.run)

    yield from supply(source, extract, named.being, tools.run, used, partial(askable, tools.run))


def draw(
    supplies: dict[str, Iterator[Subgraph]], owed: dict[str, int], kept: Sequence[NodeType], size: int
) -> list[Subgraph]:
    """Up to `size` subgraphs, from the types that are owed most; the share of an exhausted one goes to the others."""
    cohort: list[Subgraph] = []
    while len(cohort) < size and supplies:
        iri = max(supplies, key=lambda iri: owed.get(iri, 0))
        subgraph = next(supplies[iri], None)
        if subgraph is None:
            del supplies[iri]
            _owe(owed, owed.pop(iri, 0), iri, supplies, kept)
            continue
        owed[iri] = owed.get(iri, 0) - 1
        cohort.append(subgraph)
    return cohort


def _owe(
    owed: dict[str, int],
    number: int,
    iri: str,
    supplies: Mapping[str, Iterator[Subgraph]],
    kept: Sequence[NodeType],
) -> None:
    """Owe `number` more dialogues to a node type, or, when it is exhausted, to the others by their size."""
    takers = [t for t in kept if (t.iri == iri if iri in supplies else t.iri in supplies)]
    for taker, more in distribute(takers, number).items():
        owed[taker] = owed.get(taker, 0) + more
