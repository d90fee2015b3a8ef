"""Phrasing: the model words each kind of question once, and not for each entity (section 5.2, paid for once).

For each key (node type, predicate, direction, form of answer) it writes several wordings with `X` for the entity, and
for each of them what is said in a later turn. Prompts, grammars and rules are those of the stages. A wording is kept
only if it passes them for every one of up to CHECKED sampled entities that have such a fact. What the model cannot word
the builder words plainly; what even that cannot is left out, with the reason. Knows nothing about files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chattygen.context.reading import plural, read
from chattygen.domain import Being, Finding, Subgraph
from chattygen.generation import dialogue, grammar, questions
from chattygen.generation.asks import Ask, cue, phrase
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.kinds import objects
from chattygen.generation.phrasings import REF, Key, Phrasing, Wording, key_of
from chattygen.generation.plain import plain_question
from chattygen.generation.plan import plan
from chattygen.generation.stages import LATER_PHRASING, PHRASING, Stage
from chattygen.generation.surplus import NUMBERS
from chattygen.generation.wording import (
    Reference,
    fitting,
    reference,
    says_type,
    with_reference,
)
from chattygen.generation.words import contains_words, words
from chattygen.models.model import Embedder

WORDINGS = 4
"""Wordings that are enough for one key."""

ROUNDS = 5
"""Times that a key is worded at most."""

TOGETHER = 5
"""Lines that are asked for in one call, as many as in a dialogue."""

CHECKED = 5
"""Entities for which a wording must pass the rules."""

WARMTH = 0.8
"""Temperature of all rounds but the first: the model is to say the same in another way."""

MOST_KEYS = 30
"""Keys of a node type; those that fewer entities have are left out."""

TENSES = frozenset("is are was were do does did".split())
STATES = frozenset(["is", "are"])
GRAMMAR = frozenset("a an and as has have his her its of s that the their whose x".split())
"""Words that add nothing to what is asked."""

SOME = frozenset([*NUMBERS, *"another else first last main only other same".split()])
"""Words that may be right of one entity, and are said of all."""

Asking = Callable[[Stage, int], Asker]
"""(stage, number of the round from 0) -> who is asked."""


@dataclass(frozen=True)
class Case:
    """A fact of a sampled entity that a key stands for."""

    ask: Ask
    subgraph: Subgraph


def planned(subgraph: Subgraph) -> tuple[Ask, ...]:
    """Everything that a dialogue about a seed may ask, in the order of the plan."""
    asked, spare = plan(subgraph, len(subgraph.facts))
    return (*asked, *spare)


def testable(subgraph: Subgraph) -> tuple[Ask, ...]:
    """What could be asked with yes or no, each with an object that the fact has."""
    able = ((ask.fact, objects(ask.fact, subgraph)) for ask in planned(subgraph) if ask.form == "value")
    return tuple(Ask(fact, "yes-no", found[1][0]) for fact, found in able if found)


def cases(
    subgraphs: Iterable[Subgraph], asks: Callable[[Subgraph], Iterable[Ask]] = planned
) -> dict[Key, tuple[Case, ...]]:
    """The keys of a node type with up to CHECKED cases each, the most frequent key first.

    The cases of a key are those with its most frequent class of other ends: `Which city` does not fit a country.
    """
    found: dict[Key, list[Case]] = {}
    for subgraph in subgraphs:
        for ask in asks(subgraph):
            if key := key_of(subgraph, ask):
                found.setdefault(key, []).append(Case(ask, subgraph))
    kept: dict[Key, tuple[Case, ...]] = {}
    for key in sorted(found, key=lambda key: (-len(found[key]), key))[:MOST_KEYS]:
        of = Counter(case.ask.fact.value_type for case in found[key]).most_common(1)[0][0]
        kept[key] = tuple(case for case in found[key] if case.ask.fact.value_type == of)[:CHECKED]
    return kept


def phrase_all(
    asking: Asking,
    found: Mapping[Key, Sequence[Case]],
    embedder: Embedder,
    most: int = WORDINGS,
    *,
    in_dialogues: bool = True,
) -> Iterator[Phrasing]:
    """A phrasing for each key, in their order, with up to `most` wordings; of later turns only for dialogues.

    Yes-no questions come last and are the builder's: a model would be asked to say Y, and little else.

    Raises:
        CallError: as the model does.
    """
    keys = [key for key in found if key.form != "yes-no"]
    for start in range(0, len(keys), TOGETHER):
        some = keys[start : start + TOGETHER]
        sampled = [found[key] for key in some]
        patterns = _questions(asking, sampled, embedder, most)
        items = [(own, text) for own, texts in zip(sampled, patterns, strict=True) for text in texts]
        turns = iter(_later(asking, items, embedder) if in_dialogues else [()] * len(items))
        name = asking(PHRASING, 0).model.name
        for key, own, texts in zip(some, sampled, patterns, strict=True):
            worded = [Wording(question=text, later=next(turns), origin="model", model=name) for text in texts]
            yield _phrasing(key, own, worded, embedder)
    yield from (_phrasing(key, own, (), embedder) for key, own in found.items() if key.form == "yes-no")


def most_calls(attempts: int) -> int:
    """Calls that the phrasings of a node type can take."""
    return -(-MOST_KEYS // TOGETHER) * (attempts + ROUNDS - 1 + WORDINGS * attempts)


def _phrasing(key: Key, own: Sequence[Case], worded: Sequence[Wording], embedder: Embedder) -> Phrasing:
    """The phrasing of a key; where no wording passed, the builder's, or the reason why there is none."""
    ask, reason = own[0].ask, ""
    if not worded:
        plain = plain_question(ask)
        raised = question_findings(plain, own, embedder)
        worded = () if raised else (Wording(question=plain, origin="builder"),)
        reason = f"{raised[0].rule}: {raised[0].message}" if raised else ""
    about = phrase(ask)
    return Phrasing(**key._asdict(), of=ask.fact.value_type, about=about, reason=reason, wordings=tuple(worded))


