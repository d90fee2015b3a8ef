"""A dialogue from stored wordings, without a model: facts by the plan, words by lot, queries by the builder.

The lot is drawn by the seed's IRI and the number of the dialogue, so several dialogues of one seed differ in the choice
or order of facts or in words, and are the same in every run. The rules that look at an entity are checked again here;
what a text means (Q8, D6) was checked when it was worded. Knows nothing about files or how wordings were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from chattygen.context.reading import plural
from chattygen.domain import Finding, Origin, Query, Question, Subgraph, Turn
from chattygen.generation import dialogue, questions, yes_no
from chattygen.generation.asks import Ask
from chattygen.generation.flow import opening, plan_flow, worn
from chattygen.generation.kinds import objects
from chattygen.generation.phrasing import filled, phrase_may_stand
from chattygen.generation.phrasings import REF, Phrasing, Phrasings, Wording, key_of
from chattygen.generation.plain import plain_question
from chattygen.generation.wording import Reference, reference, with_reference
from chattygen.generation.words import contains_words

TRIES = 20
"""Draws for a dialogue that is unlike the others of its seed, before there is none."""

PHRASES = 0.3
"""Share of the later turns that say the definite phrase where it can stand."""

Run = Callable[[Question], Query | None]
"""Runs the builder's query for a question; None if its answers are not the fact's."""


@dataclass(frozen=True)
class Said:
    """A question as it can be asked about a seed, and how it can be said in a later turn: with REF."""

    question: Question
    later: tuple[str, ...]
    later_origin: Origin


@dataclass
class Known:
    """A seed with all that can be asked about it; remembers what was asked, and the queries that were run."""

    subgraph: Subgraph
    phrasings: Phrasings
    reference: Reference
    choices: Mapping[Ask, tuple[Said, ...]]
    told: set[tuple[str, ...]] = field(default_factory=set)
    queries: dict[Ask, Query | None] = field(default_factory=dict)


def known(subgraph: Subgraph, phrasings: Phrasings, asks: Iterable[Ask]) -> Known:
    """What of `asks` can be asked about a seed, in their order."""
    choices: dict[Ask, tuple[Said, ...]] = {}
    for ask in asks:
        if said := tuple(_sayable(ask, subgraph, phrasings)):
            choices[ask] = said
    return Known(subgraph, phrasings, reference(subgraph), choices)


def _sayable(ask: Ask, subgraph: Subgraph, phrasings: Phrasings) -> Iterator[Said]:
    """The wordings that fit this entity; the builder's where there are some, but none that fits."""
    key = key_of(subgraph, ask)
    if key not in phrasings:
        return
    phrasing = phrasings[key]
    fitting = [wording for wording in phrasing.wordings if _of_its_class(wording, phrasing, ask)]
    plain = Wording(question=plain_question(ask), origin="builder") if phrasing.wordings else None
    for group in (fitting, [plain] if plain else []):
        found = [said for wording in group if (said := _said(wording, ask, subgraph))]
        if found:
            yield from found
            return


def _of_its_class(wording: Wording, phrasing: Phrasing, ask: Ask) -> bool:
    """Whether a wording that says the class of the other ends says that of this fact's."""
    of = phrasing.of
    says = bool(of) and any(contains_words(wording.question, name) for name in (of, plural(of)))
    return ask.fact.value_type == of or not says


def _said(wording: Wording, ask: Ask, subgraph: Subgraph) -> Said | None:
    origin: Origin = "model" if wording.origin == "model" else "builder"
    question = questions.to_question(wording.question, ask, subgraph, origin)
    if question_findings(question, ask, subgraph):
        return None
    plain = question.pattern.replace("X", REF, 1)
    later = tuple(yes_no.filled(turn, ask.tested) for turn in wording.later)
    return Said(question, later or (plain,), origin if later else "builder")


def question_findings(question: Question, ask: Ask, subgraph: Subgraph) -> tuple[Finding, ...]:
    """The rules that depend on the entity: Q1, Q4, Q5, Q9, Q10."""
    checks = (
        questions.names_entity(question, subgraph.seed),
        questions.one_question(question),
        questions.no_answer(question, ask),
        questions.not_in_itself(question, subgraph.seed),
        yes_no.names_tested(question),
    )
    return tuple(finding for finding in checks if finding)


