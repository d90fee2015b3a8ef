"""What a file is, by its content and not by its name: RDF in which syntax, or what it is instead.

The name only breaks ties between a syntax and one that contains it: N-Triples in a file called .ttl may go on as
Turtle. Nothing outside the file is ever read: external entities are refused here. Knows nothing about stores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chattygen.errors import BadData, UsageError
from chattygen.kg.compression import opened, plain_name


@dataclass(frozen=True)
class Format:
    """A syntax: `oxigraph` is its name in pyoxigraph; in a `by_line` one every line stands alone."""

    key: str
    title: str
    oxigraph: str
    by_line: bool = False


FORMATS = {
    found.key: found
    for found in (
        Format("nt", "N-Triples", "N_TRIPLES", by_line=True),
        Format("nq", "N-Quads", "N_QUADS", by_line=True),
        Format("ttl", "Turtle", "TURTLE"),
        Format("trig", "TriG", "TRIG"),
        Format("rdf", "RDF/XML", "RDF_XML"),
        Format("jsonld", "JSON-LD", "JSON_LD"),
    )
}
SUFFIXES = {f".{key}": key for key in FORMATS} | {".ntriples": "nt", ".nquads": "nq", ".turtle": "ttl", ".owl": "rdf"}

SUPPORTED = (
    "supported: N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), RDF/XML (.rdf), JSON-LD (.jsonld), "
    "each plain, .gz, .bz2, .xz or .zst"
)
FETCH_AGAIN = "fetch the file again; nothing was loaded"

HEAD = 65_536
"""Bytes from which a file is judged."""

MOST_ENTITIES = 100_000
"""Characters that the entities of an RDF/XML file may stand for; nested ones can grow without bound."""


@dataclass(frozen=True)
class Input:
    """A file that can be loaded.

    Attributes:
        end: how the file has to end: the end tag of RDF/XML, the bracket of JSON-LD; empty for other formats.
        note: what the user should know, or empty.
    """

    path: Path
    format: Format
    end: bytes = b""
    note: str = ""


def find(paths: Sequence[Path], named: str | None, by_line: bool) -> tuple[list[Input], list[str]]:
    """The files to load, in the given order, those of a folder sorted by path; and notes for the user.

    A file of a folder that neither looks like RDF nor is called so is left out, and a note says so.

    Args:
        named: a key of FORMATS, for files that do not tell by themselves.
        by_line: read a file by lines where it can be read either way.

    Raises:
        UsageError: no such file, or a folder without RDF.
        BadData: a file is not what it should be; names what it is.
    """
    inputs: list[Input] = []
    notes: list[str] = []
    for path in paths:
        if not path.is_dir():
            inputs.append(identify(path, named, by_line))
            continue
        found, left = _in_folder(path, named, by_line)
        if not found:
            raise UsageError(f"{path}: the folder holds no RDF", SUPPORTED)
        inputs += found
        if left:
            names = ", ".join(left[:5]) + (f" and {len(left) - 5} more" if len(left) > 5 else "")
            notes.append(f"left out of {path}, as they are not RDF: {names}")
    return inputs, notes


def _in_folder(folder: Path, named: str | None, by_line: bool) -> tuple[list[Input], list[str]]:
    """The RDF below a folder, and the other files; hidden files and folders are passed over."""
    found, left = [], []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        try:
            found.append(identify(path, named, by_line))
        except BadData:
            if suffix(path):
                raise
            left.append(str(inside))
    return found, left


def suffix(path: Path) -> str:
    """The key of the format that a file's name promises, or an empty string."""
    return SUFFIXES.get(Path(plain_name(path)).suffix.lower(), "")


def identify(path: Path, named: str | None = None, by_line: bool = False) -> Input:
    """Look into a file; arguments and errors as in `find`."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file", "check the path")
    with opened(path) as reader:
        head = reader.read(HEAD)
    other = _not_text(head)
    if other:
        raise BadData(f"{path}: {other[0]}", other[1])
    if named:
        return Input(path, FORMATS[named])
    key = _syntax(path, head, by_line)
    if not key:
        start = head.lstrip()[:30].decode("utf-8", "replace")
        hint = f"if it is a recipe, run: chattygen load-kg --recipe {path}" if path.suffix == ".toml" else SUPPORTED
        raise BadData(f"{path}: this is not RDF in a known format; it begins with {start!r}", hint)
    if key == "rdf":
        return Input(path, FORMATS[key], end=_end_tag(path, head))
    if key == "jsonld":
        return Input(path, FORMATS[key], end=b"]" if head.lstrip().startswith(b"[") else b"}")
    note = "holds quads, though its name says triples; the names of graphs are left out"
    misnamed = key == "nq" and suffix(path) == "nt"
    return Input(path, FORMATS[key], note=f"{path}: {note}" if misnamed else "")


# What is no text, or no RDF at all

MAGIC = {
    b"PK\x03\x04": ("this is a zip archive", "unpack it first"),
    b"7z\xbc\xaf\x27\x1c": ("this is a 7z archive", "unpack it first"),
    b"$HDT": ("this is an HDT file", "turn it into N-Triples first (hdt2rdf)"),
    b"\xff\xfe": ("this is UTF-16, but RDF files are UTF-8", "run: iconv -f UTF-16 -t UTF-8 FILE > NEW"),
    b"\xfe\xff": ("this is UTF-16, but RDF files are UTF-8", "run: iconv -f UTF-16 -t UTF-8 FILE > NEW"),
}
HTML = re.compile(rb"(?:<\?xml.*?\?>|<!--.*?-->|\s)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)
CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r"))


def _not_text(head: bytes) -> tuple[str, str] | None:
    """What a file is that holds no RDF in UTF-8, and what to do about it."""
    if not head.strip():
        return "the file is empty", FETCH_AGAIN
    for magic, answer in MAGIC.items():
        if head.startswith(magic):
            return answer
    if head[257:262] == b"ustar":
        return "this is a tar archive", "unpack it first"
    if head.count(0) * 4 > len(head):
        return MAGIC[b"\xff\xfe"]
    if (len(head) - len(head.translate(None, CONTROLS))) * 20 > len(head):
        return "this is binary data, not text", SUPPORTED
    if HTML.match(head):
        return "this is an HTML page, not a dump", "perhaps an error page, or the page with the link: " + FETCH_AGAIN
    return None


# Which RDF

JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:\{|\]\s*\Z))')
JSON_LD = re.compile(rb'"@(?:context|id|graph|type|value|list|reverse|included)"')
XML = re.compile(
    rb"(?:<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE(?:[^\[>]*\[.*?\]\s*>|[^>]*>)|\s)*<([A-Za-z_][\w.-]*(?::[\w.-]+)?)([^<>]*)>",
    re.S,
)
STATEMENT = re.compile(
    rb"""[ \t]*(?:<[^<>]*>|_:[^\s<"]+)[ \t]*<[^<>]*>[ \t]*"""
    rb"""(?:<[^<>]*>|_:[^\s<"]+|<<\(.*\)>>|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>]*>)?)"""
    rb"""[ \t]*(<[^<>]*>|_:[^\s<"]+?)?[ \t]*\.[ \t]*(?:\#.*)?\r?""",
    re.X,
)
DIRECTIVE = re.compile(rb"^[ \t]*@?(?:prefix[ \t]+[^\s<>:]*:|base)[ \t]*<", re.I | re.M)
QUIET = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\''
    rb"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>|\#[^\n]*"
)
"""Text, IRIs and comments of Turtle: what is left holds its punctuation."""


