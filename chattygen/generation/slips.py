"""Slips of small models in English: those that the program mends, and words that do not go together (Q4)."""

from __future__ import annotations

import re

from chattygen.context.reading import plural, read
from chattygen.domain import Fact, Seed
from chattygen.generation.asks import Ask
from chattygen.generation.verbs import DONE, PAST, happened, holds_places, is_seat, lie_inside
from chattygen.generation.wording import MANY
from chattygen.generation.words import content, words

_NO_BASES = """became been began birth born came death gave got had has is are knew led left lost made met ran sang saw
    said sold sent spent took taught thought told was went were won wrote""".split()
_NO_PARTICIPLES = "belong die died dies happen happened live lived occurred receive win won".split()
_ENDS_LOOSE = r"(?:at|from|in|into|on|to)\?"
_PUT = "(?:based|located|situated)"

_ILL_FORMED = re.compile(
    "|".join(
        [
            rf"\b(?:do|does|did) X (?:{'|'.join(_NO_BASES)}|(?!embed\b|shed\b)\w+(?<!e)ed)\b",  # did X died
            rf"\b(?:is|are|was|were) X (?:{'|'.join(_NO_PARTICIPLES)})\b",  # was X died
            r"^Who (?:is|are|was|were) the names?\b",
            r"^What\b.* as an? (?:award|honou?r|prize)\?",
            r"\b(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere) (?:[XY] )?(?:alive|dead)\b",
            r"^How (?:date|kind|name|place|sort|type|year)\b",
            r"\bby X (?:is|are) \w+(?:ed|en)\?",  # the songs by X are written
            rf"^(?:What|Which)\b.* X (?:born|{_PUT})\?",  # which town is X located
            rf"(?:(?<!\bX )\b|\bof X )(?:is|are|was|were) {_PUT}(?: at| in| on)?\?",  # what area of X is located in
            rf"^(?:At|From|In|On|To) (?:what|which)\b.* {_ENDS_LOOSE}",  # in which year did X go to
            rf"^Where\b.* (?!from){_ENDS_LOOSE}",  # where is X located at
            r"^(?:When|Where) X (?:did|does|is|was)\b|^Who (?:people|person)\b|\bfor being\b|, X\?",
            r"^(?:How many|What|Which) \w+ (?:that|who) (?:(?:are|is|was|were) )?\w+ (?:at|by|in|of|on|to) X\?",
            r"^(?:What|Which) \w+(?: \w+)? that X (?:are|is|was|were) \w+(?: (?:at|by|in|of|on|to))?\?",
            r"[.;!] |[(]|\ban? (?:that|the|[XY])\b",
        ]
    )
)


def is_ill_formed(pattern: str) -> bool:
    """Whether words do not go together: `Where did X was born?`, `When was X died?`, `Who are the names of X?`."""
    return bool(_ILL_FORMED.search(pattern))


def lacks_verb(pattern: str, fact: Fact) -> bool:
    """Whether a birth or death stands there as a noun that nobody uses so: `When did X's birth date occur?`"""
    noun = re.search(r"\b(?:birth|death)s?\b|\b(?:birth|death)places?\b", pattern)
    odd = fact.direction == "in" or re.search(r"\b(?:happen|have|occur)\b", pattern)
    return bool(happened(read(fact.predicate_label).noun) and noun and odd)


def mended(pattern: str, ask: Ask, seed: Seed) -> str:
    """`pattern` without small slips; a larger one is left to the rules."""
    pattern = _agreeing(pattern, ask.fact, seed)
    pattern = re.sub(rf"\b([Dd])(?:o|oes) X (?={DONE}\b)", r"\1id X ", pattern)  # what is in a graph is done
    told = rf"^((?:How many|What|Which) [^X]*?) ({DONE})s? X\b"
    pattern = re.sub(told, lambda found: f"{found[1]} {PAST[found[2]]} X", pattern)
    pattern = re.sub(r"\bis (X (?:awarded|composed|founded|published|recorded|released)\b)", r"was \1", pattern)
    pattern = re.sub(r"\b[Aa]re ((?:[XY] )?born)\b", r"were \1", pattern)
    pattern = re.sub(
        r"\b([Ii])s ((?:[XY] )?born)\b", lambda found: f"{'W' if found[1] == 'I' else 'w'}as {found[2]}", pattern
    )
    if seed.being == "group" and is_seat(ask.fact):
        pattern = _based(pattern, ask.fact)
    if ask.fact.direction == "out" and holds_places(ask.fact):
        pattern = _contained(pattern, ask.fact)
    if ask.fact.direction == "in":
        pattern = _of_others(pattern, ask.fact, seed)
    pattern = _roles(pattern, ask.fact)
    measured = re.match(r"How (\w+) is the (\w+) of X\?", pattern)
    if measured and content(measured[1]) == content(measured[2]):  # how high is the elevation of X
        pattern = f"How {measured[1]} is X?"
    if ask.tested and ask.fact.count > 1:
        one = re.compile(r"^(Is|Was) Y the (\w+) of X\?")
        pattern = one.sub(lambda found: f"{found[1]} Y one of the {plural(found[2])} of X?", pattern)
    return pattern


