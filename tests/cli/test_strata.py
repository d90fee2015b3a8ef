"""describe-kg --strata and generate --strata, on the harbours of tests/data/harbours.ttl.

By density h1 is the head, h2 and h3 are the torso, h4 to h9 the tail.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chattygen import pipeline
from chattygen.cli.main import main
from chattygen.config import Home, RunSettings
from chattygen.context import strata
from chattygen.domain import Strata, Thresholds
from chattygen.errors import UsageError
from chattygen.kg import draws
from chattygen.kg.load import load
from chattygen.models.catalog import load_catalog
from chattygen.results.reader import Reader
from tests.context.test_popularity import HARBOURS, H, V
from tests.journeys.lakes import SILENT, fresh, make_home, write_script

HARBOUR = V + "Harbour"
BUCKET = {"h1": "head", "h2": "torso", "h3": "torso"} | {f"h{n}": "tail" for n in range(4, 10)}


@pytest.fixture(scope="module")
def shared(weights_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = make_home(tmp_path_factory.mktemp("harbours") / "home", weights_home)
    load(home, "harbours", [HARBOURS])
    return home


@pytest.fixture
def home(shared: Home, tmp_path: Path) -> Home:
    home = fresh(shared, tmp_path / "home")
    write_script(home.path, SILENT)
    return home


def call(home: Home, *words: str) -> int:
    """The exit code."""
    try:
        main([*words, "--home", str(home.path)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def generate(home: Home, *words: str) -> int:
    return call(home, "generate", "--kg", "harbours", "--questions", "3", *words)


def seeds(home: Home) -> list[tuple[str, str | None]]:
    """The name in the graph and the bucket of each seed that was accepted, in their order."""
    with closing(sqlite3.connect(home.database)) as connection:
        found = connection.execute("select iri, bucket from seed where status = 'accepted' order by id").fetchall()
    return [(iri.removeprefix(H), bucket) for iri, bucket in found]


def test_describe_shows_the_buckets_of_each_class(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(home, "describe-kg", "harbours", "--strata", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "harbours"
    assert told["strata"] == [
        {
            "node_type": HARBOUR,
            "measure": "density",
            "thresholds": {"head": 36, "torso": 16},
            "entities": {"head": 1, "torso": 2, "tail": 6},
            "left_out": 0,
            "method": "exact",
            "looked_at": 9,
            "error": 0.0,
            "between": {},
            "shares": {"head": 1 / 9, "torso": 2 / 9, "tail": 6 / 9},
        }
    ]
    # homePort 54, founder 10, depth and calls 9 each, opened 8: 90 in all, of which homePort is less than two thirds.
    assert told["predicates"]["entities"] == {"head": 0, "torso": 1, "tail": 4}
    assert told["predicates"]["thresholds"] == {"head": None, "torso": 54}

    assert call(home, "describe-kg", "harbours", "--strata") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "harbour head 1 11.1% 36" in lines
    assert "harbour torso 2 22.2% 16" in lines
    assert "harbour tail 6 66.7%" in lines
    assert "harbour: density, exact, all of 9" in lines
    assert (
        "predicates: triples, exact, all of 5; left out: 2 (they say of which class something is, or keep records)"
        in lines
    )
    assert "predicates torso 1 20.0% 54" in lines


def test_describe_by_traffic_and_before_a_year(
    home: Home, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def buckets(*words: str) -> dict[str, Any]:
        assert call(home, "describe-kg", "harbours", "--strata", "--json", *words) == 0
        [found] = json.loads(capsys.readouterr().out)["strata"]
        return {key: found[key] for key in ("measure", "entities", "left_out")}

    assert buckets("--popularity", V + "calls") == {
        "measure": V + "calls",
        "entities": {"head": 1, "torso": 2, "tail": 6},
        "left_out": 0,
    }
    assert buckets("--before", "1900", "--date-predicate", V + "opened") == {
        "measure": "density",
        "entities": {"head": 0, "torso": 2, "tail": 3},
        "left_out": 4,
    }
    monkeypatch.chdir(tmp_path)
    Path("views.tsv").write_text(f"entity\tviews\n{H}h5\t2\n{H}h6\t1\n{H}h7\t3\n{H}h8\t3\n")
    # Of 9 the threes are 6: two thirds, so torso.
    assert buckets("--popularity", "views.tsv") == {
        "measure": str(tmp_path / "views.tsv"),
        "entities": {"head": 0, "torso": 2, "tail": 2},
        "left_out": 5,
    }


def test_an_estimate_says_how_far_it_may_be_off(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "PART", 8)
    monkeypatch.setattr(strata, "EXACT", 8)
    assert call(home, "describe-kg", "harbours", "--strata", "--json") == 0
    [found] = json.loads(capsys.readouterr().out)["strata"]
    assert found["method"] == "estimated"
    assert found["error"] == 1.0
    assert found["looked_at"] < 9
    assert call(home, "describe-kg", "harbours", "--strata") == 0
    shown = capsys.readouterr().out
    assert f"harbour: density, estimated from {found['looked_at']} random entities; with 95 % confidence" in shown


def test_equal_numbers_from_each_bucket(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Of six dialogues each bucket owes two. The head has one harbour, so its other one is of the torso; that has two,
    so it is of the tail.
    """
    assert generate(home, "--dialogues", "6", "--strata", "head,torso,tail", "--json", "--quiet") == 0
    run = json.loads(capsys.readouterr().out)["run"]
    made = seeds(home)
    assert all(BUCKET[name] == bucket for name, bucket in made)
    assert sorted(bucket for _, bucket in made if bucket) == ["head", "tail", "tail", "tail", "torso", "torso"]
    with Reader(home.database) as reader:
        assert reader.strata(run) == (
            Strata(HARBOUR, "density", Thresholds(36, 16), {"head": 1, "torso": 2, "tail": 6}, 0, "exact", 9),
        )
    assert call(home, "export", run, "--to", "jsonl") == 0
    exported = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [dialogue["seed"]["bucket"] for dialogue in exported] == [bucket for _, bucket in made]


