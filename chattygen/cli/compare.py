"""compare-runs: two runs over the same seeds, with an interval for each difference, and what a judge prefers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chattygen.cli import show
from chattygen.cli.judging import cost, draw_cost, judge_option, judging, one_by_one, warn_of_own_work, writers
from chattygen.cli.options import engine_option, home_option, json_option, models_file_option
from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.results.reader import Reader, StoredRun
from chattygen.results.recorder import Recorder

if TYPE_CHECKING:
    from chattygen.evaluation.judge import Judge
    from chattygen.evaluation.pairs import Talk
    from chattygen.models.catalog import Engine
    from chattygen.results.comparison import Comparison, Difference

COLUMNS = ("A", "B", "B - A", "95 % interval", "")
PREFERRED = ("A", "tie", "B", "B - A", "95 % interval", "")
ITSELF = ("orders agree", "chose what came first", "no valid reply")


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@judge_option("Have a local model compare the dialogues of each pair too: fluency, clarity, variety.")
@click.option(
    "--against",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --judge, in the place of B: dialogues in the form of export --to jsonl.",
)
@json_option
@engine_option
@models_file_option
@home_option
def compare_runs(
    a: str,
    b: str | None,
    judge: str | None,
    against: Path | None,
    as_json: bool,
    engine: Engine | None,
    models_file: Path | None,
    home: Home,
) -> None:
    """Compare the runs A and B over the seeds that both visited.

    A and B are each the id of a run, a beginning of it, or: latest
    """
    from chattygen.results.comparison import compare, refuse_running, refuse_unlike

    if (b is None) == (against is None):
        raise UsageError("compare-runs takes a run and another one, or --against", "give A and B, or A --against FILE")
    if against and judge is None:
        raise UsageError("--against needs --judge", "add --judge: only a judge can compare a run with a file")
    compared = None
    with Reader(home.database) as reader:
        runs = [reader.run(name) for name in (a, b) if name is not None]
        if against:
            refuse_running(runs[0])
        else:
            refuse_unlike(*runs)
            compared = compare(*(reader.outcomes(run.id) for run in runs))
        pairs, wrote = _pairs(reader, runs, against) if judge is not None else ([], {})
    if not as_json:
        for name, run in zip("AB", runs, strict=False):
            show.line(f"{name}  {run.id}", aside=f"{run.kg}, {run.approach}, {run.serialisation}")
        if against:
            show.line(f"B  {against}")
        if compared:
            _draw(compared)
    told: dict[str, Any] = {"a": runs[0].id} | ({"against": str(against)} if against else {"b": runs[1].id})
    if compared and as_json:
        told |= _as_json(compared)
    if judge is not None:
        with Recorder(home.database) as recorder, judging(home, recorder, judge, models_file, engine) as asked:
            warnings = warn_of_own_work(asked, wrote)
            judged = _judge(asked, pairs) | {"warnings": warnings}
        told["judged"] = judged
        if not as_json:
            _draw_judged(judged)
    if as_json:
        show.data_json(told)


def _pairs(
    reader: Reader, runs: Sequence[StoredRun], against: Path | None
) -> tuple[list[tuple[Talk, Talk]], dict[str, set[str]]]:
    """The dialogues to compare, and which models wrote those of A and of B.

    Raises:
        UsageError: there are fewer than two pairs.
    """
    from chattygen.evaluation.pairs import pair_up, read_talks

    first = _talks(reader, runs[0])
    second = read_talks(against) if against else _talks(reader, runs[1])
    pairs = pair_up(first, second)
    if len(pairs) < 2:
        raise UsageError(
            f"{'only one entity has' if pairs else 'no entity has'} a dialogue in both:"
            f" A has {len(first)} dialogues, B {len(second)}",
            "give dialogues about the same entities: two runs with the same --seed visit the same",
        )
    wrote = {"A": writers(reader, runs[0].id)}
    wrote["B"] = {name for talk in second for name in talk.writers} if against else writers(reader, runs[1].id)
    return pairs, wrote


def _talks(reader: Reader, run: StoredRun) -> list[Talk]:
    from chattygen.evaluation.pairs import talk

    return [
        talk(one.id, one.seed.iri, (turn.utterance for turn in one.turns), one.models)
        for one in reader.dialogues(run.id)
    ]


def _judge(judge: Judge, pairs: Sequence[tuple[Talk, Talk]]) -> dict[str, Any]:
    """What the judge says, as JSON."""
    from chattygen.evaluation.pairs import CRITERIA, judge_pair
    from chattygen.results.comparison import preferences

    judged = one_by_one(lambda pair: judge_pair(judge, *pair), pairs, f"judging {len(pairs)} pairs", "pairs")
    preferred = preferences({name: [one.chosen[n] for one in judged] for n, name in enumerate(CRITERIA)})
    return cost(judge, [call for one in judged for call in one.calls]) | {
        "pairs": len(pairs),
        "alike": sum(one.alike for one in judged),
        "criteria": [asdict(found) | {"agreed": found.agreed, "clear": found.clear} for found in preferred],
        "choices": [{"a": one.a, "b": one.b} | dict(zip(CRITERIA, one.chosen, strict=True)) for one in judged],
    }


def _draw_judged(judged: dict[str, Any]) -> None:
    criteria, asked = judged["criteria"], judged["pairs"] - judged["alike"]
    show.table(
        ["criterion", *PREFERRED],
        [
            [
                found["criterion"],
                *(found[name] for name in ("a", "ties", "b")),
                f"{found['difference']:+.0%}",
                f"{found['low']:+.0%} to {found['high']:+.0%}",
                ("B is better" if found["low"] > 0 else "A is better") if found["clear"] else "no clear difference",
            ]
            for found in criteria
        ],
        title=f"\n{judged['pairs']} pairs of dialogues ({judged['alike']} alike): which is better, in both orders",
        whole=PREFERRED,
    )
    show.table(
        ["criterion", *ITSELF],
        [
            [found["criterion"], _share(found["agreed"]), _share(found["first"]), asked - found["heard"]]
            for found in criteria
        ],
        title="\nthe judge itself (one that guesses agrees on half of the pairs, one that looks at the place on none)",
        whole=ITSELF,
    )
    draw_cost(judged)


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _as_json(compared: Comparison) -> dict[str, Any]:
    return asdict(compared) | {
        name: [asdict(found) | {"clear": found.clear} for found in getattr(compared, name)]
        for name in ("measures", "rules")
    }


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
