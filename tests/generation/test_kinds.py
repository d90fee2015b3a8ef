from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Beyond, Fact, Iri, Subgraph, Value
from chattygen.generation.asks import Ask
from chattygen.generation.kinds import objects, with_kinds
from chattygen.generation.plan import plan
from chattygen.generation.questions import ask_questions
from chattygen.generation.words import contains_words

from .hand_made import ADA, BORN, CREW, FRIENDS, MEDALS, RANK, SEA, SHIPS, Alike, around, fact, literal, nodes, script


def cities(*names: str) -> tuple[Value, ...]:
    return tuple(Value(Iri(SEA + name), name, "city", "place") for name in names)


HOME = fact("home", "home town", cities("Oslo"), "entity", "city")
GRAVE = fact("grave", "burial place", cities("Bergen"), "entity", "city")
OTHERS = {HOME: cities("Rome"), GRAVE: cities("Paris")}


def seeds(*facts: Fact, others: dict[Fact, tuple[Value, ...]] = OTHERS, many: int = 400) -> list[Subgraph]:
    made = (around(*facts, seed=replace(ADA, iri=f"{SEA}{n}")) for n in range(many))
    return [replace(subgraph, others={f: v for f, v in others.items() if f in facts}) for subgraph in made]


FIVE = (HOME, GRAVE, BORN, CREW, RANK)


def asked(subgraph: Subgraph, kinds: dict[str, float]) -> tuple[Ask, ...]:
    return with_kinds(*plan(subgraph, 5), subgraph, kinds)[0]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.12, 0.2])
def test_the_share_of_yes_no_holds_over_many_seeds_and_half_are_false(share: float) -> None:
    """Of 2,000 questions; the tolerance is three standard deviations."""
    tested = [ask for subgraph in seeds(*FIVE) for ask in asked(subgraph, {"yes-no": share}) if ask.tested]
    wanted = share * 2000
    assert abs(len(tested) - wanted) <= 3 * (400 * share * 5 * (1 - share * 5)) ** 0.5
    true = sum(ask.tested in ask.fact.values for ask in tested)
    assert abs(true - len(tested) / 2) <= 3 * (len(tested) / 4) ** 0.5


def test_never_two_in_a_dialogue_of_five_and_two_in_one_of_ten() -> None:
    many = {fact(f"p{n}", f"place {n}", cities(f"Town{n}"), "entity", "city"): cities(f"Port{n}") for n in range(10)}
    for subgraph in seeds(*many, others=many, many=100):
        for questions, most in ((3, 1), (5, 1), (9, 1), (10, 2)):
            plans = with_kinds(*plan(subgraph, questions), subgraph, {"yes-no": 0.9})[0]
            assert sum(ask.form == "yes-no" for ask in plans) == most


def test_it_depends_on_the_seed_only() -> None:
    forwards = [asked(subgraph, {"yes-no": 0.12}) for subgraph in seeds(*FIVE, many=50)]
    backwards = [asked(subgraph, {"yes-no": 0.12}) for subgraph in reversed(seeds(*FIVE, many=50))]
    assert forwards == backwards[::-1]


def test_the_facts_and_their_order_stay() -> None:
    for subgraph in seeds(*FIVE, many=50):
        plain, spare = plan(subgraph, 5)
        made, left = with_kinds(plain, spare, subgraph, {"yes-no": 0.2})
        assert [ask.fact for ask in made] == [ask.fact for ask in plain]
        assert left == spare
        assert with_kinds(plain, spare, subgraph, {"yes-no": 0}) == (plain, spare)
        assert with_kinds(plain, spare, subgraph, {}) == (plain, spare)


def test_both_answers_are_possible_wherever_yes_no_is_asked() -> None:
    """Without a distractor only yes could be right."""
    assert not [ask for subgraph in seeds(*FIVE, others={}) for ask in asked(subgraph, {"yes-no": 0.2}) if ask.tested]
    only = {HOME: cities("Rome")}
    tested = [ask for subgraph in seeds(*FIVE, others=only) for ask in asked(subgraph, {"yes-no": 0.2}) if ask.tested]
    assert {ask.fact for ask in tested} == {HOME}
    assert {ask.tested for ask in tested} == set(cities("Oslo", "Rome"))


def test_a_fact_about_a_node_is_tested_before_a_year() -> None:
    year = fact("since", "since", literal("1931", "gYear"), "year")
    others = {HOME: cities("Rome"), year: literal("1922", "gYear")}
    for facts, chosen in (((HOME, year, BORN, CREW, RANK), HOME), ((year, BORN, CREW, RANK), year)):
        plans = [asked(subgraph, {"yes-no": 0.9}) for subgraph in seeds(*facts, others=others, many=30)]
        assert {ask.fact for asks in plans for ask in asks if ask.tested} == {chosen}


@pytest.mark.parametrize(
    ("about", "others", "tested"),
    [
        (HOME, cities("Rome"), True),
        (HOME, (), False),
        (MEDALS, cities("Rome"), False),  # a hub: nobody knows its values
        (BORN, literal("1911-01-02", "date"), False),
        (CREW, literal("13", "integer"), False),
        (fact("h", "home", cities("4711"), "entity", "city"), cities("Rome"), False),  # a code
        (fact("h", "home", cities("Oslo"), "entity", "city"), cities("4711"), False),
        (fact("h", "home", cities("Bergen"), "entity", "city"), cities("Rome"), False),  # the grave tells it
        (fact("h", "home", cities("Berg"), "entity", "city"), cities("Rome"), False),  # the name tells it
        (fact("h", "home", cities("Oslo"), "entity", "city"), cities("Ada"), False),
        (fact("h", "kin", nodes("Carl Berg"), "entity"), nodes("Bo Dahl"), False),  # a later turn may not say Berg
        (fact("h", "party", literal("Labour Party"), "text"), literal("Green Party"), True),
        (fact("h", "code", literal("UNIDO"), "text"), literal("Green Party"), False),
    ],
)
def test_what_can_be_tested(about: Fact, others: tuple[Value, ...], tested: bool) -> None:
    subgraph = replace(around(about, GRAVE), others={about: others})
    assert bool(objects(about, subgraph)) == tested
    if tested:
        assert objects(about, subgraph) == ([*others], [*about.values])
        assert objects(about, replace(subgraph, interest={about: 0.3})) is None