def assemble(
    known: Known,
    number: int,
    count: int,
    fewest: int,
    run: Run,
    flow: Mapping[str, float] | None = None,
    kinds: Mapping[str, float] | None = None,
) -> tuple[Turn, ...]:
    """The turns of dialogue `number`, from 1, of a seed: up to `count`, at least `fewest`, unlike those before.

    `flow` are the shares of the forms of turns, as in flow.plan_flow, and `kinds` those of the kinds of questions, of
    which yes-no can be set here, in one question of a dialogue at most. Empty when nothing new can be said. A query
    that fails leaves its fact out.
    """
    for attempt in range(TRIES):
        draw = Random(f"{known.subgraph.seed.iri} {number} {attempt}")
        chosen = _choose(known, number, count, run, draw)
        if len(chosen) < fewest:
            return ()
        if draw.random() < len(chosen) * (kinds or {}).get("yes-no", 0):
            chosen = _with_test(known, chosen, run, draw)
        turns = _turns(known, chosen, flow or {}, draw)
        told = {tuple(turn.question.pattern for turn in turns), tuple(turn.utterance for turn in turns)}
        asked = [turn.question for turn in turns]
        if not told & known.told and not dialogue.dialogue_findings(turns, asked, known.subgraph, SETTLED):
            known.told |= told
            return turns
    return ()


def _choose(known: Known, number: int, count: int, run: Run, draw: Random) -> list[Said]:
    """What is asked: the first dialogue of a seed in the plan's order, others in one drawn; dull facts always last."""
    asks = list(known.choices)
    if number > 1:
        interest = known.subgraph.interest
        weights = {ask: draw.random() for ask in asks}
        asks.sort(key=lambda ask: (-interest.get(ask.fact, 1.0), weights[ask]))
    chosen: list[Said] = []
    for ask in asks:
        if len(chosen) == count:
            break
        said = draw.choice(known.choices[ask])
        if questions.no_duplicate(said.question, [other.question for other in chosen]):
            continue
        if ask not in known.queries:
            known.queries[ask] = run(said.question)
        if known.queries[ask]:
            chosen.append(said)
    return chosen


def _with_test(known: Known, chosen: list[Said], run: Run, draw: Random) -> list[Said]:
    """`chosen` with one question for a value made one that is answered yes or no, as often the one as the other."""
    for place in draw.sample(range(len(chosen)), len(chosen)):
        old, others = chosen[place].question, [said.question for n, said in enumerate(chosen) if n != place]
        able = objects(old.fact, known.subgraph) if old.form == "value" else None
        if not able:
            continue
        ask = Ask(old.fact, "yes-no", draw.choice(able[draw.random() < 0.5]))
        for said in _sayable(ask, known.subgraph, known.phrasings):
            if ask not in known.queries:
                known.queries[ask] = run(said.question)
            if known.queries[ask] and not questions.no_duplicate(said.question, others):
                return [*chosen[:place], said, *chosen[place + 1 :]]
    return chosen


def _turns(known: Known, chosen: Sequence[Said], flow: Mapping[str, float], draw: Random) -> tuple[Turn, ...]:
    """The questions in the order of the flow: the first as it is, the others with references."""
    own = {said.question: said for said in chosen}
    found = [known.queries[_ask(said.question)] for said in chosen]
    steps = plan_flow(list(own), [query for query in found if query], known.subgraph, flow)
    turns: list[Turn] = []
    for n, step in enumerate(steps, 1):
        origin: Origin
        if not turns:
            text, origin = step.question.text, step.question.origin
        elif step.text:
            text, origin = step.text, "builder"
        else:
            text, origin = _later(known, own[step.question], [turn.utterance for turn in turns], draw)
        turns.append(Turn(n, text, origin, step.question, step.query, step.flow, step.refers_to))
    return tuple(turns)


def _later(known: Known, said: Said, before: Sequence[str], draw: Random) -> tuple[str, Origin]:
    """A later turn that breaks no rule: with the definite phrase now and then, never twice in a row, else a pronoun."""
    ref, template = known.reference, draw.choice(said.later)
    forms = [(filled(template, ref), said.later_origin), (with_reference(said.question.pattern, ref), "builder")]
    often = draw.random() < PHRASES
    if often and phrase_may_stand(template, ref) and not contains_words(before[-1], ref.phrase):
        forms.insert(0, (filled(template, ref, ref.phrase), said.later_origin))
    seed = known.subgraph.seed
    fitting = (form for form in forms if not dialogue.turn_findings(form[0], said.question, seed, ref, before, SETTLED))
    text, origin = next(fitting, forms[-1])
    if opening(text) in worn(before):
        text = f"And {text[0].lower()}{text[1:]}"
    return text, origin


def _ask(question: Question) -> Ask:
    return Ask(question.fact, question.form, question.tested, question.beyond)


class Settled:
    """An Embedder for texts whose meaning was judged when they were worded: to it, all mean the same."""

    name = "settled"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0]] * len(texts)


SETTLED = Settled()
