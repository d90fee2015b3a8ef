"""generate: the main job."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, models_file_option
from chattygen.config import Home, RunSettings
from chattygen.errors import Interrupted, ShortOfRequest, UsageError

if TYPE_CHECKING:
    from chattygen.pipeline import Plan, Progress

DEFAULT = RunSettings(kg="")


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
    "--serialisation",
    type=click.Choice(["summarised", "full"]),
    default=DEFAULT.serialisation,
    show_default=True,
    help="What the questions stage sees of a subgraph.",
)
@click.option("--role", "overrides", multiple=True, metavar="ROLE=MODEL", help="Another model for a role; repeatable.")
@click.option("--gpu/--cpu", default=False, help="Which default roles of models.toml.  [default: cpu]")
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be done, without a model call.")
@click.option("--json", "as_json", is_flag=True, help="End with one line of JSON: run, dialogues, visited, status.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@models_file_option
@home_option
def generate(
    kg: str,
    overrides: tuple[str, ...],
    gpu: bool,
    only_plan: bool,
    as_json: bool,
    quiet: bool,
    models_file: Path | None,
    home: Home,
    min_questions: int | None,
    **settings: object,
) -> None:
    """Generate a dialogue benchmark from a graph.

    Starts the local models that it needs, unless serve-models runs them, and stops those that it started.
    """
    from chattygen import pipeline
    from chattygen.models.catalog import load_catalog

    questions = int(str(settings["questions"]))
    fewest = min(DEFAULT.min_questions, questions) if min_questions is None else min_questions
    if fewest > questions:
        raise UsageError("--min-questions is more than --questions", f"give at most {questions}")
    run = RunSettings(kg=kg, min_questions=fewest, **settings)  # type: ignore[arg-type]
    catalog = load_catalog(home, models_file)
    roles = {str(role): name for role, name in catalog.roles("gpu" if gpu else "cpu", _overrides(overrides)).items()}
    if only_plan:
        _draw_plan(pipeline.plan(home, run, catalog, roles), run, as_json)
        return
    started = time.monotonic()
    told: list[Progress] = []
    try:
        with show.progress(f"generating {run.dialogues} dialogues from {kg}", each=True, quiet=quiet) as bar:

            def tell(progress: Progress) -> None:
                told[:] = [progress]
                bar.update(progress.done, progress.wanted, _words(progress, time.monotonic() - started))

            outcome = pipeline.generate(
                home, run, catalog, roles, tell=tell, report=show.note if not quiet else _silent
            )
    except KeyboardInterrupt:
        raise _interrupted(told) from None
    if not quiet:
        show.note(f"{outcome.dialogues} dialogues in {_minutes(time.monotonic() - started)}: run {outcome.run}")
        show.note(f"read them: chattygen show-run {outcome.run}")
    if as_json:
        show.data_json(
            {"run": outcome.run, "dialogues": outcome.dialogues, "visited": outcome.visited, "status": outcome.status}
        )
    if outcome.status == "short":
        raise ShortOfRequest(
            f"{outcome.dialogues} of {run.dialogues} dialogues: {outcome.reason}",
            "ask for fewer, for fewer --questions, or lower --rare; chattygen report latest says what failed",
        )


def _silent(text: str) -> None:
    """Where notes go under --quiet."""


def _overrides(given: tuple[str, ...]) -> dict[str, str]:
    """`sparql=NAME` pairs as a mapping."""
    pairs = [text.partition("=") for text in given]
    for role, equals, name in pairs:
        if not equals or not role or not name:
            raise UsageError(f"--role {role}{equals}{name}: not ROLE=MODEL", "for example: --role sparql=my-model")
    return {role: name for role, _, name in pairs}


def _interrupted(told: list[Progress]) -> Interrupted:
    """What Ctrl-C leaves behind; `told` holds the last progress, if the run got so far."""
    if not told:
        return Interrupted("stopped before the first dialogue was begun", "run the command again")
    last = told[0]
    return Interrupted(
        f"stopped; {last.done} of {last.wanted} dialogues are stored as run {last.run}",
        f"see them: chattygen show-run {last.run}, or chattygen export {last.run} --to jsonl",
    )


def _words(progress: Progress, seconds: float) -> str:
    """The words beside the progress bar; `seconds` since the start."""
    usage, left = progress.usage, progress.wanted - progress.reached
    words = [f"{progress.done} of {progress.wanted} dialogues, {progress.visited} seeds"]
    if progress.stage:
        words.append(progress.stage.lower())
    words.append(f"{progress.findings} findings")
    if usage.seconds:
        words.append(f"{usage.tokens / usage.seconds:.0f} tokens/s")
    words.append(_minutes(seconds))
    if progress.reached and left:
        words.append(f"about {_minutes(seconds / progress.reached * left)} left")
    return ", ".join(words)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


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
