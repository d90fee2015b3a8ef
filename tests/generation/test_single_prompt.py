"""The baseline over the captain's graph: a good reply, and each kind of bad one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.config import RunSettings
from chattygen.domain import XSD, Answer, Finding, Turn
from chattygen.generation.attempts import Asker
from chattygen.generation.gbnf import to_regex
from chattygen.generation.single_prompt import Task, ask_at_once, asked_for, reply_form
from chattygen.generation.stages import SINGLE_PROMPT
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.models.model import Embedder
from chattygen.models.scripted import Rule, ScriptedModel

from .hand_made import BORN, CREW, FRIENDS, LATE, MEDALS, MENTOR, RANK, SEA, SHIPS, Script, around, script

GRAPH = around(BORN, RANK, CREW, MENTOR, FRIENDS, MEDALS, SHIPS)

Item = tuple[str, str, str]
"""A question, its query, its turn."""

BIRTH = ("When was X born?", "SELECT ?x { :e :birthDate ?x }", "When were they born?")
FRIEND = (
    "How many friends does X have?",
    "SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :friend ?x }",
    "How many friends do they have?",
)
SHIP = (
    "Which ships have X as their captain?",
    "SELECT ?x { ?x :captain :e }",
    "Which ships have them as their captain?",
)
MEDAL = ("Which medals does X have?", "SELECT ?x { :e :medal ?x }", "Which medals do they have?")


def but(item: Item, question: str = "", query: str = "", turn: str = "") -> Item:
    return question or item[0], query or item[1], turn or item[2]


def reply(*items: Item) -> str:
    cues = ("question: ", "query: ", "in the dialogue: ")
    return "\n".join(
        cue + text for n, item in enumerate(items) for cue, text in list(zip(cues, item, strict=True))[: 3 if n else 2]
    )


GOOD = reply(BIRTH, FRIEND, SHIP)


@pytest.fixture
def task(sea: OxigraphGraph, minilm: Embedder) -> Task:
    """Three questions, with the real store and the real sentence embedding."""
    return Task(GRAPH, sea, minilm, RunSettings("sea", questions=3))


def ask(said: Script, task: Task, fewest: int = 3) -> tuple[Turn, ...]:
    return ask_at_once(said.asker(SINGLE_PROMPT), replace(task, run=replace(task.run, min_questions=fewest)))


def test_one_call_gives_questions_queries_and_turns(task: Task) -> None:
    said = script(GOOD)
    turns = ask(said, task)
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
    assert turns[0].query.sparql == f"SELECT ?x WHERE {{ <{SEA}ada> <{SEA}birthDate> ?x }}"
    assert [turn.query.answers for turn in turns] == [
        (Answer("literal", "1901-05-06", "1901-05-06", XSD + "date"),),
        (Answer("literal", "3", "3", XSD + "integer"),),
        (Answer("uri", SEA + "gull", "Gull"), Answer("uri", LATE, "It's Late")),
    ]
    assert {(t.question.origin, t.query.origin, t.utterance_origin) for t in turns} == {("model",) * 3}
    assert [turn.query.form for turn in turns] == ["select", "count", "select"]


def test_the_model_sees_all_facts_and_never_the_name(task: Task) -> None:
    said = script(GOOD)
    ask(said, task)
    first, *facts, last = said.prompt(1).splitlines()
    assert first == "X is a captain; in the dialogue: they, them, the captain, their"
    assert last == "3 facts."
    assert sorted(facts) == [
        ":e :birthDate ?x | birth date of X: a date",
        ":e :crew ?x | crew of X: a number",
        ":e :friend ?x | friend of X: 3 captains",
        ":e :medal ?x | medal of X: 9 medals",
        ":e :mentor ?x | mentor of X: a captain",
        ":e :rank ?x | rank of X",
        "?x :captain :e | 2 ships whose captain is X",
    ]
    full = script(GOOD)
    ask(full, replace(task, run=replace(task.run, serialisation="full")))
    assert ':e :birthDate ?x | birth date of X: "1901-05-06"' in full.prompt(1).splitlines()
    assert '?x :captain :e | 2 ships whose captain is X: "Gull", "It\'s Late"' in full.prompt(1).splitlines()


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [
        (but(FRIEND, query="SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :friendOf ?x }"), ["S3"]),  # made up
        (but(FRIEND, query=f"SELECT ?x {{ <{SEA}bo> :friend ?x }}"), ["S3"]),  # of somebody else
        (but(FRIEND, query="SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :friend :e }"), ["Q2"]),  # nobody says so
        (but(FRIEND, query="SELECT ?x { :e ?p ?x }"), ["Q2"]),
        (but(FRIEND, query="SELECT ?x { :e :friend ?x . :e :mentor ?x }"), ["Q2"]),
        (but(FRIEND, query="SELECT ?x {"), ["S1"]),
        (but(FRIEND, query="SELECT ?x { SERVICE <http://127.0.0.1:1/> { :e :friend ?x } }"), ["S2"]),
        (but(FRIEND, query="SELECT ?x { :e :friend ?x }"), ["S6"]),  # the values, for how many
        (but(FRIEND, query="ASK { :e :friend ?x }"), ["S6"]),
        (MEDAL, ["S5"]),  # of a hub only the number is known
        (but(FRIEND, question="How many friends do they have?"), ["Q1", "Q6"]),
        (but(FRIEND, question="How many friends does X have"), ["Q4"]),
        (but(FRIEND, question="How many of X's 3 friends are there?"), ["Q5"]),
        (but(FRIEND, question="How many ships does X have?"), ["Q8"]),
        (BIRTH, ["Q3", "Q7"]),  # once more
        (but(FRIEND, turn="How many friends does Ada Berg have?"), ["D3", "D4", "D6"]),
        (but(FRIEND, turn="How many friends does X have?"), ["D3", "D4"]),
        (but(FRIEND, turn="How many friends?"), ["D4"]),
        (but(FRIEND, turn="How many friends do they have"), ["D5"]),
        (but(FRIEND, turn="When were they born?"), ["D6"]),
        (but(FRIEND, turn="How many friends does she have?"), ["D4", "D8"]),
    ],
)
def test_an_item_is_refused_by_the_rule_that_it_breaks_and_the_reply_is_asked_for_again(
    task: Task, wrong: Item, rules: list[str]
) -> None:
    said = script(reply(BIRTH, wrong, SHIP), GOOD)
    assert [turn.question.fact for turn in ask(said, task)] == [BORN, FRIENDS, SHIPS]
    assert said.rules == [rules, []]
    finding = said.attempts[0].findings[0]
    assert f"Not: {finding.evidence} ({finding.message})" in said.prompt(2)
    assert f"<{SEA}ada>" not in said.prompt(2)
    # As in the multi-stage approach, the others make a dialogue where they are enough.
    alone = script(reply(BIRTH, wrong, SHIP))
    turns = ask(alone, task, fewest=2)
    assert alone.rules == [rules]
    assert [(turn.n, turn.question.fact) for turn in turns] == [(1, BORN), (2, SHIPS)]


def test_the_first_question_that_is_right_opens_the_dialogue_as_it_is(task: Task) -> None:
    """Whatever the model would have said in its place."""
    said = script(reply(but(BIRTH, query="SELECT"), but(FRIEND, turn="And friends?"), SHIP))
    turns = ask(said, task, fewest=2)
    assert said.rules == [["S1"]]
    assert [turn.utterance for turn in turns] == [
        "How many friends does Ada Berg have?",
        "Which ships have them as their captain?",
    ]


def test_two_turns_that_are_the_same(task: Task) -> None:
    """Two questions of other words and facts, and one turn for both: D6 sees it too."""
    said = script(reply(BIRTH, FRIEND, but(SHIP, turn="How many friends do they have?")))
    assert len(ask(said, task, fewest=2)) == 2
    assert said.rules == [["D6", "D7"]]


def test_a_reply_of_another_form(task: Task) -> None:
    said = script(GOOD.rpartition("\n")[0], f"Sure! Here is your dialogue.\n{GOOD}", "")
    assert ask(said, task) == ()
    assert said.rules == [["P1"], ["P1"], ["P3"]]
    again = "Exactly three lines for each fact, two for the first."
    assert [again in said.prompt(number) for number in (1, 2, 3)] == [False, True, True]


def test_a_reply_that_is_cut(task: Task) -> None:
    """Its whole items count, two here; where that is not enough, the next attempt has twice the room."""
    cut = reply(BIRTH, SHIP, FRIEND)[:-3]
    said = script(Rule(cut, finish="length"))
    assert [turn.question.fact for turn in ask(said, task, fewest=2)] == [BORN, SHIPS]
    assert said.rules == [["P2"]]
    said = script(Rule(cut, finish="length"), GOOD)
    assert len(ask(said, task)) == 3
    # Eight lines of 44 tokens, and 16.
    assert [attempt.call.max_tokens for attempt in said.attempts if attempt.call] == [368, 736]


def test_what_fails_three_times_fails(task: Task) -> None:
    """Two good items of three every time: none is kept for the next attempt, and nobody writes the third."""
    first, second = reply(BIRTH, but(FRIEND, query="SELECT"), SHIP), reply(BIRTH, FRIEND, but(SHIP, turn="Which?"))
    said = script(first, second, first, GOOD)
    assert ask(said, task) == ()
    assert said.rules == [["S1"], ["D4", "D5", "D6"], ["S1"]]


def test_a_prompt_that_does_not_fit_is_not_sent(task: Task) -> None:
    said = script()
    model = ScriptedModel("small", [Rule(GOOD)], context=700)
    assert ask_at_once(Asker(model, SINGLE_PROMPT, said.attempts.append), task) == ()
    assert (said.rules, model.calls) == ([["P5"]], 0)


def test_a_stored_number_is_a_value(task: Task) -> None:
    """How many people the crew has is stored in the graph, and is no count."""
    crew = ("How many people are in the crew of X?", "SELECT ?x { :e :crew ?x }", "How many people are in their crew?")
    said = script(reply(BIRTH, crew, SHIP))
    turns = ask(said, task)
    assert said.rules == [[]]
    assert (turns[1].question.form, turns[1].query.form) == ("value", "select")
    assert turns[1].query.answers == (Answer("literal", "12", "12", XSD + "integer"),)


def test_entities_with_the_same_facts_are_not_all_asked_the_same(task: Task) -> None:
    """No name stands in the prompt, so with one order of the facts all their prompts would be one."""
    seeds = [replace(GRAPH.seed, iri=f"{SEA}{n}") for n in range(6)]
    orders = [tuple(replace(task, subgraph=replace(GRAPH, seed=seed)).facts) for seed in seeds]
    assert len(set(orders)) > 1
    assert {frozenset(order) for order in orders} == {frozenset(GRAPH.facts)}
    assert replace(task).facts == task.facts


def test_the_query_tells_the_fact(task: Task) -> None:
    assert [asked_for(item[1], task) for item in (BIRTH, FRIEND, SHIP)] == [BORN, FRIENDS, SHIPS]
    made_up = asked_for("SELECT ?x { :e :deathDate ?x }", task)
    assert made_up == Finding("S3", "uses names that it was not given", "SELECT ?x { :e :deathDate ?x }")


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (GOOD, True),
        (reply(BIRTH, but(FRIEND, query="SELECT ?x { ?x :friendOf :e }"), SHIP), True),  # left to S3, Q2, S6
        (reply(BIRTH, but(FRIEND, turn="When did the captain rest?"), SHIP), True),  # left to D6
        (reply(BIRTH, SHIP), False),
        (reply(BIRTH, FRIEND, SHIP, MEDAL), False),
        (GOOD.replace("question: ", ""), False),
        (reply(BIRTH, but(FRIEND, question="How many friends are there?"), SHIP), False),
        (reply(BIRTH, but(FRIEND, query="ASK { :e :friend ?x }"), SHIP), False),
        (reply(BIRTH, but(FRIEND, query="SELECT ?x { :e :friend ?x . :e :friend ?x }"), SHIP), False),
        (reply(BIRTH, but(FRIEND, query="SELECT ?x { ?x :friend ?x }"), SHIP), False),
        (reply(BIRTH, but(FRIEND, query="SELECT ?x { :e :friendships ?x }"), SHIP), False),  # longer than birthDate
        (reply(BIRTH, but(FRIEND, turn="How many friends are close?"), SHIP), False),
    ],
)
def test_the_grammar_is_about_form_and_leaves_the_fact_open(task: Task, text: str, allowed: bool) -> None:
    constraint = reply_form(task.reference, task.aliases, 3)
    assert constraint.lines == 8
    assert bool(to_regex(constraint.grammar).fullmatch(text)) is allowed
