"""The composition root: graph, models and recorder come together here, and the loop that makes dialogues.

Seeds go through the stages in cohorts: all of a cohort's questions, then all of its queries, then all of its
dialogues. So the instruction of a stage stays in the server's prefix cache. What fails gives its seed up, and another
one of the same node type takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context import descriptions, knowledge, labels, samples, seeds, subgraphs
from chattygen.context.facts import Names
from chattygen.context.node_types import distribute, select, without
from chattygen.context.supply import supply
from chattygen.domain import (
    Being,
    Dialogue,
    DroppedType,
    LabelRule,
    NodeType,
    Seed,
    Subgraph,
    Usage,
)
from chattygen.errors import ChattygenError, GraphError
from chattygen.generation.attempts import Asker
from chattygen.generation.labelling import ask_label
from chattygen.generation.plan import plan as choose
from chattygen.generation.stages import DIALOGUE, LABEL, QUERIES, QUESTIONS
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.library import open_kg, read_manifest, read_profile
from chattygen.kg.profile import Profile, overlap
from chattygen.models.catalog import Catalog
from chattygen.models.obtain import load_embedder, obtain
from chattygen.results.recorder import Recorder
from chattygen.work import WORK, Draft, Tools, difference, give_up

VISITS = 3
"""Seeds visited per dialogue asked for, and ten more, before a run ends short."""

WAITING = 5.0
"""Seconds between two notes that a model server is still starting."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, for whoever draws it.

    `reached` is `done` and, for each dialogue in work, the part of its stages that lies behind it.
    """

    run: str
    done: int
    reached: float
    wanted: int
    visited: int
    stage: str
    findings: int
    usage: Usage


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `status` as in the results database, `reason` when it is short."""

    run: str
    status: Literal["done", "short"]
    dialogues: int
    visited: int
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """What a run would do, worked out without a model (`generate --plan`).

    `wanted` is the number of dialogues per node type IRI. `calls` are the fewest and the most model calls.
    """

    kept: tuple[NodeType, ...]
    dropped: tuple[DroppedType, ...]
    wanted: Mapping[str, int]
    roles: Mapping[str, str]
    calls: tuple[int, int]


@dataclass(frozen=True)
class Named:
    """A node type whose entities can be named, with what naming it has shown."""

    sample: samples.TypeSample
    rule: LabelRule
    being: Being


def plan(home: Home, run: RunSettings, catalog: Catalog, roles: Mapping[str, str]) -> Plan:
    """Work out what a run would do. Asks no model.

    Raises:
        UnknownName: no such graph or model.
        GraphError: the graph has no class that seeds can be drawn from.
    """
    for name in roles.values():
        catalog.entry(name)
    with open_kg(home, run.kg) as graph:
        kept, dropped = node_types(graph, read_profile(home, run.kg), read_manifest(home, run.kg).settings, run)
        settings = read_manifest(home, run.kg).settings
        named = [
            t
            for t in kept
            if (sample := samples.take(graph, t, settings, run))
            and (labels.users_rule(sample, settings) or labels.candidates(sample, settings, run.max_label_words))
        ]
    for gone in [t for t in kept if t not in named]:
        kept, dropped = without(kept, gone.iri), (*dropped, _unnamed(gone))
    if not kept:
        raise no_types(run.kg)
    wanted = distribute(kept, run.dialogues)
    asked = sum(1 for number in wanted.values() if number)
    most = asked * run.attempts + (VISITS * run.dialogues + 10) * 3 * run.attempts
    return Plan(kept, dropped, wanted, dict(roles), (3 * run.dialogues, most))


