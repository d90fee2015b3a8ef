from __future__ import annotations

from dataclasses import replace

import pytest

from chattygen.config import RunSettings
from chattygen.loop import askable
from tests.generation.hand_made import BORN, CREW, FACTS, MENTOR, MOTTO, RANK, around

RUN = RunSettings(kg="sea", questions=5, min_questions=3)


@pytest.mark.parametrize(
    ("facts", "dull", "number"),
    [
        (FACTS, (), 5),
        (FACTS, (MOTTO,), 5),  # five others are left
        ((BORN, RANK, MENTOR, CREW, MOTTO), (MOTTO,), 4),
        ((BORN, RANK, MENTOR, CREW, MOTTO), (MOTTO, CREW, RANK), 3),  # one dull fact makes up the fewest
        ((BORN, CREW, MOTTO), (MOTTO, CREW, BORN), 3),
        ((BORN, MOTTO), (MOTTO,), 2),
    ],
)
def test_facts_of_less_interest_count_as_far_as_they_are_needed(
    facts: tuple[object, ...], dull: tuple[object, ...], number: int
) -> None:
    subgraph = replace(around(*facts), interest=dict.fromkeys(dull, 0.3))  # type: ignore[arg-type]
    assert askable(RUN, subgraph) == number
