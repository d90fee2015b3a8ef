from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal as OneOf

import pytest

from chattygen.domain import XSD, Answer, Fact, Literal, Query, Question, Value
from chattygen.errors import GraphError
from chattygen.generation.asks import Ask
from chattygen.generation.gbnf import to_regex
from chattygen.generation.queries import (
    alias,
    ask_queries,
    build,
    cue,
    expand,
    form_of,
    pattern,
    predicates,
    query_rule,
    run,
)
from chattygen.generation.stages import QUERIES
from chattygen.kg.oxigraph import OxigraphGraph

from .hand_made import (
    ADA,
    BORN,
    CREW,
    FACTS,
    FRIENDS,
    LATE,
    MEDALS,
    MENTOR,
    MOTTO,
    PUPIL,
    RANK,
    SEA,
    SHIPS,
    around,
    fact,
    literal,
    nodes,
    question,
    script,
)

WHEN = question("When was X born?", BORN)
MANY_FRIENDS = question("How many friends does X have?", FRIENDS, form="count")
WHICH_FRIENDS = question("Which friends does X have?", FRIENDS)
MANY_MEDALS = question("How many medals does X have?", MEDALS, form="count")
WHICH_SHIPS = question("Which ships have X as their captain?", SHIPS)


def ran(graph: OxigraphGraph, sparql: str, asked: Question, deadline: float = 30.0) -> str:
    """The rule that the query breaks, or nothing."""
    outcome = run(sparql, asked, around(*FACTS), graph, deadline, "model")
    if isinstance(outcome, Query):
        assert outcome.sparql == sparql
        return ""
    return " ".join(finding.rule for finding in outcome)


def select(what: str, head: str = "?x") -> str:
    """A query with `:name` for the IRIs of the graph."""
    return expand(f"SELECT {head} {{ {what} }}", SEA + "ada", {SEA + name: name for name in NAMES})


NAMES = ("birthDate", "deathDate", "rank", "friend", "medal", "mentor", "captain", "crew")
NUMBER = "(COUNT(DISTINCT ?x) AS ?n)"


@pytest.mark.parametrize(
    ("sparql", "asked", "broken"),
    [
        (select(":e :birthDate ?x"), WHEN, ""),
        (select(":e :mentor ?x"), question("Who taught X?", MENTOR), ""),
        (select("?x :mentor :e"), question("Whom did X teach?", PUPIL), ""),
        (select(":e :friend ?x"), WHICH_FRIENDS, ""),
        (select(":e :friend ?x", NUMBER), MANY_FRIENDS, ""),
        (select(":e :medal ?x", NUMBER), MANY_MEDALS, ""),
        (select(":e :crew ?x"), question("How many people are the crew of X?", CREW), ""),  # the number is stored
        (select("?x :captain :e"), WHICH_SHIPS, ""),
        (select("?x :captain :e", NUMBER), question("How many ships has X?", SHIPS, form="count"), ""),
        (select(":e :friend ?x"), question("Which friends has X?", replace(FRIENDS, values=nodes("bo", "cy"))), "S5"),
        (select(":e :friend ?x", NUMBER), replace(MANY_FRIENDS, fact=replace(FRIENDS, count=4)), "S5"),
        (select(":e :medal ?x"), question("Which medals has X?", MEDALS), "S5"),  # of a hub only the number is known
    ],
)
def test_a_query_gives_the_answers_of_its_fact(sea: OxigraphGraph, sparql: str, asked: Question, broken: str) -> None:
    assert ran(sea, sparql, asked) == broken


MANY_PUPILS = question("How many captains did X teach?", PUPIL, form="count")
CREW_SIZE = question("How many people are the crew of X?", CREW)


