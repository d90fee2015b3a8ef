"""Does a run survive being killed? Kill it at random moments, resume it, and compare it with an undisturbed one.

    python benchmarks/kill.py --kills 20                                   # a scripted model that says nothing
    python benchmarks/kill.py --kills 5 --model smollm2-135m-instruct      # a real one

Every trial is a run of its own in a new home: started, ended with kill -9 at a random moment, resumed. Then all its
tables are compared with those of a run that nobody disturbed, ids and times aside, and so is its export. One line of
JSON per trial, the same as a table at the end. Exit status 1 when any of it is not as it must be.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import psutil

from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import Home
from chattygen.models.catalog import ROLES

REPOSITORY = Path(__file__).parents[1]
RECIPE = REPOSITORY / "kg-loaders" / "nobel.toml"

SCRIPT = "script"
SILENT = [{"match": "What is a ", "reply": "person", "times": 0}, {"reply": "", "times": 0}]
"""A script that names no fact: every stage fails three times, and the builder writes the dialogue."""


@dataclass(frozen=True)
class Trial:
    """One kill.

    Attributes:
        after: seconds from the start to the kill.
        stored: calls that were stored when it was killed, of `calls` in the end.
        same_tables, same_export: as those of the undisturbed run.
        twice: steps (seed, stage, attempt, item) that are stored more than once.
        orphans: rows that refer to none.
    """

    after: float
    stored: int
    calls: int
    same_tables: bool
    same_export: bool
    twice: int
    orphans: int

    @property
    def good(self) -> bool:
        return self.same_tables and self.same_export and not self.twice and not self.orphans


# ---------------------------------------------------------------------------------------------------------------------
# What a run has left, ids and times aside

SEED = "(select n from seed where seed.id = {table}.seed)"
TABLES = {
    "run": ("kg, kg_fingerprint, settings, models, status, reason, repeatable", "id = :run", "1"),
    "node_type": ("iri, label, count, share, kept, reason, wanted", "run = :run", "iri"),
    "label_rule": ("node_type, predicates, coverage, chosen_by", "run = :run", "node_type"),
    "seed": ("n, iri, label, node_type, being, bucket, status, rule, reason, facts, triples", "run = :run", "n"),
    "fact": ("{seed}, n, predicate, direction, value_kind, value_type, count, \"values\"", "{of_run}", "1, 2"),
    "dropped_fact": ("{seed}, n, predicate, direction, reason", "{of_run}", "1, 2"),
    "call": (
        "{seed}, stage, attempt, item, request, role, model, revision, prompt_hash, messages, \"constraint\", reply,"
        " thinking, finish, prompt_tokens, completion_tokens, error, reused",
        "run = :run",
        "1, 2, 3, 4, 5",
    ),
    "finding": (
        "{seed}, stage, attempt, item, rule, message, evidence, call is null",
        "run = :run",
        "1, 2, 3, 4, 5, 7",
    ),
    "question": ("{seed}, n, fact, pattern, text, kind, origin", "{of_run}", "1, 2"),
    "query": ("{seed}, n, sparql, form, origin, complete", "{of_run}", "1, 2"),
    "answer": (
        "(select seed.n from seed join query on query.seed = seed.id where query.id = answer.query),"
        " (select n from query where query.id = answer.query), n, type, value, label, datatype, lang",
        "query in (select query.id from query join seed on seed.id = query.seed where run = :run)",
        "1, 2, 3",
    ),
    "dialogue": ("n, {seed}, prompt_tokens, completion_tokens, calls", "run = :run", "n"),
    "turn": (
        "{seed}, n, utterance, utterance_origin, question",
        "dialogue in (select id from dialogue where run = :run)",
        "1, 2",
    ),
}  # fmt: skip
"""table -> (columns, condition, order)"""


def tables(database: Path, run: str) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a run, in an order of their own, without row ids, the run's id and times."""
    of_run = "seed in (select id from seed where run = :run)"
    with closing(sqlite3.connect(database)) as connection:
        rows = {}
        for table, (columns, condition, order) in TABLES.items():
            chosen = columns.format(seed=SEED.format(table=table))
            where = condition.format(of_run=of_run)
            found = connection.execute(f"select {chosen} from {table} where {where} order by {order}", {"run": run})
            rows[table] = found.fetchall()
    return rows


def stored_twice(database: Path, run: str) -> int:
    """Steps of a run of which more than one answered call is stored."""
    sql = """select count(*) from (select 1 from call where run = ? and error = ''
        group by seed, stage, attempt, item, request having count(*) > 1)"""
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute(sql, [run]).fetchone()[0])


def orphans(database: Path) -> int:
    """Rows that refer to none, and whatever else SQLite finds wrong."""
    with closing(sqlite3.connect(database)) as connection:
        wrong = [row for row in connection.execute("pragma integrity_check") if row != ("ok",)]
        return len(connection.execute("pragma foreign_key_check").fetchall()) + len(wrong)


