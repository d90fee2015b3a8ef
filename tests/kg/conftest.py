from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from tests.virtuoso import fill

DATA = Path(__file__).parent.parent / "data"
TINY = DATA / "tiny.ttl"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OxigraphGraph]:
    """The graph of tests/data/tiny.ttl, loaded once."""
    home = Home(tmp_path_factory.mktemp("tiny"))
    load(home, "tiny", [TINY])
    with open_kg(home, "tiny") as graph:
        yield graph


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The small graphs of tests/data as one graph, in an Oxigraph and in a Virtuoso: the folders of the stores."""
    files = [DATA / name for name in ("tiny.ttl", "lakes.ttl", "context.ttl", "literals.ttl")]
    return fill(tmp_path_factory.mktemp("both"), files)
