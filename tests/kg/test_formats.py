from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from chattygen.errors import BadData, UsageError
from chattygen.kg.formats import closed, find, identify

TRIPLE = '<http://e.org/a> <http://e.org/p> "b c"@en .\n'
QUAD = "<http://e.org/a> <http://e.org/p> _:b <http://e.org/g> .\n"
TURTLE = "@prefix e: <http://e.org/> .\ne:a e:p e:b .\n"
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (TRIPLE, "nt"),
        ("# a comment\n\n" + TRIPLE, "nt"),
        ("_:a<http://e.org/p>_:b.", "nt"),
        (QUAD, "nq"),
        (TRIPLE * 3 + QUAD, "nq"),
        (TURTLE, "ttl"),
        ("PREFIX e: <http://e.org/>\ne:a e:p e:b .", "ttl"),
        ("@base <http://e.org/> .\n<a> <p> '{ not a graph }' .", "ttl"),
        ("<a> <p> <b>, <c> .", "ttl"),
        ("<a> a <b> .", "ttl"),
        ("[] <http://e.org/p> 1 .", "ttl"),
        ("@prefix e: <http://e.org/> .\ne:g { e:a e:p e:b }", "trig"),
        ("@prefix e: <http://e.org/> . # {\ne:a e:p '{', \"{\", <http://e.org/%7B> .", "ttl"),
        ('{"@context": {"n": "http://e.org/n"}, "@id": "http://e.org/a", "n": "x"}', "jsonld"),
        ('[ {"@id": "http://e.org/a", "http://e.org/n": [{"@value": "x"}]} ]', "jsonld"),
        (f"<rdf:RDF {RDF}></rdf:RDF>", "rdf"),
        (f"<?xml version='1.0'?>\n<!-- <html> -->\n<!DOCTYPE r [<!ENTITY e 'x'>]>\n<r:RDF {RDF}/>", "rdf"),
        (f"<Thing {RDF} xmlns='http://e.org/' rdf:about='http://e.org/a'/>", "rdf"),
    ],
)
@pytest.mark.parametrize("name", ["dump", "dump.txt", "dump.rdf"])
def test_the_content_tells_the_format(tmp_path: Path, text: str, key: str, name: str) -> None:
    assert identify(write(tmp_path / name, text)).format.key == key


@pytest.mark.parametrize(
    ("name", "text", "key", "by_line"),
    [
        ("x.ttl", TRIPLE, "ttl", False),
        ("x.ttl", TRIPLE, "nt", True),
        ("x.ttl", TRIPLE + "<http://e.org/a> <http://e.org/p> 1 .\n", "ttl", True),
        ("x.ttl", QUAD, "nq", False),
        ("x.nq", TRIPLE, "nq", False),
        ("x.trig", TURTLE, "trig", False),
        ("x.nt", TURTLE, "ttl", False),
        ("x.nt.gz", TRIPLE, "nt", False),
        ("x.nt", "nonsense\n", "nt", False),
    ],
)
def test_the_name_breaks_ties(tmp_path: Path, name: str, text: str, key: str, by_line: bool) -> None:
    assert identify(write(tmp_path / name, text), by_line=by_line).format.key == key


def test_a_named_format_wins(tmp_path: Path) -> None:
    assert identify(write(tmp_path / "x.nt", TRIPLE), named="ttl").format.key == "ttl"


def test_quads_in_a_file_for_triples_are_worth_a_note(tmp_path: Path) -> None:
    assert "holds quads" in identify(write(tmp_path / "x.nt", QUAD)).note
    assert identify(write(tmp_path / "x.nq", QUAD)).note == ""


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        (b"", "the file is empty", "fetch"),
        (b" \n\n", "the file is empty", "fetch"),
        (gzip.compress(b""), "the file is empty", "fetch"),
        (TRIPLE.encode("utf-16"), "this is UTF-16", "iconv"),
        (TRIPLE.encode("utf-16-be"), "this is UTF-16", "iconv"),
        (b"PK\x03\x04\x14\x00", "this is a zip archive", "unpack"),
        (b"dump.nt".ljust(257, b"\x00") + b"ustar\x0000", "this is a tar archive", "unpack"),
        (bytes(range(256)) * 4, "this is binary data", "supported"),
        (b"<!DOCTYPE html>\n<html><body>Not found", "this is an HTML page", "error page"),
        (b"\n<!-- x -->\n<HTML lang='en'>", "this is an HTML page", "error page"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "this is an HTML page", "error page"),
        (b"<?xml version='1.0'?><error/>", "this is XML, but not RDF/XML: its root element is error", "supported"),
        (b'{"error": "not found"}', "this is JSON, but not JSON-LD", "supported"),
        (b"Prefix(:=<http://e.org/>)\n", "this is not RDF in a known format; it begins with 'Prefix(:=", "supported"),
        (b"id,name\n1,Ada\n", "this is not RDF in a known format; it begins with 'id,name\\n1,Ada\\n'", "supported"),
    ],
)
def test_what_is_no_rdf_is_named(tmp_path: Path, text: bytes, what: str, hint: str) -> None:
    """Whatever the file is called; an HTML page, an archive and the like also where the format is named."""
    file = write(tmp_path / "dump", text)
    with pytest.raises(BadData) as raised:
        identify(file)
    assert raised.value.message.startswith(f"{file}: {what}")
    assert hint in raised.value.hint
    if "not" not in what.split(":")[0]:
        with pytest.raises(BadData, match=what):
            identify(file, named="nt")


