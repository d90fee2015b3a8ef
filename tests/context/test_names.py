from __future__ import annotations

import pytest

from chattygen.context.names import count_words, is_number, local_name, lower_words, readable, unbracketed


@pytest.mark.parametrize(
    ("iri", "expected"),
    [
        ("http://dbpedia.org/ontology/NobelPrize", "Nobel prize"),
        ("http://x.org/TVSeries", "TV series"),
        ("http://x.org/meta#localname", "local name"),
        ("http://x.org/othername", "other name"),
        ("http://x.org/nickname", "nickname"),
        ("https://dblp.org/rdf/schema#yearOfPublication", "year of publication"),
        ("http://x.org/numberOfISBNs", "number of ISBNs"),
        ("http://x.org/publishedAsPartOf", "published as part of"),
        ("http://x.org/Nobel_1968_medicine", "Nobel 1968 medicine"),
        ("http://x.org/L%C3%A9on_Bourgeois", "Léon Bourgeois"),
        ("http://x.org/rivers/Ozero+Balchash/", "Ozero Balchash"),
        ("http://x.org/O'Brien", "O'Brien"),
        ("http://x.org/Saint-Denis", "Saint-Denis"),
        ("http://x.org/birth-place", "birth place"),
        ("http://x.org/ethnicInfo-", "ethnic info"),
        ("http://x.org/東京", "東京"),
        ("urn:thing:Name", "Name"),
    ],
)
def test_a_local_name_is_read_as_words(iri: str, expected: str) -> None:
    assert readable(iri) == expected


@pytest.mark.parametrize(
    "name",
    [
        "Q42",
        "10071",
        "BiemTNJP15",
        "GiacomoL15",
        "nm000123",
        "4f9a01c2",
        "550e8400-e29b-41d4-a716-446655440000",
        "x1b2",
    ],
)
def test_an_opaque_id_is_read_as_nothing(name: str) -> None:
    assert readable("http://x.org/" + name) == ""


def test_a_host_alone_has_no_local_name() -> None:
    assert local_name("http://www.example.com/") == ""
    assert local_name("http://x.org/a#b") == "b"


def test_running_text_has_lower_case_but_keeps_acronyms() -> None:
    assert lower_words("Solo Artist") == "solo artist"
    assert lower_words("TV Series") == "TV series"


def test_words_are_counted_in_any_script() -> None:
    assert count_words("Har Gobind Khorana") == 3
    assert count_words("国際意味網会議") == 2  # seven characters, four to a word, rounded up
    assert count_words("") == 0


def test_a_label_that_is_a_number_or_a_hash_is_told_from_a_name() -> None:
    assert [is_number(label) for label in ("1984", "1968-04-03", "4f9a01c2")] == [True, True, True]
    assert [is_number(label) for label in ("U2", "Apollo 11", "Symphony No. 9", "東京")] == [False] * 4


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("1984 (song)", ("1984", "song")),
        ("Heroes(David Bowie album)", ("Heroes", "David Bowie album")),
        ("Going (Up) (song)", ("Going (Up)", "song")),
        ("(Always Be My) Sunshine", ("(Always Be My) Sunshine", "")),
        ("(song)", ("(song)", "")),
        ("Mosh ()", ("Mosh ()", "")),
        ("Mosh", ("Mosh", "")),
    ],
)
def test_a_bracket_at_the_end(label: str, parts: tuple[str, str]) -> None:
    assert unbracketed(label) == parts
