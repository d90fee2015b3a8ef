"""Nothing leaves the machine: the whole job in a network that has only loopback, every process under watch."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.models import server
from chattygen.privacy import SILENT
from tests import watch
from tests.conftest import REPOSITORY
from tests.journeys.lakes import GRAPH, write_models
from tests.journeys.test_main_job import call
from tests.models.fake_server import JSON, Request, completion, serving
from tests.virtuoso import needs_virtuoso
from tests.watch.alone import Network, alone
from tests.watch.listening import processes

SMALL = "smollm2-135m-instruct"
SCRIPT = '[models.script]\nbackend = "scripted"\nscript = "script.jsonl"\n'
CAST = [
    *("--role", f"label={SMALL}"),
    *(word for role in ("questions", "sparql", "dialogue", "judge") for word in ("--role", f"{role}=script")),
]
"""The real model is asked a little, for its sake; the script says nothing, and is quick."""

REMOTE = '{"@context": "http://192.0.2.1/context.jsonld", "@id": "http://example.org/a", "name": "A"}'


@dataclass
class Place:
    """A home in a network of its own, and an environment that would lead everything out."""

    home: Home
    network: Network
    record: Path
    said: list[str] = field(default_factory=list)
    key: str = ""
    served: set[tuple[str, str]] = field(default_factory=set)

    @property
    def environment(self) -> dict[str, str]:
        proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        kept = {name: value for name, value in os.environ.items() if name.lower() != "no_proxy" and name not in SILENT}
        lures = dict.fromkeys((*proxies, "HF_ENDPOINT", "OPENAI_BASE_URL"), self.network.proxy)
        return kept | lures | watch.environment(self.record)

    def command(self, *words: str) -> list[str]:
        return [*self.network.prefix, sys.executable, *words]

    def call(self, *words: str, code: int = 0) -> str:
        """Run chattygen; what it said on stdout."""
        command = self.command("-m", "chattygen", *words, "--home", str(self.home.path))
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        self.said += [done.stdout, done.stderr]
        assert done.returncode == code, done.stderr
        return done.stdout

    def listening(self) -> set[tuple[str, str]]:
        """(program, address) of what listens."""
        command = self.command("-m", "tests.watch.listening", str(self.record))
        found = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
        return {(program, address) for program, address in json.loads(found.stdout)}

    @property
    def events(self) -> list[watch.Event]:
        return watch.read(self.record)


def files_with(home: Home, text: str) -> list[str]:
    """The files of a home that hold a text; weights, which are shared and linked to, are left out."""
    files = [Path(folder, name) for folder, _, names in os.walk(home.path) for name in names]
    assert files
    return [str(file.relative_to(home.path)) for file in files if text.encode() in file.read_bytes()]


@pytest.fixture(scope="module")
def place(weights_home: Home, llama_cpp: None, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The whole job, done and over."""
    folder = tmp_path_factory.mktemp("local")
    home = Home(folder / "home")
    home.create()
    (home.path / "models").symlink_to(weights_home.models.resolve(), target_is_directory=True)
    models = (REPOSITORY / "models.toml").read_text(encoding="utf-8")
    (home.path / "models.toml").write_text(models + SCRIPT, encoding="utf-8")
    (home.path / "script.jsonl").write_text('{"reply": "", "times": 0}\n', encoding="utf-8")
    (folder / "remote.jsonld").write_text(REMOTE, encoding="utf-8")
    with alone() as network:
        place = Place(home, network, folder / "record")
        place.call("load-kg", str(GRAPH))
        place.call("load-kg", str(folder / "remote.jsonld"), code=1)
        assert "nothing is ever fetched" in place.said[-1]
        try:
            place.call("serve-models", SMALL, "--detach")
            [running] = server.running(home)
            place.key, place.served = running.key, place.listening()
            assert place.key not in str([process.cmdline() for process in processes(str(place.record))])
            assert files_with(place.home, place.key) == [f"run/{SMALL}.json"]
            assert stat.S_IMODE((home.run / f"{SMALL}.json").stat().st_mode) == 0o600
            assert stat.S_IMODE(home.run.stat().st_mode) == 0o700
            place.call("generate", "--kg", "lakes", "--dialogues", "2", "--questions", "3", *CAST)
            place.call("export", "latest", "--to", "jsonl", "--output", str(folder / "lakes.jsonl"))
            place.call("report", "latest", "--html", str(folder / "lakes.html"))
        finally:
            place.call("stop-models")
    return place


