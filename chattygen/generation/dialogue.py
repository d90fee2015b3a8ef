"""Stage 3, dialogue generation (section 5.2), with its assertions D1 to D9; D10 to D12 are in flow.py.

The first question opens the dialogue unchanged. The model rewrites the others so that they refer back to the entity,
with a pronoun that fits its type, or a definite phrase. It never sees the entity's name, so it cannot leak it. Where
its attempts fail, the pronoun is put in by the program. What is left out or follows up, the program writes from the
standalone question: there is only one way to do it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from chattygen.domain import Finding, Origin, Query, Question, Seed, Subgraph, Turn
from chattygen.generation import grammar
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.flow import Step, opening, plan_flow, resolvable, worn
from chattygen.generation.follow_ups import about_answer, referent
from chattygen.generation.two_facts import named, owned
from chattygen.generation.wording import (
    Reference,
    agreed,
    agreeing,
    fitting,
    names_of,
    other_pronouns,
    reference,
    says_type,
    with_reference,
    without_phrase,
)
from chattygen.generation.words import ANY_PRONOUN, FUNCTION_WORDS, contains_words, content, words
from chattygen.generation.yes_no import emptied, filled
from chattygen.models.model import Embedder

TOKENS_PER_LINE = 40

SAME_MEANING = 0.7
"""Cosine similarity that a turn keeps to its standalone form, both with the entity's mention evened out (D6)."""

ARTICLES = frozenset(["a", "an", "the", "this"])

SLACK = 4
"""Characters that a turn may have behind the reference more than its standalone form."""

ELLIPSIS = 2
"""Words that an ellipsis has at least: `And when?`."""

KEPT_WORDS = 0.6
"""Share of the content words of the standalone form that a turn keeps (D6)."""


def ask_dialogue(
    asker: Asker,
    subgraph: Subgraph,
    questions: Sequence[Question],
    queries: Sequence[Query],
    embedder: Embedder,
    shares: Mapping[str, float] | None = None,
) -> tuple[Turn, ...] | tuple[Finding, ...]:
    """Turn questions into a dialogue, one turn each; or the findings that no wording avoids.

    Args:
        shares: of the turns, by form (RunSettings.flow); without, all later turns refer to the seed.
    """
    ref, steps = reference(subgraph), plan_flow(questions, queries, subgraph, shares or {})
    worded = [replace(step, question=later(step.question)) for step in steps[1:] if not step.text]

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        question = worded[index].question
        turn = filled(ref.settle(line), named(question))
        return turn_findings(turn, question, subgraph.seed, ref, tuple(accepted.values()), embedder) or turn

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        patterns = [agreed(shown(worded[index].question), ref) for index in wanted]
        return {
            "references": ref.forms,
            "questions": [agreeing(pattern, "X") if ref.subject == "they" else pattern for pattern in patterns],
            "findings": [raised[index] for index in wanted if index in raised],
        }

    rules = [turn_rule(shown(step.question), ref, step.forms) for step in worded]
    lines = ask_items(asker, rules, values, check, TOKENS_PER_LINE) if worded else []
    spoken = iter(zip(worded, lines, strict=True))
    said: list[tuple[str, Origin]] = []
    for step in steps:
        if not said:
            said.append((step.question.text, step.question.origin))
        elif step.text:
            said.append((step.text, "builder"))
        else:
            said.append(_spoken(*next(spoken), [text for text, _ in said], ref))
    turns = tuple(
        Turn(n, text, origin, step.question, step.query, step.flow, step.refers_to)
        for n, ((text, origin), step) in enumerate(zip(said, steps, strict=True), 1)
    )
    return dialogue_findings(turns, [step.question for step in steps], subgraph, embedder) or turns


def later(question: Question) -> Question:
    """The question with the pattern that takes a reference best: `X's mentor` where it is about two facts."""
    return replace(question, pattern=owned(question))


def shown(question: Question) -> str:
    """The pattern as the model sees it: with `Y` for the value that the question names."""
    return emptied(question.pattern, named(question))


def _spoken(step: Step, line: str | None, before: Sequence[str], ref: Reference) -> tuple[str, Origin]:
    """The model's line, or the program's where there is none or it does not say the phrase that it has to.

    Never the definite phrase twice in a row, nor the same opening three times.
    """
    phrase = ref.phrase if ref.phrase in step.forms else ""
    origin: Origin = "model" if line and (not phrase or contains_words(line, phrase)) else "builder"
    turn = line if line and origin == "model" else with_reference(step.question.pattern, ref, phrase)
    again = bool(step.forms) or contains_words(before[-1], ref.phrase)
    if ref.phrase and not phrase and again and contains_words(turn, ref.phrase):
        turn = without_phrase(turn, ref)
    if opening(turn) in worn(before):
        turn = f"And {turn[0].lower()}{turn[1:]}"
    return turn, origin


