"""The baseline (section 5.1): one prompt for questions, queries and dialogue together, `D, Q', SQ = f(SG, e, n, I)`.

What the multi-stage approach has from cutting the work into stages is not here. The model chooses the facts, it writes
whole queries with the IRIs of the graph, and no question is accepted before it is asked for its query. A reply is asked
for again as a whole, no item is repaired alone, and no builder steps in: what fails, fails. Everything else is the same
for both, so that a comparison is about the stages: the subgraph in the same words, `X` for the entity, the words that
refer to it, one worked example, a grammar for the form of each line, the assertions, the number of attempts, the
finding told with the next one, and the fewest questions that make a dialogue. Knows nothing about seeds and storage.

A reply has three lines for each item: a question, the query for it, and what is said in the dialogue. An item is judged
stage by stage; it is the query that tells which fact is asked for, so it is read first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from chattygen.config import RunSettings
from chattygen.context.summary import full, summarised
from chattygen.domain import Fact, Finding, Iri, Query, Subgraph, Turn
from chattygen.generation.attempts import THINKING, Asker, call
from chattygen.generation.dialogue import dialogue_findings, turn_findings
from chattygen.generation.form import whole_lines
from chattygen.generation.grammar import TEXT, any_of, lines, question
from chattygen.generation.plan import Ask, plan
from chattygen.generation.queries import FORMS, form_of, run
from chattygen.generation.questions import OPENINGS, bare, findings, to_question
from chattygen.generation.wording import Reference, kind_of, reference
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.sparql import foreign_iris, parses, read_only, term_text
from chattygen.models.model import Constraint, Embedder

LINES = 3
"""Lines of an item: question, query, turn."""

TOKENS_PER_LINE = 40

IRI_CHARACTER = r'[^<>"{}|^` \r\n]'

ANY_OPENING = tuple(dict.fromkeys(word for words in OPENINGS.values() for word in words))
"""Which kind of answer a question will have is not known before it is asked."""


def ask_at_once(
    asker: Asker, subgraph: Subgraph, graph: KnowledgeGraph, embedder: Embedder, settings: RunSettings
) -> tuple[Turn, ...]:
    """Ask for a whole dialogue until one passes; its turns, or none when every attempt failed.

    As many questions are asked for as the multi-stage approach would ask about this seed.
    """
    count = len(plan(subgraph, settings.questions)[0])
    ref = reference(subgraph)
    constraint = reply_form(subgraph, ref, count)
    limit = count * ((LINES - 1) * TOKENS_PER_LINE + longest_query(subgraph) // 2) + 16
    values = {
        "type": subgraph.seed.type_label,
        "references": ref.forms,
        "facts": [(triple(fact, subgraph), phrase(fact, settings.serialisation)) for fact in subgraph.facts],
        "count": count,
    }
    told: tuple[Finding, ...] = ()
    room, thinking = 1, 0
    for number in range(1, asker.attempts + 1):
        attempt = call(asker, number, 0, constraint, room * limit + thinking, **values, findings=told, again=number > 1)
        if attempt.call is None:
            asker.record(attempt)
            break  # what is too long now is too long the next time
        if any(finding.rule == "P2" for finding in attempt.findings):
            room, thinking = 2, THINKING if attempt.call.thinking else 0
        turns, told = judge(whole_lines(attempt.call.reply, attempt.findings), subgraph, graph, embedder, settings)
        asker.record(replace(attempt, findings=(*attempt.findings, *told)))
        if turns:
            return turns
    return ()


def triple(fact: Fact, subgraph: Subgraph) -> str:
    """The triple pattern of a fact; `?x` is the other end."""
    seed, predicate = term_text(Iri(subgraph.seed.iri)), term_text(Iri(fact.predicate))
    return f"{seed} {predicate} ?x" if fact.direction == "out" else f"?x {predicate} {seed}"


def phrase(fact: Fact, serialisation: Literal["summarised", "full"]) -> str:
    """The fact as the questions stage reads it where it asks for values."""
    return full(fact) if serialisation == "full" else summarised(fact)


def longest_query(subgraph: Subgraph) -> int:
    """Characters of the longest query that can be right."""
    return max(map(len, FORMS.values())) + len(" WHERE {  }") + max(len(triple(f, subgraph)) for f in subgraph.facts)


def reply_form(subgraph: Subgraph, ref: Reference, count: int) -> Constraint:
    """The grammar: what a question, a query for one triple pattern and a turn look like, whatever fact they are about.

    It is as strict as that of the stages wherever theirs does not rest on the fact that the program chose or on what an
    earlier stage gave.
    """
    bound = max(len(iri) for iri in (subgraph.seed.iri, *(fact.predicate for fact in subgraph.facts)))
    iri = f'"<" {IRI_CHARACTER}{{1,{bound}}} ">"'
    query = f'{any_of(tuple(FORMS.values()))} " WHERE {{ " ("?x" | {iri}) " " {iri} " " ("?x" | {iri}) " }}"'
    standalone = question(ANY_OPENING)
    later = f'{any_of(ANY_OPENING)} " " ({TEXT}{{1,60}} " ")? {any_of(ref.forms)} (" " {TEXT}{{1,60}})? "?"'
    rules = [standalone, query, standalone, *[standalone, query, later] * (count - 1)]
    return replace(lines(rules), max_line=max(Constraint.max_line, longest_query(subgraph)))


def judge(
    said: Sequence[str], subgraph: Subgraph, graph: KnowledgeGraph, embedder: Embedder, settings: RunSettings
) -> tuple[tuple[Turn, ...], tuple[Finding, ...]]:
    """The dialogue that the lines of a reply make, and every rule that one of them breaks.

    The items that pass make the dialogue, as in the multi-stage approach; there are no turns when they are too few or
    do not make one: the first must be a standalone question.
    """
    ref, turns, raised = reference(subgraph), list[Turn](), list[Finding]()
    for start in range(0, len(said) - LINES + 1, LINES):
        outcome = item(said[start : start + LINES], start == 0, turns, subgraph, ref, graph, embedder, settings)
        if isinstance(outcome, Turn):
            turns.append(outcome)
        else:
            raised.extend(outcome)
    if len(turns) < settings.min_questions:
        return (), tuple(raised)
    raised.extend(whole := dialogue_findings(turns, [t.question for t in turns], subgraph.seed, ref, embedder))
    return () if whole else tuple(turns), tuple(raised)


def item(
    said: Sequence[str],
    opens: bool,
    before: Sequence[Turn],
    subgraph: Subgraph,
    ref: Reference,
    graph: KnowledgeGraph,
    embedder: Embedder,
    settings: RunSettings,
) -> Turn | tuple[Finding, ...]:
    """One item: a turn, or the findings of the first stage that refuses it."""
    line, sparql, spoken = said
    fact = asked_for(sparql, subgraph)
    if isinstance(fact, Finding):
        return (fact,)
    pattern = bare(line, subgraph.seed.type_label)
    counted = kind_of(pattern) == "how-many" and fact.value_kind != "number"
    ask = Ask(fact, "count" if counted else "value")
    asked = to_question(pattern, ask, subgraph, "model")
    wrong = findings(asked, ask, subgraph, [turn.question for turn in before], embedder)
    if wrong:
        return wrong
    query = run(sparql, asked, subgraph, graph, settings.deadline, "model")
    if not isinstance(query, Query):
        return query
    if opens:
        utterance = to_question(bare(spoken, subgraph.seed.type_label), ask, subgraph, "model").text
    else:
        utterance = ref.settle(spoken)
        wrong = turn_findings(utterance, asked, subgraph.seed, ref, [turn.utterance for turn in before], embedder)
    return wrong or Turn(len(before) + 1, utterance, "model", asked, query)


def asked_for(sparql: str, subgraph: Subgraph) -> Fact | Finding:
    """The fact whose triple pattern the query has, or why there is none: S1 to S3, Q2."""
    given = {subgraph.seed.iri, *(fact.predicate for fact in subgraph.facts)}
    wrong = parses(sparql) or read_only(sparql)
    if wrong:
        return replace(wrong, evidence=sparql)
    if foreign := foreign_iris(sparql, given):
        return Finding("S3", f"uses IRIs that it was not given: {' '.join(foreign)}", sparql)
    found = (fact for fact in subgraph.facts if form_of(sparql, fact, subgraph.seed.iri))
    return next(found, Finding("Q2", "is not about one fact of the list", sparql))
