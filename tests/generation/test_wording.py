from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Being, Fact, Iri, Seed, Value
from chattygen.generation.asks import Ask
from chattygen.generation.plain import plain_question
from chattygen.generation.wording import (
    Reference,
    agreeing,
    fitting,
    kind_of,
    names_of,
    other_pronouns,
    reference,
    said,
    sayable,
    with_name,
    with_reference,
    without_phrase,
)

from .hand_made import ADA, BORN, FRIENDS, MEDALS, PUPIL, SHIPS, around, fact, literal, nodes

FEMALE = fact("gender", "gender", literal("female"), "text")
MALE = fact("sex", "sex or gender", literal("male"), "text")
SHE = reference(around(BORN, FEMALE))


def seed(label: str, type_label: str, being: Being) -> Seed:
    return Seed("http://e.org/s", label, "http://e.org/T", type_label, being)


SONG, LAKE, BAND = (
    seed("Daysleeper", "song", "work"),
    seed("Mjøsa", "lake", "place"),
    seed("Wire", "band", "group"),
)


def test_the_title_of_a_work_stands_in_quotation_marks() -> None:
    assert said(SONG) == '"Daysleeper"'
    assert said(seed('The "Gull"', "book", "work")) == 'The "Gull"'
    assert said(ADA) == "Ada Berg"


def test_the_name_takes_the_place_of_the_placeholder_as_it_is() -> None:
    assert with_name("When was X's ship built?", r"A\1 \g<0>") == r"When was A\1 \g<0>'s ship built?"
    assert with_name("Which Xbox games does X like?", "Bo") == "Which Xbox games does Bo like?"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What is the rank of X?", "what"),
        ("Who taught X?", "who"),
        ("By whom was X taught?", "who"),
        ("Whose ship is X?", "who"),
        ("Where was X born?", "where"),
        ("In which city was X born?", "which"),
        ("In which year was X born?", "when"),
        ("On which date was X born?", "when"),
        ("When was X born?", "when"),
        ("How many ships does X have?", "how-many"),
        ("How much does X weigh?", "how-many"),
        ("How long is X?", "other"),
        ("Has X a ship?", "yes-no"),
        ("Is X a ship?", "yes-no"),
        ("Islamabad is the capital of what?", "other"),  # begins with `Is` all the same
        ("Hassan was born where?", "other"),
        ("", "other"),
    ],
)
def test_the_kind_of_a_question(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def rivers(number: int) -> Fact:
    return fact("flowsInto", "flows into", nodes("a", "b")[:number], value_type="river", direction="in")


DIRECTED = fact("directedBy", "directed by", nodes("a", "b"), value_type="film", direction="in")


@pytest.mark.parametrize(
    ("about", "form", "text"),
    [
        (BORN, "value", "When was X born?"),
        (FRIENDS, "value", "What are the friends of X?"),
        (FRIENDS, "count", "How many friends does X have?"),
        (MEDALS, "count", "How many medals does X have?"),
        (SHIPS, "value", "Which ships have X as their captain?"),
        (SHIPS, "count", "How many ships have X as their captain?"),
        (PUPIL, "value", "Which captain has X as its mentor?"),
        (rivers(1), "value", "Which river flows into X?"),
        (rivers(2), "value", "Which rivers flow into X?"),
        (rivers(2), "count", "How many rivers flow into X?"),
        (DIRECTED, "value", "Which films are directed by X?"),
        (fact("founded", "founded", literal("1901", "gYear"), "year"), "value", "When was X founded?"),
        (fact("hasPort", "has port", nodes("a")), "value", "What is the port of X?"),
        (fact("in", "contained in place", nodes("a")), "value", "Which place is X contained in?"),
        (fact("locatedIn", "located in", nodes("a"), value_type="city"), "value", "Which city is X located in?"),
        (fact("locatedIn", "located in", nodes("a")), "value", "What is X located in?"),
        (fact("crosses", "crosses over", nodes("a"), value_type="river"), "value", "Which river does X cross over?"),
    ],
)
def test_a_plain_question_about_each_form_of_fact(about: Fact, form: str, text: str) -> None:
    assert plain_question(Ask(about, "count" if form == "count" else "value")) == text


@pytest.mark.parametrize(
    ("subgraph", "forms"),
    [
        (around(BORN, FEMALE), ("she", "her", "the captain")),
        (around(MALE), ("he", "him", "the captain", "his")),
        (around(BORN), ("they", "them", "the captain", "their")),
        (around(BORN, seed=SONG), ("it", "the song", "its")),
        (around(FEMALE, seed=SONG), ("it", "the song", "its")),  # a song has no gender
        (around(seed=BAND), ("they", "them", "the band", "their")),
        (around(seed=seed("Lund", "University", "group")), ("it", "the University", "its")),
        (around(seed=seed("FC Lund", "football club", "group")), ("they", "them", "the football club", "their")),
        (
            around(seed=seed("WHO", "international organization", "group")),
            ("it", "the international organization", "its"),
        ),
        (around(seed=LAKE), ("it", "the lake", "its", "there")),
        (around(seed=seed("Ada", "person", "person")), ("they", "them", "their")),
    ],
)
def test_the_reference_fits_the_entity(subgraph: object, forms: tuple[str, ...]) -> None:
    assert reference(subgraph).forms == forms  # type: ignore[arg-type]


def test_two_stated_genders_decide_nothing() -> None:
    both = fact("gender", "gender", (*literal("female"), *literal("male")), "text")
    assert reference(around(both)).gender == "plural"


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("What is X's rank?", "their"),
        ("When was X born?", "they"),
        ("Who taught X?", "them"),
        ("X knew whom?", "them"),
        ("Which ships have X as their captain?", "them"),  # not the subject, though behind `have`
        ("Which ship has X as its captain?", "them"),
        ("Which ships had X as captain?", "them"),
        ("Which ships has X seen as captain?", "they"),
        ("Which ships have X and Bo as captains?", "they"),
        ("Was X as tall as Bo?", "they"),
    ],
)
def test_the_pronoun_fits_its_place(pattern: str, form: str) -> None:
    assert fitting(pattern, reference(around(BORN))) == form


