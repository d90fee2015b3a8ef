from __future__ import annotations

import gzip
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import BadData, GraphError, UsageError
from chattygen.kg.library import list_kgs, open_kg, read_manifest
from chattygen.kg.load import default_name, load
from tests.kg.conftest import TINY

ONE = "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n"
TWO = "<http://e.org/a> <http://e.org/p> <http://e.org/c> .\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def ready(home: Home) -> list[str]:
    return [manifest.name for manifest in list_kgs(home)]


def left_over(home: Home) -> list[str]:
    return sorted(path.name for path in home.kgs.iterdir() if path.is_dir())


def test_the_manifest_tells_what_was_loaded(home: Home) -> None:
    manifest = load(home, "tiny", [TINY])
    sha256 = hashlib.sha256(TINY.read_bytes()).hexdigest()
    assert manifest == read_manifest(home, "tiny")
    assert [(file.path, file.sha256, file.triples) for file in manifest.files] == [(str(TINY), sha256, 40)]
    assert manifest.triples == 40
    assert manifest.fingerprint == hashlib.sha256(f"{sha256}\n".encode()).hexdigest()
    assert left_over(home) == ["tiny"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.nt", ONE + TWO),
        ("x.nq", ONE.replace(" .\n", " <http://e.org/g> .\n") + TWO),
        ("x.ttl", "@prefix e: <http://e.org/> . e:a e:p e:b, e:c ."),
        ("x.trig", "@prefix e: <http://e.org/> . e:g { e:a e:p e:b } e:h { e:a e:p e:b, e:c }"),
    ],
)
def test_every_format_goes_into_the_default_graph(home: Home, tmp_path: Path, name: str, text: str) -> None:
    assert load(home, "x", [write(tmp_path / name, text)]).triples == 2
    with open_kg(home, "x") as graph:
        assert len(graph.select("SELECT ?o { <http://e.org/a> <http://e.org/p> ?o }").rows) == 2


def test_gzip_is_known_by_its_content_and_the_fingerprint_is_of_what_is_inside(home: Home, tmp_path: Path) -> None:
    disguised = tmp_path / "disguised.ttl"
    disguised.write_bytes(gzip.compress(TINY.read_bytes()))
    plain = load(home, "plain", [TINY])
    assert load(home, "zipped", [disguised]).fingerprint == plain.fingerprint
    honest = disguised.rename(tmp_path / "honest.ttl.gz")
    assert load(home, "honest", [honest]).triples == 40


def test_the_format_can_be_named(home: Home, tmp_path: Path) -> None:
    assert load(home, "x", [write(tmp_path / "dump", ONE)], format="nt").triples == 1


def test_a_byte_order_mark_is_left_out(home: Home, tmp_path: Path) -> None:
    assert load(home, "x", [write(tmp_path / "x.nt", "\ufeff" + ONE)]).triples == 1


def test_several_files_are_one_graph_whose_blank_nodes_stay_apart(home: Home, tmp_path: Path) -> None:
    files = [write(tmp_path / f"{n}.nt", f'{ONE}_:b <http://e.org/p> "same" .\n') for n in "ab"]
    manifest = load(home, "x", files)
    assert [file.triples for file in manifest.files] == [2, 2]
    assert manifest.triples == 3


def test_the_fingerprint_ignores_the_order_of_files_and_minds_contents_and_base(home: Home, tmp_path: Path) -> None:
    a, b = write(tmp_path / "a.ttl", ONE), write(tmp_path / "b.ttl", TWO)
    first = load(home, "x", [a, b]).fingerprint
    assert load(home, "x", [b, a], replace=True).fingerprint == first
    assert load(home, "x", [a, b], base="http://e.org/", replace=True).fingerprint != first
    assert load(home, "x", [a], replace=True).fingerprint != first


def test_base_resolves_relative_iris(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.ttl", "<a> <#p> <b> .")
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert "--base" in raised.value.hint
    with pytest.raises(UsageError, match="base"):
        load(home, "x", [file], base="not an iri")
    load(home, "x", [file], base="http://e.org/d/")
    with open_kg(home, "x") as graph:
        assert graph.ask("ASK { <http://e.org/d/a> <http://e.org/d/#p> <http://e.org/d/b> }")


def test_progress_counts_triples_over_files(home: Home, tmp_path: Path) -> None:
    many = "".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(20_001))
    files = [write(tmp_path / "a.nt", many), write(tmp_path / "b.nt", TWO)]
    told: list[tuple[int, int, int]] = []
    load(home, "x", files, progress=lambda triples, seconds, file, count: told.append((triples, file, count)))
    assert told == [(20_000, 0, 2), (20_001, 0, 2), (20_002, 1, 2), (20_002, 2, 2)]