def test_only_some_buckets_by_traffic(home: Home) -> None:
    words = ("--dialogues", "2", "--strata", "torso,head", "--popularity", V + "calls", "--quiet")
    assert generate(home, *words) == 0
    made = dict(seeds(home))
    assert made.pop("h9") == "head"
    assert list(made.values()) == ["torso"]
    assert set(made) < {"h7", "h8"}


def test_newer_harbours_are_no_seeds_and_a_run_that_is_out_of_entities_is_short(home: Home) -> None:
    words = ("--strata", "head,torso,tail", "--before", "1900", "--date-predicate", V + "opened", "--quiet")
    assert generate(home, "--dialogues", "9", *words) == 3
    assert dict(seeds(home)) == {"h1": "torso", "h2": "torso", "h3": "tail", "h5": "tail", "h6": "tail"}
    with Reader(home.database) as reader:
        assert reader.run("latest").reason.endswith("no other entity of these buckets has 3 facts to ask about")


def test_without_strata_seeds_have_no_bucket(home: Home) -> None:
    assert generate(home, "--dialogues", "2", "--quiet") == 0
    assert [bucket for _, bucket in seeds(home)] == [None, None]
    with closing(sqlite3.connect(home.database)) as connection:
        assert connection.execute("select count(*) from stratum").fetchone() == (0,)


