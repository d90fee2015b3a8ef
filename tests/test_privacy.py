"""The local-only guard, and that nothing in the package goes past it."""

from __future__ import annotations

import ast
import socket

import pytest

from chattygen.errors import PrivacyError, UsageError
from chattygen.privacy import check_host, child_environment
from tests.conftest import REPOSITORY
from tests.watch.source import called, calls, careless, imported, modules, networking


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://127.8.9.10/",
        "http://[::1]:8000/v1",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://localhost:8000/v1",
        "http://LOCALHOST/",
        "http://127.0.0.1#@models.example.org/",
    ],
)
def test_loopback_passes(url: str) -> None:
    check_host(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://10.0.0.5:8000/v1", "10.0.0.5"),
        ("http://[fe80::1]/v1", "fe80::1"),
        ("http://[::ffff:10.0.0.5]/v1", "::ffff:10.0.0.5"),
        ("https://models.example.org/v1", "models.example.org"),
        # What looks like this machine.
        ("http://127.0.0.1@models.example.org/v1", "models.example.org"),
        ("http://127.0.0.1:80@models.example.org/v1", "models.example.org"),
        ("http://127.0.0.1\\@models.example.org/", "models.example.org"),
        ("http://127.0.0.1.example.org/", "127.0.0.1.example.org"),
        ("http://localhost.example.org/", "localhost.example.org"),
        # Every address of this machine; a connection to it would arrive here, a server on it would be open to all.
        ("http://0.0.0.0:8000/v1", "0.0.0.0"),
        ("http://[::]:8000/v1", "::"),
        # This machine for some programs, and another one or a question to a resolver for others.
        ("http://2130706433/", "2130706433"),
        ("http://0177.0.0.1/", "0177.0.0.1"),
        ("http://0x7f.0.0.1/", "0x7f.0.0.1"),
        ("http://127.1/", "127.1"),
        ("http://127.0.0.1./", "127.0.0.1."),
        ("http://localhost./", "localhost."),
        ("http://models.localhost/", "models.localhost"),
        ("http://localhost.localdomain/", "localhost.localdomain"),
    ],
)
def test_another_host_is_refused_by_name(url: str, host: str) -> None:
    with pytest.raises(PrivacyError) as caught:
        check_host(url)
    assert caught.value.message == f"{host} is not this machine, and nothing may leave this machine"
    assert f'allow = ["{host}"]' in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("addresses", [["10.0.0.5"], ["127.0.0.1", "10.0.0.5"], []])
def test_localhost_must_mean_this_machine(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def resolver(name: str, port: None) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        assert name == "localhost"
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    check_host("http://127.0.0.1/")
    with pytest.raises(PrivacyError, match=r"^localhost is not this machine"):
        check_host("http://localhost/")


def test_no_name_but_localhost_is_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda name, port: asked.append(name))
    with pytest.raises(PrivacyError):
        check_host("http://points-to-loopback.example.org/")
    check_host("http://kg.example.org/", ["kg.example.org"])
    assert asked == []


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "/v1", "http://", "http://[bad/", "http://:8000/"])
def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(PrivacyError, match="names no host"):
        check_host(url)


@pytest.mark.parametrize("user", ["ada", "ada:pa55", ":pa55", "", ":"])
def test_an_address_with_a_user_or_a_password_is_refused(user: str) -> None:
    for host in ("127.0.0.1", "kg.example.org"):
        with pytest.raises(UsageError) as caught:
            check_host(f"http://{user}@{host}/", ["kg.example.org"])
        assert caught.value.message == "the address holds a user or a password"
        assert "pa55" not in caught.value.hint


def test_the_user_may_allow_a_host_and_only_that_one() -> None:
    check_host("https://GPU.example.org:8443/v1", ["gpu.example.org"])
    check_host("https://gpu.example.org/v1", ["GPU.example.org"])
    check_host("http://10.0.0.5/v1", ["10.0.0.5"])
    for url in ("https://gpu2.example.org/v1", "https://example.org/v1", "https://gpu.example.org./v1"):
        with pytest.raises(PrivacyError):
            check_host(url, ["gpu.example.org"])