@pytest.mark.parametrize(
    ("sparql", "asked", "broken"),
    [
        (select(":e :birthDate ?x").replace("}", ""), WHEN, "S1"),
        ("SELECT ?x WHERE { :e :birthDate ?x }", WHEN, "S1"),  # prefixes that nobody declared
        ("", WHEN, "S1"),
        ("The birth date is 1901.", WHEN, "S1"),
        (f"SELECT ?x WHERE {{ SERVICE <http://127.0.0.1:1/> {{ <{SEA}ada> <{SEA}birthDate> ?x }} }}", WHEN, "S2"),
        (f"CONSTRUCT {{ <{SEA}ada> <{SEA}birthDate> ?x }} WHERE {{ <{SEA}ada> <{SEA}birthDate> ?x }}", WHEN, "S2"),
        (f"DESCRIBE <{SEA}ada>", WHEN, "S2"),
        (select(":e :deathDate ?x"), WHEN, "S3"),
        (select("?y :birthDate ?x . ?y a ?z").replace(" a ?z", f" a <{SEA}Captain>"), WHEN, "S3"),
        (select(":e :rank ?x"), WHEN, "S3"),  # a predicate of the graph, but of another question
        (select(f"<{SEA}bo> :birthDate ?x"), WHEN, "S3"),
        (select("?x :mentor :e"), question("Who taught X?", MENTOR), "S5"),  # the other way round
        (select(":e :mentor ?x"), question("Whom did X teach?", PUPIL), "S5"),
        (select(":e :mentor ?x", NUMBER), MANY_PUPILS, "S5"),  # one teacher and one pupil: the number would be right
        (select(":e :friend ?x", "?x ?y"), WHICH_FRIENDS, "S5"),  # two columns
        (select("?y :friend ?x", "?x ?y"), WHICH_FRIENDS, "S5"),
        (select("VALUES ?x { 12 }"), CREW_SIZE, "S5"),  # the answer without the graph
        (select("VALUES ?x { 1 2 3 }", NUMBER), MANY_FRIENDS, "S5"),
        (select("", "(3 AS ?n)"), MANY_FRIENDS, "S5"),
        (select("?y :birthDate ?x"), WHEN, "S5"),  # of anybody; only she has one in the graph
        (select(":e :birthDate ?x FILTER(?x > 3)"), WHEN, "S5"),
        (select(":e :friend ?x FILTER(false)"), WHICH_FRIENDS, "S5"),
        (select(":e :friend ?x") + " LIMIT 2", WHICH_FRIENDS, "S5"),
        (select(":e :friend ?x") + " ORDER BY DESC(?x)", WHICH_FRIENDS, "S5"),
        (select(":e :friend ?x . :e :friend ?y"), WHICH_FRIENDS, "S5"),
        (select(":e :friend ?x", "(COUNT(DISTINCT ?x) + 1 AS ?n)"), MANY_FRIENDS, "S5"),
        (f"ASK WHERE {{ ?x <{SEA}captain> ?y }}", WHICH_SHIPS, "S5"),
        (f"ASK {{ <{SEA}ada> <{SEA}birthDate> ?x }}", WHEN, "S6"),
        (f"ASK {{ <{SEA}ada> <{SEA}birthDate> ?x }}", question("Was X born?"), "S6"),
        (f"ASK {{ <{SEA}ada> <{SEA}friend> ?x }}", MANY_FRIENDS, "S6"),
        (select(":e :friend ?x"), MANY_FRIENDS, "S6"),
        (select(":e :friend ?x", NUMBER), WHICH_FRIENDS, "S6"),
        (select(":e :birthDate ?x", NUMBER), WHEN, "S6"),
        (select(":e :medal ?x"), MANY_MEDALS, "S6"),
        (select(":e :crew ?x", NUMBER), CREW_SIZE, "S6"),
    ],
)
def test_what_is_refused_before_it_runs(tmp_path: Path, sparql: str, asked: Question, broken: str) -> None:
    """The graph's store is not there: to run any query would raise. Yes to whether there is anything is no answer."""
    with OxigraphGraph("none", "", tmp_path / "none") as graph:
        assert ran(graph, sparql, asked) == broken


def test_a_graph_without_a_store_raises_when_it_is_asked(tmp_path: Path) -> None:
    with OxigraphGraph("none", "", tmp_path / "none") as graph, pytest.raises(GraphError):
        ran(graph, select(":e :birthDate ?x"), WHEN)


def test_one_teacher_and_one_pupil(sea: OxigraphGraph) -> None:
    """What makes the number right for the wrong reason in the example above."""
    one = ((Literal("1", XSD + "integer"),),)
    assert sea.select(select(":e :mentor ?x", NUMBER)).rows == one
    assert sea.select(select("?x :mentor :e", NUMBER)).rows == one


BORN_TRIPLE = f"<{SEA}ada> <{SEA}birthDate> ?x"


