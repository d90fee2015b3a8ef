"""What the dialogues of a run hold: counts that were worked out from the hand-made run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chattygen.domain import NodeType, Subgraph
from chattygen.results.contents import Contents, Example, Failed, PredicateCount, TypeCount
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made
from tests.results.hand_made import BORN, CREW, CURIE, CURIE_DIALOGUE, NS, PRIZES, SHIP, attempt, finding


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    path = tmp_path_factory.mktemp("contents") / "chattygen.db"
    run = hand_made.record(path)
    with Reader(path) as reader:
        return reader.contents(run)


def test_answers(contents: Contents) -> None:
    assert contents.answers == ((1, 3), (2, 1))  # a date, a number, a truth value; two prizes
    assert contents.cut_short == 0


def test_node_types(contents: Contents) -> None:
    assert contents.node_types == (
        TypeCount(NS + "Laureate", "laureate", 0.9, 1),
        TypeCount(NS + "Ship", "ship", 0.1, 1),
    )
    assert contents.dropped == (("agent", "shadowed by laureate"),)


def test_predicates_are_counted_in_questions(contents: Contents) -> None:
    assert contents.predicates == (
        PredicateCount(NS + "born", "birth date", 2),
        PredicateCount(NS + "crew", "crew", 1),
        PredicateCount(NS + "laureate", "laureate", 1),
    )


def test_findings(contents: Contents) -> None:
    def failed(rule: str, seed: str, put_right: int) -> Failed:
        return Failed(rule, 1, put_right, (Example(seed, f"{rule} does not hold", "the text"),))

    assert contents.failed == (
        failed("Q5", "Marie Curie", 1),
        failed("P2", "Pierre Curie", 0),
        failed("P4", "Pierre Curie", 0),
        failed("Q8", "Pierre Curie", 0),
        failed("S5", "Marie Curie", 1),
        failed("S6", "Marie Curie", 1),
        failed("D3", "Marie Curie", 1),
    )


def test_examples_are_the_most_frequent_messages_and_two_of_them(tmp_path: Path) -> None:
    rare, often, later = (replace(finding("D6"), message=message) for message in ("rare", "often", "later"))
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
        recorder.attempt(run, None, attempt("label", 1, 1, 1, 1.0, rare))
        recorder.attempt(run, None, attempt("label", 2, 1, 1, 1.0, replace(often, evidence="first"), later))
        recorder.attempt(run, None, attempt("label", 3, 1, 1, 1.0, replace(often, evidence="second")))
        other = hand_made.start(recorder)
        recorder.attempt(other, None, attempt("label", 1, 1, 1, 1.0, later, later))
    with Reader(tmp_path / "chattygen.db") as reader:
        (failed,) = reader.contents(run).failed
    assert failed == Failed("D6", 4, 0, (Example("", "often", "first"), Example("", "rare", "the text")))


def test_a_type_that_is_not_kept_and_answers_cut_short(tmp_path: Path) -> None:
    second = CURIE_DIALOGUE.turns[1]
    cut = replace(second, query=replace(second.query, answers=(), complete=False))
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
        recorder.node_types(run, [NodeType(SHIP.node_type, "ship", 3, 1.0)], [], {})
        seed = recorder.start_seed(run, Subgraph(CURIE, (BORN, PRIZES, CREW), 3))
        recorder.dialogue(run, seed, replace(CURIE_DIALOGUE, turns=(CURIE_DIALOGUE.turns[0], cut)))
    with Reader(tmp_path / "chattygen.db") as reader:
        contents = reader.contents(run)
    assert contents.node_types == (
        TypeCount(NS + "Ship", "ship", 1.0, 0),
        TypeCount(NS + "Laureate", "laureate", None, 1),
    )
    assert (contents.answers, contents.cut_short) == (((0, 1), (1, 1)), 1)


def test_a_run_that_did_nothing_holds_nothing(tmp_path: Path) -> None:
    with Recorder(tmp_path / "chattygen.db") as recorder:
        run = hand_made.start(recorder)
    with Reader(tmp_path / "chattygen.db") as reader:
        assert reader.contents(run) == Contents((), (), (), (), (), 0)
