from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Answer, Being, Beyond, Finding, Flow, Origin, Question, Seed, Turn
from chattygen.generation import grammar
from chattygen.generation.dialogue import (
    ask_dialogue,
    dialogue_findings,
    meaning_kept,
    no_name,
    nothing_added,
    opens_alone,
    phrase_fits,
    pronouns_agree,
    refers_back,
    several_words,
    turn_findings,
    turn_rule,
    turns_differ,
    turns_match,
)
from chattygen.generation.gbnf import to_regex
from chattygen.generation.stages import DIALOGUE
from chattygen.generation.wording import Reference, reference
from chattygen.models.model import Embedder

from .hand_made import (
    ADA,
    BORN,
    QUERY,
    RANK,
    SHIPS,
    Alike,
    Script,
    Topics,
    around,
    fact,
    literal,
    nodes,
    question,
    script,
)

FEMALE = fact("gender", "gender", literal("female"), "text")
SUBGRAPH = around(BORN, RANK, SHIPS, FEMALE)
SHE = reference(SUBGRAPH)
THEY = reference(around(BORN))


def rule(finding: Finding | None) -> str:
    return finding.rule if finding else ""


def seed(label: str, type_label: str, being: Being) -> Seed:
    return Seed("http://e.org/s", label, "http://e.org/T", type_label, being)


SONG = seed("Daysleeper", "song", "work")
IT = reference(around(seed=SONG))
LAKE = reference(around(seed=seed("Mjøsa", "lake", "place")))

QUESTIONS = (
    question("When was X born?", BORN),
    question("What is X's rank?", RANK),
    question("Which ships belong to X?", SHIPS),
)
SAID = ("When was Ada Berg born?", "What is her rank?", "Which ships belong to the captain?")


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(
        Turn(n, text, "model", asked, QUERY) for n, (text, asked) in enumerate(zip(said, QUESTIONS, strict=False), 1)
    )


def test_d1_as_many_turns_as_questions_in_their_order() -> None:
    good = turns(*SAID)
    assert rule(turns_match(good, QUESTIONS)) == ""
    assert rule(turns_match(good[:2], QUESTIONS)) == "D1"
    assert rule(turns_match((good[0], good[2], good[1]), QUESTIONS)) == "D1"
    misaligned = (good[0], replace(good[1], question=QUESTIONS[2]), replace(good[2], question=QUESTIONS[1]))
    assert rule(turns_match(misaligned, QUESTIONS)) == "D1"
    assert rule(turns_match((good[0], good[1], replace(good[2], n=2)), QUESTIONS)) == "D1"


@pytest.mark.parametrize(
    ("first", "broken"),
    [
        ("When was Ada Berg born?", ""),
        ("When was she born?", "D2"),
        ("So, when was Ada Berg born?", "D2"),
    ],
)
def test_d2_the_first_turn_is_the_standalone_question(first: str, broken: str) -> None:
    assert rule(opens_alone(turns(first), ADA)) == broken


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("When was she born?", ""),
        ("When was Ada Berg born?", "D3"),
        ("When was ADA BERG'S birth?", "D3"),
        ("When was Ada born?", "D3"),
        ("When was Berg born?", "D3"),  # the surname
        ("When was X born?", "D3"),
        ("When was she born in Bergen?", ""),  # not as a word of its own
        ("When was she in Canada?", ""),
    ],
)
def test_d3_no_later_turn_names_the_entity(line: str, broken: str) -> None:
    assert rule(no_name(line, ADA, QUESTIONS[0])) == broken


def test_d3_only_the_names_of_people_have_parts_that_tell() -> None:
    lake = seed("Lake Victoria", "lake", "place")
    asked = question("How deep is X?", RANK, lake)
    assert rule(no_name("How deep is the lake?", lake, asked)) == ""
    assert rule(no_name("How deep is Lake Victoria?", lake, asked)) == "D3"


