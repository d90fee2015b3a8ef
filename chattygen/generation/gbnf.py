"""The part of GBNF that chattygen writes, read strictly: what llama.cpp would refuse is refused here too.

With it a reply is held against its grammar, whatever the server claims. Knows nothing about models.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(
    r"""
      (?P<space>  \x20+ )
    | (?P<name>   [a-z][a-z0-9]* )
    | (?P<string> "(?:[^"\\\x00-\x1f]|\\[\\"n])*" )
    | (?P<set>    \[\^?(?:[^\]\\\x00-\x1f]|\\[\\nr\]])+\] )
    | (?P<times>  \{\d+,\d+\} )
    | (?P<mark>   [()|?] )
    """,
    re.VERBOSE,
)


_ESCAPE = re.compile(r"\\(.)")


def _plain(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]


@lru_cache(maxsize=64)
def to_regex(grammar: str) -> re.Pattern[str]:
    """The texts that the grammar allows, as a regular expression.

    Raises:
        ValueError: the grammar does not compile: a bad escape, a stray quotation mark, a missing rule, an empty range.
    """
    rules = {}
    for line in grammar.removesuffix("\n").split("\n"):
        name, sign, body = line.partition(" ::= ")
        if not sign or name in rules:
            raise ValueError(f"not a rule of its own: {line!r}")
        rules[name] = body
    return re.compile(_expand("root", rules))


def _expand(name: str, rules: dict[str, str]) -> str:
    if name not in rules:
        raise ValueError(f"no rule {name}")
    body, place, pattern = rules[name], 0, ""
    while place < len(body):
        found = _TOKEN.match(body, place)
        if not found:
            raise ValueError(f"cannot be read from here: {body[place:]!r}")
        place = found.end()
        pattern += _piece(str(found.lastgroup), found[0], rules)
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"brackets or repetitions do not fit: {body!r}") from error
    return f"(?:{pattern})"


def _piece(kind: str, text: str, rules: dict[str, str]) -> str:
    if kind == "name":
        return _expand(text, rules)
    if kind == "string":
        return f"(?:{re.escape(_ESCAPE.sub(_plain, text[1:-1]))})"
    if kind == "times":
        low, high = map(int, re.findall(r"\d+", text))
        if low > high or not high:
            raise ValueError(f"an empty range: {text}")
    return "" if kind == "space" else "(?:" if text == "(" else text
