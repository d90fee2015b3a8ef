from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import BadData, GraphError, UsageError
from chattygen.kg.folders import list_kgs, open_kg, read_manifest, read_profile
from chattygen.kg.load import default_name, load
from tests.kg.conftest import TINY
from tests.kg.test_compression import zstd

ONE = "<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n"
TWO = "<http://e.org/a> <http://e.org/p> <http://e.org/c> .\n"
XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'


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
    [file] = manifest.files
    assert (file.path, file.sha256, file.triples, file.format) == (str(TINY), sha256, 40, "ttl")
    assert (manifest.rejected, manifest.repaired, manifest.rejects, manifest.notes) == (0, 0, "", ())
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
        (
            "x.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
            '<rdf:Description rdf:about="http://e.org/a"><e:p rdf:resource="http://e.org/b"/>'
            '<e:p rdf:resource="http://e.org/c"/></rdf:Description></rdf:RDF>',
        ),
        (
            "x.jsonld",
            '{"@context": {"p": {"@id": "http://e.org/p", "@type": "@id"}}, "@id": "http://e.org/g",'
            ' "@graph": [{"@id": "http://e.org/a", "p": ["http://e.org/b", "http://e.org/c"]}]}',
        ),
    ],
)
def test_every_format_goes_into_the_default_graph(home: Home, tmp_path: Path, name: str, text: str) -> None:
    assert load(home, "x", [write(tmp_path / name, text)]).triples == 2
    with open_kg(home, "x") as graph:
        assert len(graph.select("SELECT ?o { <http://e.org/a> <http://e.org/p> ?o }").rows) == 2


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_compression_is_known_by_its_content_and_the_fingerprint_is_of_what_is_inside(
    home: Home, tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    disguised = tmp_path / "disguised.ttl"
    disguised.write_bytes(compress(TINY.read_bytes()))
    plain = load(home, "plain", [TINY])
    zipped = load(home, "zipped", [disguised])
    assert (zipped.fingerprint, zipped.triples) == (plain.fingerprint, 40)


def test_the_format_can_be_named(home: Home, tmp_path: Path) -> None:
    assert load(home, "x", [write(tmp_path / "dump", ONE)], format="nt").triples == 1


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


@pytest.mark.parametrize("suffix", ["nt", "ttl"])
def test_progress_counts_triples_over_files(home: Home, tmp_path: Path, suffix: str) -> None:
    many = "".join(f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(45_000))
    files = [write(tmp_path / f"a.{suffix}", many), write(tmp_path / "b.nt", TWO)]
    told: list[tuple[int, int, int]] = []
    load(home, "x", files, progress=lambda triples, seconds, file, count: told.append((triples, file, count)))
    *early, first, second, counting = told
    assert len(early) == 2
    assert all(20_000 <= triples - before < 45_000 for (before, _, _), (triples, _, _) in pairwise([(0, 0, 2), *early]))
    assert (first, second, counting) == ((45_000, 0, 2), (45_001, 1, 2), (45_001, 2, 2))


def test_a_folder_is_loaded_whole_and_what_was_left_out_is_said(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    write(folder / "one.nt", ONE)
    write(folder / "two.ttl", "@prefix e: <http://e.org/> . e:a e:p e:c .")
    write(folder / "notes.txt", "made in 2015\n")
    manifest = load(home, "x", [folder])
    assert [(Path(file.path).name, file.triples) for file in manifest.files] == [("one.nt", 1), ("two.ttl", 1)]
    assert manifest.notes == (f"left out of {folder}, as they are not RDF: notes.txt",)


def test_a_broken_line_is_named_and_nothing_is_loaded(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.nt", ONE * 2 + '"subject" <http://e.org/p> <http://e.org/b> .\n' + TWO)
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message.startswith(f"{file}:3:1: The subject of a triple must be")
    assert ready(home) == left_over(home) == []


def test_a_broken_line_far_into_the_second_file_is_named(home: Home, tmp_path: Path) -> None:
    """Each of the 10,000 lines has 65 bytes: the bad one is in the third piece that is read. Its dot is missing, which
    a parser notices in the next line only."""
    lines = [f"<http://e.org/{n:012}> <http://e.org/p> <http://e.org/bb> .\n" for n in range(10_000)]
    assert {len(line) for line in lines} == {65}
    lines[9_500] = lines[9_500].replace(" .", "")
    files = [write(tmp_path / "a.nt", ONE), write(tmp_path / "b.nt", "".join(lines))]
    with pytest.raises(BadData) as raised:
        load(home, "x", files)
    assert raised.value.message == f"{files[1]}:9501:63: a dot must end the statement"
    assert "--skip-bad" in raised.value.hint
    assert ready(home) == left_over(home) == []


def test_a_bad_quad_is_named_for_what_it_is(home: Home, tmp_path: Path) -> None:
    quad = ONE.replace(" .\n", " <http://e.org/g> .\n")
    bad = quad.replace("http://e.org/g", "http://e.org/g h")
    with pytest.raises(BadData, match=r"x\.nq:3:52: Invalid IRI code point ' '"):
        load(home, "x", [write(tmp_path / "x.nq", quad * 2 + bad + quad)])


@pytest.mark.parametrize(
    ("bad", "what", "hint"),
    [
        (ONE.replace(" .\n", " <http://e.org/g> .\n"), ":20001:52: this line is a quad", "--format nq"),
        ("@prefix e: <http://e.org/> .\n", ":20001:1: this line is Turtle", "--format ttl"),
    ],
)
def test_a_line_of_another_format_far_into_a_file(home: Home, tmp_path: Path, bad: str, what: str, hint: str) -> None:
    file = write(tmp_path / "x.nt", ONE * 20_000 + bad + TWO)
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message == f"{file}{what}"
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("x.nt", ONE + "<http://e.org/a> <http://e.o", ":2:18: the file ends in the middle of a statement"),
        ("x.nt", ONE + ONE.rstrip(" .\n"), ":2:51: the file ends in the middle of a statement"),
        ("x.nq", ONE + ONE.rstrip(" .\n"), ":2:51: the file ends in the middle of a statement"),
        ("x.ttl", "@prefix e: <http://e.org/> .\ne:a e:p e:b ;", ":2:14: the file ends in the middle of a statement"),
        ("x.rdf", f'{XML}\n<e:C rdf:about="http', ":2:1: the file ends in the middle of a statement"),
        ("x.jsonld", '[{"@id": "http://e.org/a",\n"http://e.org/p": "x"}', ":2:23: the file ends in the middle of a"),
    ],
)
def test_a_file_that_is_cut_short_is_an_error_of_its_own(
    home: Home, tmp_path: Path, name: str, text: str, what: str
) -> None:
    file = write(tmp_path / name, text)
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message.startswith(f"{file}{what}")
    assert raised.value.hint.startswith("fetch the file again")
    assert left_over(home) == []


def test_rdf_xml_that_is_cut_short_between_two_elements(home: Home, tmp_path: Path) -> None:
    """Its parser does not mind."""
    with pytest.raises(BadData, match="its root element is not closed: the file is cut short"):
        load(home, "x", [write(tmp_path / "x.rdf", XML + '<e:C rdf:about="http://e.org/a"/>\n')])


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ('<e:C rdf:about="http://e.org/a">\n  <e:p>x</e:q></e:C>', "3:11: ill-formed document"),
        ('<e:C rdf:about="relative"/>', "2:17: error while parsing IRI 'relative'"),
    ],
)
def test_a_fault_in_rdf_xml_has_a_place(home: Home, tmp_path: Path, body: str, place: str) -> None:
    """The parser names none."""
    file = write(tmp_path / "x.rdf", f"{XML}\n{body}\n</rdf:RDF>")
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message.startswith(f"{file}:{place}")


