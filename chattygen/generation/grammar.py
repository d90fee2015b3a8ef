"""GBNF for replies that are plain lines: what a line may look like, so that a weak model cannot leave its job.

The grammar keeps a model on the task; it is never trusted: every reply is parsed and asserted by the stages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chattygen.models.model import Constraint

TEXT = r'[^\r\n?X"]'
"""A character of a question: no line break, question mark or quotation mark, and no placeholder."""


def literal(text: str) -> str:
    """`text` as a GBNF string on one line.

    A line break would make two lines of a reply, and a NUL would end the grammar there, which kills a llama.cpp server.
    """
    one_line = re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", " ", text)
    return '"' + one_line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def any_of(texts: Sequence[str]) -> str:
    return "(" + " | ".join(literal(text) for text in texts) + ")"


def lines(rules: Sequence[str], choices: Sequence[tuple[str, ...]] = ()) -> Constraint:
    """Exactly one line per rule, in order."""
    names = [f"l{n}" for n in range(1, len(rules) + 1)]
    root = ' "\\n" '.join(names)
    body = "\n".join(f"{name} ::= {rule}" for name, rule in zip(names, rules, strict=True))
    return Constraint(grammar=f"root ::= {root}\n{body}\n", lines=len(rules), choices=tuple(choices))


def question(openings: Sequence[str]) -> str:
    """A question that starts with one of `openings` and names `X` once."""
    return f'{any_of(openings)} " " ({TEXT}{{1,60}} " ")? "X" {TEXT}{{0,60}} "?"'


def later_turn(leads: Sequence[str], references: Sequence[str], after: int, *, names: bool = False) -> str:
    """A question that begins with one of `leads` and goes on with one of `references`.

    At most `after` characters stand behind, so that nothing can be added at length; with `names`, and `Y` among them,
    the placeholder of a value that the question names.
    """
    rest = f' (" " {TEXT}{{1,{after}}})?' if after else ""
    rest = f'{rest} " Y"{rest}' if names else rest
    return f'{any_of(leads)} " " {any_of(references)}{rest} "?"'


def choice(texts: Sequence[str]) -> Constraint:
    """One line, one of `texts`."""
    return lines([any_of(texts)], [tuple(texts)])
