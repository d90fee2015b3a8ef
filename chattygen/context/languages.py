"""Which of several languages is taken: ranges by preference, as the settings list them (section 4.2).

A range matches a tag that is the same or begins with it (`en` matches `en-GB`), `*` matches any; what has no tag comes
behind the first range, as most of what has no tag is in the graph's main language. Knows nothing about graphs.
"""

from __future__ import annotations

Ranges = tuple[str, ...]
"""Language ranges in lower case, the preferred one first (GraphSettings.languages)."""


def place(tag: str, ranges: Ranges) -> int | None:
    """How far down the list a literal with this tag comes, 0 for the best; None when it is in none of the languages.

    Args:
        tag: empty for a literal without a language tag.
    """
    tag = tag.lower()
    for number, wanted in enumerate(ranges):
        for step, fits in enumerate((tag == wanted, matches(tag, wanted), wanted == "*" or not tag)):
            if fits:
                return 3 * number + step
    return None


def matches(tag: str, wanted: str) -> bool:
    """Whether a tag is within a range other than `*`."""
    return tag.lower() == wanted or tag.lower().startswith(wanted + "-")


def named(ranges: Ranges) -> Ranges:
    """The ranges less `*`: the languages that the user asked for."""
    return tuple(wanted for wanted in ranges if wanted != "*")
