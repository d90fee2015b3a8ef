"""The containers as far as they can be tested without a Docker engine: what the files say, and a real Virtuoso."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

import psutil
import pytest
import yaml
from packaging.requirements import Requirement

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.models.catalog import load_catalog
from chattygen.privacy import SILENT
from tests.conftest import REPOSITORY
from tests.test_docs import understood
from tests.virtuoso import needs_virtuoso

DOCKER = REPOSITORY / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILES = ["Dockerfile.cpu", "Dockerfile.gpu", "Dockerfile.virtuoso"]
PULLS = {"pull": "cpu", "pull-gpu": "gpu"}
APPLIANCES = {"chattygen", "chattygen-gpu"}

# ---------------------------------------------------------------------------------------------------------------------
# compose.yaml


def test_the_services_and_their_profiles() -> None:
    assert {name: service["profiles"] for name, service in SERVICES.items()} == {
        "chattygen": ["cpu"],
        "chattygen-gpu": ["gpu"],
        "virtuoso": ["virtuoso"],
        "pull": ["pull"],
        "pull-gpu": ["pull-gpu"],
    }


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_door_and_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert not {"ports", "network_mode", "privileged", "cap_add", "devices", "ipc", "pid"} & set(service)
    assert service["user"] == "10001:10001"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "PASSWORD" not in json.dumps(service)


def test_only_a_pull_reaches_a_network_that_leads_out_and_it_sees_the_weights_alone() -> None:
    assert COMPOSE["networks"] == {"inside": {"internal": True}, "outside": {}}
    for name, service in SERVICES.items():
        assert service["networks"] == (["outside"] if name in PULLS else ["inside"])
        if name in PULLS:
            assert service["volumes"] == ["models:/data/models"]
            assert {"HF_HUB_OFFLINE=0", "TRANSFORMERS_OFFLINE=0"} <= set(service["environment"])
        else:
            assert "environment" not in service
            assert "test" in service["healthcheck"]


def test_what_is_kept_is_kept_in_named_volumes() -> None:
    assert set(COMPOSE["volumes"]) == {"home", "models", "graphs"}
    for name in APPLIANCES:
        assert SERVICES[name]["volumes"][:2] == ["home:/data", "models:/data/models"]
        assert "/data/run:uid=10001,gid=10001,mode=0700" in SERVICES[name]["tmpfs"]
    assert SERVICES["virtuoso"]["volumes"][0] == "graphs:/data"
    assert all(SERVICES[name]["volumes"][-1].endswith(":/graphs:ro") for name in (*APPLIANCES, "virtuoso"))


def test_every_image_is_built_from_a_file_that_is_here() -> None:
    for service in SERVICES.values():
        assert (DOCKER / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        assert service["image"].startswith("chattygen:")


def test_the_commands_are_those_of_chattygen_and_pull_what_the_roles_need() -> None:
    catalog = load_catalog(Home(DOCKER), REPOSITORY / "models.toml")
    for name in (*APPLIANCES, *PULLS):
        understood(["chattygen", *SERVICES[name]["command"]])
    for name, profile in PULLS.items():
        assert set(SERVICES[name]["command"][1:]) == set(catalog.roles(profile).values())  # type: ignore[arg-type]


def test_the_commands_in_the_readme() -> None:
    readme = (DOCKER / "README.md").read_text(encoding="utf-8")
    inside = re.findall(r"docker compose exec (?:-T )?chattygen(?:-gpu)? (chattygen .*)", readme)
    pulls = re.findall(r"docker compose run --rm pull(?:-gpu)? (pull-model [^`]*)", readme)
    alone = re.findall(r"docker run .* chattygen:cpu (.*)", readme)
    assert (len(inside), len(pulls), len(alone)) == (9, 2, 3)
    for line in (*inside, *(f"chattygen {words}" for words in (*pulls, *alone))):
        understood(shlex.split(line.partition(" > ")[0], comments=True))
    assert set(re.findall(r"COMPOSE_PROFILES=([a-z,]+)", readme)) == {"cpu", "gpu", "cpu,virtuoso"}


# ---------------------------------------------------------------------------------------------------------------------
# Dockerfiles

Instruction = tuple[str, str]
"""Name and rest, continued lines joined."""


def instructions(name: str) -> list[Instruction]:
    text = (DOCKER / name).read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if line and not line.startswith("#")).replace("\\\n", "")
    found = []
    for line in lines.splitlines():
        word, _, rest = line.partition(" ")
        found.append((word, rest.strip()))
    return found


def last_stage(name: str) -> list[Instruction]:
    steps = instructions(name)
    start = max(number for number, (word, _) in enumerate(steps) if word == "FROM")
    return steps[start:]


def arguments(name: str) -> dict[str, str]:
    """The build arguments with their defaults."""
    return dict(rest.split("=", 1) for word, rest in instructions(name) if word == "ARG")


def environment(name: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for word, rest in last_stage(name) if word == "ENV" for pair in shlex.split(rest))


@pytest.mark.parametrize("name", DOCKERFILES)
def test_an_image_has_a_pinned_base_and_a_user_without_rights(name: str) -> None:
    given = arguments(name)
    bases = [rest.split()[0] for word, rest in instructions(name) if word == "FROM"]
    for base in bases:
        image, _, tag = re.sub(r"\$\{(\w+)\}", lambda found: given[found[1]], base).partition(":")
        assert image in ("python", "vllm/vllm-openai", "openlink/virtuoso-opensource-7")
        assert re.match(r"v?\d+\.\d+\.\d+", tag)
    stage = last_stage(name)
    assert [rest for word, rest in stage if word == "USER"][-1] == "10001:10001"
    assert ("VOLUME", "/data") in stage
    assert [word for word, _ in stage].count("HEALTHCHECK") == 1
    assert [word for word, _ in stage].count("EXPOSE") == 0


@pytest.mark.parametrize("name", ["Dockerfile.cpu", "Dockerfile.gpu"])
def test_the_images_are_as_silent_as_our_child_processes(name: str) -> None:
    there = environment(name)
    assert {key: there.get(key) for key in SILENT} == SILENT
    assert there["CHATTYGEN_HOME"] == "/data"
    assert ("ENTRYPOINT", '["chattygen"]') in last_stage(name)


def test_the_cpu_image_has_no_compiler_and_what_its_programs_need() -> None:
    installed = " ".join(rest for word, rest in last_stage("Dockerfile.cpu") if word == "RUN")
    assert not re.search(r"build-essential|gcc|g\+\+|cmake", installed)
    assert re.search(r"\blibgomp1\b", installed)  # llama.cpp's threads
    assert re.search(r"\bvirtuoso-opensource-7-bin\b", installed)
    steps = instructions("Dockerfile.cpu")
    assert ("ENV", "CMAKE_ARGS=-DGGML_NATIVE=OFF") in steps


def test_the_pinned_engines_are_those_that_pyproject_asks_for() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: [Requirement(text) for text in texts] for name, texts in project["optional-dependencies"].items()}
    llama = next(wanted for wanted in extras["cpu"] if wanted.name == "llama-cpp-python")
    assert llama.specifier.contains(arguments("Dockerfile.cpu")["LLAMA_CPP_PYTHON"])
    vllm = next(wanted for wanted in extras["gpu"] if wanted.name == "vllm")
    assert vllm.specifier.contains(arguments("Dockerfile.gpu")["VLLM"].removeprefix("v"))
    for name in ("Dockerfile.cpu", "Dockerfile.gpu"):
        [asked] = re.findall(r"'\.\[(.*)\]'", " ".join(rest for word, rest in instructions(name) if word == "RUN"))
        assert set(asked.split(",")) <= set(extras)


def test_what_is_copied_is_here_and_nothing_else_is_sent_to_the_engine() -> None:
    lines = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    let_through = {line[1:] for line in lines if line.startswith("!")}
    copied: set[str] = set()
    for name in DOCKERFILES:
        for word, rest in instructions(name):
            words = [part for part in rest.split() if not part.startswith("--chmod")]
            if word == "COPY" and not words[0].startswith("--from"):
                copied |= set(words[:-1])
    assert copied == let_through
    assert all((REPOSITORY / path).exists() for path in copied)


@pytest.mark.parametrize("name", ["Dockerfile.cpu", "Dockerfile.gpu"])
@pytest.mark.parametrize(("allow", "expected"), [("", ()), ('"virtuoso"', ("virtuoso",)), ('"a", "b"', ("a", "b"))])
def test_the_build_argument_that_allows_hosts(name: str, allow: str, expected: tuple[str, ...], tmp_path: Path) -> None:
    assert arguments(name)["ALLOW"] == ""
    [step] = [rest for word, rest in instructions(name) if word == "RUN" and "models.toml" in rest]
    edit, check, *_ = step.split("&&")
    (tmp_path / "models.toml").write_bytes((REPOSITORY / "models.toml").read_bytes())
    subprocess.run(["sh", "-ec", f"{edit} && {check}"], cwd=tmp_path, env=os.environ | {"ALLOW": allow}, check=True)
    assert load_catalog(Home(tmp_path)).allow == expected


def test_compose_allows_the_one_host_that_it_has() -> None:
    assert all(SERVICES[name]["build"]["args"] == {"ALLOW": '"virtuoso"'} for name in (*APPLIANCES, *PULLS))


# ---------------------------------------------------------------------------------------------------------------------
# virtuoso.sh, with Debian's Virtuoso

NT = "".join(f"<http://example.org/s{n}> <http://example.org/p> <http://example.org/o> .\n" for n in range(7))


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """The service outside its container: on loopback, with small buffers."""

    def __init__(self, folder: Path) -> None:
        self.database, self.graphs = folder / "data", folder / "graphs"
        self.database.mkdir()
        (self.graphs / "more" / "below").mkdir(parents=True)
        (self.graphs / "seven.nt").write_text(NT)
        (self.graphs / "more" / "one.nt").write_text(NT.splitlines()[0] + "\n")
        (self.graphs / "more" / "below" / "two.nt").write_text("\n".join(NT.splitlines()[1:3]) + "\n")
        (self.graphs / "broken.nt").write_text(NT.splitlines()[0] + "\n<http://example.org/s> nonsense\n")
        self.port, self.sql_port = free_port(), free_port()
        self.environment = os.environ | {
            "DATABASE": str(self.database),
            "GRAPHS": str(self.graphs),
            "HTTP": f"127.0.0.1:{self.port}",
            "SQL": f"127.0.0.1:{self.sql_port}",
            "BUFFERS": "20000",
        }
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/sparql"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", str(DOCKER / "virtuoso.sh"), *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def start(self) -> None:
        command = ["sh", str(DOCKER / "virtuoso.sh"), "start"]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while self.run("sql", "sparql ask {}").returncode:
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.5)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    needs_virtuoso()
    service = Service(tmp_path_factory.mktemp("virtuoso"))
    try:
        service.start()
        yield service
    finally:
        service.stop()


def test_nobody_enters_with_the_known_password(service: Service) -> None:
    known = subprocess.run(
        ["isql-vt", f"127.0.0.1:{service.sql_port}", "dba", "dba", "exec=select 1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Bad login" in known.stdout + known.stderr
    password = service.database / "password"
    assert re.fullmatch(r"[0-9a-f]{48}", password.read_text())
    assert password.stat().st_mode & 0o777 == 0o600


def test_it_listens_where_it_is_told_and_nowhere_else(service: Service) -> None:
    assert service.process
    here = psutil.Process(service.process.pid)
    listening = {c.laddr for c in here.net_connections() if c.status == psutil.CONN_LISTEN}
    assert listening == {("127.0.0.1", service.port), ("127.0.0.1", service.sql_port)}


def test_load_attach_and_what_a_bad_file_does(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = service.run("load", "seven.nt", "urn:seven")
    assert (done.returncode, done.stdout) == (0, "files loaded: 1\ntriples in the graph: 7\n")
    done = service.run("load", "more", "urn:more")
    assert (done.returncode, done.stdout) == (0, "files loaded: 2\ntriples in the graph: 3\n")
    bad = service.run("load", "broken.nt", "urn:broken")
    assert bad.returncode == 1
    assert "broken.nt" in bad.stderr
    assert "syntax error" in bad.stderr
    for words in (("load", "missing.nt", "urn:x"), ("load", "a'b", "urn:x"), ("load",), ("serve",)):
        assert service.run(*words).returncode == 2
    main(["attach-kg", service.url, "--name", "mine", "--graph", "urn:seven", "--home", str(tmp_path), "--quiet"])
    main(["list-kgs", "--json", "--home", str(tmp_path)])
    [graph] = json.loads(capsys.readouterr().out)
    assert (graph["name"], graph["triples"]) == ("mine", 7)


def test_sparql_reads_and_does_not_write(service: Service) -> None:
    opener = build_opener(ProxyHandler({}))

    def ask(query: str) -> str:
        with opener.open(f"{service.url}?{urlencode({'query': query})}", timeout=30) as reply:
            text: str = reply.read().decode()
            return text

    with pytest.raises(HTTPError) as refused:
        ask("INSERT DATA { GRAPH <urn:new> { <urn:a> <urn:b> <urn:c> } }")
    refused.value.close()
    assert ask("ASK { GRAPH <urn:new> { ?s ?p ?o } }") == "false"


@pytest.mark.parametrize("told", [True, False], ids=["SIGTERM", "SIGKILL"])
def test_it_is_the_same_after_it_has_ended(service: Service, told: bool) -> None:
    service.run("load", "seven.nt", "urn:again")
    before = (service.database / "password").read_text()
    if not told and service.process:
        service.process.kill()
    service.stop()
    assert (service.database / "virtuoso.lck").exists() is not told
    service.start()
    assert (service.database / "password").read_text() == before
    count = service.run("sql", "sparql select count(*) { graph <urn:again> { ?s ?p ?o } }")
    assert count.stdout.split() == ["7"]
