"""generate and resume: the main job, and going on with it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from chattygen.cli import entities as listed
from chattygen.cli import show
from chattygen.cli.options import engine_option, home_option, models_file_option, popularity_options, shares
from chattygen.cli.pace import Pace, minutes
from chattygen.cli.stopping import stoppable, stopping
from chattygen.cli.strata import draw_strata
from chattygen.config import FLOW, KINDS, MOST_YES_NO, Home, RunSettings
from chattygen.domain import BUCKETS
from chattygen.errors import ChattygenError, Interrupted, ShortOfRequest, UsageError

if TYPE_CHECKING:
    from chattygen.models.catalog import Engine
    from chattygen.pipeline import Outcome, Plan, Progress

DEFAULT = RunSettings(kg="")
FRESH = "Ask the model also where an earlier run has stored the reply to the very same request."


@click.command()
@click.option("--kg", required=True, help="The graph, as list-kgs names it.")
@click.option("--dialogues", type=click.IntRange(1), default=DEFAULT.dialogues, show_default=True)
@click.option("--questions", type=click.IntRange(1), default=DEFAULT.questions, show_default=True, help="Per dialogue.")
@click.option(
    "--min-questions",
    type=click.IntRange(1),
    default=None,
    help=f"The fewest questions of a dialogue.  [default: {DEFAULT.min_questions}, or --questions if that is less;"
    " 1 with --entities]",
)
@click.option("--seed", type=int, default=DEFAULT.seed, show_default=True, help="Another number, other entities.")
@click.option("--rare", type=click.FloatRange(0, 1), default=DEFAULT.rare, show_default=True, help="R of Algorithm 1.")
@click.option(
    "--shadowed", type=click.FloatRange(0, 1), default=DEFAULT.shadowed, show_default=True, help="S of Algorithm 1."
)
@click.option("--direction", type=click.Choice(["both", "out", "in"]), default=DEFAULT.direction, show_default=True)
@click.option(
    "--approach",
    type=click.Choice(["multi-stage", "single-prompt", "head-to-tail"]),
    default=DEFAULT.approach,
    show_default=True,
    help="single-prompt is the baseline of the paper: all in one call, without repair. head-to-tail makes single"
    " questions from templates, equally many about entities of the head, the torso and the tail.",
)
@click.option(
    "--questions-per-bucket",
    "per_bucket",
    type=click.IntRange(1),
    help="Of --approach head-to-tail, in place of --dialogues.",
)
@click.option(
    "--templates",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file of the templates of --approach head-to-tail.  [default: templates.toml in the folder of the graph]",
)
@click.option(
    "--serialisation",
    type=click.Choice(["summarised", "full"]),
    default=DEFAULT.serialisation,
    show_default=True,
    help="What the model sees of a subgraph when it writes questions.",
)
@click.option(
    "--phrasing",
    type=click.Choice(["each", "reuse"]),
    default=DEFAULT.phrasing,
    show_default=True,
    help="reuse has the model word what is asked once, and assembles any number of dialogues from that.",
)
@click.option(
    "--phrasings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file of those wordings.  [default: phrasings.toml in the folder of the graph]",
)
@click.option(
    "--hops",
    type=click.IntRange(1, 2),
    default=DEFAULT.hops,
    show_default=True,
    help="2 asks up to two questions of a dialogue over two facts: where the spouse of X was born.",
)
@click.option(
    "--flow",
    default="",
    metavar="FORM=PERCENT,...",
    callback=lambda ctx, param, value: shares("--flow", value, FLOW),
    help="Share of the turns that leave out what was just said, ask about the answer just given, or that the graph"
    " cannot answer.  [default: ellipsis=15,follow-up=10,unanswerable=0]",
)
@click.option(
    "--kinds",
    default="",
    metavar="KIND=PERCENT,...",
    callback=lambda ctx, param, value: _kinds(value),
    help="Share of the questions that are answered with yes or no, half of them with no, and of those that ask how"
    " many.  [default: yes-no=10]",
)
@click.option(
    "--judge-interest",
    is_flag=True,
    help="Have the model say once for each class and predicate whether a person would ask about it; kept with the"
    " graph. A small model is a poor judge.",
)
@click.option(
    "--strata",
    default="",
    metavar="head,torso,tail",
    callback=lambda ctx, param, value: _buckets(value),
    help="Draw seeds in equal numbers from these buckets of popularity.",
)
@popularity_options
@listed.entities_option
@click.option(
    "--in-flight",
    type=click.IntRange(1),
    help="Seeds worked on at once.  [default: as many as the models' servers take]",
)
@click.option("--fresh", is_flag=True, help=FRESH)
@click.option("--role", "overrides", multiple=True, metavar="ROLE=MODEL", help="Another model for a role; repeatable.")
@click.option(
    "--gpu/--cpu",
    default=None,
    help="Which default roles of models.toml.  [default: gpu where a card and vLLM are, else cpu]",
)
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be done, without a model call.")
@click.option("--json", "as_json", is_flag=True, help="End with one line of JSON: run, dialogues, visited, status.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@engine_option
@models_file_option
@home_option
def generate(
    kg: str,
    overrides: tuple[str, ...],
    gpu: bool | None,
    in_flight: int | None,
    fresh: bool,
    only_plan: bool,
    as_json: bool,
    quiet: bool,
    engine: Engine | None,
    models_file: Path | None,
    home: Home,
    min_questions: int | None,
    phrasings: Path | None,
    per_bucket: int | None,
    templates: Path | None,
    entities: Path | None,
    **settings: object,
) -> None:
    """Generate a dialogue benchmark from a graph.

    Starts the local models that it needs, unless serve-models runs them, and stops those that it started.
    """
    from chattygen import pipeline
    from chattygen.models.catalog import detect_profile, load_catalog

    if entities:
        listed.alone(settings)
        settings["entities"] = iris = listed.read_entities(entities)
        settings["dialogues"] = len(iris)
    if settings["approach"] == "head-to-tail":
        _head_to_tail(settings, per_bucket, phrasings or entities)
        phrasings = templates
    elif per_bucket or templates:
        raise UsageError("--questions-per-bucket and --templates need another approach", "add: --approach head-to-tail")
    questions = int(str(settings["questions"]))
    usual = 1 if entities else DEFAULT.min_questions
    fewest = min(usual, questions) if min_questions is None else min_questions
    if fewest > questions:
        raise UsageError("--min-questions is more than --questions", f"give at most {questions}")
    settings["phrasings"] = str(phrasings.absolute()) if phrasings else ""
    if phrasings and settings["phrasing"] != "reuse":
        raise UsageError("--phrasings is of no use here", "give also: --phrasing reuse")
    if settings["phrasing"] == "reuse" and settings["approach"] == "single-prompt":
        raise UsageError("a single prompt words every dialogue anew", "leave out --phrasing reuse, or --approach")
    if settings["phrasing"] == "reuse" and entities:
        raise UsageError("--phrasing reuse draws its entities", "leave out --entities, or --phrasing reuse")
    if not settings["strata"] and (
        settings["popularity"] or settings["before"] is not None or settings["date_predicate"]
    ):
        raise UsageError("--popularity, --before and --date-predicate need --strata", "add: --strata head,torso,tail")
    catalog = load_catalog(home, models_file, engine)
    profile = detect_profile() if gpu is None else "gpu" if gpu else "cpu"
    given, approach = _overrides(overrides), str(settings["approach"])
    if unused := [role for role in ("sparql", "dialogue") if role in given and approach == "single-prompt"]:
        raise UsageError(
            f"--role {unused[0]}: a single prompt is answered by one model", "give: --role questions=MODEL"
        )
    if settings["hops"] == 2 and (approach != "multi-stage" or settings["phrasing"] == "reuse"):
        raise UsageError("--hops 2: only dialogues that are made in stages ask over two facts", "leave out --hops")
    asked = {str(role): name for role, name in catalog.roles(profile, given).items()}
    roles, at_once = pipeline.answering(home, catalog, pipeline.cast(approach, asked), show.note)
    run = RunSettings(kg=kg, min_questions=fewest, **settings).at_once(in_flight or at_once)  # type: ignore[arg-type]
    if only_plan:
        _draw_plan(pipeline.plan(home, run, catalog, roles), run, as_json)
        return
    work = partial(pipeline.generate, home, run, catalog, roles, fresh=fresh)
    _go(work, f"generating {run.dialogues} dialogues from {kg}", home, as_json, quiet)


@click.command()
@click.argument("run")
@click.option("--fresh", is_flag=True, help=f"{FRESH} What this run has stored itself is used all the same.")
@click.option("--json", "as_json", is_flag=True, help="End with one line of JSON: run, dialogues, visited, status.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@engine_option
@models_file_option
@home_option
def resume(
    run: str, fresh: bool, as_json: bool, quiet: bool, engine: Engine | None, models_file: Path | None, home: Home
) -> None:
    """Go on with RUN where it was stopped, killed or cut off.

    It ends as if nothing had happened: no model call that is stored is made again. Graph, models and chattygen must be
    those that the run began with.

    RUN is the id of a run, a beginning of it, or: latest
    """
    from chattygen import pipeline
    from chattygen.models.catalog import load_catalog

    work = partial(pipeline.resume, home, run, load_catalog(home, models_file, engine), fresh=fresh)
    _go(work, f"going on with {run}", home, as_json, quiet)


def _head_to_tail(settings: dict[str, object], per_bucket: int | None, misplaced: object) -> None:
    """Put into `settings` what the approach comes to: dialogues of one turn, in each bucket, from templates.

    Raises:
        UsageError: an option says something else.
    """
    if per_bucket is None or misplaced:
        raise UsageError(
            "--approach head-to-tail draws its entities and takes --questions-per-bucket and --templates",
            "for example: --approach head-to-tail --questions-per-bucket 100",
        )
    strata = settings["strata"] or ("head", "torso", "tail")
    assert isinstance(strata, tuple)
    made = {"strata": strata, "dialogues": per_bucket * len(strata), "questions": 1, "phrasing": "reuse"}
    settings |= made


def _go(work: Callable[..., Outcome], title: str, home: Home, as_json: bool, quiet: bool) -> None:
    """Do the work with a progress bar, say how it ended, and what to do when it ended too soon."""
    started = time.monotonic()
    pace = Pace()
    try:
        with (
            show.progress(title, each=True, quiet=quiet) as bar,
            stoppable(lambda: pace.last is not None, stopping, lambda: _draw_stopped(pace)) as stop,
        ):

            def tell(progress: Progress) -> None:
                pace.add(progress, time.monotonic() - started)
                bar.update(progress.done, progress.wanted, pace.words())

            outcome = work(stop=stop, tell=tell, report=show.note if not quiet else _silent)
    except KeyboardInterrupt:
        raise _interrupted(pace.last) from None
    except ChattygenError as error:
        if pace.last:
            error.add_note(f"all that was finished is stored; go on with: {_resume(pace.last.run)}")
        raise
    if not quiet and outcome.status != "interrupted":
        show.note(f"{outcome.dialogues} dialogues in {minutes(time.monotonic() - started)}: run {outcome.run}")
        show.note(f"read them: chattygen show-run {outcome.run}")
    without = listed.lost(home, outcome.run) if outcome.status == "short" else ()
    if as_json:
        told = {name: getattr(outcome, name) for name in ("run", "dialogues", "visited", "status")}
        show.data_json(told | ({"lost": [asdict(seed) for seed in without]} if without else {}))
    listed.draw_lost(without)
    if outcome.status == "interrupted":
        raise _interrupted(pace.last)
    if outcome.status == "short":
        mend = "mend the list or the recipe" if without else "ask for fewer, for fewer --questions, or lower --rare"
        raise ShortOfRequest(
            f"{outcome.dialogues} of {outcome.wanted} dialogues: {outcome.reason}",
            f"{mend}; chattygen report {outcome.run} says what failed",
        )


def _resume(run: str) -> str:
    """The command that goes on with a run, with those options that say where it is."""
    context = click.get_current_context()
    given = [
        f"--{name.replace('_', '-')} {shlex.quote(str(value.path if isinstance(value, Home) else value))}"
        for name, value in context.params.items()
        if name in ("home", "models_file") and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    return " ".join([f"chattygen resume {run}", *given])


def _interrupted(last: Progress | None) -> Interrupted:
    """What Ctrl-C leaves behind; `last` is the last progress, if the run got so far."""
    if last is None:
        return Interrupted("stopped before the first dialogue was begun", "run the command again")
    return Interrupted(
        f"stopped; {last.done} of {last.wanted} dialogues are stored as run {last.run}",
        f"go on with: {_resume(last.run)}",
    )


def _draw_stopped(pace: Pace) -> None:
    stopped = _interrupted(pace.last)
    show.show_cursor()
    show.note(f"chattygen: {stopped.message}")
    show.note(f"  {stopped.hint}")


def _silent(text: str) -> None:
    """Where notes go under --quiet."""


def _kinds(given: str) -> dict[str, float]:
    """`yes-no=15,how-many=20` as shares."""
    kinds = shares("--kinds", given, KINDS, ("how-many",))
    if kinds["yes-no"] > MOST_YES_NO:
        raise UsageError(
            f"--kinds {given}: too many of yes-no", f"give at most {MOST_YES_NO:.0%}: one in a dialogue of five"
        )
    return kinds


def _buckets(given: str) -> tuple[str, ...]:
    """`head,tail` as buckets, from head to tail."""
    named = [name.strip() for name in given.split(",")] if given else []
    if set(named) - set(BUCKETS) or len(set(named)) < len(named):
        raise UsageError(f"--strata {given}: not buckets, each once", f"give some of: {','.join(BUCKETS)}")
    return tuple(bucket for bucket in BUCKETS if bucket in named)


def _overrides(given: tuple[str, ...]) -> dict[str, str]:
    """`sparql=NAME` pairs as a mapping."""
    pairs = [text.partition("=") for text in given]
    for role, equals, name in pairs:
        if not equals or not role or not name:
            raise UsageError(f"--role {role}{equals}{name}: not ROLE=MODEL", "for example: --role sparql=my-model")
    return {role: name for role, _, name in pairs}


def _draw_plan(plan: Plan, run: RunSettings, as_json: bool) -> None:
    """The plan as a table of node types, the roles and the bounds on calls."""
    if as_json:
        show.data_json(asdict(plan) | {"run": asdict(run)})
        return
    show.data(f"{run.dialogues} dialogues of up to {run.questions} questions from {run.kg}, seed {run.seed}")
    if plan.entities:
        listed.draw_list(plan.entities)
    show.table(
        ["node type", "entities", "share", "dialogues"],
        [[t.label, t.count, f"{t.share:.1%}", plan.wanted[t.iri]] for t in plan.kept],
        title="\nkept",
    )
    if plan.strata:
        dated = f", with a date before {run.before} ({run.date_predicate})" if run.before is not None else ""
        show.data(show.clean(f"seeds from {', '.join(run.strata)}{dated}"))
        labels = {t.iri: t.label for t in plan.kept}
        draw_strata(plan.strata, labels, plan.by_bucket)
    show.table(
        ["node type", "entities", "why"], [[t.label, t.count, t.reason] for t in plan.dropped], title="\ndropped"
    )
    show.table(["role", "model"], list(map(list, plan.roles.items())), title="\nmodels")
    show.data(f"\nmodel calls: at least {plan.calls[0]}, at most {plan.calls[1]}; none was made for this plan")
