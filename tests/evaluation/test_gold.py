"""What says a gold answer: names in their forms, dates and numbers by value, codes as they are."""

from __future__ import annotations

import pytest

from chattygen.domain import XSD, Answer
from chattygen.evaluation.gold import Said, gold, name_parts, says

NS = "http://example.org/"


def entity(label: str, iri: str = NS + "x") -> Answer:
    return Answer("uri", iri, label)


def literal(value: str, datatype: str = "string", lang: str = "") -> Answer:
    return Answer("literal", value, value, "" if lang else XSD + datatype, lang)


def right(answer: Answer, text: str, *names: str) -> bool:
    return says(Said(text), gold(answer, {answer.value: names}))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("John Ronald Reuel Tolkien", "J. R. R. Tolkien"),
        ("John Ronald Reuel Tolkien", "J.R.R. Tolkien"),
        ("John Ronald Reuel Tolkien", "Tolkien, J. R. R."),
        ("John Ronald Reuel Tolkien", "Tolkien, John Ronald Reuel"),
        ("John Ronald Reuel Tolkien", "John R. R. Tolkien"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien"),
        ("J. R. R. Tolkien", "Tolkien, John Ronald Reuel"),
        ("Tolkien, J. R. R.", "J. R. R. Tolkien"),
        ("William Shakespeare", "W Shakespeare"),
        ("Jean-Paul Sartre", "J.-P. Sartre"),
        ("Ludwig van Beethoven", "L. van Beethoven"),
        ("Martin Luther King Jr.", "King, Martin Luther, Jr."),
        ("Gabriel García Márquez", "García Márquez, Gabriel"),
        ("Antonín Dvořák", "A. Dvorak"),
        ("Kurt Gödel", "Kurt Goedel"),
        ("Kurt Goedel", "Kurt Gödel"),
        ("1984 (song)", "1984"),
        ("1984 (song)", "1984 (song)"),
        ("1984 (song)", "1984 (Song)"),
        ("The Beatles", "Beatles"),
        ("Donau", "die Donau"),
        ("Louvre", "le Louvre"),
        ("Prado", "El Prado"),
        ("Adana", "Adana."),
        ("Adana", "**Adana**"),
        ("Adana", f"<{NS}x>"),
        ("Adana", NS + "x"),
        ("Unknown", "Unknown"),
        ("!!!", "!!!"),
        ("C++", "C++"),
    ],
)
def test_an_entity_is_said(label: str, text: str) -> None:
    assert right(entity(label), text)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("John Ronald Reuel Tolkien", "C. Tolkien"),
        ("John Ronald Reuel Tolkien", "J. Tolkien"),
        ("John Ronald Reuel Tolkien", "Tolkien"),
        ("John Ronald Reuel Tolkien", "J. R. R. Martin"),
        ("John Ronald Reuel Tolkien", "J. R. R. T."),
        ("John Smith", "Jane Smith"),
        ("John Smith", "j Smith Jr."),
        ("George Bush", "George W. Bush"),
        ("Paris", "Paris, Texas"),
        ("Paris", "Paris (Texas)"),
        ("Paris", "It was not Paris"),
        ("Paris", "not Paris"),
        ("Paris", "Paris or London"),
        ("Paris", "巴黎"),
        ("Die Hard", "Hard"),
        ("1984 (song)", "song"),
        ("1984 (song)", "1984 (film)"),
        ("C++", "C"),
        ("!!!", "???"),
        ("The Who", "Who is it"),
        ("Adana", NS + "y"),
        ("Adana", ""),
    ],
)
def test_an_entity_is_not_said(label: str, text: str) -> None:
    assert not right(entity(label), text)


def test_other_labels() -> None:
    assert right(entity("Munich"), "München", "München", "Monaco di Baviera")
    assert right(entity("Munich"), "Muenchen", "München")
    assert right(entity("Munich"), "Munich (München)", "München")
    assert right(entity("Paris"), "巴黎", "巴黎")
    assert not right(entity("Munich"), "Munich (Vienna)", "München")
    assert not says(Said("München"), gold(entity("Munich"), {NS + "other": ["München"]}))


def test_an_entity_without_a_label() -> None:
    assert right(entity("", NS + "NobelPrize"), "Nobel prize")
    assert right(entity("", NS + "Q42"), NS + "Q42")


