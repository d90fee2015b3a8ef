from __future__ import annotations

import pytest

from chattygen.context.labels import Candidate
from chattygen.domain import NodeType
from chattygen.generation.beings import beings
from chattygen.generation.gbnf import to_regex
from chattygen.generation.labelling import ask_label, name_of
from chattygen.generation.stages import LABEL

from .hand_made import Script, fact, nodes, script

V = "http://example.org/vocab/"
SCROLL = NodeType(V + "Scroll", "scroll", 20, 1.0)
TITLE = Candidate((V + "title",), 1.0, 1.0, 3.0, ("The Glass Harbour", 'The "Gull"'))
ALIAS = Candidate((V + "alternativeTitle",), 0.7, 1.0, 3.0, ("Harbour",))
PERSON = Candidate((V + "givenName", V + "familyName"), 1.0, 1.0, 2.0, ("Ada Berg",))


def test_the_model_chooses_and_says_what_being_it_is() -> None:
    told = script("alternative title\nwork")
    assert ask_label(told.asker(LABEL), SCROLL, (TITLE, ALIAS)) == (ALIAS, "work")
    assert told.rules == [[]]
    assert "alternative title" in told.prompt(1)
    assert '"The Glass Harbour"' in told.prompt(1)


def test_with_one_candidate_only_the_being_is_asked() -> None:
    told = script("work")
    assert ask_label(told.asker(LABEL), SCROLL, (TITLE,)) == (TITLE, "work")
    call = told.attempts[0].call
    assert call is not None
    allowed = to_regex(call.constraint)
    assert all(allowed.fullmatch(being) for being in ("person", "group", "place", "work", "thing"))
    assert not allowed.fullmatch("title")


@pytest.mark.parametrize(
    ("label", "being"),
    [
        ("organisation", "group"),
        ("football club", "group"),
        ("country", "place"),
        ("pop song", "work"),
        ("Songwriter", "person"),
    ],
)
def test_what_the_word_says_by_itself_is_not_asked(label: str, being: str) -> None:
    told = script()
    assert ask_label(told.asker(LABEL), NodeType(V + "T", label, 20, 1.0), (TITLE,)) == (TITLE, being)
    assert told.attempts == []
    chosen = script("alternative title")
    assert ask_label(chosen.asker(LABEL), NodeType(V + "T", label, 20, 1.0), (TITLE, ALIAS)) == (ALIAS, being)
    assert "What is a" not in chosen.prompt(1)


def test_a_word_that_does_not_say_what_it_is_is_asked() -> None:
    told = script("person")
    assert ask_label(told.asker(LABEL), NodeType(V + "T", "club member", 20, 1.0), (TITLE,)) == (TITLE, "person")


def test_the_grammar_offers_only_the_candidates() -> None:
    told = script("title\nwork")
    ask_label(told.asker(LABEL), SCROLL, (TITLE, ALIAS))
    call = told.attempts[0].call
    assert call is not None
    allowed = to_regex(call.constraint)
    assert allowed.fullmatch("title\nwork")
    assert not allowed.fullmatch("latitude\nwork")  # a published label map holds this invention


def test_an_invented_predicate_is_refused_and_the_best_taken() -> None:
    told = script("latitude\nwork", "isbn", "name")
    assert ask_label(told.asker(LABEL), SCROLL, (TITLE, ALIAS)) == (TITLE, "work")
    assert told.rules == [["P1"], ["P1"], ["P1"]]
    assert [attempt.item for attempt in told.attempts] == [0, 1, 1]
    assert "What is a scroll" in told.prompt(1)
    assert "What is a scroll" not in told.prompt(2)  # that it is a work is known
    assert "Which property" in told.prompt(2)


def test_only_what_failed_is_asked_again() -> None:
    told = script("title\nmagazine", "work")
    assert ask_label(told.asker(LABEL), SCROLL, (TITLE, ALIAS)) == (TITLE, "work")
    assert told.rules == [["P1"], []]
    assert "Which property" not in told.prompt(2)
    assert "What is a scroll" in told.prompt(2)


@pytest.mark.parametrize("replies", [("", "", ""), ("no\nidea", "an\nidea", "no\nidea")])
def test_without_any_answer_it_is_a_thing_with_the_first_label(replies: tuple[str, ...]) -> None:
    told: Script = script(*replies)
    assert ask_label(told.asker(LABEL), SCROLL, (TITLE, ALIAS)) == (TITLE, "thing")
    assert len(told.attempts) == 3


def test_a_quotation_mark_in_an_example_cannot_end_it() -> None:
    told = script("work")
    ask_label(told.asker(LABEL), SCROLL, (TITLE,))
    assert "\"The 'Gull'\"" in told.prompt(1)


def test_how_a_candidate_reads() -> None:
    assert name_of(TITLE) == "title"
    assert name_of(PERSON) == "given name + family name"
    assert name_of(Candidate((V + "P1476",), 1.0, 1.0, 3.0, ("x",))) == V + "P1476"


def test_the_class_of_the_other_ends_says_what_they_are_where_the_run_does_not_know() -> None:
    towns = fact("p", "has town", nodes("lund", type_label="town"))
    assert beings(towns) == {"place"}
    assert beings(fact("p", "mentor", nodes("bo", type_label="captain"))) == {"thing"}
    assert beings(fact("p", "song", (), value_type="song", count=9)) == {"work"}
    assert beings(fact("p", "medal", (), value_type="medal", count=9)) == frozenset()