def test_the_plan_shows_the_buckets(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--dialogues", "7", "--strata", "head,torso,tail", "--plan")
    assert generate(home, *words, "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["wanted"] == {HARBOUR: 7}
    assert plan["by_bucket"] == {HARBOUR: {"head": 3, "torso": 2, "tail": 2}}
    assert plan["strata"][0]["entities"] == {"head": 1, "torso": 2, "tail": 6}
    assert plan["run"]["strata"] == ["head", "torso", "tail"]
    assert generate(home, *words) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "harbour head 1 11.1% 36 3" in lines
    assert "harbour tail 6 66.7% 2" in lines
    assert "seeds from head, torso, tail" in lines
    assert not home.database.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--strata", "head,middle"), "--strata head,middle: not buckets, each once"),
        (("--strata", "head,head"), "--strata head,head: not buckets, each once"),
        (("--popularity", "density"), "--popularity, --before and --date-predicate need --strata"),
        (("--before", "1900", "--date-predicate", V + "opened"), "--popularity, --before and --date-predicate need"),
        (("--strata", "tail", "--before", "1900"), "--before needs --date-predicate"),
        (("--strata", "tail", "--popularity", "views.tsv"), "popularity views.tsv: neither a file nor an IRI"),
        (("--strata", "tail", "--popularity", V + "none"), "the graph has no such predicate"),
    ],
)
def test_wrong_use_is_two_lines(
    home: Home, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert generate(home, *words) == 2
    what, hint = capsys.readouterr().err.splitlines()[-2:]
    assert said in what
    assert hint.startswith("  ")
    assert not home.database.exists()


def test_describe_needs_strata_too(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(home, "describe-kg", "harbours", "--popularity", V + "calls") == 2
    assert "need --strata" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------------------
# A run that is stopped


def stopped(home: Home, dialogues: int, **settings: Any) -> str:
    """A run of six dialogues that is stopped once so many are finished."""
    from threading import Event

    stop = Event()
    catalog = load_catalog(home)
    roles = {str(role): name for role, name in catalog.roles("cpu").items()}
    run = RunSettings("harbours", 6, 3, cohort=1, strata=("head", "torso", "tail"), **settings)

    def tell(progress: pipeline.Progress) -> None:
        if progress.done == dialogues:
            stop.set()

    outcome = pipeline.generate(home, run, catalog, roles, stop=stop, tell=tell)
    assert outcome.status == ("interrupted" if dialogues < 6 else "done")
    return outcome.run


def test_a_resumed_run_goes_on_with_the_same_seeds(home: Home, shared: Home, tmp_path: Path) -> None:
    run = stopped(home, 2)
    assert len(seeds(home)) == 2
    assert call(home, "resume", run, "--quiet") == 0
    other = fresh(shared, tmp_path / "other")
    write_script(other.path, SILENT)
    stopped(other, 6)
    assert seeds(home) == seeds(other)
    with Reader(home.database) as reader:
        assert len(reader.strata(run)) == 1


def test_a_run_whose_buckets_were_estimated_goes_on_with_the_estimate(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "PART", 8)
    monkeypatch.setattr(strata, "EXACT", 8)
    monkeypatch.setattr(strata, "LOOKED_THROUGH", 15)  # all of them
    run = stopped(home, 2)
    with Reader(home.database) as reader:
        [before] = reader.strata(run)
    assert before.method == "estimated"
    begun = seeds(home)
    monkeypatch.setattr(strata, "EXACT", 99)
    assert call(home, "resume", run, "--quiet") == 0
    with Reader(home.database) as reader:
        assert reader.strata(run) == (before,)
    made = seeds(home)
    assert made[:2] == begun
    assert len(dict(made)) == 6
    by_density = {name: 36 if name == "h1" else 20 if name == "h2" else 16 if name == "h3" else 6 for name in BUCKET}
    assert all(strata.bucket_of(by_density[name], before.thresholds) == bucket for name, bucket in made)


def test_a_run_does_not_go_on_with_other_scores(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "views.tsv"
    file.write_text("".join(f"{H}h{n}\t{n}\n" for n in range(1, 10)))
    run = stopped(home, 1, popularity=str(file))
    file.write_text(f"{H}h1\t1\n")
    with pytest.raises(UsageError, match="is gone, or has other scores now"):
        pipeline.resume(home, run, load_catalog(home))
    file.write_text("".join(f"{H}h{n}\t{n}\n" for n in range(1, 10)))
    assert pipeline.resume(home, run, load_catalog(home)).dialogues == 6
