"""Text as it is compared: what differs only in spelling becomes the same tokens (after Head-to-Tail, section 2).

Width and case, accents of Latin and Greek letters, quotation marks, dashes, punctuation, English articles, dates,
thousands separators and English number words. Scripts without spaces give one token for each character, so that a part
of a name counts there too. The rules are listed in docs/evaluation.md. Knows nothing about replies and gold answers.
"""

from __future__ import annotations

import re
import unicodedata

from chattygen.evaluation import dates, numbers

Tokens = tuple[str, ...]

_SIGNS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u0060\u2032", "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
)
_TWO_READINGS = re.compile(r"\d\D\d\d?\D\d")
_INITIAL = re.compile(r"[a-zα-ωа-я]")


def fold(text: str, spelt_out: bool = False) -> str:
    """Lower case without accents, in plain signs; `spelt_out` writes `ü` as `ue`, `ø` as `oe`, `å` as `aa`."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).casefold()
    text = "".join(str(unicodedata.decimal(c, c)) for c in text)
    if spelt_out:
        text = unicodedata.normalize("NFC", text).translate(_SPELT_OUT)
    return " ".join(_without_accents(text).translate(_LETTERS).split())


def _without_accents(text: str) -> str:
    """Only Latin and Greek letters lose theirs: elsewhere such a mark is a letter of its own."""
    kept: list[str] = []
    base = ""
    for c in unicodedata.normalize("NFD", text):
        if not unicodedata.combining(c):
            base = c
        elif unicodedata.name(base or " ", "").startswith(("LATIN", "GREEK")):
            continue
        kept.append(c)
    return unicodedata.normalize("NFC", "".join(kept))


def tokens(text: str, *, month_first: bool = False, spelt_out: bool = False) -> Tokens:
    """The words of a text as they are compared; a text of nothing but signs is one token.

    Args:
        month_first: reads `01/04/1912` as 4 January.
    """
    folded = fold(text, spelt_out)
    plain = numbers.rewritten(dates.rewritten(folded, month_first)).replace("&", " and ")
    words = _without_articles(_with_initials_joined(_words(plain)))
    return tuple(words) if words else ((folded,) if folded else ())


def variants(text: str) -> tuple[Tokens, ...]:
    """All ways to read a text, the usual one first: with the day or the month first, and with `ü` for `u` or `ue`."""
    ways = [tokens(text)]
    if _TWO_READINGS.search(text):
        ways.append(tokens(text, month_first=True))
    if not text.isascii():
        ways.append(tokens(text, spelt_out=True))
    return tuple(dict.fromkeys(ways))


def _words(text: str) -> list[str]:
    text = re.sub(r"(?<=\w)'(?=\w)", "", text)
    kept = []
    for n, c in enumerate(text):
        before, after = text[n - 1 : n] or " ", text[n + 1 : n + 2] or " "
        inside = (
            unicodedata.category(c)[0] in "LMN"
            or (c == "." and before.isdigit() and after.isdigit())
            or (c in "+#" and (before.isalnum() or before in "+#"))
            or (c == "-" and before.isspace() and after.isdigit())
        )
        kept.append(c if inside else " ")
    return _UNSPACED.sub(r" \g<0> ", "".join(kept)).split()


def _with_initials_joined(words: list[str]) -> list[str]:
    """`j r r tolkien` and `u s a` as `jrr tolkien` and `usa`."""
    joined: list[str] = []
    open_run = False
    for word in words:
        single = bool(_INITIAL.fullmatch(word))
        if single and open_run:
            joined[-1] += word
        else:
            joined.append(word)
        open_run = single
    return joined


def _without_articles(words: list[str]) -> list[str]:
    """Without `the`, and `a` or `an` in front; the last word stays, as in `Vitamin A` and `The The`."""
    if len(words) > 1 and words[0] in ("a", "an"):
        words = words[1:]
    return [word for word in words[:-1] if word != "the"] + words[-1:]
