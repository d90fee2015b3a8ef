from __future__ import annotations

import pytest

from chattygen.config import GraphSettings, check
from chattygen.context.descriptions import best_text
from chattygen.context.languages import matches, named, place
from chattygen.domain import Literal
from chattygen.errors import ConfigError

HELSINKI = [
    Literal("Helsinki", lang="fi"),
    Literal("Helsingfors", lang="sv"),
    Literal("Helsingfors i Finland", lang="sv-FI"),
    Literal("Helsinki (Stadt)", lang="de"),
]
"""No English name, and none without a tag."""


@pytest.mark.parametrize(
    ("language", "ranges"),
    [
        ("en", ("en", "*")),
        ("en,", ("en",)),
        ("de, EN , *", ("de", "en", "*")),
        ("pt-BR, pt", ("pt-br", "pt")),
    ],
)
def test_one_language_falls_back_to_any_and_a_list_is_taken_at_its_word(language: str, ranges: tuple[str, ...]) -> None:
    assert GraphSettings(language=language).languages == ranges


@pytest.mark.parametrize("language", ["", "*", "*, en", "english language", "en;de", "en,,de", "en_US"])
def test_what_is_no_list_of_languages_is_refused(language: str) -> None:
    with pytest.raises(ConfigError) as refused:
        check({"language": language}, GraphSettings, "r.toml")
    assert refused.value.message == f"r.toml: key language: got {language!r}"
    assert refused.value.hint == "expected: a language tag such as en, or a list by preference such as: de, en, *"


def test_exact_before_closer_before_untagged_before_the_next() -> None:
    ranges = ("sv", "en", "*")
    places = [place(tag, ranges) for tag in ("sv", "SV-fi", "", "en", "en-GB", "fi")]
    assert places == [0, 1, 2, 3, 4, 8]
    assert place("fi", ("sv", "en")) is None
    assert place("swe", ("sv",)) is None
    assert named(ranges) == ("sv", "en")
    assert matches("en-GB", "en")
    assert not matches("en", "en-gb")


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("sv", "Helsingfors"),
        ("sv-FI", "Helsingfors i Finland"),
        ("en, de", "Helsinki (Stadt)"),
        ("en", "Helsinki"),  # any: the shortest
        ("en,", ""),
        ("en, fr", ""),
    ],
)
def test_the_name_of_a_city(language: str, name: str) -> None:
    assert best_text(HELSINKI, GraphSettings(language=language).languages) == name


def test_untagged_comes_behind_the_first_range() -> None:
    names = [Literal("Wien", lang="de"), Literal("Vienna")]
    assert best_text(names, ("en", "de")) == "Vienna"
    assert best_text(names, ("de", "en")) == "Wien"