@pytest.mark.parametrize(
    ("pattern", "they", "she"),
    [
        ("When was X born?", "When were they born?", "When was she born?"),
        ("Which port does X like?", "Which port do they like?", "Which port does she like?"),
        ("What is X's rank?", "What is their rank?", "What is her rank?"),
        ("What is X’s rank?", "What is their rank?", "What is her rank?"),
        ("What is the rank of X?", "What is their rank?", "What is her rank?"),
        ("Who taught X?", "Who taught them?", "Who taught her?"),
        (
            "Which ships have X as their captain?",
            "Which ships have them as their captain?",
            "Which ships have her as their captain?",
        ),
        (
            "What is the birth place of X in Norway?",
            "What is their birth place in Norway?",
            "What is her birth place in Norway?",
        ),
    ],
)
def test_the_pronoun_takes_the_place_of_the_placeholder(pattern: str, they: str, she: str) -> None:
    assert with_reference(pattern, reference(around(BORN))) == they
    assert with_reference(pattern, SHE) == she


def test_a_given_form_is_taken() -> None:
    assert with_reference("When was X born?", SHE, "the captain") == "When was the captain born?"


def test_what_is_in_a_place_is_there() -> None:
    lake = reference(around(seed=LAKE))
    assert with_reference("Which fish live in X?", lake) == "Which fish live there?"
    assert (
        with_reference("Which island is in X?", lake) == "Which island is in it?"
    )  # nobody asks which island is there
    assert with_reference("Which islands are in X?", lake) == "Which islands are in it?"
    assert with_reference("How many islands are there in X?", lake) == "How many islands are there in it?"
    assert reference(around(seed=SONG)).settle("Who sings in it?") == "Who sings in it?"


@pytest.mark.parametrize(
    ("turn", "settled"),
    [
        ("What is the rank of her?", "What is her rank?"),
        ("What is the first home port of her?", "What is her first home port?"),
        ("What was the rank of her in 1931?", "What was her rank in 1931?"),
        ("What is the rank of her mentor?", "What is the rank of her mentor?"),  # her mentor's, not her own
        ("Who taught the mother of her best friend?", "Who taught the mother of her best friend?"),
        ("Who is the captain of hers?", "Who is the captain of hers?"),
        ("What is her rank?", "What is her rank?"),
        ("Who is a friend of her?", "Who is one of her friends?"),
        ("Who is a friend of her mentor?", "Who is a friend of her mentor?"),
    ],
)
def test_what_is_of_her_is_hers_unless_something_else_of_hers_follows(turn: str, settled: str) -> None:
    assert SHE.settle(turn) == settled


def test_the_phrase_gives_way_to_a_pronoun() -> None:
    assert without_phrase("When was the captain born?", SHE) == "When was she born?"
    assert without_phrase("What is the captain's rank?", SHE) == "What is her rank?"


def test_pronouns_that_do_not_agree() -> None:
    assert {"he", "it", "they", "their"} <= other_pronouns(SHE)
    assert not {"she", "her", "hers", "herself"} & other_pronouns(SHE)


