"""What the words of a question say against its fact: a part of Q8 that needs no embedding (surplus.py, turned.py).

Each function gives the reason why the question cannot be about the fact, or an empty text. Found by reading what small
models write: a "when" for a place, a question turned round, a phrase of the prompt copied, two questions in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.context.reading import plural, read
from chattygen.context.summary import hidden, others, relation
from chattygen.domain import Being, Fact, QuestionKind
from chattygen.generation import yes_no
from chattygen.generation.asks import Ask, phrase
from chattygen.generation.beings import beings
from chattygen.generation.surplus import ANY_WORDS, another_verb, says_inside, says_more
from chattygen.generation.turned import is_turned_round
from chattygen.generation.verbs import WHERE
from chattygen.generation.wording import kind_of
from chattygen.generation.words import contains_words, content, words

UNITS = frozenset(
    """seconds minutes hours days kilometers kilometres km meters metres miles feet inches square hectares acres
    kilograms kg tons dollars euros percent percentage degrees""".split()
)
"""Words that say in what a number is measured; a graph that does not say so must not be made to."""

NO_ANSWER: dict[QuestionKind, Being] = {"who": "place", "where": "person"}
"""What cannot be the answer to a question word."""

PROMPT_WORDS = frozenset("entity entities text texts".split())
"""Words that stand in prompts for what is not known; they mean nothing in a question."""


def mismatch(pattern: str, ask: Ask, facts: Sequence[Fact]) -> str:
    """The first reason that the words give; `facts` are all of the seed's, `ask.fact` among them."""
    if ask.tested:
        return (
            word_against_value(pattern, ask)
            or yes_no.says_more(pattern, ask.fact, ask.tested)
            or says_inside(pattern, ask.fact)
            or (f"turned round: {phrase(ask)}" if yes_no.is_turned_round(pattern, ask.fact) else "")
            or copies_prompt(pattern, ask)
            or class_for_predicate(pattern, ask.fact)
        )
    return (
        word_against_value(pattern, ask)
        or no_single_question(pattern, ask.fact)
        or says_more(pattern, ask)
        or says_inside(pattern, ask.fact)
        or another_verb(pattern, ask)
        or anothers(pattern, ask.fact)
        or says_nothing(pattern, ask.fact)
        or one_of_several(pattern, ask)
        or (f"turned round: {relation(ask.fact, counted=False)}" if is_turned_round(pattern, ask.fact) else "")
        or copies_prompt(pattern, ask)
        or another_class(pattern, ask, facts)
        or another_word(pattern, ask, facts)
        or class_for_predicate(pattern, ask.fact)
    )


def word_against_value(pattern: str, ask: Ask) -> str:
    """A question word, a number or a unit that such an answer cannot have."""
    kind, value = kind_of(pattern), "number" if ask.form == "count" else ask.fact.value_kind
    if kind == "when" and value not in ("date", "year"):
        return f"asks when, but the answer is a {value}"
    if kind == "how-many" and value != "number":
        return f"asks how many, but the answer is a {value}"
    if ask.form == "value" and {value.being for value in ask.asked.values} == {NO_ANSWER.get(kind)}:
        return f"asks {kind}, but the answer is a {NO_ANSWER[kind]}"
    if kind in ("where", "who") and value in ("date", "year", "number"):
        return f"asks {kind}, but the answer is a {value}"
    if ask.form == "count" and kind != "how-many":
        return "does not ask how many"
    noun = read(ask.fact.predicate_label).noun
    if noun in WHERE and re.search(rf"^Where (?:is|are) (?:the {noun} of X|X['’]s {noun})\b", pattern):
        return f"asks where the {noun} is"
    if words(pattern)[-1:] == ["for"] and "for" not in words(ask.fact.predicate_label):
        return "asks for a reason"
    if ask.form == "value" and ask.fact.count > 1 and any(contains_words(pattern, part) for part in ("one of", "some")):
        return f"asks for some of {ask.fact.count} values"
    if any(unit in words(pattern) and unit not in words(ask.fact.predicate_label) for unit in UNITS):
        return "names a unit that the graph does not state"
    return ""


def no_single_question(pattern: str, fact: Fact) -> str:
    """Two questions in one, a question for X's name, or what X is, unless the fact's own word says in which respect."""
    if re.search(r"\b(?:and|or),? (?:how|what|when|where|which|who)\b", pattern, re.IGNORECASE):
        return "asks two things"
    if re.search(r"\b(?:the|a) name of X\?|\bX['’]s name\?", pattern):
        return "asks for the name that it says"
    identity = re.search(r"^(?:What|Which|Who)\b(?!.*\bwhose\b).* (?:is|are) X\?$", pattern)
    noun = read(fact.predicate_label).noun
    respect = fact.direction == "out" and contains_words(pattern, noun) and beings(fact) != {"place"}
    return "asks what X is" if identity and not respect else ""


