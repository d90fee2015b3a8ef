"""What generating dialogues costs, how much of it the model does, and whether what was stored is right.

    python benchmarks/generate.py --kg nobel --kg kg-loaders/dblp-sample.toml --dialogues 10

One line of JSON per graph as soon as its run is over, the same as tables at the end. Everything is read back out of the
results database, so the figures are those of `chattygen report`. Exit status 1 when a check is not zero.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from chattygen import pipeline
from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import Home, RunSettings, read_recipe
from chattygen.errors import ChattygenError
from chattygen.generation.words import contains_words
from chattygen.kg.folders import list_kgs, open_kg
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.load import default_name, load
from chattygen.models import obtain, server
from chattygen.models.catalog import ROLES, Catalog, load_catalog
from chattygen.recheck import recheck
from chattygen.results.reader import Reader, StoredDialogue
from chattygen.results.report import Report, Written, make_report

BASE = "http://example.org/"
"""Resolves the relative IRIs of dump files, which name none."""


@dataclass(frozen=True)
class Checks:
    """What must not be there; all zero in a good benchmark.

    Attributes:
        other_answers: stored queries that, run again, fail or give other answers than stored (typed terms, as sets).
        names_seed: turns after the first that hold the seed's name.
        contains_answer: standalone questions that hold the label of one of their answers.
        facts_twice: questions about a fact that an earlier question of the same dialogue was about.
    """

    other_answers: int
    names_seed: int
    contains_answer: int
    facts_twice: int


@dataclass(frozen=True)
class Figures:
    """One graph. `tokens` and `seconds` are per accepted dialogue and count all that the run spent; shares are 0 to 1.

    `seconds` is wall time of the run, which begins when the model's server is ready. A figure that there is nothing to
    divide by is None.
    """

    kg: str
    run: str
    status: str
    accepted: int
    visited: int
    tokens: float | None
    seconds: float | None
    waiting: float | None
    turns: float | None
    queries_by_model: float | None
    questions_by_model: float | None
    turns_by_model: float | None
    findings: dict[str, int]
    given_up: dict[str, int]
    checks: Checks


def figures(report: Report, checks: Checks) -> Figures:
    """The figures out of a run's report."""
    return Figures(
        kg=report.kg,
        run=report.run,
        status=report.status,
        accepted=report.dialogues,
        visited=report.visited,
        tokens=report.tokens_per_dialogue,
        seconds=report.minutes * 60 / report.dialogues if report.dialogues else None,
        waiting=report.waiting,
        turns=report.turns.total / report.dialogues if report.dialogues else None,
        queries_by_model=_share(report.queries),
        questions_by_model=_share(report.questions),
        turns_by_model=_share(report.turns),
        findings=report.errors_by_rule,
        given_up=report.given_up_by_rule,
        checks=checks,
    )


def check(dialogues: Iterable[StoredDialogue], graph: KnowledgeGraph) -> Checks:
    """Look over stored dialogues and run their queries again."""
    other = named = told = twice = 0
    for dialogue in dialogues:
        other += sum(checked.drift is not None for checked in recheck([dialogue], graph, RunSettings.deadline))
        facts = [(turn.question.fact, turn.question.beyond) for turn in dialogue.turns]
        twice += len(facts) - len(set(facts))
        named += sum(contains_words(turn.utterance, dialogue.seed.label) for turn in dialogue.turns[1:])
        for turn in dialogue.turns:
            labels = [answer.label for answer in turn.query.answers if answer.type != "boolean"]
            told += any(contains_words(turn.question.text, label) for label in labels)
    return Checks(other, named, told, twice)


def _share(part: Written) -> float | None:
    return part.by_model / part.total if part.total else None


# ---------------------------------------------------------------------------------------------------------------------
# The runs


def graph_name(given: str, home: Home) -> str:
    """The name of the graph that `given` means: a loaded one, or a recipe or dump file, loaded unless it is there."""
    loaded = [manifest.name for manifest in list_kgs(home)]
    path = Path(given)
    if given in loaded or not path.is_file():
        return given
    if path.suffix == ".toml":
        recipe = read_recipe(path)
        name, files = recipe.name, [path.parent / file for file in recipe.files]
        base, source, settings = recipe.base, recipe.source, recipe.settings
    else:
        name, files, base, source, settings = default_name(path), [path], BASE, None, None
    if name not in loaded:
        load(home, name, files, base=base, source=source, settings=settings)
        show.note(f"loaded {name}")
    return name


