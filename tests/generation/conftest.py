"""The graph of tests/data/captain.ttl in a real Oxigraph store, and the real sentence embedding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.models.catalog import load_catalog
from chattygen.models.model import Embedder
from chattygen.models.obtain import load_embedder


@pytest.fixture(scope="session")
def sea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OxigraphGraph]:
    home = Home(tmp_path_factory.mktemp("sea"))
    load(home, "sea", [Path(__file__).parents[1] / "data" / "captain.ttl"])
    with open_kg(home, "sea") as graph:
        yield graph


@pytest.fixture(scope="session")
def minilm(weights_home: Home) -> Embedder:
    return load_embedder(load_catalog(weights_home).entry("all-minilm-l6-v2"), weights_home)
