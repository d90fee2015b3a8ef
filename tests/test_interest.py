"""What a model judges dull is asked last, once and for all runs, on real Oxigraph: see tests/test_reuse.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chattygen import pipeline
from chattygen.config import Home, RunSettings
from chattygen.errors import ConfigError
from chattygen.kg.folders import INTEREST
from chattygen.kg.load import load
from chattygen.models.catalog import load_catalog
from tests.journeys.lakes import GRAPH, able_model, make_home, write_models
from tests.test_pipeline import exported, rows


@pytest.fixture
def home(weights_home: Home, tmp_path: Path) -> Home:
    return make_home(tmp_path / "home", weights_home)


def generate(home: Home, **settings: Any) -> Any:
    catalog = load_catalog(home)
    roles = {str(role): name for role, name in catalog.roles("cpu").items()}
    run = RunSettings(**({"kg": "lakes", "dialogues": 6, "flow": NO_FLOW, "kinds": {}} | settings))
    return pipeline.generate(home, run, catalog, roles)


NO_FLOW = {"ellipsis": 0.0, "follow-up": 0.0, "unanswerable": 0.0}


def asked(dialogues: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The predicates that each dialogue asks about, by their last word."""
    return [[turn["fact"]["predicate"].rsplit("/", 1)[1] for turn in d["turns"]] for d in dialogues]


def test_what_the_model_calls_dull_comes_last(home: Home) -> None:
    """The model says so of depths and lengths; the lakes have enough other facts."""
    with able_model() as fake:
        write_models(home.path, fake.url)
        usual = generate(home, questions=3)
        judged = generate(home, questions=3, judge_interest=True)
        calls = len(rows(home, "select id from call where stage = 'interest'"))
        again = generate(home, questions=3, judge_interest=True, seed=1)
    assert any({"depth", "length"} & set(one) for one in asked(exported(home, usual.run)))
    dialogues = exported(home, judged.run)
    lakes = [d for d in dialogues if d["seed"]["type_label"] == "lake"]
    assert lakes
    assert not any("depth" in one for one in asked(lakes))
    assert calls == 3  # of lakes, rivers and islands
    assert len(rows(home, "select id from call where stage = 'interest'")) == calls
    assert again.status == "done"
    text = (home.kgs / "lakes" / INTEREST).read_text(encoding="utf-8")
    assert '/depth" = 0.5  # depth\n' in text
    assert '/region" = 1  # region\n' in text


def test_a_person_has_the_last_word_and_a_load_keeps_it(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        generate(home, questions=3, judge_interest=True)
        file = home.kgs / "lakes" / INTEREST
        mine = file.read_text(encoding="utf-8").replace('/region" = 1 ', '/region" = 0 ')
        mine = mine.replace('/depth" = 0.5', '/depth" = 1.0')
        file.write_text(mine, encoding="utf-8")
        load(home, "lakes", [GRAPH], replace=True)
        outcome = generate(home, questions=3, judge_interest=True)
        predicates = [name for one in asked(exported(home, outcome.run)) for name in one]
    assert file.read_text(encoding="utf-8") == mine
    assert "region" not in predicates
    assert "depth" in predicates


def test_a_bad_file_is_refused_before_anything_starts(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        (home.kgs / "lakes" / INTEREST).write_text("a = 1\n", encoding="utf-8")
        with pytest.raises(ConfigError, match="interest"):
            generate(home, judge_interest=True)
        assert fake.requests == []
        assert generate(home).status == "done"
