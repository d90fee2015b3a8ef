from __future__ import annotations

import pytest

from chattygen.config import GraphSettings
from chattygen.context.filters import about_values
from chattygen.domain import XSD, Fact, Iri, Literal, Seed, Value, ValueKind

from .conftest import KG, RUN, SETTINGS, V

SEED = Seed(KG + "x", "Chinese University of Hong Kong", V + "Organisation", "organisation")


def fact(*values: Value, label: str = "note", kind: ValueKind = "text") -> Fact:
    return Fact(V + "p", label, "out", values, len(values), kind)


def text(value: str, lang: str = "") -> Value:
    return Value(Literal(value, lang=lang), value)


def node(name: str, label: str) -> Value:
    return Value(Iri(KG + name), label)


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (fact(text("red")), ""),
        (fact(text("red"), label=""), "predicate without a label"),
        (fact(text("a" * 80)), ""),
        (fact(text("a" * 81)), "long text"),
        (fact(text("red"), text("mailto:a@b.org")), "address or image"),
        (fact(Value(Literal("1.5, 2.5"), "1.5, 2.5")), "geometry or markup"),
        (fact(node("a", "A name"), node("b", "")), "no label"),
        (fact(text("rouge", "fr")), "in another language"),
        (fact(text("red", "en"), text("plain")), ""),
        (fact(text("red", "en"), text("rouge", "fr")), "several languages"),
        (fact(text("red", "en-GB")), ""),
        (fact(text("colour", "en-GB"), text("color", "en-US")), ""),
        (fact(Value(Literal("abc", XSD + "integer"), "abc")), "value that its datatype does not allow"),
        (fact(text("red"), node("a", "A name")), "literals and nodes mixed"),
        (
            fact(Value(Literal("3", XSD + "integer"), "3"), label="Integer", kind="number"),
            "named after its datatype only",
        ),
        (fact(Value(Literal("2002-07-30", XSD + "date"), "2002-07-30"), label="date", kind="date"), ""),
        (fact(node("x", "Itself"), node("a", "A name"), kind="entity"), "points to the entity itself"),
        (fact(text("Hong Kong")), "label"),
        (fact(text("The Chinese University of Hong Kong, Shatin")), "label"),
        (fact(node("city", "Hong Kong"), kind="entity"), ""),
        (fact(node("page", "Chinese University of Hong Kong"), kind="entity"), "label"),
        (fact(node("page", "Chinese University of Hong Kong"), node("b", "Other"), kind="entity"), ""),
        (fact(node("kind", "Organisation"), kind="entity"), "type"),
    ],
)
def test_each_rule(judged: Fact, reason: str) -> None:
    assert about_values(judged, SEED, SETTINGS, RUN) == reason


def test_a_hub_passes_for_its_values_are_not_read() -> None:
    assert about_values(Fact(V + "p", "member", "out", (), 500, "entity"), SEED, SETTINGS, RUN) == ""


@pytest.mark.parametrize(
    ("language", "tag", "reason"),
    [
        ("de, en, *", "de", ""),
        ("de, en, *", "en-GB", ""),
        ("de, en, *", "fr", "in another language"),  # `*` is for names only
        ("pt-BR", "pt", "in another language"),
        ("pt-BR", "pt-br", ""),
    ],
)
def test_texts_in_the_languages_that_are_named(language: str, tag: str, reason: str) -> None:
    settings = GraphSettings(language=language)
    assert about_values(fact(text("red", tag)), SEED, settings, RUN) == reason
