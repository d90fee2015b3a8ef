"""Markdown: what a person reads; text of the graph stays text in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chattygen.domain import Answer
from chattygen.results.formats.escape import code, plain
from chattygen.results.formats.markdown import write
from tests.results.formats.made import ADA, CURIE, SHIP, text, with_answers


def test_a_heading_a_dialogue_and_its_turns_as_a_list() -> None:
    assert text(write, CURIE, SHIP) == (
        "# nobel-20261130-101502-3f2a\n"
        "\n"
        "Dialogues about Nobel prizes.\n"
        "\n"
        "## 1. Marie Curie (laureate, head)\n"
        "\n"
        "`http://example.org/marie`\n"
        "\n"
        "1. When was Marie Curie born?\n"
        "   - 7 November 1867\n"
        "2. Which prizes did she receive?\n"
        "   - standalone: Which prizes did Marie Curie receive?\n"
        "   - Chemistry 1911\n"
        "   - Physics 1903\n"
        "\n"
        "## 2. Marie Curie (ship)\n"
        "\n"
        "`http://example.org/ship`\n"
        "\n"
        "1. How many sailors does Marie Curie have?\n"
        "   - 41\n"
        "2. Was it born on 7 November 1867?\n"
        "   - standalone: Was Marie Curie born on 7 November 1867?\n"
        "   - no\n"
    )


def test_what_a_turn_refers_to_and_that_the_graph_has_no_answer() -> None:
    lines = text(write, ADA, standalone=False).splitlines()
    assert lines[-14:] == [
        "1. Who was the mentor of Ada Berg?",
        "   - Bo Lind",
        "2. Where was he born?",
        "   - refers to turn 1",
        "   - Bergen",
        "3. Was Ada Berg born in Bergen?",
        "   - no",
        "4. Which of her ships are of 1999?",
        "   - Gull",
        "5. And the last one?",
        "   - refers to turn 4",
        "   - Tern",
        "6. When did she die?",
        "   - the graph has no answer",
    ]


def test_without_standalone_these_lines_are_gone() -> None:
    full = text(write, CURIE, SHIP).splitlines()
    assert text(write, CURIE, SHIP, standalone=False).splitlines() == [
        line for line in full if not line.startswith("   - standalone: ")
    ]


def test_long_lists_of_answers_are_cut() -> None:
    answers = [Answer("uri", f"http://example.org/{n}", f"Prize {n}") for n in range(1, 14)]
    lines = text(write, with_answers(*answers, complete=False), standalone=False).splitlines()
    assert lines[-12:] == [
        *(f"   - Prize {n}" for n in range(1, 11)),
        "   - and 3 more",
        "   - the store cut the answers short",
    ]
    assert text(write, with_answers()).endswith("   - no answer\n")


PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NASTY = [
    "<script>alert(1)</script>",
    "&lt;b&gt; &#60;",
    "[a](http://e.org) ![b](x.png) <http://e.org>",
    "*a* _b_ **c** ~~d~~ `e` ``f",
    "# heading #",
    "- list",
    "1. list",
    "12) list",
    "> quote",
    "+ [ ] task",
    "a\n\n    code\n---\n===",
    "| a | b |\n|---|---|",
    "\\*a\\*\\",
    "``` fence",
    "[x]: http://e.org",
    "=====",
]


def inline(tokens: list[Token]) -> list[Token]:
    return [part for token in tokens for part in token.children or []]


@pytest.mark.parametrize("said", NASTY)
@pytest.mark.parametrize("before", ["", "## ", "- ", "1. "])
def test_markup_stays_text(before: str, said: str) -> None:
    blocks = {token.type for token in PARSER.parse(before + plain("x"))}
    tokens = PARSER.parse(before + plain(said))
    assert {token.type for token in tokens} == blocks
    assert {part.type for part in inline(tokens)} == {"text"}
    assert "".join(part.content for part in inline(tokens)) == " ".join(said.split())


@given(said=st.text())
def test_any_text_reads_as_it_is(said: str) -> None:
    for before in ("## 1. ", "   - x: "):
        tokens = PARSER.parse(before + plain("a" + said + "z"))
        read = "".join(part.content for part in inline(tokens))
        shown = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(f"a{said}z".split()))
        assert read == before.lstrip("#- ") + shown
        assert {part.type for part in inline(tokens)} <= {"text", "code_inline"}


@given(said=st.text())
def test_a_code_span_holds_any_text(said: str) -> None:
    shown = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(said.split()))
    parts = inline(PARSER.parse(code(said)))
    assert [(part.type, part.content) for part in parts] == ([("code_inline", shown)] if shown else [])


def test_addresses_do_not_become_links_on_github() -> None:
    # GitHub links these in plain text, unless the characters that it looks for are escaped or in a code span.
    assert plain("see http://e.org and WWW.e.org") == r"see http\://e.org and WWW\.e.org"
    assert plain("mail me@e.org, *now*") == "`mail me@e.org, *now*`"


def test_a_nasty_dialogue_has_the_blocks_of_a_plain_one() -> None:
    nasty = "\n\n# x <img src=x> [a](b)\n"
    turn = CURIE.turns[1]
    answer = Answer("literal", nasty, nasty)
    query = replace(turn.query, answers=(answer, answer))
    question = replace(turn.question, text=nasty + "?")
    seed = replace(CURIE.seed, label=nasty, type_label=nasty, iri="http://e.org/`<b>`")
    dialogue = replace(
        CURIE, seed=seed, turns=(CURIE.turns[0], replace(turn, utterance=nasty, question=question, query=query))
    )
    blocks, plain_blocks = (PARSER.parse(text(write, one)) for one in (dialogue, CURIE))
    assert [token.type for token in blocks] == [token.type for token in plain_blocks]
    assert {part.type for part in inline(blocks)} == {"text", "code_inline"}
