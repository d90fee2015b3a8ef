from __future__ import annotations

from collections.abc import Iterator

from chattygen.context.pools import Pool, draw, owe, spread
from chattygen.domain import BUCKETS, NodeType

A, B = NodeType("a", "a", 60, 0.6), NodeType("b", "b", 40, 0.4)


def numbers(count: int, start: int = 0) -> Iterator[int]:
    return iter(range(start, start + count))


def test_equal_numbers_and_what_is_left_goes_to_who_has_the_fewest() -> None:
    assert spread({"a": 7, "b": 4}, BUCKETS) == {
        ("a", "head"): 3,
        ("a", "torso"): 2,
        ("a", "tail"): 2,
        ("b", "head"): 1,
        ("b", "torso"): 2,
        ("b", "tail"): 1,
    }
    assert list(spread(dict.fromkeys("abcdef", 1), BUCKETS).values()) == [1, 0, 0, 0, 1, 0, 0, 0, 1] * 2
    assert spread({"a": 5, "b": 0}, ("tail",)) == {("a", "tail"): 5, ("b", "tail"): 0}


def test_without_buckets_a_pool_is_a_type() -> None:
    assert spread({"a": 7, "b": 4}, ()) == {("a", None): 7, ("b", None): 4}


def test_a_bucket_that_runs_out_passes_its_share_to_the_others_of_its_type_and_then_to_other_types() -> None:
    supplies: dict[Pool, Iterator[int]] = {
        ("a", "head"): numbers(1),
        ("a", "torso"): numbers(2, 10),
        ("a", "tail"): numbers(4, 20),
        ("b", "tail"): numbers(9, 30),
    }
    owed = spread({"a": 9, "b": 0}, BUCKETS) | {("b", "tail"): 0}
    drawn = draw(supplies, owed, (A, B), 9)
    # Three each; head has one, so its two go to torso and tail; torso has two, so its two go to tail, which has four of
    # the six that it owes then, and the last two are of the other type.
    assert sorted(drawn) == [0, 10, 11, 20, 21, 22, 23, 30, 31]
    assert set(supplies) == {("b", "tail")}
    assert draw(supplies, owed, (A, B), 99) == [32, 33, 34, 35, 36, 37, 38]
    assert (supplies, draw(supplies, owed, (A, B), 1)) == ({}, [])


def test_what_is_given_up_is_owed_to_the_same_bucket() -> None:
    supplies: dict[Pool, Iterator[int]] = {
        ("a", "head"): numbers(3),
        ("a", "tail"): numbers(3),
        ("b", None): numbers(3),
    }
    owed: dict[Pool, int] = {("a", "head"): 1}
    owe(owed, 1, ("a", "head"), supplies, (A, B))
    assert owed == {("a", "head"): 2}
    owe(owed, 2, ("a", "torso"), supplies, (A, B))
    assert owed == {("a", "head"): 3, ("a", "tail"): 1}
    owe(owed, 5, ("c", None), {("a", None): numbers(1), ("b", None): numbers(1)}, (A, B))
    assert owed == {("a", "head"): 3, ("a", "tail"): 1, ("a", None): 3, ("b", None): 2}
