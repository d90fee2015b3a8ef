"""Yes-no questions: what can be tested, how prompt, grammar and builder say it, and rule Q10 (section 5.2).

A yes-no question about `birth place` asks whether one object is the right one. While it is worded the object is `Y`, as
the entity is `X`: so no label is read by a model, and it can be checked who does what to whom. English. Knows nothing
about models, nor which facts are asked so (kinds.py).
"""

from __future__ import annotations

import re

from chattygen.context.names import count_words, unbracketed
from chattygen.context.reading import Reading, plural, read
from chattygen.context.spoken import called
from chattygen.domain import Fact, Finding, Question, Value
from chattygen.generation.grammar import any_of
from chattygen.generation.verbs import happened, holds_places, lie_inside, made_by
from chattygen.generation.words import contains_words, words

LONGEST = 6
"""Words of an object that a person can hear as one thing."""

OPENINGS = ("Is", "Was", "Did", "Does")
OF_VERBS = ("Does", "Did")

AGENT = re.compile(r".*(?:er|or|ist|ian)")
"""Nouns of those who do something: a writer writes. What a place is, a river, does nothing."""

HAVING = r"(?:has|have|had|includes?|included|contains?|contained)"

CONDITIONS = frozenset("and any anyone anything either if or someone something unless whether".split())
"""Words that make it two questions, or one that depends on something."""

TEXT = r'[^\r\n?XY"]'
"""A character of what the model words: none of those that grammar.TEXT leaves out, and not the other placeholder."""

# ---------------------------------------------------------------------------------------------------------------------
# The object


def is_concrete(value: Value, fact: Fact) -> bool:
    """Whether a person could be asked about it: a name of a few words, no code, nothing that looks like a question.

    `Nobel 1952 physics` is how a record is filed: nobody says a year in the middle of a name.
    """
    label = unbracketed(value.label)[0]
    if re.search(r"[?\"\r\n]|\w \d{4} \w", label) or {"x", "y"} & set(words(label)) or count_words(label) > LONGEST:
        return False
    if fact.value_kind == "entity":
        return any(map(str.isalpha, label))
    named = label[:1].isupper() and sum(map(str.islower, label)) >= 3
    return fact.value_kind == "year" or (fact.value_kind == "text" and named)


def name(tested: Value) -> str:
    """How the object is said: without a bracket, a work in quotation marks, a river with an article."""
    return called(unbracketed(tested.label)[0], tested.being, tested.type_label)


def filled(pattern: str, tested: Value | None) -> str:
    """`pattern` with the object in the place of `Y`, whatever article stands there."""
    return re.sub(r"\b(?:(?:the|an?) )?Y\b", lambda _: name(tested), pattern) if tested else pattern


def emptied(text: str, tested: Value | None) -> str:
    """`text` with `Y` in the place of the object: what a prompt may show of it."""
    return text.replace(name(tested), "Y") if tested else text


# ---------------------------------------------------------------------------------------------------------------------
# For the prompt and the grammar


def openings(fact: Fact) -> tuple[str, ...]:
    """First words that the question may have."""
    return OF_VERBS if read(fact.predicate_label).is_verb else OPENINGS


def rule(fact: Fact) -> str:
    """The grammar of the question: it opens with a verb and says `X` and `Y` once each, in either order."""
    gap = f'"\'s"? " " ({TEXT}{{1,32}} " ")?'
    both = f'("X" {gap} "Y" | "Y" {gap} "X")'
    return f'{any_of(openings(fact))} " " ({TEXT}{{1,32}} " ")? {both} (" " {TEXT}{{1,24}})? "?"'


def phrase(fact: Fact, tested: Value) -> str:
    """The line of the prompt that stands for it: `whether the city Y is the birth place of X`."""
    kind = "year" if fact.value_kind == "year" else tested.type_label
    stated = " ".join(_parts(fact, tested))
    return "whether " + (re.sub(r"\bY\b", f"the {kind} Y", stated) if kind else stated)


def bare(line: str, fact: Fact, tested: Value) -> str:
    """The line with `Y` alone where the model said its class too, as the prompt does: `the city Y`, `the city of Y`."""
    kind = _class(fact, tested)
    named = rf"\b(?:(?:the|an?) )?{re.escape(kind)}(?: of| called| named)? Y\b"
    return re.sub(named, "Y", line, flags=re.IGNORECASE) if kind else line


def _class(fact: Fact, tested: Value) -> str:
    """The class of the object, if it is not a word of the predicate, which may need it: `home city`."""
    return "" if contains_words(fact.predicate_label, tested.type_label) else tested.type_label


def plain_question(fact: Fact, tested: Value) -> str:
    """A dull but right question, with `X` for the seed and `Y` for the object."""
    subject, verb, rest = _parts(fact, tested)
    if verb == "died":
        return f"Did {subject} die {rest}?"
    if verb in ("is", "was"):
        return f"{verb.title()} {subject} {rest}?"
    base = "have" if verb == "has" else read(fact.predicate_label).base.split()[0]
    return f"Does {subject} {base} {rest}?"


