"""The two packagings of llama.cpp side by side: the same run with the same model on each, one after the other.

    python benchmarks/engines.py --kg nobel --dialogues 4

Speeds and the tokens that were evaluated are the server's own, out of its log; tokens sent are those of the calls that
the run made. Run it with nothing beside it: the figures are of this machine, and servers wait for the slowest core.
One line of JSON per server as soon as its run is over, the same as a table.
"""

from __future__ import annotations

import re
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from chattygen import pipeline
from chattygen.cli import show
from chattygen.cli.options import home_option, models_file_option
from chattygen.config import Home, RunSettings
from chattygen.errors import ChattygenError
from chattygen.models import engines, obtain, server, weights
from chattygen.models.catalog import ROLES, Engine, Entry, load_catalog
from chattygen.models.model import Message, Model
from chattygen.results.reader import Reader
from chattygen.results.report import make_report

SETUPS = ("llama-cpp-python:1", "xllamacpp:1", "xllamacpp:2", "xllamacpp:4")
"""ENGINE:SLOTS; as many seeds are worked on at once as there are slots."""

PROBES = 20
"""Short calls that the time beyond the server's own is measured on."""

QUESTION: tuple[Message, ...] = (("system", "Answer with one word."), ("user", "What colour is the sky?"))

TIMING = re.compile(
    r"(?P<what>prompt eval|eval|total) time *= *(?P<ms>[0-9.]+) ms */ *(?P<tokens>[0-9]+) (?:tokens|runs)"
)


@dataclass(frozen=True)
class Timings:
    """What a server's log tells of the requests that it answered: milliseconds, and tokens that were computed."""

    prompt_ms: float = 0.0
    prompt_tokens: int = 0
    reply_ms: float = 0.0
    reply_tokens: int = 0
    total_ms: float = 0.0


def timings(log: str) -> Timings:
    """Add up the lines of llama.cpp about its speed, which both packagings write alike."""
    sums = {"prompt eval": [0.0, 0], "eval": [0.0, 0], "total": [0.0, 0]}
    for line in TIMING.finditer(log):
        sums[line["what"]][0] += float(line["ms"])
        sums[line["what"]][1] += int(line["tokens"])
    (prompt_ms, prompt), (reply_ms, reply), (total_ms, _) = sums.values()
    return Timings(prompt_ms, int(prompt), reply_ms, int(reply), total_ms)


@dataclass(frozen=True)
class Figures:
    """One server.

    Attributes:
        start: seconds until it answered.
        per_minute: dialogues by wall time of the run.
        sent, evaluated: tokens of the prompts of all calls, and those of them (and of the short prompts before each
            call) that the server computed.
        prefill, decode: tokens per second of one request, by the server's own time.
        tokens_per_second: completion tokens of the run by its wall time.
        client_ms: processor time of our client per call.
        beyond_ms: wall time per call beyond what the server says it took, both ends of HTTP included.
    """

    engine: str
    slots: int
    start: float
    dialogues: int
    visited: int
    minutes: float
    per_minute: float
    calls: int
    sent: int
    evaluated: int
    prefill: float
    decode: float
    tokens_per_second: float
    client_ms: float
    beyond_ms: float


class Log:
    """The log of a server, read on from where it was read last."""

    def __init__(self, path: str) -> None:
        self._path, self._at = Path(path), 0

    def read(self) -> Timings:
        time.sleep(0.5)  # the server writes it a moment after its answer
        text = self._path.read_bytes()[self._at :]
        self._at += len(text)
        return timings(text.decode(errors="replace"))


def probe(model: Model, log: Log) -> tuple[float, float]:
    """Per call: milliseconds of our own processor time, and of wall time beyond the server's."""
    model.complete(QUESTION, max_tokens=1)
    own, beyond = [], []
    log.read()
    for _ in range(PROBES):
        wall, used = time.perf_counter(), time.thread_time()
        model.complete(QUESTION, max_tokens=1)
        used, wall = time.thread_time() - used, time.perf_counter() - wall
        own.append(used * 1000)
        beyond.append(wall * 1000 - log.read().total_ms)
    return statistics.median(own), statistics.median(beyond)


