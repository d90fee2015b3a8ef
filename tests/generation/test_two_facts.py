"""Questions over two facts about the singer of tests/data/albums.ttl, and her albums."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

import pytest

from chattygen.domain import Beyond, Fact, Iri, Query, Question, Subgraph, Value
from chattygen.generation import two_facts
from chattygen.generation.asks import Ask
from chattygen.generation.gbnf import to_regex
from chattygen.generation.grammar import lines
from chattygen.generation.queries import ask_queries, build, run
from chattygen.generation.questions import ask_questions, findings, openings, to_question
from chattygen.generation.stages import QUERIES
from chattygen.generation.wording import reference, with_reference
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.models.model import Embedder
from tests.albums import A, V, around_mira

from .hand_made import Alike, around, fact, literal, nodes, script


@pytest.fixture(scope="module")
def mira(shop: OxigraphGraph) -> Subgraph:
    return around_mira(shop)


def ask(subgraph: Subgraph, kind: str, predicate: str, form: str = "value") -> Ask:
    """The question over two facts of that kind about that second predicate."""
    found = [
        Ask(first, form, beyond=beyond)  # type: ignore[arg-type]
        for first, beyond in subgraph.beyond
        if (beyond.kind, beyond.fact.predicate_label) == (kind, predicate)
    ]
    assert len(found) == 1
    return found[0]


THEIRS = "of the albums by X"
LATER = "of the albums by them"

SAID = [
    (
        *("hop", "birth place", "value", "spouse, birth place: ", "birth place of the spouse Y: a town"),
        *("Where was the spouse of X born?", "Where was their spouse born?"),
    ),
    (
        *("hop", "nickname", "value", "spouse, nickname: ", "nickname of the spouse Y"),
        *("What are the nicknames of the spouse of X?", "What are the nicknames of their spouse?"),
    ),
    (
        *("condition", "genre", "value", "artist, genre: ", f"{THEIRS[3:]} that have Y among their genres"),
        *(f"Which {THEIRS} have Y among their genres?", f"Which {LATER} have jazz among their genres?"),
    ),
    (
        *("condition", "year", "count", "artist, year: ", f"number {THEIRS} that are of the year Y: a number"),
        *(f"How many {THEIRS} are of the year Y?", f"How many {LATER} are of the year 1983?"),
    ),
    (
        *("least", "release date", "value", "artist, earliest release date: "),
        f"the one {THEIRS} that has the earliest release date",
        *(f"Which {THEIRS} has the earliest release date?", f"Which {LATER} has the earliest release date?"),
    ),
    (
        *("least", "tracks", "value", "artist, fewest tracks: ", f"the one {THEIRS} that has the fewest tracks"),
        *(f"Which {THEIRS} has the fewest tracks?", f"Which {LATER} has the fewest tracks?"),
    ),
    (
        *("least", "year", "value", "artist, earliest year: ", f"the one {THEIRS} that is the earliest by year"),
        *(f"Which {THEIRS} is the earliest by year?", f"Which {LATER} is the earliest by year?"),
    ),
]
"""Kind, second predicate, form; cue, phrase, plain question, plain later turn."""


@pytest.mark.parametrize(("kind", "predicate", "form", "cue", "phrase", "plain", "later"), SAID)
def test_how_it_is_said(
    mira: Subgraph,
    minilm: Embedder,
    kind: str,
    predicate: str,
    form: str,
    cue: str,
    phrase: str,
    plain: str,
    later: str,
) -> None:
    asked = ask(mira, kind, predicate, form)
    assert two_facts.sayable(asked.fact, asked.beyond)  # type: ignore[arg-type]
    assert two_facts.cue(asked) == cue
    assert two_facts.phrase(asked) == phrase
    assert two_facts.plain(asked) == plain
    question = to_question(plain, asked, mira, "builder")
    assert with_reference(two_facts.owned(question), reference(mira)) == later
    assert findings(question, asked, mira, (), minilm) == ()


RIVER = nodes("r", type_label="river")
LAKES = nodes("a", "b", "c", type_label="lake")
FED_BY = fact("fedBy", "fed by", RIVER, "entity", "river")
SOURCE = fact("source", "source", RIVER, "entity", "river")
SHIP = fact("captain", "captain", nodes("gull", type_label="ship"), "entity", "ship", direction="in")
INTO_IT = fact("flowsInto", "flows into", RIVER, "entity", "river", direction="in")
RULED = fact("ruledBy", "ruled by", nodes("man", type_label="isle"), "entity", "isle", direction="in")
OWN_LAKES = fact("lake", "lake", LAKES, "entity", "lake")
FED_BY_LAKES = fact("fedBy", "fed by", LAKES, "entity", "lake")
LAKES_INTO_IT = fact("flowsInto", "flows into", LAKES, "entity", "lake", direction="in")
MEMBER = fact("member", "is member", nodes("club", type_label="club"), "entity", "club")
BORN_THERE = fact("birthPlace", "birth place", nodes("bo", type_label="person"), "entity", "person", direction="in")
MEMBERS = "Which of the lakes that are members of X has the greatest area?"
AREA = fact("area", "area", literal("12", "integer"), "number")
DEPTH = fact("depth", "depth", literal("12", "integer"), "number")
OPENED = fact("opened", "opened", literal("1901-05-06", "date"), "date")
COUNTRY = fact("country", "country", nodes("Norway", type_label="country"), "entity", "country")
WITHIN = fact("locatedIn", "located in", nodes("Norway", type_label="country"), "entity", "country")
FLOWS = fact("flowsInto", "flows into", nodes("Sae", type_label="sea"), "entity", "sea")
FUNDED = fact("fundedBy", "funded by", nodes("Bo", type_label="person"), "entity", "person")
IS_OPEN = fact("open", "open", literal("true", "boolean"), "boolean")


@pytest.mark.parametrize(
    ("first", "second", "kind", "plain"),
    [
        (FED_BY, DEPTH, "hop", "What is the depth of the river that X is fed by?"),
        (MEMBER, DEPTH, "hop", "What is the depth of the club that X is a member of?"),
        (replace(MEMBER, direction="in"), DEPTH, "hop", "What is the depth of the club that is a member of X?"),
        (BORN_THERE, DEPTH, "hop", "What is the depth of the person born in X?"),
        (fact("inDistrict", "in district", RIVER), AREA, "hop", "What is the area of the district that X is in?"),
        (SOURCE, OPENED, "hop", "When was the source of X opened?"),
        (SOURCE, FLOWS, "hop", "Which sea does the source of X flow into?"),
        (SHIP, DEPTH, "hop", "What is the depth of the ship with X as captain?"),
        (INTO_IT, DEPTH, "hop", "What is the depth of the river that flows into X?"),
        (RULED, COUNTRY, "hop", "What is the country of the isle that is ruled by X?"),
        (OWN_LAKES, COUNTRY, "condition", "Which of the lakes of X have Y as their country?"),
        (OWN_LAKES, WITHIN, "condition", "Which of the lakes of X are located in Y?"),
        (OWN_LAKES, FLOWS, "condition", "Which of the lakes of X flow into Y?"),
        (OWN_LAKES, FUNDED, "condition", "Which of the lakes of X are funded by Y?"),
        (OWN_LAKES, MEMBER, "condition", "Which of the lakes of X are members of Y?"),
        (replace(OWN_LAKES, predicate_label="is member", direction="in"), AREA, "most", MEMBERS),
        (OWN_LAKES, DEPTH, "most", "Which of the lakes of X is the deepest?"),
        (OWN_LAKES, AREA, "most", "Which of the lakes of X has the greatest area?"),
        (OWN_LAKES, OPENED, "most", "Which of the lakes of X was opened last?"),
        (FED_BY_LAKES, OPENED, "least", "Which of the lakes that X is fed by was opened first?"),
        (LAKES_INTO_IT, AREA, "least", "Which of the lakes that flow into X has the smallest area?"),
        # What English has no words for, or what could not be told from the rest of the question.
        (replace(FED_BY, value_type=""), DEPTH, "hop", ""),
        (replace(SHIP, value_type=""), DEPTH, "hop", ""),
        (replace(FED_BY_LAKES, value_type=""), DEPTH, "most", ""),
        (replace(LAKES_INTO_IT, value_type=""), DEPTH, "most", ""),
        (FED_BY, FLOWS, "hop", ""),  # which sea does the river that X is fed by flow into?
        (OWN_LAKES, fact("awarded", "awarded", nodes("Bo")), "condition", ""),
        (OWN_LAKES, fact("foundedIn", "founded in", literal("1901", "gYear"), "year"), "most", ""),
        (OWN_LAKES, fact("country", "country", nodes("Malcolm X")), "condition", ""),
        (OWN_LAKES, fact("country", "country", nodes("Who?")), "condition", ""),
        (SOURCE, IS_OPEN, "hop", ""),
        (BORN_THERE, fact("birthDate", "birth date", literal("1901-05-06", "date"), "date"), "hop", ""),
    ],
)
def test_the_plain_question(
    first: Fact, second: Fact, kind: OneOf["hop", "condition", "most", "least"], plain: str
) -> None:
    beyond = Beyond(kind, second, second if kind == "hop" else first)
    assert (two_facts.plain(Ask(first, "value", beyond=beyond)) if two_facts.sayable(first, beyond) else "") == plain


def test_the_grammar_pins_what_must_be_said(mira: Subgraph) -> None:
    asks = [ask(mira, "hop", "birth place"), ask(mira, "condition", "genre", "count"), ask(mira, "least", "tracks")]
    rules = [two_facts.rule(asked, openings(two_facts.second(asked))) for asked in asks]
    hop, condition, least = (to_regex(lines([rule]).grammar).fullmatch for rule in rules)
    assert hop("Where was Y born?")
    assert hop("Where was the spouse Y born?")
    assert not hop("Where was X born?")
    assert not hop("Where was the spouse born?")
    assert not hop("Is Y from Ulm?")
    assert not hop("Where was Y's father born?")
    assert condition("How many of the albums by X are Y albums?")
    assert not condition("Which of the albums by X are Y albums?")
    assert not condition("How many of the albums by X are jazz albums?")
    assert not condition("How many of the albums by X Y?")
    assert least("Which of the albums by X has the fewest tracks?")
    assert not least("Which of the albums by X has the most tracks?")
    assert not least("Which of the albums by X has nine tracks?")


@pytest.mark.parametrize(
    ("kind", "predicate", "pattern", "rule"),
    [
        ("hop", "birth place", "Where was the spouse of X born?", ""),
        ("hop", "birth place", "In which town was the spouse of X born?", ""),
        ("hop", "birth date", "When was the spouse of X born?", ""),
        ("hop", "birth place", "Where was X born?", "Q11"),
        ("hop", "birth place", "Where was the mother of X born?", "Q11"),
        ("hop", "birth place", "Where was the spouse of the spouse of X born?", "Q11"),
        ("hop", "birth place", "Where was the spouse of X?", "Q11"),
        ("hop", "birth place", "Where was the spouse of X born as a spouse?", "Q11"),
        ("hop", "birth place", "Where were the spouses of the singers born the spouse of X?", "Q11"),
        ("hop", "birth place", "When was the spouse of X born?", "Q8"),
        ("hop", "birth place", "Where does the spouse of X live?", "Q8"),
        ("hop", "birth date", "Where was the spouse of X born?", "Q8"),
        ("condition", "genre", f"Which {THEIRS} are in the genre of Y?", ""),
        ("condition", "year", f"Which {THEIRS} were released in Y?", ""),
        ("condition", "genre", f"Which {THEIRS} were recorded by Y?", "Q8"),
        ("condition", "genre", f"Which {THEIRS} were released in Y?", "Q8"),
        ("condition", "genre", f"Which {THEIRS} have pop as their genre?", "Q11"),
        ("condition", "genre", "Which albums of X have Y as their genre?", "Q11"),
        ("least", "release date", f"Which {THEIRS} was released first?", ""),
        ("least", "tracks", f"Which {THEIRS} has the smallest number of tracks?", ""),
        ("least", "release date", f"Which {THEIRS} was released last?", "Q11"),
        ("least", "release date", f"Which {THEIRS} was released?", "Q11"),
        ("least", "release date", f"Which {THEIRS} is the oldest?", "Q8"),
        ("least", "release date", f"Which {THEIRS} has the earliest birth date?", "Q8"),
        ("least", "tracks", f"Which {THEIRS} has the lowest price?", "Q8"),
        ("least", "tracks", f"Which {THEIRS} is the shortest?", "Q8"),
        ("least", "tracks", "Which album of X has the fewest tracks?", "Q11"),
    ],
)
def test_it_asks_for_both(mira: Subgraph, minilm: Embedder, kind: str, predicate: str, pattern: str, rule: str) -> None:
    asked = ask(mira, kind, predicate)
    found = findings(to_question(pattern, asked, mira, "model"), asked, mira, (), minilm)
    assert " ".join(finding.rule for finding in found) == rule


def test_a_question_with_its_answer_or_about_what_is_not_there(mira: Subgraph) -> None:
    asked = ask(mira, "hop", "birth place")
    told = to_question("Where was the spouse of X from Ulmen born?", asked, mira, "model")
    assert [finding.rule for finding in findings(told, asked, mira, (), Alike())] == ["Q5"]
    question = to_question("Where was the spouse of X born?", asked, mira, "model")
    other = replace(mira, beyond=tuple(pair for pair in mira.beyond if pair[1] != asked.beyond))
    assert [finding.rule for finding in findings(question, asked, other, (), Alike())] == ["Q2"]


def test_a_fact_and_what_lies_beyond_it_are_two_questions(mira: Subgraph) -> None:
    asked = ask(mira, "hop", "birth place")
    hop = to_question("Where was the spouse of X born?", asked, mira, "model")
    spouse = to_question("Who is the spouse of X?", Ask(asked.fact, "value"), mira, "model")
    assert findings(hop, asked, mira, (spouse,), Alike()) == ()
    assert [finding.rule for finding in findings(hop, asked, mira, (hop,), Alike())] == ["Q3", "Q7"]


# ---------------------------------------------------------------------------------------------------------------------
# The queries, on a real store


def question(subgraph: Subgraph, kind: str, predicate: str, form: str = "value") -> Question:
    asked = ask(subgraph, kind, predicate, form)
    return to_question(two_facts.plain(asked), asked, subgraph, "builder")


@pytest.mark.parametrize(
    ("kind", "predicate", "form", "answers"),
    [
        ("hop", "birth place", "value", ["Ulmen"]),
        ("hop", "nickname", "value", ["Jo", "the Brush"]),
        ("hop", "population", "value", ["12000"]),
        ("condition", "genre", "value", ["Blue", "Lanterns", "Salt"]),
        ("condition", "genre", "count", ["3"]),
        ("condition", "year", "value", ["Blue", "Lanterns"]),
        ("least", "release date", "value", ["Early Ferry"]),
        ("least", "year", "value", ["Early Ferry"]),
        ("least", "tracks", "value", ["Salt"]),
    ],
)
def test_the_query_and_its_answers(
    shop: OxigraphGraph, mira: Subgraph, kind: str, predicate: str, form: str, answers: list[str]
) -> None:
    query = build(question(mira, kind, predicate, form), mira, shop, 30.0)
    assert query is not None
    assert [answer.label for answer in query.answers] == answers
    assert query.form == ("count" if form == "count" else "select")


BY = f"?x <{V}artist> <{A}mira>"
FEWEST = f"SELECT ?x WHERE {{ {BY} . ?x <{V}tracks> ?v }} ORDER BY ?v LIMIT 1"
JAZZ = f"SELECT ?x WHERE {{ {BY} . ?x <{V}genre> <{A}jazz> }}"
BIRTH_PLACE = f"SELECT ?x WHERE {{ <{A}mira> <{V}spouse> ?y . ?y <{V}birthPlace> ?x }}"


@pytest.mark.parametrize(
    ("kind", "predicate", "sparql", "rule"),
    [
        ("hop", "birth place", BIRTH_PLACE, ""),
        (
            "hop",
            "birth place",
            f"SELECT ?x WHERE {{ ?y <{V}spouse> <{A}mira> . ?y <{V}birthPlace> ?x }}",
            "S5",
        ),  # the other way
        ("hop", "birth place", BIRTH_PLACE.replace("?y", f"<{A}jon>"), "S3"),
        ("hop", "birth place", BIRTH_PLACE.replace("birthPlace", "homeTown"), "S3"),
        ("hop", "birth place", BIRTH_PLACE.replace("SELECT ?x", "SELECT ?y"), "S5"),
        ("condition", "genre", JAZZ, ""),
        ("condition", "genre", JAZZ.replace("jazz", "pop"), "S3"),
        ("condition", "genre", JAZZ.replace(f"<{A}jazz>", "?v"), "S5"),
        ("condition", "genre", JAZZ.replace("?x WHERE", "(COUNT(DISTINCT ?x) AS ?n) WHERE"), "S6"),
        ("least", "tracks", FEWEST, ""),
        ("least", "tracks", FEWEST.replace("?v LIMIT", "DESC(?v) LIMIT"), "S6"),
        ("least", "tracks", FEWEST.replace("LIMIT 1", "LIMIT 2"), "S5"),
        ("least", "tracks", FEWEST.replace(" ORDER BY ?v LIMIT 1", ""), "S5"),
    ],
)
def test_another_query_is_refused(
    shop: OxigraphGraph, mira: Subgraph, kind: str, predicate: str, sparql: str, rule: str
) -> None:
    outcome = run(sparql, question(mira, kind, predicate), mira, shop, 30.0, "model")
    assert ("" if isinstance(outcome, Query) else outcome[0].rule) == rule


def test_answers_that_the_graph_does_not_give_are_refused(shop: OxigraphGraph, mira: Subgraph) -> None:
    asked = ask(mira, "condition", "genre")
    assert asked.beyond is not None
    wrong = replace(asked.beyond, asked=replace(asked.fact, values=asked.fact.values[:2], count=2))
    false = replace(question(mira, "condition", "genre"), beyond=wrong)
    assert build(false, mira, shop, 30.0) is None


# ---------------------------------------------------------------------------------------------------------------------
# With a model


def test_a_model_words_what_is_pinned(mira: Subgraph, minilm: Embedder) -> None:
    """The second line asks for something else and is mended. The value of the condition is in no prompt."""
    genre = ask(mira, "condition", "genre")
    only = replace(mira, facts=(genre.fact,), beyond=((genre.fact, genre.beyond),))  # type: ignore[arg-type]
    told = script(
        f"artist: How many albums have X as their artist?\nartist, genre: Which {THEIRS} were recorded by Y?",
        f"artist, genre: Which {THEIRS} are of the genre Y?",
    )
    found = ask_questions(told.asker(), only, 2, minilm, hops=2)
    assert [question.text for question in found] == [
        "How many albums have Mira Holt as their artist?",
        "Which of the albums by Mira Holt are of the genre jazz?",
    ]
    assert told.rules == [["Q8"], []]
    assert "recorded by Y" in told.prompt(2)
    assert not any("jazz" in told.prompt(number) for number in (1, 2))


@pytest.mark.parametrize(
    ("first", "line", "pattern", "shown"),
    [
        (SOURCE, "How deep is Y?", "How deep is the source of X?", "How deep is Y?"),
        (SOURCE, "How deep is the source Y?", "How deep is the source of X?", "How deep is Y?"),
        (FED_BY, "How deep is the Y?", "How deep is the river that X is fed by?", "How deep is Y?"),
        (MEMBER, "How deep is this club Y?", "How deep is the club that X is a member of?", "How deep is Y?"),
        (
            SHIP,
            "How deep is Y of the ship?",
            "How deep is the ship with X as captain of the ship?",
            "How deep is Y of the ship?",
        ),
        (RULED, "How deep is the lake?", "How deep is the lake?", "How deep is the lake?"),
    ],
)
def test_the_one_other_end_is_y_for_the_model(first: Fact, line: str, pattern: str, shown: str) -> None:
    asked = Ask(first, "value", beyond=Beyond("hop", DEPTH, DEPTH))
    assert two_facts.end(first).startswith(f"the {two_facts.noun(first)}")
    assert two_facts.whole(line, asked) == pattern
    assert two_facts.shortened(pattern, asked) == shown


def test_a_model_words_a_hop_as_a_question_about_the_other_end(mira: Subgraph, minilm: Embedder) -> None:
    born = ask(mira, "hop", "birth place")
    birth = next(fact for fact in mira.facts if fact.predicate_label == "birth date")
    only = replace(mira, facts=(born.fact, birth), beyond=((born.fact, born.beyond),))  # type: ignore[arg-type]
    told = script(
        "birth date: When was X born?\nspouse: Who is the spouse of X?\nspouse, birth place: When was Y born?",
        "spouse, birth place: Where was the spouse Y born?",
    )
    found = ask_questions(told.asker(), only, 3, minilm, hops=2)
    assert [question.text for question in found] == [
        "When was Mira Holt born?",
        "Who is the spouse of Mira Holt?",
        "Where was the spouse of Mira Holt born?",
    ]
    assert told.rules == [["Q8"], []]
    assert "birth place of the spouse Y: a town" in told.prompt(1)
    assert "Not: When was Y born?" in told.prompt(2)


def test_a_model_orders_them(shop: OxigraphGraph, mira: Subgraph) -> None:
    """The first reply has the wrong order; the prompt says what the orders mean."""
    fewest = question(mira, "least", "tracks")
    told = script(
        "Which of: SELECT ?x { ?x :artist :e . ?x :tracks ?v } ORDER BY DESC(?v) LIMIT 1",
        "Which of: SELECT ?x { ?x :artist :e . ?x :tracks ?v } ORDER BY ?v LIMIT 1",
    )
    (query,) = ask_queries(told.asker(QUERIES), mira, [fewest], shop, 30.0)
    assert query is not None
    assert query.origin == "model"
    assert [answer.label for answer in query.answers] == ["Salt"]
    assert told.rules == [["S6"], []]
    assert "ORDER BY ?v LIMIT 1" in told.prompt(1)


def test_the_value_of_a_condition_is_said_as_a_person_says_it() -> None:
    elbe = Value(Iri("http://e.org/elbe"), "Elbe", "river")
    river = fact("river", "river", (elbe,), "entity", "river")
    asked = Ask(OWN_LAKES, "value", beyond=Beyond("condition", river, OWN_LAKES))
    assert to_question(two_facts.plain(asked), asked, around(OWN_LAKES), "builder").text == (
        "Which of the lakes of Ada Berg have the Elbe as their river?"
    )


def test_what_others_are_to_the_seed_is_said_as_a_person_does() -> None:
    clubs = tuple(Value(Iri("http://e.org/" + name), name, "club", "group") for name in ("Frem", "Lyn"))
    assert two_facts.group(fact("p", "town", clubs, value_type="club", direction="in")) == "the clubs based in X"
    assert two_facts.end(fact("p", "town", clubs[:1], value_type="club", direction="in")) == "the club based in X"
    made = fact("p", "producer", nodes("a", "b"), value_type="album", direction="in")
    assert two_facts.group(made) == "the albums produced by X"
    led = fact("p", "captain", clubs, value_type="club", direction="in")
    assert two_facts.group(led) == "the clubs with X as their captain"
