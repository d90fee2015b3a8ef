"""Play the dialogues of a run to a system and store what it replies (Head-to-Tail, section 3.1).

Dialogues are played side by side, the turns of each in sequence. An evaluation is known by its run, its system and how
that is asked: the same command again goes on where it was stopped, and a stored reply is never asked for again. The
sanity systems are played first, so that every report has its bounds. Knows nothing about what replies are worth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.pool import ThreadPool
from threading import Event, Lock
from typing import Literal as OneOf
from urllib.parse import urlsplit

from chattygen.config import Home
from chattygen.context.strata import bucket_of, predicate_strata
from chattygen.domain import Turn, Usage
from chattygen.errors import CallError, ChattygenError, GraphError, PrivacyError, UnknownName, UsageError
from chattygen.evaluation import systems
from chattygen.evaluation.names import other_names
from chattygen.evaluation.play import FindExample, Manner, Messages, Talk, examples, play
from chattygen.evaluation.prompting import prompt_hash
from chattygen.evaluation.systems import SANITY, System
from chattygen.kg.folders import open_kg, read_manifest, read_profile
from chattygen.kg.graph import KnowledgeGraph
from chattygen.models.catalog import Catalog, Entry
from chattygen.models.model import Completion
from chattygen.models.obtain import obtain, served
from chattygen.models.placement import Placement, place, requests_at_once
from chattygen.privacy import check_host
from chattygen.results.evaluations import EvaluationRecorder, Given, Key
from chattygen.results.reader import Reader, StoredRun

LONG_CONTEXT = 131_072
"""Tokens of a context that nobody has told us: the chatbot itself refuses what is too long for it."""

BATCH = 500
"""Replies of a sanity system that are stored together: they cost nothing to be given again."""

Report = Callable[[str], None]
Waiting = Callable[[float, str], None]
"""Called while a model's server starts: seconds so far, and what is waited for."""


@dataclass(frozen=True)
class Asked:
    """What is to be played to whom.

    Attributes:
        run: its id, a beginning of it, or `latest`.
        model: a name of models.toml or one of SANITY; in its place a chatbot's address as `endpoint`, and what that
            calls its model.
        repeats: how often each dialogue is played.
        limit: at most so many dialogues, the first ones of the run; None for all.
        in_flight: dialogues that are played at once; None for as many as the server takes.
    """

    run: str
    manner: Manner = field(default_factory=Manner)
    model: str = ""
    endpoint: str = ""
    endpoint_model: str = ""
    repeats: int = 1
    limit: int | None = None
    in_flight: int | None = None


@dataclass(frozen=True)
class Progress:
    """How far an evaluation is: dialogues played to their end, each once a repeat; `spent` on calls made now."""

    evaluation: str
    system: str
    done: int
    wanted: int
    replies: int
    spent: Usage


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """How the evaluation of the system that was asked for ended."""

    run: str
    evaluation: str
    system: str
    status: OneOf["done", "interrupted"]
    done: int
    wanted: int


class Stopped(Exception):
    """The user wants it to stop; what was in flight is stored."""


def evaluate(
    home: Home,
    asked: Asked,
    catalog: Catalog,
    *,
    stop: Event | None = None,
    tell: Tell = lambda progress: None,
    report: Report = lambda text: None,
    waiting: Waiting = lambda seconds, words: None,
) -> Outcome:
    """Play a run to a system. A model that is not served is started, and stopped at the end.

    Raises:
        UnknownName, UsageError, GraphError, WeightsError, ServerError, CallError, PrivacyError, ResultsError.
    """
    _check(asked, catalog)
    with Reader(home.database) as reader:
        run = reader.run(asked.run)
        every = [Talk(one.id, one.seed, one.turns) for one in reader.dialogues(run.id)]
    if not every:
        raise UsageError(f"{run.id} has no finished dialogue yet", "see: chattygen list-runs")
    stop = stop or Event()
    with ExitStack() as stack:
        recorder = stack.enter_context(EvaluationRecorder(home.database))
        graph = _graph(stack, home, run, catalog, report)
        if graph:
            _learn(home, run, every, graph, recorder, report)
        playing = Playing(recorder, run.id, every[: asked.limit], examples(every), stop, tell)
        for bound in _bounds(run, asked, every, graph):
            outcome = playing.to(bound)
            if bound.name == asked.model or outcome.status == "interrupted":
                return outcome
        system, at_once = stack.enter_context(_speaking(home, asked, catalog, stop, report, waiting))
        return playing.to(system, asked.repeats, asked.in_flight or at_once)


