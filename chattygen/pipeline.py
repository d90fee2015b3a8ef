"""The composition root: graph, models and recorder come together here, for a new run or for one that goes on.

A run is a function of its settings, its graph and the replies of its models. So a resumed run goes through the loop
from the start, and every reply that is stored is recalled instead of asked for: what it did before costs next to
nothing, and what it goes on to do is what it would have done.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from threading import Event

from chattygen import __version__
from chattygen.books import VISITS, Outcome, Progress, Tell
from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context.advice import refusal, unfit
from chattygen.context.judged import read as read_judgements
from chattygen.context.listed import likely_rule, listed, types_of_list
from chattygen.context.node_types import distribute, without
from chattygen.context.outlook import Types, outlooks, types_of
from chattygen.context.pools import spread
from chattygen.context.popularity import Measure, measures
from chattygen.context.strata import stratify
from chattygen.domain import DroppedType, Finding, NodeType, Seed, Strata
from chattygen.errors import ChattygenError, UsageError
from chattygen.generation.phrasing import most_calls
from chattygen.generation.phrasings import read as read_phrasings
from chattygen.generation.stages import DIALOGUE, LABEL, QUERIES, QUESTIONS
from chattygen.kg.folders import INTEREST, PHRASINGS, TEMPLATES, open_kg, read_manifest, read_profile
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile
from chattygen.loop import askable, make_dialogues, unnamed
from chattygen.models.catalog import Catalog
from chattygen.models.obtain import load_embedder, obtain, served
from chattygen.models.placement import place, requests_at_once
from chattygen.results.reader import Player, Reader, StoredRun
from chattygen.results.recorder import Recorder
from chattygen.work import WORK, Tools

__all__ = ["Outcome", "Plan", "Progress", "answering", "cast", "generate", "plan", "resume"]

STAGES = (LABEL, QUESTIONS, QUERIES, DIALOGUE)
"""Those that ask a language model."""

WAITING = 5.0
"""Seconds between two notes that a model server is still starting."""


@dataclass(frozen=True)
class Plan:
    """What a run would do, worked out without a model (`generate --plan`).

    `wanted` is the number of dialogues per node type IRI. `calls` are the fewest and the most model calls. `strata` are
    the buckets of the types that get dialogues, where seeds are drawn by bucket, and `by_bucket` says how many of them.
    `entities` are those of the user's list, each with what keeps it from being a seed; then `kept` are their types.
    """

    kept: tuple[NodeType, ...]
    dropped: tuple[DroppedType, ...]
    wanted: Mapping[str, int]
    roles: Mapping[str, str]
    calls: tuple[int, int]
    strata: tuple[Strata, ...] = ()
    by_bucket: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    entities: tuple[tuple[Seed, Finding | None], ...] = ()


def plan(home: Home, run: RunSettings, catalog: Catalog, roles: Mapping[str, str]) -> Plan:
    """Work out what a run would do. Asks no model.

    Raises:
        UnknownName: no such graph or model.
        GraphError: the graph cannot make dialogues; says what it lacks.
        UsageError: the graph has no such popularity.
    """
    roles = cast(run.approach, roles)
    for name in roles.values():
        catalog.entry(name)
    settings, profile = read_manifest(home, run.kg).settings, read_profile(home, run.kg)
    with open_kg(home, run.kg, catalog.allow) as graph:
        types = types_of(graph, profile, settings, run)
        measured = _measures(run, settings, profile, types)
        if run.entities:
            return _plan_list(graph, run, settings, types, roles)
        found = list(outlooks(graph, profile, types[0], settings, run, partial(askable, run)))
        if refused := refusal(run.kg, profile, types, found, settings, run):
            raise refused
        kept, dropped = types
        for outlook in found:
            if outlook.rule is None:
                kept, dropped = without(kept, outlook.node_type.iri), (*dropped, unnamed(outlook.node_type))
        wanted = distribute(kept, run.dialogues)
        divided = [t for t in kept if run.strata and wanted[t.iri]]
        strata = tuple(stratify(graph, t, settings, measured(t.iri)).strata for t in divided)
    by_bucket: dict[str, dict[str, int]] = {t.iri: {} for t in divided}
    for (iri, bucket), number in spread({t.iri: wanted[t.iri] for t in divided}, run.strata).items():
        by_bucket[iri][str(bucket)] = number
    asked = sum(1 for number in wanted.values() if number)
    stages = len(WORK[run.approach]) if run.phrasing == "each" else 0
    most = asked * run.attempts + (VISITS * run.dialogues + 10) * stages * run.attempts
    most += asked * most_calls(run.attempts) if run.phrasing == "reuse" else 0
    return Plan(kept, dropped, wanted, roles, (stages * run.dialogues, most), strata, by_bucket)


def _plan_list(
    graph: KnowledgeGraph, run: RunSettings, settings: GraphSettings, types: Types, roles: Mapping[str, str]
) -> Plan:
    """The plan of a run about a user's list, as far as the names of the entities can be told without a model."""
    of_list = types_of_list(graph, *types, settings, run)
    rules = {t.iri: found for t in of_list if (found := likely_rule(graph, t, settings, run))}
    entities = tuple(listed(graph, of_list, rules, settings, run))
    wanted = Counter(seed.node_type for seed, refused in entities if not refused)
    stages, seeds = len(WORK[run.approach]), wanted.total()
    calls = (stages * seeds, (len(of_list) + stages * seeds) * run.attempts)
    return Plan(of_list, (), {t.iri: wanted[t.iri] for t in of_list}, roles, calls, entities=entities)