def turn_rule(pattern: str, ref: Reference, forms: Sequence[str] = ()) -> str:
    """The grammar of a later turn: its standalone form up to `X`, then a reference, then what grammar needs.

    A small model would put something else in front, or an article that a pronoun cannot stand behind. `forms` are the
    only references that it may have, if any are given.
    """
    before, _, after = pattern.partition("X")
    possessed = after.startswith(("'s", "’s"))
    fits = fitting(pattern, ref)
    phrase = ref.phrase and not possessed and not says_type(pattern, ref)
    allowed = [fits, *([ref.phrase] if phrase else [])]
    if ref.phrase in forms:
        allowed = [ref.phrase + "'s" * possessed]
    elif forms:
        allowed = [fits]
    many = agreeing(f"{before}they", "they").removesuffix("they")
    leads = dict.fromkeys((before, many if ref.subject == "they" else before))
    room = len(after.strip(" ?")) + SLACK
    return grammar.later_turn([lead.strip() for lead in leads], allowed, room, names="y" in words(after))


def dialogue_findings(
    turns: Sequence[Turn], questions: Sequence[Question], subgraph: Subgraph, embedder: Embedder
) -> tuple[Finding, ...]:
    """Every rule that a whole dialogue breaks, whoever worded it."""
    raised = [finding for finding in (turns_match(turns, questions), opens_alone(turns, subgraph.seed)) if finding]
    for place in range(1, len(turns)):
        raised.extend(_findings(turns, place, subgraph, embedder))
    return (*raised, *resolvable(turns, subgraph))


def _findings(turns: Sequence[Turn], place: int, subgraph: Subgraph, embedder: Embedder) -> tuple[Finding, ...]:
    """Every rule up to D9 that a later turn breaks, by its form."""
    turn, seed, ref = turns[place], subgraph.seed, reference(subgraph)
    line, question = turn.utterance, turn.question
    before = tuple(earlier.utterance for earlier in turns[1:place])
    checks: tuple[Finding | None, ...]
    if turn.flow == "ellipsis":
        checks = (several_words(line, ELLIPSIS), nothing_added(line, question), pronouns_agree(line, ref, question))
    elif turn.flow == "follow-up":
        first = turns[place - 1].question
        answer = referent(first.fact, first.kind, subgraph)
        asked = replace(question, pattern=about_answer(question))
        checks = (several_words(line),)
        if answer:
            agree = pronouns_agree(line, answer.ref, asked)
            checks = (several_words(line), meaning_kept(line, asked, answer.ref, embedder), agree)
    else:
        return turn_findings(line, question, seed, ref, before, embedder)
    checks = (no_name(line, seed, question), *checks, turns_differ(line, before))
    return tuple(finding for finding in checks if finding)


def turn_findings(
    line: str, question: Question, seed: Seed, ref: Reference, before: Sequence[str], embedder: Embedder
) -> tuple[Finding, ...]:
    """Every rule that a later turn which refers to the seed breaks: D3 to D9."""
    checks = (
        no_name(line, seed, question),
        refers_back(line, ref),
        several_words(line),
        names_value(line, question),
        meaning_kept(line, question, ref, embedder),
        turns_differ(line, before),
        pronouns_agree(line, ref, question),
        phrase_fits(line, ref, question),
    )
    return tuple(finding for finding in checks if finding)


def turns_match(turns: Sequence[Turn], questions: Sequence[Question]) -> Finding | None:
    """D1: as many turns as questions, in the same order."""
    if [turn.question for turn in turns] == list(questions) and [turn.n for turn in turns] == [
        *range(1, len(turns) + 1)
    ]:
        return None
    return Finding("D1", f"{len(turns)} turns for {len(questions)} questions, or another order")


def opens_alone(turns: Sequence[Turn], seed: Seed) -> Finding | None:
    """D2: the first turn is its standalone question, unchanged, and names the entity."""
    first = turns[0]
    if first.utterance == first.question.text and contains_words(first.utterance, names_of(seed)[0]):
        return None
    return Finding("D2", "the first turn is not the standalone question", first.utterance)


