from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chattygen.kg import lines
from chattygen.kg.lines import (
    absolute,
    chunks,
    clean,
    count,
    fault,
    first_fault,
    predicates,
    repair,
    send,
    without_graphs,
)

GOOD = b"<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n"
BAD = b"<http://e.org/a> <http://e.org/p> .\n"
TAGGED = b'<http://e.org/a> <http://e.org/p> "colour"@en_US .\n'


def store(folder: Path) -> pyoxigraph.Store:
    return pyoxigraph.Store(str(folder / "store"))


# Cutting and counting


@pytest.mark.parametrize("text", [b"", b"\n", b"a\nbb\nccc", b"a\nbb\nccc\n", b"no end"])
def test_chunks_end_at_line_ends(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(lines, "CHUNK", 3)
    pieces = list(chunks(BytesIO(text).read))
    assert b"".join(pieces) == text
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])


def test_a_line_without_end_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1_000_000)
    with pytest.raises(lines.TooLong):
        list(chunks(BytesIO(b"x" * 2_000_000).read))


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (GOOD * 3, 3),
        (GOOD + b"\n\n" + GOOD, 2),
        (b"\n \n# a comment\n  # another\n" + GOOD, 1),
        (GOOD.replace(b"\n", b"\r\n") + b"\r\n" + GOOD, 2),
        (GOOD + GOOD.rstrip(), 2),
        (GOOD + b"# the end", 1),
        (b"\n", 0),
    ],
)
def test_count_passes_over_blank_lines_and_comments(text: bytes, statements: int) -> None:
    assert count(text) == statements


def test_predicates_are_the_second_words_of_statements() -> None:
    text = (
        b'# <a:x> <a:y>\n\n<a:s>\t<a:p>\t"<a:o> <a:z>" .\n_:b <a:q> <a:o> .\r\n<a:s><a:p><a:o>.\n  <a:s> <a:r> <a:o>.'
    )
    assert predicates(text) == {b"<a:p>", b"<a:q>", b"<a:r>"}


# Faults


@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        (b'"literal" <http://e.org/p> <http://e.org/b> .\n', 1, "The subject of a triple must be"),
        (BAD, 35, "The object of a triple must be"),
        (b"<http://e.org/a> <http://e.org/p> <http://e.org/b>\n", 51, "a dot must end the statement"),
        (b'<http://e.org/a> <http://e.org/p> "b\n', 35, "the line ends in the middle of a statement"),
        (b'<http://e.org/a> <http://e.org/p> "caf\xe9" .\n', 39, "a byte here is not UTF-8"),
        (b"<http://e.org/a> <http://e.org/p> <<( <a:b> <a:b> <a:b> )>> .\n", 35, "it holds a triple term (RDF-star)"),
    ],
)
def test_fault_names_column_and_reason(line: bytes, column: int, why: str) -> None:
    found = fault(line, "N_TRIPLES")
    assert found
    assert found[0] == column
    assert found[1].startswith(why)


@pytest.mark.parametrize("line", [GOOD, b"\n", b"# <<( is only a comment\n", b'<a:b> <a:b> "1 <<( 2" .\n'])
def test_no_fault(line: bytes) -> None:
    assert fault(line, "N_TRIPLES") is None


def test_first_fault_looks_near_the_line_that_was_named() -> None:
    pieces = [BAD + GOOD * 3, GOOD + BAD, GOOD]
    found = first_fault(pieces, "N_TRIPLES", 5)
    assert found
    assert (found.line, found.text) == (6, BAD)
    assert first_fault([GOOD * 3 + BAD], "N_TRIPLES", 1) is None


# Cleaning


def test_clean_keeps_the_good_lines_and_numbers_the_bad_ones() -> None:
    cleaned = clean(GOOD * 5 + BAD + GOOD + TAGGED + b"nonsense\n" + GOOD * 5, "N_TRIPLES", 101)
    assert cleaned.good == GOOD * 6 + TAGGED.replace(b"en_US", b"en-US") + GOOD * 5
    assert [(reject.line, reject.text) for reject in cleaned.rejects] == [(106, BAD), (109, b"nonsense\n")]
    assert cleaned.repaired == 1


@settings(max_examples=60, phases=[Phase.generate])
@given(st.lists(st.sampled_from([GOOD, BAD, TAGGED, b"\n", b"# comment\n", b"<<(\n", b"\xff\n"])))
def test_every_line_is_kept_repaired_or_rejected(parts: list[bytes]) -> None:
    cleaned = clean(b"".join(parts), "N_TRIPLES", 1)
    bad = [(number, part) for number, part in enumerate(parts, 1) if part in (BAD, b"<<(\n", b"\xff\n")]
    assert [(reject.line, reject.text) for reject in cleaned.rejects] == bad
    assert cleaned.repaired == parts.count(TAGGED)
    assert cleaned.good.count(b"\n") == len(parts) - len(bad)


