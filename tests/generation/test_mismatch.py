"""Q8 without an embedding: each reason that the words of a question give, with a question that is free of it."""

from __future__ import annotations

import pytest

from chattygen.domain import Fact, Iri, Value
from chattygen.generation.asks import Ask
from chattygen.generation.mismatch import (
    another_class,
    another_word,
    anothers,
    class_for_predicate,
    copies_prompt,
    mismatch,
    no_single_question,
    one_of_several,
    word_against_value,
)
from chattygen.generation.surplus import another_verb, says_inside, says_more
from chattygen.generation.turned import is_turned_round

from .hand_made import BORN, CREW, FACTS, FRIENDS, MEDALS, MENTOR, PUPIL, RANK, SHIPS, fact, literal, nodes

TOWN = (Value(Iri("http://e.org/gullsund"), "Gullsund", "town", "place"),)
BO = (Value(Iri("http://e.org/bo"), "Bo", "captain", "person"),)
NEAR = fact("near", "located near", nodes("gullsund", type_label="town"), value_type="town")


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("When was X born?", BORN, ""),
        ("When was X promoted?", RANK, "asks when, but the answer is a text"),
        ("How many birth dates does X have?", BORN, "asks how many, but the answer is a date"),
        ("How many people are in the crew of X?", CREW, ""),
        ("Where was X born?", BORN, "asks where, but the answer is a date"),
        ("Who is the crew of X?", CREW, "asks who, but the answer is a number"),
        ("Who are the friends of X?", FRIENDS, ""),
        ("Who are some of the friends of X?", FRIENDS, "asks for some of 3 values"),
        ("Who is one of the friends of X?", FRIENDS, "asks for some of 3 values"),
        ("How large is the crew of X in tons?", CREW, "names a unit that the graph does not state"),
        ("What did X get the rank for?", RANK, "asks for a reason"),
        ("Who was X born in?", fact("birth", "birth place", TOWN), "asks who, but the answer is a place"),
        ("Where was X born?", fact("birth", "birth place", TOWN), ""),
        ("Where is the mentor of X?", fact("mentor", "mentor", BO), "asks where, but the answer is a person"),
        ("Who is the mentor of X?", fact("mentor", "mentor", BO), ""),
        ("Where is the town of X?", fact("town", "town", TOWN), "asks where the town is"),
        ("Where is X's town located?", fact("town", "town", TOWN), "asks where the town is"),
        ("Where is the headquarters of X?", fact("hq", "headquarters", TOWN), ""),
        ("Who or what owns X?", fact("owner", "owner", (*BO, *TOWN)), ""),  # one of each
    ],
)
def test_word_against_value(pattern: str, about: Fact, reason: str) -> None:
    assert word_against_value(pattern, Ask(about, "value")) == reason


def test_a_count_is_asked_for_as_a_number() -> None:
    assert word_against_value("Which medals does X have?", Ask(MEDALS, "count")) == "does not ask how many"
    assert word_against_value("How many medals does X have?", Ask(MEDALS, "count")) == ""


AT_SEA = fact("locatedAt", "located at", nodes("a"), value_type="sea")


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("Which sea does X lie in?", AT_SEA, "says in, where the fact says at"),
        ("In which sea is X located?", AT_SEA, "says in, where the fact says at"),
        ("Which sea does X lie at?", AT_SEA, ""),
        ("Where is X located?", AT_SEA, "asks where, but the fact says at"),
        ("Where is X located?", fact("p", "located in", nodes("a")), ""),
        ("Which sea is X located on?", AT_SEA, ""),
        ("Which sea in the north is X located at?", AT_SEA, ""),
        (
            "Which island is X located in?",
            fact("p", "located on island", nodes("a")),
            "says in, where the fact says on",
        ),
        ("Which sea is X located in?", fact("p", "located in water", nodes("a")), ""),
        ("In which journal was X published?", fact("p", "published at", nodes("a")), ""),
    ],
)
def test_says_inside(pattern: str, about: Fact, reason: str) -> None:
    assert says_inside(pattern, about) == reason


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        (
            "Which river flows into X?",
            fact("p", "located in", nodes("a"), direction="in"),
            "says more than the fact: into",
        ),
        ("Which river flows into X?", fact("p", "flows into", nodes("a"), direction="in"), ""),
        ("Who are the three friends of X?", FRIENDS, ""),  # there are three
        ("Who are the two friends of X?", FRIENDS, "says more than the fact: two"),
        ("Who are 3 friends of X?", FRIENDS, "says more than the fact: 3"),  # a person says three
        ("Which ship is named after X?", PUPIL, "says more than the fact: after"),
        ("Who was born before X?", BORN, "says more than the fact: before"),
        ("Who was X named after?", fact("eponym", "named after", BO), ""),
        ("Which town is X located near?", fact("p", "located in", TOWN), "says more than the fact: near"),
        ("Which town is X located near?", NEAR, ""),
        ("Which sea is X located near?", AT_SEA, ""),
        ("Who got a medal for a friend of X?", FRIENDS, "says more than the fact: got, medal"),
        ("What are the names of the people who are friends of X?", FRIENDS, ""),
        ("How high is X above sea level?", fact("p", "elevation", literal("9", "integer"), "number"), ""),
        ("Who are the friends of X's work?", FRIENDS, ""),  # one word can say the same in another way
        ("Which Formula 1 season did X win?", fact("won", "winner of", BO, value_type="Formula 1 season"), ""),
    ],
)
def test_says_more(pattern: str, about: Fact, reason: str) -> None:
    assert says_more(pattern, Ask(about, "value")) == reason