def test_a_named_graph_that_turtle_does_not_have(home: Home, tmp_path: Path) -> None:
    file = write(
        tmp_path / "x.ttl", "@prefix e: <http://e.org/> .\n" + "e:a e:p e:b .\n" * 10_000 + "e:g { e:a e:p e:c }"
    )
    with pytest.raises(BadData, match=r"x\.ttl:10002:5: .* \(after 10,000 triples\)") as raised:
        load(home, "x", [file])
    assert "--format trig" in raised.value.hint


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        (
            "x.jsonld",
            '{"@context": "http://127.0.0.1:PORT/context.jsonld", "@id": "http://e.org/a", "name": "x"}',
            "it needs the context http://127.0.0.1:PORT/context.jsonld, which is not in the file",
        ),
        (
            "x.jsonld",
            '{"@context": [{"n": "http://e.org/n"}, "http://127.0.0.1:PORT/c"], "@id": "http://e.org/a", "n": "x"}',
            "it needs the context http://127.0.0.1:PORT/c, which is not in the file",
        ),
        (
            "x.rdf",
            '<!DOCTYPE r [ <!ENTITY x SYSTEM "http://127.0.0.1:PORT/x"> ]>'
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">&x;</rdf:RDF>',
            "the entity x stands for another file or address, which is never read",
        ),
        (
            "x.rdf",
            '<!DOCTYPE r SYSTEM "http://127.0.0.1:PORT/r.dtd">'
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:x>&y;</rdf:RDF>',
            "x.rdf:1:",
        ),
    ],
)
def test_nothing_is_fetched(home: Home, tmp_path: Path, name: str, text: str, what: str) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.2)
        port = str(listener.getsockname()[1])
        with pytest.raises(BadData) as raised:
            load(home, "x", [write(tmp_path / name, text.replace("PORT", port))])
        assert what.replace("PORT", port) in raised.value.message
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize("text", ["# only a comment\n", "@prefix e: <http://e.org/> ."])
def test_a_graph_without_triples_is_an_error(home: Home, tmp_path: Path, text: str) -> None:
    with pytest.raises(GraphError, match="no triples"):
        load(home, "x", [write(tmp_path / "x.ttl", text)])
    assert left_over(home) == []


