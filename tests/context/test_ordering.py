from __future__ import annotations

import random
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.context.ordering import place
from chattygen.domain import XSD, Literal
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load

IN_ORDER = {
    "integer": ["-3", "9", "10", "100"],
    "decimal": ["-3", "9.5", "10", "10.25"],
    "double": ["-3", "9.5", "1e2", "1E3"],
    "date": ["-0044-03-15", "0800-12-25", "1999-12-31", "2001-01-01", "12000-01-01"],
    "dateTime": ["1999-12-31T01:00:00", "1999-12-31T01:00:00.5", "2001-01-01T00:00:00"],
    "gYear": ["-0044", "0800", "1999", "2001", "12000"],
}


@pytest.mark.parametrize("datatype", IN_ORDER)
def test_the_order_is_that_of_a_store(datatype: str, tmp_path: Path) -> None:
    texts = IN_ORDER[datatype]
    places = [found[1] for text in texts if (found := place(Literal(text, XSD + datatype)))]
    assert places == sorted(places)
    assert len(set(places)) == len(texts)
    shuffled = random.Random(datatype).sample(texts, len(texts))
    lines = [f'<http://e.org/{text}> <http://e.org/p> "{text}"^^<{XSD}{datatype}> .\n' for text in shuffled]
    (tmp_path / "values.nt").write_text("".join(lines))
    load(Home(tmp_path), "values", [tmp_path / "values.nt"])
    with open_kg(Home(tmp_path), "values") as graph:
        rows = graph.select("SELECT ?x WHERE { ?x <http://e.org/p> ?v } ORDER BY ?v").rows
    assert [row[0].value.removeprefix("http://e.org/") for row in rows if row[0]] == texts


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        ("1999", "string"),  # would be put in order as a text
        ("1999", "date"),
        ("about 12", "integer"),
        ("1999-05", "gYearMonth"),
        ("--05-06", "gMonthDay"),
        ("true", "boolean"),
        ("P1Y", "duration"),
    ],
)
def test_what_has_no_place(text: str, datatype: str) -> None:
    assert place(Literal(text, XSD + datatype)) is None


def test_values_of_two_datatypes_or_time_zones_have_different_scales() -> None:
    texts = [("5", "integer"), ("5", "decimal"), ("1999", "gYear"), ("1999-01-01", "date"), ("1999-01-01Z", "date")]
    scales = [found[0] for text, datatype in texts if (found := place(Literal(text, XSD + datatype)))]
    assert len(scales) == len(set(scales)) == len(texts)
