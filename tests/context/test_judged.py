from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.context.judged import add, read
from chattygen.errors import ConfigError

LAKE, RIVER = "http://e.org/Lake", "http://e.org/River"
DEPTH, NAME = "http://e.org/depth", 'http://e.org/a"b'


def test_what_is_added_is_read_and_a_persons_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "interest.toml"
    assert read(path) == {}
    add(path, LAKE, {DEPTH: 1.0, NAME: 0.5}, {DEPTH: "depth", NAME: "odd\nname"})
    mine = path.read_text(encoding="utf-8").replace("= 1  # depth", "= 0.25  # mine")
    path.write_text(mine, encoding="utf-8")
    add(path, RIVER, {DEPTH: 1.0}, {})
    add(path, LAKE, {"http://e.org/area": 0.5}, {})
    assert read(path) == {LAKE: {DEPTH: 0.25, NAME: 0.5, "http://e.org/area": 0.5}, RIVER: {DEPTH: 1.0}}
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Would a person ask about it?")
    assert f'"{LAKE}"."{DEPTH}" = 0.25  # mine\n' in text
    assert "= 0.5  # odd name\n" in text


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f'"{LAKE}"."{DEPTH}" = 2', "less than or equal to 1"),
        (f'"{LAKE}"."{DEPTH}" = "yes"', "valid number"),
        (f'"{LAKE}" = 1', "valid dictionary"),
        ("= 1", "mend the line"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "interest.toml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError) as found:
        read(path)
    assert str(path) in found.value.message
    assert told in found.value.message + found.value.hint
