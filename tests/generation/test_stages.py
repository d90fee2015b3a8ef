from __future__ import annotations

from importlib.resources import files

from chattygen.generation.stages import DIALOGUE, LABEL, QUERIES, QUESTIONS, SINGLE_PROMPT, STAGES


def test_the_stages_in_their_order() -> None:
    assert [stage.name for stage in STAGES] == [
        "label",
        "interest",
        "questions",
        "queries",
        "dialogue",
        "single_prompt",
        "phrasing",
    ]
    assert [stage.role for stage in STAGES] == [
        *("label", "label", "questions", "sparql", "dialogue", "questions", "questions")
    ]


def test_every_rule_of_the_design_belongs_to_a_stage() -> None:
    reply = {"P1", "P2", "P3", "P4", "P5"}
    assert set(LABEL.rules) == reply
    assert set(QUESTIONS.rules) - reply == {f"Q{n}" for n in range(1, 12)}
    assert set(QUERIES.rules) - reply == {f"S{n}" for n in range(1, 7)}
    assert set(DIALOGUE.rules) - reply == {f"D{n}" for n in range(1, 13)}
    assert set(SINGLE_PROMPT.rules) == {*QUESTIONS.rules, *QUERIES.rules, *DIALOGUE.rules}
    assert all(reply <= set(stage.rules) for stage in STAGES)
    assert all(len(stage.rules) == len(set(stage.rules)) for stage in STAGES)


def test_every_stage_has_a_prompt_and_every_prompt_a_stage() -> None:
    prompts = files("chattygen.generation").joinpath("prompts").iterdir()
    assert {file.name for file in prompts} == {f"{stage.prompt or stage.name}.jinja" for stage in STAGES}