def _check(asked: Asked, catalog: Catalog) -> None:
    """Refuse an unknown model and a host that may not be contacted before anything is done."""
    if asked.endpoint:
        check_host(asked.endpoint, catalog.allow)
    elif asked.model not in SANITY:
        catalog.entry(asked.model)


def _graph(stack: ExitStack, home: Home, run: StoredRun, catalog: Catalog, report: Report) -> KnowledgeGraph | None:
    """The graph of the run, if it is there with the data that the run saw."""
    try:
        if read_manifest(home, run.kg).fingerprint == run.kg_fingerprint:
            return stack.enter_context(open_kg(home, run.kg, catalog.allow))
        why = f"the graph {run.kg} has other data now"
    except (UnknownName, GraphError, PrivacyError) as error:
        why = error.message
    report(f"without oracle, other names of answers and predicate buckets: {why}")
    return None


def _learn(
    home: Home,
    run: StoredRun,
    talks: Sequence[Talk],
    graph: KnowledgeGraph,
    recorder: EvaluationRecorder,
    report: Report,
) -> None:
    """Store what scores need of the graph, as far as it can be had."""
    turns = [turn for talk in talks for turn in talk.turns]
    answers = (answer for turn in turns for answer in turn.query.answers)
    asked = {turn.question.fact.predicate for turn in turns}
    try:
        settings, profile = read_manifest(home, run.kg).settings, read_profile(home, run.kg)
        names = other_names(graph, answers, settings, float(run.settings["deadline"]))
    except GraphError as error:
        report(f"without other names of answers and predicate buckets: {error.message}")
        return
    limits = predicate_strata(profile, settings).thresholds
    counts = {found.iri: found.triples for found in profile.predicates if found.iri in asked}
    recorder.about_graph(run.id, names, {iri: (count, bucket_of(count, limits)) for iri, count in counts.items()})


def _bounds(run: StoredRun, asked: Asked, talks: Sequence[Talk], graph: KnowledgeGraph | None) -> list[System]:
    """The sanity systems that are to be played: the one that is asked for, or all that can be."""
    found = [systems.unsure(), systems.majority(talks)]
    if graph:
        found = [systems.oracle(graph, float(run.settings["deadline"])), *found]
    if asked.model not in SANITY:
        return found
    if asked.model == "oracle" and not graph:
        raise UsageError(f"the oracle needs the graph {run.kg} as it was", "load the data of the run again")
    return [system for system in found if system.name == asked.model]


