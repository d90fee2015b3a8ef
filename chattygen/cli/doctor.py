"""doctor: says what is in order and what is not, and ends what was left behind."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option, models_file_option
from chattygen.config import Home
from chattygen.errors import ChattygenError

STATES = {"ok": "ok", "warning": "warning", "fault": "FAULT"}


@click.command()
@click.option("--sweep", "sweeping", is_flag=True, help="First end servers that nobody uses any more; only our own.")
@models_file_option
@json_option
@home_option
def doctor(sweeping: bool, models_file: Path | None, as_json: bool, home: Home) -> None:
    """Check machine, engines, database, graphs, models, servers and what listens; exit 1 if something is at fault."""
    from chattygen.doctor import examine, sweep

    if sweeping:
        ended = sweep(home)
        for what in ended or ["nothing to sweep"]:
            show.note(f"ended {what}" if ended else what)
    lines = list(examine(home, models_file))
    if as_json:
        show.data_json([asdict(line) for line in lines])
    else:
        columns = ["check", "", "seen", *(["what to do"] if any(line.do for line in lines) else [])]
        rows = [[line.check, STATES[line.state], line.seen, line.do] for line in lines]
        show.table(columns, [row[: len(columns)] for row in rows], whole=["check"])
    faults = [line for line in lines if line.state == "fault"]
    if faults:
        raise ChattygenError(
            f"{len(faults)} fault{'s' if len(faults) > 1 else ''}", "do what the lines say, and run it again"
        )
