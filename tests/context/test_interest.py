from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from chattygen.context.interest import Interest, interests
from chattygen.context.samples import Relation, TypeSample
from chattygen.domain import XSD, BlankNode, Direction, Iri, Literal, NodeType, Term

P = "http://e.org/p"
OUT: Relation = (P, "out")

Tell = Callable[[int], Term | Sequence[Term]]
"""The number of an entity, from 0 -> its other ends."""


def sample(
    tell: Tell, size: int = 20, direction: Direction = "out", population: int = 1000, **more: Tell
) -> TypeSample:
    """A sample of `size` entities whose other ends under P, and under the predicates named in `more`, are told."""
    told: dict[Relation, Tell] = {(P, direction): tell} | {
        (f"http://e.org/{name}", "out"): other for name, other in more.items()
    }
    values: dict[Relation, dict[str, frozenset[Term]]] = {}
    for relation, by_number in told.items():
        found = {f"http://e.org/{n}": by_number(n) for n in range(size)}
        ends = {e: frozenset([v] if isinstance(v, Iri | Literal | BlankNode) else v) for e, v in found.items()}
        values[relation] = {e: v for e, v in ends.items() if v}
    counts = {relation: {e: len(v) for e, v in found.items()} for relation, found in values.items()}
    kind = NodeType("http://e.org/T", "thing", population, 1.0)
    return TypeSample(kind, tuple(f"http://e.org/{n}" for n in range(size)), counts, values)


def text(value: str) -> Literal:
    return Literal(value)


def typed(value: object, datatype: str) -> Literal:
    return Literal(str(value), XSD + datatype)


WORDS = (
    "amber birch cedar dune ember fjord grove heath isle jetty knoll lagoon marsh notch oasis pond reef spit tarn vale"
)


def word(n: int) -> str:
    return WORDS.split()[n % 20]


@pytest.mark.parametrize(
    ("tell", "reason"),
    [
        (lambda n: text(f"http://e.org/page/{n}"), "address or image"),
        (lambda n: text(f"{word(n)}@e.org"), "address or image"),
        (lambda n: text(f"{word(n)} logo.svg"), "address or image"),
        (lambda n: text(f"{n:02x}f3a9c07b6d5e4f88"), "hash"),
        (lambda n: text(f"{n:08x}-93a1-4c07-b6d5-e4f8809a1b2c"), "hash"),
        (lambda n: text(f"0000-0002-1825-{1000 + n}"), "identifier"),  # ORCID
        (lambda n: text(f"978-3-319-25{n + 100}-6"), "identifier"),  # ISBN
        (lambda n: text(f"10.1007/978-3-319-25007-6_{n}"), "identifier"),  # DOI
        (lambda n: text(f"{15 * n + 1}-{15 * n + 15}"), "identifier"),  # pages: 1-15, 16-30, ...
        (lambda n: text(f"tt01{n + 10}11"), "identifier"),
        (lambda n: text(f"conf/semweb/{word(n).title()}MOT15"), "identifier"),
        (lambda n: text(f"{4711 + n}00"), "identifier"),  # numerals that are no numbers
        (lambda n: typed(n + 1, "integer"), "identifier"),  # a running number
    ],
)
def test_what_stands_for_the_entity_is_never_asked(tell: Tell, reason: str) -> None:
    assert interests(sample(tell)) == {OUT: Interest(0.0, reason)}


@pytest.mark.parametrize(
    "tell",
    [
        lambda n: text(f"The {word(n)} of Lund"),  # titles: each its own, and words
        lambda n: text(word(n).title()),  # names of one word
        lambda n: text(f"{word(n).title()} {n + 1}"),  # names with a number
        lambda n: text(f"{1900 + n}"),  # years
        lambda n: typed(f"{1900 + n}", "gYear"),
        lambda n: typed(f"{1900 + n}-05-0{n % 9 + 1}", "date"),  # birth dates
        lambda n: typed(f"{1900 + n}-01-01T00:00:00Z", "dateTime"),  # a day, written as a time
        lambda n: typed(f"2015-10-{n + 10}T09:30:00", "dateTime"),  # when a talk begins
        lambda n: typed(100_000 + 37 * n, "integer"),  # populations
        lambda n: typed(f"{n}.{n + 10}", "decimal"),
        lambda n: typed(f"PT{n + 1}M{n + 5}S", "duration"),
        lambda n: text(f"PT{n + 1}M{n + 5}S"),
        lambda n: Literal(f"{1000 + n}.0", "http://e.org/euro"),  # a revenue: a datatype of its own is a quantity
        lambda n: Literal(f"{1000 + n}", "http://e.org/euro"),
        lambda n: text(("1-0", "2-1", "0-0", "3-2")[n % 4]),  # the score of a match
        lambda n: text(("U2", "Blur", "Abba", "Queen", "Suede")[n % 5] + f" {word(n)}"),
        lambda n: Iri(f"http://e.org/{n}"),
        lambda n: Iri(f"http://e.org/{n % 2}"),
    ],
)
def test_what_nothing_speaks_against(tell: Tell) -> None:
    assert interests(sample(tell)) == {}