@pytest.mark.parametrize(
    ("sparql", "form"),
    [
        (f"SELECT ?x WHERE {{ {BORN_TRIPLE} }}", "select"),
        (f"SELECT DISTINCT ?x {{ {BORN_TRIPLE} . }}", "select"),
        (f"select ?x\nwhere{{<{SEA}ada><{SEA}birthDate>?x.}}", "select"),
        (f"SELECT ?x # her\n{{ {BORN_TRIPLE} }}", "select"),
        (f"SELECT (COUNT(DISTINCT ?x) AS ?n) {{ {BORN_TRIPLE} }}", "count"),
        (f"select (count(?x) as ?n) where {{ {BORN_TRIPLE} }}", "count"),
        (f"ASK {{ {BORN_TRIPLE} }}", "ask"),
        (f"SELECT * {{ {BORN_TRIPLE} }}", ""),
        (f"SELECT ?x ?x {{ {BORN_TRIPLE} }}", ""),
        (f"SELECT (COUNT(*) AS ?n) {{ {BORN_TRIPLE} }}", ""),
        (f"SELECT ?x {{ {{ {BORN_TRIPLE} }} }}", ""),
        (f"SELECT ?x {{ OPTIONAL {{ {BORN_TRIPLE} }} }}", ""),
        (f"SELECT ?x {{ {BORN_TRIPLE} }} LIMIT 3", ""),
        (f"SELECT ?x {{ <{SEA}ADA> <{SEA}birthDate> ?x }}", ""),  # IRIs differ by case
        (f"SELECT ?x {{ ?x <{SEA}birthDate> <{SEA}ada> }}", ""),
        ("", ""),
    ],
)
def test_the_form_of_a_query_for_the_fact_and_nothing_else(sparql: str, form: str) -> None:
    assert form_of(sparql, Ask(BORN, "value"), SEA + "ada") == form


def test_the_triple_of_an_incoming_fact_ends_in_the_seed() -> None:
    assert form_of(f"SELECT ?x {{ ?x <{SEA}mentor> <{SEA}ada> }}", Ask(PUPIL, "value"), SEA + "ada") == "select"
    assert form_of(f"SELECT ?x {{ <{SEA}ada> <{SEA}mentor> ?x }}", Ask(PUPIL, "value"), SEA + "ada") == ""


def test_the_form_of_the_question_decides_not_its_words(sea: OxigraphGraph) -> None:
    values, number = select(":e :friend ?x"), select(":e :friend ?x", NUMBER)
    for said in ("How many friends does X have?", "Which friends does X have?"):
        valued, counted = question(said, FRIENDS), question(said, FRIENDS, form="count")
        assert [ran(sea, sparql, valued) for sparql in (values, number)] == ["", "S6"]
        assert [ran(sea, sparql, counted) for sparql in (values, number)] == ["S6", ""]


