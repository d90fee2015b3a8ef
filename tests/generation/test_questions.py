from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Being, Fact, Finding, Iri, Question, Seed, Subgraph, Value
from chattygen.generation.asks import Ask
from chattygen.generation.gbnf import to_regex
from chattygen.generation.plan import plan
from chattygen.generation.questions import (
    OPENINGS,
    ask_questions,
    bare,
    fact_exists,
    facts_distinct,
    findings,
    names_entity,
    no_answer,
    no_context,
    no_duplicate,
    not_in_itself,
    one_question,
    openings,
    to_question,
)

from .hand_made import (
    ADA,
    BORN,
    CREW,
    FACTS,
    MEDALS,
    MENTOR,
    PUPIL,
    RANK,
    SHIPS,
    Alike,
    Topics,
    around,
    fact,
    literal,
    nodes,
    question,
    script,
)


def rule(finding: Finding | None) -> str:
    return finding.rule if finding else ""


def rules(asked: Question, others: tuple[Question, ...] = (), subgraph: Subgraph | None = None) -> list[str]:
    found = findings(asked, Ask(asked.fact, "value"), subgraph or around(*FACTS), others, Alike())
    return [finding.rule for finding in found]


def test_a_good_question_breaks_no_rule() -> None:
    assert rules(question("When was X born?")) == []


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("When was X born?", ""),
        ("When was X's birth date?", ""),
        ("When was she born?", "Q1"),
        ("When was Xenia born?", "Q1"),  # not as a word of its own
        ("When was X born to X?", "Q1"),
        ("When was the captain X born?", "Q1"),  # could not become `the captain she`
        ("When was the birth of X?", ""),
        ("What album contains track X?", "Q1"),
        ("Which hill is near X?", ""),
        ("Which hill is taller than X?", ""),
        ("Which ship is named X?", "Q1"),  # nobody could say: named her
        ("Who named X?", ""),
        ("Who wrote the songs of Y for X?", "Q1"),  # nothing is called Y
    ],
)
def test_q1_the_entity_is_named_once(pattern: str, broken: str) -> None:
    assert rule(names_entity(question(pattern), ADA)) == broken


def test_q1_the_name_itself_counts_not_a_part_of_a_word() -> None:
    salad = replace(question("When was X eaten?"), text="When was salad eaten?")
    ala, malcolm = replace(ADA, label="Ala"), replace(ADA, label="Malcolm X")
    assert rule(names_entity(salad, ala)) == "Q1"
    assert rule(names_entity(replace(salad, text="When was Ala eaten?"), ala)) == ""
    assert rule(names_entity(replace(salad, text="When was Malcolm X eaten?"), malcolm)) == ""


def test_q2_the_fact_is_of_this_subgraph() -> None:
    subgraph = around(BORN, MENTOR)
    assert rule(fact_exists(BORN, subgraph)) == ""
    assert rule(fact_exists(RANK, subgraph)) == "Q2"
    assert rule(fact_exists(PUPIL, subgraph)) == "Q2"  # the same predicate the other way
    named_alike = replace(BORN, predicate="http://other.example/birthDate")
    assert rule(fact_exists(named_alike, subgraph)) == "Q2"
    assert rules(question("What is the rank of X?", RANK), subgraph=subgraph) == ["Q2"]


def test_q3_no_fact_twice() -> None:
    born, again, rank = question("When was X born?"), question("What is X's birth date?"), question("X?", RANK)
    assert rule(facts_distinct(again, [born])) == "Q3"
    assert rule(facts_distinct(rank, [born])) == ""
    assert rule(facts_distinct(question("?", PUPIL), [question("?", MENTOR)])) == ""
    assert rules(again, others=(born,)) == ["Q3"]


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("When was X born?", ""),
        ("When was X born", "Q4"),
        ("When was X born? And where?", "Q4"),
        ("When was X born? Tell me.", "Q4"),
        ("Was X?", "Q4"),  # three words with the name
        ("Who is X?", ""),  # four
        ("Where did X was born?", "Q4"),
        ("Where did X died?", "Q4"),
        ("When was X died?", "Q4"),
        ("Which prize did X won?", "Q4"),
        ("Which prize does X received in Oslo?", "Q4"),
        ("Who are the names of the friends of X?", "Q4"),
        ("What is X a member of. The answer is a club?", "Q4"),
        ("Which town is X located?", "Q4"),
        ("In which town is X located?", ""),
        ("Where is X located?", ""),
        ("Which prize did X receive?", ""),
        ("Which crew did X need?", ""),
        ("Which prize that X received is the oldest?", ""),
        ("Which ship has X commanded?", ""),
        ("Which clip did X embed?", ""),
        ("Did X succeed in Oslo?", ""),
        ("", "Q4"),
    ],
)
def test_q4_one_question_of_four_words(pattern: str, broken: str) -> None:
    assert rule(one_question(question(pattern))) == broken


