from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Fact, Iri, Value
from chattygen.generation.asks import Ask
from chattygen.generation.turned import is_turned_round
from chattygen.generation.verify import in_other_words, meaning, rivals, says_predicate, scores, verify
from chattygen.models.model import Embedder

from .hand_made import BORN, CREW, FRIENDS, MEDALS, MENTOR, PUPIL, RANK, SHIPS, Alike, Topics, fact, literal, nodes

BIRTH_PLACE = fact("birthPlace", "birth place", nodes("Oslo", type_label="city"), "entity", "city")
DEATH_PLACE = fact("deathPlace", "death place", nodes("Rome", type_label="city"), "entity", "city")
DIED = fact("deathDate", "death date", literal("1980-01-02", "date"), "date")
LENGTH = fact("length", "length", literal("40", "integer"), "number")


def broken(pattern: str, about: Fact, embedder: Embedder, *others: Fact, form: str = "value") -> bool:
    finding = verify(pattern, Ask(about, "count" if form == "count" else "value"), (about, *others), embedder)
    assert finding is None or finding.rule == "Q8"
    return finding is not None


@pytest.mark.parametrize(
    ("about", "form", "least"),
    [
        (MENTOR, "value", 0.7),  # a name, alone or among rivals
        (RANK, "value", 0.7),
        (LENGTH, "value", 0.3),  # "how long" says enough where there is nothing else to measure
        (MEDALS, "count", 0.3),
    ],
)
def test_in_other_words_a_name_is_asked_for_most_strictly(about: Fact, form: str, least: float) -> None:
    ask = Ask(about, "count" if form == "count" else "value")
    assert in_other_words(ask, ()) == least
    assert in_other_words(ask, (BORN,)) == max(least, 0.645)


def test_the_predicate_is_said_by_the_word_that_it_abbreviates() -> None:
    assert says_predicate("Where is the headquarters of X?", fact("hq", "headq", nodes("a")))
    assert not says_predicate("Where is the head of X?", fact("hq", "headq", nodes("a")))
    assert not says_predicate("Which headland is at X?", fact("h", "head", nodes("a")))  # four letters are a word


# By hand: the embedding knows two topics, and every other text is a third.
TWO_TOPICS = Topics(("harbour", "storm"))
HARBOUR = fact("h", "harbour", nodes("a"))
STORM = fact("s", "storm", nodes("b"))
OTHER = fact("o", "reef", nodes("c"))


def test_its_own_fact_is_the_nearest() -> None:
    assert not broken("Which harbour did X find?", HARBOUR, TWO_TOPICS, STORM, OTHER)


def test_another_fact_is_nearer() -> None:
    assert broken("Which storm was X in?", HARBOUR, TWO_TOPICS, STORM, OTHER)
    assert broken("Which storm was X in?", OTHER, TWO_TOPICS, STORM)


def test_it_is_near_to_none_at_all() -> None:
    assert broken("Which storm was X in?", HARBOUR, TWO_TOPICS)


def test_the_plain_question_is_about_its_fact_unless_another_is_nearer() -> None:
    songs = (Value(Iri("http://e.org/mosh"), "Mosh", "song", "work"),)
    by = fact("a", "artist", songs, value_type="song", direction="in")
    assert not broken("Which song is by X?", by, Topics(("artist", "song is")))  # far from it in meaning
    assert broken("Which song is X's?", by, Topics(("artist", "song is")))  # as far, and not the program's
    near = fact("s", "song is", nodes("b"))
    assert broken("Which song is by X?", by, Topics(("artist", "song is")), near)


def test_facts_that_are_equally_near_do_not_refuse_each_other() -> None:
    assert not broken("Which harbour did X find?", HARBOUR, Alike(), STORM)


def test_the_words_of_the_predicate_count_by_their_share() -> None:
    """By hand: all vectors are the same, so 1, and 0.2 times the share of the predicate's words that are said."""
    assert scores("Which harbour did X find?", (HARBOUR, STORM), Alike()) == pytest.approx([1.2, 1.0])
    assert scores("When was the birth of X?", (BORN, DIED), Alike()) == pytest.approx([1.1, 1.0])
    assert scores("What is the birth date of X?", (BORN, DIED), Alike()) == pytest.approx([1.2, 1.1])