@pytest.mark.parametrize(
    "instead",
    [
        "SELECT (COUNT(*) AS ?z) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r }",  # no end
        "ASK { }",  # refused where rows are asked for
    ],
)
def test_s4_the_store_does_not_answer_in_time_or_refuses(
    sea: OxigraphGraph, monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    """No query for one triple pattern is slow on so small a graph, so the real store is given another to run."""
    real = sea.select
    with monkeypatch.context() as patch:
        patch.setattr(sea, "select", lambda _, *, deadline: real(instead, deadline=deadline))
        assert ran(sea, select(":e :birthDate ?x"), WHEN, deadline=0.5) == "S4"
    assert ran(sea, select(":e :birthDate ?x"), WHEN) == ""


def test_no_answer_is_right_only_for_what_the_graph_is_known_not_to_say(sea: OxigraphGraph) -> None:
    """She has not died: the graph has nothing."""
    died = select(":e :deathDate ?x")
    unknown = fact("deathDate", "death date", (), "date", count=1)
    assert ran(sea, died, question("When did X die?", unknown)) == "S5"
    absent = question("When did X die?", replace(unknown, count=0))
    assert not absent.answerable
    query = build(absent, around(*FACTS), sea, 30.0)
    assert query is not None
    assert query == Query(died, "select", "builder", ())
    wrong = question("When was X born?", replace(BORN, values=(), count=0))  # the graph has a birth date
    assert ran(sea, select(":e :birthDate ?x"), wrong) == "S5"


@pytest.mark.parametrize(
    ("tested", "yes"),
    [(nodes("bo")[0], True), (nodes("cy")[0], False)],
)
def test_a_yes_no_question_is_answered_by_the_graph(sea: OxigraphGraph, tested: Value, yes: bool) -> None:
    asked = replace(question("Was X taught by Y?", MENTOR, form="yes-no"), tested=tested)
    query = build(asked, around(*FACTS), sea, 30.0)
    assert query is not None
    assert query.sparql == f"ASK WHERE {{ <{SEA}ada> <{SEA}mentor> <{tested.term.value}> }}"
    assert query.answers == (Answer("boolean", "true" if yes else "false", "yes" if yes else "no"),)
    assert ran(sea, select(":e :mentor ?x"), asked) == "S5"  # asks for the values, not whether
    wrong = replace(asked, fact=replace(MENTOR, values=() if yes else (tested,)))  # the subgraph says the other thing
    assert ran(sea, query.sparql, wrong) == "S5"


def test_a_literal_is_tested_with_its_datatype(sea: OxigraphGraph) -> None:
    asked = replace(question("Was X born on Y?", BORN, form="yes-no"), tested=BORN.values[0])
    query = build(asked, around(*FACTS), sea, 30.0)
    assert query is not None
    assert query.sparql == f'ASK WHERE {{ <{SEA}ada> <{SEA}birthDate> "1901-05-06"^^<{XSD}date> }}'
    assert query.answers[0].value == "true"


@pytest.mark.parametrize(
    "wrong",
    [
        literal("1901-05-06", "string"),  # another datatype
        literal("1901-05-07", "date"),
        literal("1901-05-06", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
        nodes("1901-05-06"),  # a node of that name
    ],
)
def test_answers_are_compared_as_typed_terms(sea: OxigraphGraph, wrong: tuple[Value, ...]) -> None:
    other = replace(BORN, values=wrong)
    assert ran(sea, select(":e :birthDate ?x"), question("When was X born?", other)) == "S5"


def test_a_language_tag_is_part_of_the_answer(sea: OxigraphGraph) -> None:
    right, bare = question("What is X's rank?", RANK), replace(RANK, values=literal("rear admiral"))
    assert ran(sea, select(":e :rank ?x"), right) == ""
    assert ran(sea, select(":e :rank ?x"), replace(right, fact=bare)) == "S5"


def answers(
    graph: OxigraphGraph, about: Fact, words: str, seed: str = SEA + "ada", form: OneOf["value", "count"] = "value"
) -> Query:
    subgraph = around(about, seed=replace(ADA, iri=seed))
    query = build(question(words, about, form=form), subgraph, graph, 30.0)
    assert query is not None
    assert (query.origin, query.complete) == ("builder", True)
    return query


def test_the_builder_writes_both_directions(sea: OxigraphGraph) -> None:
    out = answers(sea, MENTOR, "Who taught X?")
    assert out.sparql == f"SELECT ?x WHERE {{ <{SEA}ada> <{SEA}mentor> ?x }}"
    assert out.answers == (Answer("uri", SEA + "bo", "bo"),)
    into = answers(sea, PUPIL, "Whom did X teach?")
    assert into.sparql == f"SELECT ?x WHERE {{ ?x <{SEA}mentor> <{SEA}ada> }}"
    assert into.answers == (Answer("uri", SEA + "cy", "cy"),)


def test_the_answers_are_sorted_by_label_with_the_labels_of_the_subgraph(sea: OxigraphGraph) -> None:
    query = answers(sea, SHIPS, "Which ships have X as their captain?")
    assert query.answers == (Answer("uri", SEA + "gull", "Gull"), Answer("uri", LATE, "It's Late"))
    assert query.form == "select"


@pytest.mark.parametrize(
    ("about", "answer"),
    [
        (BORN, Answer("literal", "1901-05-06", "1901-05-06", XSD + "date")),
        (CREW, Answer("literal", "12", "12", XSD + "integer")),
        (MOTTO, Answer("literal", 'say "aye" \\ go', 'say "aye" \\ go', XSD + "string")),
        (
            RANK,
            Answer(
                "literal", "rear admiral", "rear admiral", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"
            ),
        ),
    ],
)
def test_literals_keep_their_type_and_language(sea: OxigraphGraph, about: Fact, answer: Answer) -> None:
    assert answers(sea, about, "What is it of X?").answers == (answer,)


def test_the_number_of_a_hub(sea: OxigraphGraph) -> None:
    query = answers(sea, MEDALS, "How many medals does X have?", form="count")
    assert query.form == "count"
    assert query.sparql == f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ <{SEA}ada> <{SEA}medal> ?x }}"
    assert query.answers == (Answer("literal", "9", "9", XSD + "integer"),)


