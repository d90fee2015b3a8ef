"""The composition root: graph, models and recorder come together here, and the loop that makes dialogues.

Seeds go through the stages in cohorts: all of a cohort's questions, then all of its queries, then all of its
dialogues. So the instruction of a stage stays in the server's prefix cache. What fails gives its seed up, and another one
of the same node type takes its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Literal

from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context import descriptions, knowledge, labels, samples, seeds, subgraphs
from chattygen.context.facts import Names
from chattygen.context.node_types import distribute, select, without
from chattygen.context.supply import supply
from chattygen.domain import (
    Attempt,
    Being,
    Dialogue,
    DroppedType,
    LabelRule,
    NodeType,
    Query,
    Question,
    Seed,
    Subgraph,
    Turn,
    Usage,
)
from chattygen.errors import ChattygenError, GraphError
from chattygen.generation.attempts import Asker
from chattygen.generation.dialogue import ask_dialogue
from chattygen.generation.labelling import ask_label
from chattygen.generation.queries import ask_queries
from chattygen.generation.questions import ask_questions
from chattygen.generation.stages import DIALOGUE, LABEL, QUERIES, QUESTIONS, Stage
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.library import open_kg, read_manifest, read_profile
from chattygen.kg.profile import Profile, overlap
from chattygen.models.catalog import Catalog
from chattygen.models.model import Embedder, Model
from chattygen.models.obtain import load_embedder, obtain
from chattygen.results.recorder import Recorder

VISITS = 3
"""Seeds visited per dialogue asked for, and ten more, before a run ends short."""


@dataclass(frozen=True)
class Progress:
    """How far a run is, for whoever draws it."""

    done: int
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
class Tools:
    """Everything that a run works with."""

    graph: KnowledgeGraph
    profile: Profile
    settings: GraphSettings
    run: RunSettings
    models: Mapping[str, Model]
    embedder: Embedder
    recorder: Recorder


@dataclass
class Draft:
    """A seed on its way through the stages; grows stage by stage until it is a dialogue or given up."""

    id: int
    subgraph: Subgraph
    usage: Usage = field(default_factory=Usage)
    rules: list[str] = field(default_factory=list)
    questions: tuple[Question, ...] = ()
    queries: tuple[Query, ...] = ()
    turns: tuple[Turn, ...] = ()


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
            name: stack.enter_context(
                obtain(catalog.entry(name), home, lambda seconds, words: None, allow=catalog.allow)
            )
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
    kept, dropped, rules, beings = _labels(tools, id, kept, dropped)
    if not kept:
        raise no_types(run.kg)
    wanted = distribute(kept, run.dialogues)
    recorder.node_types(id, kept, dropped, wanted)
    supplies = _supplies(tools, kept, rules, beings)
    done = visited = findings = 0
    spent = Usage()
    left = dict(wanted)
    while done < run.dialogues and visited < VISITS * run.dialogues + 10:
        cohort = _draw(supplies, left, kept, min(run.cohort, run.dialogues - done))
        if not cohort:
            break
        drafts = [Draft(recorder.start_seed(id, subgraph), subgraph) for subgraph in cohort]
        visited += len(drafts)
        for stage, work in ((QUESTIONS, _questions), (QUERIES, _queries), (DIALOGUE, _dialogue)):
            alive = []
            for draft in drafts:
                tell(Progress(done, run.dialogues, visited, stage.title, findings, spent))
                before, tokens = len(draft.rules), draft.usage
                finished = work(tools, id, draft)
                findings += len(draft.rules) - before
                spent = spent + _difference(draft.usage, tokens)
                if finished:
                    alive.append(draft)
                else:
                    _give_up(tools, draft, stage)
                    left[draft.subgraph.seed.node_type] += 1
            drafts = alive
        for draft in drafts:
            recorder.dialogue(id, draft.id, Dialogue(draft.subgraph.seed, draft.turns, draft.usage))
            done += 1
        tell(Progress(done, run.dialogues, visited, "", findings, spent))
    if done == run.dialogues:
        return Outcome(id, "done", done, visited)
    why = (
        f"{visited} seeds were visited, the most for {run.dialogues} dialogues"
        if visited >= VISITS * run.dialogues + 10
        else f"no entity is left that has {run.min_questions} facts to ask about"
    )
    return Outcome(id, "short", done, visited, why)


def _labels(
    tools: Tools, id: str, kept: tuple[NodeType, ...], dropped: tuple[DroppedType, ...]
) -> tuple[
    tuple[NodeType, ...], tuple[DroppedType, ...], dict[str, tuple[samples.TypeSample, LabelRule]], dict[str, Being]
]:
    """Section 4.2 for every node type that gets dialogues; types that cannot be named are dropped, and the rest shared out anew."""
    rules: dict[str, tuple[samples.TypeSample, LabelRule]] = {}
    beings: dict[str, Being] = {}
    asker = Asker(tools.models[LABEL.role], LABEL, partial(tools.recorder.attempt, id, None), tools.run.attempts)
    while True:
        wanted = distribute(kept, tools.run.dialogues) if kept else {}
        node_type = next((t for t in kept if wanted[t.iri] and t.iri not in rules), None)
        if node_type is None:
            return kept, dropped, rules, beings
        sample = samples.take(tools.graph, node_type, tools.settings, tools.run)
        found = labels.candidates(sample, tools.settings, tools.run.max_label_words)
        rule = labels.users_rule(sample, tools.settings)
        if not found and not rule:
            kept, dropped = without(kept, node_type.iri), (*dropped, _unnamed(node_type))
            continue
        if found:
            chosen, beings[node_type.iri] = ask_label(asker, node_type, found)
            rule = rule or labels.rule(node_type, chosen, "model" if len(found) > 1 else "only")
        if rule:
            rules[node_type.iri] = (sample, rule)
            tools.recorder.label_rule(id, rule)


def _supplies(
    tools: Tools,
    kept: Sequence[NodeType],
    rules: Mapping[str, tuple[samples.TypeSample, LabelRule]],
    beings: Mapping[str, Being],
) -> dict[str, Iterator[Subgraph]]:
    """One supply of subgraphs per labelled node type."""
    names = Names(
        {iri: rule for iri, (_, rule) in rules.items()},
        classes={t.iri: t.label for t in kept},
        counts={found.iri: found.count for found in tools.profile.classes},
        kept=frozenset(t.iri for t in kept),
    )
    used: set[str] = set()
    supplies = {}
    for node_type in kept:
        if node_type.iri not in rules:
            continue
        sample, rule = rules[node_type.iri]
        learned = knowledge.learn(tools.graph, sample, rule, tools.settings, tools.run)

        def extract(seed: Seed, learned: knowledge.TypeKnowledge = learned) -> Subgraph:
            return subgraphs.extract(tools.graph, seed, learned, names, tools.settings, tools.run)

        source = seeds.SeedSource(tools.graph, node_type, rule, tools.settings, tools.run)
        supplies[node_type.iri] = supply(source, extract, beings.get(node_type.iri, "thing"), tools.run, used)
    return supplies


def _draw(
    supplies: dict[str, Iterator[Subgraph]], left: dict[str, int], kept: Sequence[NodeType], size: int
) -> list[Subgraph]:
    """Up to `size` subgraphs, from the types with most dialogues left; the share of an exhausted type goes to the others."""
    cohort: list[Subgraph] = []
    while len(cohort) < size and supplies:
        iri = max(supplies, key=lambda iri: left.get(iri, 0))
        subgraph = next(supplies[iri], None)
        if subgraph is None:
            del supplies[iri]
            others = [t for t in kept if t.iri in supplies]
            for other, more in (distribute(others, left.pop(iri, 0)) if others else {}).items():
                left[other] = left.get(other, 0) + more
            continue
        left[iri] = left.get(iri, 0) - 1
        cohort.append(subgraph)
    return cohort


def _asker(tools: Tools, id: str, draft: Draft, stage: Stage) -> Asker:
    """An asker that records every attempt under the draft's seed and adds up what it spends."""

    def record(attempt: Attempt) -> None:
        tools.recorder.attempt(id, draft.id, attempt)
        draft.rules.extend(finding.rule for finding in attempt.findings)
        if attempt.call:
            call = attempt.call
            draft.usage += Usage(call.prompt_tokens, call.completion_tokens, 1, call.seconds)

    return Asker(tools.models[stage.role], stage, record, tools.run.attempts, tools.run.seed)