COUNTRY = fact("country", "country", nodes("a", type_label="country"), value_type="country")
CAPITAL = fact("capital", "capital", nodes("a", type_label="province"), value_type="province", direction="in")
CLUBS = (Value(Iri("http://e.org/club"), "Club", "club", "group"),)
IN_CLUB = fact("city", "city", CLUBS, value_type="club", direction="in")
ON_ALBUM = fact("track", "track", nodes("a", type_label="album"), value_type="album", direction="in")


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("Which country does X occupy?", COUNTRY, "says another verb than the fact: occupy"),
        ("Which country does X belong to?", COUNTRY, ""),
        ("Which country does X lie in?", COUNTRY, ""),
        ("Which countries do X's friends occupy?", COUNTRY, ""),  # the verb is another's: not looked at
        ("Which river does X flow into?", fact("p", "flows into", nodes("a")), ""),
        ("Which province capitalizes X?", CAPITAL, "says another verb than the fact: capitalizes"),
        ("Which province has X as its capital?", CAPITAL, ""),
        ("Which provinces govern X?", CAPITAL, "says another verb than the fact: govern"),
        ("Which club contains X?", IN_CLUB, "a group contains nothing"),
        ("Which clubs are in X?", IN_CLUB, ""),
        ("Which album contains X?", ON_ALBUM, ""),
        ("What album does X play?", ON_ALBUM, "says another verb than the fact: play"),
        ("What instrument does X play?", fact("p", "instrument", nodes("a")), ""),
        ("Which captain taught X?", MENTOR, "says another verb than the fact: taught"),
        ("Which captain mentored X?", MENTOR, ""),
        ("Which country did X receive?", COUNTRY, "says another verb than the fact: receive"),
        ("When did X gain independence?", fact("p", "independence date", literal("1901-05-06", "date"), "date"), ""),
        ("Which medal did X receive?", fact("p", "medal", nodes("a")), ""),
        ("Which prize did X win?", fact("p", "awarded", nodes("a"), value_type="prize"), ""),
        ("When did X die?", fact("p", "death date", literal("1980-01-02", "date"), "date"), ""),
    ],
)
def test_another_verb(pattern: str, about: Fact, reason: str) -> None:
    assert another_verb(pattern, Ask(about, "value")) == reason


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("Who is the mentor of X?", MENTOR, ""),
        ("When was X born, and where did she grow up?", BORN, "asks two things"),
        ("What is the name of X?", RANK, "asks for the name that it says"),
        ("What is X's name?", RANK, "asks for the name that it says"),
        ("What is the local name of X?", fact("p", "local name", literal("Ada")), ""),
        ("Who is X?", MENTOR, "asks what X is"),
        ("Which captain is X?", MENTOR, "asks what X is"),
        ("Which town is X?", fact("town", "town", TOWN), "asks what X is"),  # a club is no town
        ("What rank is X?", RANK, ""),  # the fact's own word says in which respect
        ("Who is the captain whose mentor is X?", FRIENDS, ""),
    ],
)
def test_no_single_question(pattern: str, about: Fact, reason: str) -> None:
    assert no_single_question(pattern, about) == reason