def test_the_words_of_another_predicate_make_that_the_nearest() -> None:
    assert broken("Which storm was X in?", HARBOUR, Alike(), STORM)
    assert not broken("Which storm was X in?", STORM, Alike(), HARBOUR)
    assert not broken("What did X find?", HARBOUR, Alike(), STORM)


def test_a_fact_that_the_question_word_rules_out_is_no_rival() -> None:
    dated = fact("t", "storm", literal("1901", "gYear"), "year")
    assert STORM in rivals("Who met X?", Ask(HARBOUR, "value"), (HARBOUR, STORM))
    assert dated not in rivals("Who met X?", Ask(HARBOUR, "value"), (HARBOUR, dated))
    assert dated in rivals("What met X?", Ask(HARBOUR, "value"), (HARBOUR, dated))


def test_a_fact_is_not_its_own_rival() -> None:
    assert rivals("What is X?", Ask(HARBOUR, "value"), (HARBOUR,)) == []


@pytest.mark.parametrize(
    ("pattern", "about", "form", "refused"),
    [
        ("When was X born?", BORN, "value", False),
        ("Where was X born?", BORN, "value", True),
        ("Who was X born?", BORN, "value", True),
        ("When was X made rear admiral?", RANK, "value", True),
        ("In which year was X born?", BIRTH_PLACE, "value", True),
        ("Where was X born?", BIRTH_PLACE, "value", False),
        ("How many crew did X have?", CREW, "value", False),
        ("Where is the crew of X?", CREW, "value", True),
        ("How many mentors had X?", MENTOR, "value", True),  # its answer is a name
        ("How many friends has X?", FRIENDS, "count", False),
        ("Which friends has X?", FRIENDS, "count", True),
        ("Which friends has X?", FRIENDS, "value", False),
        ("Who is one of the friends of X?", FRIENDS, "value", True),  # the gold answers are all of them
        ("What are some friends of X?", FRIENDS, "value", True),
        ("How many medals does X have?", MEDALS, "count", False),
        ("What is the length of X in meters?", LENGTH, "value", True),  # the graph states no unit
        ("What is the length of X?", LENGTH, "value", False),
    ],
)
def test_the_question_word_fits_the_value(pattern: str, about: Fact, form: str, refused: bool) -> None:
    assert broken(pattern, about, Alike(), form=form) is refused


def test_a_unit_of_the_predicate_may_be_said() -> None:
    in_metres = fact("lengthInMetres", "length in metres", literal("40", "integer"), "number")
    assert not broken("How many metres long is X?", in_metres, Alike())


@pytest.mark.parametrize(
    ("pattern", "about", "refused"),
    [
        ("Which ships have X as their captain?", SHIPS, False),
        ("Which ships are the captain of X?", SHIPS, True),
        ("Which ships are X's captain?", SHIPS, True),
        ("Which captain has X as a mentor?", PUPIL, False),
        ("Which captain is X's mentor?", PUPIL, True),  # asks for the object of the same predicate
        ("Which captain is X's mentor?", MENTOR, False),
    ],
)
def test_a_question_that_turns_its_fact_round_is_refused(pattern: str, about: Fact, refused: bool) -> None:
    assert broken(pattern, about, Alike()) is refused


def test_a_verb_that_is_turned_round() -> None:
    flows = fact("flowsInto", "flows into", nodes("a", "b"), value_type="river", direction="in")
    assert not broken("Which rivers flow into X?", flows, Alike())
    assert broken("Which rivers does X flow into?", flows, Alike())