@pytest.mark.parametrize("name", ["x.nt", "x.nq", "x.ttl"])
def test_triple_terms_are_refused(home: Home, tmp_path: Path, name: str) -> None:
    star = "<http://e.org/a> <http://e.org/p> <<( <http://e.org/a> <http://e.org/p> <http://e.org/b> )>> .\n"
    with pytest.raises(BadData, match="triple term"):
        load(home, "x", [write(tmp_path / name, ONE + star)])


def test_a_file_that_is_no_rdf_says_what_is_supported(home: Home, tmp_path: Path) -> None:
    with pytest.raises(BadData) as raised:
        load(home, "x", [write(tmp_path / "x.csv", "id,name\n")])
    assert ".trig" in raised.value.hint
    assert not home.kgs.exists()


@pytest.mark.parametrize("name", ["x.nt", "x.ttl"])
def test_predicates_are_counted_right_whatever_the_lines_look_like(home: Home, tmp_path: Path, name: str) -> None:
    """A comment, a duplicate, a line without spaces, an escape, and a predicate that only it has."""
    text = f"# <a:x> <a:y> <a:z> .\n{ONE}{ONE}<a:s><a:p><a:o>.\n<a:s> <a:\\u0070> <a:o2> .\n<a:s>\t<a:q>\t<a:o> .\n"
    manifest = load(home, "x", [write(tmp_path / name, text)])
    assert (manifest.triples, manifest.files[0].triples) == (4, 5)
    learned = read_profile(home, "x")
    assert [(found.iri, found.triples) for found in learned.predicates] == [
        ("a:p", 2),
        ("a:q", 1),
        ("http://e.org/p", 1),
    ]


# Skipping bad lines


def thousand(bad: dict[int, str]) -> str:
    """1,000 lines, those that `bad` numbers replaced."""
    lines = {n: f"<http://e.org/{n}> <http://e.org/p> <http://e.org/o> .\n" for n in range(1, 1001)}
    return "".join((lines | bad).values())


BAD = {17: "<http://e.org/x> <http://e.org/p> .\n", 500: '"x" <a:b> <a:b> .\n', 1000: "nonsense\n"}


