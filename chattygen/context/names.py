"""Readable text out of IRIs, and the length of a label in words (section 4.2).

The last segment of an IRI is a name only sometimes: `NobelPrize` is, `BiemTNJP15` is not. What is not gives no text at
all, so that no id reaches a question. Knows nothing about graphs.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_SEPARATORS = re.compile(r"[\s_+\-.,;:/|~]+")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_HEX = re.compile(r"[0-9a-fA-F]*[0-9][0-9a-fA-F]*")
_KEY_TAIL = re.compile(r"(?:^|[a-z])[A-Z]+\d+[a-z]?$")
_FILE = re.compile(r"\.(?:html?|php|aspx?|pdf|xml|rdf|json|txt)$", re.IGNORECASE)
_COMPOUND = re.compile(
    r"(alternate|birth|common|family|first|full|given|last|local|long|native|official|other|short)name", re.IGNORECASE
)
"""Names of a name that vocabularies write as one word."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def local_name(iri: str) -> str:
    """The last segment of an IRI, decoded: after the last `#` or `/` that something follows."""
    text = iri.rstrip("/#")
    if "://" in text and "/" not in text.split("://", 1)[1]:
        return ""
    return unquote(re.split(r"[#/]", text)[-1]) if re.search(r"[#/]", text) else unquote(text.rsplit(":", 1)[-1])


def readable(iri: str) -> str:
    """The local name as words, or an empty string when it is an opaque id.

    `yearOfPublication` gives `year of publication`, `Nobel_1968_medicine` gives `Nobel 1968 medicine`, `TVSeries` gives
    `TV series`, `NobelPrize` gives `Nobel prize`, `localname` gives `local name`; `Q42`, `10071`, `BiemTNJP15` and
    `4f9a01c2` give nothing.
    """
    name = _FILE.sub("", local_name(iri)).strip("-_ ")
    if is_opaque(name):
        return ""
    if name.isalnum() and name.isascii():
        first, *rest = _CAMEL.findall(_COMPOUND.sub(r"\1Name", name))
        return " ".join([first, *(part if _is_acronym(part) else part.lower() for part in rest)])
    breaks = r"[\s_+-]+" if name.islower() else r"[\s_+]+"
    return " ".join(part for part in re.split(breaks, name) if part)


def lower_words(text: str) -> str:
    """A class or predicate label in running text: words in lower case, acronyms as they are."""
    return " ".join(word if _is_acronym(word) or not word.isalpha() else word.lower() for word in text.split())


def is_opaque(name: str) -> bool:
    """Whether a local name is an id and not a name: mostly digits, hexadecimal, a citation key, or unpronounceable."""
    marks = [c for c in name if c.isalnum()]
    letters = [c for c in marks if c.isalpha()]
    if not letters or len(marks) > 2 * len(letters):
        return True
    words = [word for word in _SEPARATORS.split(name) if word]
    if all(_HEX.fullmatch(word) and len(word) > 3 for word in words):
        return True
    if len(words) > 1 or not name.isascii():
        return False
    if len(re.findall(r"[A-Za-z]\d", name)) > 1 or _KEY_TAIL.search(name):
        return True
    vowels = any(c in "aeiouyAEIOUY" for c in letters)
    return not vowels and (len(letters) < len(marks) or len(letters) > 5)


def is_number(label: str) -> bool:
    """Whether a label, as opposed to a local name, is only a number or a hash: few letters, or hexadecimal."""
    letters, digits = sum(c.isalpha() for c in label), sum(c.isdigit() for c in label)
    return 2 * letters < digits or letters == 0 or (len(label) > 7 and bool(_HEX.fullmatch(label)))


def unbracketed(label: str) -> tuple[str, str]:
    """A label that ends in a bracket, as what stands before it and in it: `1984 (song)` gives `1984` and `song`.

    Any other label is given back with an empty text.
    """
    found = re.fullmatch(r"(.*[^\s(])\s*\(([^()]+)\)", label)
    return (found[1], found[2].strip()) if found else (label, "")


def count_words(text: str) -> int:
    """The length of a label in words; in scripts without spaces four characters count as one."""
    return sum(-(-len(part) // 4) if _UNSPACED.search(part) else 1 for part in text.split())


def _is_acronym(word: str) -> bool:
    return len(word.removesuffix("s")) > 1 and word.removesuffix("s").isupper()
