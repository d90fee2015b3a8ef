"""The recipes of kg-loaders: each can be read, and what its settings do is seen on small graphs of that shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from chattygen.cli.main import main
from chattygen.config import Home, RunSettings, read_recipe
from chattygen.context.descriptions import class_labels
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.labels import users_rule
from chattygen.context.outlook import outlooks, types_of
from chattygen.context.samples import take
from chattygen.context.seeds import seeds_from_entities
from chattygen.context.subgraphs import extract
from chattygen.domain import LabelRule
from chattygen.errors import ConfigError
from chattygen.kg.folders import open_kg, read_manifest, read_profile
from chattygen.kg.load import load

from .conftest import RDFS_LABEL, Load
from .test_odd_graphs import WIKIDATA

LOADERS = Path(__file__).parents[2] / "kg-loaders"
RECIPES = sorted(path.stem for path in LOADERS.glob("*.toml"))
LARGE = ("dblp", "dbpedia", "mag", "wikidata", "yago")
DBLP = "https://dblp.org/rdf/schema#"


def test_the_readme_lists_every_recipe() -> None:
    assert {*LARGE, "nobel", "dblp-sample"} == set(RECIPES)
    text = (LOADERS / "README.md").read_text(encoding="utf-8")
    assert [name for name in RECIPES if f"| `{name}.toml` |" not in text] == []


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_what_the_graph_is_and_where_it_comes_from(name: str) -> None:
    recipe = read_recipe(LOADERS / f"{name}.toml")
    assert recipe.name == name
    assert recipe.source.licence
    assert recipe.source.url.startswith("https://")
    assert [file for file in recipe.files if not (LOADERS / file).exists()] == []
    assert bool(recipe.files) == (name not in LARGE)


def test_a_recipe_can_say_what_is_of_interest(tmp_path: Path) -> None:
    recipe = tmp_path / "r.toml"
    head = 'name = "r"\n[source]\ntitle = "R"\nlicence = "CC0"\n[settings.interest."http://e.org/Paper"]\n'
    recipe.write_text(head + '"http://e.org/pages" = 0\n"http://e.org/doi" = 0.5\n', encoding="utf-8")
    assert read_recipe(recipe).settings.interest == {
        "http://e.org/Paper": {"http://e.org/pages": 0, "http://e.org/doi": 0.5}
    }
    recipe.write_text(head + '"http://e.org/pages" = 2\n', encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_recipe(recipe)
    assert "key settings.interest.http://e.org/Paper.http://e.org/pages: got 2" in caught.value.message
    assert caught.value.hint == "expected: Input should be less than or equal to 1"


@pytest.mark.parametrize("name", LARGE)
def test_a_recipe_of_a_large_graph_says_how_large_and_what_was_measured(name: str) -> None:
    text = (LOADERS / f"{name}.toml").read_text(encoding="utf-8").lower()
    head = text.partition("name =")[0]
    assert "# dump: " in head
    assert "million" in head or "billion" in head
    assert "not measured" in head
    assert f"--recipe kg-loaders/{name}.toml" in head


def test_dblps_settings_on_papers_in_its_schema(tmp_path: Path) -> None:
    settings = read_recipe(LOADERS / "dblp.toml").settings
    home, run = Home(tmp_path), RunSettings(kg="dblp")
    load(home, "dblp", [LOADERS / "dblp-sample.nt.gz"], settings=settings)
    profile = read_profile(home, "dblp")
    with open_kg(home, "dblp") as graph:
        kept, dropped = types_of(graph, profile, settings, run)
        # 517 persons and 173 papers; a creator is a person, a publication a paper but for the proceedings.
        assert [(t.label, t.count) for t in kept] == [("person", 517), ("paper", 173)]
        assert {t.label: t.reason for t in dropped} == {
            "creator": "shadowed by person",
            "publication": "shadowed by paper",
        } | dict.fromkeys(
            ("stream", "conference", "edited volume"), "rare: 0.07% of the entities"
        )  # one of each in 1,384
        persons, papers = outlooks(graph, profile, kept, settings, run)
        assert (persons.good, papers.good) == (True, True)
        assert papers.rule == LabelRule(DBLP + "Inproceedings", (DBLP + "title",), 1.0, "user")
        assert not {"bibtex type", "pagination"} & set(papers.left_out)
        assert papers.left_out["excluded by the settings"] > 0


def test_wikidatas_settings_on_its_shape(loaded: Load) -> None:
    settings, run = read_recipe(LOADERS / "wikidata.toml").settings, RunSettings(kg="odd", rare=0.0)
    graph, profile = loaded(WIKIDATA, settings)
    kept, _ = types_of(graph, profile, settings, run)
    assert [t.label for t in kept] == ["human", "city"]
    sample = take(graph, kept[0], settings, run)
    rule = users_rule(sample, settings)
    assert rule == LabelRule(kept[0].iri, (RDFS_LABEL,), 1.0, "user")
    counts = {found.iri: found.count for found in profile.classes}
    names = Names({}, class_labels(graph, counts, settings), counts, frozenset(counts))
    (seed,), _ = seeds_from_entities(graph, ["http://www.wikidata.org/entity/Q2"], kept, {}, settings, run)
    facts = extract(graph, seed, learn(graph, sample, rule, settings, run), names, settings, run).facts
    assert [(fact.predicate_label, fact.values[0].label) for fact in facts] == [
        ("place of birth", "Cologne"),
        ("date of birth", "1911-05-06"),
    ]


def test_a_recipe_without_files_takes_the_users(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, recipe = Home(tmp_path), str(LOADERS / "dblp.toml")
    arguments = ["load-kg", "--recipe", recipe, "--quiet", "--home", str(tmp_path)]
    with pytest.raises(SystemExit) as nothing_to_load:
        main(arguments)
    assert nothing_to_load.value.code == 2
    assert "no file was given" in capsys.readouterr().err
    main([*arguments, str(LOADERS / "dblp-sample.nt.gz")])
    manifest = read_manifest(home, "dblp")
    assert (manifest.triples, manifest.settings) == (12_662, read_recipe(LOADERS / "dblp.toml").settings)
    assert manifest.source is not None
    assert manifest.source.title == "dblp computer science bibliography"
