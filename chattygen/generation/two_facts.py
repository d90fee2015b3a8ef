"""Questions over two facts: how they are phrased for the model, pinned by the grammar, checked (Q11), worded plainly.

The part that names the seed is settled by the program. The one other end of the first fact is `the Nobel prize Y`
while a model words what is asked of it, as of one fact, and then becomes `the Nobel prize that X was awarded`. Of
several, the question begins with `Which of the albums by X`, and the model words the rest, with `Y` for the value of a
condition, which the program puts in afterwards. English. Knows nothing about queries, nor which questions over two
facts are chosen (choice.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.context.reading import PREPOSITIONS, Reading, plural, read
from chattygen.context.summary import hidden, relation
from chattygen.domain import Beyond, Fact, Finding, Question, Subgraph, Value
from chattygen.generation.asks import Ask
from chattygen.generation.grammar import any_of, literal
from chattygen.generation.plain import plain_question
from chattygen.generation.verbs import BORN, DIED, MADE, lie_inside
from chattygen.generation.verify import AT_LEAST, AT_LEAST_IN_OTHER_WORDS, NEAREST_WITHIN, scores, verify
from chattygen.generation.words import contains_words, content, words
from chattygen.generation.yes_no import TEXT, emptied, filled, is_concrete
from chattygen.models.model import Embedder

CLAUSES = {
    **dict.fromkeys(BORN, "born in X"),
    **dict.fromkeys(DIED, "who died in X"),
    **dict.fromkeys(MADE, "by X"),
    "producer": "produced by X",
}
"""Nouns for which a person has other words when the seed is what they name: the albums by X, whose artist is X."""

MEASURES = {
    **dict.fromkeys(("length", "duration"), ("longest", "shortest")),
    "height": ("highest", "lowest"),
    "depth": ("deepest", "shallowest"),
}
"""Nouns that the words for their greatest and smallest say by themselves: the longest river, of the greatest length."""

NEVER = 2.0
"""No score is so high: what is compared must be said by a word of its own, since `the oldest` is so by any date."""

GENERIC = frozenset(content("date day year time place number name title type code"))
"""Words of a predicate that do not tell it from another one."""

LATE = ("latest", "last", "newest", "most recent", "youngest")
EARLY = ("earliest", "first", "oldest")
GREAT = ("greatest", "most", "largest", "highest", "biggest", "longest")
SMALL = ("smallest", "fewest", "lowest", "shortest", "least")
"""What the greatest or smallest of dates, and of numbers, is called: first the plain word, second that of a count."""


def sayable(first: Fact, beyond: Beyond) -> bool:
    """Whether English has words for a question over these two facts.

    Nobody asks where the river that X flows into flows into, nor when the person born in X was born.
    """
    if beyond.kind == "hop":
        said = read(first.predicate_label)
        open_ended = first.direction == "out" and said.link
        two_links = bool(open_ended and read(beyond.fact.predicate_label).link)
        twice = said.noun in CLAUSES and content(CLAUSES[said.noun]) & content(beyond.fact.predicate_label)
        return bool(end(first)) and beyond.fact.value_kind != "boolean" and not two_links and not twice
    if beyond.kind == "condition" and not is_concrete(beyond.fact.values[0], beyond.fact):
        return False
    return bool(group(first) and predicate_of(beyond))


# ---------------------------------------------------------------------------------------------------------------------
# The parts of a question


def end(first: Fact) -> str:
    """The one other end of a fact, as words about `X`: `the spouse of X`; empty where it has no name but `entity`."""
    said = read(first.predicate_label)
    if first.direction == "out" and not said.link:
        return f"the {said.noun} of X"
    if first.direction == "out":
        return _tied(first, said.noun or first.value_type)
    if not first.value_type:
        return ""
    if said.link:
        role = f"{first.value_type} that is {said.role} X" if said.role else re.sub("^an? ", "", relation(first))
        return f"the {role}"
    return f"the {first.value_type} {_clause(first) or f'with X as {said.noun}'}"


def noun(first: Fact) -> str:
    """The noun of the one other end, with which `end` begins: `Nobel prize`."""
    own = read(first.predicate_label).noun
    return own if first.direction == "out" and own else first.value_type


def group(first: Fact) -> str:
    """All other ends of a fact, as words about `X`: `the albums by X`; empty as for `end`."""
    said, kind = read(first.predicate_label), plural(first.value_type) if first.value_type else ""
    if first.direction == "out" and not said.link:
        return f"the {plural(said.noun)} of X"
    if first.direction == "out":
        return _tied(first, plural(said.noun) if said.noun else kind)
    if not kind:
        return ""
    if said.link:
        role = f"{kind} that are {_roles(said)} X" if said.role else relation(first, counted=False)
        return f"the {role}"
    return f"the {kind} {_clause(first) or f'with X as their {said.noun}'}"


def _clause(first: Fact) -> str:
    """What is said of the other ends when the seed is what the noun names, if a person has other words for it."""
    return "based in X" if lie_inside(first) else CLAUSES.get(read(first.predicate_label).noun, "")


def _tied(first: Fact, thing: str) -> str:
    """`the river that X is fed by`"""
    said = read(first.predicate_label)
    tie = said.link if said.is_verb else f"{said.auxiliary} {said.link if said.noun else said.role or said.link}"
    return f"the {thing} that X {tie}" if thing else ""


def _roles(said: Reading) -> str:
    """`members of`"""
    return f"{plural(said.link.removesuffix(' of'))} of"


def head(ask: Ask) -> str:
    """How a question about some of several begins: `How many of the albums by X`."""
    return f"{'How many' if ask.form == 'count' else 'Which'} of {group(ask.fact)}"


def predicate_of(beyond: Beyond) -> str:
    """What is plainly said of the other ends: `have Y among their genres`, `has the latest release date`; or empty."""
    said = read(beyond.fact.predicate_label)
    dated = beyond.fact.value_kind in ("date", "year")
    bare = said.noun.casefold() in ("date", "year")
    if beyond.kind == "condition":
        if not said.link:
            among = f"among their {plural(said.noun)}" if beyond.fact.count > 1 else f"as their {said.noun}"
            return f"are of the {said.noun} Y" if bare else f"have Y {among}"
        if said.is_verb:
            return f"{said.base} Y"
        bound = said.link.split()[-1] in PREPOSITIONS
        tie = "were" if said.auxiliary == "was" else "are"
        if said.role:
            return f"are {_roles(said)} Y"
        return f"{tie} {said.link} {'' if bound else 'in '}Y" if bound or dated else ""
    if said.noun in MEASURES and not said.link:
        return f"is the {word(beyond)}"
    if not said.link:
        return f"is the {word(beyond)} by {said.noun}" if bare else f"has the {word(beyond)} {said.noun}"
    once = said.is_deed and len(said.link.split()) == 1 and dated and not said.noun
    return f"was {said.link} {'last' if beyond.kind == 'most' else 'first'}" if once else ""


def word(beyond: Beyond) -> str:
    """The plain word for the greatest or smallest: `latest`, `smallest`, of what is counted `fewest`."""
    noun = read(beyond.fact.predicate_label).noun
    counted = beyond.fact.value_kind == "number" and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    return extremes(beyond)[int(counted)]


def extremes(beyond: Beyond) -> tuple[str, ...]:
    """The words for what is asked for; those of `most` and `least` have none in common."""
    most = beyond.kind == "most"
    if beyond.fact.value_kind in ("date", "year"):
        return LATE if most else EARLY
    own = MEASURES.get(read(beyond.fact.predicate_label).words)
    return tuple(dict.fromkeys((*([own[not most]] if own else []), *(GREAT if most else SMALL))))


# ---------------------------------------------------------------------------------------------------------------------
# For the prompt and the grammar


def cue(ask: Ask) -> str:
    """As asks.cue, over both facts."""
    beyond = _beyond(ask)
    first, second = (read(fact.predicate_label).words for fact in (ask.fact, beyond.fact))
    if beyond.kind == "hop":
        return f"{noun(ask.fact)}, {second}: "
    return f"{first}, {second if beyond.kind == 'condition' else f'{word(beyond)} {second}'}: "


def phrase(ask: Ask) -> str:
    """As asks.phrase: `birth place of the spouse Y: a city`."""
    beyond = _beyond(ask)
    if beyond.kind == "hop":
        other = hidden(beyond.fact)
        said = relation(beyond.fact, f"the {noun(ask.fact)} Y")
        return f"{said}: {other}" if other else said
    those = f"{group(ask.fact)} that {predicate_of(beyond)}"
    if ask.form == "count":
        return f"number of {those}: a number"
    if beyond.kind == "condition":
        return those
    return f"the one of {those}"


def rule(ask: Ask, openings: Sequence[str]) -> str:
    """The grammar of the question; `openings` are those of a question about the second fact."""
    beyond = _beyond(ask)
    if beyond.kind == "hop":
        return f'{any_of(openings)} " " ({TEXT}{{1,40}} " ")? "Y" (" " {TEXT}{{1,40}})? "?"'
    said = '"Y"' if beyond.kind == "condition" else any_of(extremes(beyond))
    return f'{literal(head(ask))} " " {TEXT}{{1,40}} " " {said} (" " {TEXT}{{1,40}})? "?"'


# ---------------------------------------------------------------------------------------------------------------------
# The question


def plain(ask: Ask) -> str:
    """A dull but right question, with `X` for the seed and `Y` for the value of a condition."""
    beyond = _beyond(ask)
    if beyond.kind == "hop":
        return plain_question(second(ask)).replace("X", end(ask.fact))
    return f"{head(ask)} {predicate_of(beyond)}?"


def whole(line: str, ask: Ask) -> str:
    """The model's line about the one other end with all that says which one that is."""
    if not _hops(ask):
        return line
    return re.sub(rf"\b(?:(?:the|this) )?(?:{re.escape(noun(ask.fact))} )?Y\b", end(ask.fact), line, count=1)


