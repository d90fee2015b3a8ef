"""What is kept of a model's wordings is right for every sampled entity; replies and results are written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Fact, Seed, Subgraph
from chattygen.generation.asks import Ask
from chattygen.generation.attempts import Asker
from chattygen.generation.phrasing import (
    ROUNDS,
    WARMTH,
    cases,
    filled,
    in_the_prompt,
    new_words,
    phrase_all,
    phrase_may_stand,
    with_slot,
)
from chattygen.generation.phrasings import Phrasing, Wording
from chattygen.generation.stages import PHRASING, Stage
from chattygen.generation.wording import Reference, reference

from .hand_made import ADA, BORN, CREW, FRIENDS, SEA, Alike, Script, around, fact, literal, nodes, script

HER = Reference("feminine", "she", "her", "her", "the captain")
THEM = Reference("plural", "they", "them", "their", "the captain")

BO = replace(ADA, iri=SEA + "bo", label="Bo Carl")
DAY = fact("birthDate", "birth date", literal("1911-02-03", "date"), "date")


def asking(made: Script, rounds: list[tuple[str, int]] | None = None):  # type: ignore[no-untyped-def]
    """An Asking on one script that notes its rounds; the first one asks once, to keep the scripts short."""

    def ask(stage: Stage, number: int) -> Asker:
        if rounds is not None:
            rounds.append((stage.role, number))
        return replace(made.asker(stage, attempts=1), seed=number, temperature=WARMTH if number else None)

    return ask


def about(*facts: Fact, seed: Seed = ADA) -> Subgraph:
    return around(*facts, seed=seed)


def made(replies: Script, *subgraphs: Subgraph) -> list[Phrasing]:
    return list(phrase_all(asking(replies), cases(subgraphs), Alike()))


def test_several_wordings_each_once_and_their_later_turns() -> None:
    replies = script(
        "birth date: When was X born?",
        "birth date: On which date was X born?",
        "birth date: When was X born?",  # again: not kept twice
        "birth date: Where was X born?",  # Q8: a date is no place
        "birth date: What is X's birth date?",  # further from how the first one says it
        "When was she born?\nOn which date was the captain born?",
    )
    (phrasing,) = made(replies, about(BORN), about(DAY, seed=BO))
    assert phrasing.wordings == (
        Wording(question="When was X born?", later=("When was {ref} born?",), origin="model", model="script"),
        Wording(
            question="On which date was X born?",
            later=("On which date was {ref} born?",),
            origin="model",
            model="script",
        ),
    )
    assert (phrasing.about, phrasing.form, phrasing.reason) == ("birth date of X: a date", "value", "")
    assert replies.rules == [[], [], [], ["Q8"], ["Q8"], []]
    calls = [attempt.call for attempt in replies.attempts]
    assert [call.temperature for call in calls if call] == [0.0, *[WARMTH] * (ROUNDS - 1), 0.0]
    assert {call.stage for call in calls if call} == {"phrasing"}
    assert [call.role for call in calls if call] == ["questions"] * ROUNDS + ["dialogue"]
    # The prompts are those of the stages, without the name of any entity.
    assert replies.prompt(1) == "X is a captain.\nbirth date of X: a date"
    assert replies.prompt(6).splitlines()[:2] == ["X: she, her, the captain", "When was X born?"]


def test_a_wording_must_be_right_for_every_sampled_entity() -> None:
    """Bo is a cook and Ada an admiral: asked for the rank of an admiral, Ada's question would tell its answer."""
    cook = fact("rank", "rank", literal("cook"), "text")
    admiral = fact("rank", "rank", literal("admiral"), "text")
    fits_bo = script(*["rank: Which rank, as admiral, has X?"] * ROUNDS, "Which rank, as admiral, has she?")
    (alone,) = made(fits_bo, about(cook, seed=BO))
    assert [wording.origin for wording in alone.wordings] == ["model"]
    (both,) = made(script(*["rank: Which rank, as admiral, has X?"] * ROUNDS), about(cook, seed=BO), about(admiral))
    assert both.wordings == (Wording(question="What is the rank of X?", origin="builder"),)


def test_what_is_so_of_one_entity_is_not_said_of_all() -> None:
    """FRIENDS has three values, and the next entity may have two."""
    replies = script(*["friend: Who are the three friends of X?", "friend: Who else is a friend of X?"] * ROUNDS)
    (phrasing,) = made(replies, about(FRIENDS))
    assert phrasing.wordings == (Wording(question="What are the friends of X?", origin="builder"),)


