"""Text of a graph or a model inside Markdown: it stays text. Knows nothing about dialogues.

Written for CommonMark and GitHub's extension of it, which turns bare addresses into links.
"""

from __future__ import annotations

import re


def plain(text: str) -> str:
    """`text` as one line of Markdown that reads as it is: nothing in it formats, links, or becomes HTML.

    White space becomes single spaces, control characters U+FFFD. A text with an e-mail address becomes a code span,
    because GitHub links these whatever is escaped.
    """
    line = _one_line(text)
    if re.search(r"\S@\S", line):
        return code(line)
    line = re.sub(r"[\\`*_\[\]<>&~|#$^]", r"\\\g<0>", line)
    line = re.sub(r":(?=//)", r"\:", line)
    line = re.sub(r"(?i)\bwww\.", lambda found: f"{found[0][:-1]}\\.", line)
    line = re.sub(r"^[-+=]", r"\\\g<0>", line)  # would begin a list or underline a heading
    return re.sub(r"^(\d+)([.)])(?= |$)", r"\1\\\2", line)


def code(text: str) -> str:
    """`text` as a code span of one line, whatever backticks are in it."""
    line = _one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}" if line else ""


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
