"""Numbers in their usual spellings, as decimals.

Digits with separators (`1,234.5`, `1.234,5`, `1 234`), exponents, words (`twelve`, `two million`), units behind. What
can be read in two ways has two readings: `1.234`, and `12 %`, which is 12 or 0.12. Texts are taken in lower case and
without accents, as `normalise.fold` gives them. Knows nothing about gold answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache

Readings = frozenset[Decimal]

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MORE_SCALES = {
    **{"hundred": 100, "dozen": 12, "dutzend": 12, "hundert": 100, "cento": 100, "honderd": 100, "百": 100},
    **dict.fromkeys(("thousands", "tausend", "mille", "mil", "mila", "duizend", "千"), 10**3),
    **dict.fromkeys("millions millionen millones milioni milione milhoes milhao miljoen".split(), 10**6),
    **dict.fromkeys(
        "billions bn milliarde milliarden milliard milliards miliardi miliardo bilhao miljard".split(), 10**9
    ),
    **{"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8},
}

_ELSEWHERE = """
null eins|ein|eine|einen zwei drei vier funf|fuenf sechs sieben acht neun zehn elf zwolf|zwoelf
zero un|une deux trois quatre cinq six sept huit neuf dix onze douze
cero uno|un|una dos tres cuatro cinco seis siete ocho nueve diez once doce
zero uno|un|una due tre quattro cinque sei sette otto nove dieci undici dodici
zero um|uma dois|duas tres quatro cinco seis sete oito nove dez onze doze
nul een twee drie vier vijf zes zeven acht negen tien elf twaalf
零|〇|ゼロ 一 二|两|兩 三 四 五 六 七 八 九 十 十一 十二
"""
"""0 to 12 in German, French, Spanish, Italian, Portuguese, Dutch, and in Chinese signs."""

_DIGITS = r"(?:\d{1,3}(?:[ ']\d{3})+(?!\d)|\d+)(?:[.,]\d+)*|\.\d+"
_NUMERAL = re.compile(rf"[+-]?(?:{_DIGITS})(?:e[+-]?\d{{1,3}})?")
_GROUPED = re.compile(
    r"(?<![\d.,'])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:'\d{3})+"
    r"|\d+,\d\d?)(?![\d']|[.,]\d)"
)
_SCALED = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?) (hundred|thousand|million|billion|trillion)\b")
_BEFORE = re.compile(
    r"(?:(?:about|around|approximately|approx|roughly|circa|ca|c|exactly|etwa|rund|ungefahr|environ|aproximadamente"
    r"|ongeveer)\b\.?\s*|[~≈=$€£¥约約]\s*)+"
)
_PERCENT = re.compile(r"%|per ?cent|prozent|pour ?cent|por ?ciento|per ?cento|por ?cento|procent")
_BLUR = frozenset(
    "not no never or and to than more less fewer least most over under above below almost nearly between up if but "
    "nicht kein keine mindestens oder pas ou plus moins non nao niet minder meer".split()
)
"""Words that make another number of one, or none."""

_NO = frozenset("no keine kein aucun aucune ningun ninguna nessun nessuna nenhum nenhuma geen".split())
_NOTHING = frozenset(
    "none nil nobody nothing keine keiner aucun aucune ninguno ninguna nessuno nessuna nenhum nenhuma geen "
    "没有 無 无 なし".split()
)

_UNIT_WORDS = 3


def values(folded: str) -> Readings:
    """The readings of a text that is one number, perhaps with a unit behind; none if it is not."""
    text = _bare(folded)
    found = _BEFORE.match(text)
    text = text[found.end() :] if found else text
    readings, rest = _leading(text)
    while readings and (scale := _scale(rest)):
        readings, rest = frozenset(one * scale[0] for one in readings), scale[1]
    if found := _PERCENT.fullmatch(rest):
        return readings | {one / 100 for one in readings}
    return readings if _is_unit(rest) else frozenset()


def stated(folded: str) -> Readings:
    """The readings of the only number in a sentence (`There are three of them.`); none if something blurs it."""
    if whole := values(folded):
        return whole
    words = re.findall(r"\w+", folded)
    if _BLUR.intersection(words) or "n't" in folded:
        return frozenset()
    found = {match.group() for match in _NUMERAL.finditer(rewritten(folded))}
    return readings(found.pop()) if len(found) == 1 else frozenset()


def states_none(folded: str) -> bool:
    """Whether a text says that there is none: `none`, `no ships`, `there are none`."""
    words = re.sub(r"^(?:there (?:is|are|was|were)|(?:he|she|it|they) (?:has|have|had)) ", "", _bare(folded)).split()
    if len(words) == 1:
        return words[0] in _NOTHING
    return 2 <= len(words) <= 1 + _UNIT_WORDS and words[0] in _NO


def readings(numeral: str) -> Readings:
    """What a numeral in digits can mean: `1.234` is 1234 or 1.234; an exponent is read too."""
    head, _, exponent = numeral.partition("e")
    digits = head.replace(" ", "").replace("'", "")
    marks = [c for c in digits if c in ".,"]
    together = re.sub("[.,]", "", digits)
    ways = {digits.replace(",", ".")} if len(marks) < 2 else set()
    if len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
        whole, _, part = digits.rpartition(marks[-1])
        ways = {re.sub("[.,]", "", whole) + "." + part}
    elif re.fullmatch(r"[+-]?[1-9]\d{0,2}(?:[.,]\d{3})+", digits):
        ways.add(together)
    return frozenset(Decimal(way).scaleb(int(exponent or 0)) for way in ways)


def rewritten(folded: str) -> str:
    """A text with the numbers in it as plain digits: `1,234` as `1234`, `twenty-one` as `21`, `2 million` as `2000000`.

    Only what can hardly mean anything else: a single point stays, and the words are English.
    """
    text = _GROUPED.sub(lambda match: plain(min(readings(match.group()), key=_is_broken)), folded)
    text = _SCALED.sub(lambda match: plain(Decimal(match[1]) * _scales()[match[2]]), text)
    return re.sub(r"[a-z]+(?:[ -][a-z]+)*", lambda match: _in_digits(match.group()), text)


def _bare(folded: str) -> str:
    """Without the marks around; a point in front may be part of a number."""
    return folded.strip(' ,;!"*()').rstrip(".")


def plain(number: Decimal) -> str:
    """Without an exponent and trailing zeros: `300` for 3.0E2."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _is_broken(number: Decimal) -> bool:
    return number != number.to_integral_value()