def _agreeing(pattern: str, fact: Fact, seed: Seed) -> str:
    """The verb agrees with the class that is asked for, and with the entity unless it is a group."""
    if seed.being != "group":
        pattern = re.sub(r"\b([Dd])o X (?=\w)", r"\1oes X ", pattern)
    if not fact.value_type:
        return pattern
    several = rf"^((?:How many|What|Which) {re.escape(plural(fact.value_type))}) (has|is|was)\b(?! X\b(?! as\b))"
    return re.sub(several, lambda found: f"{found[1]} {MANY[found[2]]}", pattern)


def _of_others(pattern: str, fact: Fact, seed: Seed) -> str:
    """What the entity is to others: they have X as their capital, not their capital as X; they die in it, not at it,
    unless the predicate says `at`, as towns lie at a river; and nobody has it as a death place.
    """
    noun = read(fact.predicate_label).noun
    if seed.being == "place" and "at" not in words(fact.predicate_label):
        pattern = re.sub(r"\bat X\b", "in X", pattern)
    pattern = re.sub(rf"\b(has|have) (its|their) {re.escape(noun)} as X\b", rf"\1 X as \2 {noun}", pattern)
    if lie_inside(fact):
        pattern = re.sub(r"\b(is|are) from X\b", r"\1 based in X", pattern)
        pattern = re.sub(rf"\bhas X as (?:its|their) {noun}\?", "is based in X?", pattern)
        pattern = re.sub(rf"\bhave X as their {noun}\?", "are based in X?", pattern)
    event, had = happened(noun), rf"{noun.replace(' ', ' ?')} (?:(?:at|in) )?"
    if not event:
        return pattern
    if event == "died" and "did" not in words(pattern):
        pattern = re.sub(r"\bdies? in X\b", "died in X", pattern)
    one, many = ("was born", "were born") if event == "born" else (event, event)
    pattern = re.sub(rf"\bhas (?:her|his|its|their) {had}X\b", f"{one} in X", pattern)
    pattern = re.sub(rf"\bhave their {had}X\b", f"{many} in X", pattern)
    pattern = re.sub(rf"\bperson whose {had}(?:is|was) X\b", f"person who {one} in X", pattern)
    return re.sub(rf"\bwhose {had}(?:is|was) X\b", f"who {many} in X", pattern)


def _based(pattern: str, fact: Fact) -> str:
    """An organisation is based in a city: nobody asks for the city of one."""
    noun = re.escape(read(fact.predicate_label).noun)
    return re.sub(rf"^(?:What|Which) is (?:the {noun} of X|X['’]s {noun})\?", f"Which {noun} is X based in?", pattern)


def _contained(pattern: str, fact: Fact) -> str:
    """Cities are in a province: nobody asks for the city of one."""
    noun = read(fact.predicate_label).noun
    found = re.match(rf"(?:What|Which) (is|are) the ({re.escape(plural(noun))}|{re.escape(noun)}) of X\?", pattern)
    return f"Which {found[2]} {found[1]} in X?" if found else pattern


def _roles(pattern: str, fact: Fact) -> str:
    """Somebody is an author of something, and several are authors of it."""
    said = read(fact.predicate_label)
    if not said.role:
        return pattern
    head = said.link.removesuffix(" of")
    pattern = re.sub(rf"\b(is|was) (X )?{re.escape(said.link)}\b", rf"\1 \2{said.role}", pattern)
    return re.sub(rf"\b(are|were) {re.escape(said.link)}\b", rf"\1 {plural(head)} of", pattern)
