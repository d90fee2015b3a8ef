"""Stage 1, independent question generation (section 5.2), with its assertions Q1 to Q11.

The model words one line per planned fact with `X` for the seed entity; the program puts the name in. Knows nothing
about queries or dialogues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from chattygen.context import summary
from chattygen.context.names import unbracketed
from chattygen.context.reading import PREPOSITIONS, plural, read
from chattygen.domain import Fact, Finding, Origin, Question, Seed, Subgraph
from chattygen.generation import grammar, two_facts, yes_no
from chattygen.generation.added import with_flow
from chattygen.generation.asks import Ask, cue, phrase
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.choice import with_two_facts
from chattygen.generation.kinds import with_kinds
from chattygen.generation.plain import plain_question
from chattygen.generation.plan import plan
from chattygen.generation.slips import is_ill_formed, lacks_verb, mended
from chattygen.generation.surplus import beside
from chattygen.generation.two_facts import named
from chattygen.generation.verify import verify
from chattygen.generation.wording import (
    ends_in_clause,
    kind_of,
    said,
    sayable,
    with_name,
)
from chattygen.generation.words import ANY_PRONOUN, contains_words, content, words
from chattygen.generation.yes_no import emptied, filled
from chattygen.models.model import Embedder

TOKENS_PER_LINE = 40

FEWEST_WORDS = 4

DEMONSTRATIVES = frozenset(["this", "these", "those"])

OPENINGS: dict[str, tuple[str, ...]] = {
    "entity": ("What", "Which", "Who", "Where", "In which", "By whom"),
    "text": ("What", "Which", "Where", "Who", "How"),
    "date": ("When", "On which date"),
    "year": ("When", "In which year"),
    "number": ("What", "How"),
    "boolean": ("What",),
}
"""First words that a question may have, by the kind of its answer."""

SITES = frozenset("base headquarters home location place residence seat site venue".split())
"""Nouns that say where something is; a capital is a place too, but nobody asks where it is to hear its name."""


def openings(ask: Ask) -> tuple[str, ...]:
    """First words that a question may have.

    What stands at the subject's end of a triple is asked for by its class: `Which albums`. With a free opening, a small
    model turns such a question round and asks for the object.
    """
    if ask.form == "count":
        return (f"How many {summary.others(ask.fact)}",) if ask.fact.direction == "in" else ("How many",)
    if ask.fact.direction == "in":
        which = tuple(f"{word} {summary.others(ask.fact)}" for word in ("Which", "What"))
        return (*which, "Who") if summary.others(ask.fact) in ("person", "people") else which
    named = OPENINGS[ask.fact.value_kind]
    if ask.fact.value_kind == "text" and not says_where(ask.fact):
        named = tuple(word for word in named if word != "Where")
    return _of_beings(ask.fact) or named


def says_where(fact: Fact) -> bool:
    """Whether the predicate says where something is: `born in`, `home city` of a city, `place of birth`."""
    said = read(fact.predicate_label)
    tied = said.link and not beside(fact)
    return bool(tied) or said.noun == fact.value_type or bool(SITES & set(said.noun.split()))


def _of_beings(fact: Fact) -> tuple[str, ...]:
    """What persons, works and places are asked for with, if all values are of one of them; else nothing."""
    beings = {value.being for value in fact.values}
    which = f"Which {summary.others(fact)}" if fact.value_type else "Which"
    if beings == {"person"}:
        return "Who", "By whom", which
    if beings == {"work"}:
        return "What", "Which", "In which"
    if beings != {"place"}:
        return ()
    return ("Where", "In which", "Which", "What") if says_where(fact) else ("What", "Which")


def bare(line: str, type_label: str) -> str:
    """The line with `X` alone where the model said `the city of X` or `the song X` of a city or a song."""
    return re.sub(
        rf"\b(?:the |this )?{re.escape(type_label)}(?: of| called| named)? X\b", "X", line, flags=re.IGNORECASE
    )


def ask_questions(
    asker: Asker,
    subgraph: Subgraph,
    count: int,
    embedder: Embedder,
    form: Literal["summarised", "full"] = "summarised",
    shares: Mapping[str, float] | None = None,
    hops: int = 1,
    kinds: Mapping[str, float] | None = None,
) -> tuple[Question, ...]:
    """Word up to `count` questions about the facts of a subgraph, in the planned order.

    What the model cannot word in its attempts, the builder words plainly; what even that cannot ask without breaking a
    rule is replaced by a spare fact. May return fewer than `count`.
    """
    asked, spare = plan(subgraph, count)
    if hops > 1:
        asked, spare = with_two_facts(asked, spare, subgraph, count)
    asked, spare = with_flow(asked, spare, subgraph, shares or {})
    asked, spare = with_kinds(asked, spare, subgraph, kinds or {})

    def check(index: int, line: str, accepted: dict[int, Question]) -> Question | tuple[Finding, ...]:
        ask, line = asked[index], line.removeprefix(_cue(asked[index]))
        pattern = two_facts.whole(line, ask) if ask.beyond else bare(line, subgraph.seed.type_label)
        question = to_question(pattern, ask, subgraph, "model")
        return findings(question, ask, subgraph, tuple(accepted.values()), embedder) or question

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "type": subgraph.seed.type_label,
            "facts": [_phrase(asked[index], form) for index in wanted],
            "findings": [_without_value(raised[index], asked[index]) for index in wanted if index in raised],
        }

    rules = [grammar.literal(_cue(ask)) + " " + _rule(ask) for ask in asked]
    worded = ask_items(asker, rules, values, check, TOKENS_PER_LINE)
    kept: list[Question] = [question for question in worded if question is not None]
    order = {(ask.fact, ask.beyond): index for index, ask in enumerate(asked)}
    failed = [ask for ask, question in zip(asked, worded, strict=True) if question is None]
    untested = [replace(ask, form="value", tested=None) for ask in failed if ask.tested]
    for ask in (*failed, *untested, *spare):
        if len(kept) == min(count, len(asked)):
            break
        plain = to_question(_plain(ask), ask, subgraph, "builder")
        if not findings(plain, ask, subgraph, kept, embedder):
            kept.append(plain)
    missing = [index for key, index in order.items() if key not in {(each.fact, each.beyond) for each in kept}]
    spared = len(kept) - (len(asked) - len(missing))
    for place, index in enumerate(missing):
        asker.repaired(index + 1, "replaced" if place < spared else "lost", "")
    return tuple(sorted(kept, key=lambda question: order.get((question.fact, question.beyond), len(order))))


def _without_value(finding: Finding, ask: Ask) -> Finding:
    """The finding as a prompt shows it: no value of the graph is in it."""
    return replace(finding, evidence=two_facts.shortened(emptied(finding.evidence, named(ask)), ask))


def _cue(ask: Ask) -> str:
    return two_facts.cue(ask) if ask.beyond else cue(ask)


def _phrase(ask: Ask, form: Literal["summarised", "full"]) -> str:
    return two_facts.phrase(ask) if ask.beyond else phrase(ask, form)


def _rule(ask: Ask) -> str:
    if ask.tested:
        return yes_no.rule(ask.fact)
    return two_facts.rule(ask, openings(two_facts.second(ask))) if ask.beyond else grammar.question(openings(ask))


def _plain(ask: Ask) -> str:
    return two_facts.plain(ask) if ask.beyond else plain_question(ask)


def to_question(pattern: str, ask: Ask, subgraph: Subgraph, origin: Origin) -> Question:
    """Put the name in; where that makes fewer than four words, with the type: `Who wrote the song "Daysleeper"?`."""
    pattern = yes_no.bare(pattern, ask.fact, ask.tested) if ask.tested else pattern
    pattern = mended(sayable(pattern, subgraph.seed), ask, subgraph.seed)
    pattern, name = filled(pattern, named(ask)), said(subgraph.seed)
    text = with_name(pattern, name)
    if len(words(text)) < FEWEST_WORDS:
        text = with_name(pattern, f"the {subgraph.seed.type_label} {name}")
    return Question(ask.fact, pattern, text, kind_of(pattern), origin, ask.form, ask.tested, ask.beyond)


def findings(
    question: Question, ask: Ask, subgraph: Subgraph, others: Sequence[Question], embedder: Embedder
) -> tuple[Finding, ...]:
    """Every rule that a question breaks, Q8 only if the cheap ones pass."""
    cheap = (
        names_entity(question, subgraph.seed),
        fact_exists(question.fact, subgraph),
        facts_distinct(question, others),
        one_question(question),
        no_answer(question, ask),
        no_context(question.pattern),
        no_duplicate(question, others),
        not_in_itself(question, subgraph.seed),
        yes_no.names_tested(question),
        *(two_facts.findings(question.pattern, ask, subgraph) if ask.beyond else ()),
    )
    raised = tuple(finding for finding in cheap if finding)
    if raised:
        return raised
    if ask.beyond:
        off = two_facts.verify_both(question.pattern, ask, subgraph, embedder)
    else:
        off = verify(question.pattern, ask, (*subgraph.facts, *subgraph.absent), embedder)
    return (off,) if off else ()


_BEHIND_NOUN = (
    r"\b(?:(?:the|a|an) (?!of\b)[\w-]+"
    rf"|(?:are|contains?|is|was|were) (?!(?:{'|'.join(sorted(PREPOSITIONS))}|that)\b)(?!\w+(?:ed|en|ing)\b)[a-z]+) X\b"
)
"""`the track X`, `contains track X`, but not `is in X`, `is called X`."""


def names_entity(question: Question, seed: Seed) -> Finding | None:
    """Q1: the placeholder stands in the question once, as a name of its own, and so does what is said for it.

    Behind a noun (`the track X`) or `named` it could not be replaced by a pronoun. Nor does the other placeholder stand
    there where it is put for nothing.
    """
    if words(question.pattern).count("x") != 1 or not contains_words(question.text, said(seed)):
        return Finding("Q1", "does not name the entity exactly once", question.pattern)
    if ends_in_clause(seed) and re.search(r"\bX['’]s\b", question.pattern):
        return Finding("Q1", "X's cannot be said of this entity; say: of X", question.pattern)
    if re.search(_BEHIND_NOUN, question.pattern):
        return Finding("Q1", "X stands behind a noun; it is a name of its own", question.pattern)
    if re.search(r"\b(?![Ww]ho\b)\w+ (?:called|entitled|named|titled) X\b", question.pattern):
        return Finding("Q1", "nothing is called X; X is the entity", question.pattern)
    if re.search(r"\bY\b", question.pattern) and not named(question):
        return Finding("Q1", "there is no Y", question.pattern)
    return None


def fact_exists(fact: Fact, subgraph: Subgraph) -> Finding | None:
    """Q2: the fact is one of the subgraph's, or one that it is known not to have."""
    found = fact in (*subgraph.facts, *subgraph.absent)
    return None if found else Finding("Q2", "its fact is not in the subgraph", fact.predicate)