@pytest.mark.parametrize(
    ("pattern", "ask", "reason"),
    [
        ("Which ships have X as their captain?", Ask(SHIPS, "value"), ""),
        ("Which ships whose captain is X?", Ask(SHIPS, "value"), "repeats the phrase"),
        ("How many medals of X?", Ask(MEDALS, "count"), "repeats the phrase"),
        ("Who are the captains whose ships sail with X?", Ask(SHIPS, "value"), ""),
        ("Which entities have X as their captain?", Ask(SHIPS, "value"), "says a word of the prompt"),
        ("What is the name of the text of X?", Ask(RANK, "value"), "says a word of the prompt"),
    ],
)
def test_copies_prompt(pattern: str, ask: Ask, reason: str) -> None:
    assert copies_prompt(pattern, ask) == reason


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("Which ships have X as their captain?", SHIPS, ""),
        ("Which captains of ships are friends of X?", FRIENDS, ""),
        ("Which ships have friends of X?", FRIENDS, "asks for ships, not for captains"),
        ("Where does X live?", NEAR, ""),  # no class is named
        ("When was X born?", BORN, ""),  # an answer without a class
    ],
)
def test_another_class(pattern: str, about: Fact, reason: str) -> None:
    assert another_class(pattern, Ask(about, "value"), (*FACTS, NEAR)) == reason


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("What is X's rank?", RANK, ""),
        ("Which are X's ships?", SHIPS, ""),
        ("How many people were born in X's country?", fact("p", "birth place", BO, direction="in"), "country"),
        ("When is X's date of birth?", BORN, ""),
        ("When was X born?", BORN, ""),
    ],
)
def test_what_is_another_s(pattern: str, about: Fact, reason: str) -> None:
    assert anothers(pattern, about) == (f"asks about X's {reason}" if reason else "")


def test_what_is_tested_is_not_said_to_be_in_what_it_is_at() -> None:
    elbe = Value(Iri("http://e.org/elbe"), "Elbe", "river", "place")
    at_river = fact("locatedAt", "located at", (elbe,), value_type="river")
    tested = Ask(at_river, "yes-no", tested=elbe)
    assert mismatch("Is X located in Y?", tested, (at_river,)) == "says in, where the fact says at"
    assert mismatch("Is X located at Y?", tested, (at_river,)) == ""


def test_one_of_several() -> None:
    assert one_of_several("Who is X's friend?", Ask(FRIENDS, "value")) == "asks for one of 3 values"
    assert one_of_several("Who is the friend of X?", Ask(FRIENDS, "value")) == "asks for one of 3 values"
    assert one_of_several("Who is a friend of X?", Ask(FRIENDS, "value")) == "asks for one of 3 values"
    assert one_of_several("Which friend is with X?", Ask(FRIENDS, "value")) == "asks for one of 3 values"
    assert one_of_several("Which friends are with X?", Ask(FRIENDS, "value")) == ""
    assert one_of_several("Who is the friend of X in Oslo?", Ask(FRIENDS, "value")) == ""
    assert one_of_several("Who are X's friends?", Ask(FRIENDS, "value")) == ""
    assert one_of_several("Who is X's mentor?", Ask(MENTOR, "value")) == ""
    places = fact("birth", "birth place", (*TOWN, *TOWN))
    assert one_of_several("What is the birth place of X?", Ask(places, "value")) == ""


def test_what_others_have_does_nothing_to_them() -> None:
    track = fact("track", "track", nodes("a", type_label="album"), value_type="album", direction="in")
    assert is_turned_round("What album does X write?", track)
    assert is_turned_round("What album does X have a track in?", track)
    assert not is_turned_round("Which album has X as a track?", track)
    assert not is_turned_round("Which ships did X command?", SHIPS)  # a captain does something
    city = fact("city", "city", nodes("a", type_label="club"), value_type="club", direction="in")
    assert not is_turned_round("Which clubs does X have?", city)


def test_a_river_is_located_in_the_province_and_not_the_province_in_the_river() -> None:
    rivers = fact("p", "located in", nodes("a", type_label="river"), value_type="river", direction="in")
    assert is_turned_round("What river does X lie in?", rivers)
    assert is_turned_round("Which river is X located in?", rivers)
    assert not is_turned_round("Which river lies in X?", rivers)
    assert not is_turned_round("Which river is located in X?", rivers)


def test_a_city_is_no_part_of_the_club_in_it() -> None:
    town = fact("p", "town", TOWN, value_type="town")
    assert is_turned_round("Which town is part of X?", town)
    assert is_turned_round("Which town is located in X?", town)
    assert is_turned_round("Which town does X have?", town)
    assert not is_turned_round("Which town is X located in?", town)
    assert not is_turned_round("Which town is in X?", fact("p", "has town", TOWN, value_type="town"))
    songs = fact("p", "track", nodes("a", type_label="song"), value_type="song")
    assert not is_turned_round("Which songs are in X?", songs)
    assert not is_turned_round("Which songs does X have?", songs)
    isles = fact("p", "isle", TOWN, value_type="isle")  # nobody is in one as in a town: a lake has it
    assert not is_turned_round("Which isle does X have?", isles)


def test_what_is_awarded_in_a_place_is_not_awarded_to_it() -> None:
    awarded = fact("p", "awarded", nodes("a", type_label="prize"), value_type="prize")
    assert is_turned_round("What prize was awarded in X?", awarded)
    assert not is_turned_round("What prize was awarded to X?", awarded)
    assert not is_turned_round("What prize was X awarded in Oslo?", awarded)