def test_q4_a_full_stop_in_what_is_tested_ends_no_sentence() -> None:
    lee = Value(Iri("http://e.org/lee"), "Lee B. Moe", "captain", "person")
    asked = replace(question("Did Lee B. Moe teach X?", MENTOR), form="yes-no", tested=lee)
    assert rule(one_question(asked)) == ""
    assert rule(one_question(replace(asked, pattern="Did Lee B. Moe teach. Did X?"))) == "Q4"


def test_q4_a_question_mark_in_the_name_is_none_of_the_question() -> None:
    film = replace(ADA, label="Who's There?", being="work")
    assert rule(one_question(question("Who directed X in Rome?", seed=film))) == ""


@pytest.mark.parametrize(
    ("pattern", "about", "form", "broken"),
    [
        ("When was X born?", BORN, "value", ""),
        ("Was X born on 1901-05-06?", BORN, "value", "Q5"),
        ("What is X's rank?", RANK, "value", ""),
        ("Is X a Rear Admiral?", RANK, "value", "Q5"),
        ("Which ships does X have?", SHIPS, "value", ""),
        ("Which ship like gull does X have?", SHIPS, "value", "Q5"),  # one of several is enough
        ("Which seagulls does X have?", SHIPS, "value", ""),  # not inside a word
        ("How many medals does X have?", MEDALS, "count", ""),
        ("What are the 9 medals of X?", MEDALS, "count", "Q5"),
        ("How many of the 19 medals has X?", MEDALS, "count", ""),
        ("How many ships had X in Gull?", SHIPS, "count", ""),  # the number is the answer
    ],
)
def test_q5_the_answer_is_not_in_the_question(pattern: str, about: Fact, form: str, broken: str) -> None:
    ask = Ask(about, "count" if form == "count" else "value")
    assert rule(no_answer(question(pattern, about), ask)) == broken


def test_q5_a_short_answer_counts_as_a_word() -> None:
    ala = fact("likes", "likes", nodes("Ala"))
    assert rule(no_answer(question("Which salad does X like?", ala), Ask(ala, "value"))) == ""
    assert rule(no_answer(question("Does X like Ala?", ala), Ask(ala, "value"))) == "Q5"


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("Where did X spend her youth?", ""),
        ("Which people have their birth place at X?", ""),
        ("When she was born, what was X?", "Q6"),
        ("Who did he meet at X?", "Q6"),
        ("Which of their ships did X like?", "Q6"),
        ("Where did X meet him?", "Q6"),
        ("What did X hit?", ""),  # `it` is no word of its own here
        ("Where is X and what is it?", "Q6"),
    ],
)
def test_q6_no_earlier_sentence_is_needed(pattern: str, broken: str) -> None:
    assert rule(no_context(pattern)) == broken


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("When X was born?", "Q7"),
        ("WHEN was X born?", "Q7"),
        ("Where was X born?", ""),  # another kind of question
        ("When did X die?", ""),
    ],
)
def test_q7_nothing_is_asked_twice(pattern: str, broken: str) -> None:
    assert rule(no_duplicate(question(pattern, RANK), [question("When was X born?")])) == broken


def test_q8_is_asked_of_the_verifier_once_the_others_pass() -> None:
    far = Topics(("crew", "birth"))
    subgraph = around(RANK, CREW, BORN)
    off = question("Which birth has X?", RANK)
    assert [f.rule for f in findings(off, Ask(RANK, "value"), subgraph, (), far)] == ["Q8"]
    good = question("Which rank has X?", RANK)
    assert [f.rule for f in findings(good, Ask(RANK, "value"), subgraph, (), Alike())] == []
    cheap = question("Which birth has she?", RANK)
    assert [f.rule for f in findings(cheap, Ask(RANK, "value"), subgraph, (), far)] == ["Q1", "Q6"]


def test_all_cheap_rules_are_told_at_once() -> None:
    assert rules(question("Was she born on 1901-05-06")) == ["Q1", "Q4", "Q5", "Q6", "Q10"]


