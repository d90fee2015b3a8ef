from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Being, Direction, Finding, Iri, Question, Subgraph, Value
from chattygen.generation import asks, mismatch, yes_no
from chattygen.generation.asks import Ask
from chattygen.generation.dialogue import ask_dialogue, turn_findings, turn_rule
from chattygen.generation.gbnf import to_regex
from chattygen.generation.grammar import lines
from chattygen.generation.plain import plain_question
from chattygen.generation.questions import findings, no_answer, to_question
from chattygen.generation.stages import DIALOGUE
from chattygen.generation.verify import verify
from chattygen.generation.wording import (
    reference,
    with_reference,
)
from chattygen.generation.yes_no import emptied, filled, is_concrete, is_turned_round, name, names_tested
from chattygen.models.model import Embedder

from .hand_made import ADA, BORN, MENTOR, QUERY, RANK, SEA, SHIPS, Alike, around, fact, literal, question, script


def value(label: str, type_label: str = "", being: Being = "thing") -> Value:
    return Value(Iri(SEA + label.replace(" ", "_")), label, type_label, being)


OSLO, ROME = value("Oslo", "city", "place"), value("Rome", "city", "place")
BO = value("Bo", "person", "person")
GULL = value("Gull", "ship")


def about(label: str, tested: Value, direction: Direction = "out", count: int = 1, *, kind: str = "entity") -> Ask:
    made = fact(label, label, (tested,), "year" if kind == "year" else "entity", tested.type_label, direction=direction)
    return Ask(replace(made, count=count), "yes-no", tested)


BIRTH = about("birth place", OSLO)
IN_BIRTH = about("birth place", BO, "in")
ARTIST = about("artist", BO)
IN_ARTIST = about("artist", value("Mosh", "album", "work"), "in")
WROTE = about("authored by", BO)
AUTHOR = about("author of", value("Mosh", "book", "work"))
FLOWS = about("flows into", value("Elbe", "river", "place"))
IN_FLOWS = about("flows into", value("Elbe", "river", "place"), "in")
LIES = about("located in", OSLO)
PRIZE = about("awarded", value("Fields Medal", "prize"))
MEMBER = about("member", BO)
IN_MEMBER = about("is member", value("Norway", "country", "place"), "in")
RIVER = about("river", value("Elbe", "river", "place"))
TRACK = about("track", value("Mosh", "song", "work"), count=9)
WRITERS = about("writer", BO, count=3)
YEAR = about("year of publication", Value(literal("2015", "gYear")[0].term, "2015"), kind="year")


def asked(pattern: str, ask: Ask = BIRTH, subgraph: Subgraph | None = None) -> Question:
    return to_question(pattern, ask, subgraph or around(ask.fact), "model")


def rule(finding: Finding | None) -> str:
    return finding.rule if finding else ""


# What is tested


@pytest.mark.parametrize(
    ("label", "kind", "concrete"),
    [
        ("Oslo", "entity", True),
        ("University of Bonn", "entity", True),
        ("Germany (now Poland, formerly a part of Prussia)", "entity", True),  # the bracket is not said
        ("The Rise and Fall of the Third Reich", "entity", False),  # eight words
        ("4711", "entity", False),
        ("Anybody Seen My Baby?", "entity", False),
        ('The "King"', "entity", False),
        ("Malcolm X", "entity", False),  # X and Y stand for something else
        ("Generation Y", "entity", False),
        ("Xanten", "entity", True),
        ("Nobel 1952 physics", "entity", False),  # as a record is filed
        ("Expo 2000", "entity", True),
        ("2015", "year", True),
        ("Federal republic", "text", True),
        ("UNIDO", "text", False),  # a code
        ("male", "text", False),
        ("1901-05-06", "date", False),
        ("1200", "number", False),
    ],
)
def test_what_is_concrete(label: str, kind: str, concrete: bool) -> None:
    made = fact("p", "p", (value(label),), kind)  # type: ignore[arg-type]
    assert is_concrete(value(label), made) == concrete


