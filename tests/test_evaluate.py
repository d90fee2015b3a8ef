"""Playing a run: who is asked what, how often, and what is on disk afterwards. The chatbot is a real server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from chattygen.config import Home
from chattygen.domain import Dialogue, Turn, Usage
from chattygen.errors import CallError, PrivacyError, UnknownName, UsageError
from chattygen.evaluate import Asked, Outcome, Progress, evaluate
from chattygen.evaluation.play import Manner
from chattygen.kg.folders import drop_kg
from chattygen.models.catalog import Catalog, load_catalog
from chattygen.results.evaluations import StoredEvaluation
from chattygen.results.reader import Reader
from tests import drifting
from tests.drifting import ALMERE, ASKE, DIALOGUES, VOCAB, iri
from tests.models.fake_server import JSON, Fake, Request, completion, serving

Say = Callable[[Request, int], str | None]
"""The last question and the number of the request from 1 -> the reply, or None for a refusal."""


@contextmanager
def chatbot(say: Say = lambda request, number: f"reply {number}") -> Iterator[Fake]:
    numbers = iter(range(1, 10_000))
    turn = threading.Lock()

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        with turn:
            number = next(numbers)
        text = say(request, number)
        return (400, b"refused", {}) if text is None else (200, completion(text), JSON)

    with serving(answer) as fake:
        yield fake


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    drifting.load_lakes(home)
    return home


@pytest.fixture
def run(home: Home) -> str:
    return drifting.record(home, *DIALOGUES)


def catalog(home: Home, more: str = "") -> Catalog:
    text = '[models.bot]\nbackend = "scripted"\nscript = "script.jsonl"\n' + more
    (home.path / "models.toml").write_text(text, encoding="utf-8")
    (home.path / "script.jsonl").write_text('{"match": "", "reply": "31", "times": 0}\n', encoding="utf-8")
    return load_catalog(home)


def play(home: Home, fake: Fake, run: str = "latest", **more: object) -> Outcome:
    asked = Asked(run, endpoint=f"{fake.url}/v1", endpoint_model="bot")
    return evaluate(home, replace(asked, **more), catalog(home))  # type: ignore[arg-type]


def stored(home: Home, run: str) -> dict[str, StoredEvaluation]:
    with Reader(home.database) as reader:
        return {one.id.removeprefix(f"{run}-"): one for one in reader.evaluations(run)}


def said(home: Home, evaluation: str) -> list[str]:
    with Reader(home.database) as reader:
        return [reply.reply for reply in reader.replies(evaluation)]


def questions(fake: Fake) -> list[str]:
    return [request.body["messages"][-1]["content"] for request in fake.requests]


ALL = [turn.utterance for dialogue in DIALOGUES for turn in dialogue.turns]


def test_a_chatbot_is_asked_every_question_once_after_the_sanity_systems(home: Home, run: str) -> None:
    with chatbot() as fake:
        assert play(home, fake) == Outcome(run, f"{run}-e4", "bot", "done", 2, 2)
        assert questions(fake) == ALL
        assert play(home, fake).evaluation == f"{run}-e4"
        assert len(fake.requests) == 8
    found = stored(home, run)
    assert [(id, one.system, one.status, one.dialogues, one.turns) for id, one in found.items()] == [
        ("e1", "oracle", "done", 2, 8),
        ("e2", "unsure", "done", 2, 8),
        ("e3", "majority", "done", 2, 8),
        ("e4", "bot", "done", 2, 8),
    ]
    assert said(home, f"{run}-e4") == [f"reply {n}" for n in range(1, 9)]
    assert found["e4"].settings == {
        "prompt": "few-shot",
        "brief": True,
        "unsure": True,
        "history": "gold",
        "prompt_hash": found["e4"].settings["prompt_hash"],
    }
    assert found["e4"].prompt_tokens == 8 * 700
    assert found["e1"].settings == {}


def test_a_model_of_the_catalogue(home: Home, run: str) -> None:
    told: list[Progress] = []
    outcome = evaluate(home, Asked(run, model="bot"), catalog(home), tell=told.append)
    assert said(home, outcome.evaluation) == ["31"] * 8
    own = [progress for progress in told if progress.system == "bot"]
    assert [(one.done, one.wanted, one.replies) for one in own] == [(0, 2, 0), (1, 2, 4), (2, 2, 8)]
    assert own[-1].spent.calls == 8


def test_a_sanity_system_is_played_alone(home: Home, run: str) -> None:
    outcome = evaluate(home, Asked(run, model="majority"), catalog(home))
    assert outcome == Outcome(run, f"{run}-e1", "majority", "done", 2, 2)
    assert said(home, outcome.evaluation) == ["Almere", "unsure", "unsure", "212", "Nordmark", "unsure", "unsure", "31"]


def test_what_was_stopped_goes_on_with_what_is_missing(home: Home, run: str) -> None:
    stop = Event()

    def say(request: Request, number: int) -> str:
        if number == 3:
            stop.set()  # as Ctrl-C does while the reply is on its way
        return f"reply {number}"

    with chatbot(say) as fake:
        asked = Asked(run, endpoint=fake.url, endpoint_model="bot", manner=Manner(history="own"))
        outcome = evaluate(home, asked, catalog(home), stop=stop)
        assert (outcome.status, outcome.done, outcome.wanted) == ("interrupted", 0, 2)
        assert stored(home, run)["e4"].status == "interrupted"
        assert said(home, outcome.evaluation) == ["reply 1", "reply 2", "reply 3"]
        assert evaluate(home, asked, catalog(home)).status == "done"
        assert questions(fake) == ALL
        # The fourth turn was asked by the second call, which took the first three replies from the database.
        assert [m["content"] for m in fake.requests[3].body["messages"][1:]] == [
            "In which region is Almere?",
            "reply 1",
            "Which islands does Almere have?",
            "reply 2",
            "How many islands does Almere have?",
            "reply 3",
            "How deep is Almere?",
        ]


def test_a_refusal_ends_it_and_the_same_command_goes_on(home: Home, run: str) -> None:
    with chatbot(lambda request, number: None if number == 6 else "x") as fake:
        with pytest.raises(CallError, match="status 400: refused"):
            play(home, fake)
        found = stored(home, run)["e4"]
        assert (found.status, found.turns) == ("failed", 5)
        assert "status 400: refused" in found.reason
        assert play(home, fake).status == "done"
        assert questions(fake) == [*ALL[:6], *ALL[5:]]
    assert said(home, f"{run}-e4") == ["x"] * 8


def test_fewer_dialogues_first_and_then_all_of_them_again_and_again(home: Home, run: str) -> None:
    with chatbot() as fake:
        assert play(home, fake, limit=1).wanted == 1
        assert questions(fake) == ALL[:4]
        assert play(home, fake).wanted == 2
        assert questions(fake) == ALL
        assert play(home, fake, repeats=2).wanted == 4
        assert questions(fake) == [*ALL, *ALL]
    assert stored(home, run)["e4"].repeats == 2
    # The sanity systems would say the same again.
    assert [stored(home, run)[id].repeats for id in ("e1", "e2", "e3")] == [1, 1, 1]


def test_other_settings_and_another_chatbot_are_other_evaluations(home: Home, run: str) -> None:
    with chatbot() as fake, chatbot() as other:
        made = [
            play(home, fake, manner=Manner()),
            play(home, fake, manner=Manner("zero-shot")),
            play(home, fake, manner=Manner(brief=False)),
            play(home, fake, manner=Manner(unsure=False)),
            play(home, fake, manner=Manner(history="own")),
            play(home, other),
        ]
        assert [one.evaluation for one in made] == [f"{run}-e{n}" for n in range(4, 10)]
        assert len(fake.requests) == 5 * 8


def test_dialogues_are_played_side_by_side_and_their_turns_in_sequence(home: Home, run: str) -> None:
    """Each first question waits until the other dialogue's is there too."""
    both = threading.Barrier(2, timeout=20)

    def say(request: Request, number: int) -> str:
        asked = request.body["messages"]
        if len(asked) == 2:
            both.wait()
        return f"to {asked[-1]['content']}"

    with chatbot(say) as fake:
        assert play(home, fake, in_flight=2, manner=Manner(history="own")).status == "done"
        assert fake.most_at_once == 2
        for dialogue in DIALOGUES:
            own = [
                r.body["messages"]
                for r in fake.requests
                if r.body["messages"][1]["content"] == dialogue.turns[0].utterance
            ]
            assert [len(messages) for messages in own] == [2, 4, 6, 8]
            assert own[3][6]["content"] == f"to {dialogue.turns[2].utterance}"
    assert said(home, f"{run}-e4") == [f"to {question}" for question in ALL]


