"""What the source of a module says about starting children and opening connections, read from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

NETWORK = (
    "aiohttp asyncio ftplib grpc http.client http.server httpx httpx2 huggingface_hub imaplib openai poplib requests "
    "smtplib socket socketserver SPARQLWrapper ssl telnetlib urllib.request urllib3 websockets xmlrpc"
).split()

STARTS = {
    "subprocess": "Popen run call check_call check_output getoutput getstatusoutput".split(),
    "os": "system popen fork forkpty posix_spawn posix_spawnp startfile".split(),
    "asyncio": "create_subprocess_exec create_subprocess_shell".split(),
    "multiprocessing": "Process Pool Manager".split(),
    "concurrent.futures": ["ProcessPoolExecutor"],
    "pty": ["spawn", "fork"],
}
"""What starts a child; those of `os` that begin with exec or spawn besides."""


def modules(package: Path) -> Iterator[tuple[str, ast.Module]]:
    """Path within the package and tree of each module."""
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> dict[str, str]:
    """Name in the module -> what it stands for, as a path with dots; a module is under its own path too."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
                names[alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            names[node.module] = node.module
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def called(node: ast.Call, names: dict[str, str]) -> str:
    """What a call calls, as a path with dots."""
    path = ast.unparse(node.func)
    first, dot, rest = path.partition(".")
    return names.get(first, first) + dot + rest


def starts_a_child(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return name in STARTS.get(module, []) or (module == "os" and name.startswith(("exec", "spawn")))


def careless(tree: ast.Module) -> list[int]:
    """The lines on which a child is started with another environment than that of the guard."""
    names = imported(tree)
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and starts_a_child(called(node, names)):
            given = [word.value for word in node.keywords if word.arg == "env"]
            calls = [called(value, names) for value in given if isinstance(value, ast.Call)]
            if calls != ["chattygen.privacy.child_environment"]:
                lines.append(node.lineno)
    return lines


def calls(tree: ast.Module) -> set[str]:
    """All that a module calls, as paths with dots."""
    names = imported(tree)
    return {called(node, names) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def networking(tree: ast.Module) -> list[str]:
    """What a module imports of NETWORK."""
    return [path for path in imported(tree).values() if any(f"{path}.".startswith(f"{n}.") for n in NETWORK)]