def shortened(text: str, ask: Ask) -> str:
    """`text` as the model may see it, the other way round."""
    return text.replace(end(ask.fact), "Y") if _hops(ask) else text


def _hops(ask: Ask) -> bool:
    return ask.beyond is not None and ask.beyond.kind == "hop"


def second(ask: Ask) -> Ask:
    """What a hop asks of the other end, as if that were the seed."""
    return Ask(_beyond(ask).fact, "value")


def condition(about: Ask | Question) -> Value | None:
    """The value that the other ends must have, which stands for `Y`."""
    beyond = about.beyond
    return beyond.fact.values[0] if beyond and beyond.kind == "condition" else None


def named(about: Ask | Question) -> Value | None:
    """The value that a question names, which stands for `Y` until it is worded: what it tests, or the condition."""
    return about.tested or condition(about)


def owned(question: Question) -> str:
    """The pattern as a later turn needs it: the condition's value said, and `X's spouse` for `the spouse of X`, so that
    a possessive can stand for the seed.
    """
    said, pattern = read(question.fact.predicate_label), filled(question.pattern, condition(question))
    if not question.beyond or question.fact.direction == "in" or said.link:
        return pattern
    nouns = "|".join(re.escape(noun) for noun in (said.noun, plural(said.noun)))
    return re.sub(rf"\bthe ({nouns}) of X\b", r"X's \1", pattern)