def no_name(line: str, seed: Seed, question: Question) -> Finding | None:
    """D3: the entity's name does not stand in a later turn, nor a part of a person's name, nor the placeholder.

    A name that is a pronoun (a film called `It`) cannot be told from one.
    """
    names = [name for name in names_of(seed) if set(words(name)) - FUNCTION_WORDS - ANY_PRONOUN]
    if "x" in words(line) or any(contains_words(line, name) for name in names):
        return Finding("D3", "names the entity", line)
    if seed.being == "person":
        own = set(words(question.pattern))
        for part in set(words(names_of(seed)[-1])) - FUNCTION_WORDS - ANY_PRONOUN:
            if len(part) > 2 and part in words(line) and part not in own:
                return Finding("D3", "names a part of the entity", line)
    return None


def refers_back(line: str, ref: Reference) -> Finding | None:
    """D4: a pronoun or the definite phrase stands for the entity."""
    if any(contains_words(line, form) for form in ref.forms):
        return None
    return Finding("D4", f"does not refer back; use one of: {', '.join(ref.forms)}", line)


def several_words(line: str, fewest: int = 3) -> Finding | None:
    """D5: at least three words, or two of an ellipsis, and one question mark, at the end."""
    if len(words(line)) >= fewest and line.endswith("?") and line.count("?") == 1:
        return None
    return Finding("D5", "not a question of several words", line)


def nothing_added(line: str, question: Question) -> Finding | None:
    """D6 of an ellipsis: it says no word of meaning that its standalone question does not say."""
    added = content(line) - content(question.pattern)
    return Finding("D6", f"added: {', '.join(sorted(added))}", line) if added else None


def names_value(line: str, question: Question) -> Finding | None:
    """D6, for a question that names a value: what it tests, or a condition."""
    value = named(question)
    if value is None or words(emptied(line, value)).count("y") == 1:
        return None
    return Finding("D6", "does not say Y exactly once", line)


def meaning_kept(line: str, question: Question, ref: Reference, embedder: Embedder) -> Finding | None:
    """D6: the content words of the standalone question survive, none are added, and its meaning stays."""
    wanted, got = content(question.pattern), content(line)
    added = got - wanted - (content(ref.phrase) if contains_words(line, ref.phrase) else set())
    if added:
        return Finding("D6", f"added: {', '.join(sorted(added))}", line)
    if wanted and len(wanted & got) < KEPT_WORDS * len(wanted):
        return Finding("D6", f"lost: {', '.join(sorted(wanted - got))}", line)
    plain = with_reference(question.pattern, ref, ref.phrase if contains_words(line, ref.phrase) else "")
    left, right = embedder.embed([line, plain])
    if sum(a * b for a, b in zip(left, right, strict=True)) < SAME_MEANING:
        return Finding("D6", f"means something else than: {plain}", line)
    return None


def turns_differ(line: str, before: Sequence[str]) -> Finding | None:
    """D7: no two turns are the same."""
    if any(words(line) == words(other) for other in before):
        return Finding("D7", "the same as an earlier turn", line)
    return None


def pronouns_agree(line: str, ref: Reference, question: Question) -> Finding | None:
    """D8: pronouns agree with the entity's type and with each other, and a possessive has something to possess."""
    by_phrase = ref.phrase and contains_words(line, ref.phrase)
    own = set(words(question.pattern if by_phrase else agreed(question.pattern, ref)))
    if words(line)[-1:] == [ref.possessive] and ref.possessive != ref.object:
        return Finding("D8", f"{ref.possessive} stands alone", line)
    said = words(line)
    for before, word in pairwise(said):
        if word in ANY_PRONOUN and (before in ARTICLES or before in ANY_PRONOUN):
            return Finding("D8", f"{word} cannot stand behind {before}", line)
    for word in said:
        if word in other_pronouns(ref) and word not in own:
            return Finding("D8", f"{word} does not agree with {ref.subject}", line)
    return None


def phrase_fits(line: str, ref: Reference, question: Question) -> Finding | None:
    """D9: the definite phrase does not repeat what the question says of something else: the province as a province."""
    if ref.phrase and contains_words(line, ref.phrase) and says_type(question.pattern, ref):
        pronouns = " or ".join(dict.fromkeys((ref.subject, ref.object)))
        return Finding("D9", f"{ref.phrase} repeats a noun of the question; use {pronouns}", line)
    return None