def test_iris_with_an_apostrophe_and_brackets(sea: OxigraphGraph) -> None:
    port = fact("winter's_port_(main)", "winter port", nodes("oslo"))
    query = answers(sea, port, "Where does X lie in winter?", seed=LATE)
    assert query.sparql == f"SELECT ?x WHERE {{ <{LATE}> <{SEA}winter's_port_(main)> ?x }}"
    assert query.answers == (Answer("uri", SEA + "oslo", "oslo"),)


def test_the_builder_gives_up_what_the_graph_does_not_say(sea: OxigraphGraph) -> None:
    assert build(question("Who knows X?", replace(FRIENDS, count=4)), around(FRIENDS), sea, 30.0) is not None
    wrong = replace(FRIENDS, values=nodes("bo"))
    assert build(question("Who knows X?", wrong), around(wrong), sea, 30.0) is None
    miscounted = replace(MEDALS, count=8)
    asked = question("How many medals has X?", miscounted, form="count")
    assert build(asked, around(miscounted), sea, 30.0) is None


def test_the_builder_counts_where_the_question_does(sea: OxigraphGraph) -> None:
    words = "How many friends does X have?"
    assert answers(sea, FRIENDS, words, form="count").answers == (Answer("literal", "3", "3", XSD + "integer"),)
    assert [answer.label for answer in answers(sea, FRIENDS, words).answers] == ["bo", "cy", "dee"]
    assert answers(sea, CREW, "How many people are the crew of X?").form == "select"


def test_aliases_are_readable_short_and_all_different() -> None:
    names = alias(
        [
            "http://a.org/birthDate",
            "http://b.org/birth_date",
            "http://c.org/birth-date",
            "http://d.org/e",
            "http://d.org/名前",
            "http://d.org/P31",
            "http://a.org/birthDate",
            "http://d.org/captain's_(first)",
        ]
    )
    assert names["http://a.org/birthDate"] == "birthDate"
    assert names["http://d.org/captain's_(first)"] == "captainSFirst"
    assert len(set(names.values())) == len(names) == 7
    assert "e" not in names.values()
    assert all(name.isascii() and name.isalnum() for name in names.values())


def test_the_triple_pattern_asks_for_the_other_end() -> None:
    names = {SEA + "mentor": "mentor"}
    assert pattern(Ask(MENTOR, "value"), names) == ":e :mentor ?x"
    assert pattern(Ask(PUPIL, "value"), names) == "?x :mentor :e"


def test_only_known_aliases_are_expanded() -> None:
    names = {"http://e.org/p?a=:e": "p", "http://e.org/pq": "pq"}
    seed = "http://e.org/s:p"
    assert expand("SELECT ?x { :e :p ?x . :e :pq ?y . :e :other ?z }", seed, names) == (
        f"SELECT ?x WHERE {{ <{seed}> <http://e.org/p?a=:e> ?x . <{seed}> <http://e.org/pq> ?y . <{seed}> :other ?z }}"
    )
    assert expand("no query", seed, names) == "no query"


ASKED = (WHEN, MANY_FRIENDS, WHICH_SHIPS)
GOOD = (
    "When was: SELECT ?x { :e :birthDate ?x }",
    "How many: SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :friend ?x }",
    "Which ships: SELECT ?x { ?x :captain :e }",
)


def test_the_model_writes_the_queries(sea: OxigraphGraph) -> None:
    told = script("\n".join(GOOD))
    queries = ask_queries(told.asker(QUERIES), around(*FACTS), ASKED, sea, 30.0)
    assert [query.origin for query in queries if query] == ["model"] * 3
    assert [query.form for query in queries if query] == ["select", "count", "select"]
    assert [len(query.answers) for query in queries if query] == [1, 1, 2]
    assert told.rules == [[]]
    assert told.attempts[0].call is not None
    assert to_regex(told.attempts[0].call.constraint).fullmatch("\n".join(GOOD))
    assert "Ada" not in told.prompt(1)


