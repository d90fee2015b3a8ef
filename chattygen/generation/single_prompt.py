"""The baseline (section 5.1): one prompt for questions, queries and dialogue together, `D, Q', SQ = f(SG, e, n, I)`.

What the multi-stage approach has from cutting the work into stages is not here. The model chooses the facts and writes
whole queries, and no question is accepted before it is asked for its query. A reply is asked for again as a whole, no
item is repaired alone, and no builder steps in: what fails, fails. Everything else is the same for both, so that a
comparison is about the stages: the subgraph in the same words, `X` for the entity and short names for IRIs, the words
that refer to it, one worked example, a grammar, the assertions, the number of attempts, the finding told with the next
one, the fewest questions that make a dialogue, and its opening, which is the first question as it is. The paper gives
whole IRIs to its single prompt; but that of the entity holds its name, and a small model then says the name where it
should say `X`. Knows nothing about seeds and storage.

A reply has three lines for each item: a question, the query for it, and what is said in the dialogue, which the first
item does not need. It is the query that tells which fact is asked for, so it is read first.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattygen.config import RunSettings
from chattygen.context.summary import full, summarised
from chattygen.domain import Fact, Finding, Query, Subgraph, Turn
from chattygen.generation.asks import Ask
from chattygen.generation.attempts import THINKING, Asker, call
from chattygen.generation.dialogue import dialogue_findings, turn_findings
from chattygen.generation.form import whole_lines
from chattygen.generation.grammar import TEXT, any_of, lines, literal, question
from chattygen.generation.plan import plan
from chattygen.generation.queries import FORMS, alias, expand, form_of, pattern, run
from chattygen.generation.questions import OPENINGS, bare, findings, to_question
from chattygen.generation.wording import Reference, kind_of, reference
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import foreign_iris, parses, read_only
from chattygen.models.model import Constraint, Embedder

CUES = ("question: ", "query: ", "in the dialogue: ")
"""How the lines of an item begin, so that a small model does not lose its place."""

TOKENS_PER_LINE = 44

ANY_OPENING = tuple(dict.fromkeys(word for words in OPENINGS.values() for word in words))
"""Which kind of answer a question will have is not known before it is asked."""


@dataclass(frozen=True)
class Task:
    """What is asked about, and what a reply is judged with."""

    subgraph: Subgraph
    graph: KnowledgeGraph
    embedder: Embedder
    run: RunSettings

    @property
    def facts(self) -> list[Fact]:
        """All facts, in an order drawn by the seed's IRI: entities of one type are not all asked the same."""
        return random.Random(self.subgraph.seed.iri).sample(self.subgraph.facts, len(self.subgraph.facts))

    @property
    def reference(self) -> Reference:
        return reference(self.subgraph)

    @property
    def aliases(self) -> dict[str, str]:
        """IRI -> short name of each predicate of the subgraph."""
        return alias(tuple(fact.predicate for fact in self.subgraph.facts))

    @property
    def questions(self) -> int:
        """As many as the multi-stage approach would ask about this seed."""
        return len(plan(self.subgraph, self.run.questions)[0])


def ask_at_once(asker: Asker, task: Task) -> tuple[Turn, ...]:
    """Ask for a whole dialogue until one passes; its turns, or none when every attempt failed."""
    constraint = reply_form(task.reference, task.aliases, task.questions)
    phrase = full if task.run.serialisation == "full" else summarised
    values = {
        "type": task.subgraph.seed.type_label,
        "references": task.reference.forms,
        "facts": [(pattern(Ask(fact, "value"), task.aliases), phrase(fact)) for fact in task.facts],
        "count": task.questions,
    }
    told: tuple[Finding, ...] = ()
    room, thinking = 1, 0
    for number in range(1, asker.attempts + 1):
        limit = room * (TOKENS_PER_LINE * constraint.lines + 16) + thinking
        attempt = call(asker, number, 0, constraint, limit, **values, findings=told, again=number > 1)
        if attempt.call is None:
            asker.record(attempt)
            break  # what is too long now is too long the next time
        if any(finding.rule == "P2" for finding in attempt.findings):
            room, thinking = 2, THINKING if attempt.call.thinking else 0
        turns, told = judge(whole_lines(attempt.call.reply, attempt.findings), task)
        asker.record(replace(attempt, findings=(*attempt.findings, *told)))
        if turns:
            return turns
    return ()


