from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from chattygen.config import RunSettings
from chattygen.context.supply import BARREN, LOOK_AHEAD, PATIENCE, supply
from chattygen.domain import Fact, Iri, Seed, Subgraph, Value

RUN = RunSettings(kg="library", questions=5, min_questions=3)


def facts(number: int) -> tuple[Fact, ...]:
    return tuple(
        Fact(f"http://e.org/p{n}", f"p {n}", "out", (Value(Iri("x"), "x"),), 1, "entity") for n in range(number)
    )


def seed(n: int) -> Seed:
    return Seed(f"http://e.org/{n}", f"number {n}", "http://e.org/T", "number")


@dataclass
class Source:
    """Seeds 0, 1, 2...; the n-th has `sizes[n]` facts. Notes how many seeds were looked at."""

    sizes: list[int]
    looked: list[int] = field(default_factory=list)

    def seeds(self) -> Iterator[Seed]:
        return map(seed, range(len(self.sizes)))

    def extract(self, one: Seed) -> Subgraph:
        n = int(one.iri.rsplit("/", 1)[1])
        self.looked.append(n)
        return Subgraph(one, facts(self.sizes[n]), self.sizes[n])


def given(sizes: list[int], used: set[str] | None = None) -> list[int]:
    """The numbers of the seeds in the order in which the supply gives them."""
    source = Source(sizes)
    supplied = supply(source.seeds(), source.extract, "thing", RUN, set() if used is None else used)
    return [int(subgraph.seed.iri.rsplit("/", 1)[1]) for subgraph in supplied]


def test_seeds_with_a_fact_per_question_come_in_their_order() -> None:
    assert given([5, 6, 9, 5]) == [0, 1, 2, 3]


def test_thin_ones_wait_and_the_richest_of_them_comes_first() -> None:
    assert given([3, 5, 4, 5]) == [1, 3, 2, 0]


def test_the_earliest_of_equals_comes_first() -> None:
    assert given([3, 4, 4, 3]) == [1, 2, 0, 3]


def test_too_thin_is_never_taken() -> None:
    assert given([2, 0, 5, 1]) == [2]
    assert given([]) == []


def test_after_a_stretch_without_better_the_richest_thin_one_is_taken() -> None:
    sizes = [3, 4] + [3] * (LOOK_AHEAD - 2) + [5]
    assert given(sizes)[:3] == [1, LOOK_AHEAD, 0]


def test_no_more_seeds_are_looked_at_than_needed() -> None:
    source = Source([5] * 50)
    supplied = supply(source.seeds(), source.extract, "thing", RUN, set())
    next(supplied)
    next(supplied)
    assert source.looked == [0, 1]


def test_where_no_seed_is_better_none_is_kept_waiting_for_long() -> None:
    source = Source([3] * 500)
    supplied = supply(source.seeds(), source.extract, "thing", RUN, set())
    looked = []
    for _ in range(8):
        next(supplied)
        looked.append(len(source.looked))
    assert (LOOK_AHEAD, BARREN) == (12, 60)
    assert looked == [12, 24, 36, 48, 60, 61, 62, 63]


def test_a_better_seed_makes_the_thin_ones_wait_again() -> None:
    source = Source([3] * BARREN + [5] + [3] * 500)
    supplied = supply(source.seeds(), source.extract, "thing", RUN, set())
    numbers = [next(supplied).seed.label for _ in range(7)]
    assert numbers == [f"number {n}" for n in (0, 1, 2, 3, 4, 60, 5)]
    assert len(source.looked) == 61 + LOOK_AHEAD


def test_a_type_of_poor_entities_is_given_up() -> None:
    source = Source([1] * (PATIENCE + 500) + [5])
    assert list(supply(source.seeds(), source.extract, "thing", RUN, set())) == []
    assert len(source.looked) == PATIENCE


def test_patience_begins_anew_with_every_usable_seed() -> None:
    poor = [1] * (PATIENCE - 1)
    rich = len(poor)
    assert given([*poor, 5, *poor, 3, *poor, 5]) == [rich, 2 * rich + 1, 3 * rich + 2]


def test_an_endless_source_of_poor_entities_ends() -> None:
    def endless() -> Iterator[Seed]:
        n = 0
        while True:
            yield seed(n)
            n += 1

    assert list(supply(endless(), lambda one: Subgraph(one, (), 0), "thing", RUN, set())) == []


def test_an_entity_is_a_seed_once_over_all_types() -> None:
    used = {seed(1).iri}
    assert given([5, 5, 5], used) == [0, 2]
    assert used == {seed(n).iri for n in (0, 1, 2)}
    assert given([5, 5, 5, 5], used) == [3]


def test_a_waiting_seed_that_another_type_took_is_not_given_again() -> None:
    source, used = Source([3, 5, 4]), set[str]()
    supplied = supply(source.seeds(), source.extract, "thing", RUN, used)
    assert next(supplied).seed == seed(1)
    used.add(seed(0).iri)
    assert [subgraph.seed for subgraph in supplied] == [seed(2)]


def test_two_entities_with_one_label_are_two_seeds() -> None:
    twins = [Seed(f"http://e.org/{n}", "Amherst", "http://e.org/T", "town") for n in (1, 2)]
    supplied = supply(twins, lambda one: Subgraph(one, facts(5), 5), "place", RUN, set())
    assert [(subgraph.seed.iri, subgraph.seed.label) for subgraph in supplied] == [
        ("http://e.org/1", "Amherst"),
        ("http://e.org/2", "Amherst"),
    ]


def test_the_seed_is_told_what_being_it_is() -> None:
    supplied = supply([seed(1)], lambda one: Subgraph(one, facts(5), 5), "person", RUN, set())
    assert [subgraph.seed.being for subgraph in supplied] == ["person"]
