"""Whether a reply to a yes-no question says yes or no.

Its first word decides (`Yes, he was.`, `No, it is not true that ...`), else a plain sentence such as `That is not
true.`. In English, German, French, Spanish, Italian, Portuguese, Dutch, Chinese and Japanese. Knows nothing about the
question.
"""

from __future__ import annotations

import re

from chattygen.evaluation.normalise import fold

_YES = frozenset(
    "yes yeah yep yup true correct right indeed ja wahr richtig jawohl oui vrai exact si verdadero cierto correcto "
    "vero corretto sim verdadeiro certo correto waar juist klopt".split()
)
_NO = frozenset(
    "no nope nah false incorrect wrong untrue nein falsch unwahr non faux falso incorrecto nao errado nee onwaar "
    "onjuist".split()
)
_YES_SIGNS = ("是", "没错", "沒錯", "对", "對", "正确", "はい", "そうです", "ええ")
_NO_SIGNS = ("不", "否", "没", "沒", "错", "いいえ", "いや", "違います")
_SENTENCE = re.compile(
    r"(?:it|that|this|the statement|the answer)(?:'s| is| was)(?P<no>n't| not)? "
    r"(?P<word>yes|no|true|correct|right|false|incorrect|wrong)\b"
)
_BOTH = re.compile(r"\w+\W*(?:and|or|und|oder|et|ou|y|o|e|en|of|/)\W*(?P<word>\w+)")


def truth(reply: str) -> bool | None:
    """Yes, no, or neither."""
    text = fold(reply).strip(" .,;:!*\"'()")
    if text.startswith(_NO_SIGNS) or text.startswith(_YES_SIGNS):
        return text.startswith(_YES_SIGNS)
    first = _polarity(re.split(r"\W", text)[0])
    both = _BOTH.match(text)
    if first is not None:
        other = _polarity(both["word"]) if both else None
        return first if other is None or other == first else None
    if text.startswith("not "):
        return _negated(_polarity(re.split(r"\W", text)[1]))
    if found := _SENTENCE.match(text):
        said = _polarity(found["word"])
        return _negated(said) if found["no"] else said
    return None


def _polarity(word: str) -> bool | None:
    return True if word in _YES else False if word in _NO else None


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value
