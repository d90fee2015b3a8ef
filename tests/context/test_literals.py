from __future__ import annotations

import pytest

from chattygen.context.literals import (
    decimal_number,
    is_address,
    is_id_like,
    is_ill_typed,
    is_label,
    is_name_like,
    is_shape,
    kind_of,
    shown,
)
from chattygen.domain import XSD, Iri, Literal


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        (Literal("1880-02-03", XSD + "date"), "date"),
        (Literal("1922-01-09", XSD + "dateTimes"), "date"),
        (Literal("2015", XSD + "gYear"), "year"),
        (Literal("2015", XSD + "integer"), "number"),
        (Literal("-28.5", XSD + "decimal"), "number"),
        (Literal("12"), "number"),
        (Literal("true", XSD + "boolean"), "boolean"),
        (Literal("female"), "text"),
    ],
)
def test_the_kind_follows_datatype_and_form(literal: Literal, kind: str) -> None:
    assert kind_of(literal) == kind


@pytest.mark.parametrize(
    ("value", "datatype", "kind", "ill"),
    [
        ("abc", "integer", "text", True),
        ("12 apples", "decimal", "text", True),
        ("NaN", "double", "text", True),
        ("1e6", "double", "number", False),
        ("1.5", "integer", "number", False),
        ("2020-02-29", "date", "date", False),
        ("2020-02-31", "date", "text", True),
        ("1900-02-29", "date", "text", True),  # 1900 was no leap year
        ("2020-13-01", "date", "text", True),
        ("1880-00-00", "date", "text", True),
        ("1880-##-##", "date", "text", True),
        ("-0044-03-15", "date", "date", False),
        ("12020-01-01", "date", "date", False),
        ("2015", "date", "year", False),
        ("2015-01-01", "dateTime", "date", False),
        ("2015-01-01T24:00:00Z", "dateTime", "date", False),
        ("2015-01-01+02:00", "date", "date", False),
        ("--02-29", "gMonthDay", "date", False),
        ("--02-30", "gMonthDay", "text", True),
        ("2015-06", "gYearMonth", "date", False),
        ("MMXV", "gYear", "text", True),
        ("true", "boolean", "boolean", False),
        ("1", "boolean", "boolean", False),
        ("yes", "boolean", "text", True),
        ("abc", "string", "text", False),
        ("2020-02-31", "string", "text", False),
        ("1922-02-31", "dateTimes", "text", False),  # no datatype of XML Schema: nothing to hold it against
    ],
)
def test_what_its_datatype_does_not_allow_is_read_by_its_form(value: str, datatype: str, kind: str, ill: bool) -> None:
    literal = Literal(value, XSD + datatype)
    assert (kind_of(literal), is_ill_typed(literal)) == (kind, ill)


def test_the_predicate_tells_a_year_from_a_number() -> None:
    assert kind_of(Literal("1968"), "year") == "year"
    assert kind_of(Literal("2015", XSD + "integer"), "year of publication") == "year"
    assert kind_of(Literal("1968"), "light years") == "number"


def test_addresses_and_images() -> None:
    assert is_address(Iri("http://x.org/ada.JPG"))
    assert is_address(Iri("mailto:ada@x.org"))
    assert is_address(Literal("https://x.org/ada"))
    assert is_address(Literal("ada@x.org"))
    assert not is_address(Iri("http://x.org/Ada"))
    assert not is_address(Literal("see http://x.org for more"))


def test_ids_are_told_from_numbers_dates_and_years() -> None:
    assert is_id_like(Literal("9780000000011"))
    assert is_id_like(Literal("10.1145/3448016"))
    assert not is_id_like(Literal("9780000000011", XSD + "integer"))
    assert not is_id_like(Literal("1922-01-09"))
    assert not is_id_like(Literal("1968"))
    assert not is_id_like(Literal("CZ"))


def test_a_name_has_letters_and_a_label_need_not() -> None:
    assert is_name_like(Literal("Ada"))
    assert not is_name_like(Literal("1989"))
    assert is_label(Literal("1989"))
    assert not is_label(Literal("--"))
    assert not is_label(Literal("1989", XSD + "integer"))


def test_geometry_is_no_text() -> None:
    assert is_shape(Literal("-25.73, 134.49"))
    assert is_shape(Literal("POINT(1 2)", "http://www.opengis.net/ont/geosparql#wktLiteral"))
    assert not is_shape(Literal("Baden, Austria"))


def test_durations_are_read_aloud() -> None:
    assert shown(Literal("PT1H15M", XSD + "duration")) == "1 hour 15 minutes"
    assert shown(Literal("P")) == "P"
    assert shown(Literal("two\n  lines")) == "two lines"


@pytest.mark.parametrize(
    "text",
    ["<b>Bold</b>", "a<br/>b", "Salt &amp; Pepper", "&#233;t&#xE9;", "$x_1$", "a \x07 b", "a \u202eb", "lost \ufffd"],
)
def test_markup_and_control_characters_are_no_labels(text: str) -> None:
    assert not is_label(Literal(text))


@pytest.mark.parametrize("text", ["x < y", "AT&T; and more", "$5 and $6", "two\nlines", "שלום", "a-b <3"])
def test_signs_that_look_like_markup_are_fine(text: str) -> None:
    assert is_label(Literal(text))


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("47.9", "decimal", 47.9),
        (" -5 ", "integer", -5.0),
        ("1.5E1", "double", 15.0),
        ("INF", "double", None),
        ("47.9", "string", None),
    ],
)
def test_decimal_number(text: str, datatype: str, value: float | None) -> None:
    assert decimal_number(Literal(text, XSD + datatype)) == value