def test_a_broken_line_is_named_and_nothing_is_loaded(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.nt", ONE * 2 + '"subject" <http://e.org/p> <http://e.org/b> .\n' + TWO)
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message.startswith(f"{file}:3:1: The subject of a triple must be")
    assert ready(home) == left_over(home) == []


def test_damaged_gzip_is_named(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "x.nt.gz"
    file.write_bytes(gzip.compress((ONE * 50).encode())[:-9])
    with pytest.raises(BadData, match=r"x\.nt\.gz: the gzip data are damaged"):
        load(home, "x", [file])
    assert left_over(home) == []


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_a_graph_without_triples_is_an_error(home: Home, tmp_path: Path, text: str) -> None:
    with pytest.raises(GraphError, match="no triples"):
        load(home, "x", [write(tmp_path / "x.nt", text)])
    assert left_over(home) == []


def test_triple_terms_are_refused(home: Home, tmp_path: Path) -> None:
    star = "<http://e.org/a> <http://e.org/p> <<( <http://e.org/a> <http://e.org/p> <http://e.org/b> )>> .\n"
    with pytest.raises(BadData, match="triple term"):
        load(home, "x", [write(tmp_path / "x.nt", star)])


@pytest.mark.parametrize("name", ["x.rdf", "x.jsonld", "x.ttl.bz2", "x"])
def test_an_unknown_format_says_what_is_supported(home: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as raised:
        load(home, "x", [write(tmp_path / name, ONE)])
    assert ".trig" in raised.value.hint


def test_a_missing_file(home: Home, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        load(home, "x", [tmp_path / "none.nt"])


def test_a_full_disk_is_an_error_with_a_hint(home: Home, tmp_path: Path) -> None:
    """Files are limited to 20 kB in another process, which the store meets as it meets a full disk."""
    lines = "".join(f'<http://e.org/{n}> <http://e.org/p> "{n} is a number" .\n' for n in range(5_000))
    file = write(tmp_path / "x.nt", lines)
    code = f"""
import resource
from pathlib import Path
from chattygen.config import Home
from chattygen.errors import GraphError
from chattygen.kg.load import load
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    load(Home(Path({str(home.path)!r})), "x", [Path({str(file)!r})])
except GraphError as error:
    print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.startswith("the load failed: ")
    assert left_over(home) == []


def test_a_home_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(GraphError, match="the load failed"):
        load(Home(tmp_path / "home"), "x", [TINY])


def test_replace(home: Home, tmp_path: Path) -> None:
    load(home, "x", [write(tmp_path / "a.nt", ONE)])
    new = write(tmp_path / "b.nt", ONE + TWO)
    with pytest.raises(UsageError) as raised:
        load(home, "x", [new])
    assert "--replace" in raised.value.hint
    assert read_manifest(home, "x").triples == 1
    load(home, "x", [new], replace=True)
    assert read_manifest(home, "x").triples == 2
    assert left_over(home) == ["x"]


def test_a_failed_replacement_keeps_the_old_graph(home: Home, tmp_path: Path) -> None:
    load(home, "x", [write(tmp_path / "a.nt", ONE)])
    with pytest.raises(BadData):
        load(home, "x", [write(tmp_path / "b.nt", ONE + "nonsense\n")], replace=True)
    with open_kg(home, "x") as graph:
        assert graph.ask("ASK { <http://e.org/a> ?p <http://e.org/b> }")
    assert left_over(home) == ["x"]


def test_a_killed_load_leaves_nothing_ready_and_the_next_load_sweeps(home: Home, tmp_path: Path) -> None:
    many = "".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(60_000))
    file = write(tmp_path / "x.nt", many)
    code = f"""
from pathlib import Path
from chattygen.config import Home
from chattygen.kg.load import load
def slow(*told):
    print(*told, flush=True)
    time.sleep(60)
load(Home(Path({str(home.path)!r})), "x", [Path({str(file)!r})], progress=slow)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as loading:
        assert loading.stdout
        loading.stdout.readline()
        [unfinished] = left_over(home)
        assert unfinished.endswith(".loading")
        with pytest.raises(UsageError, match="being loaded by another command"):
            load(home, "x", [file])
        os.kill(loading.pid, signal.SIGKILL)
    assert ready(home) == []
    assert left_over(home) == [unfinished]
    load(home, "y", [TINY])
    assert left_over(home) == ["y"]


def test_a_swap_that_was_cut_in_half_is_put_right(home: Home) -> None:
    load(home, "x", [TINY])
    (home.kgs / "x").rename(home.kgs / ".x.12345678.old")
    load(home, "y", [TINY])
    assert ready(home) == ["x", "y"]


def test_ctrl_c_leaves_nothing(home: Home) -> None:
    def interrupt(*told: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(home, "x", [TINY], progress=interrupt)
    assert left_over(home) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [("dblp.nt", "dblp"), ("Nobel Prizes.ttl.gz", "nobel-prizes"), ("yago-4.5.nt", "yago-4.5"), ("dump", "dump")],
)
def test_default_name(file: str, name: str) -> None:
    assert default_name(Path(file)) == name
