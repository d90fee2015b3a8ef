"""What the results database costs: reading a large run, and writing while the models work.

    python benchmarks/results.py --dialogues 100000

Makes a run of that many dialogues and one of 100, lets every command that reads a run loose on both, each in a process
of its own, and records dialogues as a run does. One line of JSON per measurement, the same as tables at the end. Knows
nothing about models and graphs. Peak memory is read from /proc, so this needs Linux.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from sqlite_utils import Database

from chattygen.cli import show
from chattygen.config import Home, RunSettings
from chattygen.domain import (
    Answer,
    Attempt,
    Call,
    Dialogue,
    DroppedFact,
    Fact,
    Finding,
    Iri,
    Query,
    Question,
    Seed,
    Subgraph,
    Turn,
    Usage,
    Value,
)
from chattygen.results import database
from chattygen.results.export import FORMS
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder

NS = "http://example.org/resource/"
SMALL = 100
"""Dialogues of the run that the large one is measured against; the large one is made of its copies."""

OTHER_RUNS = 5
RECORDED = 200


@dataclass(frozen=True)
class Reading:
    """One command on a run of `dialogues`, all of its process.

    Attributes:
        seconds: until it ended; `computing` is the processor time in it, which other programs disturb less.
        megabytes: the most memory that it held.
        growth: that over what the same command held for a run of 100 dialogues.
    """

    command: str
    dialogues: int
    seconds: float
    computing: float
    megabytes: float
    growth: float


@dataclass(frozen=True)
class Writing:
    """Going on with a run of `beside` dialogues: milliseconds for each further one, and their share of the time that a
    real run takes for one, 0 to 1.
    """

    beside: int
    dialogues: int
    milliseconds: float
    share: float


# ---------------------------------------------------------------------------------------------------------------------
# What is stored

SUBJECTS = (
    "birth place", "field of work", "employer", "award received", "doctoral student", "notable work", "residence",
    "member of",
)  # fmt: skip
MODEL = "qwen2.5-coder-1.5b-instruct"
ASKED = 5
INSTRUCTIONS = "Write one natural question for each fact, in the given order. X stands for the entity: keep it. " * 11
LINE = '" " ("What" | "Which" | "Who" | "Where" | "In which" | "By whom") " " [^\\n?X]{0,60} "X" [^\\n?X]{0,60} "?"'


def conversation(n: int) -> tuple[Subgraph, tuple[Attempt, ...], Dialogue]:
    """The `n`th seed: 8 facts of 2 values, 4 calls with prompts of 1.5 kB and a failure of the builder, 5 turns of 2
    answers each.
    """
    name = f"Ada Northfell the {n}th"
    iri = NS + name.replace(" ", "_")
    facts = tuple(_fact(f"{name}, {subject}", subject, k) for k, subject in enumerate(SUBJECTS))
    dropped = tuple(DroppedFact(f"{NS}image{k}", "out", "image or URL") for k in range(5))
    attempts = (
        _attempt(name, "questions", 1, 0, Finding("Q8", "asks for another fact", f"What does {name} belong to?")),
        _attempt(name, "questions", 2, 3),
        _attempt(name, "queries", 1, 0),
        Attempt("queries", 2, 2, None, (Finding("S5", "the builder's query gives other answers", "Ada 1"),)),
        _attempt(name, "dialogue", 1, 0, Finding("D8", "its pronouns do not agree", "Where do she live?")),
    )
    usage = sum((made.call.usage for made in attempts if made.call), Usage())
    turns = tuple(_turn(number, name, iri, fact) for number, fact in enumerate(facts[:ASKED], 1))
    seed = Seed(iri, name, NS + "Laureate", "laureate", "person")
    return Subgraph(seed, facts, 16, dropped), attempts, Dialogue(seed, turns, usage)


def _fact(prefix: str, subject: str, k: int) -> Fact:
    values = tuple(Value(Iri(f"{NS}{prefix}/{i}".replace(" ", "_")), f"{prefix} {i}", "place") for i in (1, 2))
    return Fact(NS + subject.replace(" ", "_"), subject, "in" if k % 2 else "out", values, 2, "entity", "place")


def _attempt(name: str, stage: str, number: int, item: int, *findings: Finding) -> Attempt:
    lines = "\n".join(f"{subject} of X: 2 places, such as those of {name}" for subject in SUBJECTS[:ASKED])
    call = Call(
        stage=stage,
        role="sparql" if stage == "queries" else stage,
        model=MODEL,
        revision="0" * 64,
        attempt=number,
        prompt_hash="0" * 16,
        messages=(("system", INSTRUCTIONS), ("user", f"{name} is a laureate.\n{lines}")),
        constraint="\n".join(f"l{k} ::= {LINE}" for k in range(ASKED)),
        max_tokens=160,
        temperature=0.0,
        sampling_seed=number,
        reply="\n".join(f"{subject}: What is the {subject} of X?" for subject in SUBJECTS[:ASKED]),
        finish="stop",
        prompt_tokens=400,
        completion_tokens=60,
        seconds=5.0,
    )
    return Attempt(stage, number, item, call, findings)


def _turn(n: int, name: str, iri: str, fact: Fact) -> Turn:
    label = fact.predicate_label
    asked = Question(fact, f"What is the {label} of X?", f"What is the {label} of {name}?", "what", "model")
    sides = ("?x", f"<{iri}>") if fact.direction == "in" else (f"<{iri}>", "?x")
    sparql = f"SELECT DISTINCT ?x WHERE {{ {sides[0]} <{fact.predicate}> {sides[1]} }}"
    answers = tuple(Answer("uri", value.term.value, value.label) for value in fact.values)
    said = asked.text if n == 1 else f"And what is their {label}?"
    return Turn(n, said, "model", asked, Query(sparql, "select", "model", answers))


def record(recorder: Recorder, run: str, numbers: Iterable[int]) -> float:
    """Record the seeds with these numbers, call by call as the pipeline does; return the seconds that it took."""
    made = [conversation(n) for n in numbers]
    begun = time.perf_counter()
    for subgraph, attempts, dialogue in made:
        seed = recorder.start_seed(run, subgraph)
        for attempt in attempts:
            if attempt.call:
                recorder.recall(run, seed, attempt.item, attempt.call, anywhere=True)
            recorder.attempt(run, seed, attempt)
        recorder.dialogue(run, seed, dialogue)
    return time.perf_counter() - begun


def start(recorder: Recorder, kg: str, dialogues: int) -> str:
    roles = dict.fromkeys(("label", "questions", "sparql", "dialogue"), MODEL)
    return recorder.start_run(kg, "f00d", 1_000_000, asdict(RunSettings(kg, dialogues)), roles)


def fill(path: Path, dialogues: int) -> None:
    """Make a database with a run of that many dialogues, called `large...`, and some small ones.

    The large run has no end, like one that was killed: so it can go on, and every reader looks up its last moment.
    """
    with Recorder(path) as recorder:
        record(recorder, start(recorder, "large", dialogues), range(SMALL))
    db = database.open_to_write(path, 30.0)
    multiply(db, dialogues // SMALL)
    db.close()
    with Recorder(path) as recorder:
        for _ in range(OTHER_RUNS):
            run = start(recorder, "other", SMALL)
            record(recorder, run, range(SMALL))
            recorder.finish_run(run, "done")


COPIED = {
    "seed": {"id": "id + :seed", "n": "n + :seed", "iri": "iri || '/' || :copy"},
    "fact": {"seed": "seed + :seed"},
    "dropped_fact": {"seed": "seed + :seed"},
    "call": {"id": "id + :call", "seed": "seed + :seed", "request": "lower(hex(randomblob(32)))"},
    "finding": {"id": "id + :finding", "call": "call + :call", "seed": "seed + :seed"},
    "question": {"seed": "seed + :seed"},
    "query": {"id": "id + :query", "seed": "seed + :seed"},
    "answer": {"query": "query + :query"},
    "dialogue": {"id": "rtrim(id, '0123456789') || (n + :seed)", "seed": "seed + :seed", "n": "n + :seed"},
    "turn": {"dialogue": "rtrim(dialogue, '0123456789') || (seed + :seed)", "seed": "seed + :seed"},
}
"""The tables of a run, parents first, and what becomes of their keys in a copy: each table has numbers of its own."""


def multiply(db: Database, copies: int) -> None:
    """Let the only run of a database have `copies` times as many seeds, by copying the rows that are there."""
    rows = {table: db.table(table).count for table in COPIED}
    for copy in range(1, copies):
        numbers = {table: count * copy for table, count in rows.items()} | {"copy": copy}
        with database.immediate(db):
            for table, changed in COPIED.items():
                names = [column.name for column in db.table(table).columns]
                values = ", ".join(changed.get(name, f'"{name}"') for name in names)
                db.execute(
                    f'insert into "{table}" select {values} from "{table}" where rowid <= {rows[table]}', numbers
                )


# ---------------------------------------------------------------------------------------------------------------------
# What is measured

WATCHED = """
import sys, time
from chattygen.cli.main import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        (kilobytes,) = [line.split()[1] for line in status if line.startswith("VmHWM")]
    print(kilobytes, time.process_time(), file=sys.stderr)
