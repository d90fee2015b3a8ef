"""report: the row of the paper's Table 4 and what lies behind it, on the terminal, as JSON or as one web page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import click

from chattygen.cli import show
from chattygen.cli.evaluate import draw_standings
from chattygen.cli.files import refuse_existing, whole_file
from chattygen.cli.options import home_option, json_option
from chattygen.cli.runs import status_line
from chattygen.config import Home
from chattygen.domain import Usage
from chattygen.errors import UsageError
from chattygen.results.asked import Asked
from chattygen.results.reader import Reader, StoredRun
from chattygen.results.report import Report, Stage, Written, make_report

SHOWN_DIALOGUES = 200


@click.command()
@click.argument("run")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write one self-contained web page.")
@click.option("--against", metavar="OTHER", help="With --html: set another run beside it.")
@click.option(
    "--dialogues",
    type=click.IntRange(min=0),
    help=f"With --html: put at most this many dialogues on the page.  [default: {SHOWN_DIALOGUES}]",
)
@click.option("--force", is_flag=True, help="With --html: overwrite the file if it exists.")
@json_option
@home_option
def report(
    run: str, html: Path | None, against: str | None, dialogues: int | None, force: bool, as_json: bool, home: Home
) -> None:
    """Show success, errors by rule, time and tokens of RUN: the row of the paper's Table 4.

    If the run was played to models or chatbots (evaluate), the tables of Head-to-Tail follow.

    RUN and OTHER are each the id of a run, a beginning of it, or: latest
    """
    if html is None and (against is not None or dialogues is not None or force):
        raise UsageError("--against, --dialogues and --force are about a page", "give --html FILE too")
    if html is not None and as_json:
        raise UsageError("--html and --json are two reports", "give one of them")
    from chattygen.scoring import read_scores
    from chattygen.tables import standings

    with Reader(home.database) as reader:
        found = reader.run(run)
        if html is not None:
            refuse_existing(html, "--html", force)
            other = None if against is None else reader.run(against)
            _write_page(html, reader, found, other, SHOWN_DIALOGUES if dialogues is None else dialogues)
            show.note(f"{html}: {status_line(found)}")
            return
        made, played = make_report(reader.measures(found.id)), standings(read_scores(reader, found.id))
    if as_json:
        show.data_json(asdict(made) | {"evaluations": played.data if played else []})
    else:
        show.line(found.id, style="bold", aside=f"{found.kg}, {found.approach}, {found.serialisation}")
        show.line(status_line(found))
        _draw_report(made)
        if played:
            draw_standings(played)


def _write_page(path: Path, reader: Reader, run: StoredRun, other: StoredRun | None, limit: int) -> None:
    from chattygen.results.page import Side, page
    from chattygen.scoring import read_scores
    from chattygen.tables import standings

    def side(of: StoredRun) -> Side:
        measures = reader.measures(of.id)
        return Side(measures.run, make_report(measures))

    players, contents, verdicts = reader.players(run.id), reader.contents(run.id), reader.verdicts(run.id)
    dialogues = islice(reader.dialogues(run.id), limit)
    with whole_file(path) as stream:
        beside = side(other) if other else None
        played = standings(read_scores(reader, run.id))
        stream.writelines(page(side(run), contents, players, dialogues, limit, beside, verdicts, played))


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
        "errors": ", ".join(f"{number} {kind}" for kind, number in made.errors_by_kind.items())
        + f", {made.parse_errors} unparsed",
    } | _told_apart(made.asked)
    if made.reused.calls:
        again = made.reused
        calls = f"{again.calls} call{'s' if again.calls > 1 else ''}"
        lines["reused"] = f"{calls} with {again.tokens:,} tokens, answered by what was stored already"
    if not made.repeatable:
        lines["repeatable"] = "no: sampling was seeded, but a server that batches requests may still change a text"
    if made.review:
        said = made.review
        lines["reviewed"] = f"{said.reviewed} of {made.dialogues}: {said.accepted} accepted, {said.rejected} rejected"
    show.line("")
    for name, text in lines.items():
        show.line(f"{name:<22}{text}")

    total = Stage("all", used, sum(stage.errors for stage in made.stages), made.parse_errors)
    _draw_table(
        ["stage", "errors", "unparsed", *SPENT],
        [[stage.name, stage.errors, stage.parse_errors, *_spent(stage.usage)] for stage in (*made.stages, total)],
    )
    _draw_table(["model", *SPENT], [[name, *_spent(usage)] for name, usage in made.models.items()])
    _draw_asked(made.asked)
    _draw_table(
        ["wrong at first", "items", "model mended", "builder mended", "another fact", "lost"],
        [[one.wrong, one.items, one.model, one.builder, one.replaced, one.lost] for one in made.mended],
    )
    # A seed may be given up by a rule that no finding names, such as one about the context.
    rules = dict.fromkeys([*made.errors_by_rule, *made.given_up_by_rule])
    _draw_table(
        ["rule", "errors", "seeds given up"],
        [[rule, made.errors_by_rule.get(rule, 0), made.given_up_by_rule.get(rule, 0)] for rule in rules],
    )
    _draw_table(
        ["reviewer", "and", "both judged", "agreement", "Cohen's kappa"],
        [
            [*pair.reviewers, pair.both, _percent(pair.share), "-" if pair.kappa is None else f"{pair.kappa:.2f}"]
            for pair in (made.review.agreements if made.review else ())
        ],
    )


def _draw_asked(made: Asked) -> None:
    """Kinds of question and forms of flow: what was planned and what came of it."""
    for name, parts in {"kind": made.kinds, "flow": made.flow}.items() if made.turns else ():
        rows = [[one.name, _percent(one.planned), one.turns, _percent(one.turns / made.turns)] for one in parts]
        _draw_table([name, "planned", "turns", "share"], rows)


def _told_apart(made: Asked) -> dict[str, str]:
    """The turns that are unlike the others, as far as there are any."""
    none = made.unanswerable
    told = {
        "yes or no": (made.yes_no, f"; to be answered with no: {made.no}"),
        "over two facts": (made.two_facts, ""),
        "unanswerable": (none.turns, f"; planned: {_percent(none.planned)}"),
    }
    return {name: f"{turns} of {made.turns} turns{more}" for name, (turns, more) in told.items() if turns}


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
