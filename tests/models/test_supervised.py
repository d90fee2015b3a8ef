"""A server that dies during a run, as a real process: replaced once for all calls in flight, and not without need."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from chattygen.errors import CallError, ChattygenError, PassingError, ServerError
from chattygen.models import server
from chattygen.models.chat import ChatModel
from chattygen.models.server import Running
from chattygen.models.supervised import Supervised
from tests.models.test_server import gone, launch


class Servers:
    """What Supervised needs: a new pretended server each time, in the next of the given manners.

    Attributes:
        started: the servers that answered, in the order of their start.
        told: what was reported.
    """

    def __init__(self, home: Home, manners: list[str], revisions: str = "aa", timeout: float = 20.0) -> None:
        self.home, self.manners, self.revisions, self.timeout = home, manners, iter(revisions), timeout
        self.asked = 0
        self.started: list[Running] = []
        self.told: list[str] = []

    def report(self, seconds: float, words: str) -> None:
        self.told.append(words)

    def find(self, dead: Running | None, waiting: server.Waiting) -> Running:
        assert dead == (self.started[-1] if self.started else None)
        manner = self.manners[self.asked]
        self.asked += 1
        running = server.start(launch(manner), self.home, waiting, guarded=True, started_by="test")
        self.started.append(running)
        return running

    def connect(self, running: Running) -> ChatModel:
        return ChatModel(
            *("m", 100, running.url, running.key), dialect="vllm", revision=next(self.revisions), timeout=self.timeout
        )

    def model(self) -> Supervised:
        end = lambda running: server.stop(running, self.home)  # noqa: E731
        return Supervised(self.home, self.find, self.connect, end, self.report)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    yield home
    for left in server.running(home):
        server.stop(left, home)
        pytest.fail(f"{left.model} was left running")


def ask(model: Supervised) -> str:
    return model.complete([("user", "Who are you?")], max_tokens=5).text


def outcome(model: Supervised) -> str:
    """The reply, or what went wrong."""
    try:
        return ask(model)
    except ChattygenError as error:
        return error.message


def served(running: Running) -> int:
    """The process id of the server itself: the guard's child."""
    return psutil.Process(running.pid).children()[0].pid


def test_all_calls_in_flight_are_repeated_on_one_new_server(home: Home, tmp_path: Path) -> None:
    manner = f"once:{tmp_path / 'died'}"
    servers = Servers(home, [manner, manner])
    with closing(servers.model()) as model, ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: ask(model), range(4)))
        first, second = servers.started
        assert set(replies) == {str(served(second))}
        assert server.running(home) == [second]
        assert (first.port, first.key) != (second.port, second.key)
        assert (model.name, model.revision, model.context, model.exact) == ("m", "a", 100, True)
    assert "the server of m died, killed by SIGKILL; starting another one" in servers.told
    assert servers.told[-1].startswith("m is ready after ")
    assert Path(f"{second.log}.1").read_text().endswith("the last words\n"), "the log of the first one is kept"
    assert not second.alive


def test_a_server_that_was_stopped_is_replaced_too(home: Home) -> None:
    servers = Servers(home, ["", ""])
    with closing(servers.model()) as model:
        os.kill(served(servers.started[0]), signal.SIGTERM)
        assert ask(model) == str(served(servers.started[1]))
    assert "the server of m was stopped; starting another one" in servers.told


def test_a_server_that_dies_again_ends_the_run_with_its_log(home: Home) -> None:
    servers = Servers(home, ["mortal", "mortal"])
    with closing(servers.model()) as model:
        for _ in range(2):  # the second time nothing is started any more
            with pytest.raises(CallError) as caught:
                ask(model)
            assert not isinstance(caught.value, PassingError), "it must not be tried again"
            assert caught.value.message == "the server of m died, killed by SIGKILL, and so had the one before it"
            assert caught.value.hint.endswith(f"the log is {home.logs / 'm.log'}")
            assert caught.value.__notes__ == ["the last words"]
    assert servers.asked == 2


def test_a_new_server_that_does_not_start_is_tried_once_for_all_calls(home: Home) -> None:
    servers = Servers(home, ["mortal", "dies"])
    with closing(servers.model()) as model, ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: outcome(model), range(4))) == {
            "the server of m ended while starting, exit code 3"
        }
    assert servers.asked == 2


def test_other_weights_than_before_end_the_run(home: Home) -> None:
    servers = Servers(home, ["mortal", ""], revisions="ab")
    with closing(servers.model()) as model:
        assert outcome(model) == "m has other weights now"
        assert not servers.started[1].holds


def test_a_server_that_lives_is_not_replaced(home: Home) -> None:
    servers = Servers(home, ["broken"])
    with closing(servers.model()) as model:
        with pytest.raises(PassingError, match="status 500"):
            ask(model)
        assert servers.started[0].alive
    assert servers.asked == 1


def test_a_server_that_hangs_is_not_replaced_but_ended(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "GRACE", 1.0)
    servers = Servers(home, [""], timeout=1.0)
    with closing(servers.model()) as model:
        hanging = served(servers.started[0])
        os.kill(hanging, signal.SIGSTOP)
        with pytest.raises(PassingError, match="no answer in time"):
            ask(model)
    assert gone([hanging], 1)
    assert servers.asked == 1


def test_closing_does_not_wait_for_a_server_that_is_being_started(home: Home) -> None:
    servers = Servers(home, ["mortal", "silent"])
    model = servers.model()
    failed: list[str] = []
    caller = threading.Thread(target=lambda: failed.append(outcome(model)))
    caller.start()
    deadline = time.monotonic() + 10
    while "waiting for m, 1 s" not in servers.told and time.monotonic() < deadline:
        time.sleep(0.1)
    begun = time.monotonic()
    model.close()
    caller.join()
    assert time.monotonic() - begun < 5
    assert failed == ["the call to m was given up"]


def test_without_a_server_there_is_no_model(home: Home) -> None:
    with pytest.raises(ServerError, match="exit code 3"):
        Servers(home, ["dies"]).model()