def cast(approach: str, roles: Mapping[str, str]) -> dict[str, str]:
    """The model of each role under an approach: a single prompt is answered by one model, that of the questions."""
    one = roles[QUESTIONS.role]
    alone = {QUERIES.role: one, DIALOGUE.role: one} if approach == "single-prompt" else {}
    return {**roles, **alone}


def answering(
    home: Home, catalog: Catalog, roles: Mapping[str, str], report: Callable[[str], None] = lambda text: None
) -> tuple[dict[str, str], int]:
    """Who plays each role where models have to share this machine, and how many requests their servers take at once.

    Raises:
        UnknownName, ModelError, ServerError: as `placement.place`.
    """
    played = [roles[stage.role] for stage in STAGES]
    placement = place(catalog, played, home, served(home))
    for words in placement.stand_ins():
        report(words)
    chosen = placement.roles(roles)
    return chosen, requests_at_once([catalog.entry(chosen[stage.role]) for stage in STAGES], placement)


def generate(
    home: Home,
    run: RunSettings,
    catalog: Catalog,
    roles: Mapping[str, str],
    *,
    fresh: bool = False,
    stop: Event | None = None,
    tell: Tell = lambda progress: None,
    report: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Generate a benchmark: every call, finding, question, query, answer and turn becomes a row.

    Models that are not served are started, and stopped at the end. An exception of any kind leaves the run in the
    database as `failed` or `interrupted`, with all that was finished.

    Args:
        fresh: ask the model also where an earlier call, of any run, had the same request.
        stop: set it, and the run stores what it has in flight and ends as `interrupted`.

    Raises:
        UnknownName, GraphError, WeightsError, ServerError, CallError, PrivacyError, ResultsError.
    """
    manifest, roles = read_manifest(home, run.kg), cast(run.approach, roles)
    with ExitStack() as stack:
        tools, types = _open(stack, home, run, catalog, roles, fresh, stop or Event(), report)
        id = tools.recorder.start_run(
            run.kg,
            manifest.fingerprint,
            manifest.triples,
            _stored(run, manifest.settings),
            roles,
            source=manifest.source.model_dump() if manifest.source else None,
            repeatable=all(model.repeatable for model in tools.models.values()),
        )
        report(f"run {id}")
        return _finish(replace(tools, id=id), types, tell)


def resume(
    home: Home,
    name: str,
    catalog: Catalog,
    *,
    fresh: bool = False,
    stop: Event | None = None,
    tell: Tell = lambda progress: None,
    report: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Go on with the run called `name` where it was stopped, killed or cut off; see `generate`.

    Replies that this run has stored are recalled in any case; `fresh` only leaves out those of other runs.

    Raises:
        UsageError: graph, model or chattygen are not those that the run began with, or another process works on it.
        Others as `generate`.
    """
    with Reader(home.database) as reader:
        stored = reader.run(name)
        players = reader.players(stored.id)
    if stored.status == "done":
        report(f"run {stored.id} is done already")
        return Outcome(stored.id, "done", stored.dialogues, stored.wanted, stored.visited)
    names = [known.name for known in fields(RunSettings) if known.name in stored.settings]
    run = RunSettings(**{name: stored.settings[name] for name in names})
    _unchanged(home, run, stored)
    with ExitStack() as stack:
        tools, types = _open(stack, home, run, catalog, stored.models, fresh, stop or Event(), report)
        _same_models(tools, players, stored.id)
        tools.recorder.resume_run(stored.id)
        report(f"run {stored.id} goes on")
        return _finish(replace(tools, id=stored.id), types, tell)


def _open(
    stack: ExitStack,
    home: Home,
    run: RunSettings,
    catalog: Catalog,
    roles: Mapping[str, str],
    fresh: bool,
    stop: Event,
    report: Callable[[str], None],
) -> tuple[Tools, Types]:
    """Everything that a run works with, and its node types; what was opened or started ends with `stack`."""
    settings, profile = read_manifest(home, run.kg).settings, read_profile(home, run.kg)
    graph: KnowledgeGraph = stack.enter_context(open_kg(home, run.kg, catalog.allow))
    types = types_of(graph, profile, settings, run)
    _measures(run, settings, profile, types)
    if not run.entities and (refused := unfit(graph, run.kg, profile, types, settings, run, partial(askable, run))):
        raise refused
    own = TEMPLATES if run.approach == "head-to-tail" else PHRASINGS
    phrasings = Path(run.phrasings) if run.phrasings else home.kgs / run.kg / own
    if run.phrasing == "reuse" and (run.phrasings or phrasings.exists()):
        read_phrasings(phrasings)
    if run.judge_interest:
        read_judgements(home.kgs / run.kg / INTEREST)
    embedder = load_embedder(catalog.entry(roles["verify"]), home)
    names = sorted({roles[stage.role] for stage in STAGES})
    placement = place(catalog, names, home, served(home), stand_ins=False)
    waiting = now_and_then(report)
    loaded = {
        name: stack.enter_context(
            obtain(catalog.entry(name), home, waiting, allow=catalog.allow, share=placement.share(name))
        )
        for name in names
    }
    models = {stage.role: loaded[roles[stage.role]] for stage in STAGES}
    recorder = stack.enter_context(Recorder(home.database))
    judgements = home.kgs / run.kg / INTEREST
    tools = Tools("", graph, profile, settings, run, models, embedder, recorder, stop, fresh, phrasings, judgements)
    return tools, types


def _measures(run: RunSettings, settings: GraphSettings, profile: Profile, types: Types) -> Callable[[str], Measure]:
    """How the popularity of the entities of each kept type is measured; errors as in `measures`, all of them now."""
    measured = measures(run, settings, {found.iri for found in profile.predicates})
    for node_type in types[0]:
        measured(node_type.iri)
    return measured


def _finish(tools: Tools, types: Types, tell: Tell) -> Outcome:
    """Go through the loop, and store how that ended, whatever way it did."""
    recorder = tools.recorder
    try:
        outcome = make_dialogues(tools, *types, tell)
    except KeyboardInterrupt:
        recorder.finish_run(tools.id, "interrupted", "stopped by the user")
        raise
    except BaseException as error:
        recorder.finish_run(tools.id, "failed", error.message if isinstance(error, ChattygenError) else repr(error))
        raise
    recorder.finish_run(tools.id, outcome.status, outcome.reason)
    return outcome


def _stored(run: RunSettings, settings: GraphSettings) -> dict[str, object]:
    """The settings that a run is stored with: its own, and those that say how the graph is read."""
    read = {"language": settings.languages[0], "graph": settings.model_dump(mode="json")}
    scores = {"scores": found} if (found := _scores(run)) else {}
    return asdict(run) | {"strata": list(run.strata), "entities": list(run.entities)} | read | scores


def _scores(run: RunSettings) -> str:
    """The SHA-256 of the file that says how popular entities are; empty where there is none."""
    path = Path(run.popularity)
    return hashlib.sha256(path.read_bytes()).hexdigest() if run.popularity and path.is_file() else ""


def _unchanged(home: Home, run: RunSettings, stored: StoredRun) -> None:
    """Raises UsageError unless the graph and chattygen are as they were when the run began."""
    manifest = read_manifest(home, stored.kg)
    changed = ""
    if stored.chattygen_version != __version__:
        changed = f"it was begun by chattygen {stored.chattygen_version}, and this is {__version__}"
    elif manifest.fingerprint != stored.kg_fingerprint:
        changed = f"the graph {stored.kg} has other data now"
    elif _scores(run) != stored.settings.get("scores", ""):
        changed = f"{run.popularity} is gone, or has other scores now"
    elif _stored(run, manifest.settings) != stored.settings:
        changed = f"the graph {stored.kg} was loaded anew with other settings"
    if changed:
        raise _cannot_resume(stored.id, changed)


def _same_models(tools: Tools, players: list[Player], run: str) -> None:
    """Raises UsageError unless the models are those that have answered before."""
    for player in players:
        if tools.models[player.role].revision != player.revision:
            raise _cannot_resume(
                run, f"the model {player.model} has other weights, another engine or another address now"
            )


def _cannot_resume(run: str, why: str) -> UsageError:
    return UsageError(
        f"the run {run} cannot go on: {why}",
        "what it has is stored and can be exported; start a new run: chattygen generate",
    )


def now_and_then(report: Callable[[str], None]) -> Callable[[float, str], None]:
    """Pass on what a starting server says: at once, and then every WAITING seconds; anew when another one starts."""
    due = last = 0.0

    def waiting(seconds: float, words: str) -> None:
        nonlocal due, last
        if seconds >= due or seconds < last:
            report(words)
            due = seconds + WAITING
        last = seconds

    return waiting
