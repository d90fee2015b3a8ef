"""Dates: every usual spelling of a day, a month, a year; what has two readings; what is no date."""

from __future__ import annotations

import pytest

from chattygen.evaluation.dates import Date, dates, rewritten, spelt
from chattygen.evaluation.normalise import fold

FIRST_OF_APRIL = """
1912-04-01 | 1912-4-1 | 1912/04/01 | 1912.04.01 | 1912-04-01T00:00:00 | 1912-04-01T00:00:00Z
1912-04-01T12:30:00.5+02:00
1912-04-01Z | 1912-04-01+02:00 | 1 April 1912 | 1 april 1912 | 1st April 1912 | 1st of April 1912
the 1st of April, 1912
April 1, 1912 | April 1st, 1912 | April 1 1912 | Apr. 1, 1912 | 1 Apr 1912 | on April 1, 1912 | On 1 April 1912.
Monday, April 1, 1912 | 1912 April 1 | 1912, April 1 | 01.04.1912 | 1.4.1912 | 1. 4. 1912 | 1. April 1912
am 1. April 1912
1er avril 1912 | le 1er avril 1912 | 1 de abril de 1912 | el 1 de abril de 1912 | 1º de abril de 1912
1 aprile 1912
1 april 1912 | 1912年4月1日 | 1912年04月01日 | "1 April 1912" | (1 April 1912)
"""


@pytest.mark.parametrize(
    "text", [one.strip() for one in FIRST_OF_APRIL.replace("\n", " | ").split(" | ") if one.strip()]
)
def test_one_day(text: str) -> None:
    assert dates(fold(text)) == {(1912, 4, 1)}


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3 März 1850", (1850, 3, 3)),
        ("15 août 1769", (1769, 8, 15)),
        ("2 de septiembre de 1945", (1945, 9, 2)),
        ("7 luglio 1990", (1990, 7, 7)),
        ("25 de dezembro de 800", (800, 12, 25)),
        ("5 mei 1945", (1945, 5, 5)),
        ("31 Dez. 1999", (1999, 12, 31)),
        ("April 1912", (1912, 4, None)),
        ("in April 1912", (1912, 4, None)),
        ("1912-04", (1912, 4, None)),
        ("abril de 1912", (1912, 4, None)),
        ("1912年4月", (1912, 4, None)),
        ("1912", (1912, None, None)),
        ("in 1912", (1912, None, None)),
        ("in the year 1912", (1912, None, None)),
        ("im Jahr 1912", (1912, None, None)),
        ("en 1912", (1912, None, None)),
        ("circa 1912", (1912, None, None)),
        ("c. 1912", (1912, None, None)),
        ("1912年", (1912, None, None)),
        ("44 BC", (-44, None, None)),
        ("44 B.C.", (-44, None, None)),
        ("44 v. Chr.", (-44, None, None)),
        ("44 av. J.-C.", (-44, None, None)),
        ("-0044", (-44, None, None)),
        ("-0044-03-15", (-44, 3, 15)),
        ("15 March 0044 BC", (-44, 3, 15)),
        ("AD 79", (79, None, None)),
        ("79 AD", (79, None, None)),
        ("1 April", (None, 4, 1)),
        ("April 1", (None, 4, 1)),
        ("--04-01", (None, 4, 1)),
        ("29 February", (None, 2, 29)),
        ("29 February 2000", (2000, 2, 29)),
    ],
)
def test_one_reading(text: str, date: Date) -> None:
    assert dates(fold(text)) == {date}


@pytest.mark.parametrize("text", ["01/04/1912", "1/4/1912", "01-04-1912", "on 01/04/1912"])
def test_two_readings(text: str) -> None:
    assert dates(fold(text)) == {(1912, 4, 1), (1912, 1, 4)}


def test_the_calendar_settles_it() -> None:
    assert dates("13/04/1912") == {(1912, 4, 13)}
    assert dates("04/13/1912") == {(1912, 4, 13)}
    assert dates("04/04/1912") == {(1912, 4, 4)}


NONE = """
before 1912 | after 1912 | not 1912 | 1912 or 1913 | 1912-1915 | 1930s | 31 April 1912 | 29 February 1900
31/02/1912 | 1912-13-01
1 April 12 | April | Monday | 12 | May Day 1912 | the spring of 1912 | born 1 April 1912
1912-04-01 or 1912-04-02 | 1/4/12
13.13.1912 | Paris |
"""


@pytest.mark.parametrize("text", [one.strip() for one in NONE.replace("\n", " | ").split(" | ")])
def test_no_date(text: str) -> None:
    assert dates(fold(text)) == frozenset()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("born 1 april 1912 in rome", "born 1912 april 1 in rome"),
        ("from april 1, 1912 to may 2, 1913", "from 1912 april 1 to 1913 may 2"),
        ("caesar died in 44 bc", "caesar died in -44"),
        ("may 1912", "1912 may"),
        ("he may have 1912 ships", "he may have 1912 ships"),
        ("31 april 1912", "31 1912 april"),
        ("version 1.2.3", "version 1.2.3"),
        ("the 2019-20 season", "the 2019-20 season"),
    ],
)
def test_in_a_text(text: str, plain: str) -> None:
    assert rewritten(text, month_first=False).split() == plain.split()


def test_spelt() -> None:
    assert spelt((1912, 4, 1)) == "1912 april 1"
    assert spelt((None, 12, 24)) == "december 24"
    assert spelt((-44, None, None)) == "-44"
