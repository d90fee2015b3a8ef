"""Fixtures that many tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import WeightsError
from chattygen.kg.folders import open_kg
from chattygen.kg.load import load
from chattygen.kg.oxigraph import OxigraphGraph
from chattygen.models import weights
from chattygen.models.catalog import load_catalog
from tests import watch
from tests.albums import ALBUMS

# A shell that starts tests in the background has them ignore Ctrl-C, and so would every process that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).parent.parent
NEEDED = ("smollm2-135m-instruct", "all-minilm-l6-v2")


@pytest.fixture(scope="session", autouse=True)
def nothing_leaves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test, and no process of a test, asks anything of another machine or of a resolver, or lets one in."""
    record = tmp_path_factory.mktemp("watch") / "record"
    os.environ.update(watch.environment(record))
    watch.watch_this_process()
    yield
    assert [event for event in watch.read(record) if event.leaves] == []


@pytest.fixture(scope="session")
def weights_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with the small real models in it: their folder is that of CHATTYGEN_TEST_HOME (default: .home)."""
    source = Home(Path(os.environ.get("CHATTYGEN_TEST_HOME", REPOSITORY / ".home")).absolute())
    catalog = load_catalog(source, REPOSITORY / "models.toml")
    for name in NEEDED:
        try:
            weights.find(catalog.entry(name), source)
        except WeightsError as error:
            pytest.fail(
                f"{error.message}; run: make test, or: chattygen pull-model {' '.join(NEEDED)} --home {source.path}",
                pytrace=False,
            )
    home = Home(tmp_path_factory.mktemp("home"))
    home.models.symlink_to(source.models, target_is_directory=True)
    return home


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OxigraphGraph]:
    """The graph of tests/data/albums.ttl."""
    home = Home(tmp_path_factory.mktemp("albums"))
    load(home, "albums", [ALBUMS])
    with open_kg(home, "albums") as graph:
        assert isinstance(graph, OxigraphGraph)
        yield graph


@pytest.fixture(scope="session")
def llama_cpp() -> None:
    """The test needs llama-cpp-python's server in this Python."""
    if find_spec("llama_cpp") is None or find_spec("uvicorn") is None:
        pytest.fail("llama-cpp-python with its server is missing; run: pip install -e '.[cpu]'", pytrace=False)