MOSH = replace(SONG, label="Mosh (song)", said='the song "Mosh"')
NAMESAKE = replace(ADA, said="the captain Ada Berg whose mentor is Bo")


def test_what_is_said_stands_for_the_label() -> None:
    assert said(MOSH) == 'the song "Mosh"'
    assert names_of(MOSH) == ('the song "Mosh"', "Mosh (song)", "Mosh")
    assert names_of(ADA) == ("Ada Berg", "Ada Berg", "Ada Berg")


@pytest.mark.parametrize(
    ("pattern", "plain", "with_clause"),
    [
        ("When was X born?", "When was X born?", "When was X born?"),
        ("Where is the X?", "Where is X?", "Where is X?"),  # what is said has its article
        ("What is X's rank?", "What is X's rank?", "What is the rank of X?"),
        ("What are X’s two first ships?", "What are X’s two first ships?", "What are the two first ships of X?"),
        ("What is X's rank in 1931?", "What is X's rank in 1931?", "What is the rank in 1931 of X?"),
        ("Who said that X's rank was high, then?", "Who said that X's rank was high, then?", ""),
    ],
)
def test_a_pattern_gives_place_to_what_is_said(pattern: str, plain: str, with_clause: str) -> None:
    assert sayable(pattern, MOSH) == plain
    assert sayable(pattern, NAMESAKE) == (with_clause or pattern)
    assert sayable("Where is the X?", ADA) == "Where is the X?"


def lived(label: str, many: int) -> Fact:
    return fact("p", label, nodes("a", "b")[:many], value_type="person", direction="in")


@pytest.mark.parametrize(
    ("about", "form", "text"),
    [
        (
            fact("authorOf", "author of", nodes("a", "b"), value_type="paper"),
            "value",
            "Which papers is X an author of?",
        ),
        (
            fact("authorOf", "author of", nodes("a", "b"), value_type="paper"),
            "count",
            "How many papers is X an author of?",
        ),
        (fact("co", "co-author of", nodes("a", "b"), value_type="person"), "count", "How many co-authors does X have?"),
        (fact("co", "co-author of", nodes("a", "b"), value_type="person"), "value", "Who are the co-authors of X?"),
        (fact("isMember", "is member", nodes("a"), value_type="club"), "value", "Which club is X a member of?"),
        (fact("madeOf", "made of", nodes("a")), "value", "What is X made of?"),
        (fact("birthPlace", "birth place", nodes("a")), "value", "Where was X born?"),
        (fact("birthPlace", "birth place", nodes("a", "b")), "value", "Where was X born?"),
        (fact("deathPlace", "place of death", nodes("a")), "value", "Where did X die?"),
        (fact("birthPlace", "birth place", literal("Oslo"), "text"), "value", "What is the birth place of X?"),
        (lived("birth place", 1), "value", "Which person was born in X?"),
        (lived("birth place", 2), "value", "Which people were born in X?"),
        (lived("birth place", 2), "count", "How many people were born in X?"),
        (lived("death place", 1), "value", "Which person died in X?"),
        (lived("capital", 1), "value", "Which person has X as their capital?"),
        (fact("member", "member", nodes("a", "b")), "value", "Who are the members of X?"),
        (fact("writer", "writer", nodes("a", "b"), value_type="songwriter"), "value", "Who are the writers of X?"),
        (fact("owner", "owner", nodes("a", "b"), value_type="club"), "value", "What are the owners of X?"),
        (fact("member", "member", nodes("a")), "count", "How many members does X have?"),
    ],
)
def test_a_plain_question_about_what_the_seed_is_to_others(about: Fact, form: str, text: str) -> None:
    assert plain_question(Ask(about, "count" if form == "count" else "value")) == text


TEAM = Reference("plural", "they", "them", "their", "the team")


@pytest.mark.parametrize(
    ("pattern", "turn"),
    [
        ("What city does X have its headquarters in?", "What city do they have their headquarters in?"),
        ("Which book has X as its author?", "Which book has them as its author?"),  # the book's
        ("Which people have their home at X?", "Which people have their home at them?"),
    ],
)
def test_a_possessive_that_goes_back_to_the_entity_agrees_with_its_pronoun(pattern: str, turn: str) -> None:
    assert with_reference(pattern, TEAM) == turn