def test_articles_of_the_language() -> None:
    assert right(literal("Der Spiegel", lang="de"), "Spiegel")
    assert right(literal("La Haye", lang="fr-BE"), "Haye")
    assert not right(literal("Die Hard", lang="en"), "Hard")


@pytest.mark.parametrize(
    ("value", "datatype", "text"),
    [
        ("1912-04-01", "date", "April 1, 1912"),
        ("1912-04-01", "date", "04/01/1912"),
        ("1912-04-01", "date", "01/04/1912"),
        ("1912-04-01Z", "date", "1 April 1912"),
        ("1912-04-01T00:00:00", "dateTime", "1912-04-01"),
        ("1912-04-01T00:00:00", "dateTime", "1. April 1912"),
        ("1912-04-01", "string", "1 April 1912"),
        ("1912-04", "gYearMonth", "April 1912"),
        ("--04-01", "gMonthDay", "April 1"),
        ("1912", "gYear", "in 1912"),
        ("1912", "gYear", "1912."),
        ("1912Z", "gYear", "1912"),
        ("-0044", "gYear", "44 BC"),
        ("1912", "integer", "in 1912"),
        ("1912", "integer", "1912"),
        ("1984", "gYear", "nineteen eighty-four"),
    ],
)
def test_a_date_is_said(value: str, datatype: str, text: str) -> None:
    assert right(literal(value, datatype), text)


@pytest.mark.parametrize(
    ("value", "datatype", "text"),
    [
        ("1912-04-01", "date", "1912"),
        ("1912-04-01", "date", "April 1912"),
        ("1912-04-01", "date", "4 January 1912 or so"),
        ("1912-04-01", "date", "4 January 1912"),
        ("1912-04-13", "date", "04/12/1912"),
        ("1912", "gYear", "1 April 1912"),
        ("1912", "gYear", "before 1912"),
        ("1912", "gYear", "1913"),
        ("-0044", "gYear", "44"),
        ("1912-04", "gYearMonth", "1912"),
    ],
)
def test_a_date_is_not_said(value: str, datatype: str, text: str) -> None:
    assert not right(literal(value, datatype), text)


@pytest.mark.parametrize(
    ("value", "datatype", "text"),
    [
        ("3.0E2", "double", "three hundred"),
        ("3.0E2", "double", "300"),
        ("1234.5", "decimal", "1,234.5"),
        ("1234.5", "decimal", "1.234,5 km"),
        ("1234", "integer", "1.234"),
        ("1.234", "decimal", "1.234"),
        ("12", "string", "twelve"),
        ("12", "integer", "twelve (12)"),
        ("12", "integer", "12 (twelve)"),
        ("12", "decimal", "12 %"),
        ("0.12", "decimal", "12 %"),
        ("0.30000000000000004", "double", "0.3"),
        ("0.1", "float", "0.1000000015"),
        ("2000000", "integer", "two million"),
        ("007", "string", "007"),
        ("1e99999", "double", "1e99999"),
        (".5", "decimal", ".5"),
        ("5.", "decimal", "5."),
        ("9780306406157", "integer", "9780306406157"),
    ],
)
def test_a_number_is_said(value: str, datatype: str, text: str) -> None:
    assert right(literal(value, datatype), text)


@pytest.mark.parametrize(
    ("value", "datatype", "text"),
    [
        ("12", "integer", "13"),
        ("12", "integer", "12 of the 13"),
        ("12", "integer", "twelve (13)"),
        ("12", "integer", "more than 12"),
        ("0.3", "decimal", "0.30000000000000004"),
        ("3.14159", "decimal", "3.14"),
        ("007", "string", "7"),
        ("1234", "integer", "1.2345"),
    ],
)
def test_a_number_is_not_said(value: str, datatype: str, text: str) -> None:
    assert not right(literal(value, datatype), text)


def test_a_text() -> None:
    assert right(Answer("literal", "PT1H15M", "1 hour 15 minutes", XSD + "duration"), "1 hour 15 minutes")
    assert right(Answer("literal", "PT1H15M", "1 hour 15 minutes", XSD + "duration"), "PT1H15M")
    assert right(literal("To be, or not to be"), "to be or not to be")


def test_name_parts() -> None:
    assert name_parts("Tolkien, J. R. R.") == ("J", "R", "R", "tolkien")
    assert name_parts("j. Smith") == ("J", "smith")
    assert name_parts("Paris, Texas, USA") == ("paris", "texas", "usa")