def test_no_other_question_tells_the_answer() -> None:
    """Bergen is the burial place too: of the two birth places only Norway is asked about."""
    birth = fact("birth", "birth place", cities("Bergen", "Norway"), "entity", "city")
    subgraph = replace(around(birth, GRAVE), others={birth: cities("Rome")})
    assert objects(birth, subgraph) == ([*cities("Rome")], [*cities("Norway")])


def test_what_is_asked_over_two_facts_stays_and_so_does_its_first_fact_and_nothing_is_tested_beside_it() -> None:
    hop = Ask(HOME, "value", beyond=Beyond("hop", GRAVE, GRAVE))
    asks = (Ask(HOME, "value"), hop, Ask(GRAVE, "value"))
    for subgraph in seeds(HOME, GRAVE, many=30):
        assert with_kinds(asks, (), subgraph, {"yes-no": 0.2}) == (asks, ())


def test_a_fact_that_the_graph_does_not_have_is_not_tested() -> None:
    absent = replace(HOME, values=(), count=0)
    for subgraph in seeds(GRAVE, many=30):
        made = with_kinds([Ask(absent, "value"), Ask(GRAVE, "value")], (), subgraph, {"yes-no": 0.9})[0]
        assert made[0] == Ask(absent, "value")


ENTITIES = tuple(fact(f"q{n}", f"friend {n}", nodes(f"a{n}", f"b{n}", f"c{n}")) for n in range(5))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_the_share_of_counts_holds(share: float) -> None:
    """All five facts can be counted."""
    forms = [ask.form for subgraph in seeds(*ENTITIES, many=200) for ask in asked(subgraph, {"how-many": share})]
    assert len(forms) == 1000
    assert abs(forms.count("count") - share * 1000) <= 3 * (200 * 0.25) ** 0.5


def test_a_hub_gives_way_to_a_spare_value_and_a_single_value_is_never_counted() -> None:
    subgraph = around(MEDALS, HOME, RANK)
    hub, home, rank = Ask(MEDALS, "count"), Ask(HOME, "value"), Ask(RANK, "value")
    assert with_kinds([hub, home], [rank], subgraph, {"how-many": 0}) == ((rank, home), (hub,))
    assert with_kinds([hub, home], [], subgraph, {"how-many": 0}) == ((hub, home), ())  # nothing else to ask
    assert with_kinds([hub, home], [rank], subgraph, {"how-many": 1}) == ((hub, home), (rank,))
    friends = Ask(FRIENDS, "count")
    assert with_kinds([friends, home], [], subgraph, {"how-many": 0}) == ((replace(friends, form="value"), home), ())


def test_a_number_that_another_answer_tells_is_not_counted() -> None:
    """Two ships, and the crew is two."""
    crew = fact("crew", "crew", literal("2", "integer"), "number")
    ships, two = Ask(SHIPS, "value"), Ask(crew, "value")
    assert with_kinds([ships, two], [], around(SHIPS, crew), {"how-many": 1}) == ((ships, two), ())


def test_the_model_words_a_yes_no_question_and_the_object_is_put_in() -> None:
    subgraph = next(
        s for s in seeds(HOME) if (a := asked(s, {"yes-no": 0.2})[0]).tested and a.tested not in a.fact.values
    )
    told = script("home town: Is Y the home town of X?")
    (made,) = ask_questions(told.asker(), subgraph, 1, Alike(), kinds={"yes-no": 1.0})
    assert (made.text, made.kind, made.origin) == ("Is Rome the home town of Ada Berg?", "yes-no", "model")
    assert (made.form, made.tested, made.holds) == ("yes-no", cities("Rome")[0], False)
    assert "whether the city Y is the home town of X" in told.prompt(1)
    assert not any(contains_words(told.prompt(1), secret) for secret in ("Rome", "Oslo", "Ada"))


def test_what_the_model_cannot_word_is_asked_plainly_and_a_finding_shows_no_object() -> None:
    subgraph = next(s for s in seeds(HOME) if asked(s, {"yes-no": 0.2})[0].tested)
    told = script(*["home town: Is X the home town of Y?"] * 2)
    (made,) = ask_questions(told.asker(), subgraph, 1, Alike(), kinds={"yes-no": 1.0})
    assert made.origin == "builder"
    assert made.pattern.startswith("Is ")
    assert told.rules == [["Q8"]] * 2
    assert "Not: Is X the home town of Y? (turned round" in told.prompt(2)
    assert not any(contains_words(told.prompt(2), secret) for secret in ("Rome", "Oslo"))


def test_without_kinds_a_run_asks_no_yes_no_question() -> None:
    subgraph = next(s for s in seeds(HOME) if asked(s, {"yes-no": 0.2})[0].tested)
    told = script("home town: What is X's home town?")
    (made,) = ask_questions(told.asker(), subgraph, 1, Alike())
    assert (made.form, made.tested) == ("value", None)
