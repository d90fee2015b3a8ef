"""What is wrong with a dump, in words: file, line, column, reason, and what to do. Loads nothing."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from chattygen.errors import BadData
from chattygen.kg.compression import opened
from chattygen.kg.formats import DIRECTIVE, FETCH_AGAIN, STATEMENT, Format, Input
from chattygen.kg.lines import CHUNK, Reject, chunks, reason

CUT_SHORT = "the file ends in the middle of a statement: it is cut short"
RELATIVE = "if the IRIs are relative to something, say so with --base IRI; nothing was loaded"


def bad_line(path: Path, format: Format, found: Reject) -> BadData:
    """A line of N-Triples or N-Quads that stops the load."""
    why, hint = found.reason, "mend that line, or load the others with --skip-bad; nothing was loaded"
    quad = STATEMENT.fullmatch(found.text.rstrip(b"\r\n"))
    if found.cut_short:
        why, hint = CUT_SHORT, FETCH_AGAIN
    elif format.key == "nt" and quad and quad[1]:
        why, hint = "this line is a quad", "load the file with --format nq, which leaves the names of graphs out"
    elif DIRECTIVE.match(found.text):
        why, hint = "this line is Turtle", "load the file with --format ttl"
    elif "UTF-8" in why:
        why, hint = (
            "a byte here is not UTF-8",
            "run: iconv -f LATIN1 -t UTF-8 FILE > NEW; or load the rest with --skip-bad",
        )
    elif "No scheme" in why:
        hint = RELATIVE
    return BadData(f"{path}:{found.line}:{found.column}: {why}", hint)


def bad_document(file: Input, error: SyntaxError, read: int, cut_short: bool) -> BadData:
    """A syntax error in Turtle, TriG, RDF/XML or JSON-LD, after `read` triples, in a file that has its end or not."""
    why, hint = reason(error), "mend that place and load again; nothing was loaded"
    line, column = error.lineno, error.offset
    if "LoadDocumentCallback" in why:
        why, hint = _remote_context(file.path), "write the context into the file; nothing was loaded"
    elif cut_short or "Unexpected end" in why:
        why, hint = CUT_SHORT, FETCH_AGAIN
    elif "No scheme" in why:
        hint = RELATIVE
    elif why.startswith("{ is not") and file.format.key == "ttl":
        hint = "if the file holds named graphs, load it with --format trig"
    if file.format.key == "rdf" and not line:
        line, column = _xml_place(file.path, why)
    place = f"{file.path}:{line}:{column}" if line else str(file.path)
    return BadData(f"{place}: {why} (after {read:,} triples)", hint)


REMOTE = re.compile(rb'"@(?:context|import)"\s*:\s*(?:\[\s*(?:\{[^{}]*\}\s*,\s*)*)?"([^"]+)"')


def _remote_context(path: Path) -> str:
    """Which context a JSON-LD file wants from elsewhere."""
    with opened(path) as reader:
        found = REMOTE.search(reader.read(CHUNK))
    named = f" {found[1].decode('utf-8', 'replace')}" if found else ""
    return f"it needs the context{named}, which is not in the file, and nothing is ever fetched"


def _xml_place(path: Path, why: str) -> tuple[int | None, int | None]:
    """Where RDF/XML goes wrong, which its parser does not say: as XML, or where the text stands that `why` quotes."""
    parser = expat.ParserCreate()
    try:
        with opened(path) as reader:
            while data := reader.read(CHUNK):
                parser.Parse(data)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1
    quoted = re.search("['`]([^'`]+)['`]", why)
    if quoted:
        with opened(path) as reader:
            number = 1
            for chunk in chunks(reader.read):
                before, found, _ = chunk.partition(quoted[1].encode())
                if found:
                    return number + before.count(b"\n"), len(before.rpartition(b"\n")[2]) + 1
                number += chunk.count(b"\n")
    return None, None
