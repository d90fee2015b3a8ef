"""A judge: what it is asked, which replies count, what is written down and what is not asked twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as changed

import pytest

from chattygen.domain import Call
from chattygen.errors import CallError
from chattygen.evaluation.judge import About, Judge, ask, one_of_each
from chattygen.evaluation.prompting import prompt_hash, render
from chattygen.generation.gbnf import to_regex
from chattygen.models.scripted import Rule, ScriptedModel

CHOICES = [["fluency: 1", "fluency: 2"], ["clarity: 1", "clarity: 2"]]


@dataclass
class Book:
    """Writes calls down and remembers those with a reply, as the recorder does."""

    written: list[tuple[Call, About]] = field(default_factory=list)

    def recall(self, call: Call) -> Call | None:
        found = [one for one, _ in self.written if one.request == call.request and not one.error]
        return changed(found[0], reused=True) if found else None

    def record(self, call: Call, about: About) -> None:
        self.written.append((call, about))


def judge(book: Book, *rules: Rule, context: int = 8192) -> Judge:
    return Judge(ScriptedModel("judy", rules, context, "v1"), book.recall, book.record)


def put(asked: Judge, first: str = "When?") -> tuple[str | None, ...]:
    return ask(asked, "compare", About("d1", "d2"), CHOICES, first=[first], second=["Where?"]).words


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("fluency: 1\nclarity: 2", ("fluency: 1", "clarity: 2")),
        (" fluency: 2 \nclarity: 1\n", ("fluency: 2", "clarity: 1")),
        ("fluency: 3\nclarity: 2", (None, "clarity: 2")),
        ("clarity: 2\nfluency: 1", (None, None)),
        ("fluency: 1", (None, None)),
        ("fluency: 1\nclarity: 2\nvariety: 1", (None, None)),
        ("fluency: 1\n\nclarity: 2", (None, None)),
        ("The first, clearly!", (None, None)),
        ("", (None, None)),
    ],
)
def test_only_the_allowed_words_count(reply: str, words: tuple[str | None, ...]) -> None:
    book = Book()
    assert put(judge(book, Rule(reply))) == words
    assert [call.reply for call, _ in book.written] == [reply], "what it said is kept, whatever it is"


def test_a_call_is_written_down_whole() -> None:
    book = Book()
    put(judge(book, Rule("fluency: 1\nclarity: 2", finish="length")))
    [(call, about)] = book.written
    assert about == About("d1", "d2", None)
    assert (call.stage, call.role, call.model, call.revision) == ("compare", "judge", "judy", "v1")
    assert call.prompt_hash == prompt_hash("compare")
    assert call.messages == render("compare", first=["When?"], second=["Where?"])
    assert (
        call.constraint
        == 'root ::= l1 "\\n" l2\nl1 ::= ("fluency: 1" | "fluency: 2")\nl2 ::= ("clarity: 1" | "clarity: 2")\n'
    )
    assert (call.temperature, call.finish, call.error, call.reused) == (0.0, "length", "", False)
    assert call.completion_tokens == 5  # 21 characters, four to a token


def test_what_was_answered_is_not_asked_again() -> None:
    book = Book()
    asked = judge(book, Rule("fluency: 1\nclarity: 1"), Rule("fluency: 2\nclarity: 2"))
    assert put(asked) == ("fluency: 1", "clarity: 1")
    assert put(asked) == ("fluency: 1", "clarity: 1")
    assert put(asked, first="Who?") == ("fluency: 2", "clarity: 2")
    assert len(book.written) == 2


def test_a_call_that_fails_is_written_down_and_made_again() -> None:
    book = Book()
    asked = judge(book, Rule("no room", finish="error"), Rule("fluency: 1\nclarity: 1"))
    with pytest.raises(CallError, match="no room"):
        put(asked)
    assert put(asked) == ("fluency: 1", "clarity: 1")
    assert [(call.finish, call.error) for call, _ in book.written] == [
        ("error", "the call to judy failed: no room"),
        ("stop", ""),
    ]


def test_what_does_not_fit_is_not_sent() -> None:
    book = Book()
    # 1,024 tokens for the reply and 64 for the chat template leave 3,912.
    asked = judge(book, Rule("fluency: 1\nclarity: 1"), context=5000)
    long = ask(asked, "compare", About("d1", "d2"), CHOICES, first=["a" * 4 * 3912], second=["Where?"])
    assert (long.words, long.call, book.written) == ((None, None), None, [])
    assert put(asked, first="a" * 4 * 3000) == ("fluency: 1", "clarity: 1")


def test_the_grammar_allows_one_word_a_line() -> None:
    constraint = one_of_each([["right", "asks-else"], ["1", "2"]])
    allowed = to_regex(constraint.grammar)
    assert allowed.fullmatch("right\n2")
    assert not any(allowed.fullmatch(text) for text in ("right", "right\n3", "2\nright", "right\n2\n", "Right\n1"))
    assert (constraint.lines, constraint.choices) == (2, (("right", "asks-else"), ("1", "2")))