def test_d3_a_word_of_the_question_is_no_leak() -> None:
    major = seed("Major Tom", "astronaut", "person")
    asked = question("Which major event did X see?", RANK, major)
    assert rule(no_name("Which major event did they see?", major, asked)) == ""
    assert rule(no_name("Which event did Tom see?", major, asked)) == "D3"


def test_d3_a_short_label_inside_a_word_is_no_leak() -> None:
    ala = seed("Ala", "cook", "person")
    assert rule(no_name("Who likes their salad?", ala, question("Who likes X's salad?", RANK, ala))) == ""
    assert rule(no_name("Who likes Ala's salad?", ala, question("Who likes X's salad?", RANK, ala))) == "D3"


@pytest.mark.parametrize(
    ("label", "being", "line", "broken"),
    [
        ("It", "work", "When was it made?", ""),  # a film of that name
        ("It", "work", "When was X made?", "D3"),
        ("Them", "group", "Who taught them?", ""),
        ("The Who", "group", "Who taught the band?", ""),  # function words only
        ("It Follows", "work", "When was it made?", ""),
        ("It Follows", "work", "When was It Follows made?", "D3"),
        ("Will Smith", "person", "When will they retire?", ""),
        ("Will Smith", "person", "When will Smith retire?", "D3"),
        ("Olaf of the Isles", "person", "Where was the house of their father?", ""),
        ("Olaf of the Isles", "person", "Where in the Isles was their father?", "D3"),
    ],
)
def test_d3_a_function_word_or_a_pronoun_is_no_name(label: str, being: Being, line: str, broken: str) -> None:
    asked = question("When was X made?", RANK)
    assert rule(no_name(line, seed(label, "captain", being), asked)) == broken


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("When was she born?", ""),
        ("What is her rank?", ""),
        ("What is the captain's rank?", ""),
        ("When was that?", "D4"),
        ("When was the sheriff born?", "D4"),  # `she` inside a word
        ("When was the ship born?", "D4"),  # another type
    ],
)
def test_d4_a_later_turn_refers_back(line: str, broken: str) -> None:
    assert rule(refers_back(line, SHE)) == broken


def test_d4_there_refers_to_a_place_only() -> None:
    assert rule(refers_back("Which fish live there?", LAKE)) == ""
    assert rule(refers_back("Who sings there?", IT)) == "D4"


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("When was she?", ""),
        ("She when?", "D5"),
        ("When was she born", "D5"),
        ("When was she born? Where?", "D5"),
        ("When was she born? Tell me", "D5"),
        ("", "D5"),
    ],
)
def test_d5_a_question_of_several_words(line: str, broken: str) -> None:
    assert rule(several_words(line)) == broken


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("Which ships did she command in the north sea?", ""),
        ("Which ships did the captain command in the north sea?", ""),  # the reference adds nothing
        ("Which ships has she commanded in the north sea?", ""),  # another form of the word
        ("Which ships did she command in the north sea in 1931?", "D6"),  # added
        ("Which ships did she command?", "D6"),  # half of it is lost
        ("What about her?", "D6"),
    ],
)
def test_d6_the_content_words_stay_and_none_are_added(line: str, broken: str) -> None:
    asked = question("Which ships did X command in the north sea?", SHIPS)  # ships, command, north, sea
    assert rule(meaning_kept(line, asked, SHE, Alike())) == broken


def test_d6_the_meaning_stays() -> None:
    turned = Topics(("it from",))  # by hand: a text with `it from` in it means something else than one without
    asked = question("Which river flows from X?", SHIPS, SONG)
    assert rule(meaning_kept("Which river flows from it?", asked, IT, Alike())) == ""
    assert rule(meaning_kept("Which river does it from flow?", asked, IT, turned)) == "D6"


