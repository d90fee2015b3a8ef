"""The words beside the progress bar; figures worked out by hand."""

from __future__ import annotations

from chattygen.cli.pace import Pace, minutes
from chattygen.domain import Usage
from chattygen.pipeline import Progress


def words(*told: tuple[Progress, float]) -> str:
    pace = Pace()
    for progress, seconds in told:
        pace.add(progress, seconds)
    return pace.words()


START = Progress("r", 0, 0.0, 9, 5, "Dialogue generation", 0, Usage())


def test_at_the_start_nothing_is_known() -> None:
    assert Pace().words() == ""
    assert words((START, 3.0)) == "0 of 9 dialogues, 5 seeds, dialogue generation, 0 findings, 3 s"


def test_the_pace_is_that_of_what_was_reached() -> None:
    """A third of 9 dialogues in 60 seconds: the other two thirds take 120. 900 tokens in 45 seconds are 20 a second."""
    progress = Progress("r", 2, 3.0, 9, 4, "SPARQL query generation", 5, Usage(700, 200, 8, 45.0))
    assert words((START, 0.0), (progress, 60.0)) == (
        "2 of 9 dialogues, 4 seeds, sparql query generation, 5 findings, 20 tokens/s, 60 s, about 2.0 min left"
    )


def test_what_a_resumed_run_recalls_is_no_pace() -> None:
    """Six dialogues are recalled in 2 seconds, one is made in 60: two are left and take 120."""
    recalled = Progress("r", 6, 6.0, 9, 6, "", 0, Usage())
    made = Progress("r", 7, 7.0, 9, 7, "", 0, Usage(80, 20, 3, 50.0))
    assert words((START, 0.0), (recalled, 2.0), (made, 62.0)) == (
        "7 of 9 dialogues, 7 seeds, 0 findings, 2 tokens/s, 62 s, about 2.0 min left"
    )


def test_times_are_said_as_people_say_them() -> None:
    assert [minutes(seconds) for seconds in (0.4, 119, 120, 7199, 7200, 36_000)] == [
        *["0 s", "119 s", "2.0 min", "120.0 min", "2.0 h", "10.0 h"]
    ]
