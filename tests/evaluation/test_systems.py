"""Models that are asked as they should be, and sanity systems whose replies were worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.domain import Dialogue, Usage
from chattygen.errors import CallError, PassingError
from chattygen.evaluation.play import Manner, Talk
from chattygen.evaluation.systems import majority, oracle, speaker, unsure
from chattygen.kg.folders import open_kg
from chattygen.models.chat import ChatModel
from tests import drifting
from tests.drifting import DIALOGUES, SLOW, iri, turn
from tests.models.fake_server import JSON, Fake, completion, serving

MESSAGES = (("system", "Be brief."), ("user", "How deep?"))


def talks(*dialogues: Dialogue) -> list[Talk]:
    return [Talk(f"d{n}", one.seed, one.turns) for n, one in enumerate(dialogues, 1)]


ALMERE, ASKE = talks(*DIALOGUES)


def chat(fake: Fake, context: int = 4096) -> ChatModel:
    return ChatModel("bot", context, f"{fake.url}/v1", dialect="endpoint", revision="r1")


@pytest.fixture
def replies() -> Iterator[tuple[Fake, list[tuple[int, bytes, dict[str, str]]]]]:
    """A server that gives these answers one after the other."""
    given: list[tuple[int, bytes, dict[str, str]]] = []
    with serving(lambda request: given.pop(0)) as fake:
        yield fake, given


Served = tuple[Fake, list[tuple[int, bytes, dict[str, str]]]]


def test_a_model_is_asked_for_its_likeliest_short_reply(replies: Served) -> None:
    fake, given = replies
    given += [(200, completion("31"), JSON)] * 2
    system = speaker(chat(fake), Manner())
    assert (system.name, system.revision, system.manner) == ("bot", "r1", Manner())
    assert system.reply(ALMERE, ALMERE.turns[3], MESSAGES).text == "31"
    speaker(chat(fake), Manner(brief=False)).reply(ALMERE, ALMERE.turns[3], MESSAGES)
    brief, long = (request.body for request in fake.requests)
    assert brief == {
        "model": "bot",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How deep?"}],
        "max_tokens": 128,
        "temperature": 0.0,
        "seed": 0,
    }
    assert long == brief | {"max_tokens": 512}


def test_a_failure_that_passes_is_waited_for_and_another_one_is_not(replies: Served) -> None:
    fake, given = replies
    paused: list[float] = []
    system = speaker(chat(fake), Manner(), paused.append)
    given += [(429, b"", {"Retry-After": "7"}), (503, b"", {}), (200, completion("31"), JSON)]
    assert system.reply(ALMERE, ALMERE.turns[3], MESSAGES).text == "31"
    assert paused == [7.0, 5.0]
    given += [(503, b"", {"Retry-After": "900"})] * 3
    with pytest.raises(PassingError):
        system.reply(ALMERE, ALMERE.turns[3], MESSAGES)
    assert paused == [7.0, 5.0, 60.0, 60.0]
    given.append((400, b"no", {}))
    with pytest.raises(CallError, match="status 400: no"):
        system.reply(ALMERE, ALMERE.turns[3], MESSAGES)
    assert len(paused) == 4


def test_a_model_that_thinks_gets_room_to_end(replies: Served) -> None:
    fake, given = replies
    given += [
        (200, completion("<think>Deep, deep", finish="length"), JSON),
        (200, completion("<think>Deep.</think>31"), JSON),
        (200, completion("31 or 32 or 33 or", finish="length"), JSON),
    ]
    system = speaker(chat(fake), Manner())
    assert system.reply(ALMERE, ALMERE.turns[3], MESSAGES).text == "31"
    assert [request.body["max_tokens"] for request in fake.requests] == [128, 1152]
    assert system.reply(ALMERE, ALMERE.turns[3], MESSAGES).text == "31 or 32 or 33 or"
    assert given == []


def test_a_prompt_that_does_not_fit_is_not_sent(replies: Served) -> None:
    """400 tokens less 128 for the reply and 64 for the chat template are 208, at three characters each."""
    fake, given = replies
    given.append((200, completion("31"), JSON))
    system = speaker(chat(fake, context=400), Manner())
    system.reply(ALMERE, ALMERE.turns[3], (("user", "x" * 624),))
    with pytest.raises(CallError) as refused:
        system.reply(ALMERE, ALMERE.turns[3], (("user", "x" * 625),))
    assert refused.value.message == "a prompt of 209 tokens does not fit the context of bot, 400 tokens"
    assert len(fake.requests) == 1


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("oracle") / "home")
    home.create()
    drifting.load_lakes(home)
    return home


def test_the_oracle_says_what_the_queries_give(home: Home) -> None:
    with open_kg(home, "lakes") as graph:
        system = oracle(graph, 30.0)
        assert (system.name, system.revision, system.manner) == ("oracle", graph.fingerprint, None)
        said = [[system.reply(talk, one, ()).text for one in talk.turns] for talk in (ALMERE, ASKE)]
    assert [sorted(text.splitlines()) for text in said[0]] == [["Nordmark"], ["Crow Holm", "Pine Holm"], ["2"], ["31"]]
    assert said[1] == ["Almere", "no", "yes", "212"]


def test_the_oracle_says_what_the_graph_says_now_and_nothing_where_a_query_fails(home: Home, tmp_path: Path) -> None:
    edited = Home(tmp_path / "home")
    edited.create()
    drifting.load_lakes(edited)
    drifting.edit_lakes(edited, tmp_path)
    with open_kg(edited, "lakes") as graph:
        system = oracle(graph, 0.2)
        assert system.reply(ALMERE, ALMERE.turns[1], ()).text == "Crow Holm"
        # Brenwater, l2, is not among the gold answers, so its label is not known.
        assert sorted(system.reply(ASKE, ASKE.turns[0], ()).text.splitlines()) == [
            "Almere",
            "http://example.org/lakes/l2",
        ]
        assert system.reply(ASKE, ASKE.turns[1], ()).text == "yes"
        assert system.reply(ALMERE, SLOW, ()).text == "unsure"


def test_unsure_never_knows() -> None:
    assert {unsure().reply(ALMERE, one, ()).text for one in ALMERE.turns} == {"unsure"}
    assert (unsure().name, unsure().revision) == ("unsure", "")


def region(seed: str, *names: str) -> Dialogue:
    """A dialogue of one question, for the regions of an entity."""
    asked = turn(1, f"Where is {seed}?", "SELECT ?x {}", "select", *(iri(name, name) for name in names))
    return Dialogue(replace(drifting.ALMERE, iri=seed, label=seed), (asked,), Usage())


def test_majority_guesses_what_is_most_frequent_elsewhere() -> None:
    """North twice, south twice, east once. Without itself, a is left with north 1, south 2; c with north 2, south 1."""
    a, b, c, d, e = found = talks(
        region("a", "north"), region("b", "north"), region("c", "south"), region("d", "south"), region("e", "east")
    )
    system = majority(found)
    assert [system.reply(one, one.turns[0], ()).text for one in (a, b, c, d, e)] == [
        "south",
        "south",
        "north",
        "north",
        "north",  # a tie: the first of the alphabet
    ]
    assert system.revision == "5"


def test_majority_does_not_learn_from_other_questions_about_the_entity() -> None:
    again, other = talks(region("a", "north"), region("a", "north", "south"))
    assert majority([again, other]).reply(again, again.turns[0], ()).text == "unsure"


def test_majority_knows_numbers_from_values() -> None:
    """Turn 2 of Almere asks for values, turn 2 of Aske for yes or no; both of the predicate p2. Turns 1 and 4 match."""
    system = majority([ALMERE, ASKE])
    assert [system.reply(ALMERE, one, ()).text for one in ALMERE.turns] == ["Almere", "unsure", "unsure", "212"]
    assert [system.reply(ASKE, one, ()).text for one in ASKE.turns] == ["Nordmark", "unsure", "unsure", "31"]
