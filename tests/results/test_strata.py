from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.domain import Strata, Thresholds
from chattygen.results.reader import Reader
from chattygen.results.recorder import Recorder
from tests.results import hand_made

EXACT = Strata("http://e.org/A", "density", Thresholds(36, 16), {"head": 1, "torso": 2, "tail": 6}, 3, "exact", 9)
ESTIMATED = Strata(
    "http://e.org/B",
    "http://e.org/votes",
    Thresholds(None, 2.5),
    {"head": 0, "torso": 100, "tail": 900},
    0,
    "estimated",
    500,
    0.0607,
    {"head": (9.5, None), "torso": (2, 4)},
)


@pytest.mark.parametrize("strata", [EXACT, ESTIMATED], ids=["exact", "estimated"])
def test_strata_come_back_as_they_were_stored_first(strata: Strata, tmp_path: Path) -> None:
    run = hand_made.record(tmp_path / "chattygen.db")
    with Recorder(tmp_path / "chattygen.db") as recorder:
        assert recorder.strata_method(run, strata.node_type) == ""
        recorder.strata(run, strata)
        recorder.strata(run, Strata(strata.node_type, "other", Thresholds(1, 1), strata.entities, 0, "exact", 1))
        assert recorder.strata_method(run, strata.node_type) == strata.method
    with Reader(tmp_path / "chattygen.db") as reader:
        assert reader.strata(run) == (strata,)


def test_strata_come_in_the_order_in_which_they_were_found(tmp_path: Path) -> None:
    run = hand_made.record(tmp_path / "chattygen.db")
    with Recorder(tmp_path / "chattygen.db") as recorder:
        recorder.strata(run, ESTIMATED)
        recorder.strata(run, EXACT)
    with Reader(tmp_path / "chattygen.db") as reader:
        assert reader.strata(run) == (ESTIMATED, EXACT)
        assert reader.strata("none") == ()