@pytest.mark.parametrize(
    ("ask", "first"),
    [
        (Ask(SHIPS, "value"), ("Which ships", "What ships")),
        (Ask(PUPIL, "value"), ("Which captain", "What captain")),
        (Ask(SHIPS, "count"), ("How many ships",)),
        (Ask(MEDALS, "count"), ("How many",)),
        (Ask(fact("b", "born in", nodes("a"), value_type="person", direction="in"), "value"), ("Which person", "Who")),
    ],
)
def test_what_stands_at_the_other_end_opens_the_question(ask: Ask, first: tuple[str, ...]) -> None:
    assert set(first) <= set(openings(ask))


def towns(*names: str, being: Being = "place", kind: str = "town") -> tuple[Value, ...]:
    return tuple(Value(Iri(f"http://e.org/{name}"), name, kind, being) for name in names)


@pytest.mark.parametrize(
    ("label", "values", "kind", "first"),
    [
        ("birth place", towns("Oslo"), "town", ("Where", "In which", "Which", "What")),
        ("located in", towns("Oslo"), "town", ("Where", "In which", "Which", "What")),
        ("town", towns("Oslo"), "town", ("Where", "In which", "Which", "What")),
        ("capital", towns("Oslo"), "town", ("What", "Which")),  # where it is would be another question
        ("author", towns("Bo", being="person", kind="human"), "human", ("Who", "By whom", "Which human")),
        ("author", towns("Bo", "Cy", being="person", kind="human"), "human", ("Who", "By whom", "Which humans")),
        ("author", towns("Bo", being="person", kind=""), "", ("Who", "By whom", "Which")),
        ("track", towns("Mosh", being="work", kind="song"), "song", ("What", "Which", "In which")),
        ("owner", towns("Bo", being="person") + towns("Oslo"), "", OPENINGS["entity"]),  # one of each
        ("employer", towns("Navy", being="group", kind="force"), "force", OPENINGS["entity"]),
        ("mentor", towns("Bo", being="thing", kind="captain"), "captain", OPENINGS["entity"]),  # nobody knows
    ],
)
def test_persons_and_places_have_question_words_of_their_own(
    label: str, values: tuple[Value, ...], kind: str, first: tuple[str, ...]
) -> None:
    assert openings(Ask(fact("p", label, values, value_type=kind), "value")) == first


@pytest.mark.parametrize(
    ("label", "where"),
    [("primary affiliation", False), ("alternative name", False), ("place of birth", True), ("based in", True)],
)
def test_a_text_says_where_something_is_only_if_its_predicate_does(label: str, where: bool) -> None:
    asked = Ask(fact("p", label, literal("Tokyo Technical University"), "text"), "value")
    assert ("Where" in openings(asked)) == where


def test_no_question_opens_with_a_verb() -> None:
    """Yes-no questions would be trivially true."""
    asks = [Ask(about, form) for about in FACTS for form in ("value", "count")]
    assert {opening.split()[0] for ask in asks for opening in openings(ask)} <= {
        *("What", "Which", "Who", "Where", "When", "How", "In", "On", "By")
    }


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("Who leads the captain X?", "Who leads X?"),
        ("Who leads The Captain X?", "Who leads X?"),
        ("Where is the captain of X?", "Where is X?"),
        ("Who knows a captain called X?", "Who knows a X?"),
        ("Who leads the ship X?", "Who leads the ship X?"),
        ("Which captain leads X?", "Which captain leads X?"),
    ],
)
def test_the_type_before_the_placeholder_goes(line: str, pattern: str) -> None:
    assert bare(line, "captain") == pattern


@pytest.mark.parametrize(
    ("pattern", "about", "broken"),
    [
        ("When was she born?", BORN, "Q1"),
        ("When was X born", BORN, "Q4"),
        ("Is X a rear admiral?", RANK, "Q5"),
        ("Where did X meet him?", BORN, "Q6"),
        ("Where was X born?", BORN, "Q8"),
    ],
)
def test_a_finding_shows_the_pattern_and_neither_the_name_nor_what_is_hidden(
    pattern: str, about: Fact, broken: str
) -> None:
    found = findings(question(pattern, about), Ask(about, "value"), around(*FACTS), (), Alike())
    told = next(finding for finding in found if finding.rule == broken)
    assert told.evidence == pattern
    assert not any(secret in told.message for secret in ("Ada", "Berg", "1901", "admiral"))