@pytest.mark.parametrize(
    ("tested", "said"),
    [
        (OSLO, "Oslo"),
        (value("Queen (band)", "band", "group"), "Queen"),
        (value("Mosh (song)", "song", "work"), '"Mosh"'),
        (value("Elbe", "river", "place"), "the Elbe"),
        (value("North Sea", "sea", "place"), "the North Sea"),
        (value("The Channel", "sea", "place"), "The Channel"),
        (value("Lake Erie", "lake", "place"), "Lake Erie"),
    ],
)
def test_how_the_object_is_said(tested: Value, said: str) -> None:
    assert name(tested) == said
    assert filled("Is it near Y?", tested) == f"Is it near {said}?"
    assert filled("Is it near the Y?", tested) == f"Is it near {said}?"  # whatever article the model says
    assert emptied(f"Is it near {said}?", tested) == "Is it near Y?"


def test_where_nothing_is_tested_y_is_a_letter() -> None:
    assert filled("Who is Y?", None) == "Who is Y?"
    assert emptied("Who is Oslo?", None) == "Who is Oslo?"


# Prompt, grammar and builder


@pytest.mark.parametrize(
    ("ask", "phrase", "plain"),
    [
        (BIRTH, "whether X was born in the city Y", "Was X born in Y?"),
        (IN_BIRTH, "whether the person Y was born in X", "Was Y born in X?"),
        (about("death place", OSLO), "whether X died in the city Y", "Did X die in Y?"),
        (about("death place", BO, "in"), "whether the person Y died in X", "Did Y die in X?"),
        (IN_ARTIST, "whether the album Y is by X", "Is Y by X?"),
        (WRITERS, "whether the person Y is one of the writers of X", "Is Y one of the writers of X?"),
        (FLOWS, "whether X flows into the river Y", "Does X flow into Y?"),
        (IN_FLOWS, "whether the river Y flows into X", "Does Y flow into X?"),
        (LIES, "whether X is located in the city Y", "Is X located in Y?"),
        (PRIZE, "whether X was awarded the prize Y", "Was X awarded Y?"),
        (AUTHOR, "whether X is an author of the book Y", "Is X an author of Y?"),
        (IN_MEMBER, "whether the country Y is a member of X", "Is Y a member of X?"),
        (YEAR, "whether the year Y is the year of publication of X", "Is Y the year of publication of X?"),
        (about("located in", value("Alps")), "whether X is located in Y", "Is X located in Y?"),
    ],
)
def test_what_the_prompt_and_the_builder_say(ask: Ask, phrase: str, plain: str) -> None:
    assert asks.phrase(ask) == asks.phrase(ask, "full") == phrase
    assert plain_question(ask) == plain
    assert not is_turned_round(plain, ask.fact)
    assert rule(names_tested(asked(plain, ask))) == ""


@pytest.mark.parametrize(
    ("line", "ask", "allowed"),
    [
        ("Was X born in Y?", BIRTH, True),
        ("Is Y the birth place of X?", BIRTH, True),
        ("Is X's birth place Y?", BIRTH, True),
        ("Was X born in Oslo?", BIRTH, False),
        ("Was X born?", BIRTH, False),
        ("Was she born in Y?", BIRTH, False),
        ("Was X born in Y or Y?", BIRTH, False),
        ("Where was X born, in Y?", BIRTH, False),
        ("Does X flow into Y?", FLOWS, True),
        ("Is X flowing into Y?", FLOWS, False),  # a verb is asked with does or did
    ],
)
def test_the_grammar(line: str, ask: Ask, allowed: bool) -> None:
    assert bool(to_regex(lines([yes_no.rule(ask.fact)]).grammar).fullmatch(line)) == allowed


# Q10


@pytest.mark.parametrize(
    ("pattern", "ask", "broken"),
    [
        ("Was X born in Y?", BIRTH, ""),
        ("Where was X born?", BIRTH, "Q10"),
        ("Where was X born if not in Y?", BIRTH, "Q10"),
        ("Was X born in a city?", BIRTH, "Q10"),
        ("Was X born in Y, in Y?", BIRTH, "Q10"),
        ("Did X born in Y?", BIRTH, "Q10"),
        ("Did X work in Y?", BIRTH, ""),
        ("Does X flows into Y?", FLOWS, "Q10"),
        ("Does X cross Y?", FLOWS, ""),
        ("Did X precede Y?", FLOWS, ""),
        ("Did X need Y?", FLOWS, ""),  # no participle for all its ending
        ("Is X flow into Y?", FLOWS, "Q10"),
        ("Did X a Y?", PRIZE, "Q10"),
        ("Is X Y?", BIRTH, "Q10"),
        ("Is Y X's birth place?", BIRTH, "Q10"),
        ("Is X's birth place Y?", BIRTH, ""),
        ("Was the Y awarded to X?", PRIZE, ""),
    ],
)
def test_q10_a_yes_no_question_names_what_it_tests(pattern: str, ask: Ask, broken: str) -> None:
    assert rule(names_tested(asked(pattern, ask))) == broken