"""
"""The command line; its last line on stderr is the memory that it held at most and the seconds that it computed. What
the system tells a parent about its children holds the parent's own memory too."""


def commands(run: str, folder: Path) -> dict[str, list[str]]:
    """Name -> arguments of what reads a run, or all."""
    exports = {
        f"export --to {form}": ["export", run, "--to", form, "--output", str(folder / form), "--force"]
        for form in FORMS
    }
    return {
        "list-runs": ["list-runs"],
        "show-run --limit 5": ["show-run", run, "--limit", "5"],
        "report --json": ["report", run, "--json"],
        **exports,
    }


def watch(home: Home, arguments: list[str]) -> tuple[float, float, float]:
    """Seconds, seconds of them computing, and peak megabytes of a command in a process of its own.

    Raises:
        ClickException: it failed.
    """
    command = [sys.executable, "-c", WATCHED, *arguments, "--home", str(home.path)]
    begun = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begun
    *said, last = done.stderr.splitlines()
    if done.returncode:
        raise click.ClickException("\n".join([f"{arguments} failed", *said]))
    kilobytes, computing = last.split()
    return seconds, float(computing), int(kilobytes) / 1024


def reading(large: Home, small: Home, run: str, folder: Path) -> Iterator[Reading]:
    """Every command on the large run and on the small one."""
    with Reader(large.database) as reader:
        dialogues = reader.run(run).dialogues
    for name, arguments in commands(run, folder).items():
        *_, little = watch(small, arguments)
        seconds, computing, megabytes = watch(large, arguments)
        yield Reading(name, dialogues, seconds, computing, megabytes, megabytes / little)