def test_a_line_that_the_file_cuts_short_is_known() -> None:
    assert clean(GOOD + BAD[:20], "N_TRIPLES", 1).rejects[0].cut_short
    assert not clean(GOOD + BAD.rstrip(), "N_TRIPLES", 1).rejects[0].cut_short
    assert not clean(BAD[:20] + b"\n", "N_TRIPLES", 1).rejects[0].cut_short


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (b"<http://e.org/Weekend Song> <http://e.org/p> <http://e.org/b> .", b"<http://e.org/Weekend%20Song>"),
        (b'<http://e.org/John_"Duke"_Doe> <http://e.org/p> <http://e.org/b> .', b"<http://e.org/John_%22Duke%22_Doe>"),
        (b"<http://e.org/{a|b}^`> <http://e.org/p> <http://e.org/b> .", b"<http://e.org/%7Ba%7Cb%7D%5E%60>"),
        (b'<http://e.org/a> <http://e.org/p> "colour"@en_US .', b'"colour"@en-US .'),
        (b'<http://e.org/a> <http://e.org/p> "x"@averyverylongtag .', b'"x" .'),
        (b'<http://e.org/a> <http://e.org/p> "say \\"a b\\" <c d>"@pt_BR .', b'"say \\"a b\\" <c d>"@pt-BR .'),
    ],
)
def test_repair_mends_what_is_certain(line: bytes, mended: bytes) -> None:
    assert mended in repair(line)
    assert fault(repair(line), "N_TRIPLES") is None


@pytest.mark.parametrize(
    "line",
    [
        BAD,
        b"<http://e.org/a#b#c> <http://e.org/p> <http://e.org/b> .",
        b"<a b> <http://e.org/p> <http://e.org/b> .",
        b'<http://e.org/a> <http://e.org/p> "caf\xe9" .',
    ],
)
def test_repair_leaves_alone_what_could_mean_several_things(line: bytes) -> None:
    assert repair(line) == line


# Quads and relative IRIs


@pytest.mark.parametrize(
    ("quad", "triple"),
    [
        (b"<a:s> <a:p> <a:o> <a:g> .\n", b"<a:s> <a:p> <a:o> .\n"),
        (b"<a:s><a:p><a:o><a:g>.\n", b"<a:s><a:p><a:o> .\n"),
        (b'_:s.1 <a:p> "o . <a:x> ."@en _:g.1 . # <a:x> .\n', b'_:s.1 <a:p> "o . <a:x> ."@en . # <a:x> .\n'),
        (b'<a:s> <a:p> "\\"o\\""^^<a:t>\t<a:g>\t.\r\n', b'<a:s> <a:p> "\\"o\\""^^<a:t> .\r\n'),
        (b"<a:s> <a:p> _:o _:g.\n", b"<a:s> <a:p> _:o .\n"),
        (b'<a:s> <a:p> "o"^^<a:t> .\n', b'<a:s> <a:p> "o"^^<a:t> .\n'),
        (b"<a:s> <a:p> _:o .\n", b"<a:s> <a:p> _:o .\n"),
        (b"<a:s> <a:p> <a:o> <a b> .\n", b"<a:s> <a:p> <a:o> <a b> .\n"),
        (b"<a:s> <a:p> <a:o> <g> .\n", b"<a:s> <a:p> <a:o> <g> .\n"),
    ],
)
def test_without_graphs(quad: bytes, triple: bytes) -> None:
    """The last two are bad quads, which stay for the parser to refuse."""
    assert without_graphs(GOOD + quad + GOOD) == GOOD + triple + GOOD


def test_absolute_resolves_iris_and_nothing_else() -> None:
    line = b'</en/jane doe> <name> "a <b>"^^<#t> <http://e.org/g> .\n'
    good = line.replace(b" doe", b"_doe")
    assert absolute(good, "http://x.org/y/") == (
        b'<http://x.org/en/jane_doe> <http://x.org/y/name> "a <b>"^^<http://x.org/y/#t> <http://e.org/g> .\n'
    )
    assert b"</en/jane doe>" in absolute(line, "http://x.org/y/")


# The pipe to the store


def test_send_loads_everything(tmp_path: Path) -> None:
    many = [b"".join(GOOD.replace(b"/a>", b"/%d-%d>" % (n, m)) for m in range(5_000)) for n in range(10)]
    filled = store(tmp_path)
    send(filled, many)
    assert len(filled) == 50_000


def test_send_stops_at_a_bad_line_though_more_would_come(tmp_path: Path) -> None:
    made = 0

    def endless() -> Iterator[bytes]:
        nonlocal made
        while made < 10_000:
            made += 1
            yield BAD + GOOD * 2_000

    with pytest.raises(SyntaxError) as raised:
        send(store(tmp_path), endless())
    assert raised.value.lineno == 1
    assert made < 100


def test_send_gives_up_when_the_source_fails(tmp_path: Path) -> None:
    def failing() -> Iterator[bytes]:
        yield GOOD * 2_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        send(store(tmp_path), failing())