def _in_digits(run: str) -> str:
    """A run of words with the numbers among them in digits."""
    words = re.split(r"([ -])", run)
    kept, n = [], 0
    while n < len(words):
        value, used = _spoken(words[n::2])
        kept.append(str(value) if used else words[n])
        n += max(2 * used - 1, 1)
        kept += words[n : n + 1]
        n += 1
    return "".join(kept)


def _spoken(words: Sequence[str]) -> tuple[int, int]:
    """The English number at the beginning of some words, and how many of them say it, 0 if there is none."""
    value, used = _counted(words)
    if used == 1 and 13 <= value <= 20:
        rest, more = _counted(words[1:])
        if more and 10 <= rest <= 99:
            return 100 * value + rest, 1 + more
    return value, used


def _counted(words: Sequence[str]) -> tuple[int, int]:
    total, current, used, scale = 0, None, 0, 10**15
    for n, word in enumerate(words):
        after = words[n + 1] if n + 1 < len(words) else ""
        if word in _SMALL and _fits(current, _SMALL[word]):
            current = (current or 0) + _SMALL[word]
        elif word in ("hundred", "dozen") and current and current < 100:
            current *= 100 if word == "hundred" else 12
        elif word in _SCALES and current and _SCALES[word] < scale:
            scale = _SCALES[word]
            total, current = total + current * scale, None
        elif word == "a" and n == 0 and after in ("hundred", "dozen", *_SCALES):
            current = 1
            continue
        elif word == "and" and n and words[n - 1] in ("hundred", *_SCALES) and after in _SMALL:
            continue
        else:
            break
        used = n + 1
    return total + (current or 0), used


def _fits(current: int | None, small: int) -> bool:
    """Whether a small number goes on with what was said: `twenty` with `one`, `one hundred` with `twelve`."""
    if current is None or (current and current % 100 == 0):
        return True
    return current % 100 >= 20 and current % 10 == 0 and 1 <= small <= 9


@cache
def _scales() -> dict[str, int]:
    return _SCALES | _MORE_SCALES


@cache
def _elsewhere() -> dict[str, set[int]]:
    """A word -> what it means in one language or another."""
    known: dict[str, set[int]] = {}
    for line in _ELSEWHERE.strip().splitlines():
        for n, words in enumerate(line.split()):
            for word in words.split("|"):
                known.setdefault(word, set()).add(n)
    return known


def _leading(text: str) -> tuple[Readings, str]:
    """The number at the beginning of a text, and what comes after it."""
    if found := _NUMERAL.match(text):
        return readings(found.group()), text[found.end() :].strip()
    if found := re.match(r"[a-z]+(?:[ -][a-z]+)*", text):
        words = re.split(r"([ -])", found.group())
        value, used = _spoken(words[::2])
        if used:
            return frozenset({Decimal(value)}), text[len("".join(words[: 2 * used - 1])) :].strip()
    for length in (len(text.split(" ")[0]), 2, 1):
        if meant := _elsewhere().get(text[:length]):
            return frozenset(map(Decimal, meant)), text[length:].strip()
    return frozenset(), text


def _scale(rest: str) -> tuple[int, str] | None:
    """The scale word that a text begins with, and what comes after it."""
    word = re.match(r"[a-z]+\b|[百千万萬億亿]", rest)
    by = _scales().get(word.group()) if word else None
    return (by, rest[word.end() :].strip()) if word and by else None


def _is_unit(rest: str) -> bool:
    """Whether what comes after a number can be its unit: few words, none of which changes the number."""
    if re.search(r"(?<![a-z])\d|[-+,;:?]", rest):
        return False
    words = rest.split()
    return len(words) <= _UNIT_WORDS and not _BLUR.intersection(words)