def facts_distinct(question: Question, others: Sequence[Question]) -> Finding | None:
    """Q3: no other question of the dialogue is about the same fact."""
    taken = any((question.fact, question.beyond) == (other.fact, other.beyond) for other in others)
    return Finding("Q3", "another question asks about the same fact", question.pattern) if taken else None


def one_question(question: Question) -> Finding | None:
    """Q4: one question mark, at the end, and at least four words with the name; a question mark in the name is none.

    And its words go together; those of what it tests are none of its own: `Sir James W. Black`.
    """
    pattern = question.pattern
    if is_ill_formed(emptied(pattern, named(question))):
        return Finding("Q4", "the verbs do not go together", pattern)
    if lacks_verb(pattern, question.fact):
        return Finding("Q4", "say it with a verb: born, died", pattern)
    if pattern.count("?") == 1 and pattern.endswith("?") and len(words(question.text)) >= FEWEST_WORDS:
        return None
    return Finding("Q4", "not one question of at least four words with a question mark at its end", question.pattern)


def no_answer(question: Question, ask: Ask) -> Finding | None:
    """Q5: the question does not contain its answer, with or without what stands in a bracket behind it.

    What a yes-no question tests is none.
    """
    labels = (value.label for value in ask.asked.values if value != ask.tested)
    text = emptied(question.text, ask.tested)
    told = [part for label in labels for part in dict.fromkeys((label, unbracketed(label)[0]))]
    answers = [str(ask.asked.count)] if ask.form == "count" else told
    for answer in answers:
        if contains_words(text, answer):
            return Finding("Q5", "contains its answer", question.pattern)
    return None


