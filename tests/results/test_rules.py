"""The few words about each rule: the same rules as in the documents, in the same order."""

from __future__ import annotations

import re

from chattygen.generation.stages import STAGES
from chattygen.results import rules
from tests.conftest import REPOSITORY


def test_every_documented_rule_is_explained_and_no_other() -> None:
    text = (REPOSITORY / "docs" / "rules.md").read_text(encoding="utf-8")
    assert list(rules.RULES) == re.findall(r"^\| ([A-Z]\d+) \|", text, re.MULTILINE)
    assert {rule[0] for rule in rules.RULES} == set(rules.GROUPS)


def test_every_stage_has_a_name_for_table_4() -> None:
    assert list(rules.STAGES) == [stage.name for stage in STAGES]
