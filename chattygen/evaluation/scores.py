"""Scores of one reply: exact match, token F1 and ROUGE-L against the gold answers (Head-to-Tail, section 2).

A single answer is compared with the whole reply. Where there are several, the reply is cut into parts, and each answer
is paired with one part; a name that holds a comma or an "and" is found before its parts are. Exact match is strict: an
answer within a longer sentence is none, though F1 and ROUGE-L give it credit. Only yes or no, and a count, may stand in
a sentence. Knows nothing about models, runs and shares.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chattygen.context.literals import kind_of
from chattygen.domain import XSD, Answer, Literal, QuestionKind
from chattygen.errors import UsageError
from chattygen.evaluation.gold import Gold, Said, gold, is_number, says
from chattygen.evaluation.missing import is_missing, without_lead
from chattygen.evaluation.normalise import Tokens, fold
from chattygen.evaluation.numbers import stated, states_none
from chattygen.evaluation.truth import truth

Likeness = Callable[[Tokens, Tokens], float]

_SEPARATOR = re.compile(
    r"\s*(?:[;|•·●▪；、，]+|(?<!\d),|,(?!\d)|\s/\s|(?P<lead>:)(?=\s|$)|\s(?:and|as well as|&|und|et|y|e|en)\s"
    r"|(?<=[\u3040-\u9fff])(?:和|及|以及|与|と)(?=[\u3040-\u9fff])|\s(?=\(?\d{1,3}[.)]\s))\s*"
)
_BEFORE_A_PART = re.compile(r"(?:[-*+–]|\(?\d{1,3}[.)]|(?:and|und|et|y|e|en|&|和|以及|と)\b)\s*", re.IGNORECASE)
"""A bullet or a conjunction, unless the name begins with it."""

_PIECES_OF_A_DATE = 3
"""`Monday, April 1, 1912`."""


@dataclass(frozen=True)
class Score:
    """What a reply is worth against the gold answers; everything but `missing` is from 0 to 1, and 0 where missing.

    Attributes:
        missing: unsure or empty.
        exact: 1 if the reply says all gold answers and nothing else, after normalisation; else 0.
        f1, rouge_l: token F1 and ROUGE-L F1; of several answers, over the pairs of an answer and a part of the reply.
        precision, recall: share of the reply's parts that are gold answers, and of the gold answers that the reply has;
            for a single answer both are `exact`.
    """

    missing: bool
    exact: float
    f1: float
    rouge_l: float
    precision: float
    recall: float


def score(
    reply: str, turn_kind: QuestionKind, answers: Sequence[Answer], alternatives: Mapping[str, Sequence[str]] = {}
) -> Score:
    """Score a reply. One that says a gold answer is never missing, whatever the answer is (an album named `Unknown`).

    Args:
        answers: the gold answers, all of them. To none at all, a reply such as `none` or `nobody` is right.
        alternatives: IRI -> further labels of the entity, in any language.

    Raises:
        UsageError: the package rapidfuzz is missing.
    """
    golds = list({one.tokens[:1]: one for one in (gold(answer, alternatives) for answer in answers)}.values())
    texts = dict.fromkeys([reply, without_lead(reply)])
    return max((_score(text, turn_kind, answers, golds) for text in texts), key=lambda one: (one.exact, one.f1))


def _score(text: str, turn_kind: QuestionKind, answers: Sequence[Answer], golds: Sequence[Gold]) -> Score:
    said, missing = Said(text), Score(True, 0.0, 0.0, 0.0, 0.0, 0.0)
    if len(answers) > 1:
        counted = _several(text, golds)
        return missing if counted.recall == 0 and is_missing(text) else counted
    if is_missing(text) and not any(says(said, one) for one in golds):
        return missing
    if not golds or _is_truth(answers[0]):
        return _right_or_wrong(_says_all(said, turn_kind, answers[0], golds[0]) if golds else states_none(fold(text)))
    if _says_all(said, turn_kind, answers[0], golds[0]):
        return _right_or_wrong(True)
    return Score(False, 0.0, _best(_f1, said, golds[0]), _best(_rouge_l, said, golds[0]), 0.0, 0.0)


def _right_or_wrong(right: bool) -> Score:
    return Score(False, *[float(right)] * 5)


def _says_all(said: Said, turn_kind: QuestionKind, answer: Answer, only: Gold) -> bool:
    """Whether a reply says the only answer: yes or no and a count may stand in a sentence, everything else may not."""
    if _is_truth(answer):
        return truth(said.text) == (answer.value.strip() in ("true", "1"))
    if turn_kind == "how-many" and only.number is not None:
        folded = fold(said.text)
        return is_number(only, stated(folded)) or (only.number == 0 and states_none(folded))
    return says(said, only)


def _is_truth(answer: Answer) -> bool:
    typed = Literal(answer.value, answer.datatype or XSD + "string", answer.lang)
    return answer.type == "boolean" or (answer.type == "literal" and kind_of(typed) == "boolean")


@dataclass(frozen=True)
class _Sought:
    """Several gold answers: `at` says where those with certain tokens are, `longest` of how many pieces one can be."""

    golds: Sequence[Gold]
    at: Mapping[Tokens, Sequence[int]]
    longest: int


def _sought(golds: Sequence[Gold]) -> _Sought:
    at: dict[Tokens, list[int]] = {}
    for place, one in enumerate(golds):
        for key in one.keys:
            at.setdefault(key, []).append(place)
    longest = max((len(_pieces(name)) for one in golds for name in one.names), default=0)
    return _Sought(golds, at, max(longest, _PIECES_OF_A_DATE))


def _several(text: str, golds: Sequence[Gold]) -> Score:
    sought = _sought(golds)
    found: set[int] = set()
    wrong: list[Said] = []
    for line in text.splitlines():
        wrong += _read(line, sought, found)
    parts = len(found) + len(wrong)
    rest = [one for place, one in enumerate(golds) if place not in found]

    def likeness(measure: Likeness) -> float:
        return 2 * (len(found) + _paired(measure, wrong, rest)) / (parts + len(golds))

    exact = float(len(found) == parts == len(golds))
    precision = len(found) / parts if parts else 0.0
    return Score(False, exact, likeness(_f1), likeness(_rouge_l), precision, len(found) / len(golds))


def _read(line: str, sought: _Sought, found: set[int]) -> list[Said]:
    """Add the places of the gold answers that a line says to `found`, the longest names first; the parts left over."""
    pieces = _pieces(line)
    left, n = [], 0
    while n < len(pieces):
        for end in range(min(n + sought.longest, len(pieces)), n, -1):
            hit = _place(line[pieces[n].start : pieces[end - 1].end], sought, found)
            if hit is not None:
                found.add(hit)
                n = end
                break
        else:
            part = line[pieces[n].start : pieces[n].end]
            if not pieces[n].lead and any(c.isalnum() for c in part):
                left.append(Said(part))
            n += 1
    return left


@dataclass(frozen=True)
class _Piece:
    """A part of a line by its place; `lead` if it only introduces the others: `The members are:`."""

    start: int
    end: int
    lead: bool


def _pieces(line: str) -> list[_Piece]:
    """A line cut at commas, semicolons, `and` and bullets."""
    cut: list[_Piece] = []
    start = 0
    for match in [*_SEPARATOR.finditer(line), None]:
        stop = match.start() if match else len(line)
        if line[start:stop].strip():
            cut.append(_Piece(start, stop, not cut and match is not None and bool(match["lead"])))
        start = match.end() if match else stop
    return cut


def _place(text: str, sought: _Sought, found: set[int]) -> int | None:
    """The place of the gold answer that a text says: one that was not found yet, and by its own label, if it can be."""
    candidates = [Said(text)]
    if before := _BEFORE_A_PART.match(text):
        candidates.append(Said(text[before.end() :]))
    near = {place for said in candidates for key in said.keys for place in sought.at.get(key, ())}
    hits = [
        (place in found, not set(said.tokens).intersection(sought.golds[place].tokens[:1]), place)
        for place in near or range(len(sought.golds))
        for said in candidates
        if says(said, sought.golds[place])
    ]
    return min(hits)[2] if hits else None


def _paired(measure: Likeness, wrong: Sequence[Said], rest: Sequence[Gold]) -> float:
    """The likeness of what is left on both sides, the likest pairs first, each part and each answer once."""
    pairs = sorted(
        ((_best(measure, said, one), n, m) for n, said in enumerate(wrong) for m, one in enumerate(rest)), reverse=True
    )
    total, said_taken, gold_taken = 0.0, set[int](), set[int]()
    for likeness, n, m in pairs:
        if n not in said_taken and m not in gold_taken:
            total += likeness
            said_taken.add(n)
            gold_taken.add(m)
    return total


def _best(measure: Likeness, said: Said, gold: Gold) -> float:
    return max((measure(a, b) for a in said.tokens for b in gold.tokens), default=0.0)


def _f1(a: Tokens, b: Tokens) -> float:
    """Twice the tokens in common, over all tokens."""
    return 2 * (Counter(a) & Counter(b)).total() / (len(a) + len(b)) if a or b else 0.0


def _rouge_l(a: Tokens, b: Tokens) -> float:
    """Twice the tokens in common in the same order, over all tokens."""
    try:
        from rapidfuzz.distance import LCSseq
    except ImportError as error:
        raise UsageError("ROUGE-L needs the package rapidfuzz", "run: pip install 'chattygen[evaluate]'") from error
    return 2 * LCSseq.similarity(a, b) / (len(a) + len(b)) if a or b else 0.0