def _parts(fact: Fact, tested: Value) -> tuple[str, str, str]:
    """Subject, verb and the rest of the sentence that says it is so."""
    said = read(fact.predicate_label)
    subject, thing = _ends(fact)
    event = happened(said.noun)
    if event:
        return (subject, "was", f"born in {thing}") if event == "born" else (subject, "died", f"in {thing}")
    if said.is_verb:
        first, *rest = said.link.split()
        return subject, first, " ".join([*rest, thing])
    if said.link:
        return subject, said.auxiliary, f"{said.role or said.link} {thing}"
    made = made_by(fact)
    if made:
        return subject, "is" if made == "by" else "was", f"{made} {thing}"
    if lie_inside(fact):
        return subject, "is", f"based in {thing}"
    if holds_places(fact):
        return thing, "is", f"in {subject}"
    if fact.direction == "in":
        owner = "their" if tested.being == "person" else "its"
        return subject, "has", f"{thing} as {owner} {said.noun}"
    one = fact.count == 1 or _are_places(fact)
    return thing, "is", f"the {said.noun} of {subject}" if one else f"one of the {plural(said.noun)} of {subject}"


def _ends(fact: Fact) -> tuple[str, str]:
    """What stands at the subject's and at the object's end of the triple."""
    return ("X", "Y") if fact.direction == "out" else ("Y", "X")


def _are_places(fact: Fact) -> bool:
    return all(value.being == "place" for value in fact.values)


# ---------------------------------------------------------------------------------------------------------------------
# The rules


def names_tested(question: Question) -> Finding | None:
    """Q10: it opens with a verb in a form that fits, and names once what it tests, which is concrete.

    No other question opens with a verb.
    """
    pattern, tested = emptied(question.pattern, question.tested), question.tested
    if tested is None and question.kind != "yes-no":
        return None
    wrong = ""
    if tested is None or question.kind != "yes-no":
        wrong = "opens with a verb, and tests nothing" if tested is None else "does not ask yes or no"
    elif words(pattern).count("y") != 1:
        wrong = "does not name Y exactly once"
    elif not is_concrete(tested, question.fact):
        wrong = "what it tests is not concrete"
    elif _disagrees(pattern, read(question.fact.predicate_label)):
        wrong = f"the verb does not fit: {pattern.split()[0]}"
    return Finding("Q10", wrong, pattern) if wrong else None


def _disagrees(pattern: str, said: Reading) -> bool:
    """`Did X born`, `Does X flows`, `Is X flow`, `Is X Y?`: what follows the subject does not fit the first word."""
    found = re.match(r"(\w+) [XY]\b(?!['’]) ?(\w*)", pattern)
    if not found:
        return False
    opening, follows = found[1].lower(), found[2]
    if opening not in ("did", "does", "do"):
        return follows in ("", "X", "Y") or (said.is_verb and follows == said.base.split()[0])
    third = follows.endswith("s") and not follows.endswith("ss")
    participle = read(f"{follows} by").is_deed and not follows.endswith("eed")
    return third or participle or follows in ("", "X", "Y", "a", "an", "the", "in", "on", "at", "of", "been")


def says_more(pattern: str, fact: Fact, tested: Value) -> str:
    """Why it asks for more than whether it is so: under a condition, or about something of the object's class that is
    not the object (`Did X win a prize for Y?`); else empty.
    """
    found = [word for word in words(pattern) if word in CONDITIONS]
    if found:
        return f"says: {found[0]}"
    kind = _class(fact, tested)
    before = pattern.partition("Y")[0]
    return f"Y is the {kind} itself" if kind and contains_words(before, kind) else ""


def is_turned_round(pattern: str, fact: Fact) -> bool:
    """Whether `X` and `Y` stand in each other's place: `Was Y born in X?`, where X is the person.

    A predicate that is a noun has an owner (the birth place of X), one that is a link has a doer (X flows into Y). What
    cannot be told is taken for turned round.
    """
    said = read(fact.predicate_label)
    subject, thing = _ends(fact)
    if holds_places(fact) and re.search(rf"\b{thing} (?:\w+ ){{0,2}}in {subject}\b", pattern):
        return False
    if said.link:
        passive = "by|to" if said.is_deed and " " not in said.link else "by"  # awarded to
        doers = (thing, subject) if said.link.endswith(" by") else (subject, thing)
        return not _acts(pattern, *doers, passive)
    if _owns(pattern, thing, said.noun) or _owns(pattern, subject, said.noun):
        return not _owns(pattern, subject, said.noun)
    agent = AGENT.fullmatch(said.noun) and not (fact.direction == "out" and _are_places(fact))
    if agent and not re.search(rf"\b{subject} {HAVING}\b.*\b{thing}\b", pattern):
        return not _acts(pattern, thing, subject)
    return not _acts(pattern, subject, thing)


def _acts(pattern: str, doer: str, other: str, passive: str = "by") -> bool:
    """Whether the doer comes first in an active sentence, or behind a word of passive ones."""
    if re.search(rf"\b{other}\b.*\b(?:{passive}) {doer}\b", pattern):
        return True
    return bool(re.search(rf"\b{doer}\b.*\b{other}\b", pattern)) and not re.search(rf"\bby {other}\b", pattern)


def _owns(pattern: str, owner: str, noun: str) -> bool:
    """Whether it speaks of the owner's noun: `the birth place of X`, `X's birth place`, `a track on X`."""
    forms = dict.fromkeys((noun, plural(noun), noun.replace(" ", ""), noun.split()[-1]))
    nouns = "|".join(map(re.escape, forms))
    of = rf"\b(?:{nouns})\b(?: \w+){{0,3}} (?:of|for|on|at) {owner}\b"
    return bool(re.search(rf"{of}|\b{owner}['’]s (?:\w+ ){{0,3}}(?:{nouns})\b", pattern, re.IGNORECASE))
