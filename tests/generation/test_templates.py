"""Single questions from templates: equally many of each, every text once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from chattygen.domain import Query, Question
from chattygen.generation.templates import attributes, next_question

from .hand_made import ADA, BORN, CREW, MEDALS, RANK, SEA, SHIPS, around
from .test_assemble import ALL, fake_run

ADA_FACTS = around(BORN, RANK, CREW, SHIPS, MEDALS)
RELATION = {f: (ADA.node_type, (f.predicate, f.direction)) for f in (BORN, RANK, CREW, SHIPS)}


def test_the_first_wording_of_each_attribute_that_has_values() -> None:
    entity = attributes(ADA_FACTS, ALL)
    assert {said.question.pattern for (said,) in entity.choices.values()} == {
        "When was X born?",
        "What is X's rank?",
        "How many people are in the crew of X?",
        "Which ships has X commanded?",
    }


def test_one_turn_by_the_least_used_template_until_none_is_left() -> None:
    asked = Counter({RELATION[BORN]: 2, RELATION[RANK]: 1, RELATION[CREW]: 3})
    entity, texts = attributes(ADA_FACTS, ALL), set[str]()
    items = [next_question(entity, asked, texts, fake_run) for _ in range(5)]
    assert [[turn.question.fact for turn in turns] for turns in items] == [[SHIPS], [RANK], [BORN], [CREW], []]
    assert asked == {RELATION[SHIPS]: 1, RELATION[RANK]: 2, RELATION[BORN]: 3, RELATION[CREW]: 4}
    (first,) = items[0]
    assert (first.n, first.flow, first.utterance) == (1, "opening", "Which ships has Ada Berg commanded?")
    assert first.utterance == first.question.text


def test_two_entities_of_one_name_give_one_question() -> None:
    asked, texts = Counter(), set[str]()  # type: ignore[var-annotated]
    namesake = replace(ADA, iri=SEA + "other")
    first, second = (attributes(around(BORN, seed=seed), ALL) for seed in (ADA, namesake))
    assert next_question(first, asked, texts, fake_run)
    assert next_question(second, asked, texts, fake_run) == ()
    told = attributes(around(BORN, seed=replace(namesake, said="the cook Ada Berg")), ALL)
    ((turn,),) = [next_question(told, asked, texts, fake_run)]
    assert turn.utterance == "When was the cook Ada Berg born?"


def test_a_question_whose_query_fails_is_passed_over() -> None:
    def run(question: Question) -> Query | None:
        return None if question.fact == BORN else fake_run(question)

    asked = Counter({RELATION[RANK]: 5})
    (turn,) = next_question(attributes(around(BORN, RANK), ALL), asked, set(), run)
    assert turn.question.fact == RANK
    assert asked == {RELATION[RANK]: 6}
