"""The bar charts: lengths and texts that a person works out."""

from __future__ import annotations

import pytest

from chattygen.domain import Usage
from chattygen.results import charts
from chattygen.results.asked import Part
from chattygen.results.charts import Bar, Chart, Row
from chattygen.results.contents import PredicateCount, TypeCount


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "–"), (0.0, "0%"), (0.004, "0.4%"), (0.059, "5.9%"), (0.41, "41%"), (0.996, "99.6%"), (1.0, "100%")],
)
def test_percent(share: float | None, text: str) -> None:
    assert charts.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (1584.5, "1,585"), (999_999.0, "999,999"), (1_234_567.0, "1.23 M")]
)
def test_compact(value: float, text: str) -> None:
    assert charts.compact(value) == text


def test_tokens_stand_in_one_bar_on_one_scale() -> None:
    chart = charts.tokens_chart({"questions": Usage(60, 20, 2, 1.0), "label": Usage(8, 2, 1, 0.5)})
    assert chart.rows == (
        Row("questions", (Bar(((0.75, "first"), (0.25, "second")), "60 prompt + 20 reply"),)),
        Row("label", (Bar(((0.1, "first"), (0.025, "second")), "8 prompt + 2 reply"),)),
    )
    assert chart.room == len("60 prompt + 20 reply")


def test_seconds_are_waited_in_calls() -> None:
    chart = charts.seconds_chart({"a": Usage(0, 0, 2, 1234.4), "b": Usage(0, 0, 1, 617.2), "c": Usage(0, 0, 1, 4.54)})
    assert [row.bars[0].text for row in chart.rows] == ["1,234 s in 2 calls", "617 s in 1 call", "4.5 s in 1 call"]
    assert [row.bars[0].parts[0][0] for row in chart.rows[:2]] == [1.0, 0.5]


def test_kinds_have_counts_and_shares() -> None:
    assert charts.parts_chart([Part("what", None, 3), Part("who", None, 1)]).rows == (
        Row("what", (Bar(((1.0, "first"),), "3 (75%)"),)),
        Row("who", (Bar(((1 / 3, "first"),), "1 (25%)"),)),
    )


def test_a_planned_share_stands_under_the_one_that_came_of_it() -> None:
    assert charts.parts_chart([Part("what", 0.25, 1), Part("yes-no", 0.5, 1), Part("who", 0.1, 0)]).rows == (
        Row("what", (Bar(((1.0, "first"),), "1 (50%)"), Bar(((0.5, "second"),), "25% planned"))),
        Row("yes-no", (Bar(((1.0, "first"),), "1 (50%)"), Bar(((1.0, "second"),), "50% planned"))),
        Row("who", (Bar(((0.0, "first"),), "0 (0%)"), Bar(((0.2, "second"),), "10% planned"))),
    )


def test_answers_fall_into_groups() -> None:
    chart = charts.answers_chart([(1, 4), (2, 3), (3, 1), (5, 1), (6, 1), (10, 1), (11, 1), (30, 4)])
    assert [(row.name, row.bars[0].text) for row in chart.rows] == [
        ("1 answer", "4 (25%)"),
        ("2 answers", "3 (19%)"),
        ("3 to 5 answers", "2 (12%)"),
        ("6 to 10 answers", "2 (12%)"),
        ("more than 10 answers", "5 (31%)"),
    ]
    assert charts.answers_chart([(0, 1), (1, 1)]).rows[0] == Row("no answer", (Bar(((1.0, "first"),), "1 (50%)"),))


def test_types_stand_beside_the_graph() -> None:
    song, band = TypeCount("i:song", "song", 0.8, 1), TypeCount("i:band", "band", 0.2, 3)
    assert charts.types_chart([song, band]).rows == (
        Row(
            "song", (Bar(((1.0, "second"),), "80% of the graph"), Bar(((0.3125, "first"),), "25% of the benchmark (1)"))
        ),
        Row(
            "band",
            (Bar(((0.25, "second"),), "20% of the graph"), Bar(((0.9375, "first"),), "75% of the benchmark (3)")),
        ),
    )
    stray = charts.types_chart([TypeCount("i:x", "", None, 2)]).rows[0]
    assert (stray.name, stray.bars[0]) == ("i:x", Bar(((0.0, "second"),), "not a kept type of the graph"))


def test_the_smallest_of_many_types_are_summed_up() -> None:
    many = [TypeCount(f"i:{n}", f"type {n}", 0.04, 1) for n in range(25)]
    rows = charts.types_chart(many).rows
    assert len(rows) == 21
    assert rows[-1].name == "5 other types"
    assert [bar.text for bar in rows[-1].bars] == ["20% of the graph", "20% of the benchmark (5)"]


def test_only_a_label_that_two_have_needs_its_iri() -> None:
    name, other, age = (PredicateCount(f"i:{n}", label, 1) for n, label in enumerate(("name", "name", "age")))
    assert [(row.name, row.note) for row in charts.predicates_chart([name, other, age]).rows] == [
        ("name", "i:0"),
        ("name", "i:1"),
        ("age", ""),
    ]


def test_the_shares_of_the_most_asked_predicates_are_those_of_all_questions() -> None:
    rows = charts.predicates_chart([PredicateCount(f"i:{n}", f"p{n}", 1) for n in range(20)]).rows
    assert len(rows) == 15
    assert rows[0].bars[0].text == "1 (5.0%)"


def test_nothing_to_draw() -> None:
    assert charts.parts_chart([]) == Chart(())
    assert Chart(()).room == 0
    assert charts.tokens_chart({"label": Usage()}).rows[0].bars[0].parts == ((0.0, "first"), (0.0, "second"))


def test_rates_fill_the_whole_width() -> None:
    chart = charts.rates_chart({"head": (0.5, 0.25, 0.25), "tail": (0.004, 0.996, 0.0)})
    assert [(row.name, row.bars[0].parts, row.bars[0].text) for row in chart.rows] == [
        ("head", ((0.5, "first"), (0.25, "second"), (0.25, "third")), "A 50%, H 25%, M 25%"),
        ("tail", ((0.004, "first"), (0.996, "second"), (0.0, "third")), "A 0.4%, H 99.6%, M 0%"),
    ]
