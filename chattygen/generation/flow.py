"""How a dialogue flows: the order of its questions, and by which form each later turn goes on with what was said.

Planned by the program before the dialogue is worded, drawn by the seed's IRI. A turn refers to the seed, leaves out
what was just said (ellipsis.py), asks about the answer of the turn before (follow_ups.py), or comes back to the seed
after that. A pronoun that could mean the seed means the seed, everywhere but right behind a follow-up: that is what
makes every turn resolvable by a reader of the dialogue alone, and what D10 to D12 demand. Knows nothing about models.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chattygen.domain import Finding, Flow, Query, Question, Subgraph, Turn
from chattygen.generation.added import PER_FOLLOW_UP, drawn
from chattygen.generation.ellipsis import ellipses, genders, same_rest
from chattygen.generation.follow_ups import Referent, about_answer, referent
from chattygen.generation.wording import Reference, reference, says_type
from chattygen.generation.words import contains_words, content, words

GENERIC = frozenset(content("date day year time place number name title type code"))
"""Two facts do not belong together because both are a date or a number."""


@dataclass(frozen=True)
class Step:
    """A turn that is planned.

    Attributes:
        flow, refers_to: as those of Turn.
        text: what the program has it say; empty where a model words it.
        forms: the words by which it may refer to the seed, where it must not by all that would fit.
    """

    question: Question
    query: Query
    flow: Flow
    refers_to: int | None = None
    text: str = ""
    forms: tuple[str, ...] = ()


def plan_flow(
    questions: Sequence[Question], queries: Sequence[Query], subgraph: Subgraph, shares: Mapping[str, float]
) -> tuple[Step, ...]:
    """The turns of a dialogue, in their order and with their forms; the first one opens it.

    Where all shares are 0, every later turn is a reference, by whatever words fit.
    """
    own = dict(zip(questions, queries, strict=True))
    ordered = in_order(questions, subgraph, follow_ups=bool(shares.get("follow-up")))
    steps: list[Step] = []
    left = _most(ordered) if shares.get("follow-up") else 0
    for number, question in enumerate(ordered, 1):
        step = Step(question, own[question], "reference" if steps else "opening")
        if steps and steps[-1].flow == "follow-up":
            step = replace(step, flow="return", forms=returning(question, steps[-2].question, subgraph))
        elif steps and left:
            first, after = steps[-1].question, ordered[number : number + 1]
            answer = followed(question, first, subgraph)
            if answer and all(returning(question, first, subgraph) for question in after):
                text, left = answer.utter(about_answer(question)), left - 1
                step = replace(step, flow="follow-up", refers_to=number - 1, text=text)
        steps.append(step)
    steps = _with_phrases(steps, subgraph) if any(shares.values()) else steps
    return _with_ellipses(steps, subgraph, drawn(shares.get("ellipsis", 0), len(steps), subgraph, "ellipsis"))


def _most(questions: Sequence[Question]) -> int:
    """The most follow-ups that a dialogue has."""
    return max(1, len(questions) // PER_FOLLOW_UP)


def in_order(questions: Sequence[Question], subgraph: Subgraph, *, follow_ups: bool = True) -> list[Question]:
    """The questions, those that belong together as neighbours, a follow-up right behind what it is about.

    Not three in a row open alike if that can be helped. A follow-up after which nothing could come back to the seed is
    the last of all.
    """
    firsts = _firsts(questions, subgraph) if follow_ups else {}
    groups: list[list[Question]] = []
    for question in [question for question in questions if question not in firsts]:
        home = next((group for group in groups if any(belong_together(question, other) for other in group)), None)
        if home:
            home.append(question)
        else:
            groups.append([question])
    for follow_up, first in firsts.items():
        home = next(group for group in groups if first in group)
        home.remove(first)
        home += [first, follow_up]
    placed: list[Question] = []
    while groups:
        ranks = [_rank(group, placed, groups, firsts, subgraph) for group in groups]
        placed += groups.pop(ranks.index(min(ranks)))
    return placed


def _firsts(questions: Sequence[Question], subgraph: Subgraph) -> dict[Question, Question]:
    """Follow-up -> the question that it goes on from: one for each, and not more than a dialogue should have."""
    found = {first: question for first in questions for question in questions if followed(question, first, subgraph)}
    return {question: first for first, question in [*found.items()][: _most(questions)]}


def _rank(
    group: Sequence[Question],
    placed: Sequence[Question],
    groups: Sequence[Sequence[Question]],
    firsts: Mapping[Question, Question],
    subgraph: Subgraph,
) -> tuple[bool, bool]:
    """What speaks against a group as the next one: no way back to the seed, or an opening that the graph cannot answer;
    and a third question that opens alike.
    """
    lost = not placed and not group[0].answerable
    if placed and placed[-1] in firsts:
        lost = lost or not returning(group[0], firsts[placed[-1]], subgraph)
    if group[-1] in firsts and len(groups) > 1:
        others = [other[0] for other in groups if other is not group]
        lost = lost or not any(returning(head, firsts[group[-1]], subgraph) for head in others)
    return lost, opening(group[0].pattern) in worn([question.pattern for question in placed])


def belong_together(one: Question, other: Question) -> bool:
    """Whether two questions are neighbours: about birth date and birth place, or alike but for how they open."""
    if one.beyond or other.beyond or "yes-no" in (one.form, other.form) or not (one.answerable and other.answerable):
        return False
    shared = content(one.fact.predicate_label) & content(other.fact.predicate_label) - GENERIC
    return bool(shared) or same_rest(one.pattern, other.pattern)


def opening(text: str) -> str:
    """The first two words."""
    return " ".join(words(text)[:2])


def worn(before: Sequence[str]) -> set[str]:
    """The opening that the next question should not have: that of the two before it."""
    last = {opening(text) for text in before[-2:]}
    return last if len(before) > 1 and len(last) == 1 else set()


def followed(question: Question, first: Question, subgraph: Subgraph) -> Referent | None:
    """How `question` refers to the answer of `first`, if it asks for something of that."""
    hops = question.beyond is not None and question.beyond.kind == "hop" and question.form == "value"
    if not hops or question.fact != first.fact or first.beyond or first.form != "value":
        return None
    return referent(first.fact, first.kind, subgraph)


def returning(question: Question, first: Question, subgraph: Subgraph) -> tuple[str, ...]:
    """The words by which `question` comes back to the seed after a follow-up on the answer of `first`; maybe none.

    The definite phrase; where that could mean the answer, or there is none, the pronouns, unless they could.
    """
    seed = reference(subgraph)
    return _phrase(question, first, subgraph) or (_pronouns(seed) if seed.gender not in genders(first) else ())


def _phrase(question: Question, before: Question, subgraph: Subgraph) -> tuple[str, ...]:
    """The definite phrase, where `question` can say it and it could not mean the answer of `before`."""
    seed, own = reference(subgraph), subgraph.seed.type_label.casefold()
    classes = {before.asked.value_type, *(value.type_label for value in before.asked.values)}
    alike = own in {label.casefold() for label in classes}
    return (seed.phrase,) if seed.phrase and not alike and not says_type(question.pattern, seed) else ()


def _pronouns(seed: Reference) -> tuple[str, ...]:
    return tuple(form for form in seed.forms if form != seed.phrase)


def _with_phrases(steps: Sequence[Step], subgraph: Subgraph) -> list[Step]:
    """The steps with the definite phrase where a pronoun could be taken for the answer just given, though it would mean
    the seed; but never twice in a row.
    """
    seed, found = reference(subgraph), list(steps)
    for place in range(1, len(steps)):
        step, before = found[place], found[place - 1]
        if step.flow == "reference" and seed.phrase not in before.forms and seed.gender in genders(before.question):
            found[place] = replace(step, forms=_phrase(step.question, before.question, subgraph))
        if seed.phrase in found[place].forms and before.flow == "reference" and not before.forms:
            found[place - 1] = replace(before, forms=_pronouns(seed))
    return found


def _with_ellipses(steps: list[Step], subgraph: Subgraph, number: int) -> tuple[Step, ...]:
    """The steps with up to `number` ellipses, never two in a row: first where only the question word differs, then
    where three turns would open alike.
    """
    ref = reference(subgraph)
    draw = random.Random(f"where:{subgraph.seed.iri}")
    places: list[tuple[tuple[bool, bool, float], int, str]] = []
    for place in range(1, len(steps)):
        question, before = steps[place].question, steps[place - 1].question
        if steps[place].flow == "reference" and (texts := ellipses(question, before, ref)):
            third = opening(question.pattern) in worn([step.question.pattern for step in steps[:place]])
            rank = (not same_rest(question.pattern, before.pattern), not third, draw.random())
            places.append((rank, place, texts[0]))
    taken: dict[int, str] = {}
    for _, place, text in sorted(places):
        if len(taken) < number and not {place - 1, place + 1} & taken.keys() and text not in taken.values():
            taken[place] = text
    return tuple(
        replace(step, flow="ellipsis", text=taken[place]) if place in taken else step
        for place, step in enumerate(steps)
    )


def resolvable(turns: Sequence[Turn], subgraph: Subgraph) -> tuple[Finding, ...]:
    """Every turn of which a reader of the turns before it could not tell what it asks about: D10, D11, D12."""
    found = (
        check(turns, place, subgraph)
        for place in range(1, len(turns))
        for check in (ellipsis_resolvable, follow_up_resolvable, return_resolvable)
    )
    return tuple(finding for finding in found if finding)


def ellipsis_resolvable(turns: Sequence[Turn], place: int, subgraph: Subgraph) -> Finding | None:
    """D10: what is left out was said in the turn before, which is about the seed and no ellipsis itself."""
    turn, before = turns[place], turns[place - 1]
    if turn.flow != "ellipsis":
        return None
    if before.flow in ("ellipsis", "follow-up"):
        return Finding("D10", f"the turn before is of the form {before.flow}", turn.utterance)
    if turn.utterance not in ellipses(turn.question, before.question, reference(subgraph)):
        return Finding("D10", "the turn before does not tell what is left out", turn.utterance)
    return None


def follow_up_resolvable(turns: Sequence[Turn], place: int, subgraph: Subgraph) -> Finding | None:
    """D11: a follow-up is about the one answer of the turn before, an entity, and says so by words that fit it only."""
    turn, before = turns[place], turns[place - 1]
    if turn.flow != "follow-up":
        return None
    answer = followed(turn.question, before.question, subgraph)
    if turn.refers_to != before.n or answer is None or len(before.query.answers) != 1:
        return Finding("D11", "not about the one answer of the turn before", turn.utterance)
    if not any(contains_words(turn.utterance, form) for form in answer.forms):
        return Finding("D11", f"does not refer to the answer; use one of: {', '.join(answer.forms)}", turn.utterance)
    own = [form for form in reference(subgraph).forms if contains_words(turn.utterance, form)]
    return Finding("D11", f"{own[0]} could mean the entity", turn.utterance) if own else None


def return_resolvable(turns: Sequence[Turn], place: int, subgraph: Subgraph) -> Finding | None:
    """D12: only what stands behind a follow-up comes back to the seed, and by words that cannot mean the answer."""
    turn, before = turns[place], turns[place - 1]
    if (turn.flow == "return") != (before.flow == "follow-up"):
        return Finding("D12", f"{turn.flow} behind {before.flow}", turn.utterance)
    if turn.flow != "return" or place < 2:
        return None
    forms = returning(turn.question, turns[place - 2].question, subgraph)
    if any(contains_words(turn.utterance, form) for form in forms):
        return None
    return Finding("D12", f"could mean the answer; use: {', '.join(forms) or 'another order'}", turn.utterance)
