from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.context.reading import Reading, article, plural, read


@pytest.mark.parametrize(
    ("label", "reading"),
    [
        ("birth date", Reading("birth date")),
        ("has city", Reading("city")),
        ("had owner", Reading("owner")),
        ("has", Reading("has")),
        ("is member", Reading("", "member of")),
        ("is part of", Reading("", "part of")),
        ("is located in", Reading("", "located in")),
        ("was awarded", Reading("", "awarded")),
        ("authored by", Reading("", "authored by")),
        ("born in", Reading("", "born in")),
        ("founded", Reading("", "founded")),
        ("member of", Reading("", "member of")),
        ("contained in place", Reading("place", "contained in")),
        ("in mountains", Reading("mountains", "in")),
        ("contains place", Reading("place", "contains", True)),
        ("flows into", Reading("", "flows into", True)),
        ("runs through valley", Reading("valley", "runs through", True)),
        ("contains", Reading("contains")),  # alone it could be a noun
        ("bed", Reading("bed")),  # not the participle of `b`
        ("seed", Reading("seed")),
        ("given name", Reading("given name")),  # more often a noun or its adjective than a deed
        ("set", Reading("set")),
        ("found", Reading("found")),
        ("held position", Reading("held position")),
        ("led by", Reading("", "led by")),  # the preposition tells
        ("born", Reading("", "born")),
        ("spoken language", Reading("language", "spoken")),
        ("co-author of", Reading("co-author")),  # who is one has one
        ("sibling of", Reading("sibling")),
        ("author of", Reading("", "author of")),
        ("class of", Reading("", "class of")),  # `class` is no verb, for all its s
        ("status in country", Reading("status in country")),
        ("", Reading("relation")),
        (" \n\t ", Reading("relation")),
        ("birth\ndate", Reading("birth date")),
        ("Geburtsort", Reading("Geburtsort")),
    ],
)
def test_a_predicate_is_a_noun_a_state_a_deed_or_a_verb(label: str, reading: Reading) -> None:
    assert read(label) == reading


@pytest.mark.parametrize(
    ("label", "base"),
    [
        ("flows into", "flow into"),
        ("crosses over", "cross over"),
        ("reaches to", "reach to"),
        ("carries on", "carry on"),
        ("lies on", "lie on"),
        ("goes through", "go through"),
        ("includes part", "include"),
        ("located in", "located in"),
    ],
)
def test_a_verb_after_does(label: str, base: str) -> None:
    assert read(label).base == base


@pytest.mark.parametrize(("label", "auxiliary"), [("awarded", "was"), ("located in", "is"), ("is member", "is")])
def test_a_deed_was_and_a_state_is(label: str, auxiliary: str) -> None:
    assert read(label).auxiliary == auxiliary


def test_all_words_stay_in_their_order() -> None:
    assert read("contained in place").words == "contained in place"
    assert read("birth date").words == "birth date"
    assert read("flows into").words == "flows into"


@given(st.text())
def test_any_label_can_be_read_on_one_line(label: str) -> None:
    reading = read(label)
    assert reading.words
    assert len(reading.words.splitlines()) == 1
    assert reading.is_verb <= bool(reading.link)
    assert not reading.link or len(reading.base.split()) == len(reading.link.split())


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("album", "albums"),
        ("city", "cities"),
        ("day", "days"),
        ("church", "churches"),
        ("box", "boxes"),
        ("bus", "buses"),
        ("solo artist", "solo artists"),
        ("notable person", "notable people"),
        ("TV series", "TV series"),
        ("species", "species"),
        ("City", "Cities"),
    ],
)
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(
    ("noun", "word"),
    [
        ("album", "an"),
        ("Album", "an"),
        ("ship", "a"),
        ("university", "a"),
        ("Unit", "a"),
        ("European", "a"),
        ("one-act play", "a"),
        ("umbrella", "an"),
        ("oar", "an"),
    ],
)
def test_article(noun: str, word: str) -> None:
    assert article(noun) == word


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("author of", "an author of"),
        ("is member", "a member of"),
        ("native speaker of", "a native speaker of"),
        ("made of", ""),  # no noun
        ("out of", ""),
        ("composed of", ""),  # a deed
        ("speaks of", ""),  # a verb
        ("located in", ""),
        ("rank", ""),
    ],
)
def test_what_the_subject_is_to_the_other_end(label: str, role: str) -> None:
    assert read(label).role == role