def _beyond(ask: Ask) -> Beyond:
    assert ask.beyond is not None
    return ask.beyond


# ---------------------------------------------------------------------------------------------------------------------
# The rules


def findings(pattern: str, ask: Ask, subgraph: Subgraph) -> list[Finding]:
    """What speaks against a question over these facts before its meaning is looked at: Q2, Q11."""
    return [finding for finding in (both_exist(ask, subgraph), says_both(pattern, ask)) if finding]


def both_exist(ask: Ask, subgraph: Subgraph) -> Finding | None:
    """Q2: what lies beyond the fact is there as well."""
    there = (ask.fact, ask.beyond) in subgraph.beyond
    return None if there else Finding("Q2", "what lies beyond its fact is not there", _beyond(ask).fact.predicate)


def says_both(pattern: str, ask: Ask) -> Finding | None:
    """Q11: it says once whose other ends it is about, and which of them: by the value, or by a word for the extreme."""
    beyond, missing, pattern = _beyond(ask), "", emptied(pattern, condition(ask))
    if beyond.kind == "hop":
        inner = _inner(pattern, ask)
        first = content(f"{ask.fact.predicate_label} {noun(ask.fact)}")
        twice = first & content(inner) - content(beyond.fact.predicate_label) - GENERIC
        missing = end(ask.fact) if not inner or twice else "" if content(inner) else beyond.fact.predicate_label
    elif not pattern.startswith(head(ask) + " "):
        missing = head(ask)
    elif beyond.kind == "condition":
        missing = "" if words(pattern).count("y") == 1 else "Y"
    else:
        said = _rest(pattern, ask)
        opposite = extremes(Beyond("least" if beyond.kind == "most" else "most", beyond.fact, beyond.asked))
        if any(contains_words(said, word) for word in opposite):
            missing = f"{word(beyond)}, but its opposite"
        elif not any(contains_words(said, word) for word in extremes(beyond)):
            missing = word(beyond)
    return Finding("Q11", f"does not say once: {missing}", pattern) if missing else None


