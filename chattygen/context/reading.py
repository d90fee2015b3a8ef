"""How a predicate is read aloud: the part of speech behind `birthDate`, `authoredBy`, `containsPlace`, `isMember`.

English only; a label in another language is read as a noun. Knows nothing about graphs or prompts.
"""

from __future__ import annotations

from dataclasses import dataclass

PREPOSITIONS = frozenset(
    """about as at between by during for from in into near of on over through to under upon via with within""".split()
)
PARTICIPLES = frozenset("born built drawn known spoken sung written".split())
VERBS = frozenset(
    """belongs borders contains covers crosses employs features flows follows holds includes influences joins knows
    leads owns plays precedes produces produced runs speaks starts supports uses""".split()
)


SYMMETRIC = frozenset("classmate colleague cousin neighbor neighbour partner relative sibling spouse twin".split())
"""Of two siblings each is the sibling of the other; so it is with all that begin with `co-`."""

NO_NOUNS = frozenset("afraid because capable fond full instead made out proud short".split())
"""Words before `of` that are no nouns."""


@dataclass(frozen=True)
class Reading:
    """A predicate as words.

    Attributes:
        noun: what the other end is called (`birth date`, `place` of `containsPlace`), or empty.
        link: the words that tie the subject to the other end (`authored by`, `contains`), or empty for a plain noun.
        is_verb: the link is a verb in the third person (`flows into`); otherwise it follows `is` (`authored by`).
    """

    noun: str
    link: str = ""
    is_verb: bool = False

    @property
    def base(self) -> str:
        """The link after `does`: `flow into`."""
        first, *rest = self.link.split()
        return " ".join([_base(first) if self.is_verb else first, *rest])

    @property
    def is_deed(self) -> bool:
        """Whether the link begins with a participle: `authored by`, not `author of`."""
        return bool(self.link) and _is_participle(self.link.split()[0])

    @property
    def role(self) -> str:
        """What the subject is to the other end, with an article: `an author of`; empty where the link names no role."""
        head, _, last = self.link.rpartition(" ")
        is_noun = head and last == "of" and not self.is_verb and not self.is_deed
        return f"{article(head)} {self.link}" if is_noun and head.split()[0] not in NO_NOUNS | PREPOSITIONS else ""

    @property
    def auxiliary(self) -> str:
        """`is` before a state (`located in`), `was` before a deed (`awarded`)."""
        return "was" if _is_participle(self.link) else "is"

    @property
    def words(self) -> str:
        """Everything in the order of the predicate: `contained in place`."""
        return f"{self.link} {self.noun}".strip()


def read(predicate_label: str) -> Reading:
    """Read a predicate label.

    `has city` is the noun `city`; `is member` is the link `member of`; `contained in place` is the link `contained in`
    to a `place`; `in mountains` is the link `in` to `mountains`; `co-author of` is the noun `co-author`, since who
    is a co-author has one.
    """
    words = predicate_label.split() or ["relation"]
    first = words[0].lower()
    if len(words) == 2 and words[1] == "of" and (first.startswith("co-") or first in SYMMETRIC):
        return Reading(words[0])
    if len(words) > 1 and first in ("has", "had"):
        return Reading(" ".join(words[1:]))
    if len(words) > 1 and first in ("is", "was"):
        rest = words[1:]
        bound = rest[-1] in PREPOSITIONS or _is_participle(rest[0])
        return _link(rest) if bound else Reading("", " ".join([*rest, "of"]))
    if first in PREPOSITIONS or _is_participle(first) or words[-1] in PREPOSITIONS:
        return _link(words)
    if len(words) > 1 and (first in VERBS or (_is_third_person(first) and words[1] in PREPOSITIONS)):
        return _link(words)
    return Reading(" ".join(words))


def _link(words: list[str]) -> Reading:
    """Split a predicate that ties: up to its last preposition it is the link, then comes the noun."""
    ends = [n for n, word in enumerate(words) if word in PREPOSITIONS]
    end = ends[-1] + 1 if ends else 1
    first = words[0].lower()
    is_verb = first not in PREPOSITIONS and not _is_participle(first) and _is_third_person(first)
    return Reading(" ".join(words[end:]), " ".join(words[:end]), is_verb)


def _is_participle(word: str) -> bool:
    return word in PARTICIPLES or (len(word) > 4 and word.endswith("ed"))


def _is_third_person(word: str) -> bool:
    """`flows`, but not `class`, `status` or `basis`."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _base(verb: str) -> str:
    """The infinitive of a verb in the third person: `flow`, `cross`, `carry`, `lie`."""
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-3] + "y" if verb.endswith("ies") and len(verb) > 4 else verb.removesuffix("s")


def article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" and not noun.lower().startswith(("uni", "eu", "one")) else "a"


def plural(noun: str) -> str:
    """The English plural of a label."""
    head, space, last = noun.rpartition(" ")
    if last in ("person", "Person"):
        last = "people"
    elif last.endswith(("ings", "series", "species", "people")):
        pass
    elif last.endswith(("s", "x", "ch", "sh")):
        last += "es"
    elif last.endswith("y") and last[-2:-1].lower() not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "s"
    return head + space + last