def test_q10_what_is_tested_is_concrete() -> None:
    code = about("birth place", value("4711", "city", "place"))
    assert rule(names_tested(asked("Was X born in Y?", code))) == "Q10"


def test_q10_no_other_question_opens_with_a_verb() -> None:
    assert rule(names_tested(question("Was X born?"))) == "Q10"
    assert rule(names_tested(question("When was X born?"))) == ""
    assert rule(names_tested(replace(question("Was X born in Oslo?"), form="yes-no"))) == "Q10"  # tests nothing


def test_the_evidence_does_not_show_the_object() -> None:
    found = names_tested(asked("Did X born in Y?"))
    assert found
    assert found.evidence == "Did X born in Y?"


# Q5, Q8 and the others


def test_q5_what_is_tested_is_no_answer_but_other_values_are() -> None:
    both = Ask(fact("home", "home", (OSLO, ROME), "entity", "city"), "yes-no", OSLO)
    assert rule(no_answer(asked("Does X live in Y?", both), both)) == ""
    assert rule(no_answer(asked("Does X live in Y and Rome?", both), both)) == "Q5"
    denied = replace(both, fact=replace(both.fact, values=(ROME,), count=1))
    assert rule(no_answer(asked("Does X live in Y?", denied), denied)) == ""
    assert rule(no_answer(asked("Does X live in Y or Rome?", denied), denied)) == "Q5"


@pytest.mark.parametrize(
    ("pattern", "ask", "turned"),
    [
        ("Was X born in Y?", BIRTH, False),
        ("Was Y born in X?", BIRTH, True),
        ("Is X the birth place of Y?", BIRTH, True),
        ("Is X's birthplace Y?", BIRTH, False),
        ("Is Y's birth place X?", BIRTH, True),
        ("Is the birth place of X Y?", BIRTH, False),
        ("Was Y born in X?", IN_BIRTH, False),
        ("Was X born in Y?", IN_BIRTH, True),
        ("Is X the birth place of Y?", IN_BIRTH, False),
        ("Did Y record X?", ARTIST, False),
        ("Did X record Y?", ARTIST, True),
        ("Was X recorded by Y?", ARTIST, False),
        ("Was Y recorded by X?", ARTIST, True),
        ("Is Y the artist of X?", ARTIST, False),
        ("Is X the artist of Y?", ARTIST, True),
        ("Does X have Y as its artist?", ARTIST, False),
        ("Did X record Y?", IN_ARTIST, False),
        ("Did Y record X?", IN_ARTIST, True),
        ("Was Y recorded by X?", IN_ARTIST, False),
        ("Did Y write X?", WROTE, False),
        ("Did X write Y?", WROTE, True),
        ("Was X written by Y?", WROTE, False),
        ("Did X write Y?", AUTHOR, False),
        ("Was Y written by X?", AUTHOR, False),
        ("Was X written by Y?", AUTHOR, True),
        ("Does X flow into Y?", FLOWS, False),
        ("Does Y flow into X?", FLOWS, True),
        ("Does Y flow into X?", IN_FLOWS, False),
        ("Does X flow into Y?", IN_FLOWS, True),
        ("Did X win Y?", PRIZE, False),
        ("Was Y awarded to X?", PRIZE, False),
        ("Did Y win X?", PRIZE, True),
        ("Does Y belong to X?", MEMBER, False),
        ("Does X include Y?", MEMBER, False),
        ("Does X belong to Y?", MEMBER, True),
        ("Is Y a member of X?", IN_MEMBER, False),
        ("Is X a member of Y?", IN_MEMBER, True),
        ("Does X lie on Y?", RIVER, False),  # a river is no one who rives
        ("Is Y a track on X?", TRACK, False),
        ("Is X a track on Y?", TRACK, True),
        ("Was X published in Y?", YEAR, False),
    ],
)
def test_q8_who_does_what_to_whom(pattern: str, ask: Ask, turned: bool) -> None:
    assert is_turned_round(pattern, ask.fact) == turned
    assert (mismatch.mismatch(pattern, ask, [ask.fact]).startswith("turned round")) == turned


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("Was X born in Y?", []),
        ("Was X born in the Y?", []),
        ("Was Y born in X?", ["Q8"]),
        ("Was X born in Y", ["Q4"]),
        ("Was she born in Y?", ["Q1", "Q6"]),
        ("Where was X born?", ["Q10"]),
        ("Is Y birth place of X?", ["Q8"]),  # the phrase of the prompt
    ],
)
def test_all_rules_of_a_yes_no_question(pattern: str, broken: list[str]) -> None:
    made = asked(pattern)
    assert [found.rule for found in findings(made, BIRTH, around(BIRTH.fact), (), Alike())] == broken