def test_a_possessive_behind_the_definite_phrase_stays() -> None:
    pattern = "What city does X have its headquarters in?"
    assert with_reference(pattern, TEAM, TEAM.phrase) == "What city does the team have its headquarters in?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("When was X born?", "When were X born?"),
        ("Does X sail?", "Do X sail?"),
        ("Which ship that X has is the oldest?", "Which ship that X have is the oldest?"),
        ("Which of the songs by X is the shortest?", "Which of the songs by X is the shortest?"),  # the song is
    ],
)
def test_the_verb_agrees_with_its_own_subject(text: str, said: str) -> None:
    assert agreeing(text, "X") == said


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (fact("b", "birth date", literal("1901-05-06", "date"), "date"), "When was X born?"),
        (fact("d", "death year", literal("1980", "gYear"), "year"), "When did X die?"),
        (fact("b", "birth place", nodes("lund")), "Where was X born?"),
        (fact("d", "place of death", nodes("lund")), "Where did X die?"),
        (fact("b", "birth place", nodes("bo"), value_type="captain", direction="in"), "Which captain was born in X?"),
        (
            fact("d", "death place", nodes("bo", "cy"), value_type="captain", direction="in"),
            "Which captains died in X?",
        ),
        (fact("b", "birth place", literal("Lund"), "text"), "What is the birth place of X?"),
        (fact("l", "launch date", literal("1901-05-06", "date"), "date"), "What is the launch date of X?"),
    ],
)
def test_births_and_deaths_have_their_verbs(about: Fact, text: str) -> None:
    assert plain_question(Ask(about, "value")) == text


@pytest.mark.parametrize(
    ("noun", "several", "counted", "tested"),
    [
        ("writer", "Which songs were written by X?", "How many songs were written by X?", "Was Y written by X?"),
        ("artist", "Which songs are by X?", "How many songs are by X?", "Is Y by X?"),
        (
            "owner",
            "Which songs have X as their owner?",
            "How many songs have X as their owner?",
            "Does Y have X as its owner?",
        ),
    ],
)
def test_works_are_made_by_somebody(noun: str, several: str, counted: str, tested: str) -> None:
    songs = tuple(Value(Iri(f"http://e.org/{n}"), n, "song", "work") for n in ("Mosh", "Noon"))
    made = fact("p", noun, songs, value_type="song", direction="in")
    assert plain_question(Ask(made, "value")) == several
    assert plain_question(Ask(made, "yes-no", tested=songs[0])) == tested
    many = fact(
        "p", noun, (), value_type="song", direction="in", count=9
    )  # no value, but its class says that it is a work
    assert plain_question(Ask(many, "count")) == counted


def test_one_song_was_written() -> None:
    song = (Value(Iri("http://e.org/mosh"), "Mosh", "song", "work"),)
    one = fact("p", "writer", song, value_type="song", direction="in")
    assert plain_question(Ask(one, "value")) == "Which song was written by X?"
    ship = fact("p", "director", nodes("gull"), value_type="ship", direction="in")  # no work
    assert plain_question(Ask(ship, "value")) == "Which ship has X as its director?"


def test_a_group_is_in_its_city_and_a_province_is_not_in_its_capital() -> None:
    clubs = tuple(Value(Iri(f"http://e.org/{n}"), n, "club", "group") for n in ("Frem", "Lyn"))
    assert plain_question(Ask(fact("city", "city", clubs, value_type="club", direction="in"), "value")) == (
        "Which clubs are based in X?"
    )
    one = Ask(fact("city", "city", clubs[:1], value_type="club", direction="in"), "value")
    assert plain_question(one) == "Which club is based in X?"
    tested = replace(one, form="yes-no", tested=clubs[0])
    assert plain_question(tested) == "Is Y based in X?"
    norway = (Value(Iri("http://e.org/norway"), "Norway", "country", "place"),)
    country = fact("town", "has town", norway, value_type="country", direction="in")
    assert plain_question(Ask(country, "value")) == "Which country is X in?"
    assert plain_question(Ask(country, "yes-no", tested=norway[0])) == "Is X in Y?"
    towns = tuple(Value(Iri(f"http://e.org/{n}"), n, "town", "place") for n in ("Bergen", "Oslo"))
    assert plain_question(Ask(fact("t", "has town", towns, value_type="town"), "value")) == "Which towns are in X?"
    assert plain_question(Ask(fact("t", "has town", towns[:1], value_type="town"), "value")) == "Which town is in X?"
    assert (
        plain_question(Ask(fact("t", "has town", towns, value_type="town"), "count")) == "How many towns does X have?"
    )
    assert plain_question(Ask(fact("t", "has town", towns), "yes-no", tested=towns[0])) == "Is Y in X?"
    led = fact("captain", "captain", clubs, value_type="club", direction="in")
    assert plain_question(Ask(led, "value")) == "Which clubs have X as their captain?"
