"""Train, dev and test: the seed entities of a run dealt out, so that no entity is the subject of two splits.

The order comes from a hash of the IRIs alone: the same seeds and shares always give the same splits. Knows nothing
about dialogues and files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import sha256

from chattygen.errors import UsageError

NAMES = ("train", "dev", "test")


def parse(text: str) -> tuple[Fraction, ...]:
    """The shares of train, dev and test, in percent: `80,10,10`.

    Raises:
        UsageError: not three numbers of at least 0 that sum to 100.
    """
    try:
        shares = tuple(Fraction(part.strip()) for part in text.split(","))
    except (ValueError, ZeroDivisionError):
        shares = ()
    if len(shares) != len(NAMES) or min(shares) < 0 or sum(shares) != 100:
        raise UsageError(
            f"--split {text}: not three shares that sum to 100", "give those of train, dev and test, such as 80,10,10"
        )
    return shares


def deal(seeds: Iterable[str], shares: Sequence[Fraction]) -> dict[str, str]:
    """Seed IRI -> name of its split. Sizes are the shares of the seeds, rounded by largest remainder."""
    ordered = sorted(set(seeds), key=lambda iri: sha256(iri.encode()).digest())
    exact = [len(ordered) * share / 100 for share in shares]
    sizes = [int(size) for size in exact]
    by_remainder = sorted(range(len(sizes)), key=lambda i: sizes[i] - exact[i])
    for i in by_remainder[: len(ordered) - sum(sizes)]:
        sizes[i] += 1
    names = [name for name, size in zip(NAMES, sizes, strict=True) for _ in range(size)]
    return dict(zip(ordered, names, strict=True))