def test_three_bad_lines_of_a_thousand_are_skipped_and_listed(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.nt", thousand(BAD))
    manifest = load(home, "x", [file, write(tmp_path / "y.nt", TWO)], skip_bad=True)
    assert (manifest.triples, manifest.rejected, manifest.repaired) == (998, 3, 0)
    assert [(found.triples, found.rejected) for found in manifest.files] == [(997, 3), (1, 0)]
    assert manifest.rejects == "rejects.tsv"
    _, *rejects = (home.kgs / "x" / "rejects.tsv").read_text().splitlines()
    assert [line.split("\t")[:3] for line in rejects] == [
        [str(file), "17", "35"],
        [str(file), "500", "1"],
        [str(file), "1000", "1"],
    ]


def test_a_clean_file_gives_the_same_graph_with_and_without_skipping(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.nt", thousand({}) + "_:b <http://e.org/p> _:b .\n")
    strict, skipping = load(home, "strict", [file]), load(home, "skipping", [file], skip_bad=True)
    assert (skipping.fingerprint, skipping.triples, skipping.files) == (strict.fingerprint, 1001, strict.files)
    with open_kg(home, "skipping") as graph:
        assert graph.ask("ASK { ?b <http://e.org/p> ?b }")


def test_a_blank_node_stays_one_over_all_pieces_of_a_file(home: Home, tmp_path: Path) -> None:
    """The two lines about it are a megabyte apart, with a bad one between."""
    text = f"_:b <http://e.org/p> _:b .\n{ONE * 20_000}{BAD[17]}_:b <http://e.org/q> _:b .\n"
    load(home, "x", [write(tmp_path / "x.nt", text)], skip_bad=True)
    with open_kg(home, "x") as graph:
        assert graph.ask("ASK { ?b <http://e.org/p> ?b ; <http://e.org/q> ?b }")


def test_too_many_bad_lines_stop_the_load(home: Home, tmp_path: Path) -> None:
    file = write(tmp_path / "x.nt", thousand(BAD))
    with pytest.raises(BadData) as raised:
        load(home, "x", [file], skip_bad=True, max_bad=0.2)
    assert raised.value.message.startswith("3 of 1,000 lines are bad, more than 0.2 %; the first: ")
    assert f"{file}:17:35: The object of a triple" in raised.value.message
    assert left_over(home) == []


def test_quads_and_crlf_are_skipped_line_by_line_too(home: Home, tmp_path: Path) -> None:
    quads = thousand(BAD).replace("<http://e.org/o> .\n", "<http://e.org/o> <http://e.org/g> .\r\n")
    manifest = load(home, "x", [write(tmp_path / "x.nq", quads)], skip_bad=True)
    assert (manifest.triples, manifest.rejected) == (997, 3)
    with open_kg(home, "x") as graph:
        assert graph.ask("ASK { <http://e.org/1> <http://e.org/p> <http://e.org/o> }")


def test_a_file_cut_short_is_refused_even_when_bad_lines_are_skipped(home: Home, tmp_path: Path) -> None:
    with pytest.raises(BadData, match="the file ends in the middle of a statement: it is cut short"):
        load(home, "x", [write(tmp_path / "x.nt", thousand({}) + "<http://e.org/a> <htt")], skip_bad=True)


def test_only_lines_can_be_skipped(home: Home, tmp_path: Path) -> None:
    files = [write(tmp_path / "x.nt", ONE), TINY]
    with pytest.raises(UsageError, match=r"tiny\.ttl is Turtle: --skip-bad is for N-Triples and N-Quads"):
        load(home, "x", files, skip_bad=True)


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
import time
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
    [
        ("dblp.nt", "dblp"),
        ("yago.ttl.zst", "yago"),
        ("Nobel Prizes.ttl.gz", "nobel-prizes"),
        ("yago-4.5.nt", "yago-4.5"),
        ("dump", "dump"),
    ],
)
def test_default_name(file: str, name: str) -> None:
    assert default_name(Path(file)) == name