def test_a_sub_event_is_not_the_event_above_it() -> None:
    """A published benchmark asks `What event is it a sub event of?` with the answers of the inverse."""
    above = fact("subEvent", "sub event", nodes("a", type_label="event"), "entity", "event", direction="in")
    below = fact("subEvent", "sub event", nodes("a", type_label="event"), "entity", "event")
    assert broken("Which event is a sub event of X?", above, Alike())
    assert not broken("Which event is a sub event of X?", below, Alike())
    assert broken("Which event is X a sub event of?", below, Alike())
    assert not broken("Which event is X a sub event of?", above, Alike())


INFLUENCED_BY = fact("influencedBy", "influenced by", nodes("a", type_label="captain"), "entity", "captain")
LIES_IN = fact("locatedIn", "located in", nodes("a", type_label="city"), "entity", "city")
FOUNDED_BY = fact("foundedBy", "founded by", nodes("a", type_label="captain"), "entity", "captain")
FLOWS_INTO = fact("flowsInto", "flows into", nodes("a", type_label="lake"), "entity", "lake")
ADVISER = fact("adviser", "adviser", nodes("a", type_label="captain"), "entity", "captain")
PART_OF = fact("isPartOf", "is part of", nodes("a", type_label="fleet"), "entity", "fleet")


@pytest.mark.parametrize(
    ("pattern", "about", "turned"),
    [
        ("Who did X influence?", INFLUENCED_BY, True),
        ("Who has X influenced?", INFLUENCED_BY, True),
        ("Who was influenced by X?", INFLUENCED_BY, True),
        ("Who was X influenced by?", INFLUENCED_BY, False),
        ("Who influenced X?", INFLUENCED_BY, False),
        ("Who was X influenced by?", replace(INFLUENCED_BY, direction="in"), True),
        ("Who was influenced by X?", replace(INFLUENCED_BY, direction="in"), False),
        ("Who has X as their mentor?", MENTOR, True),
        ("Who has X as a mentor?", MENTOR, True),
        ("Who is X the mentor of?", MENTOR, True),
        ("Who is X a mentor of?", MENTOR, True),
        ("Who is the mentor of X?", MENTOR, False),
        ("Who is X's mentor?", MENTOR, False),
        ("Who is X the mentor of?", PUPIL, False),
        ("Who is the mentor of X?", PUPIL, True),
        ("Which cities are located in X?", LIES_IN, True),
        ("Which city is X located in?", LIES_IN, False),
        ("By whom was X founded?", FOUNDED_BY, False),
        ("Who was founded by X?", FOUNDED_BY, True),
        ("Which lakes flow into X?", FLOWS_INTO, True),
        ("Which lake does X flow into?", FLOWS_INTO, False),
        ("Who has X as an adviser?", ADVISER, True),
        ("Which fleet is part of X?", PART_OF, True),
        ("Which fleet is X part of?", PART_OF, False),
    ],
)
def test_which_end_of_the_fact_stands_in_the_question(pattern: str, about: Fact, turned: bool) -> None:
    assert is_turned_round(pattern, about) is turned
    assert broken(pattern, about, Alike()) is turned


def test_the_meaning_of_a_fact_shows_no_value() -> None:
    for about in (BORN, RANK, MENTOR, SHIPS, CREW, MEDALS):
        assert not any(value.label in meaning(about) for value in about.values)
    assert meaning(BORN) == "birth date of the entity: date"
    assert meaning(SHIPS) == "ships whose captain is the entity"


SEA_FACTS = (BORN, DIED, BIRTH_PLACE, DEATH_PLACE, CREW, MENTOR)


@pytest.mark.parametrize(
    ("pattern", "about", "refused"),
    [
        ("When was X born?", BORN, False),
        ("When did X die?", BORN, True),
        ("When did X die?", DIED, False),
        ("In which city was X born?", BIRTH_PLACE, False),
        ("In which city did X die?", BIRTH_PLACE, True),
        ("Who was the mentor of X?", MENTOR, False),
    ],
)
def test_the_real_embedding_in_clear_cases(minilm: Embedder, pattern: str, about: Fact, refused: bool) -> None:
    others = [other for other in SEA_FACTS if other != about]
    assert broken(pattern, about, minilm, *others) is refused