def anothers(pattern: str, fact: Fact) -> str:
    """What is said to be `X's`, if it is neither what the predicate nor what the class of the other ends is called."""
    own = content(f"{fact.predicate_label} {fact.value_type}") | content(hidden(fact))
    found = re.search(r"\bX['’]s ((?:[\w-]+ ){0,2}[\w-]+)", pattern)
    return f"asks about X's {found[1]}" if found and not content(found[1]) & own else ""


def says_nothing(pattern: str, fact: Fact) -> str:
    """`Which album has X?`: that it has it is no word for what it is to it; nor `What does X contain?` for places."""
    said = read(fact.predicate_label)
    bare = fact.direction == "in" and re.search(r"^(?:What|Which) [^X]*\b(?:has|have) X\?$", pattern)
    lost = said.is_verb and said.noun and re.search(r"^What (?:does|do) X \w+\?$", pattern)
    return f"does not say {said.noun or said.words}" if bare or lost else ""


def one_of_several(pattern: str, ask: Ask) -> str:
    """A noun in the singular where there are several: `Who is X's member?`; two birth places can be one place."""
    noun = re.escape(read(ask.fact.predicate_label).noun)
    if not noun or ask.form != "value" or ask.fact.count < 2 or {v.being for v in ask.fact.values} == {"place"}:
        return ""
    one = re.search(
        rf"\b(?:is|was) (?:X['’]s {noun}|(?:an?|the) {noun} of X)\?|^(?:What|Which) {noun} (?:is|was)\b",
        pattern,
        re.IGNORECASE,
    )
    return f"asks for one of {ask.fact.count} values" if one else ""


def copies_prompt(pattern: str, ask: Ask) -> str:
    """A phrase of the prompt with a question mark, one that could be, or a word that only the prompt has."""
    said = words(pattern)
    counted = phrase(ask).removeprefix("number of ").partition(":")[0]
    as_label = f"{others(ask.fact)} that X is {ask.fact.predicate_label}"
    for copied in (words(relation(ask.fact, counted=False)), words(counted), words(as_label)):
        if said[-len(copied) :] == copied and len(said) - len(copied) in (1, 2):
            return "repeats the phrase"
    return "says a word of the prompt" if PROMPT_WORDS & set(said) else ""


def another_class(pattern: str, ask: Ask, facts: Sequence[Fact]) -> str:
    """The first class that the question names is that of another fact: `people`, where papers are the answer."""
    if not ask.fact.value_type:
        return ""
    places = {
        fact.value_type: min(_place(pattern, fact.value_type), _place(pattern, plural(fact.value_type)))
        for fact in facts
        if fact.value_type
    }
    first = min(places, key=lambda name: places[name])
    if places[first] < places[ask.fact.value_type] and first != ask.fact.value_type:
        return f"asks for {plural(first)}, not for {plural(ask.fact.value_type)}"
    return ""


def another_word(pattern: str, ask: Ask, facts: Sequence[Fact]) -> str:
    """A word of another fact: `How many songs did the member of X write?`; it is so of X, but nobody asked."""
    known = content(f"{ask.fact.predicate_label} {hidden(ask.fact)} {others(ask.fact)}") | ANY_WORDS
    pattern = re.sub(r"\b(kind|sort|type) of \w+", r"\1", pattern)  # of what X itself is
    for fact in facts:
        strange = content(f"{fact.predicate_label} {fact.value_type}") - known
        found = [word for word in words(pattern) if content(word) & strange]
        if found:
            return f"asks about the {found[0]}, which another fact says"
    return ""


def class_for_predicate(pattern: str, fact: Fact) -> str:
    """The class of the answer in the place of the predicate: the songwriter of an album is not its artist."""
    if fact.direction == "in" or not fact.value_type:
        return ""
    noun = read(fact.predicate_label).noun
    kind = "|".join(re.escape(name) for name in (plural(fact.value_type), fact.value_type))
    if re.search(rf"^What .* as (?:an? )?(?:{kind})\?$", pattern, re.IGNORECASE):
        return f"says in the end that it asks for a {fact.value_type}"
    if not noun or noun.casefold() in fact.value_type.casefold() or content(noun) & content(pattern):
        return ""
    if re.search(rf"\bthe (?:{kind}) (?:of|for) X\b|\bX['’]s (?:{kind})\b", pattern, re.IGNORECASE):
        return f"asks for the {fact.value_type}, not for the {noun}"
    return ""


def _place(text: str, part: str) -> int:
    """Where the words of `part` begin in `text`, counted in words; past the end when they do not."""
    inside, wanted = words(text), words(part)
    found = (i for i in range(len(inside) - len(wanted) + 1) if inside[i : i + len(wanted)] == wanted)
    return next(found, len(inside))
