from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.config import Home
from chattygen.domain import Fact, Seed
from chattygen.generation import grammar
from chattygen.generation.asks import Ask, cue
from chattygen.generation.dialogue import turn_rule
from chattygen.generation.form import split
from chattygen.generation.gbnf import to_regex
from chattygen.generation.plain import plain_question
from chattygen.generation.queries import FORMS
from chattygen.generation.queries import cue as query_cue
from chattygen.generation.questions import openings
from chattygen.generation.wording import (
    reference,
)
from chattygen.models.model import Constraint

from .hand_made import around, nodes, question

NASTY = ('"', "\\", "\\n", "\n", "\r\n", "\0", "\x7f", "\x85", "\u2028", "[x]", "(", "{1,0}", "|", "?", "::=", "X", " ")
labels = st.lists(st.one_of(st.text(max_size=8), st.sampled_from(NASTY)), max_size=6).map("".join)


@pytest.mark.parametrize(
    "broken",
    [
        'root ::= "a"b"\n',  # a quotation mark that is not escaped
        'root ::= "a\\qb"\n',  # an unknown escape
        'root ::= "a\nb"\n',  # a line break inside
        'root ::= "a\0b"\n',  # the end of the text, for llama.cpp
        'root ::= ("a"\n',
        "root ::= l1\n",
        'root ::= "a"{1,0}\n',
        'root ::= "a\n',
    ],
)
def test_the_reader_of_these_tests_refuses_what_llama_cpp_does(broken: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        to_regex(broken)


@pytest.mark.parametrize(
    ("text", "gbnf"),
    [
        ("birth date: ", '"birth date: "'),
        ('say "aye" \\ go', '"say \\"aye\\" \\\\ go"'),
        ("a\nb", '"a b"'),
        ("a\0b", '"a b"'),
        ("[x]{1}(y)|?", '"[x]{1}(y)|?"'),
        ("Ærø é 東", '"Ærø é 東"'),
        ("", '""'),
    ],
)
def test_a_literal(text: str, gbnf: str) -> None:
    assert grammar.literal(text) == gbnf


def test_lines_are_asked_for_in_order() -> None:
    constraint = grammar.lines(['"a"', '"b"'])
    assert constraint == Constraint('root ::= l1 "\\n" l2\nl1 ::= "a"\nl2 ::= "b"\n', 2)
    allowed = to_regex(constraint.grammar)
    assert allowed.fullmatch("a\nb")
    assert not any(allowed.fullmatch(other) for other in ("b\na", "a", "a\nb\n", "ab", "a\n\nb"))


def test_a_choice_is_one_line_of_those_offered() -> None:
    constraint = grammar.choice(["given name", 'the "name"'])
    assert (constraint.lines, constraint.choices) == (1, (("given name", 'the "name"'),))
    allowed = to_regex(constraint.grammar)
    assert allowed.fullmatch('the "name"')
    assert not allowed.fullmatch("name")


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("When was X born?", True),
        ("On which date was X born?", True),
        ("Where was X born?", False),  # another opening
        ("When was she born?", False),  # no placeholder
        ("When was X born to X?", False),  # twice
        ("When? was X born?", False),
        ('When was "X" born?', False),
        ("When was\nX born?", False),
        ("When was\rX born?", False),
        ("When was X born", False),
        (f"When {'very ' * 13}did X die?", False),  # more than 60 characters before the name
    ],
)
def test_a_question_opens_as_told_and_names_the_entity_once(line: str, allowed: bool) -> None:
    rule = to_regex(grammar.lines([grammar.question(["When", "On which date"])]).grammar)
    assert bool(rule.fullmatch(line)) is allowed


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("When was she born?", True),
        ("When were the captain born?", True),
        ("When was she?", True),
        ("When did the captain go?", False),  # begins otherwise
        ("When was the she born?", False),
        ("Where was she born?", False),
        ("When was sheila born?", False),  # not a word of its own
        ("When was X born?", False),
        ("When was he born?", False),
        ("When was she born in the city of Oslo?", False),  # more at the end than there was
    ],
)
def test_a_later_turn_says_a_reference_as_a_word_of_its_own(line: str, allowed: bool) -> None:
    leads = ["When was", "When were"]
    rule = to_regex(grammar.lines([grammar.later_turn(leads, ["she", "the captain"], 10)]).grammar)
    assert bool(rule.fullmatch(line)) is allowed