@pytest.mark.parametrize(
    ("pattern", "line", "broken"),
    [
        ("When was X born?", "When was she born?", ""),
        ("What is the rank of X?", "What is the captain's rank?", ""),
        ("Who taught X?", "Whom did she teach?", "D6"),
        ("When was X born?", "When was she buried?", "D6"),
    ],
)
def test_d6_with_the_real_embedding(minilm: Embedder, pattern: str, line: str, broken: str) -> None:
    assert rule(meaning_kept(line, question(pattern), SHE, minilm)) == broken


def test_d7_no_two_turns_are_the_same() -> None:
    assert rule(turns_differ("When was she born?", ["Where was she born?"])) == ""
    assert rule(turns_differ("When was she born?", ["Who?", "WHEN was she  born?"])) == "D7"
    assert rule(turns_differ("When was she born?", [])) == ""


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("When was she born?", ""),
        ("What was her rank when she retired?", ""),
        ("When was he born?", "D8"),
        ("What was his rank when she retired?", "D8"),
        ("When was it born?", "D8"),
        ("When were they born?", "D8"),
        ("When was the she born?", "D8"),
        ("What did her she command?", "D8"),
        ("When was the captain hit?", ""),
    ],
)
def test_d8_pronouns_agree(line: str, broken: str) -> None:
    assert rule(pronouns_agree(line, SHE, QUESTIONS[0])) == broken


def test_d8_a_pronoun_of_the_question_itself_is_no_fault() -> None:
    own = question("Which ships have X as their captain?", SHIPS)
    assert rule(pronouns_agree("Which ships have her as their captain?", SHE, own)) == ""
    assert rule(pronouns_agree("Which ships have her as its captain?", SHE, own)) == "D8"


def test_d8_a_possessive_has_something_to_possess() -> None:
    assert rule(pronouns_agree("Which of the songs is its?", IT, QUESTIONS[0])) == "D8"
    assert rule(pronouns_agree("What is its length?", IT, QUESTIONS[0])) == ""
    assert rule(pronouns_agree("Who taught her?", SHE, QUESTIONS[0])) == ""  # `her` is an object too


@pytest.mark.parametrize("line", ["", " ", "?!"])
def test_a_line_without_words_has_no_pronoun_to_agree(line: str) -> None:
    assert rule(pronouns_agree(line, IT, QUESTIONS[0])) == ""
    assert "D5" in [finding.rule for finding in turn_findings(line, QUESTIONS[0], SONG, IT, (), Alike())]


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("When was she born?", []),
        ("When was Ada born?", ["D3", "D4", "D6"]),
        ("When was he born", ["D4", "D5", "D8"]),
        ("When was she born in Oslo?", ["D6"]),
    ],
)
def test_all_rules_that_a_turn_breaks_are_told(line: str, rules: list[str]) -> None:
    found = turn_findings(line, QUESTIONS[0], ADA, SHE, (), Alike())
    assert [finding.rule for finding in found] == rules


def test_a_whole_dialogue() -> None:
    good = turns(*SAID)
    assert dialogue_findings(good, QUESTIONS, SUBGRAPH, Alike()) == ()
    leaks = turns(SAID[0], "What is Berg's rank?", SAID[2])
    assert [f.rule for f in dialogue_findings(leaks, QUESTIONS, SUBGRAPH, Alike())] == ["D3", "D4", "D6"]
    again = (replace(QUESTIONS[0], fact=RANK), QUESTIONS[1], QUESTIONS[1])
    same = tuple(
        Turn(n, text, "model", asked, QUERY)
        for n, (text, asked) in enumerate(zip((SAID[0], SAID[1], SAID[1]), again, strict=True), 1)
    )
    assert [f.rule for f in dialogue_findings(same, again, SUBGRAPH, Alike())] == ["D7"]
    short = dialogue_findings(good[:2], QUESTIONS, SUBGRAPH, Alike())
    assert [f.rule for f in short] == ["D1"]