def writing(home: Home, real: float) -> Writing:
    """Go on with the large run, or a new one where there is none; `real` is the seconds per dialogue of a real run."""
    with Reader(home.database) as reader:
        runs = [run for run in reader.runs() if run.kg == "large"]
    beside = runs[0].visited if runs else 0
    with Recorder(home.database) as recorder:
        if runs:
            run = runs[0].id
            recorder.resume_run(run)
        else:
            run = start(recorder, "large", RECORDED)
        seconds = record(recorder, run, range(beside, beside + RECORDED)) / RECORDED
    return Writing(beside, RECORDED, seconds * 1000, seconds / real)


@click.command()
@click.option("--dialogues", type=click.IntRange(SMALL), default=100_000, show_default=True, help="In the large run.")
@click.option(
    "--real", type=float, default=20.0, show_default=True, help="Seconds that a real run takes for a dialogue."
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Leave the databases in this folder, and take those that are there.",
)
def main(dialogues: int, real: float, keep: Path | None) -> None:
    """Make a large results database and print what reading it and writing to it costs."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        homes = {size: Home((keep or folder) / str(size)) for size in (dialogues, SMALL)}
        for size, home in homes.items():
            if not home.database.exists():
                begun = time.perf_counter()
                fill(home.database, size)
                megabytes = home.database.stat().st_size / 1e6
                show.note(f"made {size} dialogues, {megabytes:,.0f} MB, in {time.perf_counter() - begun:.0f} s")
        large, small = homes[dialogues], homes[SMALL]
        read, written = [], []
        for command in reading(large, small, "large", folder):
            show.data_json(asdict(command))
            read.append(command)
        for home in (Home(folder / "empty"), large):
            written.append(writing(home, real))
            show.data_json(asdict(written[-1]))
    draw(read, written)


# ---------------------------------------------------------------------------------------------------------------------
# The tables


def draw(read: Sequence[Reading], written: Sequence[Writing]) -> None:
    show.table(
        ["command", "seconds", "computing", "dialogues/s", "peak MB", "growth"],
        [
            [
                one.command,
                round(one.seconds, 1),
                round(one.computing, 1),
                _speed(one),
                round(one.megabytes),
                round(one.growth, 2),
            ]
            for one in read
        ],
        title=f"\nreading a run of {read[0].dialogues:,} dialogues; growth of the peak is over a run of {SMALL}",
        whole=["command"],
    )
    show.table(
        ["dialogues before", "ms per dialogue", "share of a real run"],
        [[one.beside, round(one.milliseconds, 1), f"{one.share:.2%}"] for one in written],
        title=f"\nwriting {RECORDED} dialogues",
    )


def _speed(one: Reading) -> str:
    """Only an export passes on every dialogue."""
    return f"{one.dialogues / one.seconds:,.0f}" if one.command.startswith("export") else "-"


if __name__ == "__main__":
    main()
