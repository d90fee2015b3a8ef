"""list-runs, show-run, report, export: what was made, read back out of the results database.

All of them work while a run is being written and after any stop. RUN is an id, a beginning of one, or `latest`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TextIO

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option
from chattygen.config import Home
from chattygen.domain import Turn, Usage
from chattygen.errors import ResultsError, UsageError
from chattygen.results.export import jsonl
from chattygen.results.reader import Reader, StoredDialogue, StoredRun
from chattygen.results.report import Report, Stage, Written, make_report

SHOWN_ANSWERS = 5


@click.command()
@home_option
@json_option
def list_runs(home: Home, as_json: bool) -> None:
    """List the runs, the newest first, and what became of them."""
    with Reader(home.database) as reader:
        runs = reader.runs()
    if as_json:
        keys = ("kg", "status", "started", "dialogues", "wanted", "visited")
        show.data_json([{"run": run.id} | {key: getattr(run, key) for key in keys} for run in runs])
    elif not runs:
        show.note("there is no run yet; run: chattygen generate --kg NAME")
    else:
        show.table(
            ["run", "status", "dialogues", "seeds", "started (UTC)"],
            [[run.id, run.status, f"{run.dialogues} of {run.wanted}", run.visited, _time(run.started)] for run in runs],
        )


@click.command()
@click.argument("run")
@click.option("--query", is_flag=True, help="Show the SPARQL query of every turn too.")
@click.option("--limit", type=click.IntRange(min=1), help="Show this many dialogues at most.")
@home_option
def show_run(run: str, query: bool, limit: int | None, home: Home) -> None:
    """Show the dialogues of RUN as a person reads them.

    RUN is the id of a run, a beginning of it, or: latest
    """
    with Reader(home.database) as reader:
        found = reader.run(run)
        show.line(found.id, style="bold", aside=f"{found.kg}, {found.approach}, {found.serialisation}")
        for number, dialogue in enumerate(islice(reader.dialogues(found.id), limit), 1):
            _draw_dialogue(number, dialogue, query)
    show.line("")
    if limit is not None and limit < found.dialogues:
        show.line(f"showing {limit} of {found.dialogues}", style="dim")
    show.line(_status(found))


@click.command()
@click.argument("run")
@json_option
@home_option
def report(run: str, as_json: bool, home: Home) -> None:
    """Show success, errors by rule, time and tokens of RUN: the row of the paper's Table 4.

    RUN is the id of a run, a beginning of it, or: latest
    """
    with Reader(home.database) as reader:
        found = reader.run(run)
        made = make_report(reader.measures(found.id))
    if as_json:
        show.data_json(asdict(made))
    else:
        show.line(found.id, style="bold", aside=f"{found.kg}, {found.approach}, {found.serialisation}")
        show.line(_status(found))
        _draw_report(made)


@click.command()
@click.argument("run")
@click.option("--to", "form", type=click.Choice(["jsonl"]), required=True, help="One JSON object a line per dialogue.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file instead of to stdout."
)
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@home_option
def export(run: str, form: str, output: Path | None, force: bool, home: Home) -> None:
    """Write the finished dialogues of RUN, to stdout or to a file that appears only when it is whole.

    RUN is the id of a run, a beginning of it, or: latest
    """
    with Reader(home.database) as reader:
        found = reader.run(run)
        if output is None:
            jsonl(reader, found.id, sys.stdout)
        else:
            if output.exists() and not force:
                raise UsageError(f"{output} exists", "give another --output, or --force to overwrite it")
            with _whole_file(output) as stream:
                jsonl(reader, found.id, stream)
    show.note(f"{output}: {_status(found)}" if output else _status(found))


@contextmanager
def _whole_file(path: Path) -> Iterator[TextIO]:
    """A file that takes its place under `path` only when all of it is written."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with open(part, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ResultsError(
            f"cannot write {path}: {error.strerror}", "give an --output in a folder that exists and has room"
        ) from error


