"""What is done with one seed in each stage: ask, keep the books, give up.

A draft goes through the stages of WORK and grows until it is a dialogue or given up. What was answered before is not
asked again: that is all that resuming a run is. Knows nothing about where seeds come from, nor how many dialogues there
are to be: that is pipeline.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.pool import ThreadPool
from pathlib import Path
from threading import Event

from chattygen.config import GraphSettings, RunSettings
from chattygen.domain import Attempt, Call, Finding, Query, Question, Repair, Subgraph, Turn, Usage
from chattygen.generation.attempts import Asker
from chattygen.generation.dialogue import ask_dialogue
from chattygen.generation.queries import ask_queries
from chattygen.generation.questions import ask_questions
from chattygen.generation.single_prompt import Task, ask_at_once
from chattygen.generation.stages import DIALOGUE, QUERIES, QUESTIONS, SINGLE_PROMPT, Stage
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile
from chattygen.models.model import Embedder, Model
from chattygen.results.recorder import Recorder

THIN = "C4"
"""The rule by which a seed is given up that no assertion failed: too few of its facts can be asked about."""


class Stopped(Exception):
    """The user wants the run to stop; what was in flight is stored."""


@dataclass(frozen=True)
class Tools:
    """Everything that a run works with.

    Attributes:
        id: of the run.
        stop: set when the user wants it to stop, or when another draft's failure ends it.
        fresh: True asks the model even where an earlier call had the same request.
        phrasings: the file of wordings for `--phrasing reuse`.
        judgements: the file of what a model says that nobody would ask about.
    """

    id: str
    graph: KnowledgeGraph
    profile: Profile
    settings: GraphSettings
    run: RunSettings
    models: Mapping[str, Model]
    embedder: Embedder
    recorder: Recorder
    stop: Event
    fresh: bool = False
    phrasings: Path = Path()
    judgements: Path = Path()


@dataclass
class Draft:
    """A seed on its way through the stages; grows stage by stage until it is a dialogue or given up.

    `usage` is what its replies cost, `spent` the part of it that was not reused from earlier calls.
    """

    id: int
    subgraph: Subgraph
    usage: Usage = field(default_factory=Usage)
    spent: Usage = field(default_factory=Usage)
    rules: list[str] = field(default_factory=list)
    questions: tuple[Question, ...] = ()
    queries: tuple[Query, ...] = ()
    turns: tuple[Turn, ...] = ()


def asker(tools: Tools, stage: Stage, draft: Draft | None = None) -> Asker:
    """An asker that records every attempt, under the draft's seed if there is one, and adds up what it spends.

    Raises:
        Stopped: by the asker, instead of a call, or after the attempt that was in flight is recorded.
    """
    seed = draft.id if draft else None

    def record(attempt: Attempt) -> None:
        tools.recorder.attempt(tools.id, seed, attempt)
        # A failed call is made again, now or by a run that is resumed: it says nothing about the draft.
        if draft and not (attempt.call and attempt.call.error):
            draft.rules.extend(finding.rule for finding in attempt.findings)
            if call := attempt.call:
                draft.usage += call.usage
                draft.spent += Usage() if call.reused else call.usage
        unless_stopped(tools)

    def recall(call: Call, item: int) -> Call | None:
        unless_stopped(tools)
        return tools.recorder.recall(tools.id, seed, item, call, anywhere=not tools.fresh)

    def wait(seconds: float) -> None:
        tools.stop.wait(seconds)
        unless_stopped(tools)

    def repaired(item: int, how: Repair, rule: str) -> None:
        if seed is not None:
            tools.recorder.repair(seed, stage.name, item, how, rule)

    sampling, attempts = tools.run.seed if draft else 0, tools.run.attempts
    return Asker(tools.models[stage.role], stage, record, attempts, sampling, recall, wait, repaired=repaired)


def unless_stopped(tools: Tools) -> None:
    if tools.stop.is_set():
        raise Stopped


def in_order(work: Callable[[Draft], bool], drafts: Sequence[Draft], tools: Tools) -> Iterator[bool]:
    """What `work` says of each draft, in the order of the drafts, with `tools.run.in_flight` of them in work at once.

    When one fails, the others record what they have in flight and stop too, and then its error is raised.
    """
    if tools.run.in_flight == 1 or len(drafts) < 2:
        yield from map(work, drafts)
        return
    with ThreadPool(min(tools.run.in_flight, len(drafts))) as pool:
        try:
            yield from pool.imap(work, drafts)
        except Exception:  # whatever it is: nobody would wait for what the others go on to ask
            tools.stop.set()
            pool.close()
            pool.join()
            raise


def _questions(tools: Tools, draft: Draft) -> bool:
    asking, run = asker(tools, QUESTIONS, draft), tools.run
    draft.questions = ask_questions(
        asking, draft.subgraph, run.questions, tools.embedder, run.serialisation, run.flow, run.hops, run.kinds
    )
    return len(draft.questions) >= run.min_questions


def _queries(tools: Tools, draft: Draft) -> bool:
    asking = asker(tools, QUERIES, draft)
    written = ask_queries(asking, draft.subgraph, draft.questions, tools.graph, tools.run.deadline)
    good = [(question, query) for question, query in zip(draft.questions, written, strict=True) if query]
    draft.questions, draft.queries = tuple(q for q, _ in good), tuple(query for _, query in good)
    return len(good) >= tools.run.min_questions


def _dialogue(tools: Tools, draft: Draft) -> bool:
    asking = asker(tools, DIALOGUE, draft)
    said = ask_dialogue(asking, draft.subgraph, draft.questions, draft.queries, tools.embedder, tools.run.flow)
    draft.turns = tuple(turn for turn in said if isinstance(turn, Turn))
    if not draft.turns:
        broken = tuple(finding for finding in said if isinstance(finding, Finding))
        asking.record(Attempt(DIALOGUE.name, tools.run.attempts + 1, 0, None, broken))
        draft.turns = _what_can_be_said(tools, draft, asking, broken[0].rule)
    return len(draft.turns) >= tools.run.min_questions


def _what_can_be_said(tools: Tools, draft: Draft, asking: Asker, rule: str) -> tuple[Turn, ...]:
    """The dialogue in plain words, without the questions with which it would break a rule. Asks no model."""
    kept: list[tuple[Question, Query]] = []
    turns: tuple[Turn, ...] = ()
    for place, pair in enumerate(zip(draft.questions, draft.queries, strict=True)):
        questions, queries = zip(*kept, pair, strict=True)
        said = ask_dialogue(replace(asking, attempts=0), draft.subgraph, questions, queries, tools.embedder)
        if all(isinstance(turn, Turn) for turn in said):
            kept.append(pair)
            turns = tuple(turn for turn in said if isinstance(turn, Turn))
        else:
            asking.repaired(place, "lost", rule)
    return turns


def _single_prompt(tools: Tools, draft: Draft) -> bool:
    asking = asker(tools, SINGLE_PROMPT, draft)
    draft.turns = ask_at_once(asking, Task(draft.subgraph, tools.graph, tools.embedder, tools.run))
    return bool(draft.turns)


WORK: Mapping[str, tuple[tuple[Stage, Callable[[Tools, Draft], bool]], ...]] = {
    "multi-stage": ((QUESTIONS, _questions), (QUERIES, _queries), (DIALOGUE, _dialogue)),
    "single-prompt": ((SINGLE_PROMPT, _single_prompt),),
    "head-to-tail": (),
}
"""Approach -> its stages in order, each with what does its work on a draft and says whether the draft lives on.

Head-to-Tail has none: its questions come from templates (reuse.py).
"""


def give_up(tools: Tools, draft: Draft, stage: Stage, failed: Sequence[str]) -> None:
    """Close a seed under the rule that failed most often in this stage."""
    if failed:
        rule, reason = Counter(failed).most_common(1)[0][0], f"{stage.title} failed for too many of its facts"
    else:
        rule, reason = THIN, "too few of its facts can be asked about"
    tools.recorder.give_up(draft.id, rule, reason)


def difference(after: Usage, before: Usage) -> Usage:
    return Usage(
        after.prompt_tokens - before.prompt_tokens,
        after.completion_tokens - before.completion_tokens,
        after.calls - before.calls,
        after.seconds - before.seconds,
    )