def measure(home: Home, run: RunSettings, models_file: Path | None, model: str, engine: Engine, slots: int) -> Figures:
    """Start a server, make the run on it, read its log and the run's report, and stop it."""
    catalog = load_catalog(home, models_file, engine)
    entry = catalog.entry(model).model_copy(update={"concurrency": slots})
    begun = time.monotonic()
    running = start(entry, home)
    try:
        ready, log = time.monotonic() - begun, Log(running.log)
        with obtain.obtain(entry, home, lambda elapsed, words: None) as served:
            client, beyond = probe(served, log)
        roles = {str(role): name for role, name in catalog.roles("cpu", _all_roles(model)).items()}
        with show.progress(f"{run.dialogues} dialogues from {run.kg} on {engine} with {slots} slots") as bar:

            def tell(progress: pipeline.Progress) -> None:
                bar.update(progress.done, progress.wanted, f"{progress.done} dialogues, {progress.visited} seeds")

            outcome = pipeline.generate(home, replace(run, in_flight=slots), catalog, roles, fresh=True, tell=tell)
        told = log.read()
    finally:
        server.stop(running, home)
    with Reader(home.database) as reader:
        report = make_report(reader.measures(outcome.run))
    return Figures(
        engine=engines.with_version(engine),
        slots=slots,
        start=round(ready, 1),
        dialogues=report.dialogues,
        visited=report.visited,
        minutes=round(report.minutes, 2),
        per_minute=round(_per(report.dialogues, report.minutes), 2),
        calls=report.usage.calls,
        sent=report.usage.prompt_tokens,
        evaluated=told.prompt_tokens,
        prefill=round(_per(told.prompt_tokens, told.prompt_ms / 1000), 1),
        decode=round(_per(told.reply_tokens, told.reply_ms / 1000), 1),
        tokens_per_second=round(_per(report.usage.completion_tokens, report.minutes * 60), 1),
        client_ms=round(client, 2),
        beyond_ms=round(beyond, 2),
    )


def start(entry: Entry, home: Home) -> server.Running:
    """As serve-models does, but with the server's own times in its log."""
    launch = engines.launch(entry, weights.find(entry, home), server.choose_port(), server.new_key())
    words = list(launch.command)
    if "--verbose" in words:
        words[words.index("--verbose") + 1] = "true"
    quiet = lambda elapsed, words: None  # noqa: E731
    return server.start(replace(launch, command=tuple(words)), home, quiet, guarded=True, started_by=obtain.SERVE)


def _all_roles(model: str) -> dict[str, str]:
    return {role: model for role in ROLES if role != "verify"}


def _per(count: float, time: float) -> float:
    return count / time if time else 0.0


def _setup(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> list[tuple[Engine, int]]:
    found: list[tuple[Engine, int]] = []
    for text in given:
        engine, _, slots = text.partition(":")
        if engine not in engines.ENGINES or not slots.isdecimal():
            raise click.BadParameter(f"{text} is not ENGINE:SLOTS, such as {SETUPS[-1]}")
        found.append((engine, int(slots)))
    return found


@click.command()
@click.option("--kg", default="nobel", show_default=True, help="A loaded graph.")
@click.option("--dialogues", type=click.IntRange(1), default=4, show_default=True)
@click.option("--questions", type=click.IntRange(1), default=5, show_default=True, help="Per dialogue.")
@click.option("--model", default="qwen2.5-coder-1.5b-instruct", show_default=True, help="For every role but verify.")
@click.option("--setup", "setups", multiple=True, default=SETUPS, show_default=True, callback=_setup)
@models_file_option
@home_option
def main(
    kg: str,
    dialogues: int,
    questions: int,
    model: str,
    setups: Sequence[tuple[Engine, int]],
    models_file: Path | None,
    home: Home,
) -> None:
    """Make the same run on each of the servers and print what it came to."""
    done: list[Figures] = []
    run = RunSettings(kg, dialogues, questions, min(RunSettings.min_questions, questions))
    try:
        for engine, slots in setups:
            done.append(measure(home, run, models_file, model, engine, slots))
            show.data_json({"model": model, "kg": kg} | asdict(done[-1]))
    except ChattygenError as error:
        show.note(f"{error.message}\n  {error.hint}")
        sys.exit(error.exit_code)
    finally:
        draw(done)


def draw(servers: Sequence[Figures]) -> None:
    """The figures as two tables."""
    if not servers:
        return
    show.table(
        ["engine", "slots", "start", "accepted / visited", "dialogues/min", "tokens/s"],
        [
            [s.engine, s.slots, f"{s.start} s", f"{s.dialogues} / {s.visited}", s.per_minute, s.tokens_per_second]
            for s in servers
        ],
        title="\nthe run; tokens of replies by wall time",
        whole=["engine"],
    )
    show.table(
        ["engine", "slots", "prefill/s", "decode/s", "sent", "evaluated", "share", "client ms", "beyond ms"],
        [
            [
                *(s.engine.split()[0], s.slots, s.prefill, s.decode, s.sent, s.evaluated),
                f"{_per(s.evaluated, s.sent):.0%}",
                *(s.client_ms, s.beyond_ms),
            ]
            for s in servers
        ],
        title="\ntokens per second of a request, by the server's own time; tokens of prompts; milliseconds per call",
        whole=["engine"],
    )


if __name__ == "__main__":
    main()