def _questions(asking: Asking, sampled: Sequence[Sequence[Case]], embedder: Embedder, most: int) -> list[list[str]]:
    """Up to `most` different questions for each key, as far as the model finds any in its rounds."""
    patterns: list[list[str]] = [[] for _ in sampled]
    for number in range(ROUNDS):
        wanted = [own for own, texts in zip(sampled, patterns, strict=True) if len(texts) < most]
        if not wanted:
            break
        into = [texts for texts in patterns if len(texts) < most]
        models = [texts[0] if texts else "" for texts in into]
        for texts, line in zip(into, _round(asking(PHRASING, number), wanted, models, embedder), strict=True):
            if line and all(words(line) != words(text) for text in texts):
                texts.append(line)
    return patterns


def _round(
    asker: Asker, wanted: Sequence[Sequence[Case]], models: Sequence[str], embedder: Embedder
) -> list[str | None]:
    """One question for each key; `models` are their first wordings, where there are any."""
    asks = [own[0].ask for own in wanted]
    type_label = wanted[0][0].subgraph.seed.type_label

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        pattern = questions.bare(line.removeprefix(cue(asks[index])), type_label)
        if some := [word for word in words(pattern) if word in SOME and word not in words(phrase(asks[index]))]:
            return (Finding("Q8", f"not so of every entity: {', '.join(some)}", pattern),)
        if models[index] and (new := new_words(pattern, asks[index], models[index])):
            return (Finding("Q8", f"says what the fact does not: {', '.join(new)}", pattern),)
        return question_findings(pattern, wanted[index], embedder) or pattern

    def values(open_: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "type": type_label,
            "facts": [phrase(asks[index]) for index in open_],
            "findings": [raised[index] for index in open_ if index in raised],
        }

    rules = [grammar.literal(cue(ask)) + " " + grammar.question(questions.openings(ask)) for ask in asks]
    return ask_items(asker, rules, values, check, questions.TOKENS_PER_LINE)