def generate(
    home: Home,
    run: RunSettings,
    catalog: Catalog,
    roles: Mapping[str, str],
    *,
    tell: Tell = lambda progress: None,
    report: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Generate a benchmark: every call, finding, question, query, answer and turn becomes a row.

    Models that are not served are started, and stopped at the end. An exception of any kind leaves the run in the
    database as `failed` or `interrupted`, with all that was finished.

    Raises:
        UnknownName, GraphError, WeightsError, ServerError, CallError, PrivacyError, ResultsError.
    """
    manifest = read_manifest(home, run.kg)
    with ExitStack() as stack:
        graph = stack.enter_context(open_kg(home, run.kg))
        profile = read_profile(home, run.kg)
        kept, dropped = node_types(graph, profile, manifest.settings, run)
        if not kept:
            raise no_types(run.kg)
        embedder = load_embedder(catalog.entry(roles["verify"]), home)
        names = {roles[stage.role] for stage in (LABEL, QUESTIONS, QUERIES, DIALOGUE)}
        loaded = {
            name: stack.enter_context(obtain(catalog.entry(name), home, now_and_then(report), allow=catalog.allow))
            for name in sorted(names)
        }
        models = {stage.role: loaded[roles[stage.role]] for stage in (LABEL, QUESTIONS, QUERIES, DIALOGUE)}
        recorder = stack.enter_context(Recorder(home.database))
        tools = Tools(graph, profile, manifest.settings, run, models, embedder, recorder)
        settings = asdict(run) | {"language": manifest.settings.language}
        id = recorder.start_run(run.kg, manifest.fingerprint, manifest.triples, settings, dict(roles))
        report(f"run {id}")
        try:
            outcome = _run(tools, id, kept, dropped, tell)
        except KeyboardInterrupt:
            recorder.finish_run(id, "interrupted", "stopped by the user")
            raise
        except BaseException as error:
            recorder.finish_run(id, "failed", error.message if isinstance(error, ChattygenError) else repr(error))
            raise
        recorder.finish_run(id, outcome.status, outcome.reason)
        return outcome


def now_and_then(report: Callable[[str], None]) -> Callable[[float, str], None]:
    """Pass on what a starting server says: at once, and then every WAITING seconds."""
    due = 0.0

    def waiting(seconds: float, words: str) -> None:
        nonlocal due
        if seconds >= due:
            report(words)
            due = seconds + WAITING

    return waiting


def node_types(
    graph: KnowledgeGraph, profile: Profile, settings: GraphSettings, run: RunSettings
) -> tuple[tuple[NodeType, ...], tuple[DroppedType, ...]]:
    """Algorithm 1 over what the load has counted."""
    classes = [(found.iri, found.count) for found in profile.classes if found.count]
    return select(
        classes,
        partial(overlap, graph, settings),
        settings,
        rare=run.rare,
        shadowed=run.shadowed,
        labels=descriptions.class_labels(graph, [iri for iri, _ in classes], settings),
    )


def no_types(kg: str) -> GraphError:
    return GraphError(
        f"the graph {kg} has no class whose entities have a name and can be asked about",
        f"see why: chattygen describe-kg {kg}; a recipe can set type_predicate, labels and domain",
    )


def _unnamed(node_type: NodeType) -> DroppedType:
    return DroppedType(node_type.iri, node_type.label, node_type.count, "no label")


# ---------------------------------------------------------------------------------------------------------------------
# The loop


def _run(tools: Tools, id: str, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...], tell: Tell) -> Outcome:
    """Label the node types, then send cohorts of seeds through the stages until the wanted dialogues are there."""
    run, recorder = tools.run, tools.recorder
    kept, dropped, named = _labels(tools, id, kept, dropped)
    if not kept:
        raise no_types(run.kg)
    wanted = distribute(kept, run.dialogues)
    recorder.node_types(id, kept, dropped, wanted)
    supplies = _supplies(tools, id, kept, named)
    done = visited = findings = 0
    spent = Usage()
    owed = dict(wanted)

    def say(reached: float, stage: str = "") -> None:
        tell(Progress(id, done, reached, run.dialogues, visited, stage, findings, spent))

    while done < run.dialogues and visited < VISITS * run.dialogues + 10:
        cohort = _draw(supplies, owed, kept, min(run.cohort, run.dialogues - done))
        if not cohort:
            break
        drafts = [Draft(recorder.start_seed(id, subgraph), subgraph) for subgraph in cohort]
        visited += len(drafts)
        for behind, (stage, work) in enumerate(WORK):
            alive = []
            for number, draft in enumerate(drafts):
                say(done + (behind * len(drafts) + number) / len(WORK), stage.title)
                before, tokens = len(draft.rules), draft.usage
                finished = work(tools, id, draft)
                failed = draft.rules[before:]
                findings += len(failed)
                spent = spent + difference(draft.usage, tokens)
                if finished:
                    alive.append(draft)
                else:
                    give_up(tools, draft, stage, failed)
                    _owe(owed, 1, draft.subgraph.seed.node_type, supplies, kept)
            drafts = alive
        reached = done + len(drafts)
        for draft in drafts:
            recorder.dialogue(id, draft.id, Dialogue(draft.subgraph.seed, draft.turns, draft.usage))
            done += 1
            say(reached)
    if done == run.dialogues:
        return Outcome(id, "done", done, visited)
    why = (
        f"that is the most for {run.dialogues} dialogues"
        if visited >= VISITS * run.dialogues + 10
        else f"no other entity has {run.min_questions} facts to ask about"
    )
    return Outcome(id, "short", done, visited, f"{visited} seeds visited, {visited - done} given up; {why}")


def _labels(
    tools: Tools, id: str, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...]
) -> tuple[tuple[NodeType, ...], tuple[DroppedType, ...], dict[str, Named]]:
    """Name every node type that gets dialogues; what cannot be named is dropped, and its dialogues shared out anew."""
    named: dict[str, Named] = {}
    while True:
        wanted = distribute(kept, tools.run.dialogues) if kept else {}
        node_type = next((t for t in kept if wanted[t.iri] and t.iri not in named), None)
        if node_type is None:
            return kept, dropped, named
        if found := _name(tools, id, node_type):
            named[node_type.iri] = found
        else:
            kept, dropped = without(kept, node_type.iri), (*dropped, _unnamed(node_type))


def _name(tools: Tools, id: str, node_type: NodeType) -> Named | None:
    """Section 4.2 for one node type: how its entities are named; None when they cannot be."""
    asker = Asker(tools.models[LABEL.role], LABEL, partial(tools.recorder.attempt, id, None), tools.run.attempts)
    sample = samples.take(tools.graph, node_type, tools.settings, tools.run)
    found = labels.candidates(sample, tools.settings, tools.run.max_label_words)
    rule = labels.users_rule(sample, tools.settings)
    being: Being = "thing"
    if found:
        chosen, being = ask_label(asker, node_type, found)
        rule = rule or labels.rule(node_type, chosen, "model" if len(found) > 1 else "only")
    if rule is None:
        return None
    tools.recorder.label_rule(id, rule)
    return Named(sample, rule, being)


def _supplies(
    tools: Tools, id: str, kept: Sequence[NodeType], named: Mapping[str, Named]
) -> dict[str, Iterator[Subgraph]]:
    """One supply of subgraphs per node type."""
    counts = {found.iri: found.count for found in tools.profile.classes}
    names = Names(
        {iri: found.rule for iri, found in named.items()},
        classes=descriptions.class_labels(tools.graph, counts, tools.settings) | {t.iri: t.label for t in kept},
        counts=counts,
        kept=frozenset(t.iri for t in kept),
    )
    used: set[str] = set()
    return {t.iri: _supply(tools, id, t, named.get(t.iri), names, used) for t in kept}


def _supply(
    tools: Tools, id: str, node_type: NodeType, named: Named | None, names: Names, used: set[str]
) -> Iterator[Subgraph]:
    """The subgraphs of one node type; one that got no dialogues is named only now, when the others have run out."""
    named = named or _name(tools, id, node_type)
    if named is None:
        return
    learned = knowledge.learn(tools.graph, named.sample, named.rule, tools.settings, tools.run)
    source = seeds.SeedSource(tools.graph, node_type, named.rule, tools.settings, tools.run)

    def extract(seed: Seed) -> Subgraph:
        return subgraphs.extract(tools.graph, seed, learned, names, tools.settings, tools.run)

    def askable(subgraph: Subgraph) -> int:
        return len(choose(subgraph, tools.run.questions)[0])

    yield from supply(source, extract, named.being, tools.run, used, askable)


def _draw(
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
