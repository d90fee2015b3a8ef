"""Broken dumps as they are met in the wild (tests/data/messy): each is loaded, or refused for the stated reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.config import Home
from chattygen.errors import BadData
from chattygen.kg.folders import list_kgs, open_kg
from chattygen.kg.load import load

MESSY = Path(__file__).parent.parent / "data" / "messy"
E = "http://kg.example/e/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


@pytest.mark.parametrize(
    ("name", "triples", "repaired"),
    [
        ("m07-odd-but-valid-iris.ttl", 16, 0),
        ("m15-bom.nt", 2, 1),
        ("m22-quads-in-nt.nt", 3, 0),
        ("m25a-bnode.nt", 1, 0),
        ("m32-entities.rdf", 5, 0),
        ("m36-label-pathologies.ttl", 35, 0),
        ("m37-opaque-no-labels.nt", 40, 0),
        ("m40-hub.nt", 60, 0),
    ],
)
def test_loaded_as_it_is(home: Home, name: str, triples: int, repaired: int) -> None:
    manifest = load(home, "x", [MESSY / name])
    assert (manifest.triples, manifest.rejected, manifest.repaired) == (triples, 0, repaired)


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("m01-space-in-iri.nt", ":3:1: Invalid IRI code point ' '", "--skip-bad"),
        ("m03-double-hash-iri.nt", ":3:55: Invalid IRI code point '#'", "--skip-bad"),
        ("m05-quote-in-iri.nt", ":3:1: Invalid IRI code point '\"'", "--skip-bad"),
        ("m10-relative-iris.nq", ":1:5: No scheme found in an absolute IRI", "--base"),
        ("m11-missing-dot.ttl", ":5:8: a is not a valid RDF object (after 2 triples)", "mend"),
        ("m13-bad-langtag.nt", ":3:81: Unexpected character 'U'", "--skip-bad"),
        ("m16-latin1-bytes.nt", ":3:74: a byte here is not UTF-8", "iconv -f LATIN1"),
        ("m18-newline-in-literal.nt", ":3:50: the line ends in the middle of a statement", "--skip-bad"),
        ("m20-truncated.nt", ":3:72: the file ends in the middle of a statement: it is cut short", "fetch"),
        ("m20b-truncated.nt.gz", ": the gzip data end too early: the file is cut short", "fetch"),
        ("m30-broken-lines.nt", ":3:1: The subject of a triple must be an IRI or a blank node", "--skip-bad"),
        ("m33-external-entity.rdf", ": the entity xxe stands for another file or address", "write its text"),
    ],
)
def test_refused(home: Home, name: str, what: str, hint: str) -> None:
    file = MESSY / name
    with pytest.raises(BadData) as raised:
        load(home, "x", [file])
    assert raised.value.message.startswith(f"{file}{what}")
    assert hint in raised.value.hint
    assert list_kgs(home) == []


@pytest.mark.parametrize(
    ("name", "triples", "rejected", "repaired", "kept"),
    [
        ("m01-space-in-iri.nt", 5, [], 1, f'<{E}Weekend%20Song> {LABEL} "Weekend Song"@en'),
        ("m03-double-hash-iri.nt", 2, [3], 0, f'<{E}ok> {LABEL} "Good entity"@en'),
        ("m05-quote-in-iri.nt", 3, [], 1, f'<{E}John_%22Duke%22_Doe> {LABEL} "John \\"Duke\\" Doe"@en'),
        ("m13-bad-langtag.nt", 5, [], 2, f'<{E}a> {LABEL} "colour"@en-US . <{E}c> {LABEL} "x"'),
        ("m16-latin1-bytes.nt", 4, [3], 0, f'<{E}ok2> {LABEL} "Good entity"@en'),
        ("m18-newline-in-literal.nt", 4, [3, 4], 0, f'<{E}ok2> {LABEL} "Good entity"@en'),
        ("m30-broken-lines.nt", 4, [3, 4, 5, 6], 0, f'<{E}ok2> {LABEL} "Good entity"@en'),
    ],
)
def test_the_good_lines_are_kept_when_bad_ones_are_skipped(
    home: Home, name: str, triples: int, rejected: list[int], repaired: int, kept: str
) -> None:
    manifest = load(home, "x", [MESSY / name], skip_bad=True, max_bad=50)
    assert (manifest.triples, manifest.rejected, manifest.repaired) == (triples, len(rejected), repaired)
    if rejected:
        _, *rows = (home.kgs / "x" / manifest.rejects).read_text().splitlines()
        assert [int(row.split("\t")[1]) for row in rows] == rejected
    else:
        assert manifest.rejects == ""
    with open_kg(home, "x") as graph:
        assert graph.ask(f"ASK {{ {kept} }}")


def test_a_cut_file_is_refused_whatever_is_skipped(home: Home) -> None:
    for name in ("m20-truncated.nt", "m20b-truncated.nt.gz"):
        with pytest.raises(BadData, match="cut short"):
            load(home, "x", [MESSY / name], skip_bad=True, max_bad=100)


def test_relative_iris_with_a_base_are_worth_a_note(home: Home) -> None:
    file = MESSY / "m10-relative-iris.nq"
    manifest = load(home, "x", [file], base="http://kg.example/")
    assert manifest.triples == 6
    assert manifest.notes == (
        f"{file}: N-Quads has no relative IRIs; those in it were resolved against http://kg.example/",
    )
    with open_kg(home, "x") as graph:
        assert graph.ask('ASK { <http://kg.example/en/jane_doe> <http://kg.example/name> "Jane Doe" }')


def test_quads_called_triples_are_worth_a_note(home: Home) -> None:
    [note] = load(home, "x", [MESSY / "m22-quads-in-nt.nt"]).notes
    assert "holds quads, though its name says triples" in note
    with open_kg(home, "x") as graph:
        assert graph.ask("ASK { <http://kg.example/a> <http://kg.example/p> <http://kg.example/b> }")


def test_equal_blank_nodes_of_two_files_are_two(home: Home) -> None:
    load(home, "x", [MESSY / "m25a-bnode.nt", MESSY / "m25b-bnode.nt"])
    with open_kg(home, "x") as graph:
        assert len(graph.select("SELECT DISTINCT ?b { ?b ?p ?o }").rows) == 2


def test_internal_entities_are_written_out(home: Home) -> None:
    load(home, "x", [MESSY / "m32-entities.rdf"])
    with open_kg(home, "x") as graph:
        assert graph.ask(f'ASK {{ <http://kg.example/bank-1> {LABEL} "Example Bank & Trust"@en-us }}')
