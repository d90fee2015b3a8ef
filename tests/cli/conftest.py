"""A home with the hand-made run, for the commands that read what was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.results import hand_made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def run(home: Path) -> str:
    return hand_made.record(home / "chattygen.db")
