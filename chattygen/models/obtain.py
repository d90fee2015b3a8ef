"""From an entry of models.toml to something that can be called: the one door for `generate` and `check-model`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.models import llamacpp, server, vllm, weights
from chattygen.models.catalog import Entry
from chattygen.models.chat import ChatModel, Dialect
from chattygen.models.model import Embedder, Model
from chattygen.models.scripted import load_script

SERVED = ("llama-cpp", "vllm")
"""Backends that need a server process of ours."""

SERVE = "serve-models"
"""Who starts servers that others may share; those that a run starts for itself end with it."""


@contextmanager
def obtain(
    entry: Entry, home: Home, report: server.Waiting, *, allow: Collection[str] = (), started_by: str = "generate"
) -> Iterator[Model]:
    """A model, ready to be called: on the server that `serve-models` runs for it, else on one started just for this.

    Raises:
        WeightsError: not pulled.
        ServerError: its server did not start.
        PrivacyError: its endpoint is a host that is not allowed.
        UsageError: it is a sentence embedding.
    """
    if entry.backend == "embedding":
        raise UsageError(f"{entry.name} is a sentence embedding, not a language model", "give it the role verify only")
    if entry.backend == "scripted" and entry.script:
        yield load_script(entry.name, entry.script, entry.context)
    elif entry.backend == "endpoint" and entry.endpoint:
        key = os.environ.get(entry.key_env, "") if entry.key_env else ""
        with _client(entry, entry.endpoint, key, "endpoint", _revision_of_endpoint(entry), allow) as model:
            yield model
    else:
        shared = [s for s in server.running(home) if s.model == entry.name and s.started_by == SERVE and s.alive]
        running = shared[0] if shared else serve(entry, home, report, guarded=True, started_by=started_by)
        dialect: Dialect = "vllm" if entry.backend == "vllm" else "llama-cpp"
        try:
            with _client(entry, running.url, running.key, dialect, weights.revision(entry, home)) as model:
                yield model
        finally:
            if not shared:
                server.stop(running, home)


def serve(
    entry: Entry,
    home: Home,
    report: server.Waiting,
    *,
    guarded: bool,
    started_by: str,
    port: int | None = None,
) -> server.Running:
    """Start the server of a `llama-cpp` or `vllm` entry and wait until it answers; see `server.start`."""
    backend = vllm if entry.backend == "vllm" else llamacpp
    launch = backend.launch(entry, weights.find(entry, home), server.choose_port(port), server.new_key())
    return server.start(launch, home, report, guarded=guarded, started_by=started_by)


def load_embedder(entry: Entry, home: Home) -> Embedder:
    """The sentence embedding, loaded into this process.

    Raises:
        WeightsError: not pulled.
        UsageError: it is no sentence embedding.
    """
    if entry.backend != "embedding":
        raise UsageError(
            f"{entry.name} is not a sentence embedding", "give the role verify a model of backend embedding"
        )
    from chattygen.models.embedding import MiniLM

    return MiniLM(entry.name, weights.find(entry, home))


def _revision_of_endpoint(entry: Entry) -> str:
    """Where a foreign server is, as a hash: its address is nobody's business who reads a dataset card."""
    return hashlib.sha256(f"{entry.endpoint} {entry.served_name or entry.name}".encode()).hexdigest()


@contextmanager
def _client(
    entry: Entry, url: str, key: str, dialect: Dialect, revision: str, allow: Collection[str] = ()
) -> Iterator[Model]:
    model = ChatModel(
        entry.name,
        entry.context,
        url,
        key,
        dialect=dialect,
        revision=revision,
        served_name=entry.served_name or "",
        allow=allow,
        system_role=entry.system_role,
    )
    try:
        yield model
    finally:
        model.close()
