from __future__ import annotations

import io

import pytest

from chattygen.domain import XSD, BlankNode, Iri, Literal
from chattygen.kg.virtuoso_terms import OURS, Encoder, decoded, encoded_query, is_safe


@pytest.mark.parametrize(
    ("value", "datatype", "safe"),
    [
        ("5", "integer", True),
        ("9223372036854775807", "integer", True),
        ("9223372036854775808", "integer", False),
        ("abc", "integer", False),
        ("1.5", "decimal", True),
        ("3", "decimal", True),
        ("2147483648", "decimal", False),
        ("0.1234567890123456", "decimal", False),
        ("48.2082", "double", True),
        ("48.20849", "double", False),
        ("10000000000", "double", True),
        ("INF", "double", False),
        ("true", "boolean", True),
        ("maybe", "boolean", False),
        ("2001-02-03T04:05:06.123456Z", "dateTime", True),
        ("2001-02-03T04:05:06.1234567Z", "dateTime", False),
        ("1901-05-06", "date", True),
        ("04:05:06", "time", False),
        ("x", "string", True),
    ],
)
def test_what_virtuoso_keeps(value: str, datatype: str, safe: bool) -> None:
    assert is_safe(value, XSD + datatype) is safe


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (Literal("1", XSD + "boolean"), Literal("true", XSD + "boolean")),
        (Literal("0", XSD + "boolean"), Literal("false", XSD + "boolean")),
        (Literal("1e+10", XSD + "double"), Literal("10000000000", XSD + "double")),
        (Literal("96.0", XSD + "double"), Literal("96", XSD + "double")),
        (Literal("1e-07", XSD + "double"), Literal("0.0000001", XSD + "double")),
        (Literal("-0.0", XSD + "double"), Literal("-0", XSD + "double")),
        (Literal("123456789012", XSD + "decimal"), Literal("123456789012", XSD + "integer")),
        (Literal("12", XSD + "decimal"), Literal("12", XSD + "decimal")),
        (Literal("-044-03-15", XSD + "date"), Literal("-0044-03-15", XSD + "date")),
        (Literal("-044", XSD + "gYear"), Literal("-0044", XSD + "gYear")),
        (Literal("04:05:06", OURS + XSD + "time"), Literal("04:05:06", XSD + "time")),
        (Literal("1"), Literal("1")),
        (Iri(OURS + XSD + "time"), Iri(XSD + "time")),
        (BlankNode("b1"), BlankNode("b1")),
        (None, None),
    ],
)
def test_what_virtuoso_sends_is_spelt_as_oxigraph_does(sent: Literal | None, meant: Literal | None) -> None:
    assert decoded(sent) == meant


@pytest.mark.parametrize(
    ("value", "datatype", "safe"),
    [
        ("5", "integer", True),
        ("5", "decimal", False),
        ("1.5", "double", False),
        ("true", "boolean", False),
        ("1901-05-06", "date", True),
        ("-0044-03-15", "date", True),
        ("1901-05-06Z", "date", False),
        ("1901-05-06T00:00:00", "dateTime", False),
        ("1901", "gYear", False),
        ("x", "string", True),
    ],
)
def test_what_virtuoso_keeps_apart(value: str, datatype: str, safe: bool) -> None:
    assert is_safe(value, XSD + datatype, strict=True) is safe


def test_an_unsafe_literal_of_a_query_gets_a_datatype_of_ours() -> None:
    safe = f'SELECT ?x {{ ?x ?p "a ^^<b>" , "5"^^<{XSD}integer> , '
    assert encoded_query(safe + f"\"04:05:06\"^^<{XSD}time> , '''z'''^^<{XSD}byte> . }}") == (
        safe + f"\"04:05:06\"^^<{OURS}{XSD}time> , '''z'''^^<{OURS}{XSD}byte> . }}"
    )


def test_lines_are_encoded_wherever_the_pieces_end() -> None:
    lines = (
        f'<http://e.org/a> <http://e.org/p> "say \\"5\\"^^<x>" .\n'
        f'<http://e.org/a> <http://e.org/p> "5"^^<{XSD}integer> .\n'
        f'<http://e.org/a> <http://e.org/p> "5 \\"m\\""^^<{XSD}integer> .\n'
        f'<http://e.org/a> <http://e.org/p> "Zürich"@de .\n'
    )
    expected = lines.replace(f'm\\""^^<{XSD}', f'm\\""^^<{OURS}{XSD}')
    assert expected != lines
    data = lines.encode()
    for size in (1, 7, 1000):
        output = io.BytesIO()
        encoder = Encoder(output)
        for start in range(0, len(data), size):
            encoder.write(data[start : start + size])
        assert output.getvalue().decode() == expected
