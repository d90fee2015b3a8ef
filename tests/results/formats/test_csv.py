"""CSV: its rows, and that any text comes back as it was."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from chattygen.results.formats.csv import write
from tests.results.formats.made import ADA, CURIE, SHIP, stored, text
from tests.results.test_export import dialogues

XSD = "http://www.w3.org/2001/XMLSchema#"


def rows(written: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written, newline=""), strict=True))


def test_a_row_a_turn() -> None:
    made = rows(text(write, CURIE, SHIP))
    assert [(row["dialogue"][-2:], row["n"]) for row in made] == [("-1", "1"), ("-1", "2"), ("-2", "1"), ("-2", "2")]
    assert list(made[1].items()) == [
        ("dialogue", "nobel-20261130-101502-3f2a-1"),
        ("n", "2"),
        ("seed_iri", "http://example.org/marie"),
        ("seed_label", "Marie Curie"),
        ("seed_type", "http://example.org/Laureate"),
        ("seed_type_label", "laureate"),
        ("seed_bucket", "head"),
        ("utterance", "Which prizes did she receive?"),
        ("standalone", "Which prizes did Marie Curie receive?"),
        ("kind", "which"),
        ("predicate", "http://example.org/laureate"),
        ("direction", "in"),
        ("sparql", "SELECT ?v WHERE { ?v <http://example.org/laureate> <http://example.org/marie> }"),
        ("query_origin", "model"),
        (
            "answers",
            '[{"type": "uri", "value": "http://example.org/chemistry1911", "label": "Chemistry 1911", "datatype": "",'
            ' "lang": ""}, {"type": "uri", "value": "http://example.org/physics1903", "label": "Physics 1903",'
            ' "datatype": "", "lang": ""}]',
        ),
        ("answer_labels", "Chemistry 1911 | Physics 1903"),
        ("answer_count", "2"),
        ("answers_complete", "true"),
        ("kg", "nobel"),
        ("kg_fingerprint", "f00d"),
        ("run", "nobel-20261130-101502-3f2a"),
        ("language", "en"),
        ("approach", "multi-stage"),
        ("serialisation", "summarised"),
        ("seed_said", ""),
        (
            "facts",
            '[{"subject": null, "predicate": "http://example.org/laureate", "object": "http://example.org/marie",'
            ' "direction": "in"}]',
        ),
        ("flow", "reference"),
        ("refers_to", ""),
        ("answerable", "true"),
    ]
    assert made[2]["seed_bucket"] == ""


def test_kinds_and_flow() -> None:
    made = rows(text(write, ADA))
    assert [(row["flow"], row["refers_to"], row["answerable"]) for row in made] == [
        ("opening", "", "true"),
        ("follow-up", "1", "true"),
        ("return", "", "true"),
        ("reference", "", "true"),
        ("ellipsis", "4", "true"),
        ("reference", "", "false"),
    ]
    assert (made[2]["predicate"], made[2]["answer_labels"]) == ("http://example.org/birthplace", "no")
    assert json.loads(made[1]["facts"])[1] == {
        "subject": None,
        "predicate": "http://example.org/birthplace",
        "object": None,
        "direction": "out",
    }
    assert (made[5]["answers"], made[5]["answer_labels"], made[5]["answer_count"]) == ("[]", "", "0")


def test_without_standalone_the_column_is_gone() -> None:
    with_, without = rows(text(write, CURIE)), rows(text(write, CURIE, standalone=False))
    assert [{name: row[name] for name in row if name != "standalone"} for row in with_] == without
    assert "Which prizes did Marie Curie receive?" not in text(write, CURIE, standalone=False)


def test_lines_end_as_rfc_4180_says_and_a_formula_is_left_as_it_is() -> None:
    turn = CURIE.turns[0]
    written = text(write, replace(CURIE, turns=(replace(turn, utterance='=1+1, "so\nto say"'),)))
    assert ',"=1+1, ""so\nto say""",' in written
    assert written.startswith("dialogue,n,seed_iri,")
    unquoted = re.sub('"[^"]*"', "", written)
    assert unquoted.count("\r\n") == 2
    assert "\n" not in unquoted.replace("\r\n", "")


# Every pair of a header and a first row must survive, also one that begins like a formula or holds only a line break.
nasty = st.text(max_size=12) | st.sampled_from(['=HYPERLINK("x")', "\r", "\n", '"', ",", "\ufeff", "\x00", " a "])


@given(made=dialogues(), said=nasty, label=nasty)
def test_any_text_comes_back(made: tuple[object, object], said: str, label: str) -> None:
    dialogue = stored(made[1])  # type: ignore[arg-type]
    first = replace(dialogue.turns[0], utterance=said)
    dialogue = replace(dialogue, seed=replace(dialogue.seed, label=label), turns=(first, *dialogue.turns[1:]))
    for row, turn in zip(rows(text(write, dialogue)), dialogue.turns, strict=True):
        assert (row["seed_iri"], row["seed_label"]) == (dialogue.seed.iri, label)
        assert (row["seed_type"], row["seed_type_label"]) == (dialogue.seed.node_type, dialogue.seed.type_label)
        assert (row["utterance"], row["standalone"]) == (turn.utterance, turn.question.text)
        assert (row["sparql"], row["predicate"]) == (turn.query.sparql, turn.question.fact.predicate)
        assert json.loads(row["answers"]) == [vars(answer) for answer in turn.query.answers]
        assert row["answers_complete"] == ("true" if turn.query.complete else "false")
        assert (row["flow"], row["refers_to"]) == (turn.flow, str(turn.refers_to or ""))
        assert len(json.loads(row["facts"])) == (2 if turn.question.beyond else 1)