def test_only_loopback_and_allowed_hosts_are_contacted(home: Home, run: str) -> None:
    far = Asked(run, endpoint="http://chat.example.org/v1")
    with pytest.raises(PrivacyError, match=r"chat\.example\.org is not this machine"):
        evaluate(home, far, catalog(home))
    with pytest.raises(UnknownName, match="no model is called 'bob'"):
        evaluate(home, Asked(run, model="bob"), catalog(home))
    assert stored(home, run) == {}


def test_a_chatbot_without_a_name_is_called_by_its_host(home: Home, run: str) -> None:
    with chatbot() as fake:
        outcome = play(home, fake, endpoint_model="")
        assert outcome.system == fake.url.removeprefix("http://").replace(":", "-")
        assert fake.requests[0].body["model"] == "default"
        assert play(home, fake, endpoint_model="org/Bot 2").system == "org-Bot-2"
        assert fake.requests[8].body["model"] == "org/Bot 2"


def test_without_the_graph_of_the_run_there_is_no_oracle(home: Home, run: str, tmp_path: Path) -> None:
    notes: list[str] = []
    drifting.edit_lakes(home, tmp_path)
    evaluate(home, Asked(run, model="bot"), catalog(home), report=notes.append)
    assert [one.system for one in stored(home, run).values()] == ["unsure", "majority", "bot"]
    assert notes == ["without oracle, other names of answers and predicate buckets: the graph lakes has other data now"]
    with pytest.raises(UsageError, match="the oracle needs the graph lakes as it was"):
        evaluate(home, Asked(run, model="oracle"), catalog(home))
    drop_kg(home, "lakes")
    evaluate(home, Asked(run, model="bot"), catalog(home), report=notes.append)
    assert notes[1].startswith(
        "without oracle, other names of answers and predicate buckets: no graph is called 'lakes'"
    )


