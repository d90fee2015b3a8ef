"""Whether a reply is missing: unsure, refused or empty (Head-to-Tail, section 2).

Models say that they do not know in many ways and languages: unsure.toml lists them. Some count only as all that is said
(`unknown`), others as its beginning (`I do not know when ...`), unless a guess follows: a guess is an answer, and can
be wrong. Titles hold such words too (`I Don't Know How She Does It`): their words begin with capitals. Knows nothing
about the question and its answers.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from chattygen.evaluation.normalise import fold

_LEAD = re.compile(
    r"[\s*_#>]*(?:(?:final |short )?answer|a|antwort|réponse|respuesta|risposta|resposta|antwoord|答案|回答|答え|答)"
    r"[*_]*\s*[:：][*_]*\s*",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[.,;!?()…。，、；！？]+|\s-+\s|が(?=[、,])")
_DOTS_OF_LETTERS = re.compile(r"(?<=\b[a-z])[./](?=\s?[a-z]\b)")
_CONTRACTIONS = (
    (re.compile(r"\b(?:ca|can )n'?t\b|\bcan not\b"), "cannot"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should)n'?t\b"), r"\1 not"),
    (re.compile(r"\bi'?m\b"), "i am"),
    (re.compile(r"\b(i|we)'?ve\b"), r"\1 have"),
    (re.compile(r"\b(i|we|it)'d\b"), r"\1 would"),
    (re.compile(r"\b(it|that|there|answer|this)'s\b"), r"\1 is"),
    (re.compile(r"'"), " "),
)


@dataclass(frozen=True)
class _Language:
    """The phrases of a language, as unsure.toml explains them; `within` is `opens` anywhere in a clause."""

    capitals: bool
    fillers: frozenset[str]
    turns: re.Pattern[str]
    apology: re.Pattern[str]
    whole: re.Pattern[str]
    opens: re.Pattern[str]
    within: re.Pattern[str]
    closes: re.Pattern[str]
    states: re.Pattern[str]
    guess: re.Pattern[str]


def without_lead(reply: str) -> str:
    """A reply without `Answer:` in front, which models write after examples in a prompt."""
    found = _LEAD.match(reply)
    return reply[found.end() :] if found else reply


def is_missing(reply: str) -> bool:
    """Whether a reply gives no answer. `None` and `nobody` are answers, and so is `Paris, but I am not sure`."""
    text = without_lead(reply)
    if not any(c.isalnum() for c in text):
        return True
    folded = _DOTS_OF_LETTERS.sub(" ", "\n".join(map(fold, text.splitlines())))
    for pattern, plain in _CONTRACTIONS:
        folded = pattern.sub(plain, folded)
    return any(_is_unsure(folded, text, language) for language in _languages())


def _is_unsure(folded: str, text: str, language: _Language) -> bool:
    clauses = _clauses(folded, language)
    if not clauses:
        return False
    while len(clauses) > 1 and language.apology.match(clauses[0]) and not language.within.search(clauses[0]):
        clauses.pop(0)
    first, *later = clauses
    if any(language.guess.match(clause) for clause in later):
        return False
    if language.whole.fullmatch(first) or language.opens.fullmatch(first):
        return True
    if language.capitals and _is_title(text):
        return False
    if language.apology.match(first) and language.within.search(first):
        return True
    return bool(language.opens.match(first) or language.closes.search(first) or language.states.match(first))


def _clauses(folded: str, language: _Language) -> list[str]:
    parts = (part for line in folded.splitlines() for part in _CLAUSE_ENDS.split(line))
    plain = (re.sub(r"[\W_]+", " ", part) for part in parts)
    turned = (piece for part in plain for piece in language.turns.split(part))
    words = (" ".join(word for word in piece.split() if word not in language.fillers) for piece in turned)
    return [clause for clause in words if clause]


def _is_title(text: str) -> bool:
    """Whether all longer words begin with capitals, those in quotation marks if the text begins with some."""
    quoted = re.match(r'\s*["“«]([^"”»]+)["”»]', text)
    longer = re.findall(r"[^\W\d_][\w'’]{3,}", quoted[1] if quoted else text)
    return bool(longer) and not text.isupper() and all(word[0].isupper() for word in longer)


@cache
def _languages() -> tuple[_Language, ...]:
    source = files("chattygen.evaluation").joinpath("unsure.toml").read_text(encoding="utf-8")
    return tuple(_language(phrases) for phrases in tomllib.loads(source).values())


def _language(phrases: dict[str, Any]) -> _Language:
    spaced = phrases.get("spaced", True)
    end, gap = (r"\b", " ") if spaced else ("", "")

    def any_of(key: str) -> str:
        return "(?:" + "|".join(fold(one) for one in phrases.get(key, ())) + ")" if phrases.get(key) else "(?!)"

    leads = f"(?:{any_of('leads')}{gap})*"
    goes_on = f"(?: {any_of('after')}\\b.*)?"
    return _Language(
        capitals=phrases.get("capitals", False),
        fillers=frozenset(map(fold, phrases.get("fillers", ()))),
        turns=re.compile(rf"(?:^|{end}){any_of('turns')}{end}"),
        apology=re.compile(any_of("apologies") + end),
        whole=re.compile(leads + any_of("whole")),
        opens=re.compile(leads + any_of("opens") + end),
        within=re.compile(end + any_of("opens") + end),
        closes=re.compile(any_of("closes") + "$"),
        states=re.compile(f"{any_of('subjects')}(?: .*?)? {any_of('states')}{goes_on}$"),
        guess=re.compile(("" if spaced else ".*") + any_of("guesses") + end),
    )