def test_a_question_knows_the_form_of_its_answer() -> None:
    for form in ("value", "count"):
        ask = Ask(SHIPS, form)
        assert to_question("How many ships does X have?", ask, around(*FACTS), "builder").form == form


def test_a_type_with_signs_of_its_own() -> None:
    assert bare("Who leads the co-op (ltd.) X?", "co-op (ltd.)") == "Who leads X?"


def test_a_short_question_gets_the_type() -> None:
    song = replace(ADA, label="Daysleeper", type_label="song", being="work")
    made = to_question("Who wrote X?", Ask(RANK, "value"), around(RANK, seed=song), "model")
    assert made.text == 'Who wrote the song "Daysleeper"?'
    assert made.pattern == "Who wrote X?"
    longer = to_question("Who wrote X?", Ask(RANK, "value"), around(RANK), "builder")
    assert (longer.text, longer.kind, longer.origin) == ("Who wrote Ada Berg?", "who", "builder")


TWO = around(BORN, RANK)
WORDED = {
    BORN: "birth date: When was X born?",
    RANK: "rank: What rank does X have?",
}
PLAIN = {BORN: "What is the birth date of X?", RANK: "What is the rank of X?"}


def in_order(subgraph: Subgraph, count: int) -> list[Fact]:
    return [ask.fact for ask in plan(subgraph, count)[0]]


def test_the_model_words_the_planned_facts() -> None:
    first, second = in_order(TWO, 2)
    told = script(f"{WORDED[first]}\n{WORDED[second]}")
    asked = ask_questions(told.asker(), TWO, 2, Alike())
    assert [question.fact for question in asked] == [first, second]
    assert {question.text for question in asked} == {"When was Ada Berg born?", "What rank does Ada Berg have?"}
    assert {question.origin for question in asked} == {"model"}
    assert told.attempts[0].call is not None
    assert to_regex(told.attempts[0].call.constraint).fullmatch(told.attempts[0].call.reply)


def test_neither_the_name_nor_a_value_reaches_the_prompt() -> None:
    told = script("no\nuse", "not\nused", "no\nuse")
    ask_questions(told.asker(), TWO, 2, Alike())
    for number in (1, 2, 3):
        assert not any(secret in told.prompt(number) for secret in ("Ada", "Berg", "1901", "admiral"))


def test_what_the_model_cannot_word_the_builder_does() -> None:
    first, second = in_order(TWO, 2)
    told = script(f"{WORDED[first]}\nno", "not so", "no")
    asked = ask_questions(told.asker(), TWO, 2, Alike())
    assert [question.fact for question in asked] == [first, second]
    assert [question.origin for question in asked] == ["model", "builder"]
    assert asked[1].pattern == PLAIN[second]
    assert told.repairs == {2: ("builder", "Q1")}  # `no` does not name the entity
    assert [attempt.item for attempt in told.attempts] == [0, 2, 2]


def test_what_even_the_builder_cannot_ask_gives_way_to_a_spare_fact() -> None:
    told_by_itself = fact("rank", "rank", literal("rank", "string"), "text")  # `What is the rank` has the answer in it
    seeds = (replace(ADA, iri=f"http://example.org/sea/{n}") for n in range(99))
    seed = next(s for s in seeds if in_order(around(told_by_itself, BORN, seed=s), 1) == [told_by_itself])
    subgraph = around(told_by_itself, BORN, seed=seed)
    told = script("no", "no", "no")
    asked = ask_questions(told.asker(), subgraph, 1, Alike())
    assert [question.fact for question in asked] == [BORN]
    assert told.repairs == {1: ("replaced", "Q1")}


def test_without_a_spare_fact_it_is_lost() -> None:
    told_by_itself = fact("rank", "rank", literal("rank", "string"), "text")
    told = script("no", "no", "no")
    assert ask_questions(told.asker(), around(told_by_itself), 1, Alike()) == ()
    assert told.repairs == {1: ("lost", "Q1")}


NAMESAKE = replace(ADA, said="the captain Ada Berg whose mentor is Bo")
MOSH = Seed("http://e.org/s", "Mosh (song)", "http://e.org/Song", "song", "work", said='the song "Mosh"')