def test_what_the_model_cannot_word_the_builder_words_plainly() -> None:
    replies = script(*["birth date: Where was X born?"] * ROUNDS)
    (phrasing,) = made(replies, about(BORN))
    assert phrasing.wordings == (Wording(question="When was X born?", origin="builder"),)


def test_what_even_the_builder_cannot_ask_is_left_out_with_the_reason() -> None:
    """The code of the entity is `code`: whoever asks for its code has said it."""
    told = fact("code", "code", literal("code"), "text")
    replies = script(*["code: When was X born?"] * ROUNDS)
    (phrasing,) = made(replies, about(told))
    assert phrasing.wordings == ()
    assert phrasing.reason == "Q5: contains its answer"


def test_no_later_turn_where_the_model_finds_none() -> None:
    replies = script(*["crew: How large is the crew of X?"] * ROUNDS, "How large is the crew of it?")
    (phrasing,) = made(replies, about(CREW))
    assert phrasing.wordings == (Wording(question="How large is the crew of X?", origin="model", model="script"),)


def test_keys_by_frequency_and_cases_of_their_most_frequent_class() -> None:
    port = fact("home", "home", nodes("oslo", type_label="port"), "entity", "port")
    city = fact("home", "home", nodes("rome", type_label="city"), "entity", "city")
    found = cases([about(city), about(port, BORN, seed=BO), about(port, seed=replace(BO, iri=SEA + "cy"))])
    assert [key.predicate for key in found] == [SEA + "home", SEA + "birthDate"]
    home, born = found.values()
    assert [case.ask for case in home] == [Ask(port, "value")] * 2
    assert [case.ask for case in born] == [Ask(BORN, "value")]


@pytest.mark.parametrize(
    ("line", "pattern", "turn"),
    [
        ("When was she born?", "When was X born?", "When was {ref} born?"),
        ("When was the captain born?", "When was X born?", "When was {ref} born?"),
        ("What is her rank?", "What is X's rank?", "What is {ref}'s rank?"),
        ("Who taught her?", "Who taught X?", "Who taught {ref}?"),
    ],
)
def test_the_place_of_the_reference(line: str, pattern: str, turn: str) -> None:
    assert with_slot(line, pattern, HER) == turn


@pytest.mark.parametrize(
    ("turn", "ref", "form", "said"),
    [
        ("When was {ref} born?", HER, "", "When was she born?"),
        ("When was {ref} born?", THEM, "", "When were they born?"),
        ("When was {ref} born?", THEM, "the captain", "When was the captain born?"),
        ("What is {ref}'s rank?", HER, "", "What is her rank?"),
        ("What is the rank of {ref}?", THEM, "", "What is their rank?"),
        ("Who taught {ref}?", THEM, "", "Who taught them?"),
    ],
)
def test_a_reference_in_its_place(turn: str, ref: Reference, form: str, said: str) -> None:
    assert filled(turn, ref, form) == said


def test_where_the_definite_phrase_can_stand() -> None:
    assert phrase_may_stand("When was {ref} born?", HER)
    assert not phrase_may_stand("What is {ref}'s rank?", HER)
    assert not phrase_may_stand("Which captain taught {ref}?", HER)
    assert not phrase_may_stand("When was {ref} born?", replace(HER, phrase=""))


def test_the_model_is_asked_in_the_singular() -> None:
    assert in_the_prompt(reference(about(BORN)), "person").forms == ("she", "her", "the captain")
    band = replace(ADA, being="group", type_label="band")
    assert in_the_prompt(reference(about(BORN, seed=band)), "group").forms == ("it", "the band", "its")
    lake = reference(about(BORN, seed=replace(ADA, being="place", type_label="lake")))
    assert in_the_prompt(lake, "place") == lake


def test_the_stage_has_the_prompts_of_the_others() -> None:
    assert PHRASING.prompt == "questions"


ONE_WHO_DIED = fact("deathPlace", "death place", nodes("bo", type_label="person"), "entity", "person", direction="in")


@pytest.mark.parametrize(
    ("pattern", "new"),
    [
        ("Who died in X?", []),
        ("Which person died in X?", []),
        ("Which person has X as their death place?", []),
        ("Whose death place is X?", []),
        ("Who is buried in X?", ["is", "buried"]),
        ("Who dies at X?", ["dies", "at"]),
        ("Who has died near X?", ["near"]),
    ],
)
def test_a_later_wording_says_nothing_new(pattern: str, new: list[str]) -> None:
    """Written by a model of 1.5 billion parameters at temperature 0.8; the first one at 0."""
    assert new_words(pattern, Ask(ONE_WHO_DIED, "value"), "Who died in X?") == new
