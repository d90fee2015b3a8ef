"""evaluate: play the dialogues of a run to a model or a chatbot, and say how many replies are right."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chattygen.cli import show
from chattygen.cli.judging import judge_option, judging, one_by_one, warn_of_own_work
from chattygen.cli.options import engine_option, home_option, models_file_option
from chattygen.cli.pace import minutes
from chattygen.cli.stopping import stoppable, stopping
from chattygen.config import Home
from chattygen.errors import ChattygenError, Interrupted, UsageError
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder

if TYPE_CHECKING:
    from chattygen.domain import Turn
    from chattygen.evaluate import Asked, Outcome, Progress
    from chattygen.models.catalog import Engine
    from chattygen.results.evaluations import StoredEvaluation, StoredReply
    from chattygen.results.standings import Standings

NEVER_BROKEN = ("A", "H", "M", "changed")
"""Columns of figures with their intervals."""

GO_ON = "give the same command again to go on: no reply that is stored is asked for twice"


@click.command()
@click.argument("run")
@click.option("--model", help="A model of models.toml, or one of the sanity systems oracle, unsure and majority.")
@click.option("--endpoint", metavar="URL", help="A chatbot of yours: an OpenAI-compatible server on this machine.")
@click.option("--endpoint-model", metavar="NAME", help="With --endpoint: what that server calls its model.")
@click.option(
    "--prompt",
    type=click.Choice(["few-shot", "zero-shot", "in-domain"]),
    default="few-shot",
    show_default=True,
    help="Examples in the prompt: two, none, or one of them from the same graph.",
)
@click.option("--no-brief", is_flag=True, help="Do not ask for answers in as few words as possible.")
@click.option("--no-unsure", is_flag=True, help="Do not offer to say unsure.")
@click.option(
    "--history",
    type=click.Choice(["gold", "own"]),
    default="gold",
    show_default=True,
    help="What stands after an earlier question: the gold answers, or the system's own reply.",
)
@click.option(
    "--repeat", type=click.IntRange(1), default=1, show_default=True, help="Play it so often; see what changes."
)
@judge_option("Let a local model say too which replies are right.")
@click.option("--limit", type=click.IntRange(1), help="Play this many dialogues at most, the first ones of the run.")
@click.option("--in-flight", type=click.IntRange(1), help="Dialogues at once.  [default: what the server takes]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@engine_option
@models_file_option
@home_option
def evaluate(
    run: str,
    model: str | None,
    endpoint: str | None,
    endpoint_model: str | None,
    prompt: str,
    no_brief: bool,
    no_unsure: bool,
    history: str,
    repeat: int,
    judge: str | None,
    limit: int | None,
    in_flight: int | None,
    as_json: bool,
    quiet: bool,
    engine: Engine | None,
    models_file: Path | None,
    home: Home,
) -> None:
    """Play the dialogues of RUN to a model or a chatbot, turn by turn, and say how many replies are right.

    Each reply is stored at once: the same command again goes on where it was stopped. report shows all evaluations of a
    run side by side.

    RUN is the id of a run, a beginning of it, or: latest
    """
    from chattygen.evaluate import Asked
    from chattygen.evaluation.play import Manner

    if (model is None) == (endpoint is None):
        raise UsageError("evaluate takes a model or an endpoint", "give one of: --model NAME, --endpoint URL")
    if endpoint_model is not None and endpoint is None:
        raise UsageError("--endpoint-model is about an endpoint", "give --endpoint URL too")
    asked = Asked(
        run,
        Manner(prompt, not no_brief, not no_unsure, history),  # type: ignore[arg-type]
        model or "",
        endpoint or "",
        endpoint_model or "",
        repeat,
        limit,
        in_flight,
    )
    outcome = _play(home, asked, models_file, engine, quiet)
    if judge is not None:
        _judge(home, outcome, judge, models_file, engine)
    _draw_outcome(home, outcome, as_json)


def _play(home: Home, asked: Asked, models_file: Path | None, engine: Engine | None, quiet: bool) -> Outcome:
    """Play with a progress bar; say what to do when it ends too soon."""
    from chattygen.evaluate import evaluate
    from chattygen.evaluation.systems import SANITY
    from chattygen.models.catalog import load_catalog
    from chattygen.pipeline import now_and_then

    pace = Pace()
    report = (lambda text: None) if quiet else show.note
    try:
        with (
            show.progress(f"playing {asked.run}", each=True, quiet=quiet) as bar,
            stoppable(lambda: pace.last is not None, stopping, lambda: _draw_stopped(pace)) as stop,
        ):

            def tell(progress: Progress) -> None:
                if progress.system in SANITY and progress.system != asked.model:
                    return
                pace.add(progress)
                bar.update(progress.done, progress.wanted, pace.words())

            catalog, waiting = load_catalog(home, models_file, engine), now_and_then(report)
            outcome = evaluate(home, asked, catalog, stop=stop, tell=tell, report=report, waiting=waiting)
    except KeyboardInterrupt:
        raise _interrupted(pace.last) from None
    except ChattygenError as error:
        if pace.last:
            error.add_note(f"all replies so far are stored; {GO_ON}")
        raise
    if outcome.status == "interrupted":
        raise _interrupted(pace.last)
    return outcome


class Pace:
    """Follows an evaluation; what is stored takes no time, so the pace is measured from the first call that is made."""

    def __init__(self) -> None:
        self.last: Progress | None = None
        self._started, self._recalled = time.monotonic(), 0

    def add(self, progress: Progress) -> None:
        self.last = progress
        if not progress.replies:
            self._started, self._recalled = time.monotonic(), progress.done

    def words(self) -> str:
        """The words beside the progress bar."""
        progress = self.last
        if progress is None:
            return ""
        seconds, played = time.monotonic() - self._started, progress.done - self._recalled
        words = [f"{progress.done} of {progress.wanted} dialogues, {progress.replies} replies"]
        if progress.spent.seconds:
            words.append(f"{progress.spent.tokens / progress.spent.seconds:.0f} tokens/s")
        words.append(minutes(seconds))
        if played and progress.wanted > progress.done:
            words.append(f"about {minutes(seconds / played * (progress.wanted - progress.done))} left")
        return ", ".join(words)


def _interrupted(last: Progress | None) -> Interrupted:
    """What Ctrl-C leaves behind; `last` is the last progress, if there was one."""
    if last is None:
        return Interrupted("stopped before the first dialogue was begun", "run the command again")
    return Interrupted(
        f"stopped; {last.done} of {last.wanted} dialogues are played and stored as {last.evaluation}", GO_ON
    )


def _draw_stopped(pace: Pace) -> None:
    stopped = _interrupted(pace.last)
    show.show_cursor()
    show.note(f"chattygen: {stopped.message}")
    show.note(f"  {stopped.hint}")


def _judge(home: Home, outcome: Outcome, judge: str, models_file: Path | None, engine: Engine | None) -> None:
    """Have every first reply that is not missing judged, unless this judge has done so."""
    from chattygen.evaluation.judge import About
    from chattygen.evaluation.marker import mark
    from chattygen.results.evaluations import EvaluationRecorder

    evaluation, replies = _to_judge(home, outcome)
    with (
        EvaluationRecorder(home.database) as recorder,
        Recorder(home.database) as calls,
        judging(home, calls, judge, models_file, engine) as asked,
    ):
        warn_of_own_work(asked, {"the replies": {evaluation.system, evaluation.revision}})
        who = (asked.model.name, asked.model.revision)

        def work(one: tuple[StoredReply, Turn]) -> None:
            reply, turn = one
            about = About(reply.dialogue, turn=reply.turn)
            verdict = mark(asked, about, turn.question.text, turn.query.answers, reply.reply).verdict
            recorder.verdict(reply.id, *who, {"right": True, "wrong": False}.get(verdict))

        todo = [one for one in replies if (one[0].judge, one[0].revision) != who]
        one_by_one(work, todo, f"judging {len(todo)} replies", "replies")


def _to_judge(home: Home, outcome: Outcome) -> tuple[StoredEvaluation, list[tuple[StoredReply, Turn]]]:
    """The first replies that are not missing, to turns that have a gold answer."""
    from chattygen.evaluation.scores import score

    with Reader(home.database) as reader:
        [evaluation] = [one for one in reader.evaluations(outcome.run) if one.id == outcome.evaluation]
        turns = {(one.id, turn.n): turn for one in reader.dialogues(outcome.run) for turn in one.turns}
        first = [reply for reply in reader.replies(evaluation.id) if reply.repeat == 1]
        names = reader.other_names(outcome.run)

    def said(reply: StoredReply, turn: Turn) -> bool:
        answers = turn.query.answers
        return bool(answers) and not score(reply.reply, turn.question.kind, answers, names).missing

    found = [(reply, turns[reply.dialogue, reply.turn]) for reply in first]
    return evaluation, [one for one in found if said(*one)]


def _draw_outcome(home: Home, outcome: Outcome, as_json: bool) -> None:
    from chattygen.scoring import read_scores
    from chattygen.tables import standings

    with Reader(home.database) as reader:
        found = standings(read_scores(reader, outcome.run, outcome.evaluation))
    if as_json:
        show.data_json(vars(outcome) | {"evaluations": found.data if found else []})
    elif found:
        show.line(outcome.evaluation, style="bold", aside=f"{outcome.system}, {outcome.done} dialogues played")
        draw_standings(found, ("systems", "rates"))


def draw_standings(found: Standings, keys: Collection[str] = ()) -> None:
    """The tables, or those with these keys; what explains several is said once."""
    explained = set()
    for table in found.tables:
        if not keys or table.key in keys:
            show.line("")
            show.line(table.title, style="bold")
            if table.about not in explained:
                show.line(table.about, style="dim")
            explained.add(table.about)
            show.table(table.columns, _without_repetition(table.rows), whole=NEVER_BROKEN)


def _without_repetition(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """The rows, without texts on the left that are those of the row above."""
    shown: list[list[object]] = []
    above: Sequence[object] = ()
    for row in rows:
        same = 0
        while same < min(2, len(above)) and above[same] == row[same] and isinstance(row[same], str):
            same += 1
        shown.append([*[""] * same, *row[same:]])
        above = row
    return shown