@pytest.mark.parametrize(
    ("pattern", "ask", "reason"),
    [
        ("Did X win Y?", PRIZE, ""),
        ("Did X win a prize for Y?", PRIZE, "Y is the prize itself"),
        ("Is Y a prize that was awarded to X?", PRIZE, ""),
        ("Was X born in Y or elsewhere?", BIRTH, "says: or"),
        ("Was X born in something like Y?", BIRTH, "says: something"),
        ("Was X born, if Y is a city?", BIRTH, "says: if"),
        ("Is X's home city Y?", about("home city", OSLO), ""),  # the predicate's own word
        ("Is the city of X Y?", BIRTH, "Y is the city itself"),
    ],
)
def test_q8_nothing_more_than_whether_it_is_so(pattern: str, ask: Ask, reason: str) -> None:
    assert ask.tested
    assert yes_no.says_more(pattern, ask.fact, ask.tested) == reason
    assert mismatch.mismatch(pattern, ask, [ask.fact]).startswith(reason)


@pytest.mark.parametrize(
    ("line", "ask", "pattern"),
    [
        ("Was X born in the city Y?", BIRTH, "Was X born in Y?"),
        ("Was X born in the City of Y?", BIRTH, "Was X born in Y?"),
        ("Is X's home city Y?", about("home city", OSLO), "Is X's home city Y?"),
        ("Was X born in the town Y?", BIRTH, "Was X born in the town Y?"),
        ("Is X in Y?", about("located in", value("Alps")), "Is X in Y?"),
    ],
)
def test_the_class_before_the_placeholder_goes(line: str, ask: Ask, pattern: str) -> None:
    assert ask.tested
    assert yes_no.bare(line, ask.fact, ask.tested) == pattern


def test_the_question_has_the_name_and_the_object_in_it() -> None:
    made = asked("Was X born in Y?")
    assert (made.pattern, made.text) == ("Was X born in Oslo?", "Was Ada Berg born in Oslo?")
    assert (made.kind, made.form, made.tested, made.holds) == ("yes-no", "yes-no", OSLO, True)
    denied = replace(BIRTH, tested=ROME)
    assert asked("Was X born in Y?", denied).text == "Was Ada Berg born in Rome?"
    assert not asked("Was X born in Y?", denied).holds


DEATH = fact("death place", "death place", (ROME,), "entity", "city")
WORK = fact("employer", "employer", (value("Nansen Institute", "institute", "group"),), "entity", "institute")


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("Was X born in Y?", ""),
        ("Is Y the birth place of X?", ""),
        ("Did X die in Y?", "Q8"),
        ("Was X buried in Y?", "Q8"),
        ("Does X like Y?", "Q8"),
    ],
)
def test_q8_with_the_real_embedding(minilm: Embedder, pattern: str, broken: str) -> None:
    assert rule(verify(filled(pattern, OSLO), BIRTH, [BIRTH.fact, DEATH, WORK, BORN], minilm)) == broken


# Later turns


SHE = reference(around(BIRTH.fact, fact("gender", "gender", literal("female"), "text")))
THEY = reference(around(BIRTH.fact))


