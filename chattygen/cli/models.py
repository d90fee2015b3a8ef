"""The model commands: serve-models, stop-models, status, list-models, pull-model, check-model."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import click

from chattygen.cli import plans, show
from chattygen.cli.options import engine_option, home_option, json_option, models_file_option
from chattygen.config import Home
from chattygen.errors import ModelError, UsageError
from chattygen.models import engines, obtain, server, weights
from chattygen.models.catalog import Catalog, Engine, Entry, Profile, detect_profile, load_catalog, names_for
from chattygen.models.placement import Placement, place
from chattygen.models.trial import Trial, try_embedder, try_model


@click.command()
@click.argument("names", metavar="[ROLE|NAME]...", nargs=-1)
@click.option("--cpu", "profile", flag_value="cpu", help="Use the models of [roles.cpu].")
@click.option("--gpu", "profile", flag_value="gpu", help="Use the models of [roles.gpu].")
@click.option("--detach", is_flag=True, help="Return when they are ready and leave them running.")
@click.option("--port", type=click.IntRange(1024, 65535), help="Port of the first server; the others count up.")
@click.option("--plan", "only_plan", is_flag=True, help="Print needs, shares of the card and commands; start nothing.")
@click.option("--gpu-memory", metavar="SIZE", help="With --plan: plan for a card of this size, such as 80GB.")
@engine_option
@models_file_option
@home_option
def serve_models(
    names: tuple[str, ...],
    profile: Profile | None,
    detach: bool,
    port: int | None,
    only_plan: bool,
    gpu_memory: str | None,
    engine: Engine | None,
    models_file: Path | None,
    home: Home,
) -> None:
    """Start the local servers of these roles or models (default: of every role) and wait until they answer.

    Without --detach the command stays until Ctrl-C, which stops the servers and exits with 0. Without --cpu or --gpu
    the GPU is used where an NVIDIA card and vLLM are both present. Models that do not fit on the card together make way
    for smaller ones, or are refused with what would fit.
    """
    catalog = load_catalog(home, models_file, engine)
    wanted = names_for(catalog, names, profile or ("gpu" if gpu_memory else detect_profile()))
    if only_plan:
        _plan(catalog, wanted, gpu_memory, port, home)
        return
    if gpu_memory:
        raise UsageError("--gpu-memory is for --plan only", "servers are started on the card that is here")
    placement = place(catalog, wanted, home, obtain.served(home))
    plans.draw_stand_ins(placement)
    entries = [catalog.entry(placement.answering[name]) for name in wanted]
    entries = [entry for entry in entries if _needs_server(entry, home)]
    for entry in entries:
        weights.find(entry, home)
    # A plain kill is a wanted stop, like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started: list[server.Running] = []
    try:
        for number, entry in enumerate(entries):
            started.append(_serve(entry, home, detach, port + number if port else None, placement))
    except BaseException:
        _stop(started, home)
        raise
    if detach or not started:
        show.note("stop with: chattygen stop-models")
        return
    show.note("stop with Ctrl-C")
    try:
        _watch(started, lambda dead: _serve(catalog.entry(dead.model), home, False, dead.port, placement), home)
    except KeyboardInterrupt:
        show.note("stopping")
    finally:
        _stop(started, home)


def _plan(catalog: Catalog, wanted: list[str], gpu_memory: str | None, port: int | None, home: Home) -> None:
    """Print what would be started: on an empty card of that size, or on the one that is here beside what runs."""
    if gpu_memory:
        placement = place(catalog, wanted, home, device=plans.card(gpu_memory))
    else:
        placement = place(catalog, wanted, home, obtain.served(home))
    plans.draw_stand_ins(placement)
    entries = [catalog.entry(placement.answering[name]) for name in wanted]
    entries = [
        entry for entry in entries if entry.backend in obtain.SERVED and (gpu_memory or _needs_server(entry, home))
    ]
    unplanned = [entry.name for entry in entries if entry.backend == "vllm" and not placement.share(entry.name)]
    if unplanned:
        raise UsageError(
            f"the driver reports no NVIDIA card for {', '.join(unplanned)}",
            "plan for a card that is elsewhere with: --gpu --gpu-memory 80GB",
        )
    plans.draw(entries, placement, home, port)


def _needs_server(entry: Entry, home: Home) -> bool:
    """Whether a server must be started; says so when not."""
    if entry.backend not in obtain.SERVED:
        show.note(f"{entry.name} needs no server (backend {entry.backend})")
        return False
    shared = [s for s in server.running(home) if s.model == entry.name and s.started_by == obtain.SERVE]
    if shared:
        show.note(f"{entry.name} is already served at {shared[0].url}")
    return not shared


def _serve(entry: Entry, home: Home, detach: bool, port: int | None, placement: Placement) -> server.Running:
    with show.progress(f"starting {entry.name}") as bar:
        running = obtain.serve(
            entry,
            home,
            lambda elapsed, words: bar.update(0, None, words),
            guarded=not detach,
            started_by=obtain.SERVE,
            port=port,
            share=placement.share(entry.name),
        )
    by = engines.with_version(running.engine)
    show.note(f"{entry.name} answers at {running.url}, served by {by}; log: {running.log}")
    return running


def _watch(servers: list[server.Running], again: Callable[[server.Running], server.Running], home: Home) -> None:
    """Wait until Ctrl-C, or until every server was told to stop; the first time that one dies it is started again.

    Raises:
        ServerError: a server died twice, or did not start again.
    """
    replaced: set[str] = set()
    while servers:
        for running in [each for each in servers if not each.alive]:
            death = server.death(running)
            server.stop(running, home)
            servers.remove(running)
            if death is None:
                show.note(f"{running.model} was stopped")
                continue
            if running.model in replaced:
                raise death
            replaced.add(running.model)
            show.note(f"{death.message}; starting it again")
            servers.append(again(running))
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
@engine_option
@models_file_option
@json_option
@home_option
def check_model(name: str, engine: Engine | None, models_file: Path | None, as_json: bool, home: Home) -> None:
    """Try a model out before a long job: weights, speech, grammar, token counts, speed; exit 1 if something fails."""
    catalog = load_catalog(home, models_file, engine)
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
                for trial in try_model(model, system_role=entry.system_role):
                    bar.update(0, None, trial.name)
                    trials.append(trial)
    if as_json:
        show.data_json([{"trial": t.name, "passed": t.passed, "seen": t.seen} for t in trials])
    else:
        show.table(["trial", "", "seen"], [[t.name, "ok" if t.passed else "FAILED", t.seen] for t in trials])
    failed = [trial.name for trial in trials if not trial.passed]
    if failed:
        raise ModelError(f"{name} failed: {', '.join(failed)}", "a run with this model may give few or no dialogues")
