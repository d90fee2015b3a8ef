"""Numbers: digits and words, what has two readings, what is a unit, and what makes another number of one."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chattygen.evaluation.normalise import fold
from chattygen.evaluation.numbers import plain, rewritten, stated, states_none, values

ONE = {
    "12": "12 | 12. | twelve | Twelve | a dozen | 12.0 | +12 | 1.2e1 | 12 km | 12 km² | 12 square kilometres | 12 ships"
    " | 12 years old | $12 | 12 € | about 12 | ~12 | ca. 12 | etwa 12 | **12** | 12°C | １２ | ١٢"
    " | zwölf | douze | doce | dodici | doze | twaalf | 十二",
    "300": "300 | three hundred | 3.0E2 | 3e2 | 300 m | three hundred ships",
    "105": "one hundred and five | one hundred five | a hundred and five | 105",
    "1234.5": "1,234.5 | 1.234,5 | 1 234.5 | 1'234.5 | 1234.5 | 1 234,5 | 1,234.5 km",
    "1234567": "1,234,567 | 1.234.567 | 1 234 567 | 1'234'567 | 1\u202f234\u202f567 | 1234567",
    "2000000": "two million | 2 million | 2,000,000 | 2.000.000 | 2 Millionen | 2 millions | 2e6 | 2 million people",
    "2500000": "2.5 million | 2,5 Millionen",
    "1984": "nineteen eighty-four | one thousand nine hundred and eighty-four | 1984",
    "2012": "twenty twelve | two thousand twelve | two thousand and twelve",
    "21": "twenty-one | twenty one | Twenty-one ships",
    "3": "3 | three | drei | trois | tres | tre | três | drie | 三 | 三艘 | 3つ | 3 隻",
    "0": "0 | zero | null | cero | nul | 零 | ゼロ",
    "-5": "-5 | −5 | -5 °C",
    "0.5": "0.5 | .5 | 0,5",
    "1500": "1500 | 1.5 thousand | fifteen hundred",
    "30000": "3万 | 30000",
}


@pytest.mark.parametrize(("number", "text"), [(n, one) for n, texts in ONE.items() for one in texts.split(" | ")])
def test_one_reading(number: str, text: str) -> None:
    assert values(fold(text)) == {Decimal(number)}


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("1.234", {"1.234", "1234"}),
        ("1,234", {"1.234", "1234"}),
        ("12 %", {"12", "0.12"}),
        ("12 percent", {"12", "0.12"}),
        ("twelve per cent", {"12", "0.12"}),
        ("12 Prozent", {"12", "0.12"}),
        ("0.123", {"0.123"}),
    ],
)
def test_two_readings(text: str, readings: set[str]) -> None:
    assert values(fold(text)) == set(map(Decimal, readings))


NONE = """
12 or 13 | 12 of the 15 | 12-14 | 12+ | 12 at least | more than 12 | at least 12 | not 12 | 12 not 13 | 12, 13
12; 13 | almost 300 | 12 to 14
1,2,3 | 1.2.3 | Paris | Apollo 11 | no | one or two | twelve angry men in a room | 12 of them were never found
in 1912 | he has 12
12:30 | third | million
"""


@pytest.mark.parametrize("text", [one.strip() for one in NONE.strip().replace("\n", " | ").split(" | ")])
def test_no_number(text: str) -> None:
    assert values(fold(text)) == frozenset()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("There are three ships.", "3"),
        ("The Beatles had 4 members.", "4"),
        ("She won 2 prizes", "2"),
        ("It has 2 million inhabitants in all.", "2000000"),
        ("There are twenty-one of them in the fleet.", "21"),
        ("three", "3"),
        ("Es gibt 3 Schiffe in der Flotte.", "3"),
    ],
)
def test_a_count_in_a_sentence(text: str, number: str) -> None:
    assert stated(fold(text)) == {Decimal(number)}


@pytest.mark.parametrize(
    "text",
    [
        "It was not three.",
        "There aren't 3 of them.",
        "There are at least 3.",
        "There are more than 3 ships in it.",
        "There are 3 or 4.",
        "In 1912 there were 3 ships.",
        "There are 12, three of which are lost.",
        "Between 3 and 3 ships sail.",
        "Several.",
        "Es sind nicht 3 Schiffe, die fahren.",
    ],
)
def test_no_count_in_a_sentence(text: str) -> None:
    assert stated(fold(text)) == frozenset()


@pytest.mark.parametrize(
    "text", ["none", "None.", "no ships", "No one", "there are none", "She has no ships.", "nobody", "keine"]
)
def test_none(text: str) -> None:
    assert states_none(fold(text))


@pytest.mark.parametrize(
    "text",
    ["no", "one", "not none", "No, there are three of them", "no more than three ships", "nothing but ships", ""],
)
def test_not_none(text: str) -> None:
    assert not states_none(fold(text))


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("1,234 ships and 1.234,5 km", "1234 ships and 1234.5 km"),
        ("twenty-one pilots", "21 pilots"),
        ("one hundred and five", "105"),
        ("a hundred and one dalmatians", "101 dalmatians"),
        ("five and six", "5 and 6"),
        ("twenty thirty", "2030"),
        ("two three", "2 3"),
        ("two million and 2 million", "2000000 and 2000000"),
        ("three thousand two hundred and one", "3201"),
        ("one and only", "1 and only"),
        ("1.234", "1.234"),
        ("1, 2 and 3", "1, 2 and 3"),
        ("the million dollar hundred", "the million dollar hundred"),
        ("on e-ten-one", "on e-10-1"),
    ],
)
def test_in_a_text(text: str, digits: str) -> None:
    assert rewritten(text) == digits


def test_plain() -> None:
    assert plain(Decimal("3.0E2")) == "300"
    assert plain(Decimal("1.50")) == "1.5"
    assert plain(Decimal("1" * 40)) == "1" * 40
    assert plain(Decimal("1E-3")) == "0.001"