def reply_form(ref: Reference, aliases: dict[str, str], count: int) -> Constraint:
    """The grammar: what a question, a query for one triple of the entity and a turn look like, whatever their fact.

    It is as strict as that of the stages wherever theirs does not rest on the fact that the program chose or on what an
    earlier stage gave.
    """
    name = f'":" [A-Za-z0-9]{{1,{max(map(len, aliases.values()))}}}'
    query = f'{any_of((FORMS["select"], FORMS["count"]))} " {{ " (":e " {name} " ?x" | "?x " {name} " :e") " }}"'
    turn = f'{any_of(ANY_OPENING)} " " ({TEXT}{{1,60}} " ")? {any_of(ref.forms)} (" " {TEXT}{{1,60}})? "?"'
    rules = [f"{literal(cue)} {rule}" for cue, rule in zip(CUES, (question(ANY_OPENING), query, turn), strict=True)]
    return lines([*rules[:2], *rules * (count - 1)])


def judge(said: Sequence[str], task: Task) -> tuple[tuple[Turn, ...], tuple[Finding, ...]]:
    """The dialogue that the lines of a reply make, and every rule that one of them breaks.

    The items that pass make the dialogue, and the first of them opens it, as in the multi-stage approach; there are no
    turns when they are too few.
    """
    turns, raised = list[Turn](), list[Finding]()
    padded = [*said[:2], "", *said[2:]]
    for start in range(0, len(padded) - 2, 3):
        line, query, spoken = (
            text.removeprefix(cue) for text, cue in zip(padded[start : start + 3], CUES, strict=True)
        )
        outcome = item(line, query, spoken, turns, task)
        if isinstance(outcome, Turn):
            turns.append(outcome)
        else:
            raised.extend(outcome)
    if len(turns) < task.run.min_questions:
        return (), tuple(raised)
    asked = [turn.question for turn in turns]
    broken = dialogue_findings(turns, asked, task.subgraph, task.embedder)
    return () if broken else tuple(turns), (*raised, *broken)


def item(line: str, short: str, spoken: str, before: Sequence[Turn], task: Task) -> Turn | tuple[Finding, ...]:
    """The turn that question, query and spoken form make, or the findings of the first stage that refuses one."""
    subgraph = task.subgraph
    fact = asked_for(short, task)
    if isinstance(fact, Finding):
        return (fact,)
    said = bare(line, subgraph.seed.type_label)
    counted = kind_of(said) == "how-many" and fact.value_kind != "number"
    ask = Ask(fact, "count" if counted else "value")
    asked = to_question(said, ask, subgraph, "model")
    wrong = findings(asked, ask, subgraph, [turn.question for turn in before], task.embedder)
    if wrong:
        return wrong
    sparql = expand(short, subgraph.seed.iri, task.aliases)
    query = run(sparql, asked, subgraph, task.graph, task.run.deadline, "model")
    if not isinstance(query, Query):
        return tuple(replace(finding, evidence=short) for finding in query)
    if not before:
        return Turn(1, asked.text, "model", asked, query, "opening")
    turn = Turn(len(before) + 1, task.reference.settle(spoken), "model", asked, query)
    earlier = [each.utterance for each in before[1:]]
    return turn_findings(turn.utterance, asked, subgraph.seed, task.reference, earlier, task.embedder) or turn


def asked_for(short: str, task: Task) -> Fact | Finding:
    """The fact whose triple pattern the query has, or why there is none: S1 to S3, Q2.

    The evidence is the query as it was written: the model must not read the name out of an IRI.
    """
    seed, aliases = task.subgraph.seed.iri, task.aliases
    sparql = expand(short, seed, aliases)
    made_up = [name for name in re.findall(r"(?<!\S):(\w+)", short) if name not in ("e", *aliases.values())]
    wrong = None if made_up else parses(sparql) or read_only(sparql)
    if wrong:
        return replace(wrong, evidence=short)
    if made_up or foreign_iris(sparql, {seed, *aliases}):
        return Finding("S3", "uses names that it was not given", short)
    found = (fact for fact in task.subgraph.facts if form_of(sparql, Ask(fact, "value"), seed))
    return next(found, Finding("Q2", "is not the triple of a fact", short))
