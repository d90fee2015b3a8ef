"""Homes for whole journeys: graph and weights are shared, everything else is new for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chattygen.config import Home
from tests.journeys.lakes import fresh, make_home


@pytest.fixture(scope="session")
def lakes(weights_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("lakes") / "home", weights_home)


@pytest.fixture
def home(lakes: Home, tmp_path: Path) -> Home:
    return fresh(lakes, tmp_path / "home")


@pytest.fixture(scope="package", autouse=True)
def plain_flow() -> Iterator[None]:
    """Every later turn refers to the seed, as the model of lakes.py does it; a test that wants more says --flow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHATTYGEN_GENERATE_FLOW", "ellipsis=0,follow-up=0")
        yield
