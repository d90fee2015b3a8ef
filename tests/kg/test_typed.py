from __future__ import annotations

import random
from hashlib import md5

import pyoxigraph
import pytest

from chattygen.kg import typed
from chattygen.kg.typed import Seen, Typed

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LAKE, TOWN = "http://e.org/Lake", "http://e.org/Town"


def seen(text: str) -> dict[str, tuple[set[str], bool, bool]]:
    """Class -> what was seen: the entities with an IRI, whether there are any, whether there are blank nodes."""
    noticed = Typed(TYPE)
    noticed.add_lines(text.encode())
    return {iri: (set(one.part("") or ()), one.named, one.blank) for iri, one in noticed.classes().items()}


def test_entities_and_blank_nodes_of_each_class() -> None:
    lines = [
        f"<http://e.org/a> <{TYPE}> <{LAKE}> .",
        f"<http://e.org/a> <{TYPE}> <{TOWN}> .",
        f"_:b1 <{TYPE}> <{TOWN}> .",
        '<http://e.org/a> <http://e.org/p> "x" .',
        f"<http://e.org/c> <{TYPE}> <{LAKE}> .",
        f"_:b2 <{TYPE}> <http://e.org/Nameless> .",
        f'<http://e.org/d> <{TYPE}> "no class" .',
    ]
    assert seen("\n".join(lines) + "\n") == {
        LAKE: ({"http://e.org/a", "http://e.org/c"}, True, False),
        TOWN: ({"http://e.org/a"}, True, True),
        "http://e.org/Nameless": (set(), False, True),
    }


@pytest.mark.parametrize(
    "line",
    [
        f"<http://e.org/\\u00e9> <{TYPE}> <http://e.org/\\U0000004Cake> .",
        f"<http://e.org/é>\t<{TYPE}>\t<{LAKE}>\t.",
        f"   <http://e.org/é><{TYPE}><{LAKE}>.",
        f'<http://e.org/é> <{TYPE}> <{LAKE}> . # said "\\u00e9" twice',
    ],
)
def test_unusual_spellings(line: str) -> None:
    assert seen(f"{line}\n") == {LAKE: ({"http://e.org/é"}, True, False)}


@pytest.mark.parametrize(
    "line",
    [
        f"<http://e.org/a> <http://e.org/p> <{TYPE}> .",
        f"<{TYPE}> <http://e.org/p> <{LAKE}> .",
        f'<http://e.org/a> <http://e.org/p> "<http://e.org/b> <{TYPE}> <{LAKE}> ." .',
        f"# <http://e.org/a> <{TYPE}> <{LAKE}> .",
    ],
)
def test_the_predicate_in_another_place_says_nothing(line: str) -> None:
    assert seen(f"{line}\n") == {}


def test_triples_say_the_same_as_lines() -> None:
    text = f"""<http://e.org/é> <{TYPE}> <{LAKE}>, "no class" ; <http://e.org/p> <{LAKE}> . _:x <{TYPE}> <{TOWN}> ."""
    noticed = Typed(TYPE)
    for triple in pyoxigraph.parse(text, pyoxigraph.RdfFormat.TURTLE):
        noticed.add_triple(triple)
    found = {iri: (one.part(""), one.named, one.blank) for iri, one in noticed.classes().items()}
    assert found == {LAKE: (("http://e.org/é",), True, False), TOWN: ((), False, True)}


def test_the_first_part_of_a_class_is_whole_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed, "HELD", 100)
    iris = [f"http://e.org/{n}" for n in range(1000)]
    first = {iri for iri in iris if md5(iri.encode()).hexdigest().startswith("0")}
    assert 40 < len(first) < 85
    for order in (iris, iris[::-1], random.Random(1).sample(iris, len(iris))):
        noticed = Typed(TYPE)
        for iri in [*order, *order[:300]]:  # said twice, as some dumps do
            noticed.add_lines(f"<{iri}> <{TYPE}> <{LAKE}> .\n".encode())
        one: Seen = noticed.classes()[LAKE]
        assert set(one.part("0") or ()) == first
        assert one.part("") is None  # most of the class was passed over
        assert one.part("f") is None