@contextmanager
def served(catalog: Catalog, model: str, home: Home) -> Iterator[float]:
    """One server for all graphs, stopped at the end; yields the seconds of its start, 0 where none was needed."""
    entry = catalog.entry(model)
    runs = [s for s in server.running(home) if s.model == model and s.started_by == obtain.SERVE and s.alive]
    if runs or entry.backend not in obtain.SERVED:
        yield 0.0
        return
    begun = time.monotonic()
    running = obtain.serve(entry, home, lambda elapsed, words: None, guarded=True, started_by=obtain.SERVE)
    try:
        yield time.monotonic() - begun
    finally:
        server.stop(running, home)


def measure(home: Home, run: RunSettings, catalog: Catalog, roles: dict[str, str]) -> Figures:
    """Generate from one graph, and look at what came of it."""
    with show.progress(f"generating {run.dialogues} dialogues from {run.kg}") as bar:

        def tell(progress: pipeline.Progress) -> None:
            bar.update(progress.done, progress.wanted, f"{progress.done} dialogues, {progress.visited} seeds")

        outcome = pipeline.generate(home, run, catalog, roles, fresh=True, tell=tell)
    with Reader(home.database) as reader, open_kg(home, run.kg) as graph:
        return figures(make_report(reader.measures(outcome.run)), check(reader.dialogues(outcome.run), graph))


@click.command()
@click.option("--kg", "kgs", multiple=True, required=True, help="A loaded graph, a recipe or a dump file; repeatable.")
@click.option("--dialogues", type=click.IntRange(1), default=10, show_default=True, help="Per graph.")
@click.option("--questions", type=click.IntRange(1), default=5, show_default=True, help="Per dialogue.")
@click.option("--model", default="qwen2.5-coder-1.5b-instruct", show_default=True, help="For every role but verify.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another number, other entities.")
@home_option
def main(kgs: tuple[str, ...], dialogues: int, questions: int, model: str, seed: int, home: Home) -> None:
    """Generate dialogues from graphs and print what it cost; exit 1 when a check of the result is not zero."""
    done: list[Figures] = []
    try:
        catalog = load_catalog(home)
        roles = {str(role): name for role, name in catalog.roles("cpu", _all_roles(model)).items()}
        names = [graph_name(given, home) for given in kgs]
        with served(catalog, model, home) as start:
            show.note(f"{model} was ready after {start:.1f} s; {os.cpu_count()} processors")
            for name in names:
                run = RunSettings(name, dialogues, questions, min(RunSettings.min_questions, questions), seed=seed)
                done.append(measure(home, run, catalog, roles))
                asked = {"model": model, "dialogues": dialogues, "questions": questions, "seed": seed}
                show.data_json(asked | {"model_start": round(start, 1)} | asdict(done[-1]))
    except ChattygenError as error:
        show.note(f"{error.message}\n  {error.hint}")
        sys.exit(error.exit_code)
    finally:
        draw(done)
    sys.exit(any(any(asdict(graph.checks).values()) for graph in done))


def _all_roles(model: str) -> dict[str, str]:
    return {role: model for role in ROLES if role != "verify"}


# ---------------------------------------------------------------------------------------------------------------------
# The tables


def draw(graphs: Sequence[Figures]) -> None:
    """The figures as three tables."""
    if not graphs:
        return
    show.table(
        ["graph", "accepted / visited", "tokens", "seconds", "waiting", "turns"],
        [
            [
                graph.kg,
                f"{graph.accepted} / {graph.visited}",
                _number(graph.tokens),
                _number(graph.seconds),
                _percent(graph.waiting),
                _number(graph.turns, 1),
            ]
            for graph in graphs
        ],
        title="\nper accepted dialogue; waiting for the model is a share of the wall time",
    )
    show.table(
        ["graph", "questions", "queries", "turns", "findings"],
        [
            [
                graph.kg,
                _percent(graph.questions_by_model),
                _percent(graph.queries_by_model),
                _percent(graph.turns_by_model),
                ", ".join(f"{rule} {number}" for rule, number in graph.findings.items()),
            ]
            for graph in graphs
        ],
        title="\nwritten by the model, and what the rules found",
    )
    show.table(
        ["graph", "other answers", "names the seed", "contains an answer", "fact used twice"],
        [[graph.kg, *asdict(graph.checks).values()] for graph in graphs],
        title="\nmust be zero",
    )


def _number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


if __name__ == "__main__":
    main()
