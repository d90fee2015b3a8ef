"""What requests in flight gain on a vLLM server that runs already, on a CPU or on any other machine.

    python benchmarks/vllm_cpu.py --url http://127.0.0.1:8000/v1 --served-name NAME --key-env VLLM_API_KEY

The same run is made again for each --in-flight, on the same server and from the same seeds, in one cohort so that as
many seeds can be worked on as there are requests in flight. The largest number goes first: what it leaves in the
server's prefix cache can only help those that it is compared with. A run of one dialogue before them is not counted:
the first grammars cost a server seconds. One line of JSON per run, the same as a table at the end.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from chattygen import pipeline
from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import Home, RunSettings, read_toml
from chattygen.errors import ChattygenError
from chattygen.models.catalog import ROLES, Catalog, File, Table, load_catalog
from chattygen.results.reader import Reader
from chattygen.results.report import make_report

MODEL = "running-vllm"

WARMING = 99
"""Seed of the run that is not counted: other entities than those of the runs that are."""


@dataclass(frozen=True)
class Figures:
    """One run. `minutes` is wall time from the first call on.

    Attributes:
        at_once: calls that were in flight on average: seconds of all calls / wall time.
        prompt, cached, completion: tokens by the server's own count; `cached` is the part of `prompt` that it had.
        tokens_per_second: completion tokens by wall time.
    """

    in_flight: int
    dialogues: int
    visited: int
    minutes: float
    per_minute: float
    calls: int
    seconds_per_call: float
    at_once: float
    prompt: int
    cached: int
    completion: int
    tokens_per_second: float


def with_server(catalog: Catalog, url: str, served_name: str, key_env: str | None, context: int) -> Catalog:
    """The catalogue, and in it the server that runs, as MODEL."""
    table = Table(
        backend="endpoint", dialect="vllm", endpoint=url, served_name=served_name, key_env=key_env, context=context
    )
    file = read_toml(catalog.source, File)
    return Catalog(file.model_copy(update={"models": file.models | {MODEL: table}}), catalog.source)


def measure(home: Home, run: RunSettings, catalog: Catalog) -> Figures:
    """Make one run, asking the server for everything, and read its figures back."""
    roles = {str(role): MODEL for role in ROLES if role != "verify"}
    roles = {str(role): name for role, name in catalog.roles("cpu", roles).items()}
    with show.progress(f"{run.dialogues} dialogues from {run.kg}, {run.in_flight} in flight") as bar:

        def tell(progress: pipeline.Progress) -> None:
            bar.update(progress.done, progress.wanted, f"{progress.done} dialogues, {progress.visited} seeds")

        outcome = pipeline.generate(home, run, catalog, roles, fresh=True, tell=tell)
    with Reader(home.database) as reader:
        report = make_report(reader.measures(outcome.run))
    with closing(sqlite3.connect(home.database)) as database:
        (cached,) = database.execute("select sum(cached_tokens) from call where run = ?", (outcome.run,)).fetchone()
    usage, seconds = report.usage, report.minutes * 60
    return Figures(
        in_flight=run.in_flight,
        dialogues=report.dialogues,
        visited=report.visited,
        minutes=round(report.minutes, 2),
        per_minute=round(report.dialogues / report.minutes, 2),
        calls=usage.calls,
        seconds_per_call=round(usage.seconds / usage.calls, 2),
        at_once=round(usage.seconds / seconds, 2),
        prompt=usage.prompt_tokens,
        cached=cached,
        completion=usage.completion_tokens,
        tokens_per_second=round(usage.completion_tokens / seconds, 1),
    )


@click.command()
@click.option("--url", required=True, help="The server's base URL; it ends in /v1.")
@click.option("--served-name", required=True, help="What the server calls the model.")
@click.option("--key-env", help="The environment variable with the server's key.")
@click.option("--context", type=int, default=4096, show_default=True, help="Tokens per request.")
@click.option("--kg", default="nobel", show_default=True, help="A loaded graph.")
@click.option("--dialogues", type=click.IntRange(1), default=12, show_default=True)
@click.option("--questions", type=click.IntRange(1), default=5, show_default=True, help="Per dialogue.")
@click.option("--in-flight", "numbers", type=click.IntRange(1), multiple=True, default=(1, 8), show_default=True)
@click.option("--models-file", type=click.Path(path_type=Path), help="Another models.toml, for the embedding.")
@home_option
def main(
    url: str,
    served_name: str,
    key_env: str | None,
    context: int,
    kg: str,
    dialogues: int,
    questions: int,
    numbers: tuple[int, ...],
    models_file: Path | None,
    home: Home,
) -> None:
    """Make the same run with several numbers of requests in flight and print what each came to."""
    done: list[Figures] = []
    try:
        catalog = with_server(load_catalog(home, models_file), url, served_name, key_env, context)
        fewest = min(RunSettings.min_questions, questions)
        measure(home, RunSettings(kg, 1, 1, 1, seed=WARMING), catalog)
        for number in sorted(numbers, reverse=True):
            run = RunSettings(kg, dialogues, questions, fewest, cohort=dialogues, in_flight=number)
            done.append(measure(home, run, catalog))
            show.data_json({"model": served_name, "kg": kg} | asdict(done[-1]))
    except ChattygenError as error:
        show.note(f"{error.message}\n  {error.hint}")
        sys.exit(error.exit_code)
    finally:
        draw(done)


def draw(runs: Sequence[Figures]) -> None:
    """The figures as a table; `ratio` is dialogues per minute as a multiple of the last run's."""
    least = runs[-1].per_minute if runs else 0
    show.table(
        ["in flight", "accepted / visited", "minutes", "dialogues/min", "ratio", "calls at once", "s/call", "tokens/s"],
        [
            [
                run.in_flight,
                f"{run.dialogues} / {run.visited}",
                run.minutes,
                run.per_minute,
                f"{run.per_minute / least:.2f}" if least else "",
                run.at_once,
                run.seconds_per_call,
                run.tokens_per_second,
            ]
            for run in runs
        ],
    )


if __name__ == "__main__":
    main()