@pytest.mark.model
def test_no_process_of_the_job_asks_for_another_machine(place: Place) -> None:
    assert [event for event in place.events if event.leaves] == []
    # The watch was on: the server listened and was connected to.
    assert {"socket.bind", "socket.connect", "subprocess.Popen"} <= {event.name for event in place.events}


@pytest.mark.model
def test_the_kernel_saw_nothing_leave(place: Place) -> None:
    """Whatever native code does, too. Whether a network of its own is allowed is up to the kernel and the container."""
    if not place.network.own:
        pytest.skip("no network namespace is allowed here")
    assert (place.network.resolved, place.network.unroutable) == (0, 0)


@pytest.mark.model
def test_no_proxy_of_the_environment_is_asked(place: Place) -> None:
    assert place.network.proxied == 0


@pytest.mark.model
def test_only_loopback_is_listened_on(place: Place) -> None:
    assert {address for _, address in place.served} == {"127.0.0.1"}


@pytest.mark.model
def test_every_child_of_the_job_gets_the_environment_of_the_guard(place: Place) -> None:
    started = [event.what for event in place.events if event.name == "subprocess.Popen"]
    assert {"chattygen.kg.worker"} <= {word for command, _ in started for word in command}
    for command, told in started:
        assert told.pop("HF_HUB_OFFLINE", "") == "1", command
        assert set(told) == {"NO_PROXY", "no_proxy"}, command


@pytest.mark.model
def test_the_key_is_nowhere_afterwards(place: Place) -> None:
    assert len(place.key) == 32
    assert files_with(place.home, place.key) == []
    assert place.key not in "".join(place.said)
    assert place.key not in place.record.read_text(encoding="utf-8")  # of command lines, too


@pytest.mark.model
def test_no_library_that_reports_to_somebody_is_imported(place: Place) -> None:
    assert [event.what for event in place.events if event.name == "import"] == []


def test_virtuoso_stays_on_this_machine(tmp_path: Path) -> None:
    needs_virtuoso()
    with alone() as network:
        place = Place(Home(tmp_path / "home"), network, tmp_path / "record")
        place.call("load-kg", str(GRAPH), "--store", "virtuoso")
        assert stat.S_IMODE(place.home.path.stat().st_mode) == 0o700
        command = place.command("-c", HOLD, str(place.home.path))
        with subprocess.Popen(command, env=place.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == b"True\n"
            listening = place.listening()
            holder.communicate()
    assert listening == {("virtuoso-t", "127.0.0.1")}
    assert [event for event in place.events if event.leaves] == []
    assert (network.proxied, network.resolved, network.unroutable) == (0, 0, 0)


HOLD = """
import sys
from pathlib import Path
from chattygen.config import Home
from chattygen.kg.folders import open_kg
with open_kg(Home(Path(sys.argv[1])), "lakes") as graph:
    print(graph.ask("ASK { ?s ?p ?o }"), flush=True)
    sys.stdin.read()
"""

KEY = "sk-4f1d8a90b7"


@pytest.mark.parametrize("heard", [True, False])
def test_a_key_of_the_user_is_not_kept(
    home: Home, heard: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither by a run nor by the complaint of a server that repeats it."""

    def answer(request: Request) -> tuple[int, bytes, dict[str, str]]:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        complaint = f"{request.headers['authorization']} is not a key".encode()
        return (200, completion(""), JSON) if heard else (401, complaint, {})

    monkeypatch.setenv("KEY_OF_LAKES", KEY)
    with serving(answer) as fake:
        write_models(home.path, fake.url)
        models = (home.path / "models.toml").read_text(encoding="utf-8")
        models = models.replace('"endpoint"', '"endpoint"\nkey_env = "KEY_OF_LAKES"')
        (home.path / "models.toml").write_text(models, encoding="utf-8")
        code = call(home, "generate", "--kg", "lakes", "--dialogues", "1", "--questions", "3")
        assert fake.requests
    said = capsys.readouterr()
    assert code == (0 if heard else 1)
    assert heard or "status 401: Bearer [key] is not a key" in said.err
    assert KEY not in said.out + said.err
    assert files_with(home, KEY) == []
