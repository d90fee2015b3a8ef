"""Splits: sizes, determinism, and that a seed is in one of them only."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.errors import UsageError
from chattygen.results.splits import NAMES, deal, parse


def test_shares_are_read_as_they_are_written() -> None:
    assert parse("80,10,10") == (80, 10, 10)
    assert parse(" 100, 0 ,0") == (100, 0, 0)
    assert parse("33.4,33.3,33.3") == (Fraction(334, 10), Fraction(333, 10), Fraction(333, 10))


@pytest.mark.parametrize(
    "wrong", ["80,20", "80,10,10,0", "80,10,11", "110,-10,0", "a,b,c", "80;10;10", "1/0,50,50", ","]
)
def test_wrong_shares_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(wrong)
    assert refused.value.message == f"--split {wrong}: not three shares that sum to 100"


def sizes(seeds: int, shares: str) -> list[int]:
    dealt = Counter(deal([f"http://example.org/{n}" for n in range(seeds)], parse(shares)).values())
    return [dealt[name] for name in NAMES]


def test_sizes_are_rounded_by_largest_remainder() -> None:
    assert sizes(20, "80,10,10") == [16, 2, 2]
    assert sizes(7, "80,10,10") == [5, 1, 1]  # 5.6, 0.7, 0.7
    assert sizes(3, "34,33,33") == [1, 1, 1]  # 1.02, 0.99, 0.99
    assert sizes(1, "0,50,50") == [0, 1, 0]  # of equal remainders the first
    assert sizes(0, "80,10,10") == [0, 0, 0]


def test_the_order_is_that_of_the_hashes_of_the_iris() -> None:
    seeds = ["http://example.org/marie", "http://example.org/ship", "http://example.org/pierre"]
    first, second, third = sorted(seeds, key=lambda iri: sha256(iri.encode()).hexdigest())
    assert deal(seeds, parse("34,33,33")) == {first: "train", second: "dev", third: "test"}


shares = st.tuples(st.integers(0, 100), st.integers(0, 100)).map(
    lambda cut: (min(cut), max(cut) - min(cut), 100 - max(cut))
)


@given(seeds=st.lists(st.text(min_size=1)), shares=shares)
def test_every_seed_is_in_one_split_and_sizes_are_exact(seeds: list[str], shares: tuple[int, int, int]) -> None:
    exact = tuple(map(Fraction, shares))
    dealt = deal(seeds, exact)
    assert set(dealt) == set(seeds)
    assert dealt == deal(reversed(seeds), exact)
    for name, share in zip(NAMES, shares, strict=True):
        size = sum(1 for split in dealt.values() if split == name)
        assert abs(size - len(set(seeds)) * Fraction(share, 100)) < 1
        if share == 0:
            assert size == 0