def test_children_get_no_proxy_no_telemetry_no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    monkeypatch.setenv("all_proxy", "http://proxy.example.org:3128")
    monkeypatch.setenv("socks_proxy", "http://proxy.example.org:3128")
    monkeypatch.setenv("NO_PROXY", "nothing")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("KEPT", "yes")
    environment = child_environment(EXTRA="1")
    assert "HTTPS_PROXY" not in environment
    assert "all_proxy" not in environment
    assert "socks_proxy" not in environment
    expected = {
        "KEPT": "yes",
        "EXTRA": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1,localhost,::1",
    }
    assert {name: environment[name] for name in expected} == expected


# ---------------------------------------------------------------------------------------------------------------------
# The package, as it is written


MODULES = list(modules(REPOSITORY / "chattygen"))

OPENS = {
    "kg/connection.py": "what endpoint.py has checked",
    "kg/endpoint.py": "check_host",
    "kg/virtuoso.py": "LOOPBACK",
    "models/chat.py": "check_host",
    "models/server.py": "LOOPBACK",
    "models/sources.py": "goes out: pull-model, on the user's order",
    "models/vllm.py": "LOOPBACK",
    "privacy.py": "asks what localhost means",
}
"""Modules that may open connections -> what keeps them on this machine: a name that they must use, or words."""

OTHERWISE = {
    "kg/guard.py": "was itself started with the environment",
    "models/guard.py": "was itself started with the environment",
    "models/server.py": "gets it with the Launch",
    "models/sources.py": "goes out: pip, with the user's settings and proxies",
}
"""Modules that start a child without `env=child_environment(...)` -> why."""


def test_every_child_gets_the_environment_of_the_guard() -> None:
    assert {name for name, tree in MODULES if careless(tree)} == set(OTHERWISE)


def test_every_model_server_gets_the_environment_of_the_guard() -> None:
    launching = [(n, t) for n, t in MODULES if any(path.endswith(".Launch") for path in calls(t))]
    assert {name for name, _ in launching} >= {"models/llamacpp.py", "models/vllm.py"}
    for name, tree in launching:
        assert "chattygen.privacy.child_environment" in calls(tree), name


def test_few_modules_can_open_a_connection() -> None:
    assert {name for name, tree in MODULES if networking(tree)} == set(OPENS)
    for name, tree in MODULES:
        if OPENS.get(name) in ("check_host", "LOOPBACK"):
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert OPENS[name] in used, name


def test_every_address_in_the_code_is_loopback() -> None:
    for name, tree in MODULES:
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Constant) or node.value not in ("0.0.0.0", "::"), name
            if not isinstance(node, ast.Call) or name not in OPENS:
                continue
            path = called(node, imported(tree))
            if path.startswith("http.client.HTTP"):
                assert ast.unparse(node.args[0]) == "LOOPBACK", name
            elif path.endswith((".bind", ".create_connection")):
                assert ast.unparse(node.args[0]).startswith("(LOOPBACK, "), name
            elif path.startswith("httpx2.") and path.endswith("Client"):
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                assert (given["trust_env"], given["follow_redirects"]) == ("False", "False"), name


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess\nsubprocess.run(['x'])",
        "import subprocess as s\ns.Popen(['x'], env=dict())",
        "from subprocess import Popen as P\nP(['x'], env=environment)",
        "from chattygen.other import child_environment\nimport subprocess\nsubprocess.run([], env=child_environment())",
        "def f():\n    import os\n    os.system('x')",
        "import os\nos.execvp('x', ['x'])",
        "import multiprocessing\nmultiprocessing.Process(target=f)",
    ],
)
def test_a_careless_start_is_noticed(text: str) -> None:
    assert careless(ast.parse(text)) == [text.count("\n") + 1]


@pytest.mark.parametrize(
    "text",
    [
        "import socket",
        "import http.client",
        "from http import client",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def f():\n    import httpx2 as h",
        "from huggingface_hub.utils import tqdm",
    ],
)
def test_an_import_that_can_open_a_connection_is_noticed(text: str) -> None:
    assert networking(ast.parse(text)) != []


def test_what_is_harmless_is_not_taken_for_it() -> None:
    text = """
import os.path
import subprocess
from urllib.parse import urlsplit
from urllib import error
from chattygen.privacy import child_environment as clean
subprocess.run(["x"], env=clean(A="1"))
os.path.exists("x")
"""
    assert (careless(ast.parse(text)), networking(ast.parse(text))) == ([], [])
