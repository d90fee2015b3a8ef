"""Words of a text, for the assertions: comparison by whole words in any script, never by substring."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

REMEMBERED = 20_000
"""Texts whose words are remembered."""

PRONOUNS = {
    "masculine": ("he", "him", "his", "himself"),
    "feminine": ("she", "her", "hers", "herself"),
    "neuter": ("it", "its", "itself"),
    "plural": ("they", "them", "their", "theirs", "themselves"),
}

ANY_PRONOUN = frozenset(word for group in PRONOUNS.values() for word in group)

FUNCTION_WORDS = frozenset(
    """a an the of in on at by for from to into with about as and or is are was were be been being do does did has have
    had can could will would shall should may might there that this these those what who whom whose when where which
    how why many much some any all one x s""".split()
)


def words(text: str) -> list[str]:
    """The words of `text`, normalised (NFKC, case folded), possessive endings taken off."""
    return list(_words(text))


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    """They are remembered: the rules look at each question, name and answer again and again."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(c if _in_word(c) else " " for c in folded)
    bare = (re.sub(r"['’]s?$", "", word.strip("'’")) for word in spaced.split())
    return tuple(word for word in bare if any(map(str.isalnum, word)))


def _in_word(character: str) -> bool:
    """Letters, digits, apostrophes, and the combining marks that are the vowels of many scripts."""
    return character.isalnum() or character in "_'’" or unicodedata.category(character).startswith("M")


def contains_words(text: str, part: str) -> bool:
    """Whether the words of `part` stand in `text` one after the other: `Ala` is not in `salad`."""
    inside, wanted = words(text), words(part)
    return bool(wanted) and any(inside[i : i + len(wanted)] == wanted for i in range(len(inside) - len(wanted) + 1))


IRREGULAR = {
    **dict.fromkeys(["born", "birth", "birthplace"], "birth"),
    **dict.fromkeys(["die", "dies", "died", "dead", "death"], "death"),
    **dict.fromkeys(["write", "writes", "wrote", "written", "writer", "writers"], "writ"),
    **dict.fromkeys(["author", "authors", "authored"], "writ"),
    **dict.fromkeys(["locate", "located", "location", "lie", "lies"], "locat"),
    **dict.fromkeys(["long", "length", "lengths"], "length"),
    **dict.fromkeys(["high", "tall", "height", "elevation", "altitude"], "height"),
    **dict.fromkeys(["deep", "depth"], "depth"),
    **dict.fromkeys(["wide", "width"], "width"),
    **dict.fromkeys(["big", "large", "size", "area"], "size"),
}


def stem(word: str) -> str:
    """A crude English stem, enough to see that `releases` is `released`, and that `born` is of a birth."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    for ending in ("ations", "ation", "ings", "ing", "ers", "ies", "ied", "ors", "es", "ed", "er", "or", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    return {stem(word) for word in words(text) if word not in FUNCTION_WORDS and word not in ANY_PRONOUN}
