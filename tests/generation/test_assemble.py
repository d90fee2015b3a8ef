"""Dialogues out of hand-written wordings: right for their entity, never alike, the same in every run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.domain import Query, Question, Subgraph
from chattygen.generation.assemble import assemble, known
from chattygen.generation.phrasing import planned
from chattygen.generation.phrasings import Form, Key, Phrasing, Phrasings, Wording
from chattygen.generation.queries import build
from chattygen.kg.oxigraph import OxigraphGraph

from .hand_made import ADA, BORN, CREW, MENTOR, RANK, SEA, SHIPS, around, fact, literal, nodes


def worded(name: str, form: Form, *wordings: Wording, direction: str = "out", of: str = "") -> tuple[Key, Phrasing]:
    phrasing = Phrasing(
        type=ADA.node_type,
        predicate=SEA + name,
        direction=direction,
        form=form,
        of=of,
        wordings=wordings,  # type: ignore[arg-type]
    )
    return phrasing.key, phrasing


def by_model(question: str, *later: str) -> Wording:
    return Wording(question=question, later=later, origin="model", model="small")


BIRTH = worded(
    "birthDate",
    "value",
    by_model("When was X born?", "When was {ref} born?"),
    by_model("On which date was X born?", "On which date was {ref} born?"),
)
RANKS = worded("rank", "value", by_model("What is X's rank?", "What is {ref}'s rank?"))
CREWS = worded(
    "crew", "value", by_model("How many people are in the crew of X?", "How many people are in {ref}'s crew?")
)
MENTORS = worded("mentor", "value", Wording(question="Who taught X?"), of="captain")
COMMANDS = worded(
    "captain", "values", by_model("Which ships has X commanded?", "Which ships has {ref} commanded?"), direction="in"
)
ALL: Phrasings = dict([BIRTH, RANKS, CREWS, MENTORS, COMMANDS])

ADA_AND_ALL = around(BORN, RANK, CREW, MENTOR, SHIPS)
LATER = {
    "When was X born?": {"When were they born?", "When was the captain born?"},
    "On which date was X born?": {"On which date were they born?", "On which date was the captain born?"},
    "What is the rank of X?": {"What is their rank?"},
    "What is X's rank?": {"What is their rank?"},
    "How many people are in the crew of X?": {"How many people are in their crew?"},
    "Who taught X?": {"Who taught them?", "Who taught the captain?"},
    "Which ships has X commanded?": {"Which ships have they commanded?", "Which ships has the captain commanded?"},
}
"""A question -> all that it can be in a later turn: nobody knows whether Ada is a he or a she."""


def fake_run(question: Question) -> Query | None:
    return Query(f"SELECT {question.fact.predicate}", "select", "builder", ())


def texts(subgraph: Subgraph, numbers: range, phrasings: Phrasings = ALL) -> list[tuple[str, ...]]:
    seed = known(subgraph, phrasings, planned(subgraph))
    return [tuple(turn.utterance for turn in assemble(seed, n, 5, 3, fake_run)) for n in numbers]


def test_a_dialogue_of_stored_words(sea: OxigraphGraph) -> None:
    seed = known(ADA_AND_ALL, ALL, planned(ADA_AND_ALL))
    turns = assemble(seed, 1, 5, 3, lambda question: build(question, ADA_AND_ALL, sea, 10.0))
    assert [turn.n for turn in turns] == [1, 2, 3, 4, 5]
    assert {turn.question.fact for turn in turns} == {BORN, RANK, CREW, MENTOR, SHIPS}
    first, *later = turns
    assert first.utterance == first.question.text == first.question.pattern.replace("X", "Ada Berg")
    for turn in later:
        assert turn.utterance.removeprefix("And ") in LATER[turn.question.pattern]
        assert turn.question.text == turn.question.pattern.replace("X", "Ada Berg")
    answers = {turn.question.fact: {answer.label for answer in turn.query.answers} for turn in turns}
    assert answers[BORN] == {"1901-05-06"}
    assert answers[SHIPS] == {"Gull", "It's Late"}
    assert {turn.query.origin for turn in turns} == {"builder"}
    origins = {turn.question.fact: turn.question.origin for turn in turns}
    assert origins[BORN] == "model"
    assert origins[MENTOR] == "builder"  # a person's words are not the model's


def test_no_two_dialogues_of_a_seed_are_alike_and_every_run_has_the_same() -> None:
    dialogues = texts(ADA_AND_ALL, range(1, 41))
    assert all(len(turns) == 5 for turns in dialogues)
    assert len(set(dialogues)) == 40
    assert dialogues == texts(ADA_AND_ALL, range(1, 41))
    other = around(BORN, RANK, CREW, MENTOR, SHIPS, seed=replace(ADA, iri=SEA + "other"))
    assert dialogues != texts(other, range(1, 41))


def test_it_ends_when_nothing_new_can_be_said() -> None:
    """Two facts in either order, one of them worded in two ways: four dialogues, as far as the draws find them."""
    seed = known(around(BORN, CREW), ALL, planned(around(BORN, CREW)))
    said = [turns for n in range(1, 9) if (turns := assemble(seed, n, 2, 2, fake_run))]
    patterns = [tuple(turn.question.pattern for turn in turns) for turns in said]
    assert len(set(patterns)) == len(patterns) == 4
    assert {frozenset(found) for found in patterns} == {
        frozenset(["When was X born?", "How many people are in the crew of X?"]),
        frozenset(["On which date was X born?", "How many people are in the crew of X?"]),
    }


def test_too_few_facts_with_words() -> None:
    assert texts(ADA_AND_ALL, range(1, 2), dict([BIRTH, RANKS])) == [()]


def test_a_phrasing_without_wordings_is_never_asked_for() -> None:
    without = {**ALL, RANKS[0]: RANKS[1].model_copy(update={"wordings": (), "reason": "dull"})}
    seed = known(ADA_AND_ALL, without, planned(ADA_AND_ALL))
    assert {ask.fact for ask in seed.choices} == {BORN, CREW, MENTOR, SHIPS}


def test_a_wording_that_would_tell_the_answer_is_not_used_for_that_entity() -> None:
    """The plain question takes its place; where there is another wording, that one does."""
    fair = worded("rank", "value", by_model("Which rank, say rear admiral, has X?"), by_model("What rank has X?"))
    assert _patterns(around(RANK), dict([fair])) == ["What rank has X?"]
    alone = worded("rank", "value", by_model("Which rank, say rear admiral, has X?"))
    assert _patterns(around(RANK), dict([alone])) == ["What is the rank of X?"]


def test_a_wording_that_says_another_class_is_not_used() -> None:
    of_captains = worded(
        "mentor", "value", by_model("Which captain taught X?"), by_model("Who taught X?"), of="captain"
    )
    pilot = fact("mentor", "mentor", nodes("bo", type_label="pilot"), "entity", "pilot")
    assert _patterns(around(MENTOR), dict([of_captains])) == ["Which captain taught X?", "Who taught X?"]
    assert _patterns(around(pilot), dict([of_captains])) == ["Who taught X?"]


def _patterns(subgraph: Subgraph, phrasings: Phrasings) -> list[str]:
    (choices,) = known(subgraph, phrasings, planned(subgraph)).choices.values()
    return [said.question.pattern for said in choices]


def test_a_fact_whose_query_fails_is_left_out() -> None:
    seed = known(ADA_AND_ALL, ALL, planned(ADA_AND_ALL))
    turns = assemble(seed, 1, 5, 3, lambda question: None if question.fact == CREW else fake_run(question))
    assert {turn.question.fact for turn in turns} == {BORN, RANK, MENTOR, SHIPS}


def test_each_query_is_run_once_for_a_seed() -> None:
    ran: list[str] = []

    def run(question: Question) -> Query | None:
        ran.append(question.fact.predicate)
        return fake_run(question)

    seed = known(ADA_AND_ALL, ALL, planned(ADA_AND_ALL))
    for number in range(1, 11):
        assert assemble(seed, number, 5, 3, run)
    assert sorted(ran) == sorted({f.predicate for f in (BORN, RANK, CREW, MENTOR, SHIPS)})


@pytest.mark.parametrize(("gender", "said"), [("male", "When was he born?"), ("female", "When was she born?")])
def test_the_pronoun_is_the_entitys(gender: str, said: str) -> None:
    told = fact("gender", "gender", literal(gender), "text")
    subgraph = around(BORN, RANK, CREW, told)
    utterances = {text for turns in texts(subgraph, range(1, 30)) for text in turns}
    assert said in utterances
    assert "When were they born?" not in utterances


TESTED_MENTOR = worded("mentor", "yes-no", Wording(question="Was Y the mentor of X?", later=("Was Y {ref}'s mentor?",)))
LEE = nodes("lee", type_label="captain")
MAY_TEST = replace(ADA_AND_ALL, others={MENTOR: LEE})
"""Somebody else's mentor is a captain, too: of the five facts one can be tested."""


