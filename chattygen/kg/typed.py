"""What is noticed about classes while files are read: a sample of each, and whether it has entities without an IRI.

To ask a store for it afterwards takes longer: it would have to look up the text of every entity. Of each class those
entities are held whose IRI has the smallest MD5, which makes the first part of a large class (draws.py), whatever the
order of the files. Knows nothing about stores.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import md5
from typing import TYPE_CHECKING

from chattygen.kg.draws import PART

if TYPE_CHECKING:
    import pyoxigraph

HELD = PART + PART // 8
"""Entities held of a class: a part is a random number of them, and must not be cut short."""

ESCAPE = re.compile(rb"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")

LAST = b"\xff" * 16


@dataclass
class Seen:
    """One class.

    Attributes:
        held: hash -> IRI, for every entity seen whose hash is not above `limit`; the others were passed over.
        named: some entity has an IRI.
        blank: some entity is a blank node.
    """

    held: dict[bytes, bytes] = field(default_factory=dict)
    limit: bytes = LAST
    named: bool = False
    blank: bool = False

    def hold(self, digest: bytes, iri: bytes) -> None:
        """Take an entity in, whose hash is not above the limit."""
        self.named = True
        self.held[digest] = iri
        if len(self.held) > 2 * HELD:
            smallest = sorted(self.held)[:HELD]
            self.held = {digest: self.held[digest] for digest in smallest}
            self.limit = smallest[-1]

    def part(self, digits: str) -> tuple[str, ...] | None:
        """The entities whose hash begins with `digits`, or None if some of them were passed over."""
        if digits.ljust(32, "f") > self.limit.hex():
            return None
        return tuple(iri.decode() for digest, iri in sorted(self.held.items()) if digest.hex().startswith(digits))


class Typed:
    """Reads what has the type predicate, line by line or triple by triple."""

    def __init__(self, type_predicate: str) -> None:
        self._predicate = type_predicate
        self._word = b"<" + type_predicate.encode() + b">"
        self._classes: defaultdict[bytes, Seen] = defaultdict(Seen)

    def classes(self) -> Mapping[str, Seen]:
        """What was seen of each class, by IRI."""
        return {iri.decode(): seen for iri, seen in self._classes.items()}

    def add_lines(self, piece: bytes) -> None:
        """Read whole lines of N-Triples. This loop takes few steps for a line that is spelled as most dumps do."""
        head, *tails = piece.split(self._word)
        plain = b"\\" not in piece or not ESCAPE.search(piece)
        last, digest = b"", b""
        for tail in tails:
            subject = head[head.rfind(b"\n") + 1 :]
            head = tail
            if not (plain and subject and subject.find(b" ") == len(subject) - 1 and tail[:2] == b" <"):
                self._add_unusual(subject.strip(), tail.lstrip())
                continue
            seen = self._classes[tail[2 : tail.find(b">")]]
            if subject[:1] != b"<":
                seen.blank = True
                continue
            if subject != last:
                last, digest = subject, md5(subject[1:-2]).digest()
            if digest <= seen.limit:
                seen.hold(digest, subject[1:-2])

    def _add_unusual(self, subject: bytes, rest: bytes) -> None:
        """A line with escapes or unusual white space, or one that has the predicate's IRI where an object stands."""
        if not rest.startswith(b"<"):
            return
        kind = _plain(rest[1 : rest.find(b">")])
        if subject.startswith(b"_:") and len(subject.split()) == 1:
            self._classes[kind].blank = True
        elif subject.startswith(b"<") and subject.find(b">") == len(subject) - 1:
            self._add(_plain(subject[1:-1]), kind)

    def add_triple(self, quad: pyoxigraph.Quad | pyoxigraph.Triple) -> None:
        """Read a triple."""
        import pyoxigraph

        if quad.predicate.value != self._predicate or not isinstance(quad.object, pyoxigraph.NamedNode):
            return
        if isinstance(quad.subject, pyoxigraph.NamedNode):
            self._add(quad.subject.value.encode(), quad.object.value.encode())
        else:
            self._classes[quad.object.value.encode()].blank = True

    def _add(self, iri: bytes, kind: bytes) -> None:
        seen, digest = self._classes[kind], md5(iri).digest()
        if digest <= seen.limit:
            seen.hold(digest, iri)


def _plain(iri: bytes) -> bytes:
    """The IRI without the escapes that N-Triples allows in it."""
    return ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)).encode(), iri)