def _syntax(path: Path, head: bytes, by_line: bool) -> str:
    """The key of the format, or an empty string."""
    promised = suffix(path)
    xml = XML.match(head)
    if xml and (head.lstrip().startswith((b"<?xml", b"<!")) or b"xmlns" in xml[2]):
        return "rdf"
    if JSON.match(head):
        if not JSON_LD.search(head) and promised != "jsonld":
            raise BadData(f"{path}: this is JSON, but not JSON-LD: it has no @context, @id or @graph", SUPPORTED)
        return "jsonld"
    directive = DIRECTIVE.search(QUIET.sub(lambda m: b"" if m[0].startswith(b"#") else m[0], head))
    statements, quads, lines = _statements(head)
    if not directive and statements * 2 >= lines > 0:
        longer = promised in ("ttl", "trig") and not quads
        if not longer or (by_line and statements == lines):
            return "nq" if quads or promised == "nq" else "nt"
    bare = QUIET.sub(b" ", head)
    if directive or promised in ("ttl", "trig") or re.match(rb"\s*[\[(]", bare):
        return "trig" if promised == "trig" or re.search(rb"\{(?!\|)", bare) else "ttl"
    if re.match(rb"\s*(?:#.*\s*)*<[^<>\s]*>\s+[<\w]", head):
        return "ttl"
    return promised if promised in ("nt", "nq") else ""


def _statements(head: bytes) -> tuple[int, int, int]:
    """(lines that are a triple or quad, those that are a quad, all lines), without comments and a last line cut off."""
    lines = head.split(b"\n")
    if len(head) == HEAD:
        lines.pop()
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
    found = [match for match in map(STATEMENT.fullmatch, lines) if match]
    return len(found), sum(match[1] is not None for match in found), len(lines)


# RDF/XML

EXTERNAL = re.compile(rb"<!ENTITY\s+(?:%\s+)?(\S+)\s+(?:SYSTEM|PUBLIC)\b")
ENTITY = re.compile(rb"""<!ENTITY\s+(\S+)\s+(?:"([^"]*)"|'([^']*)')""")


def _end_tag(path: Path, head: bytes) -> bytes:
    """The end tag of the root element, or nothing where it closes itself.

    Raises:
        BadData: it is other XML, has external entities, or entities that stand for very much.
    """
    xml = XML.match(head)
    root = xml[1] if xml else b""
    if root.rpartition(b":")[2] != b"RDF" and b"22-rdf-syntax-ns#" not in head:
        name = root.decode("utf-8", "replace")
        raise BadData(f"{path}: this is XML, but not RDF/XML: its root element is {name}", SUPPORTED)
    external = EXTERNAL.search(head)
    if external:
        name = external[1].decode("utf-8", "replace")
        raise BadData(
            f"{path}: the entity {name} stands for another file or address, which is never read",
            "write its text into this file; nothing was loaded",
        )
    if any(size > MOST_ENTITIES for size in _entity_sizes(head)):
        raise BadData(f"{path}: its entities stand for a huge text", "do without nested entities; nothing was loaded")
    return b"" if xml and xml[2].endswith(b"/") else b"</" + root + b">"


def _entity_sizes(head: bytes) -> Iterator[int]:
    """How long the text of each entity is, the entities in it written out."""
    sizes: dict[bytes, int] = {}
    for name, double, single in ENTITY.findall(head):
        value = double or single
        sizes[name] = len(value) + sum(sizes.get(inner, 0) for inner in re.findall(rb"&([^;]+);", value))
        yield sizes[name]


def closed(end: bytes, tail: bytes) -> bool:
    """Whether a file with last bytes `tail` ends as it has to: RDF/XML that was cut short may parse all the same."""
    text = re.sub(rb"(?:<!--(?:(?!-->).)*-->\s*)+\Z", b"", tail.rstrip(), flags=re.S).rstrip()
    return not end or re.search(re.escape(end[:-1]) + rb"\s*" + re.escape(end[-1:]) + rb"\Z", text) is not None
