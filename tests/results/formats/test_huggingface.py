"""The dataset folder: what the package datasets loads from it, offline, and what its card says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chattygen.errors import ResultsError
from chattygen.results.formats import huggingface, jsonl
from chattygen.results.formats.card import FIELDS, card
from chattygen.results.formats.parquet import Written
from chattygen.results.reader import StoredDialogue, StoredRun
from tests.results.formats.made import ADA, CURIE, PLAYERS, RUN, SHIP, text

SPLITS = {"train": Written(2, 4, 2000)}


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The package, told to stay offline and to keep its cache in a temporary folder; it reads this when imported.

    The package of the hub, which other tests download with, reads the same variable and is imported before.
    """
    import huggingface_hub.constants  # noqa: F401

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
        patch.setenv("HF_DATASETS_CACHE", str(tmp_path_factory.mktemp("cache")))
        import datasets

        return datasets


def lines(*made: StoredDialogue, standalone: bool = True) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text(jsonl.write, *made, standalone=standalone).splitlines()]


def loaded(datasets: ModuleType, folder: Path, cache: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: split.to_list() for name, split in datasets.load_dataset(str(folder), cache_dir=str(cache)).items()}


@pytest.mark.parametrize("standalone", [True, False])
def test_a_folder_without_splits(datasets: ModuleType, tmp_path: Path, standalone: bool) -> None:
    folder = tmp_path / "set"
    parts = {"train": iter([CURIE, SHIP, ADA])}
    assert huggingface.write(RUN, PLAYERS, parts, folder, standalone=standalone) == {"train": 3}
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) == [
        "README.md",
        "data",
        "data/train-00000-of-00001.parquet",
    ]
    read = loaded(datasets, folder, tmp_path / "cache")
    assert read == {"train": lines(CURIE, SHIP, ADA, standalone=standalone)}


def test_a_folder_with_splits_also_one_without_dialogues(datasets: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    parts = {"train": iter([SHIP]), "dev": iter([]), "test": iter([CURIE])}
    assert huggingface.write(RUN, PLAYERS, parts, folder) == {"train": 1, "dev": 0, "test": 1}
    read = loaded(datasets, folder, tmp_path / "cache")
    assert read == {"train": lines(SHIP), "test": lines(CURIE)}
    assert not (folder / "data" / "validation-00000-of-00001.parquet").exists()


def test_the_dev_split_is_called_validation(datasets: ModuleType, tmp_path: Path) -> None:
    huggingface.write(RUN, PLAYERS, {"train": iter([SHIP]), "dev": iter([CURIE])}, tmp_path / "set")
    assert loaded(datasets, tmp_path / "set", tmp_path / "cache") == {"train": lines(SHIP), "validation": lines(CURIE)}


def test_a_run_without_dialogues_makes_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no finished dialogue"):
        huggingface.write(RUN, PLAYERS, {"train": iter([])}, tmp_path / "set")


def front(made: str) -> dict[str, Any]:
    """The front matter: between the first two lines that are `---`."""
    before, told, _ = made.split("---\n", 2)
    assert before == ""
    return dict(yaml.safe_load(told))


def test_the_front_matter() -> None:
    splits = {"train": Written(900, 4000, 3_000_000), "validation": Written(200, 900, 600_000)}
    assert front(card(RUN, PLAYERS, splits)) == {
        "license": "cc0-1.0",
        "language": ["en"],
        "task_categories": ["question-answering"],
        "tags": ["knowledge-graph", "sparql", "dialogue", "synthetic", "chattygen"],
        "pretty_name": "Dialogues about Nobel prizes",
        "size_categories": ["1K<n<10K"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {"split": "train", "path": "data/train-*"},
                    {"split": "validation", "path": "data/validation-*"},
                ],
            }
        ],
        "dataset_info": {
            "splits": [
                {"name": "train", "num_bytes": 3_000_000, "num_examples": 900},
                {"name": "validation", "num_bytes": 600_000, "num_examples": 200},
            ],
            "dataset_size": 3_600_000,
        },
    }