@pytest.mark.parametrize(
    ("pattern", "line", "allowed"),
    [
        ("When was X born?", "When was she born?", True),
        ("When was X born?", "When was the captain born?", True),
        ("When was X born?", "Where was she born?", False),
        ("When was X born?", "When was Ada Berg born?", False),
        ("When was X born?", "When was X born?", False),
        ("What is X's rank?", "What is her rank?", True),
        ("What is X's rank?", "What is the captain rank?", False),  # a possessive is asked for
        ("When was X born?", "When was she born to a family of sailors in Bergen?", False),
    ],
)
def test_the_grammar_of_a_later_turn(pattern: str, line: str, allowed: bool) -> None:
    rule = to_regex(grammar.lines([turn_rule(pattern, SHE)]).grammar)
    assert bool(rule.fullmatch(line)) is allowed


def test_the_verb_of_a_later_turn_agrees_with_the_pronoun() -> None:
    it, they = Reference("neuter", "it", "it", "its", ""), Reference("plural", "they", "them", "their", "")
    by_it = to_regex(grammar.lines([turn_rule("Which hills is X in?", it)]).grammar)
    assert by_it.fullmatch("Which hills is it in?")
    assert not by_it.fullmatch("Which hills are it in?")
    by_they = to_regex(grammar.lines([turn_rule("Which hills is X in?", they)]).grammar)
    assert by_they.fullmatch("Which hills are they in?")


def dialogue(told: Script) -> tuple[Turn, ...]:
    said = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, QUESTIONS, (QUERY,) * 3, Alike())
    assert all(isinstance(turn, Turn) for turn in said), said
    return said  # type: ignore[return-value]


def test_the_model_words_the_later_turns() -> None:
    told = script("What is her rank?\nWhich ships belong to her?")
    said = dialogue(told)
    assert [(turn.n, turn.utterance, turn.utterance_origin) for turn in said] == [
        (1, "When was Ada Berg born?", "model"),
        (2, "What is her rank?", "model"),
        (3, "Which ships belong to her?", "model"),
    ]
    assert [turn.question for turn in said] == list(QUESTIONS)
    assert told.rules == [[]]


def test_the_name_never_reaches_the_prompt() -> None:
    told = script("no\nno", "not\nnot", "no\nno")
    dialogue(told)
    assert not any(part in told.prompt(n) for n in (1, 2, 3) for part in ("Ada", "Berg", "admiral"))


def test_a_turn_that_leaks_the_surname_is_asked_again_alone() -> None:
    told = script("What is Berg's rank?\nWhich ships belong to her?", "What is her rank?")
    assert [turn.utterance for turn in dialogue(told)][1:] == [
        "What is her rank?",
        "Which ships belong to her?",
    ]
    assert told.rules[0][0] == "D3"
    assert QUESTIONS[1].pattern in told.prompt(2)
    assert QUESTIONS[2].pattern not in told.prompt(2)


def test_turns_in_another_order_are_not_taken_for_the_questions() -> None:
    told = script("Which ships belong to her?\nWhat is her rank?", "no\nno", "no\nno")
    said = dialogue(told)
    assert [turn.utterance for turn in said[1:]] == ["What is her rank?", "Which ships belong to her?"]
    assert [turn.utterance_origin for turn in said[1:]] == ["builder", "builder"]


def test_the_program_puts_the_pronoun_in_where_the_model_fails() -> None:
    said = dialogue(script("no\nno", "no\nno", "no\nno"))
    assert [turn.utterance for turn in said[1:]] == ["What is her rank?", "Which ships belong to her?"]
    assert [turn.utterance_origin for turn in said[1:]] == ["builder", "builder"]


def test_the_definite_phrase_is_not_said_twice_in_a_row() -> None:
    asked = (QUESTIONS[0], question("Where does X live?", RANK), question("Who taught X?", SHIPS))
    told = script("Where does the captain live?\nWho taught the captain?")
    said = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, asked, (QUERY,) * 3, Alike())
    assert [turn.utterance for turn in said if isinstance(turn, Turn)] == [
        "When was Ada Berg born?",
        "Where does the captain live?",
        "Who taught her?",
    ]


