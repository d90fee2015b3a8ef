"""From a graph to a benchmark to what a system knows of it, command by command, with a scripted model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chattygen.config import Home
from tests.journeys.lakes import SILENT, write_script
from tests.journeys.test_main_job import call


def test_generate_evaluate_report(home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The oracle knows all that the builder asks; the model that says nothing is missing everywhere."""
    write_script(home.path, SILENT)
    assert call(home, "generate", "--kg", "lakes", "--dialogues", "6", "--questions", "3", "--json") == 0
    run = json.loads(capsys.readouterr().out.splitlines()[-1])["run"]
    assert call(home, "evaluate", run, "--model", "script", "--history", "own") == 0
    assert call(home, "evaluate", run, "--model", "script", "--prompt", "in-domain", "--repeat", "2") == 0
    capsys.readouterr()
    assert call(home, "report", run, "--json") == 0
    told = json.loads(capsys.readouterr().out)["evaluations"]
    assert [one["system"] for one in told] == ["oracle", "unsure", "majority", "script", "script"]
    oracle, unsure, majority, *silent = told
    for metric in ("EM", "F1", "RL"):
        assert oracle["all"]["accurate"][metric]["value"] == 1.0
        assert oracle["all"]["hallucinated"][metric]["value"] == 0.0
        for one in told:
            rates = one["all"]
            parts = (rates["accurate"][metric], rates["hallucinated"][metric], rates["missing"])
            assert sum(part["value"] for part in parts) == pytest.approx(1)
    assert [one["all"]["missing"]["value"] for one in (oracle, unsure, *silent)] == [0.0, 1.0, 1.0, 1.0]
    assert [one["all"]["rows"] for one in told] == [18] * 5
    assert silent[1]["changed"]["value"] == 0.0
    assert (oracle["repeats"], silent[1]["repeats"]) == (1, 2)
    # Regions are shared by many lakes and rivers, so some guesses are right.
    assert 0 < majority["all"]["accurate"]["EM"]["value"] < 1

    page = tmp_path / "report.html"
    assert call(home, "report", run, "--html", str(page)) == 0
    assert "Table 7: the same system, asked otherwise" in page.read_text(encoding="utf-8")
