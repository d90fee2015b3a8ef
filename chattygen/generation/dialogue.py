"""Stage 3, dialogue generation (section 5.2), with its assertions D1 to D8.

The first question opens the dialogue unchanged. The model rewrites the others so that they refer back to the entity,
with a pronoun that fits its type, or a definite phrase. It never sees the entity's name, so it cannot leak it. Where
its attempts fail, the pronoun is put in by the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chattygen.context.reading import plural
from chattygen.domain import Finding, Origin, Query, Question, Seed, Subgraph, Turn
from chattygen.generation import grammar
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.wording import (
    Reference,
    agreeing,
    fitting,
    names_of,
    other_pronouns,
    reference,
    with_reference,
    without_phrase,
)
from chattygen.generation.words import ANY_PRONOUN, FUNCTION_WORDS, contains_words, content, words
from chattygen.models.model import Embedder

TOKENS_PER_LINE = 40

SAME_MEANING = 0.7
"""Cosine similarity that a turn keeps to its standalone form, both with the entity's mention evened out (D6)."""

ARTICLES = frozenset(["a", "an", "the", "this"])

SLACK = 4
"""Characters that a turn may have more than its standalone form, before and after the reference."""

KEPT_WORDS = 0.6
"""Share of the content words of the standalone form that a turn keeps (D6)."""


def ask_dialogue(
    asker: Asker,
    subgraph: Subgraph,
    questions: Sequence[Question],
    queries: Sequence[Query],
    embedder: Embedder,
) -> tuple[Turn, ...] | tuple[Finding, ...]:
    """Turn questions into a dialogue, one turn each, in the same order; or the findings that no wording avoids."""
    ref = reference(subgraph)
    later = questions[1:]

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        turn = ref.settle(line)
        return turn_findings(turn, later[index], subgraph.seed, ref, tuple(accepted.values()), embedder) or turn

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "references": ref.forms,
            "questions": [
                agreeing(later[index].pattern, "X") if ref.subject == "they" else later[index].pattern
                for index in wanted
            ],
            "findings": [raised[index] for index in wanted if index in raised],
        }

    rules = [turn_rule(question.pattern, ref) for question in later]
    worded = ask_items(asker, rules, values, check, TOKENS_PER_LINE) if later else []
    said: list[tuple[str, Origin]] = [(questions[0].text, questions[0].origin)]
    for question, line in zip(later, worded, strict=True):
        turn = line or with_reference(question.pattern, ref)
        if ref.phrase and contains_words(turn, ref.phrase) and contains_words(said[-1][0], ref.phrase):
            turn = without_phrase(turn, ref)
        said.append((turn, "model" if line else "builder"))
    turns = tuple(
        Turn(n, text, origin, question, query)
        for n, ((text, origin), question, query) in enumerate(zip(said, questions, queries, strict=True), 1)
    )
    return dialogue_findings(turns, questions, subgraph.seed, ref, embedder) or turns


def turn_rule(pattern: str, ref: Reference) -> str:
    """The grammar of a later turn: the opening word of its standalone form, then a reference near where `X` stood."""
    opening, _, rest = pattern.partition(" ")
    before, _, after = rest.partition("X")
    possessed = after.startswith(("'s", "’s"))
    phrase = ref.phrase and not possessed and not says_type(pattern, ref)
    forms = [fitting(pattern, ref), *([ref.phrase] if phrase else [])]
    return grammar.later_turn(opening, forms, len(before) + SLACK if before else 0, len(after.strip(" ?")) + SLACK)


def dialogue_findings(
    turns: Sequence[Turn], questions: Sequence[Question], seed: Seed, ref: Reference, embedder: Embedder
) -> tuple[Finding, ...]:
    """Every rule that a whole dialogue breaks, whoever worded it."""
    raised = [finding for finding in (turns_match(turns, questions), opens_alone(turns, seed)) if finding]
    for index, turn in enumerate(turns[1:], 1):
        before = tuple(earlier.utterance for earlier in turns[1:index])
        raised.extend(turn_findings(turn.utterance, turn.question, seed, ref, before, embedder))
    return tuple(raised)


def turn_findings(
    line: str, question: Question, seed: Seed, ref: Reference, before: Sequence[str], embedder: Embedder
) -> tuple[Finding, ...]:
    """Every rule that a later turn breaks: D3 to D8."""
    checks = (
        no_name(line, seed, question),
        refers_back(line, ref),
        several_words(line),
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


def several_words(line: str) -> Finding | None:
    """D5: at least three words and one question mark, at the end."""
    if len(words(line)) >= 3 and line.endswith("?") and line.count("?") == 1:
        return None
    return Finding("D5", "not a question of several words", line)


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
    own = set(words(question.pattern))
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


def says_type(pattern: str, ref: Reference) -> bool:
    """Whether the question says the noun of the definite phrase, of something else than the entity."""
    noun = ref.phrase.removeprefix("the ")
    return any(contains_words(pattern, name) for name in (noun, plural(noun)))