def test_a_wrong_query_is_asked_again_and_then_built(sea: OxigraphGraph) -> None:
    wrong = "How many: SELECT ?x { :e :friend ?x }"
    told = script("\n".join([GOOD[0], wrong, GOOD[2]]), wrong)
    queries = ask_queries(told.asker(QUERIES), around(*FACTS), ASKED, sea, 30.0)
    assert [query.origin for query in queries if query] == ["model", "builder", "model"]
    assert told.repairs == {2: ("builder", "S6")}
    assert told.rules == [["S6"], ["S6"]]
    assert MANY_FRIENDS.pattern in told.prompt(2)
    assert WHEN.pattern not in told.prompt(2)
    assert "it needs COUNT" in told.prompt(2)


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("When was: SELECT ?x { :e :birthDate ?x", "S1"),
        ("When was: SELECT ?x { :e :birthDate ?x . :e :rank ?y }", "S1"),
        ("When was: SELECT ?x { ?x :birthDate :e }", "S5"),
        ("When was: SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :birthDate ?x }", "S6"),
    ],
)
def test_what_was_wrong_is_told_without_the_iri_of_the_entity(sea: OxigraphGraph, line: str, broken: str) -> None:
    told = script(line, GOOD[0])
    (query,) = ask_queries(told.asker(QUERIES), around(*FACTS), (WHEN,), sea, 30.0)
    assert query is not None
    assert told.rules == [[broken], []]
    assert "Not right: " in told.prompt(2)
    assert not any(secret in told.prompt(2) for secret in (SEA, "ada", "Ada", "1901"))


def test_each_question_keeps_its_own_query(sea: OxigraphGraph) -> None:
    """Queries in another order are not taken for the questions."""
    told = script("\n".join([GOOD[1], GOOD[2], GOOD[0]]), "", "")
    queries = ask_queries(told.asker(QUERIES), around(*FACTS), ASKED, sea, 30.0)
    assert [query.sparql for query in queries if query] == [
        f"SELECT ?x WHERE {{ <{SEA}ada> <{SEA}birthDate> ?x }}",
        f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ <{SEA}ada> <{SEA}friend> ?x }}",
        f"SELECT ?x WHERE {{ ?x <{SEA}captain> <{SEA}ada> }}",
    ]
    assert {query.origin for query in queries if query} == {"builder"}


def test_none_where_even_the_builder_fails(sea: OxigraphGraph) -> None:
    wrong = replace(FRIENDS, values=nodes("bo"), count=1)
    told = script("x", "x", "x")
    asked = (question("Which friend has X?", wrong),)
    assert ask_queries(told.asker(QUERIES), around(wrong), asked, sea, 30.0) == (None,)
    assert told.repairs == {1: ("lost", "S1")}  # `x` is no SPARQL


def test_the_cue_says_how_the_question_opens_and_whether_its_number_is_stored() -> None:
    assert cue(WHEN) == "When was: "
    assert cue(question("How many people are the crew of X?", CREW)) == "How many (stored): "


def test_only_how_many_leaves_a_choice_of_form() -> None:
    tested = replace(question("Was X taught by Y?", MENTOR, form="yes-no"), tested=nodes("bo")[0])
    names = alias(predicates(tested))
    allowed = to_regex(f"root ::= {query_rule(tested, pattern(tested, names))}\n")
    assert allowed.fullmatch("Was X: ASK { :e :mentor :v }")
    assert not allowed.fullmatch("Was X: SELECT ?x { :e :mentor :v }")
    when = to_regex(f"root ::= {query_rule(WHEN, pattern(WHEN, alias(predicates(WHEN))))}\n")
    assert when.fullmatch("When was: SELECT ?x { :e :birthDate ?x }")
    assert not when.fullmatch("When was: SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :birthDate ?x }")
    how_many = question("How many people are in the crew of X?", CREW)
    open_one = to_regex(f"root ::= {query_rule(how_many, pattern(how_many, alias(predicates(how_many))))}\n")
    assert open_one.fullmatch("How many (stored): SELECT ?x { :e :crew ?x }")
    assert open_one.fullmatch("How many (stored): SELECT (COUNT(DISTINCT ?x) AS ?n) { :e :crew ?x }")
    assert not open_one.fullmatch("When was: ASK { :e :birthDate ?x }")