def test_a_run_without_dialogues_cannot_be_played(home: Home) -> None:
    drifting.record(home)
    with pytest.raises(UsageError, match="has no finished dialogue yet"):
        evaluate(home, Asked("latest", model="bot"), catalog(home))


def about(predicate: str, turn: Turn) -> Turn:
    fact = replace(turn.question.fact, predicate=VOCAB + predicate)
    return replace(turn, question=replace(turn.question, fact=fact))


def test_predicates_are_sorted_into_buckets_by_their_triples(home: Home) -> None:
    """The lakes have 14 regions, 8 lengths and 8 sources, 7 islands, and 6 depths, surveys and outflows each.

    That is 55. Regions are 14 of the first third, 18.3. With lengths and sources it is 30, of two thirds 36.7; with the
    islands 37.
    """
    (region, islands, *_), (_, _, _, length) = (dialogue.turns for dialogue in DIALOGUES)
    almere = Dialogue(ALMERE, (about("region", region), about("island", islands)), Usage())
    aske = Dialogue(ASKE, (about("length", replace(length, n=1)),), Usage())
    run = drifting.record(home, almere, aske)
    evaluate(home, Asked(run, model="unsure"), catalog(home))
    with Reader(home.database) as reader:
        assert reader.predicate_counts(run) == {
            VOCAB + "region": (14, "head"),
            VOCAB + "length": (8, "torso"),
            VOCAB + "island": (7, "tail"),
        }
        assert reader.other_names(run) == {}


def test_other_names_of_answers_are_stored(home: Home) -> None:
    """A gold answer that was called otherwise when the run was made: the graph calls it Nordmark."""
    turn = DIALOGUES[0].turns[0]
    old = replace(turn, query=replace(turn.query, answers=(iri("north", "North March"),)))
    run = drifting.record(home, Dialogue(ALMERE, (old,), Usage()))
    evaluate(home, Asked(run, model="unsure"), catalog(home))
    with Reader(home.database) as reader:
        assert reader.other_names(run) == {drifting.NS + "north": ("Nordmark",)}
