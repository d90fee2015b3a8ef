"""What compare-runs and audit share when a model judges: its option, the model made ready, progress and its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from chattygen.cli import show
from chattygen.config import Home
from chattygen.domain import Call, Usage
from chattygen.errors import CallError, Interrupted
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder

if TYPE_CHECKING:
    from chattygen.evaluation.judge import Judge
    from chattygen.models.catalog import Engine

F = TypeVar("F", bound=Callable[..., Any])
Item = TypeVar("Item")
Made = TypeVar("Made")

AGAIN = "run the command again: no call that is stored is made twice"


def judge_option(words: str) -> Callable[[F], F]:
    """`--judge [MODEL]`; arrives as `judge`: None without the option, empty for the model of the role judge."""
    return click.option(
        "--judge",
        is_flag=False,
        flag_value="",
        metavar="[MODEL]",
        help=f"{words}  [MODEL, if not given: the role judge of models.toml]",
    )


@contextmanager
def judging(
    home: Home, recorder: Recorder, name: str, models_file: Path | None, engine: Engine | None
) -> Iterator[Judge]:
    """The judge, ready to be asked; its server is stopped at the end if it was started for this.

    Raises:
        UnknownName, WeightsError, ServerError, PrivacyError.
    """
    from chattygen.evaluation.judge import About, Judge
    from chattygen.models.catalog import detect_profile, load_catalog
    from chattygen.models.obtain import obtain, served
    from chattygen.models.placement import place
    from chattygen.pipeline import now_and_then

    catalog = load_catalog(home, models_file, engine)
    asked = name or catalog.roles(detect_profile())["judge"]
    placement = place(catalog, [asked], home, served(home))
    for words in placement.stand_ins():
        show.note(words)
    entry = catalog.entry(placement.answering[asked])

    def record(call: Call, about: About) -> None:
        recorder.judge_call(call, about.dialogue, about.other, about.turn)

    waiting, share = now_and_then(show.note), placement.share(entry.name)
    with obtain(entry, home, waiting, allow=catalog.allow, started_by="judge", share=share) as model:
        yield Judge(model, recorder.recall_judge, record)


def one_by_one(work: Callable[[Item], Made], items: Sequence[Item], title: str, what: str) -> list[Made]:
    """What `work` makes of each item, with a progress bar.

    Raises:
        Interrupted: the user stopped it; says how far it came.
        CallError: a call failed; a note says how to go on.
    """
    made: list[Made] = []
    try:
        with show.progress(title) as bar:
            for item in items:
                made.append(work(item))
                bar.update(len(made), len(items), f"{len(made)} of {len(items)} {what}")
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; {len(made)} of {len(items)} {what} are judged and stored", AGAIN) from None
    except CallError as error:
        error.add_note(f"{len(made)} of {len(items)} {what} are judged and stored; {AGAIN}")
        raise
    return made


def warn_of_own_work(judge: Judge, wrote: Mapping[str, set[str]]) -> list[str]:
    """Say, and return, for which of the judged texts the judge is one of the models that wrote them.

    Args:
        wrote: what the texts are called -> names and revisions of the models that wrote them.
    """
    own = {judge.model.name, judge.model.revision} - {""}
    warnings = [
        f"warning: {judge.model.name} judges its own work: it wrote {name}"
        for name, models in wrote.items()
        if own & models
    ]
    for words in warnings:
        show.note(words)
    return warnings


def writers(reader: Reader, run: str) -> set[str]:
    """Names and revisions of the models that wrote questions, queries or dialogues of a run."""
    from chattygen.evaluation.pairs import WRITERS

    wrote = [player for player in reader.players(run) if player.role in WRITERS]
    return {player.model for player in wrote} | {player.revision for player in wrote}


def cost(judge: Judge, calls: Sequence[Call]) -> dict[str, Any]:
    """Who judged and what it took, as JSON: a reply that was stored before counts as if it had been asked for."""
    usage = sum((call.usage for call in calls), Usage())
    return {
        "judge": judge.model.name,
        "revision": judge.model.revision,
        "usage": vars(usage) | {"reused": sum(call.reused for call in calls)},
    }


def draw_cost(spent: dict[str, Any]) -> None:
    """The same for a person."""
    usage = spent["usage"]
    show.line(
        f"judged by {spent['judge']}: {usage['calls']} calls, {usage['reused']} of them stored before;"
        f" {usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens, {usage['seconds']:.0f} s"
    )