def test_every_question_says_what_tells_the_entity_apart() -> None:
    made = to_question("What is X's rank?", Ask(RANK, "value"), around(RANK, seed=NAMESAKE), "model")
    assert (made.pattern, made.text) == (
        "What is the rank of X?",
        "What is the rank of the captain Ada Berg whose mentor is Bo?",
    )
    assert rule(names_entity(made, NAMESAKE)) == ""
    assert rule(names_entity(replace(made, text="What is the rank of Ada Berg?"), NAMESAKE)) == "Q1"
    song = to_question("Who wrote X?", Ask(RANK, "value"), around(RANK, seed=MOSH), "model")
    assert song.text == 'Who wrote the song "Mosh"?'  # and the type is not said twice, for all its three words
    assert rule(names_entity(song, MOSH)) == ""


def test_q1_no_possessive_behind_a_clause() -> None:
    made = to_question("Who said that X's rank was high, then?", Ask(RANK, "value"), around(seed=NAMESAKE), "model")
    assert rule(names_entity(made, NAMESAKE)) == "Q1"
    assert rule(names_entity(question("Who said that X's rank was high, then?"), ADA)) == ""


def test_q5_an_answer_without_its_bracket_is_an_answer() -> None:
    queen = fact("singer", "singer", nodes("Queen (band)"), "entity")
    asked = replace(question("Who sings X?"), text="Who sings the Queen song?")
    assert rule(no_answer(asked, Ask(queen, "value"))) == "Q5"
    assert rule(no_answer(replace(asked, text="Who sings the song?"), Ask(queen, "value"))) == ""


@pytest.mark.parametrize("word", ["this", "these", "those"])
def test_q6_a_demonstrative_needs_context(word: str) -> None:
    assert rule(no_context(f"Where was {word} captain of X born?")) == "Q6"


CITY = Seed("http://e.org/c", "Lund", "http://e.org/City", "city", "place")
BASED = fact("city", "city", nodes("Unesco"), "entity", "organisation", direction="in")
HOME = fact("homeCity", "home city", nodes("bo", "cy"), "entity", "captain", direction="in")
TWIN = fact("twin", "twin", nodes("Bonn", "Metz"), "entity", "city")
CAPITAL = fact("capital", "capital", nodes("Scania"), "entity", "province", direction="in")


@pytest.mark.parametrize(
    ("pattern", "about", "broken"),
    [
        ("Which organisations have their city at X?", BASED, "Q9"),
        ("Which organisation has its city in X?", BASED, "Q9"),
        ("Which organisation has its city as X?", BASED, ""),  # mended
        ("Which organisation has X as its city?", BASED, ""),
        ("Which organisations are based in X?", BASED, ""),
        ("Which organisations in the city are near X?", BASED, ""),
        ("Which captains have their home cities in X?", HOME, "Q9"),
        ("Which province has its capital at X?", CAPITAL, ""),  # a capital can be called so
        ("Which capital has the cities in X?", CAPITAL, "Q9"),
        ("Which cities in X are twins?", TWIN, ""),  # another city
    ],
)
def test_q9_nothing_is_in_itself(pattern: str, about: Fact, broken: str) -> None:
    made = to_question(pattern, Ask(about, "value"), around(about, seed=CITY), "model")
    assert rule(not_in_itself(made, CITY)) == broken


def test_q9_a_city_is_asked_for_only_where_one_is_the_answer() -> None:
    there = fact("in", "located in", nodes("Scania", type_label="province"))
    made = to_question("Which city is X located in?", Ask(there, "value"), around(there, seed=CITY), "model")
    assert rule(not_in_itself(made, CITY)) == "Q9"
    for pattern, about in (
        ("Which province is X located in?", there),
        ("Which city is X a twin of?", TWIN),
        ("Which city is the home city of X?", fact("home", "home city", nodes("Bonn"))),
    ):
        made = to_question(pattern, Ask(about, "value"), around(about, seed=CITY), "model")
        assert rule(not_in_itself(made, CITY)) == ""


def test_q9_nothing_is_at_a_person() -> None:
    made = to_question("Which ships have their captain at X?", Ask(SHIPS, "value"), around(SHIPS), "model")
    assert rule(not_in_itself(made, ADA)) == "Q9"
    made = to_question("Which ships have X as their captain?", Ask(SHIPS, "value"), around(SHIPS), "model")
    assert rule(not_in_itself(made, ADA)) == ""


def test_q9_the_model_is_told_and_then_the_program_asks_plainly() -> None:
    played = script(*["city: Which organisation has its city at X?"] * 2)
    asked = ask_questions(played.asker(), around(BASED, seed=CITY), 1, Alike())
    assert [one.text for one in asked] == ["Which organisation is based in Lund?"]
    assert played.rules == [["Q9"]] * 2
