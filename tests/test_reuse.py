"""Phrasing once, on real Oxigraph with the real verifier: the model words, the program assembles.

What is expected about the graph was read off tests/data/lakes.ttl by hand; see tests/test_pipeline.py.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from chattygen import pipeline
from chattygen.config import Home, RunSettings
from chattygen.errors import CallError, ConfigError
from chattygen.kg.folders import PHRASINGS, TEMPLATES
from chattygen.kg.load import load
from chattygen.models.catalog import load_catalog
from tests.journeys.lakes import GRAPH, able_model, make_home, write_models, write_script
from tests.test_pipeline import COUNTRY, ISLANDS, check_promises, exported, rows


@pytest.fixture
def home(weights_home: Home, tmp_path: Path) -> Home:
    """A home of its own: the wordings lie in the folder of the graph."""
    return make_home(tmp_path / "home", weights_home)


def generate(home: Home, stop: Event | None = None, tell: Any = lambda progress: None, **settings: Any) -> Any:
    catalog = load_catalog(home)
    roles = {str(role): name for role, name in catalog.roles("cpu").items()}
    run = RunSettings(**({"kg": "lakes", "questions": 4, "phrasing": "reuse"} | settings))
    return pipeline.generate(home, run, catalog, roles, stop=stop, tell=tell)


def holds(turn: dict[str, Any]) -> str:
    """The answer of a yes-no question."""
    (answer,) = turn["answers"]
    return str(answer["label"])


def words_of(home: Home) -> Path:
    return home.kgs / "lakes" / PHRASINGS


def test_many_dialogues_out_of_few_words(home: Home) -> None:
    """6 lakes and 8 rivers: 60 dialogues are several of each, and no two of one entity are alike."""
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=60)
        calls = len(fake.requests)
        again = generate(home, dialogues=60)
        assert len(fake.requests) == calls  # every word was paid for
    assert (outcome.status, outcome.dialogues, outcome.visited) == ("done", 60, 60)
    dialogues = exported(home, outcome.run)
    check_promises(home, dialogues)
    said: dict[str, set[tuple[str, ...]]] = {}
    for dialogue in dialogues:
        said.setdefault(dialogue["seed"]["iri"], set()).add(tuple(t["standalone"] for t in dialogue["turns"]))
    assert len(said) == 14
    assert sum(map(len, said.values())) == 60
    assert {turn["query_origin"] for dialogue in dialogues for turn in dialogue["turns"]} == {"builder"}
    assert all(dialogue["usage"]["calls"] == 0 for dialogue in dialogues)
    assert [stage for (stage,) in rows(home, "select distinct stage from call order by 1")] == ["phrasing"]
    assert rows(home, "select distinct json_extract(settings, '$.phrasing') from run") == [("reuse",)]
    assert rows(home, "select distinct origin from question where kind <> 'yes-no'") == [("model",)]
    tested = Counter(holds(turn) for dialogue in dialogues for turn in dialogue["turns"] if turn["kind"] == "yes-no")
    # One in 60 dialogues of four questions or fewer with a chance of 0.4: three standard deviations about 24.
    assert 8 <= tested.total() <= 36
    assert 0.2 <= tested["no"] / tested.total() <= 0.8

    def spoken(run: str) -> list[list[str]]:
        return [[turn["utterance"] for turn in dialogue["turns"]] for dialogue in exported(home, run)]

    assert spoken(outcome.run) == spoken(again.run)


def test_it_ends_short_when_nothing_new_can_be_said(home: Home) -> None:
    """A region has one fact; with two questions a river without a lake of its own has 3 facts and so 6 dialogues."""
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = generate(home, dialogues=5000, questions=3)
    assert outcome.status == "short"
    assert "nothing new can be said" in outcome.reason
    dialogues = exported(home, outcome.run)
    told = [(d["seed"]["iri"], *(turn["standalone"] for turn in d["turns"])) for d in dialogues]
    assert len(set(told)) == len(told) == outcome.dialogues
    assert outcome.dialogues > 60


def test_a_persons_words_are_used_and_kept(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        generate(home, dialogues=14)
        text = words_of(home).read_text(encoding="utf-8")
        mine = text.replace("How deep is X?", "How many metres down does X go?")
        mine = mine.replace("How deep is {ref}?", "How many metres down does {ref} go?") + "# my remark\n"
        words_of(home).write_text(mine, encoding="utf-8")
        outcome = generate(home, dialogues=28)
        depths = {
            turn["standalone"].replace(dialogue["seed"]["label"], "X")
            for dialogue in exported(home, outcome.run)
            for turn in dialogue["turns"]
            if turn["fact"]["predicate"].endswith("/depth")
        }
        assert depths == {"How many metres down does X go?"}
        load(home, "lakes", [GRAPH], replace=True)
    assert words_of(home).read_text(encoding="utf-8") == mine


def test_another_file(home: Home, tmp_path: Path) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        generate(home, dialogues=14)
        other = tmp_path / "other.toml"
        text = words_of(home).read_text(encoding="utf-8")
        other.write_text(text.replace("In which region is X?", "What region is X in?"), encoding="utf-8")
        outcome = generate(home, dialogues=14, phrasings=str(other))
    standalone = [turn["standalone"] for d in exported(home, outcome.run) for turn in d["turns"]]
    assert any(question.startswith("What region is") for question in standalone)
    assert not any(question.startswith("In which region") for question in standalone)
    assert words_of(home).read_text(encoding="utf-8") == text


def test_a_bad_file_is_refused_before_anything_starts(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        generate(home, dialogues=14)
        text = words_of(home).read_text(encoding="utf-8")
        words_of(home).write_text(text.replace('"How deep is X?"', '"How deep is it?"'), encoding="utf-8")
        before = len(fake.requests)
        with pytest.raises(ConfigError) as caught:
            generate(home, dialogues=14)
        assert len(fake.requests) == before
    assert str(words_of(home)) in caught.value.message
    assert "wordings.0.question: got 'How deep is it?'" in caught.value.message
    assert "Q1" in caught.value.hint
    assert rows(home, "select count(*) from run") == [(1,)]


@pytest.mark.parametrize("fails", [False, True])
def test_a_stopped_run_goes_on_as_if_nothing_had_happened(home: Home, fails: bool) -> None:
    """Stopped between two batches of dialogues, or by a server that fails in the midst of the wording."""
    stop = Event()

    def tell(progress: Any) -> None:
        if progress.done >= 100:
            stop.set()

    catalog_calls: list[str] = []

    def spoil(role: str, number: int, items: list[str], lines: list[str]) -> tuple[str, str] | None:
        catalog_calls.append(role)
        return ("the server is tired", "error") if fails and role == "dialogue" and number == 2 else None

    with able_model(spoil) as fake:
        write_models(home.path, fake.url)
        if fails:
            with pytest.raises(CallError):
                generate(home, dialogues=150)
        else:
            assert generate(home, stop, tell, dialogues=150).status == "interrupted"
        (run,) = (id for (id,) in rows(home, "select id from run"))
        asked = len(fake.requests)
        outcome = pipeline.resume(home, run, load_catalog(home))
        assert (outcome.status, outcome.dialogues) == ("done", 150)
        assert fails or len(fake.requests) == asked
        whole = generate(home, dialogues=150)
    told = [
        [[turn["utterance"] for turn in dialogue["turns"]] for dialogue in exported(home, id)]
        for id in (run, whole.run)
    ]
    assert told[0] == told[1]
    assert rows(home, "select count(*) from seed where status <> 'accepted'") == [(0,)]


def test_a_model_that_says_nothing_leaves_plain_words(home: Home) -> None:
    write_script(home.path, [{"match": "What is a", "reply": "place", "times": 0}, {"reply": "", "times": 0}])
    outcome = generate(home, dialogues=14)
    assert outcome.status == "done"
    dialogues = exported(home, outcome.run)
    check_promises(home, dialogues)
    assert 'origin = "builder"' in words_of(home).read_text(encoding="utf-8")
    assert rows(home, "select distinct origin from question") == [("builder",)]
    depths = {t["standalone"] for d in dialogues for t in d["turns"] if t["fact"]["predicate"].endswith("/depth")}
    assert json.dumps(sorted(depths)).count("What is the depth of") == len(depths) > 0


def questions(home: Home, per_bucket: int, **settings: Any) -> Any:
    """Head-to-Tail, with the settings that the command makes of --questions-per-bucket."""
    buckets = ("head", "torso", "tail")
    made = {"approach": "head-to-tail", "strata": buckets, "dialogues": 3 * per_bucket, "questions": 1}
    return generate(home, **made, min_questions=1, **settings)


def test_single_questions_by_bucket(home: Home) -> None:
    """Triples of the lakes: 8, 8, 7, 7, 7, 6, in all 43. Two with 8 are more than a third of that, so there is no head,
    but less than two thirds, so they are the torso. Of the other types nearly all entities have equally many: all tail.
    Templates: 5 for lakes, 4 for rivers, 1 for islands; what a region is the region of has no class of its own. The
    torso can tell 2 times 5 things; 12 questions of the tail are 6 about lakes, 5 about rivers, 1 about an island.
    """
    with able_model() as fake:
        write_models(home.path, fake.url)
        outcome = questions(home, 12)
        calls = len(fake.requests)
        again = questions(home, 12)
        assert len(fake.requests) == calls
    assert (outcome.status, outcome.dialogues) == ("short", 22)
    assert outcome.reason == "no more entities or attributes in a bucket: head 0 of 12, torso 10 of 12"
    items = exported(home, outcome.run)
    assert {item["approach"] for item in items} == {"head-to-tail"}
    used = Counter(
        (item["seed"]["bucket"], item["seed"]["type_label"], turn["fact"]["predicate"], turn["fact"]["direction"])
        for item in items
        for turn in item["turns"]
    )
    assert sorted(number for (bucket, *_), number in used.items() if bucket == "torso") == [2] * 5
    assert sorted(number for (bucket, *_), number in used.items() if bucket == "tail") == [1] * 8 + [2] * 2
    turns = [turn for item in items for turn in item["turns"]]
    assert len(turns) == 22  # one each
    assert all(turn["utterance"] == turn["standalone"] for turn in turns)
    assert len({turn["utterance"] for turn in turns}) == 22
    assert {turn["query_origin"] for turn in turns} == {"builder"}
    for item in items:
        (turn,) = item["turns"]
        assert item["seed"]["label"] in turn["utterance"]
        predicate = turn["fact"]["predicate"].removeprefix("http://example.org/lakes/vocab/")
        label, known = item["seed"]["label"], {answer["label"] for answer in turn["answers"]}
        if item["seed"]["type_label"] in ("lake", "river"):
            assert known == (ISLANDS[label] if predicate == "island" else {COUNTRY[label][predicate]})
        else:
            assert [label in ISLANDS[lake] for lake in known] == [True]
    assert not words_of(home).exists()
    assert (home.kgs / "lakes" / TEMPLATES).exists()
    assert [item["turns"][0]["utterance"] for item in exported(home, again.run)] == [t["utterance"] for t in turns]


def test_an_edited_template_is_used_and_one_without_words_is_not(home: Home) -> None:
    with able_model() as fake:
        write_models(home.path, fake.url)
        questions(home, 6)
        path = home.kgs / "lakes" / TEMPLATES
        text = path.read_text(encoding="utf-8").replace("How deep is X?", "How far down does X go?")
        line = next(line for line in text.splitlines(keepends=True) if "How long is X?" in line)
        path.write_text(text.replace(line, ""), encoding="utf-8")
        outcome = questions(home, 12)
    said = [item["turns"][0]["utterance"] for item in exported(home, outcome.run)]
    assert any(text.startswith("How far down does ") for text in said)
    assert not any(text.startswith(("How deep", "How long")) for text in said)