@pytest.mark.parametrize("origin", ["model", "builder"])
def test_the_first_turn_is_by_whoever_wrote_its_question(origin: Origin) -> None:
    asked = (replace(QUESTIONS[0], origin=origin), *QUESTIONS[1:])
    told = script("What is her rank?\nWhich ships belong to her?")
    said = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, asked, (QUERY,) * 3, Alike())
    assert [turn.utterance_origin for turn in said if isinstance(turn, Turn)] == [origin, "model", "model"]


def test_an_entity_called_it_has_a_dialogue() -> None:
    film = seed("It", "film", "work")
    asked = (question("When was X made?", BORN, film), question("What is X's length?", RANK, film))
    told = script("What is its length?")
    said = ask_dialogue(told.asker(DIALOGUE), around(BORN, RANK, seed=film), asked, (QUERY,) * 2, Alike())
    assert [turn.utterance for turn in said if isinstance(turn, Turn)] == ["When was It made?", "What is its length?"]


def test_a_captain_of_ships_is_the_object_of_have() -> None:
    asked = (QUESTIONS[0], question("Which ships have X as their captain?", SHIPS))
    told = script("no", "no", "no")
    said = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, asked, (QUERY,) * 2, Alike())
    assert [turn.utterance for turn in said if isinstance(turn, Turn)][1:] == ["Which ships have her as their captain?"]


def test_a_dialogue_of_one_turn_asks_no_model() -> None:
    told = script()
    (turn,) = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, QUESTIONS[:1], (QUERY,), Alike())
    assert isinstance(turn, Turn)
    assert turn.utterance == "When was Ada Berg born?"
    assert told.attempts == []


def test_what_no_wording_avoids_comes_back_as_findings() -> None:
    again = (QUESTIONS[0], QUESTIONS[1], replace(QUESTIONS[1], fact=BORN))
    told = script("no\nno", "not\nnot", "no\nno")
    found = ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, again, (QUERY,) * 3, Alike())
    assert [finding.rule for finding in found if isinstance(finding, Finding)] == ["D7"]


def test_a_queries_list_of_another_length_is_never_paired() -> None:
    told = script("What is her rank?\nWhich ships belong to her?")
    with pytest.raises(ValueError, match="shorter"):
        ask_dialogue(told.asker(DIALOGUE), SUBGRAPH, QUESTIONS, (QUERY,) * 2, Alike())


NAMESAKE = replace(ADA, label="Berg (captain)", said="the captain Berg whose mentor is Bo")


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("What is her rank?", ""),
        ("What is the captain's rank?", ""),
        ("What is the rank of the captain Berg whose mentor is Bo?", "D3"),
        ("What is the rank of Berg?", "D3"),
        ("What is the rank of Berg (captain)?", "D3"),
    ],
)
def test_d3_nothing_that_names_the_entity_is_said_later(line: str, broken: str) -> None:
    assert rule(no_name(line, replace(NAMESAKE, being="thing"), QUESTIONS[1])) == broken


def test_d3_what_stands_in_a_bracket_is_no_part_of_a_name() -> None:
    ada = replace(ADA, label="Ada Berg (captain)", said="the captain Ada Berg")
    assert rule(no_name("What is the captain's rank?", ada, QUESTIONS[1])) == ""
    assert rule(no_name("What is Ada's rank?", ada, QUESTIONS[1])) == "D3"


def test_d2_the_first_turn_tells_the_entity_apart() -> None:
    text = "When was the captain Berg whose mentor is Bo born?"
    asked = replace(QUESTIONS[0], text=text)
    assert rule(opens_alone([Turn(1, text, "model", asked, QUERY)], NAMESAKE)) == ""
    bare = replace(asked, text="When was Berg (captain) born?")
    assert rule(opens_alone([Turn(1, bare.text, "model", bare, QUERY)], NAMESAKE)) == "D2"


AS_CAPTAIN = question("Which ships have X as their captain?", SHIPS)


