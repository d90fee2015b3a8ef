"""What is done with one seed in each stage: ask, keep the books, give up.

A draft goes through the stages of WORK and grows until it is a dialogue or given up. Knows nothing about where seeds
come from, nor how many dialogues there are to be: that is pipeline.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from chattygen.config import GraphSettings, RunSettings
from chattygen.domain import Attempt, Query, Question, Subgraph, Turn, Usage
from chattygen.generation.attempts import Asker
from chattygen.generation.dialogue import ask_dialogue
from chattygen.generation.queries import ask_queries
from chattygen.generation.questions import ask_questions
from chattygen.generation.stages import DIALOGUE, QUERIES, QUESTIONS, Stage
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile
from chattygen.models.model import Embedder, Model
from chattygen.results.recorder import Recorder

THIN = "C4"
"""The rule by which a seed is given up that no assertion failed: too few of its facts can be asked about."""


@dataclass(frozen=True)
class Tools:
    """Everything that a run works with."""

    graph: KnowledgeGraph
    profile: Profile
    settings: GraphSettings
    run: RunSettings
    models: Mapping[str, Model]
    embedder: Embedder
    recorder: Recorder


@dataclass
class Draft:
    """A seed on its way through the stages; grows stage by stage until it is a dialogue or given up."""

    id: int
    subgraph: Subgraph
    usage: Usage = field(default_factory=Usage)
    rules: list[str] = field(default_factory=list)
    questions: tuple[Question, ...] = ()
    queries: tuple[Query, ...] = ()
    turns: tuple[Turn, ...] = ()


def _asker(tools: Tools, id: str, draft: Draft, stage: Stage) -> Asker:
    """An asker that records every attempt under the draft's seed and adds up what it spends."""

    def record(attempt: Attempt) -> None:
        tools.recorder.attempt(id, draft.id, attempt)
        draft.rules.extend(finding.rule for finding in attempt.findings)
        if attempt.call:
            call = attempt.call
            draft.usage += Usage(call.prompt_tokens, call.completion_tokens, 1, call.seconds)

    return Asker(tools.models[stage.role], stage, record, tools.run.attempts, tools.run.seed)


def _questions(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, QUESTIONS)
    draft.questions = ask_questions(asker, draft.subgraph, tools.run.questions, tools.embedder, tools.run.serialisation)
    return len(draft.questions) >= tools.run.min_questions


def _queries(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, QUERIES)
    written = ask_queries(asker, draft.subgraph, draft.questions, tools.graph, tools.run.deadline)
    good = [(question, query) for question, query in zip(draft.questions, written, strict=True) if query]
    draft.questions, draft.queries = tuple(q for q, _ in good), tuple(query for _, query in good)
    return len(good) >= tools.run.min_questions


def _dialogue(tools: Tools, id: str, draft: Draft) -> bool:
    asker = _asker(tools, id, draft, DIALOGUE)
    said = ask_dialogue(asker, draft.subgraph, draft.questions, draft.queries, tools.embedder)
    draft.turns = tuple(turn for turn in said if isinstance(turn, Turn))
    if not draft.turns:
        asker.record(
            Attempt(DIALOGUE.name, tools.run.attempts + 1, 0, None, tuple(f for f in said if not isinstance(f, Turn)))
        )
    return bool(draft.turns)


WORK: tuple[tuple[Stage, Callable[[Tools, str, Draft], bool]], ...] = (
    (QUESTIONS, _questions),
    (QUERIES, _queries),
    (DIALOGUE, _dialogue),
)
"""The stages in order, each with what does its work on a draft and says whether the draft lives on."""


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