def export(home: Home, run: str) -> str:
    """The run's export as JSON lines, without its id and seconds."""
    command = [sys.executable, "-m", "chattygen", "export", run, "--to", "jsonl", "--home", str(home.path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    dialogues = [json.loads(line.replace(run, "RUN")) for line in text.splitlines()]
    for dialogue in dialogues:
        dialogue["usage"]["seconds"] = 0.0
    return "\n".join(json.dumps(dialogue) for dialogue in dialogues)


# ---------------------------------------------------------------------------------------------------------------------
# Trials


def chattygen(home: Home, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "chattygen", *words, "--home", str(home.path), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end; 0 and 3 (short of the request) are good ones."""
    said = process.communicate()[1].decode()
    if process.returncode not in (0, 3):
        raise click.ClickException(f"chattygen ended with {process.returncode}: {said}")


def new_home(path: Path, models: Home, graphs: Path) -> Home:
    """A home that shares weights and graphs with others and knows a scripted model."""
    path.mkdir(parents=True)
    (path / "models").symlink_to(models.models.resolve(), target_is_directory=True)
    (path / "kgs").symlink_to(graphs.resolve(), target_is_directory=True)
    (path / "script.jsonl").write_text("".join(json.dumps(rule) + "\n" for rule in SILENT), encoding="utf-8")
    catalog = (REPOSITORY / "models.toml").read_text(encoding="utf-8")
    scripted = f'\n[models.{SCRIPT}]\nbackend = "scripted"\nscript = "script.jsonl"\n'
    (path / "models.toml").write_text(catalog + scripted, encoding="utf-8")
    return Home(path)


def only_run(database: Path) -> str | None:
    """The id of the run in a database that has one at most."""
    if not database.exists():
        return None
    with closing(sqlite3.connect(database)) as connection:
        if not connection.execute("select 1 from sqlite_master where name = 'run'").fetchall():
            return None
        row = connection.execute("select id from run").fetchone()
    return str(row[0]) if row else None


def calls(database: Path, run: str) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("select count(*) from call where run = ?", [run]).fetchone()[0])


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9, and wait until its children have noticed: two model servers at once would be slow."""
    children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.send_signal(signal.SIGKILL)
    process.communicate()
    psutil.wait_procs(children, timeout=30)


@click.command()
@click.option("--kills", type=click.IntRange(1), default=20, show_default=True)
@click.option("--dialogues", type=click.IntRange(1), default=12, show_default=True)
@click.option("--model", default=SCRIPT, show_default=True, help="For every role but verify.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the moments.")
@home_option
def main(kills: int, dialogues: int, model: str, seed: int, home: Home) -> None:
    """Kill runs at random moments, resume them, and compare."""
    work = Path(tempfile.mkdtemp(prefix="chattygen-kill-"))
    trials: list[Trial] = []
    try:
        finish(chattygen(Home(work), "load-kg", "--recipe", str(RECIPE)))
        roles = [word for role in ROLES if role != "verify" for word in ("--role", f"{role}={model}")]
        words = ["generate", "--kg", RECIPE.stem, "--dialogues", str(dialogues), *roles]

        undisturbed = new_home(work / "undisturbed", home, work / "kgs")
        begun = time.monotonic()
        finish(chattygen(undisturbed, *words))
        lasted = time.monotonic() - begun
        run = only_run(undisturbed.database)
        assert run is not None
        right, text = tables(undisturbed.database, run), export(undisturbed, run)
        show.note(f"undisturbed: {lasted:.1f} s, {calls(undisturbed.database, run)} calls, {len(right['seed'])} seeds")

        moments = random.Random(seed)
        for number in range(kills):
            place = new_home(work / str(number), home, work / "kgs")
            after, stored = moments.uniform(0, lasted), 0
            process = chattygen(place, *words)
            time.sleep(after)
            kill(process)
            if found := only_run(place.database):
                stored = calls(place.database, found)
                finish(chattygen(place, "resume", "latest"))
            else:  # it was killed before it had begun a run
                finish(chattygen(place, *words))
                found = only_run(place.database)
                assert found is not None
            trials.append(
                Trial(
                    round(after, 2),
                    stored,
                    calls(place.database, found),
                    tables(place.database, found) == right,
                    export(place, found) == text,
                    stored_twice(place.database, found),
                    orphans(place.database),
                )
            )
            show.data_json(asdict(trials[-1]))
            shutil.rmtree(place.path)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    good = sum(trial.good for trial in trials)
    show.table(
        ["killed after", "calls stored", "calls", "same tables", "same export", "twice", "orphans"],
        [[f"{t.after:.2f} s", t.stored, t.calls, t.same_tables, t.same_export, t.twice, t.orphans] for t in trials],
    )
    show.data(f"\n{good} of {len(trials)} runs ended as if nothing had happened")
    sys.exit(good < len(trials))


if __name__ == "__main__":
    main()