@pytest.mark.parametrize(
    ("line", "asked", "broken"),
    [
        ("Which ships have her as their captain?", AS_CAPTAIN, ""),
        ("Which ships have the captain as their captain?", AS_CAPTAIN, "D9"),
        ("Which captains did the captain teach?", question("Which captains did X teach?"), "D9"),
        ("What is the captain's rank?", QUESTIONS[1], ""),
    ],
)
def test_d9_the_phrase_does_not_repeat_a_noun(line: str, asked: Question, broken: str) -> None:
    assert rule(phrase_fits(line, SHE, asked)) == broken


def test_d9_where_the_phrase_would_repeat_a_noun_it_is_not_offered() -> None:
    rule = to_regex(grammar.lines([turn_rule(AS_CAPTAIN.pattern, SHE)]).grammar)
    assert rule.fullmatch("Which ships have her as their captain?")
    assert not rule.fullmatch("Which ships have the captain as their captain?")


PLACE = fact("birthPlace", "birth place", nodes("bergen", type_label="city"), "entity", "city")
COUNTRY = fact("country", "country", nodes("norway", type_label="country"), "entity", "country")
AT_SEA = replace(around(BORN, RANK, PLACE, SHIPS, FEMALE), beyond=((PLACE, Beyond("hop", COUNTRY, COUNTRY)),))
WHERE = question("Where was X born?", PLACE)
HOP = replace(question("In which country is the birth place of X?", PLACE), beyond=Beyond("hop", COUNTRY, COUNTRY))
ONE = replace(QUERY, answers=(Answer("uri", "http://example.org/sea/bergen", "bergen"),))


def flowing(told: Script, asked: tuple[Question, ...], shares: dict[str, float]) -> list[tuple[str, str, str]]:
    """Form, text and origin of each turn."""
    said = ask_dialogue(told.asker(DIALOGUE), AT_SEA, asked, (ONE,) * len(asked), Alike(), shares)
    assert all(isinstance(turn, Turn) for turn in said), said
    return [(turn.flow, turn.utterance, turn.utterance_origin) for turn in said if isinstance(turn, Turn)]


def test_a_dialogue_of_all_forms() -> None:
    told = script("What is the captain's rank?")
    asked = (QUESTIONS[0], WHERE, HOP, QUESTIONS[1])
    assert flowing(told, asked, {"ellipsis": 1.0, "follow-up": 1.0}) == [
        ("opening", "When was Ada Berg born?", "model"),
        ("ellipsis", "And where?", "builder"),
        ("follow-up", "In which country is it?", "builder"),
        ("return", "What is the captain's rank?", "model"),
    ]
    assert told.prompt(1).splitlines()[1:2] == ["What is X's rank?"]  # nothing else is asked for
    assert len(told.attempts) == 1


def test_a_return_without_the_phrase_is_written_by_the_program() -> None:
    told = script("What is her rank?")
    asked = (WHERE, HOP, QUESTIONS[1])
    assert flowing(told, asked, {"follow-up": 1.0})[-1] == ("return", "What is the captain's rank?", "builder")
    assert told.rules == [[]]


def test_a_pronoun_where_the_next_turn_has_to_say_the_phrase() -> None:
    city = seed("Bergen", "city", "place")
    asked = (
        question("How many people live in X?", RANK, city),
        question("Which country is X in?", COUNTRY, city),
        question("When was X founded?", BORN, city),
    )
    told = script("Which country is the city in?\nWhen was the city founded?")
    around_city = around(RANK, COUNTRY, BORN, seed=city)
    said = ask_dialogue(told.asker(DIALOGUE), around_city, asked, (QUERY,) * 3, Alike(), {"follow-up": 1.0})
    assert [turn.utterance for turn in said if isinstance(turn, Turn)] == [
        "How many people live in Bergen?",
        "Which country is it in?",
        "When was the city founded?",  # `it` could be the country
    ]


