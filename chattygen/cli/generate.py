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

from chattygen.cli import show
from chattygen.cli.options import engine_option, home_option, models_file_option
from chattygen.cli.pace import Pace, minutes
from chattygen.cli.stopping import PATIENCE, stoppable
from chattygen.config import Home, RunSettings
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
    help=f"The fewest questions of a dialogue.  [default: {DEFAULT.min_questions}, or --questions if that is less]",
)
@click.option("--seed", type=int, default=DEFAULT.seed, show_default=True, help="Another number, other entities.")
@click.option("--rare", type=click.FloatRange(0, 1), default=DEFAULT.rare, show_default=True, help="R of Algorithm 1.")
@click.option(
    "--shadowed", type=click.FloatRange(0, 1), default=DEFAULT.shadowed, show_default=True, help="S of Algorithm 1."
)
@click.option("--direction", type=click.Choice(["both", "out", "in"]), default=DEFAULT.direction, show_default=True)
@click.option(
    "--approach",
    type=click.Choice(["multi-stage", "single-prompt"]),
    default=DEFAULT.approach,
    show_default=True,
    help="single-prompt is the baseline of the paper: all in one call, without repair.",
)
@click.option(
    "--serialisation",
    type=click.Choice(["summarised", "full"]),
    default=DEFAULT.serialisation,
    show_default=True,
    help="What the model sees of a subgraph when it writes questions.",
)
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
    **settings: object,
) -> None:
    """Generate a dialogue benchmark from a graph.

    Starts the local models that it needs, unless serve-models runs them, and stops those that it started.
    """
    from chattygen import pipeline
    from chattygen.models.catalog import detect_profile, load_catalog

    questions = int(str(settings["questions"]))
    fewest = min(DEFAULT.min_questions, questions) if min_questions is None else min_questions
    if fewest > questions:
        raise UsageError("--min-questions is more than --questions", f"give at most {questions}")
    catalog = load_catalog(home, models_file, engine)
    profile = detect_profile() if gpu is None else "gpu" if gpu else "cpu"
    given, approach = _overrides(overrides), str(settings["approach"])
    if unused := [role for role in ("sparql", "dialogue") if role in given and approach == "single-prompt"]:
        raise UsageError(
            f"--role {unused[0]}: a single prompt is answered by one model", "give: --role questions=MODEL"
        )
    asked = {str(role): name for role, name in catalog.roles(profile, given).items()}
    roles, at_once = pipeline.answering(home, catalog, pipeline.cast(approach, asked), show.note)
    run = RunSettings(kg=kg, min_questions=fewest, **settings).at_once(in_flight or at_once)  # type: ignore[arg-type]
    if only_plan:
        _draw_plan(pipeline.plan(home, run, catalog, roles), run, as_json)
        return
    work = partial(pipeline.generate, home, run, catalog, roles, fresh=fresh)
    _go(work, f"generating {run.dialogues} dialogues from {kg}", as_json, quiet)


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
    _go(work, f"going on with {run}", as_json, quiet)


def _go(work: Callable[..., Outcome], title: str, as_json: bool, quiet: bool) -> None:
    """Do the work with a progress bar, say how it ended, and what to do when it ended too soon."""
    started = time.monotonic()
    pace = Pace()
    try:
        with (
            show.progress(title, each=True, quiet=quiet) as bar,
            stoppable(lambda: pace.last is not None, _stopping, lambda: _draw_stopped(pace)) as stop,
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
    if as_json:
        show.data_json(
            {"run": outcome.run, "dialogues": outcome.dialogues, "visited": outcome.visited, "status": outcome.status}
        )
    if outcome.status == "interrupted":
        raise _interrupted(pace.last)
    if outcome.status == "short":
        raise ShortOfRequest(
            f"{outcome.dialogues} of {outcome.wanted} dialogues: {outcome.reason}",
            f"ask for fewer, for fewer --questions, or lower --rare; chattygen report {outcome.run} says what failed",
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


def _stopping() -> None:
    show.note(f"stopping after what is in flight, in {PATIENCE} s at most; press Ctrl-C again to stop at once")


def _draw_stopped(pace: Pace) -> None:
    stopped = _interrupted(pace.last)
    show.show_cursor()
    show.note(f"chattygen: {stopped.message}")
    show.note(f"  {stopped.hint}")


def _silent(text: str) -> None:
    """Where notes go under --quiet."""


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
    show.table(
        ["node type", "entities", "share", "dialogues"],
        [[t.label, t.count, f"{t.share:.1%}", plan.wanted[t.iri]] for t in plan.kept],
        title="\nkept",
    )
    show.table(
        ["node type", "entities", "why"], [[t.label, t.count, t.reason] for t in plan.dropped], title="\ndropped"
    )
    show.table(["role", "model"], list(map(list, plan.roles.items())), title="\nmodels")
    show.data(f"\nmodel calls: at least {plan.calls[0]}, at most {plan.calls[1]}; none was made for this plan")
