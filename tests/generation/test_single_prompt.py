"""The baseline over the captain's graph: a good reply, and each kind of bad one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.config import RunSettings
from chattygen.domain import XSD, Answer, Finding, Turn
from chattygen.generation.attempts import Asker
from chattygen.generation.gbnf import to_regex
from chattygen.generation.single_prompt import ask_at_once, asked_for, reply_form
from chattygen.generation.stages import SINGLE_PROMPT
from chattygen.generation.wording import reference
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.models.model import Embedder
from chattygen.models.scripted import Rule, ScriptedModel

from .hand_made import BORN, CREW, FRIENDS, LATE, MEDALS, MENTOR, RANK, SEA, SHIPS, Script, around, script

ADA_IRI = f"<{SEA}ada>"
GRAPH = around(BORN, RANK, CREW, MENTOR, FRIENDS, MEDALS, SHIPS)


def select(triple: str) -> str:
    return f"SELECT ?x WHERE {{ {triple} }}"


def count(triple: str) -> str:
    return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {triple} }}"


HER_FRIENDS = f"{ADA_IRI} <{SEA}friend> ?x"
BIRTH = ["When was X born?", select(f"{ADA_IRI} <{SEA}birthDate> ?x"), "When was X born?"]
FRIEND = ["How many friends does X have?", count(HER_FRIENDS), "How many friends do they have?"]
SHIP = [
    "Which ships have X as their captain?",
    select(f"?x <{SEA}captain> {ADA_IRI}"),
    "Which ships have them as their captain?",
]
GOOD = "\n".join([*BIRTH, *FRIEND, *SHIP])


def instead(item: list[str], line: int, text: str) -> list[str]:
    return [*item[:line], text, *item[line + 1 :]]


def reply(*items: list[str]) -> str:
    return "\n".join(line for item in items for line in item)


class Asked:
    """What came of asking, with the real store and the real sentence embedding."""

    def __init__(self, sea: OxigraphGraph, minilm: Embedder) -> None:
        self._seen = sea, minilm

    def __call__(self, said: Script, fewest: int = 3, **settings: object) -> tuple[Turn, ...]:
        run = replace(RunSettings("sea", questions=3, min_questions=fewest), **settings)  # type: ignore[arg-type]
        return ask_at_once(said.asker(SINGLE_PROMPT, run.attempts), GRAPH, *self._seen, run)


@pytest.fixture
def ask(sea: OxigraphGraph, minilm: Embedder) -> Asked:
    return Asked(sea, minilm)


def test_one_call_gives_questions_queries_and_turns(ask: Asked) -> None:
    said = script(GOOD)
    turns = ask(said)
    assert said.rules == [[]]
    assert [turn.question.text for turn in turns] == [
        "When was Ada Berg born?",
        "How many friends does Ada Berg have?",
        "Which ships have Ada Berg as their captain?",
    ]
    assert [turn.utterance for turn in turns] == [
        "When was Ada Berg born?",
        "How many friends do they have?",
        "Which ships have them as their captain?",
    ]
    assert [turn.n for turn in turns] == [1, 2, 3]
    assert [turn.question.fact for turn in turns] == [BORN, FRIENDS, SHIPS]
    assert [turn.query.answers for turn in turns] == [
        (Answer("literal", "1901-05-06", "1901-05-06", XSD + "date"),),
        (Answer("literal", "3", "3", XSD + "integer"),),
        (Answer("uri", SEA + "gull", "Gull"), Answer("uri", LATE, "It's Late")),
    ]
    assert {(t.question.origin, t.query.origin, t.utterance_origin) for t in turns} == {("model",) * 3}
    assert [turn.query.form for turn in turns] == ["select", "count", "select"]


def test_the_model_sees_all_facts_with_their_iris_and_never_the_name(ask: Asked) -> None:
    said = script(GOOD)
    ask(said)
    asked = said.prompt(1)
    assert asked.splitlines() == [
        "X is a captain. In the place of X: they, them, the captain, their",
        f"{ADA_IRI} <{SEA}birthDate> ?x | birth date of X: a date",
        f"{ADA_IRI} <{SEA}rank> ?x | rank of X",
        f"{ADA_IRI} <{SEA}crew> ?x | crew of X: a number",
        f"{ADA_IRI} <{SEA}mentor> ?x | mentor of X: a captain",
        f"{ADA_IRI} <{SEA}friend> ?x | friend of X: 3 captains",
        f"{ADA_IRI} <{SEA}medal> ?x | medal of X: 9 medals",
        f"?x <{SEA}captain> {ADA_IRI} | 2 ships whose captain is X",
        "3 facts.",
    ]
    ask(full := script(GOOD), serialisation="full")
    assert f'{ADA_IRI} <{SEA}birthDate> ?x | birth date of X: "1901-05-06"' in full.prompt(1).splitlines()
    assert f'?x <{SEA}captain> {ADA_IRI} | 2 ships whose captain is X: "Gull", "It\'s Late"' in full.prompt(1)


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        (instead(FRIEND, 1, count(f"{ADA_IRI} <{SEA}friendOf> ?x")), ["S3"]),  # an IRI that was made up
        (instead(FRIEND, 1, count(f"<{SEA}bo> <{SEA}friend> ?x")), ["S3"]),  # of somebody else
        (instead(FRIEND, 1, count(f"?x <{SEA}friend> {ADA_IRI}")), ["Q2"]),  # nobody calls her a friend
        (instead(FRIEND, 1, select(f"{ADA_IRI} ?p ?x")), ["Q2"]),
        (instead(FRIEND, 1, select(f"{HER_FRIENDS} . {ADA_IRI} <{SEA}mentor> ?x")), ["Q2"]),
        (instead(FRIEND, 1, "SELECT ?x WHERE {"), ["S1"]),
        (instead(FRIEND, 1, f"SELECT ?x WHERE {{ SERVICE <http://127.0.0.1:1/> {{ {HER_FRIENDS} }} }}"), ["S2"]),
        (instead(FRIEND, 1, select(HER_FRIENDS)), ["S6"]),  # the values, for how many
        (instead(FRIEND, 1, f"ASK {{ {HER_FRIENDS} }}"), ["S6"]),
        (["Which medals does X have?", select(f"{ADA_IRI} <{SEA}medal> ?x"), "Which medals do they have?"], ["S5"]),
        (instead(FRIEND, 0, "How many friends do they have?"), ["Q1", "Q6"]),
        (instead(FRIEND, 0, "How many friends does X have"), ["Q4"]),
        (instead(FRIEND, 0, "How many of X's 3 friends are there?"), ["Q5"]),
        (instead(FRIEND, 0, "How many ships does X have?"), ["Q8"]),
        (BIRTH, ["Q3", "Q7"]),  # once more
        (instead(FRIEND, 2, "How many friends does Ada Berg have?"), ["D3", "D4", "D6"]),
        (instead(FRIEND, 2, "How many friends does X have?"), ["D3", "D4"]),
        (instead(FRIEND, 2, "How many friends?"), ["D4"]),
        (instead(FRIEND, 2, "How many friends do they have"), ["D5"]),
        (instead(FRIEND, 2, "When were they born?"), ["D6"]),
        (instead(FRIEND, 2, "How many friends does she have?"), ["D4", "D8"]),
    ],
)
def test_an_item_is_refused_by_the_rule_that_it_breaks_and_the_reply_is_asked_for_again(
    ask: Asked, wrong: list[str], rules: list[str]
) -> None:
    said = script(reply(BIRTH, wrong, SHIP), GOOD)
    assert [turn.question.fact for turn in ask(said)] == [BORN, FRIENDS, SHIPS]
    assert said.rules == [rules, []]
    finding = said.attempts[0].findings[0]
    assert f"Not: {finding.evidence} ({finding.message})" in said.prompt(2)
    # As in the multi-stage approach, the others make a dialogue where they are enough.
    alone = script(reply(BIRTH, wrong, SHIP))
    turns = ask(alone, fewest=2)
    assert alone.rules == [rules]
    assert [(turn.n, turn.question.fact) for turn in turns] == [(1, BORN), (2, SHIPS)]


def test_nobody_opens_the_dialogue_for_the_model(ask: Asked) -> None:
    """D2, whether the first turn is not standalone or falls with its item; each leaves three good questions, or two."""
    said = script(reply(instead(BIRTH, 2, "When were they born?"), FRIEND, SHIP), GOOD)
    assert len(ask(said)) == 3
    assert said.rules == [["D2"], []]
    said = script(reply(instead(BIRTH, 1, "SELECT"), FRIEND, SHIP), GOOD)
    assert len(ask(said, fewest=2)) == 3
    assert said.rules == [["S1", "D2"], []]


def test_a_reply_of_another_form(ask: Asked) -> None:
    chatter = "Sure! Here is your conversation."
    said = script(GOOD.rpartition("\n")[0], f"{chatter}\n{GOOD}", "")
    assert ask(said) == ()
    assert said.rules == [["P1"], ["P1"], ["P3"]]
    assert "Exactly three lines for each fact." in said.prompt(2)
    assert "Exactly three lines for each fact." not in said.prompt(1)


def test_a_reply_that_is_cut(ask: Asked) -> None:
    """Its whole items count, two here; where that is not enough, the next attempt has twice the room."""
    cut = reply(BIRTH, SHIP, FRIEND)[:-3]
    said = script(Rule(cut, finish="length"))
    assert [turn.question.fact for turn in ask(said, fewest=2)] == [BORN, SHIPS]
    assert said.rules == [["P2"]]
    said = script(Rule(cut, finish="length"), GOOD)
    assert len(ask(said)) == 3
    rooms = [attempt.call.max_tokens for attempt in said.attempts if attempt.call]
    assert rooms[1] == 2 * rooms[0]


def test_what_fails_three_times_fails(ask: Asked) -> None:
    """Two good items of three every time: none is kept for the next attempt, and nobody writes the third."""
    wrong = reply(BIRTH, instead(FRIEND, 1, "SELECT"), SHIP), reply(BIRTH, FRIEND, instead(SHIP, 2, "Which ships?"))
    said = script(*wrong, wrong[0], GOOD)
    assert ask(said) == ()
    assert said.rules == [["S1"], ["D4", "D5", "D6"], ["S1"]]


def test_a_prompt_that_does_not_fit_is_not_sent(sea: OxigraphGraph, minilm: Embedder) -> None:
    said = script()
    model = ScriptedModel("small", [Rule(GOOD)], context=700)
    asker = Asker(model, SINGLE_PROMPT, said.attempts.append)
    assert ask_at_once(asker, GRAPH, sea, minilm, RunSettings("sea", questions=3)) == ()
    assert (said.rules, model.calls) == ([["P5"]], 0)


def test_a_stored_number_is_a_value(ask: Asked) -> None:
    """How many people the crew has is stored in the graph, and is no count."""
    crew = ["How many people are in the crew of X?", select(f"{ADA_IRI} <{SEA}crew> ?x")]
    said = script(reply(BIRTH, [*crew, "How many people are in their crew?"], SHIP))
    turns = ask(said)
    assert said.rules == [[]]
    assert (turns[1].question.form, turns[1].query.form) == ("value", "select")
    assert turns[1].query.answers == (Answer("literal", "12", "12", XSD + "integer"),)


def test_the_query_tells_the_fact() -> None:
    assert asked_for(BIRTH[1], GRAPH) == BORN
    assert asked_for(FRIEND[1], GRAPH) == FRIENDS
    assert asked_for(SHIP[1], GRAPH) == SHIPS
    made_up = asked_for(select(f"{ADA_IRI} <{SEA}deathDate> ?x"), GRAPH)
    assert isinstance(made_up, Finding)
    assert (made_up.rule, made_up.message) == ("S3", f"uses IRIs that it was not given: {SEA}deathDate")


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (GOOD, True),
        (reply(BIRTH, instead(FRIEND, 1, count(f"{ADA_IRI} <{SEA}friendOf> ?x")), SHIP), True),  # left to S3
        (reply(BIRTH, instead(FRIEND, 2, "How many friends does the captain have?"), SHIP), True),
        (reply(BIRTH, SHIP), False),
        (reply(BIRTH, FRIEND, SHIP, BIRTH), False),
        (reply(BIRTH, instead(FRIEND, 0, "How many friends are there?"), SHIP), False),
        (reply(BIRTH, instead(FRIEND, 1, f"ASK WHERE {{ {HER_FRIENDS} }}"), SHIP), False),
        (reply(BIRTH, instead(FRIEND, 1, select(f"{HER_FRIENDS} . {HER_FRIENDS}")), SHIP), False),
        (reply(BIRTH, instead(FRIEND, 1, select(f"<{'a' * 100}> <{SEA}friend> ?x")), SHIP), False),  # bounded
        (reply(BIRTH, instead(FRIEND, 2, "How many friends are there?"), SHIP), False),
        (reply(instead(BIRTH, 2, "When were they born?"), FRIEND, SHIP), False),
    ],
)
def test_the_grammar_is_about_form_and_leaves_the_fact_open(text: str, allowed: bool) -> None:
    constraint = reply_form(GRAPH, reference(GRAPH), 3)
    assert constraint.lines == 9
    assert bool(to_regex(constraint.grammar).fullmatch(text)) is allowed