def verify_both(pattern: str, ask: Ask, subgraph: Subgraph, embedder: Embedder) -> Finding | None:
    """Q8: what is said besides the first fact asks for the second one, and not for another fact around it."""
    pattern = emptied(pattern, condition(ask))
    around = tuple(beyond.fact for first, beyond in subgraph.beyond if first == ask.fact)
    facts = tuple({(fact.predicate, fact.value_kind): fact for fact in (*around, _beyond(ask).fact)}.values())
    if _beyond(ask).kind == "hop":
        found = verify(_inner(pattern, ask), second(ask), facts, embedder)
        return Finding(found.rule, found.message, pattern) if found else None
    own = _beyond(ask).fact
    others = [fact for fact in facts if fact.predicate != own.predicate and fact.value_kind == own.value_kind]
    said = _rest(pattern, ask)
    nearness, *rest = scores(f"X {said}", (own, *others), embedder)
    telling = content(own.predicate_label) - GENERIC or content(own.predicate_label)
    telling |= content(" ".join(MEASURES.get(read(own.predicate_label).words, ())))
    in_other_words = AT_LEAST_IN_OTHER_WORDS if condition(ask) else NEVER
    if nearness < (AT_LEAST if telling & content(said) else in_other_words):
        return Finding("Q8", f"does not say: {own.predicate_label}", pattern)
    nearer = next((fact for fact, near in zip(others, rest, strict=True) if near > nearness + NEAREST_WITHIN), None)
    return Finding("Q8", f"says: {nearer.predicate_label}; not: {own.predicate_label}", pattern) if nearer else None


def _inner(pattern: str, ask: Ask) -> str:
    """A hop as a question about the other end, which `X` stands for; empty if it does not name that once."""
    before, *others = re.split(rf"\b{re.escape(end(ask.fact))}\b", pattern, flags=re.IGNORECASE)
    return f"{before}X{others[0]}" if len(others) == 1 and "X" not in before + others[0] else ""


def _rest(pattern: str, ask: Ask) -> str:
    """What stands behind the head, with `something` or `a year` in the place of the condition's value."""
    thing = "a year" if _beyond(ask).fact.value_kind == "year" else "something"
    return re.sub(r"\bY\b", thing, pattern.removeprefix(head(ask)).strip(" ?"))