def new_words(pattern: str, ask: Ask, first: str) -> list[str]:
    """The words behind the opening that neither the fact nor the first wording says: nobody knows whether they are so.

    At a raised temperature a small model asks who is buried in X and not who died there, or who dies in X. Of `is` and
    `was` those of the first wording are right, and `is` with the noun of the fact: the birth date is, the birth was.
    """
    opening = max((o for o in questions.openings(ask) if pattern.startswith(f"{o} ")), key=len, default="")
    noun = read(ask.fact.predicate_label).noun
    states = STATES if contains_words(pattern, noun) or contains_words(pattern, plural(noun)) else frozenset[str]()
    known = {*words(first), *words(phrase(ask)), *words(plain_question(ask))} - TENSES
    allowed = known | (TENSES & set(words(first))) | states | GRAMMAR
    return [word for word in words(pattern[len(opening) :]) if word not in allowed]


def question_findings(pattern: str, own: Sequence[Case], embedder: Embedder) -> tuple[Finding, ...]:
    """What the pattern breaks for the first of the cases for which it breaks anything."""
    for case in own:
        question = questions.to_question(pattern, case.ask, case.subgraph, "model")
        if raised := questions.findings(question, case.ask, case.subgraph, (), embedder):
            return raised
    return ()


def _later(asking: Asking, items: Sequence[tuple[Sequence[Case], str]], embedder: Embedder) -> list[tuple[str, ...]]:
    """For each question what is said in a later turn, with REF for the reference; none where the model fails."""
    said: list[tuple[str, ...]] = []
    for start in range(0, len(items), TOGETHER):
        some = items[start : start + TOGETHER]
        said += [(line,) if line else () for line in _turns(asking(LATER_PHRASING, 0), some, embedder)]
    return said


def _turns(asker: Asker, items: Sequence[tuple[Sequence[Case], str]], embedder: Embedder) -> list[str | None]:
    subgraph = items[0][0][0].subgraph
    ref = in_the_prompt(reference(subgraph), subgraph.seed.being)

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        own, pattern = items[index]
        turn = with_slot(line, pattern, ref)
        return turn_findings(turn, pattern, own, embedder) or turn

    def values(open_: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "references": ref.forms,
            "questions": [items[index][1] for index in open_],
            "findings": [raised[index] for index in open_ if index in raised],
        }

    rules = [dialogue.turn_rule(pattern, ref) for _, pattern in items]
    return ask_items(asker, rules, values, check, dialogue.TOKENS_PER_LINE)


def in_the_prompt(ref: Reference, being: Being) -> Reference:
    """The reference in the singular: the verb is made to agree when the pronoun of an entity is put in."""
    if ref.subject != "they":
        return ref
    one = ("she", "her", "her") if being == "person" else ("it", "it", "its")
    return replace(ref, gender="", subject=one[0], object=one[1], possessive=one[2])


def with_slot(line: str, pattern: str, ref: Reference) -> str:
    """A later turn with REF where it refers to the entity: `How deep is {ref}?`, `When was {ref}'s death?`."""
    form = fitting(pattern, ref)
    owned = form == ref.possessive and bool(re.search(r"\bX['’]s\b", pattern))
    if ref.phrase and re.search(rf"\b{re.escape(ref.phrase)}\b", line):
        form, owned = ref.phrase, False
    return re.sub(rf"\b{re.escape(form)}\b", f"{REF}'s" if owned else REF, line, count=1)


def filled(turn: str, ref: Reference, form: str = "") -> str:
    """A later turn with a reference in the place of REF: `form`, or the pronoun that fits there."""
    return with_reference(turn.replace(REF, "X"), ref, form)


def phrase_may_stand(turn: str, ref: Reference) -> bool:
    """Whether the definite phrase can stand in the place of REF: not as a possessive, nor beside its own noun (D9)."""
    return bool(ref.phrase) and f"{REF}'s" not in turn and not says_type(turn, ref)


def turn_findings(turn: str, pattern: str, own: Sequence[Case], embedder: Embedder) -> tuple[Finding, ...]:
    """What a later turn breaks for any of the cases, with the pronoun or the definite phrase."""
    if turn.count(REF) != 1:
        return (Finding("D4", "does not refer back", turn),)
    for case in own:
        ref = reference(case.subgraph)
        question = questions.to_question(pattern, case.ask, case.subgraph, "model")
        for form in ("", *([ref.phrase] if phrase_may_stand(turn, ref) else [])):
            said = filled(turn, ref, form)
            if raised := dialogue.turn_findings(said, question, case.subgraph.seed, ref, (), embedder):
                return raised
    return ()
