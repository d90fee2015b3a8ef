"""list-runs, show-run: what was made, read back out of the results database.

Both work while a run is being written and after any stop. RUN is an id, a beginning of one, or `latest`.
"""

from __future__ import annotations

from itertools import islice

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option
from chattygen.config import Home
from chattygen.domain import Turn
from chattygen.results.notes import builder_parts, no_answer, reference
from chattygen.results.reader import Reader, StoredDialogue, StoredRun

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
            ["run", "status", "dialogues", "started (UTC)"],
            [[run.id, run.status, f"{run.dialogues} of {run.wanted}", minute(run.started)] for run in runs],
            whole=["run"],
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
            draw_dialogue(number, dialogue, query=query)
    show.line("")
    if limit is not None and limit < found.dialogues:
        show.line(f"showing {limit} of {found.dialogues}", style="dim")
    show.line(status_line(found))


def status_line(run: StoredRun, dialogues: str = "") -> str:
    """`3 of 20 dialogues, status interrupted: stopped by the user`; `dialogues` are other words to begin with."""
    said = f"{dialogues or f'{run.dialogues} of {run.wanted} dialogues'}, status {run.status}"
    if run.status == "running":
        return f"{said}; last stored {minute(run.last)} UTC"
    return f"{said}: {run.reason}" if run.reason else said


def draw_dialogue(number: int, dialogue: StoredDialogue, *, query: bool = False, standalone: bool = False) -> None:
    """A dialogue as a person reads it, with the queries or with the standalone forms of its turns if wanted."""
    seed = dialogue.seed
    show.line("")
    show.line(f"{number}. {seed.label}", style="bold", aside=", ".join(filter(None, [seed.type_label, seed.bucket])))
    for turn in dialogue.turns:
        show.line(f"{turn.n}  {turn.utterance}", indent=3, aside=_aside(turn))
        if standalone and turn.question.text != turn.utterance:
            show.line(f"by itself: {turn.question.text}", indent=6, style="dim")
        if query:
            for line in turn.query.sparql.splitlines():
                show.line(line, indent=6, style="dim")
        draw_answers(turn)


def draw_answers(turn: Turn) -> None:
    """The answers of a turn, or what stands for them."""
    answers = turn.query.answers
    for answer in answers[:SHOWN_ANSWERS]:
        show.line(answer.label or answer.value, indent=6, style="green")
    if len(answers) > SHOWN_ANSWERS:
        show.line(f"and {len(answers) - SHOWN_ANSWERS} more", indent=6, style="dim")
    if not answers:
        show.line(no_answer(turn), indent=6, style="dim")
    if not turn.query.complete:
        show.line("the store cut the answers short", indent=6, style="dim")


def _aside(turn: Turn) -> str:
    """Which turn it refers to, and what of it the builder wrote and not the model."""
    parts = builder_parts(turn)
    return "  ".join(filter(None, [reference(turn), f"[builder: {', '.join(parts)}]" if parts else ""]))


def minute(iso: str) -> str:
    """`2026-11-30 10:15`"""
    return iso[:16].replace("T", " ")