def test_a_recipe_is_no_dump(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.toml", b'name = "mine"\n')
    with pytest.raises(BadData) as raised:
        identify(file)
    assert raised.value.hint == f"if it is a recipe, run: chattygen load-kg --recipe {file}"


@pytest.mark.parametrize(
    "entity",
    [
        '<!ENTITY x SYSTEM "file:///etc/hostname">',
        '<!ENTITY x PUBLIC "-//E//X" "http://127.0.0.1:9/x">',
        '<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">',
    ],
)
def test_external_entities_are_refused(tmp_path: Path, entity: str) -> None:
    with pytest.raises(BadData, match="the entity x stands for another file or address, which is never read"):
        identify(write(tmp_path / "x.rdf", f"<!DOCTYPE r [ {entity} ]><rdf:RDF {RDF}>&x;</rdf:RDF>"))


def test_entities_that_grow_without_bound_are_refused(tmp_path: Path) -> None:
    """Ten times ten, six times over: a text of 10,000,000 characters."""
    entities = '<!ENTITY e0 "0123456789">' + "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(6))
    with pytest.raises(BadData, match="its entities stand for a huge text"):
        identify(write(tmp_path / "x.rdf", f"<!DOCTYPE r [ {entities} ]><rdf:RDF {RDF}>&e6;</rdf:RDF>"))


@pytest.mark.parametrize(
    ("end", "tail", "whole"),
    [
        (b"</rdf:RDF>", b"</a>\n</rdf:RDF>", True),
        (b"</rdf:RDF>", b"</a></rdf:RDF >\n<!-- end --> <!-- really -->\n", True),
        (b"</rdf:RDF>", b"<a/>\n", False),
        (b"</rdf:RDF>", b"</rdf:RDF", False),
        (b"</rdf:RDF>", b"<!-- </rdf:RDF> -->", False),
        (b"]", b"{}]\n", True),
        (b"]", b"{}", False),
        (b"", b"<rdf:RDF/>", True),
    ],
)
def test_closed(end: bytes, tail: bytes, whole: bool) -> None:
    assert closed(end, tail) is whole


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (f"<r:RDF {RDF}></r:RDF>", b"</r:RDF>"),
        (f"<r:RDF {RDF}/>", b""),
        ('[{"@id": "a:b"}]', b"]"),
        ('{"@id": "a:b"}', b"}"),
        (TURTLE, b""),
    ],
)
def test_how_a_file_has_to_end(tmp_path: Path, text: str, end: bytes) -> None:
    assert identify(write(tmp_path / "x", text)).end == end


def test_a_folder_gives_its_rdf_files_sorted_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    (folder / "more").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    write(folder / "b.nt", TRIPLE)
    write(folder / "a", TURTLE)
    write(folder / "more" / "c.nq.gz", gzip.compress(QUAD.encode()))
    write(folder / ".hidden" / "d.nt", TRIPLE)
    write(folder / "README.md", "# The dump\n\nIt was made in 2015.\n")
    write(folder / "sizes.json", '{"a": 1}')
    inputs, left_out = find([folder, folder / "b.nt"], None, False)
    assert [(str(one.path.relative_to(folder)), one.format.key) for one in inputs] == [
        ("a", "ttl"),
        ("b.nt", "nt"),
        ("more/c.nq.gz", "nq"),
        ("b.nt", "nt"),
    ]
    assert left_out == [f"left out of {folder}, as they are not RDF: README.md, sizes.json"]


def test_a_page_that_is_called_rdf_is_not_left_out_of_a_folder_but_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.nt", TRIPLE)
    write(tmp_path / "b.nt", "<html>Too many requests</html>")
    with pytest.raises(BadData, match=r"b\.nt: this is an HTML page"):
        find([tmp_path], None, False)


def test_a_folder_without_rdf_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the folder holds no RDF"):
        find([tmp_path], None, False)
    with pytest.raises(UsageError, match="no such file"):
        find([tmp_path / "none.nt"], None, False)
