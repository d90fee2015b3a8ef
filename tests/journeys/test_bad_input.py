"""What goes wrong at the user's side: two lines, the right exit code, nothing half written, no child left."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from chattygen.config import Home
from tests.journeys.lakes import SILENT, write_script

SMALL = "smollm2-135m-instruct"


class Called:
    """A command in a process of its own, with the folder `shadow` before all other modules."""

    def __init__(self, home: Home, *words: str, shadow: Path | None = None) -> None:
        path = os.pathsep.join(filter(None, [str(shadow or ""), os.environ.get("PYTHONPATH", "")]))
        with subprocess.Popen(
            [sys.executable, "-m", "chattygen", *words, "--home", str(home.path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,
        ) as process:
            self.out, err = process.communicate(timeout=60)
        self.code, self.lines = process.returncode, err.splitlines()
        self.left = [child.pid for child in psutil.process_iter() if self._belongs(child, process.pid)]

    @staticmethod
    def _belongs(child: psutil.Process, session: int) -> bool:
        try:
            return os.getsid(child.pid) == session and child.status() != psutil.STATUS_ZOMBIE
        except (ProcessLookupError, psutil.NoSuchProcess):
            return False

    def refused(self, code: int, what: str, hint: str) -> None:
        """Two lines, the last ones on stderr, and nothing on stdout."""
        assert (self.code, self.out, self.left) == (code, "", [])
        assert self.lines[-2] == f"chattygen: {what}"
        assert self.lines[-1] == f"  {hint}"


def tree(folder: Path) -> list[str]:
    """Everything below a folder but the lock files that loads keep."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.name.endswith(".lock"))


@pytest.fixture
def empty(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


def test_a_file_that_is_missing(empty: Home) -> None:
    Called(empty, "load-kg", "no.ttl", "--quiet").refused(2, "no.ttl: no such file", "check the path")
    assert tree(empty.path) == []


def test_a_graph_without_triples_and_one_with_a_broken_line(empty: Home, tmp_path: Path) -> None:
    (tmp_path / "empty.ttl").write_text("# nothing\n")
    Called(empty, "load-kg", str(tmp_path / "empty.ttl"), "--quiet").refused(
        1, "the files hold no triples", "check that these are the files you meant"
    )
    (tmp_path / "broken.nt").write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n<http://e.org/a> .\n")
    broken = Called(empty, "load-kg", str(tmp_path / "broken.nt"), "--quiet")
    assert (broken.code, broken.left, len(broken.lines)) == (1, [], 2)
    assert broken.lines[0].startswith(f"chattygen: {tmp_path / 'broken.nt'}:2:")
    assert tree(empty.path) == ["kgs"]


def test_files_that_are_no_dumps(empty: Home, tmp_path: Path) -> None:
    file = tmp_path / "dump.nt.gz"
    for content, what, hint in [
        (b"", "the file is empty", "fetch the file again; nothing was loaded"),
        (
            b"<!DOCTYPE html><title>Too many requests</title>",
            "this is an HTML page, not a dump",
            "perhaps an error page, or the page with the link: fetch the file again; nothing was loaded",
        ),
        (
            gzip.compress(b"<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")[:-5],
            "the gzip data end too early: the file is cut short",
            "fetch the file again; nothing was loaded",
        ),
        (
            "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n".encode("utf-16"),
            "this is UTF-16, but RDF files are UTF-8",
            "run: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        ),
    ]:
        file.write_bytes(content)
        Called(empty, "load-kg", str(file), "--quiet").refused(1, f"{file}: {what}", hint)
    assert tree(empty.path) == []


def test_a_graph_that_nobody_loaded_and_a_model_that_nobody_knows(home: Home) -> None:
    Called(home, "generate", "--kg", "seas").refused(
        2,
        "no graph is called 'seas'; there are: lakes",
        "run: chattygen load-kg FILE --name NAME, or chattygen list-kgs",
    )
    unknown = Called(home, "generate", "--kg", "lakes", "--role", "sparql=hal")
    assert (unknown.code, len(unknown.lines)) == (2, 2)
    assert unknown.lines[0].startswith("chattygen: no model is called 'hal'; there are: ")
    assert tree(home.path) == ["kgs", "models"]


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        (
            '[models.m]\nbackend = "scripted"\nscirpt = "x"\n',
            "unknown key models.m.scirpt (got 'x')",
            "expected one of: title, backend, context",
        ),
        (
            '[models.m]\nbackend = "scripted"\nscript = "x.toml"\ncontext = "big"\n',
            "key models.m.context: got 'big'",
            "expected: ",
        ),
        ('[models.m]\nbackend = "abacus"\n', "key models.m.backend: got 'abacus'", "expected: "),
        ("[models.m\n", "not valid TOML: ", "mend the line that is named"),
    ],
)
def test_a_wrong_key_in_models_toml(home: Home, text: str, what: str, hint: str) -> None:
    (home.path / "models.toml").write_text(text)
    called = Called(home, "generate", "--kg", "lakes")
    assert (called.code, called.out, len(called.lines)) == (2, "", 2)
    assert called.lines[0].startswith(f"chattygen: {home.path / 'models.toml'}: {what}")
    assert called.lines[1].startswith(f"  {hint}")