@contextmanager
def _speaking(
    home: Home, asked: Asked, catalog: Catalog, stop: Event, report: Report, waiting: Waiting
) -> Iterator[tuple[System, int]]:
    """The model or chatbot that is asked for, ready to be called, and how many requests it takes at once."""
    if asked.endpoint:
        entry, placement = _chatbot(asked), Placement({})
    else:
        placement = place(catalog, [asked.model], home, served(home))
        for words in placement.stand_ins():
            report(words)
        entry = catalog.entry(placement.answering[asked.model])
    at_once, share = requests_at_once([entry], placement), placement.share(entry.name)

    def wait(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    with obtain(entry, home, waiting, allow=catalog.allow, started_by="evaluate", share=share) as model:
        yield systems.speaker(model, asked.manner, wait), at_once


def _chatbot(asked: Asked) -> Entry:
    """A chatbot that is in no models.toml, under the name of its model, or of its host."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", asked.endpoint_model or urlsplit(asked.endpoint).netloc)
    return Entry(
        name=name.strip("-._") or "chatbot",
        backend="endpoint",
        context=LONG_CONTEXT,
        endpoint=asked.endpoint,
        served_name=asked.endpoint_model or "default",
    )


@dataclass(frozen=True)
class Playing:
    """What is played, and who writes down what comes of it."""

    recorder: EvaluationRecorder
    run: str
    talks: Sequence[Talk]
    find: FindExample
    stop: Event
    tell: Tell

    def to(self, system: System, repeats: int = 1, in_flight: int = 1) -> Outcome:
        """Play all dialogues to a system, and store how that ended, whatever way it did."""
        recorder, settings = self.recorder, _settings(system)
        evaluation = recorder.begin(self.run, system.name, system.revision, settings)
        books = Books(self, system, evaluation, recorder.replied(evaluation), len(self.talks) * repeats)
        try:
            books.say()
            books.play_all([(talk, n) for n in range(1, repeats + 1) for talk in self.talks], in_flight)
        except Stopped:
            recorder.finish(evaluation, "interrupted", "stopped by the user")
            return books.outcome("interrupted")
        except KeyboardInterrupt:
            recorder.finish(evaluation, "interrupted", "stopped by the user")
            raise
        except BaseException as error:
            recorder.finish(evaluation, "failed", error.message if isinstance(error, ChattygenError) else repr(error))
            raise
        recorder.finish(evaluation, "done")
        return books.outcome("done")


def _settings(system: System) -> dict[str, object]:
    """What an evaluation is known by beside its run and its system."""
    manner = system.manner
    return asdict(manner) | {"prompt_hash": prompt_hash(manner.prompt)} if manner else {}


@dataclass
class Books:
    """What an evaluation has come to so far; several threads write here."""

    playing: Playing
    system: System
    evaluation: str
    stored: dict[Key, str]
    wanted: int
    done: int = 0
    replies: int = 0
    spent: Usage = field(default_factory=Usage)
    turn: Lock = field(default_factory=Lock)
    pending: list[tuple[Key, Given]] = field(default_factory=list)

    def play_all(self, rounds: Sequence[tuple[Talk, int]], in_flight: int) -> None:
        """Play each dialogue; when one fails, the others store what they have in flight and stop too.

        Raises:
            Stopped, CallError.
        """
        if in_flight == 1 or len(rounds) < 2:
            try:
                for one in rounds:
                    self.play(one)
            finally:
                self.store()
            return
        with ThreadPool(min(in_flight, len(rounds))) as pool:
            try:
                for _ in pool.imap_unordered(self.play, rounds):
                    pass
            except Exception:  # whatever it is: nobody would wait for what the others go on to ask
                self.playing.stop.set()
                pool.close()
                pool.join()
                raise

    def play(self, one: tuple[Talk, int]) -> None:
        """Play one dialogue, in one of its repeats."""
        talk, repeat = one

        def ask(turn: Turn, messages: Messages) -> str:
            key = (talk.id, turn.n, repeat)
            return self.stored[key] if key in self.stored else self._ask(talk, turn, messages, key)

        play(talk, self.system.manner, ask, self.playing.find)
        with self.turn:
            self.done += 1
        self.say()

    def _ask(self, talk: Talk, turn: Turn, messages: Messages, key: Key) -> str:
        if self.playing.stop.is_set():
            raise Stopped
        try:
            reply = self.system.reply(talk, turn, messages)
        except CallError as error:
            self.playing.recorder.reply(self.evaluation, key, Given(messages, error=error.message))
            raise
        with self.turn:
            self.pending.append((key, _given(messages, reply)))
            self.replies += 1
            self.spent += Usage(reply.prompt_tokens, reply.completion_tokens, 1, reply.seconds)
        if self.system.manner or len(self.pending) >= BATCH:
            self.store()
        return reply.text

    def store(self) -> None:
        """Write down what is not on disk yet."""
        with self.turn:
            self.playing.recorder.replies(self.evaluation, self.pending)
            self.pending.clear()

    def say(self) -> None:
        with self.turn:
            self.playing.tell(
                Progress(self.evaluation, self.system.name, self.done, self.wanted, self.replies, self.spent)
            )

    def outcome(self, status: OneOf["done", "interrupted"]) -> Outcome:
        return Outcome(self.playing.run, self.evaluation, self.system.name, status, self.done, self.wanted)


def _given(messages: Messages, reply: Completion) -> Given:
    return Given(
        messages,
        reply.text,
        reply.thinking,
        reply.finish,
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.seconds,
    )
