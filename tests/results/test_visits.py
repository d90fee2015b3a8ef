"""Assembled dialogues are stored as those that went through the stages, many at once, and several of one seed."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from chattygen.domain import DroppedFact, Subgraph, Usage, Visit
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder

from .hand_made import ADA, ADA_DIALOGUE, ADA_SUBGRAPH, BORN, CREW, NS, SHIP, SHIP_DIALOGUE, start
from .test_recorder import rows

GONE = (DroppedFact(NS + "id", "out", "identifier"),)
ADA_KNOWN = replace(ADA_SUBGRAPH, dropped=GONE)
SHIP_KNOWN = Subgraph(SHIP, (CREW, BORN), 42)

FIRST = Visit(ADA_KNOWN, 1, ADA_DIALOGUE.turns)
OTHER = Visit(SHIP_KNOWN, 1, SHIP_DIALOGUE.turns)
SECOND = Visit(ADA_KNOWN, 2, ADA_DIALOGUE.turns[:1])
IN_VAIN = Visit(Subgraph(replace(SHIP, iri=NS + "none"), (CREW,), 41), 1, ())


def test_they_read_as_if_each_had_been_stored_alone(tmp_path: Path) -> None:
    with Recorder(tmp_path / "alone.db") as recorder:
        alone = start(recorder)
        for subgraph, dialogue in ((ADA_KNOWN, ADA_DIALOGUE), (SHIP_KNOWN, SHIP_DIALOGUE)):
            recorder.dialogue(alone, recorder.start_seed(alone, subgraph), replace(dialogue, usage=Usage()))
    with Recorder(tmp_path / "batch.db") as recorder:
        batch = start(recorder)
        recorder.visits(batch, [FIRST, OTHER])

    def read(path: Path, run: str) -> list[dict[str, object]]:
        with Reader(path) as reader:
            return [asdict(dialogue) | {"id": "", "run": ""} for dialogue in reader.dialogues(run)]

    assert read(tmp_path / "batch.db", batch) == read(tmp_path / "alone.db", alone)
    for table in ("fact", "dropped_fact", "question", "query", "answer"):
        assert rows(tmp_path / "batch.db", f"select * from {table}") == rows(
            tmp_path / "alone.db", f"select * from {table}"
        )


def test_several_visits_to_a_seed_and_one_in_vain(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with Recorder(path) as recorder:
        run = start(recorder)
        recorder.visits(run, [FIRST, IN_VAIN])
        recorder.visits(run, [OTHER, SECOND])
        recorder.visits(run, [FIRST, IN_VAIN, OTHER, SECOND])  # as a resumed run does
        recorder.finish_run(run, "short")
    seeds = rows(path, "select n, iri, visit, status, rule, facts, triples from seed order by n")
    # Ada has three facts, and one that others have; 4 triples. The ship has 41 sailors and a birth date.
    assert seeds == [
        (1, ADA.iri, 1, "accepted", "", 3, 4),
        (2, NS + "none", 1, "given-up", "C4", 1, 41),
        (3, SHIP.iri, 1, "accepted", "", 2, 42),
        (4, ADA.iri, 2, "accepted", "", 3, 4),
    ]
    assert rows(path, "select n, seed from dialogue order by n") == [(1, 1), (2, 3), (3, 4)]
    assert rows(path, "select id from dialogue order by n") == [(f"{run}-{n}",) for n in (1, 2, 3)]
    assert rows(path, "select seed, predicate from dropped_fact") == [(1, NS + "id")]
    assert rows(path, "select sum(prompt_tokens), sum(calls), sum(seconds) from dialogue") == [(0, 0, 0.0)]


def test_visits_go_on_behind_seeds_of_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with Recorder(path) as recorder:
        first, second = start(recorder), start(recorder)
        recorder.visits(first, [FIRST])
        recorder.visits(second, [FIRST, OTHER])
    assert rows(path, "select n, seed from dialogue order by seed") == [(1, 1), (1, 2), (2, 3)]
    assert rows(path, "select count(*) from turn") == [(2 * len(ADA_DIALOGUE.turns) + len(SHIP_DIALOGUE.turns),)]
