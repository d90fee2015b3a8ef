"""JSON lines with and without standalone forms; tests/results/test_export.py has the fields."""

from __future__ import annotations

import json
from importlib import resources

from jsonschema import Draft202012Validator

from chattygen.results.formats.jsonl import write
from tests.results.formats.made import CURIE, SHIP, text


def schema() -> Draft202012Validator:
    return Draft202012Validator(
        json.loads(resources.files("chattygen.results").joinpath("dialogue.schema.json").read_text(encoding="utf-8"))
    )


def test_without_standalone_only_these_are_gone() -> None:
    lines = [json.loads(line) for line in text(write, CURIE, SHIP, standalone=False).splitlines()]
    full = [json.loads(line) for line in text(write, CURIE, SHIP).splitlines()]
    order = ["n", "utterance", "kind", "fact", "sparql", "query_origin", "answers", "answer_count", "answers_complete"]
    order += ["facts", "flow", "refers_to", "answerable"]
    assert [list(turn) for line in lines for turn in line["turns"]] == [order] * 4
    for line in full:
        for turn in line["turns"]:
            del turn["standalone"]
    assert lines == full


def test_the_schema_takes_all_standalone_forms_or_none() -> None:
    line = json.loads(text(write, CURIE))
    assert schema().is_valid(line)
    del line["turns"][0]["standalone"]
    assert not schema().is_valid(line)
    del line["turns"][1]["standalone"]
    assert schema().is_valid(line)
    assert schema().is_valid(json.loads(text(write, CURIE, standalone=False)))