def _questions(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, QUESTIONS)
    draft.questions = ask_questions(asker, draft.subgraph, tools.run.questions, tools.embedder)
    return len(draft.questions) >= tools.run.min_questions


def _queries(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, QUERIES)
    written = ask_queries(asker, draft.subgraph, draft.questions, tools.graph, tools.run.deadline)
    good = [(question, query) for question, query in zip(draft.questions, written, strict=True) if query]
    draft.questions, draft.queries = tuple(q for q, _ in good), tuple(query for _, query in good)
    return len(good) >= tools.run.min_questions


def _dialogue(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, DIALOGUE)
    said = ask_dialogue(asker, draft.subgraph, draft.questions, draft.queries, tools.embedder)
    draft.turns = tuple(turn for turn in said if isinstance(turn, Turn))
    if not draft.turns:
        asker.record(
            Attempt(DIALOGUE.name, tools.run.attempts + 1, 0, None, tuple(f for f in said if not isinstance(f, Turn)))
        )
    return bool(draft.turns)


def _give_up(tools: Tools, draft: Draft, stage: Stage) -> None:
    """Close a seed: the rule that failed most in this stage is named."""
    own = [rule for rule in draft.rules if rule in stage.rules]
    rule = Counter(own).most_common(1)[0][0] if own else stage.rules[-1]
    tools.recorder.give_up(draft.id, rule, f"{stage.title.lower()} failed for too many of its facts")


def _difference(after: Usage, before: Usage) -> Usage:
    return Usage(
        after.prompt_tokens - before.prompt_tokens,
        after.completion_tokens - before.completion_tokens,
        after.calls - before.calls,
        after.seconds - before.seconds,
    )