def no_context(pattern: str) -> Finding | None:
    """Q6: no pronoun that needs an earlier sentence, nor `this`.

    A possessive is fine behind the entity's name (`X and its ...`) and where it points to what is asked for (`Which
    people have their birth place at X?`).
    """
    said_words = words(pattern)
    name = said_words.index("x") if "x" in said_words else len(said_words)
    for position, word in enumerate(said_words):
        if word in DEMONSTRATIVES:
            return Finding("Q6", f"needs context: {word}", pattern)
        if word not in ANY_PRONOUN:
            continue
        owned = word in ("his", "her", "its", "their")
        if not (owned and (position > name or said_words[position - 1] in ("has", "have", "had"))):
            return Finding("Q6", f"needs context: {word}", pattern)
    return None


def no_duplicate(question: Question, others: Sequence[Question]) -> Finding | None:
    """Q7: says something else than every other question of the dialogue."""
    for other in others:
        if (content(question.pattern), question.kind) == (content(other.pattern), other.kind):
            return Finding("Q7", "asks the same as another question", question.pattern)
    return None


def not_in_itself(question: Question, seed: Seed) -> Finding | None:
    """Q9: places neither the entity in what it is itself nor its like in it, nor asks for its like where there is none.

    No organisation has its city at the city X, no songs are on the song X, no album has its producer at X, and the
    mountain X is on no mountain.
    """
    fact, own = question.fact, seed.type_label
    noun = read(fact.predicate_label).noun
    others = {fact.value_type, *(value.type_label for value in fact.values)}
    like = re.match(rf"(?:What|Which) (?:{re.escape(own)}|{re.escape(plural(own))})\b", question.pattern, re.IGNORECASE)
    if like and own and own not in others and not contains_words(fact.predicate_label, own):
        return Finding("Q9", f"X is a {own}, but what is asked for is none", question.pattern)
    whose = fact.direction == "in" and (seed.being != "place" or f" {noun}".endswith(f" {own}"))
    if whose and noun:
        own = noun
    elif fact.value_type == own:
        return None
    placed = rf"\b(?:{re.escape(own)}|{re.escape(plural(own))}) (?:as|at|in|on|near|within) X\b"
    if own and re.search(placed, question.pattern, re.IGNORECASE):
        return Finding("Q9", f"X is the {own}, nothing in it", question.pattern)
    return None
