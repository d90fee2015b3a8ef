from __future__ import annotations

import pytest

from chattygen.generation.words import ANY_PRONOUN, FUNCTION_WORDS, contains_words, content, stem, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("When was Ada's ship built?", ["when", "was", "ada", "ship", "built"]),
        ("the captains’ table", ["the", "captains", "table"]),
        ("O'Brien, J.-P.", ["o'brien", "j", "p"]),
        ("ＡＤＡ ﬁne", ["ada", "fine"]),  # full width letters, a ligature
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("cafe\u0301", ["café"]),  # e and a combining accent
        ("3.5 km", ["3", "5", "km"]),
        ("?! … “”", []),
        ("", []),
    ],
)
def test_words_are_normalised(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("word", ["किताब", "กรุงเทพ", "كِتَاب", "தமிழ்", "i̇stanbul"])
def test_the_marks_of_a_script_belong_to_its_words(word: str) -> None:
    assert len(words(word)) == 1


def test_a_capital_with_a_dot_does_not_cut_its_word() -> None:
    assert contains_words("Where is İstanbul?", "İSTANBUL")
    assert not contains_words("Where is İstanbul?", "stanbul")


def test_two_words_that_differ_in_a_vowel_mark_are_two() -> None:
    assert contains_words("Who is राम?", "राम")
    assert not contains_words("Who is राम?", "रोम")


def test_a_symbol_is_no_word() -> None:
    assert words("I ❤️ it") == ["i", "it"]
    assert not contains_words("I ❤️ it", "☂️")


@pytest.mark.parametrize(
    ("text", "part", "inside"),
    [
        ("Who likes salad?", "Ala", False),  # a short label inside a word
        ("Where is Ala's house?", "Ala", True),
        ("What is the surname?", "name", False),  # a predicate inside another
        ("What is the family name?", "name", True),
        ("Who met Ada Berg in Oslo?", "ada berg", True),
        ("Who met Ada von Berg?", "Ada Berg", False),
        ("Who met Berg, Ada?", "Ada Berg", False),
        ("When was it made?", "It", True),
        ("When was its keel laid?", "It", False),
        ("anything", "", False),
        ("anything", "?!", False),
    ],
)
def test_part_of_a_text_by_whole_words(text: str, part: str, inside: bool) -> None:
    assert contains_words(text, part) is inside


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("releases", "released"),
        ("directed", "directs"),
        ("composer", "composed"),
        ("cities", "city"),
        ("long", "length"),
        ("high", "elevation"),
        ("tall", "height"),
        ("deep", "depth"),
        ("wide", "width"),
        ("big", "area"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"), [("rank", "crew"), ("birth", "death"), ("red", "read"), ("long", "wide"), ("high", "deep")]
)
def test_different_words_have_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_content_leaves_out_what_carries_no_meaning() -> None:
    assert content("What is the rank of X, and with whom did she sail for it?") == {"rank", "sail"}
    assert content("When was it?") == set()
    assert content("Who is one of its friends?") == content("Who is a friend of it?") == {"friend"}
    assert content("Whose is hers, and why theirs and not himself?") == {"not"}


def test_pronouns_and_function_words_are_told_apart() -> None:
    """What a name may be besides: `It` is a pronoun, `The Who` function words only."""
    assert {"it", "her", "themselves"} <= ANY_PRONOUN
    assert {"the", "who", "will"} <= FUNCTION_WORDS
    assert not ANY_PRONOUN & FUNCTION_WORDS
