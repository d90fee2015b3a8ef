"""The file of wordings: what is read is what a person wrote, and what breaks a rule is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from chattygen.errors import ConfigError
from chattygen.generation.asks import Ask
from chattygen.generation.phrasings import HEADER, Key, Phrasing, Wording, add, key_of, read

from .hand_made import ADA, BORN, FRIENDS, MEDALS, SEA, around

EDITED = """
# my own remark
[[phrasing]]
type = "http://example.org/sea/Captain"
predicate = "http://example.org/sea/birthDate"
direction = "out"
form = "value"
wordings = [
    { question = "On which day was X born?", later = ["On which day was {ref} born?"] },
]
"""

DEATH = Phrasing(
    type=ADA.node_type,
    predicate=SEA + "deathDate",
    direction="out",
    form="value",
    about='death date of X: a "date"',
    wordings=(Wording(question="When did X die?", later=("When did {ref} die?",), origin="model", model="small"),),
)


def written(folder: Path, wording: str) -> Path:
    """The edited file with another wording."""
    path = folder / "mine.toml"
    before, _, after = EDITED.partition(
        '{ question = "On which day was X born?", later = ["On which day was {ref} born?"] }'
    )
    path.write_text(before + wording + after, encoding="utf-8")
    return path


def test_a_wording_that_a_person_wrote(tmp_path: Path) -> None:
    path = tmp_path / "phrasings.toml"
    path.write_text(EDITED, encoding="utf-8")
    assert read(path) == {
        Key(ADA.node_type, SEA + "birthDate", "out", "value"): Phrasing(
            type=ADA.node_type,
            predicate=SEA + "birthDate",
            direction="out",
            form="value",
            wordings=(
                Wording(question="On which day was X born?", later=("On which day was {ref} born?",), origin="person"),
            ),
        )
    }


def test_new_phrasings_are_added_behind_what_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "phrasings.toml"
    path.write_text(EDITED, encoding="utf-8")
    add(path, [DEATH])
    assert path.read_text(encoding="utf-8") == EDITED + (
        """
[[phrasing]]
type = "http://example.org/sea/Captain"
predicate = "http://example.org/sea/deathDate"
direction = "out"
form = "value"
about = "death date of X: a \\"date\\""
wordings = [
    { question = "When did X die?", later = ["When did {ref} die?"], origin = "model", model = "small" },
]
"""
    )
    assert list(read(path).values())[1] == DEATH


def test_a_new_file_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "phrasings.toml"
    left_out = Phrasing(type="t", predicate="p", direction="in", form="count", reason="Q8: asks for \x7f something")
    add(path, [left_out])
    assert path.read_text(encoding="utf-8").startswith(HEADER)
    assert read(path) == {Key("t", "p", "in", "count"): left_out}
    assert [file.name for file in tmp_path.iterdir()] == ["phrasings.toml"]


@pytest.mark.parametrize(
    ("wording", "key", "rule"),
    [
        ('{ question = "When was she born?" }', "question", "Q1"),
        ('{ question = "Was X born when X was?" }', "question", "Q1"),
        ('{ question = "When was {ref} born to X?" }', "question", "Q1"),
        ('{ question = "When was X born" }', "question", "Q4"),
        ('{ question = "When? Was X born?" }', "question", "Q4"),
        ('{ question = "When she was born, what was X?" }', "question", "Q6"),
        ('{ question = "When was X born?", later = ["When was she born?"] }', "later", "D4"),
        ('{ question = "When was X born?", later = ["When was {ref} born to X?"] }', "later", "D3"),
        ('{ question = "When was X born?", later = ["{ref} when?"] }', "later", "D5"),
        ('{ question = "When was X born?", later = ["When was {ref} born"] }', "later", "D5"),
    ],
)
def test_a_wording_that_breaks_a_rule(tmp_path: Path, wording: str, key: str, rule: str) -> None:
    path = written(tmp_path, wording)
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert caught.value.message.startswith(f"{path}: key phrasing.0.wordings.0.{key}: got ")
    assert rule in caught.value.hint


def test_two_tables_for_one_key(tmp_path: Path) -> None:
    path = tmp_path / "twice.toml"
    path.write_text(EDITED + EDITED, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert "two for http://example.org/sea/Captain http://example.org/sea/birthDate out value" in caught.value.hint


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "none.toml")


def test_the_key_tells_one_value_from_several_and_from_their_number() -> None:
    tested = Ask(BORN, "yes-no", tested=BORN.values[0])
    asks = (Ask(BORN, "value"), Ask(FRIENDS, "value"), Ask(FRIENDS, "count"), tested)
    keys = [key_of(around(BORN), ask) for ask in asks]
    assert [key.form for key in keys if key] == ["value", "values", "count", "yes-no"]
    assert key_of(around(MEDALS), Ask(MEDALS, "count")) == Key(ADA.node_type, SEA + "medal", "out", "count")


@pytest.mark.parametrize(
    ("question", "later", "right"),
    [
        ("Was Y the mentor of X?", "Was Y {ref}'s mentor?", True),
        ("Was Bo the mentor of X?", "Was Y {ref}'s mentor?", False),
        ("Was Y the mentor of X?", "Was Bo {ref}'s mentor?", False),
        ("Was Y or Y the mentor of X?", "Was Y {ref}'s mentor?", False),
    ],
)
def test_a_yes_no_question_has_a_place_for_what_it_tests(question: str, later: str, right: bool) -> None:
    table = {"type": "http://e.org/T", "predicate": "http://e.org/p", "direction": "out", "form": "yes-no"}
    table |= {"wordings": [{"question": question, "later": [later]}]}
    if right:
        assert Phrasing.model_validate(table).wordings[0].question == question
        return
    with pytest.raises(ValidationError, match="Q10"):
        Phrasing.model_validate(table)