def test_the_grammar_of_a_return_has_the_phrase_only() -> None:
    rule = to_regex(grammar.lines([turn_rule("What is X's rank?", SHE, ("the captain",))]).grammar)
    assert rule.fullmatch("What is the captain's rank?")
    assert not rule.fullmatch("What is her rank?")
    by_pronoun = to_regex(grammar.lines([turn_rule("When was X born?", SHE, ("she", "her"))]).grammar)
    assert by_pronoun.fullmatch("When was she born?")
    assert not by_pronoun.fullmatch("When was the captain born?")


def test_a_question_over_two_facts_refers_to_the_entity_by_a_possessive() -> None:
    told = script("no\nno", "not\nnot", "no\nno")
    said = flowing(told, (QUESTIONS[0], QUESTIONS[1], HOP), {})
    assert said[2] == ("reference", "In which country is her birth place?", "builder")


def test_the_third_question_that_opens_alike_goes_on_with_and() -> None:
    asked = (
        question("What is X's rank?", RANK),
        question("What is X's motto?", SHIPS),
        question("What is X's crew?", BORN),
    )
    told = script("What is her motto?\nWhat is her crew?")
    assert [text for _, text, _ in flowing(told, asked, {})] == [
        "What is Ada Berg's rank?",
        "What is her motto?",
        "And what is her crew?",
    ]


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("And where?", ""),
        ("And in which city?", "D6"),  # the standalone question says no city
    ],
)
def test_d6_an_ellipsis_adds_no_word(line: str, broken: str) -> None:
    assert rule(nothing_added(line, WHERE)) == broken


def test_d5_an_ellipsis_has_two_words() -> None:
    assert rule(several_words("And when?", 2)) == ""
    assert rule(several_words("When?", 2)) == "D5"
    assert rule(several_words("And when?")) == "D5"


@pytest.mark.parametrize(
    ("place", "utterance", "rules"),
    [
        (1, "And where?", []),
        (1, "And where was Ada?", ["D3", "D6", "D10"]),
        (1, "And Berg's home?", ["D3", "D6", "D10"]),
        (2, "In which country is it?", []),
        (2, "In which country is he?", ["D8", "D11"]),
        (2, "In which country is Ada's?", ["D3", "D6", "D11"]),
        (2, "In which country is it in the north?", ["D6"]),
        (3, "What is the captain's rank?", []),
        (3, "What is her rank?", ["D12"]),
        (3, "What is the captain's rank in Bergen?", ["D6"]),
    ],
)
def test_the_rules_hold_for_every_form(place: int, utterance: str, rules: list[str]) -> None:
    asked = (QUESTIONS[0], WHERE, HOP, QUESTIONS[1])
    said = ["When was Ada Berg born?", "And where?", "In which country is it?", "What is the captain's rank?"]
    flows: tuple[Flow, ...] = ("opening", "ellipsis", "follow-up", "return")
    said[place] = utterance
    whole = tuple(
        Turn(n, text, "model", one, ONE, flow, 2 if flow == "follow-up" else None)
        for n, (text, one, flow) in enumerate(zip(said, asked, flows, strict=True), 1)
    )
    assert [finding.rule for finding in dialogue_findings(whole, asked, AT_SEA, Alike())] == rules


def test_their_city_is_not_its_city() -> None:
    """D8 of a group that is called they: a possessive behind it goes back to it."""
    group = Reference("plural", "they", "them", "their", "the team")
    asked = question("What city does X have its headquarters in?", BORN)
    said = "What city do they have its headquarters in?"
    found = pronouns_agree(said, group, asked)
    assert found is not None
    assert found.rule == "D8"
    assert pronouns_agree("What city do they have their headquarters in?", group, asked) is None
    assert pronouns_agree("What city does the team have its headquarters in?", group, asked) is None
    assert (
        pronouns_agree("Which book has them as its author?", group, question("Which book has X as its author?", BORN))
        is None
    )