def with_tests(share: float, phrasings: Phrasings) -> list[Question]:
    """The yes-no questions of 200 dialogues."""
    seed = known(MAY_TEST, phrasings, planned(MAY_TEST))
    made = (assemble(seed, n, 5, 3, fake_run, kinds={"yes-no": share}) for n in range(1, 201))
    turns = [turn for dialogue in made for turn in dialogue if turn.question.tested]
    assert {turn.utterance.removeprefix("And ").capitalize() for turn in turns} <= {
        *("Was bo the mentor of ada berg?", "Was lee the mentor of ada berg?"),
        *("Was bo their mentor?", "Was lee their mentor?"),
    }
    return [turn.question for turn in turns]


def test_yes_no_questions_have_their_share_and_half_are_denied() -> None:
    """0.1 of five questions: in every other of 200 dialogues. Three standard deviations are 21 of 100 questions, and 15
    of the denied ones.
    """
    words = ALL | dict([TESTED_MENTOR])
    asked = with_tests(0.1, words)
    assert 79 <= len(asked) <= 121
    assert abs(sum(question.holds for question in asked) - len(asked) / 2) <= 15
    assert {question.form for question in asked} == {"yes-no"}
    assert with_tests(0.0, words) == []
    assert len(with_tests(0.2, words)) == 200  # one in each
    assert with_tests(0.2, ALL) == []  # nobody has said how


def test_what_no_other_entity_has_is_not_tested() -> None:
    seed = known(ADA_AND_ALL, ALL | dict([TESTED_MENTOR]), planned(ADA_AND_ALL))
    turns = assemble(seed, 1, 5, 3, fake_run, kinds={"yes-no": 1.0})
    assert [turn.question.form for turn in turns].count("yes-no") == 0


def test_other_questions_in_the_same_words_are_no_other_dialogue() -> None:
    """Both questions become the same later turn, so that only dialogues that begin with one of them need differ."""
    same = worded("rank", "value", by_model("What is X's rank?"), by_model("What is the rank of X?"))
    for number in range(20):
        subgraph = around(BORN, RANK, seed=replace(ADA, iri=f"{SEA}ada{number}"))
        seed = known(subgraph, dict([same, BIRTH]), planned(subgraph))
        said = [turns for n in range(1, 40) if (turns := assemble(seed, n, 2, 2, fake_run))]
        utterances = [tuple(turn.utterance for turn in turns) for turns in said]
        assert len(set(utterances)) == len(utterances) >= 4