def test_a_script_that_is_missing(home: Home) -> None:
    write_script(home.path, SILENT)
    models = home.path / "models.toml"
    models.write_text(models.read_text().replace("script.jsonl", "none.toml"))
    Called(home, "generate", "--kg", "lakes").refused(
        2, f"{home.path / 'none.toml'}: no such file", "give the path of an existing script"
    )
    assert not home.database.exists()


def test_llama_cpp_is_not_installed(home: Home, tmp_path: Path) -> None:
    """Python's own way to say that a module is not there: None in sys.modules."""
    hidden = "import sys\nsys.modules['llama_cpp'] = sys.modules['xllamacpp'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    roles = [word for role in ("label", "questions", "sparql", "dialogue") for word in ("--role", f"{role}={SMALL}")]
    Called(home, "generate", "--kg", "lakes", *roles, "--quiet", shadow=tmp_path).refused(
        1,
        "no llama.cpp is installed",
        "run: pip install 'chattygen[cpu-wheel]'; faster where compiled: [cpu]",
    )
    assert not home.database.exists()


@pytest.mark.usefixtures("llama_cpp")
def test_a_llama_cpp_that_cannot_be_imported_explains_itself(home: Home, tmp_path: Path) -> None:
    """The server dies at once: what happened, a likely cause and the log, then the command and the end of the log."""
    (tmp_path / "llama_cpp").mkdir()
    (tmp_path / "llama_cpp" / "__init__.py").write_text(
        "raise ImportError('libgomp.so.1: cannot open shared object')\n"
    )
    called = Called(home, "serve-models", SMALL, shadow=tmp_path)
    assert (called.code, called.out, called.left) == (1, "", [])
    lines = called.lines[called.lines.index(f"chattygen: the server of {SMALL} ended while starting, exit code 1") :]
    assert lines[1].endswith(f"; the log is {home.logs / SMALL}.log")
    assert lines[2].startswith(f"  command: {sys.executable} -m llama_cpp.server --model ")
    assert lines[-1] == "  ImportError: libgomp.so.1: cannot open shared object"
    assert list(home.run.iterdir()) == []


@pytest.mark.usefixtures("llama_cpp")
def test_a_port_that_is_taken(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        Called(home, "serve-models", SMALL, "--port", str(port)).refused(
            1, f"port {port} cannot be used: Address already in use", "leave --port out, or choose another"
        )
    assert tree(home.path) == ["kgs", "models"]


def test_weights_that_are_missing_cut_or_damaged(home: Home) -> None:
    (home.path / "models").rename(home.path / "real")
    (home.path / "models").mkdir()
    missing = ("the weights of all-minilm-l6-v2 are not on this machine", "run: chattygen pull-model all-minilm-l6-v2")
    Called(home, "generate", "--kg", "lakes").refused(1, *missing)

    mine = home.path / "models" / "all-minilm-l6-v2"
    shutil.copytree(home.path / "real" / "all-minilm-l6-v2", mine)
    tokenizer = mine / "tokenizer.json"
    right = tokenizer.read_bytes()
    tokenizer.write_bytes(right[:-1] + b"x")
    Called(home, "check-model", "all-minilm-l6-v2").refused(
        1,
        f"{tokenizer} is damaged: its sha256 is not the verified one",
        "delete it and run: chattygen pull-model all-minilm-l6-v2",
    )
    tokenizer.write_bytes(right[:-1])
    Called(home, "generate", "--kg", "lakes").refused(
        1, f"{tokenizer} is missing or has changed its size", "run: chattygen pull-model all-minilm-l6-v2"
    )
    assert not home.database.exists()


def test_a_graph_with_no_usable_type(home: Home, tmp_path: Path) -> None:
    (home.path / "kgs").unlink()
    (tmp_path / "near.nt").write_text("<http://e.org/a> <http://e.org/near> <http://e.org/b> .\n")
    assert Called(home, "load-kg", str(tmp_path / "near.nt"), "--quiet").code == 0
    refusal = (
        1,
        "the graph near cannot make dialogues: nothing in it has a class under "
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "set type_predicate in a recipe, if another predicate says it",
    )
    Called(home, "generate", "--kg", "near").refused(*refusal)
    Called(home, "generate", "--kg", "near", "--plan").refused(*refusal)
    assert not home.database.exists()
