"""compare-runs: two runs over the same seeds, with an interval for each difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option
from chattygen.config import Home
from chattygen.results.reader import Reader

if TYPE_CHECKING:
    from chattygen.results.comparison import Comparison, Difference

COLUMNS = ("A", "B", "B - A", "95 % interval", "")


@click.command()
@click.argument("a")
@click.argument("b")
@json_option
@home_option
def compare_runs(a: str, b: str, as_json: bool, home: Home) -> None:
    """Compare the runs A and B over the seeds that both visited.

    A and B are each the id of a run, a beginning of it, or: latest
    """
    from chattygen.results.comparison import compare, refuse_unlike

    with Reader(home.database) as reader:
        runs = {"A": reader.run(a), "B": reader.run(b)}
        refuse_unlike(runs["A"], runs["B"])
        compared = compare(*(reader.outcomes(run.id) for run in runs.values()))
    if as_json:
        listed = {
            name: [asdict(found) | {"clear": found.clear} for found in getattr(compared, name)]
            for name in ("measures", "rules")
        }
        show.data_json({"a": runs["A"].id, "b": runs["B"].id} | asdict(compared) | listed)
        return
    for name, run in runs.items():
        show.line(f"{name}  {run.id}", aside=f"{run.kg}, {run.approach}, {run.serialisation}")
    _draw(compared)


def _draw(compared: Comparison) -> None:
    from chattygen.results.comparison import OF_ACCEPTED_SEEDS

    show.line(
        f"{compared.paired} seeds in both runs, {compared.both_accepted} of them accepted by both;"
        f" {compared.alone_a} only in A, {compared.alone_b} only in B"
    )
    over_accepted = ", ".join(OF_ACCEPTED_SEEDS)
    _draw_table("measure", compared.measures, f"\nmeans per seed ({over_accepted}: of seeds that both accepted)")
    if compared.both_accepted < 2:
        show.line(f"{over_accepted}: not compared, they need two seeds that both runs accepted")
    if compared.rules:
        _draw_table("rule", compared.rules, "\nfindings per seed, by rule")


def _draw_table(what: str, differences: Sequence[Difference], title: str) -> None:
    rows = [[found.measure, *_cells(found)] for found in differences]
    show.table([what, *COLUMNS], rows, title=title, whole=COLUMNS)


def _cells(found: Difference) -> list[str]:
    from chattygen.results.comparison import SHARES

    share = found.measure in SHARES
    clear = ("more in B" if found.low > 0 else "less in B") if found.clear else "no clear difference"
    difference, low, high = (_number(value, share, "+") for value in (found.difference, found.low, found.high))
    return [_number(found.a, share), _number(found.b, share), difference, f"{low} to {high}", clear]


def _number(value: float, share: bool, sign: str = "") -> str:
    """`0.33`, `1,234` or, of a share, `33%`."""
    form = ".0%" if share else ",.2f" if abs(value) < 100 else ",.0f"
    return format(value, sign + form)