def of_graph(**source: str) -> StoredRun:
    return replace(RUN, kg_source=source)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("CC-BY-SA-4.0", {"license": "cc-by-sa-4.0"}),
        (" mit ", {"license": "mit"}),
        (
            "PDDL (Open Data Commons Public Domain Dedication and Licence)",
            {
                "license": "other",
                "license_name": "pddl-open-data-commons-public-domain-dedication-and-licence",
            },
        ),
        ("", {"license": "unknown"}),
    ],
)
def test_the_licence(stated: str, expected: dict[str, str]) -> None:
    told = front(card(of_graph(licence=stated), PLAYERS, SPLITS))
    assert {name: value for name, value in told.items() if name.startswith("license")} == expected


def test_the_text_states_where_all_of_it_comes_from() -> None:
    made = card(RUN, PLAYERS, SPLITS)
    for line in (
        "# Dialogues about Nobel prizes",
        "The run was asked for 3 dialogues; its status is interrupted.",
        "| train | 2 | 4 |",
        "- graph: nobel, 1000 triples, fingerprint `f00d`",
        "- title of the graph: Nobel prizes",
        r"- url of the graph: https\://example.org/nobel",
        "- licence of the graph: CC0-1.0",
        "- chattygen 1.2.3, run `nobel-20261130-101502-3f2a`, started 2026-11-30T10:15:02.000Z",
        "- the same settings give the same texts again",
        "- questions: small, revision `rev-1`, prompt `ab12`",
        "- sparql: coder, revision not known, prompt `cd34`",
        ' "approach": "multi-stage",',
    ):
        assert line in made.splitlines(), line
    assert made.splitlines()[made.splitlines().index("# Dialogues about Nobel prizes") + 2].startswith(
        "2 dialogues with 4 turns"
    )
    other = card(replace(of_graph(), repeatable=False), PLAYERS, SPLITS)
    for line in ("# Dialogues about nobel", "- title of the graph: not stated", "- licence of the graph: not stated"):
        assert line in other.splitlines()
    assert "may give other texts" in other


def test_a_list_of_entities_is_not_repeated_in_the_text() -> None:
    listed = replace(RUN, settings=RUN.settings | {"entities": ["http://e.org/a", "http://e.org/b"]})
    made = card(listed, PLAYERS, SPLITS)
    assert ' "entities": "2 IRIs"' in made.splitlines()
    assert "http://e.org/a" not in made


def test_every_field_is_explained() -> None:
    (line,) = lines(CURIE)
    named = {name for names in FIELDS for name in names.split(", ")}
    assert named == {*line, *(f"turns.{name}" for name in line["turns"][0])}
    assert "`turns.standalone`" in card(RUN, PLAYERS, SPLITS)
    assert "standalone" not in card(RUN, PLAYERS, SPLITS, standalone=False)


NASTY = [
    '"\n---\nlicense: mit\n# x',
    "a: b\n- c",
    "<script>x</script> [a](b)",
    "é 東 \U0001f600",
    "\x00\x85\u2028\ufeff\uffff",
]


@given(title=st.text(min_size=1) | st.sampled_from(NASTY), licence=st.text() | st.sampled_from(NASTY))
def test_text_of_the_graph_cannot_break_the_card(title: str, licence: str) -> None:
    made = card(of_graph(title=title, url=title, licence=licence), PLAYERS, SPLITS)
    told = front(made)
    assert told["pretty_name"] == f"Dialogues about {title}"
    assert told["license"] in {"other", "unknown"} or told["license"] == licence.strip().lower()
    plain = front(card(RUN, PLAYERS, SPLITS))
    assert set(told) - {"license_name"} == set(plain)

    parser = MarkdownIt("commonmark").enable("table")
    body, plain_body = (parser.parse(one.split("\n---\n", 1)[1]) for one in (made, card(RUN, PLAYERS, SPLITS)))
    assert [token.type for token in body] == [token.type for token in plain_body]
    kinds = {part.type for token in body for part in token.children or []}
    assert kinds <= {"text", "code_inline", "softbreak"}