def _status(run: StoredRun) -> str:
    """`3 of 20 dialogues, status interrupted: stopped by the user`"""
    said = f"{run.dialogues} of {run.wanted} dialogues, status {run.status}"
    if run.status == "running":
        return f"{said}; last stored {_time(run.last)} UTC"
    return f"{said}: {run.reason}" if run.reason else said


def _draw_dialogue(number: int, dialogue: StoredDialogue, with_query: bool) -> None:
    seed = dialogue.seed
    show.line("")
    show.line(f"{number}. {seed.label}", style="bold", aside=", ".join(filter(None, [seed.type_label, seed.bucket])))
    for turn in dialogue.turns:
        show.line(f"{turn.n}  {turn.utterance}", indent=3, aside=_builder(turn))
        if with_query:
            for line in turn.query.sparql.splitlines():
                show.line(line, indent=6, style="dim")
        answers = turn.query.answers
        for answer in answers[:SHOWN_ANSWERS]:
            show.line(answer.label or answer.value, indent=6, style="green")
        if len(answers) > SHOWN_ANSWERS:
            show.line(f"and {len(answers) - SHOWN_ANSWERS} more", indent=6, style="dim")
        if not turn.query.complete:
            show.line("the store cut the answers short", indent=6, style="dim")


def _builder(turn: Turn) -> str:
    """What of a turn the builder wrote and not the model, or nothing."""
    origins = {"turn": turn.utterance_origin, "question": turn.question.origin, "query": turn.query.origin}
    parts = [part for part, origin in origins.items() if origin == "builder"]
    return f"[builder: {', '.join(parts)}]" if parts else ""


def _draw_report(made: Report) -> None:
    used = made.usage
    unfinished = f", {made.unfinished} unfinished" if made.unfinished else ""
    lines = {
        "success rate": f"{_percent(made.success_rate)} of {made.visited} seeds visited"
        f" ({made.dialogues} accepted, {made.given_up} given up{unfinished})",
        "time": f"{made.minutes:.1f} minutes, waiting for the model {_percent(made.waiting)} of it",
        "tokens": f"{used.tokens:,} = {used.prompt_tokens:,} prompt + {used.completion_tokens:,} reply",
        "per dialogue": f"{_number(made.tokens_per_dialogue)} tokens,"
        f" {_number(made.seconds_per_dialogue)} s waiting for the model",
        "written by the model": f"{_written(made.questions)} questions, {_written(made.queries)} queries,"
        f" {_written(made.turns)} turns",
    }
    show.line("")
    for name, text in lines.items():
        show.line(f"{name:<22}{text}")

    total = Stage("all", used, sum(stage.errors for stage in made.stages), made.parse_errors)
    _draw_table(
        ["stage", "errors", "unparsed", *SPENT],
        [[stage.name, stage.errors, stage.parse_errors, *_spent(stage.usage)] for stage in (*made.stages, total)],
    )
    _draw_table(["model", *SPENT], [[name, *_spent(usage)] for name, usage in made.models.items()])
    # A seed may be given up by a rule that no finding names, such as one about the context.
    rules = dict.fromkeys([*made.errors_by_rule, *made.given_up_by_rule])
    _draw_table(
        ["rule", "errors", "seeds given up"],
        [[rule, made.errors_by_rule.get(rule, 0), made.given_up_by_rule.get(rule, 0)] for rule in rules],
    )


def _draw_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if rows:
        show.line("")
        show.table(columns, rows)


SPENT = ("calls", "prompt", "reply", "seconds")


def _spent(usage: Usage) -> list[object]:
    return [usage.calls, usage.prompt_tokens, usage.completion_tokens, round(usage.seconds, 1)]


def _written(part: Written) -> str:
    return f"{part.by_model} of {part.total}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _time(iso: str) -> str:
    """`2026-11-30 10:15`"""
    return iso[:16].replace("T", " ")