def test_a_later_turn_without_room() -> None:
    rule = to_regex(grammar.lines([grammar.later_turn(["Who"], ["her"], 0)]).grammar)
    assert rule.fullmatch("Who her?")
    assert not rule.fullmatch("Who was her?")


@given(labels)
def test_a_literal_compiles_and_stays_on_one_line(text: str) -> None:
    allowed = to_regex(f"root ::= {grammar.literal(text)}\n")
    said = re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", " ", text)
    assert allowed.fullmatch(said)
    assert len(said.splitlines()) <= 1


@given(predicate=labels, value_type=labels, outward=st.booleans(), count=st.sampled_from([1, 2, 9]))
def test_the_rule_of_any_fact_compiles(predicate: str, value_type: str, outward: bool, count: int) -> None:
    values = nodes(*"abcdefgh"[:count]) if count < 9 else ()
    fact = Fact("http://e.org/p", predicate, "out" if outward else "in", values, count, "entity", value_type)
    ask = Ask(fact, "value" if values else "count")
    rule = grammar.literal(cue(ask)) + " " + grammar.question(openings(ask))
    constraint = grammar.lines([rule, rule])
    line = constraint.grammar.count("\n")
    assert line == 3  # root and two rules: nothing in a label adds a line
    said = re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]", " ", f"{cue(ask)}{openings(ask)[0]} is X?")
    assert to_regex(constraint.grammar).fullmatch(f"{said}\n{said}")
    assert len(split(f"{said}\n{said}")) == constraint.lines


@given(type_label=labels, predicate=labels, value_type=labels, outward=st.booleans())
def test_the_rule_of_any_later_turn_and_query_compiles(
    type_label: str, predicate: str, value_type: str, outward: bool
) -> None:
    fact = Fact("http://e.org/p", predicate, "out" if outward else "in", nodes("a"), 1, "entity", value_type)
    ref = reference(around(fact, seed=Seed("http://e.org/s", "Gull", "http://e.org/T", type_label)))
    asked = question(plain_question(Ask(fact, "value")), fact)
    query = grammar.literal(query_cue(asked)) + " " + grammar.any_of(tuple(FORMS.values()))
    constraint = grammar.lines([turn_rule(asked.pattern, ref), query])
    to_regex(constraint.grammar)


@pytest.mark.model
@pytest.mark.usefixtures("llama_cpp")
def test_llama_cpp_compiles_what_is_written_here(weights_home: Home, capfd: pytest.CaptureFixture[str]) -> None:
    """The real parser, in this process: here a grammar that does not compile is a null pointer and kills nothing."""
    import llama_cpp

    path = next(Path(weights_home.models, "smollm2-135m-instruct").glob("*.gguf"))
    options = llama_cpp.llama_model_default_params()
    options.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), options)
    vocabulary = llama_cpp.llama_model_get_vocab(model)

    def compiles(text: str) -> bool:
        sampler: ctypes.c_void_p | None = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
        if sampler:
            llama_cpp.llama_sampler_free(sampler)
        return bool(sampler)

    try:
        for nasty in (*NASTY, "".join(NASTY), 'say "aye" \\', "東京", "राम"):
            rules = [
                grammar.literal(nasty) + " " + grammar.question([nasty, "Who"]),
                grammar.later_turn([nasty, "Who"], ["it", f"the {nasty}"], 10, names=True),
                grammar.later_turn([nasty], [nasty], 0),
            ]
            assert compiles(grammar.lines(rules).grammar), nasty
        assert not compiles('root ::= "a\0b"\n')
    finally:
        llama_cpp.llama_model_free(model)
    capfd.readouterr()
