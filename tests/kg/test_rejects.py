from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.errors import BadData
from chattygen.kg.lines import Cleaned, Reject
from chattygen.kg.rejects import Rejects

SOURCE = Path("dump.nt")


def bad(*numbers: int) -> Cleaned:
    return Cleaned(b"", tuple(Reject(number, 7, "no object", b"<a>\t<b> caf\xe9 .\r\n") for number in numbers))


def test_every_rejected_line_is_written_with_its_reason(tmp_path: Path) -> None:
    rejects = Rejects(tmp_path / "rejects.tsv", 100)
    rejects.add(SOURCE, Cleaned(b"", (), 2), 10)
    assert not (tmp_path / "rejects.tsv").exists()
    rejects.add(SOURCE, bad(11), 5)
    rejects.add(SOURCE, bad(16), 5)
    assert (rejects.lines, rejects.rejected, rejects.repaired) == (20, 2, 2)
    assert (tmp_path / "rejects.tsv").read_text() == (
        "file\tline\tcolumn\treason\ttext\n"
        "dump.nt\t11\t7\tno object\t<a>\t<b> caf\\xe9 .\n"
        "dump.nt\t16\t7\tno object\t<a>\t<b> caf\\xe9 .\n"
    )


def test_more_than_the_limit_is_an_error_once_the_share_means_something(tmp_path: Path) -> None:
    """1 % of 10,000 lines are 100."""
    rejects = Rejects(tmp_path / "rejects.tsv", 1)
    rejects.add(SOURCE, bad(*range(1, 101)), 9_999)
    rejects.add(SOURCE, Cleaned(b""), 1)
    with pytest.raises(BadData) as raised:
        rejects.add(SOURCE, bad(10_001), 1)
    assert raised.value.message == ("101 of 10,001 lines are bad, more than 1 %; the first: dump.nt:1:7: no object")
    assert "--max-bad" in raised.value.hint


def test_a_small_load_is_judged_at_its_end(tmp_path: Path) -> None:
    rejects = Rejects(tmp_path / "rejects.tsv", 10)
    rejects.add(SOURCE, bad(1), 1)
    with pytest.raises(BadData, match="1 of 1 lines are bad"):
        rejects.check()
    rejects.add(SOURCE, Cleaned(b""), 9)
    rejects.check()
