"""The model commands: serve-models, stop-models, status, list-models, pull-model, check-model."""

from __future__ import annotations

import signal
import time
from datetime import datetime
from pathlib import Path

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option, models_file_option
from chattygen.config import Home
from chattygen.errors import ModelError, ServerError
from chattygen.models import obtain, server, weights
from chattygen.models.catalog import Entry, Profile, detect_profile, load_catalog, names_for
from chattygen.models.trial import Trial, try_embedder, try_model


@click.command()
@click.argument("names", metavar="[ROLE|NAME]...", nargs=-1)
@click.option("--cpu", "profile", flag_value="cpu", help="Use the models of [roles.cpu].")
@click.option("--gpu", "profile", flag_value="gpu", help="Use the models of [roles.gpu].")
@click.option("--detach", is_flag=True, help="Return when they are ready and leave them running.")
@click.option("--port", type=click.IntRange(1024, 65535), help="Port of the first server; the others count up.")
@models_file_option
@home_option
def serve_models(
    names: tuple[str, ...],
    profile: Profile | None,
    detach: bool,
    port: int | None,
    models_file: Path | None,
    home: Home,
) -> None:
    """Start the local servers of these roles or models (default: of every role) and wait until they answer.

    Without --detach the command stays until Ctrl-C, which stops the servers and exits with 0. Without --cpu or --gpu
    the GPU is used where an NVIDIA device and vLLM are both present.
    """
    catalog = load_catalog(home, models_file)
    entries = [catalog.entry(name) for name in names_for(catalog, names, profile or detect_profile())]
    entries = [entry for entry in entries if _needs_server(entry, home)]
    for entry in entries:
        weights.find(entry, home)
    # A plain kill is a wanted stop, like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started: list[server.Running] = []
    try:
        for number, entry in enumerate(entries):
            started.append(_serve(entry, home, detach, port + number if port else None))
    except BaseException:
        _stop(started, home)
        raise
    if detach or not started:
        show.note("stop with: chattygen stop-models")
        return
    show.note("stop with Ctrl-C")
    try:
        _watch(started)
    except KeyboardInterrupt:
        show.note("stopping")
    finally:
        _stop(started, home)


def _needs_server(entry: Entry, home: Home) -> bool:
    """Whether a server must be started; says so when not."""
    if entry.backend not in obtain.SERVED:
        show.note(f"{entry.name} needs no server (backend {entry.backend})")
        return False
    shared = [s for s in server.running(home) if s.model == entry.name and s.started_by == obtain.SERVE]
    if shared:
        show.note(f"{entry.name} is already served at {shared[0].url}")
    return not shared


def _serve(entry: Entry, home: Home, detach: bool, port: int | None) -> server.Running:
    with show.progress(f"starting {entry.name}") as bar:
        running = obtain.serve(
            entry,
            home,
            lambda elapsed, words: bar.update(0, None, words),
            guarded=not detach,
            started_by=obtain.SERVE,
            port=port,
        )
    show.note(f"{entry.name} answers at {running.url}; log: {running.log}")
    return running


def _watch(servers: list[server.Running]) -> None:
    """Wait until Ctrl-C.

    Raises:
        ServerError: a server died.
    """
    while True:
        for running in servers:
            if not running.alive:
                raise ServerError(f"the server of {running.model} died", f"see {running.log}")
        time.sleep(0.5)


def _stop(servers: list[server.Running], home: Home) -> None:
    for running in servers:
        server.stop(running, home)


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@home_option
def stop_models(names: tuple[str, ...], home: Home) -> None:
    """Stop the servers that serve-models started (all, or those of these models)."""
    servers = [s for s in server.running(home) if s.started_by == obtain.SERVE and (not names or s.model in names)]
    for running in servers:
        server.stop(running, home)
        show.note(f"stopped {running.model}")
    if not servers:
        show.note("nothing to stop")