@pytest.mark.parametrize(
    ("pattern", "ask", "she", "they"),
    [
        ("Was X born in Y?", BIRTH, "Was she born in Oslo?", "Were they born in Oslo?"),
        ("Is Y the birth place of X?", BIRTH, "Is Oslo her birth place?", "Is Oslo their birth place?"),
        ("Did X win Y?", PRIZE, "Did she win Fields Medal?", "Did they win Fields Medal?"),
        ("Does X like Y?", LIES, "Does she like Oslo?", "Do they like Oslo?"),
        ("Is X's birth place Y?", BIRTH, "Is her birth place Oslo?", "Is their birth place Oslo?"),
        ("Was Y written by X?", AUTHOR, 'Was "Mosh" written by her?', 'Was "Mosh" written by them?'),
    ],
)
def test_the_program_puts_the_pronoun_in(pattern: str, ask: Ask, she: str, they: str) -> None:
    made = asked(pattern, ask)
    assert with_reference(made.pattern, SHE) == she
    assert with_reference(made.pattern, THEY) == they
    assert turn_findings(she, made, ADA, SHE, (), Alike()) == ()


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("Was she born in Oslo?", []),
        ("Was the captain born in Oslo?", []),
        ("Was she born?", ["D6", "D6"]),  # what it tests is lost
        ("Was she born in Rome?", ["D6", "D6"]),  # another one is named
        ("Was she born in Oslo, in Oslo?", ["D6"]),
        ("Was Ada born in Oslo?", ["D3", "D4", "D6"]),
        ("Was Oslo her birth place?", ["D6"]),  # says another word
        ("Was he born in Oslo?", ["D4", "D8"]),
    ],
)
def test_d_rules_of_a_later_yes_no_question(line: str, broken: list[str]) -> None:
    found = turn_findings(line, asked("Was X born in Y?"), ADA, SHE, (), Alike())
    assert [finding.rule for finding in found] == broken


@pytest.mark.parametrize(
    ("pattern", "line", "allowed"),
    [
        ("Was X born in Y?", "Was she born in Y?", True),
        ("Was X born in Y?", "Was the captain born in Y?", True),
        ("Was X born in Y?", "Was she born?", False),
        ("Was X born in Y?", "Was she born in Oslo?", False),
        ("Is Y the birth place of X?", "Is Y the birth place of her?", True),
        ("Is Y the birth place of X?", "Is it the birth place of her?", False),
        ("Is X's birth place Y?", "Is her birth place Y?", True),
        ("When was X born?", "When was she born?", True),
    ],
)
def test_the_grammar_of_a_later_turn_has_the_object(pattern: str, line: str, allowed: bool) -> None:
    assert bool(to_regex(lines([turn_rule(pattern, SHE)]).grammar).fullmatch(line)) == allowed


PLAYED = around(RANK, AUTHOR.fact, fact("gender", "gender", literal("female"), "text"))
OF_TWO = (
    to_question("What is X's rank?", Ask(RANK, "value"), PLAYED, "model"),
    to_question("Did X write Y?", AUTHOR, PLAYED, "model"),
)


def test_a_dialogue_with_a_yes_no_question() -> None:
    """The model sees neither the name nor the object, and cannot lose it."""
    told = script("Did she write Y?")
    said = ask_dialogue(told.asker(DIALOGUE), PLAYED, OF_TWO, [QUERY, QUERY], Alike())
    assert [getattr(turn, "utterance", turn) for turn in said] == ["What is Ada Berg's rank?", 'Did she write "Mosh"?']
    assert "Did X write Y?" in told.prompt(1)
    assert not any(secret in told.prompt(1) for secret in ("Ada", "Mosh"))


def test_a_line_that_loses_the_object_is_asked_again_and_then_written() -> None:
    told = script(*["Did she write it?"] * 3)
    said = ask_dialogue(told.asker(DIALOGUE), PLAYED, OF_TWO, [QUERY, QUERY], Alike())
    assert [getattr(turn, "utterance", turn) for turn in said][1] == 'Did she write "Mosh"?'
    assert all("D6" in rules for rules in told.rules)


def test_a_question_about_a_value_is_no_yes_no_question() -> None:
    assert asks.phrase(Ask(MENTOR, "value")) == "mentor of X: a captain"
    assert plain_question(Ask(SHIPS, "value")) == "Which ships have X as their captain?"
