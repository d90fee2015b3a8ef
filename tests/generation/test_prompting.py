from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import jinja2
import pytest

from chattygen.domain import Finding
from chattygen.generation.prompting import prompt_hash, render
from chattygen.generation.stages import STAGES

NOTHING: dict[str, dict[str, object]] = {
    "label": {"type": "captain", "being": True, "examples": ['"Ada Berg"'], "options": [], "again": False},
    "interest": {"type": "captain", "facts": [], "again": False},
    "questions": {"type": "captain", "facts": [], "findings": [], "again": False},
    "queries": {"items": [], "findings": [], "again": False, "ordered": False},
    "dialogue": {"references": [], "questions": [], "findings": [], "again": False},
    "single_prompt": {
        "type": "captain",
        "references": [],
        "facts": [],
        "count": 3,
        "findings": [],
        "again": False,
    },
}


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES if not stage.prompt])
def test_the_instruction_comes_first_and_does_not_change_with_the_seed(stage: str) -> None:
    (role, instruction), (asked_by, text) = render(stage, **NOTHING[stage])
    assert (role, asked_by) == ("system", "user")
    assert len(instruction) > 40
    source = files("chattygen.generation").joinpath("prompts", f"{stage}.jinja").read_text(encoding="utf-8")
    assert source.startswith(instruction)
    assert "---" not in text
    assert "{%" not in text


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES if not stage.prompt])
def test_a_variable_that_nobody_set_is_an_error(stage: str) -> None:
    for missing in NOTHING[stage]:
        with pytest.raises(jinja2.UndefinedError, match=missing):
            render(stage, **{key: value for key, value in NOTHING[stage].items() if key != missing})


def test_text_of_the_graph_is_no_template() -> None:
    text = render("questions", type="{{ 7 * 7 }}", facts=["{% raise %} <b> & 'x'"], findings=[], again=False)[1][1]
    assert "{{ 7 * 7 }}" in text
    assert "{% raise %} <b> & 'x'" in text
    assert "49" not in text


@pytest.mark.parametrize("stage", ["questions", "queries", "dialogue", "single_prompt"])
def test_findings_are_told(stage: str) -> None:
    found = [Finding("Q4", "there is no question mark", "When was X born")]
    text = render(stage, **{**NOTHING[stage], "findings": found})[1][1]
    assert "there is no question mark" in text
    assert "there is no question mark" not in render(stage, **NOTHING[stage])[1][1]


def test_the_facts_stand_in_the_given_order_one_per_line() -> None:
    text = render(
        "questions", type="captain", facts=["rank of X: a text", "crew of X: a number"], findings=[], again=False
    )[1][1]
    lines = text.splitlines()
    assert lines.index("crew of X: a number") == lines.index("rank of X: a text") + 1


def test_a_prompt_is_known_by_its_hash() -> None:
    hashes = {prompt_hash(stage.name) for stage in STAGES if not stage.prompt}
    assert len(hashes) == len([stage for stage in STAGES if not stage.prompt])
    assert all(re.fullmatch(r"[0-9a-f]{12}", each) for each in hashes)
    file = files("chattygen.generation").joinpath("prompts", "label.jinja").read_bytes()
    assert prompt_hash("label") == hashlib.sha256(file).hexdigest()[:12]
