"""Is anything left of chattygen when it is killed? kill -9 at random moments, while it serves and while it generates.

    python benchmarks/servers.py --kills 20

Every trial is a command of its own in a new home, in turns `serve-models` and `generate` with its own server, ended
with kill -9 at a random moment: while it starts, loads, serves or asks. Then its processes are watched, and the ports
that they listened on. One line of JSON per trial, the same as a table at the end. Exit status 1 when a process is alive
or a port is held after 15 seconds.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import psutil

from benchmarks.kill import RECIPE, chattygen, finish, new_home
from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import Home
from chattygen.errors import ServerError
from chattygen.models import processes, server
from chattygen.models.catalog import ROLES

LIMIT = 15.0
"""Seconds after which nothing may be left."""


@dataclass(frozen=True)
class Trial:
    """One kill.

    Attributes:
        command: what was killed, `after` so many seconds.
        children, ports: processes and listening sockets that it had then.
        gone: seconds until all of its processes were gone, LIMIT at most.
        left: processes that were alive then.
        held: ports that could not be used then.
    """

    command: str
    after: float
    children: int
    ports: int
    gone: float
    left: int
    held: int

    @property
    def good(self) -> bool:
        return not self.left and not self.held


def trial(home: Home, words: Sequence[str], after: float) -> Trial:
    """Start a command, kill it after so many seconds, and watch what it leaves.

    Raises:
        ClickException: it has ended by itself.
    """
    command = [sys.executable, "-m", "chattygen", *words, "--home", str(home.path)]
    said = home.path / "said"
    with said.open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        time.sleep(after)
        if process.poll() is not None:
            raise click.ClickException(f"{words[0]} ended by itself with {process.returncode}: {said.read_text()}")
        children = family(process.pid, home)
        ports = {port for _, _, port in processes.listening(children)}
        process.kill()
        begun = time.monotonic()
        while (left := [child for child in {*children, *processes.marked(home.path)} if runs(child)]) and (
            time.monotonic() - begun < LIMIT
        ):
            time.sleep(0.2)
        gone = time.monotonic() - begun
    held = [port for port in ports if taken(port)]
    for child in left:  # so that the next trial begins with nothing
        child.kill()
    return Trial(words[0], round(after, 2), len(children), len(ports), round(gone, 1), len(left), len(held))


def family(pid: int, home: Home) -> set[psutil.Process]:
    """The processes that a command has started, whoever their parent is."""
    with suppress(psutil.NoSuchProcess):
        return {*psutil.Process(pid).children(recursive=True), *processes.marked(home.path)}
    return set()


def runs(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def taken(port: int) -> bool:
    try:
        server.choose_port(port)
    except ServerError:
        return True
    return False


def trials(work: Path, models: Home, model: str, kills: int, within: float, seed: int) -> Iterator[Trial]:
    """Load the sample graph, then kill one command after the other."""
    finish(chattygen(Home(work), "load-kg", "--recipe", str(RECIPE)))
    roles = [word for role in ROLES if role != "verify" for word in ("--role", f"{role}={model}")]
    commands = (["serve-models", model], ["generate", "--kg", RECIPE.stem, *roles])
    moments = random.Random(seed)
    for number in range(kills):
        home = new_home(work / str(number), models, work / "kgs")
        yield trial(home, commands[number % 2], moments.uniform(0, within))
        shutil.rmtree(home.path)


@click.command()
@click.option("--kills", type=click.IntRange(1), default=20, show_default=True)
@click.option("--model", default="smollm2-135m-instruct", show_default=True, help="One that needs a server.")
@click.option("--within", type=float, default=10.0, show_default=True, help="Seconds within which the kill comes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the moments.")
@home_option
def main(kills: int, model: str, within: float, seed: int, home: Home) -> None:
    """Kill commands at random moments and count what is left of them."""
    work = Path(tempfile.mkdtemp(prefix="chattygen-servers-"))
    seen: list[Trial] = []
    try:
        for one in trials(work, home, model, kills, within, seed):
            seen.append(one)
            show.data_json(asdict(one))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    show.table(
        ["killed", "after", "children", "ports", "gone after", "left", "ports held"],
        [[t.command, f"{t.after:.2f} s", t.children, t.ports, f"{t.gone:.1f} s", t.left, t.held] for t in seen],
    )
    show.data(
        f"\n{len(seen)} kills: {sum(t.left for t in seen)} processes alive and {sum(t.held for t in seen)} ports held"
        f" after {LIMIT:.0f} s; all were gone after {max(t.gone for t in seen):.1f} s"
    )
    sys.exit(not all(t.good for t in seen))


if __name__ == "__main__":
    main()
