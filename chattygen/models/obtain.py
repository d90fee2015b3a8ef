"""From an entry of models.toml to something that can be called: the one door for `generate` and `check-model`."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager

from chattygen.config import Home
from chattygen.errors import ServerError, UsageError
from chattygen.models import engines, server, vllm, weights
from chattygen.models.catalog import Entry
from chattygen.models.chat import ChatModel
from chattygen.models.cpu_plan import cpu_plan
from chattygen.models.gpu_plan import Share
from chattygen.models.model import Embedder, Model
from chattygen.models.placement import share_alone
from chattygen.models.scripted import load_script
from chattygen.models.spelling import Dialect
from chattygen.models.supervised import Supervised

SERVED = ("llama-cpp", "vllm")
"""Backends that need a server process of ours."""

SERVE = "serve-models"
"""Who starts servers that others may share; those that a run starts for itself end with it."""

DIALECTS: dict[str, Dialect] = {"llama-cpp-python": "llama-cpp", "xllamacpp": "xllamacpp", "vllm": "vllm"}
"""Which package serves -> how it is talked to."""

HEIR = 5.0
"""Seconds that a `serve-models` which runs has to begin another server in the place of one that died."""


@contextmanager
def obtain(
    entry: Entry,
    home: Home,
    report: server.Waiting,
    *,
    allow: Collection[str] = (),
    started_by: str = "generate",
    share: Share | None = None,
) -> Iterator[Model]:
    """A model, ready to be called: on the server that `serve-models` runs for it, else on one started just for this.

    A server of ours that dies is replaced once, and the calls in flight are asked again: see `supervised`. `share` is
    as in `serve`.

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
        dialect: Dialect = entry.dialect or "endpoint"
        with closing(_client(entry, entry.endpoint, key, dialect, _revision_of_endpoint(entry), allow)) as model:
            yield model
    else:
        with closing(_supervised(entry, home, report, started_by, share)) as model:
            yield model


def _supervised(entry: Entry, home: Home, report: server.Waiting, started_by: str, share: Share | None) -> Supervised:
    def find(dead: server.Running | None, waiting: server.Waiting) -> server.Running:
        shared = _shared(entry, home, waiting, HEIR if dead and dead.started_by == SERVE and dead.owned else 0.0)
        return shared or serve(entry, home, waiting, guarded=True, started_by=started_by, share=share)

    def connect(running: server.Running) -> ChatModel:
        # The plan for the card may have cut the context that models.toml asks for.
        context = vllm.served_context(running.port, running.key) if entry.backend == "vllm" else entry.context
        served = entry.model_copy(update={"context": context})
        dialect = DIALECTS[running.engine]
        # Two engines round differently: the same weights on another one may say something else.
        revision = f"{weights.revision(entry, home)} on {running.engine}"
        return _client(served, running.url, running.key, dialect, revision, slots=running.slots)

    def end(running: server.Running) -> None:
        if running.started_by != SERVE:
            server.stop(running, home)

    return Supervised(home, find, connect, end, report)


def _shared(entry: Entry, home: Home, waiting: server.Waiting, seconds: float) -> server.Running | None:
    """The server that `serve-models` runs for a model, once it answers; it may take `seconds` until there is one.

    Raises:
        ServerError: it runs and does not answer.
    """
    deadline = time.monotonic() + seconds
    while True:
        for running in server.running(home):
            if running.model == entry.name and running.started_by == SERVE and running.alive:
                if server.wait(running, waiting):
                    return running
                if running.alive:
                    raise ServerError(
                        f"the server of {entry.name} that {SERVE} started does not answer",
                        f"run: chattygen stop-models, then start it again; its log is {running.log}",
                    )
        if time.monotonic() >= deadline:
            return None
        time.sleep(0.25)


def served(home: Home) -> set[str]:
    """The models that `serve-models` runs."""
    return {s.model for s in server.running(home) if s.started_by == SERVE and s.alive}


def serve(
    entry: Entry,
    home: Home,
    report: server.Waiting,
    *,
    guarded: bool,
    started_by: str,
    port: int | None = None,
    share: Share | None = None,
) -> server.Running:
    """Start the server of a `llama-cpp` or `vllm` entry and wait until it answers; see `server.start`.

    `share` is what a plan for all models gives this one of the card; without one it is planned for alone.
    """
    folder, at, key = weights.find(entry, home), server.choose_port(port), server.new_key()
    if entry.backend == "vllm":
        launch = vllm.launch(entry, folder, at, key, share or share_alone(entry, home))
    else:
        cpu_plan([entry], home)
        launch = engines.launch(entry, folder, at, key)
    report(0.0, f"{entry.name} is served by {engines.with_version(launch.engine)}")
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


def _client(
    entry: Entry, url: str, key: str, dialect: Dialect, revision: str, allow: Collection[str] = (), slots: int = 1
) -> ChatModel:
    return ChatModel(
        entry.name,
        entry.context,
        url,
        key,
        dialect=dialect,
        revision=revision,
        served_name=entry.served_name or "",
        allow=allow,
        system_role=entry.system_role,
        slots=slots,
        own=entry.backend == "endpoint",
    )