def test_to_have_it_says_nothing() -> None:
    assert mismatch("What album has X?", Ask(ON_ALBUM, "value"), (ON_ALBUM,)) == "does not say track"
    places = fact("p", "contains place", nodes("a"))
    assert mismatch("What does X contain?", Ask(places, "value"), (places,)) == "does not say place"
    assert mismatch("Which places does X contain?", Ask(places, "value"), (places,)) == ""
    assert mismatch("What album has X as a track?", Ask(ON_ALBUM, "value"), (ON_ALBUM,)) == ""


def test_another_word() -> None:
    def reason(pattern: str, about: Fact) -> str:
        return another_word(pattern, Ask(about, "value"), FACTS)

    assert reason("Which ships did the mentor of X command?", SHIPS) == "asks about the mentor, which another fact says"
    assert reason("Which ships did X's friends command?", SHIPS) == "asks about the friends, which another fact says"
    assert reason("How many ships of the crew are X's?", SHIPS) == "asks about the crew, which another fact says"
    assert reason("Who is the mentor of X?", MENTOR) == ""
    assert reason("Who is the captain of X?", SHIPS) == ""  # its own noun
    assert reason("What kind of ship is X?", RANK) == ""  # what X itself is
    assert reason("Which captain taught X?", MENTOR) == ""  # its own class, and that of another fact


def test_a_person_says_first_what_is_asked_for() -> None:
    prize = fact("awarded", "awarded", nodes("a", type_label="Nobel prize"), value_type="Nobel prize")
    assert class_for_predicate("What did X receive as a Nobel prize?", prize)
    assert not class_for_predicate("Which Nobel prize did X receive?", prize)


def test_a_province_has_the_city_as_its_capital_and_not_the_city_the_province() -> None:
    of = fact("capital", "capital", nodes("a", type_label="province"), value_type="province", direction="in")
    assert is_turned_round("What province does X have as its capital?", of)
    assert is_turned_round("What province is X located in?", of)
    norway = (Value(Iri("http://e.org/norway"), "Norway", "country", "place"),)
    assert is_turned_round("What country is located in X?", fact("p", "has town", norway, direction="in"))
    assert not is_turned_round("What country is X located in?", fact("p", "has town", norway, direction="in"))
    assert not is_turned_round("Which province has X as its capital?", of)


def test_the_first_reason_is_given() -> None:
    assert mismatch("When is X?", Ask(RANK, "value"), FACTS) == "asks when, but the answer is a text"
    assert mismatch("Who is the mentor of X?", Ask(MENTOR, "value"), FACTS) == ""


AUTHOR = fact("authorOf", "author of", nodes("salt", type_label="paper"), value_type="paper")


@pytest.mark.parametrize(
    ("pattern", "turned"),
    [
        ("Which paper is X the author of?", False),
        ("What is the paper that X is the author of?", False),
        ("Which paper did X write?", False),
        ("Who is the author of a paper by X?", True),  # that is X
        ("What is the author of a paper written by X?", True),
        ("Which people are author of papers with X?", True),
        ("Which paper has the author X?", False),
    ],
)
def test_whoever_the_entity_is_to_others_is_not_asked_for(pattern: str, turned: bool) -> None:
    assert is_turned_round(pattern, AUTHOR) == turned


def test_a_clause_without_a_question_is_a_phrase_of_the_prompt() -> None:
    friends = fact("co", "co-author of", nodes("bo", "cy", type_label="captain"), value_type="captain")
    assert copies_prompt("How many captains that X is co-author of?", Ask(friends, "count")) == "repeats the phrase"
    assert copies_prompt("How many captains are there that X is co-author of?", Ask(friends, "count")) == ""


WRITER = fact("writer", "writer", nodes("bono", type_label="songwriter"), value_type="songwriter")
ARTIST = fact("artist", "artist", nodes("u2", type_label="songwriter"), value_type="songwriter")


@pytest.mark.parametrize(
    ("pattern", "about", "reason"),
    [
        ("Who is the songwriter of X?", ARTIST, "asks for the songwriter, not for the artist"),
        ("Who is X's songwriter?", ARTIST, "asks for the songwriter, not for the artist"),
        ("Which songwriter is the artist of X?", ARTIST, ""),
        ("Who is the songwriter of X?", WRITER, ""),  # the word says both
        ("Who is the songwriter behind X?", ARTIST, ""),
        ("Which captain is the mentor of X?", MENTOR, ""),
        ("Who is the captain of X?", MENTOR, "asks for the captain, not for the mentor"),
        ("What is the town of X?", NEAR, ""),  # no noun that could be said in its place
        ("Which captain taught X?", PUPIL, ""),
    ],
)
def test_the_class_of_the_answer_is_not_the_predicate(pattern: str, about: Fact, reason: str) -> None:
    assert class_for_predicate(pattern, about) == reason