@pytest.mark.parametrize(
    ("tell", "interest"),
    [
        # Ten of twenty differ: postal codes still tell places apart, but they may mean something.
        (lambda n: text(f"7500{n % 10}"), Interest(0.1, "identifier")),
        (lambda n: text(f"7500{n % 9}"), None),
        (lambda n: text("ABCDEFGHIJKLMNOPQRST"[n] + "X"), Interest(0.3, "code")),
        (lambda n: text("abcdefghijklmnopqrst"[n] + "n"), Interest(0.3, "code")),
        (lambda n: text("EBR" + "ABCDEFGHIJKLMNOPQRST"[n]), Interest(0.3, "code")),
        (lambda n: text("Ebr" + "ABCDEFGHIJKLMNOPQRST"[n]), None),  # four letters, not in capitals: a word
        (lambda n: text(f"for the discovery of the {word(n)} in the sea"), Interest(0.0, "free text")),  # nine words
        (lambda n: text(f"for the discovery of the {word(n % 9)} in the sea"), None),  # shared
        (lambda n: text(f"The discovery of the {word(n)} at sea"), None),  # seven words
        (lambda n: text(f"The {word(n)} is a tree."), Interest(0.0, "free text")),  # five, and a full stop
        (lambda n: text(f"The {word(n)} of Lund Inc."), Interest(0.0, "free text")),  # so may a name end
        (lambda n: text(f"The {word(n)} Lund Inc."), None),
        (lambda n: text("AB"[n % 2]), None),  # two letters that sort things, a sex or a grade
        (lambda n: typed(f"2021-03-{n + 10}T07:45:{n + 10}Z", "dateTime"), Interest(0.1, "time stamp")),
        (lambda n: typed(f"2021-03-{n + 10}T07:45:00.25Z", "dateTime"), Interest(0.1, "time stamp")),
        (lambda n: typed(f"2021-03-{n + 10}T07:45:00.000Z", "dateTime"), None),
        (lambda n: typed(f"2016-06-{n % 5 + 10}", "date"), Interest(0.2, "day that many share")),  # 5 days of 20
        (lambda n: typed(f"2016-06-{n % 6 + 10}", "date"), None),
        (lambda n: text("English" if n > 0 else "Sami"), Interest(0.2, "the same for nearly all")),  # 19 of 20
        (lambda n: text("English" if n > 1 else "Sami"), None),  # 18 of 20 is not more than nine tenths
        (lambda n: Iri("http://e.org/un"), Interest(0.2, "the same for nearly all")),
        # All are members of the UN, and each of something else besides.
        (lambda n: (Iri("http://e.org/un"), Iri(f"http://e.org/club{n}")), None),
    ],
)
def test_what_comes_last(tell: Tell, interest: Interest | None) -> None:
    assert interests(sample(tell)).get(OUT) == interest


@pytest.mark.parametrize(("size", "missing", "told"), [(21, 1, True), (22, 2, False), (20, 1, False)])
def test_records_have_a_day_of_entry_everywhere(size: int, missing: int, told: bool) -> None:
    """20 of 21 are nineteen in twenty, 20 of 22 are not; 19 entities are too few to say."""
    found = interests(sample(lambda n: typed(f"2016-06-{n % 4 + 10}", "date") if n >= missing else (), size=size))
    assert found == ({OUT: Interest(0.2, "day that many share")} if told else {})


def test_a_small_sample_says_little() -> None:
    assert interests(sample(lambda n: text(f"0000-0002-1825-{1000 + n}"), size=9)) == {}
    assert interests(sample(lambda n: text(f"0000-0002-1825-{1000 + n}"), size=10)) == {
        OUT: Interest(0.0, "identifier")
    }
    assert interests(sample(lambda n: text("English"), size=19)) == {}


def test_four_fifths_of_the_values_decide() -> None:
    def isbn(n: int) -> Term:
        return text(f"978-3-319-25{n + 100}-6") if n < 8 else text(f"lost in the {word(n)}")

    assert interests(sample(isbn, size=10)) == {OUT: Interest(0.0, "identifier")}
    assert interests(sample(lambda n: isbn(n + 1), size=10)) == {}


@pytest.mark.parametrize(("first", "runs"), [(21, True), (22, False)])
def test_a_running_number_ends_where_the_entities_do(first: int, runs: bool) -> None:
    """Twenty numbers from `first` on, of 20 entities: 40 is not more than twice as many, 41 is."""
    found = interests(sample(lambda n: typed(first + n, "integer"), population=20))
    assert found == ({OUT: Interest(0.0, "identifier")} if runs else {})


def test_a_number_that_another_relation_gives() -> None:
    def authors(n: int) -> Sequence[Term]:
        return [Iri(f"http://e.org/a{n}-{m}") for m in range(n % 4 + 1)]

    def number(n: int) -> Term:
        return typed(n % 4 + 1, "integer")

    assert interests(sample(number, author=authors)) == {OUT: Interest(0.3, "counts another fact")}
    # One in twenty may be wrong, two may not.
    one_off = sample(lambda n: number(n + (n == 0)), author=authors)
    two_off = sample(lambda n: number(n + (n < 2)), author=authors)
    assert interests(one_off) == {OUT: Interest(0.3, "counts another fact")}
    assert interests(two_off) == {}
    # Numbers of two kinds only may agree by accident.
    assert interests(sample(lambda n: typed(n % 2 + 1, "integer"), author=lambda n: authors(n % 2))) == {}


def test_incoming_relations_are_judged_by_how_they_spread_only() -> None:
    assert interests(sample(lambda n: Iri("http://e.org/list"), direction="in")) == {
        (P, "in"): Interest(0.2, "the same for nearly all")
    }
    assert interests(sample(lambda n: Iri(f"http://e.org/{n}"), direction="in")) == {}