@click.command()
@json_option
@home_option
def status(as_json: bool, home: Home) -> None:
    """Show the model servers that run: address, memory, log, who started them."""
    servers = server.running(home)
    if as_json:
        show.data_json(
            [
                {
                    "model": s.model,
                    "pid": s.pid,
                    "url": s.url,
                    "memory": s.memory,
                    "since": _clock(s.started),
                    "started_by": s.started_by,
                    "log": s.log,
                }
                for s in servers
            ]
        )
    elif servers:
        rows = [[s.model, s.pid, s.url, f"{s.memory / 1e9:.1f} GB", _clock(s.started), s.started_by] for s in servers]
        show.table(["model", "pid", "url", "memory", "since", "started by"], rows, whole=["model", "url"])
        for s in servers:
            show.note(f"log of {s.model}: {s.log}")
    else:
        show.note("no model server runs; start one with: chattygen serve-models")


def _clock(started: float) -> str:
    return datetime.fromtimestamp(started).astimezone().isoformat(timespec="seconds")


@click.command()
@models_file_option
@json_option
@home_option
def list_models(models_file: Path | None, as_json: bool, home: Home) -> None:
    """List the models of models.toml: backend, default roles, size, and whether the weights are here."""
    catalog = load_catalog(home, models_file)
    entries = [catalog.entry(name) for name in catalog.names]
    if as_json:
        show.data_json(
            [
                {
                    "model": entry.name,
                    "title": entry.title,
                    "backend": entry.backend,
                    "roles": catalog.roles_of(entry.name),
                    "context": entry.context,
                    "bytes": entry.size,
                    "weights": weights.state(entry, home),
                    "licence": entry.licence,
                }
                for entry in entries
            ]
        )
        return
    rows = [
        [
            entry.name,
            entry.backend,
            weights.state(entry, home),
            f"{entry.size / 1e9:.1f} GB" if entry.size else "",
            " ".join(catalog.roles_of(entry.name)),
        ]
        for entry in entries
    ]
    show.table(["model", "backend", "weights", "size", "roles"], rows, whole=["model"])


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@models_file_option
@home_option
def pull_model(names: tuple[str, ...], models_file: Path | None, home: Home) -> None:
    """Download the weights of these models and verify them; an interrupted download goes on where it stopped."""
    catalog = load_catalog(home, models_file)
    for entry in [catalog.entry(name) for name in names]:
        if weights.state(entry, home) == "-":
            show.note(f"{entry.name} has no weights of its own (backend {entry.backend})")
            continue
        with show.progress(entry.name, bytes_=True) as bar:

            def report(done: int, total: int, words: str, bar: show.Bar = bar) -> None:
                if total:
                    bar.update(done, total, words)
                else:
                    show.note(words)

            path = weights.pull(entry, home, report)
        show.note(f"{entry.name} is verified")
        show.data(str(path))


@click.command()
@click.argument("name")
@models_file_option
@json_option
@home_option
def check_model(name: str, models_file: Path | None, as_json: bool, home: Home) -> None:
    """Verify a model's weights, load it, let it speak, check that it obeys a grammar; exit 1 if something fails."""
    catalog = load_catalog(home, models_file)
    entry = catalog.entry(name)
    trials = []
    with show.progress(f"checking {name}", quiet=as_json) as bar:
        if weights.state(entry, home) != "-":
            weights.verify(entry, home)
            trials.append(Trial("weights", True, "verified"))
        begun = time.monotonic()
        if entry.backend == "embedding":
            embedder = obtain.load_embedder(entry, home)
            trials += [Trial("loads", True, f"{time.monotonic() - begun:.1f} s"), *try_embedder(embedder)]
        else:
            waiting = lambda elapsed, words: bar.update(0, None, words)  # noqa: E731
            with obtain.obtain(entry, home, waiting, allow=catalog.allow, started_by="check-model") as model:
                trials.append(Trial("loads", True, f"{time.monotonic() - begun:.1f} s"))
                for trial in try_model(model, grammar=entry.backend in obtain.SERVED, system_role=entry.system_role):
                    bar.update(0, None, trial.name)
                    trials.append(trial)
    if as_json:
        show.data_json([{"trial": t.name, "passed": t.passed, "seen": t.seen} for t in trials])
    else:
        show.table(["trial", "", "seen"], [[t.name, "ok" if t.passed else "FAILED", t.seen] for t in trials])
    failed = [trial.name for trial in trials if not trial.passed]
    if failed:
        raise ModelError(f"{name} failed: {', '.join(failed)}", "a run with this model may give few or no dialogues")
