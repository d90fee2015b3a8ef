"""The documents say what is true: commands, options, files and make targets exist, and every rule is explained."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click
import pytest

from benchmarks.generate import main as benchmark
from chattygen.cli.main import COMMANDS, chattygen, main
from chattygen.config import Home
from chattygen.context.seeds import why_not
from chattygen.domain import (
    XSD,
    Answer,
    Beyond,
    Fact,
    Finding,
    Flow,
    Iri,
    Literal,
    Query,
    Question,
    Seed,
    Subgraph,
    Turn,
    Value,
)
from chattygen.generation import dialogue, flow, queries, questions, two_facts, yes_no
from chattygen.generation.asks import Ask
from chattygen.generation.stages import STAGES
from chattygen.generation.wording import reference
from chattygen.kg.sparql import foreign_iris, parses, read_only
from chattygen.models.catalog import Table, load_catalog
from chattygen.models.model import Embedder
from chattygen.models.obtain import load_embedder
from tests.conftest import REPOSITORY

DOCUMENTS = sorted(
    path for place in ("", "docker/", "docs/", "kg-loaders/") for path in REPOSITORY.glob(f"{place}*.md")
)
MODELS = (REPOSITORY / "docs" / "models.md").read_text(encoding="utf-8")
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def command_lines(text: str) -> list[list[str]]:
    """Every `chattygen ...` and `python benchmarks/generate.py ...`, in indented lines and in inline code, as words."""
    indented = re.findall(r"^ {4}((?:chattygen|python benchmarks/generate\.py) .*)$", text, re.MULTILINE)
    inline = re.findall(r"`(chattygen [^`]+)`", text)
    return [shlex.split(line, comments=True) for line in (*indented, *inline)]


def understood(words: list[str]) -> None:
    """Parse a command line as click would, without running it.

    Raises:
        click.UsageError: no such command or option, or a value that cannot be.
    """
    if words[0] == "python":
        benchmark.make_context("generate.py", words[2:])
        return
    command = chattygen.get_command(click.Context(chattygen), words[1])
    if command is None:
        raise click.UsageError(f"no command {words[1]}")
    if words[2:]:  # `chattygen report` alone is the command's name
        command.make_context(words[1], [word for word in words[2:] if word != "--debug"])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_commands_are_known(path: Path) -> None:
    for words in command_lines(path.read_text(encoding="utf-8")):
        try:
            understood(words)
        except click.UsageError as error:
            pytest.fail(f"{path.name}: {shlex.join(words)}: {error.format_message()}")


@pytest.mark.parametrize(
    "line", ["chattygen play latest", "chattygen generate --kg nobel --fast", "chattygen export latest --query"]
)
def test_an_unknown_command_or_option_is_noticed(line: str) -> None:
    with pytest.raises(click.UsageError):
        understood(shlex.split(line))


def test_readme_names_every_command() -> None:
    named = {words[1] for words in command_lines(README)}
    assert named == set(COMMANDS)


def test_readme_commands_that_need_no_model_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("CHATTYGEN_HOME", str(tmp_path))
    quick = ("load-kg --recipe", "generate --kg nobel --plan", "list-", "describe-kg nobel", "status", "drop-kg")
    lines = [line[1:] for line in command_lines(README) if " ".join(line[1:]).startswith(quick)]
    assert lines[:2] == [["load-kg", "--recipe", "kg-loaders/nobel.toml"], ["generate", "--kg", "nobel", "--plan"]]
    assert len(lines) == 8
    for line in lines:
        try:
            main([*line, "--yes"] if line[0] == "drop-kg" else line)
        except SystemExit as stop:
            pytest.fail(f"{shlex.join(line)}: exit code {stop.code}: {capsys.readouterr().err}")
    assert not list((tmp_path / "kgs").glob("nobel"))


def test_make_targets_and_what_make_demo_runs() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert (
        set(re.findall(r"\bmake ([a-z]+)\b", "\n".join(re.findall(r"`make .*?`|^ {4}make .*", README, re.M))))
        <= targets
    )
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    expanded = recipe[1].replace("$(MODEL)", "qwen2.5-coder-1.5b-instruct")
    for line in ("pull-model qwen2.5-coder-1.5b-instruct all-minilm-l6-v2", "load-kg --recipe kg-loaders/nobel.toml"):
        assert line in expanded
        assert f"chattygen {line}" in README


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (path.parent / target).exists(), target


def test_the_keys_of_models_toml() -> None:
    table = MODELS.partition("| key | for | meaning |\n")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines()))
    assert set(named) == set(Table.model_fields) - {"title", "licence"}


def test_the_entries_of_models_toml(tmp_path: Path) -> None:
    entries = re.findall(r"^ *\[models\.[\w-]+\]\n(?: +\w+ = .*\n)+", MODELS, re.MULTILINE)
    assert len(entries) == 6
    with (tmp_path / "models.toml").open("w", encoding="utf-8") as file:
        file.write((REPOSITORY / "models.toml").read_text(encoding="utf-8"))
        file.writelines(f"\n{textwrap.dedent(entry)}" for entry in entries)
    assert {"my-model", "my-large-model", "my-vllm", "our-cluster"} <= set(load_catalog(Home(tmp_path)).names)


@pytest.mark.parametrize("size", ["80GB", "40GB"])
def test_the_plans_for_a_card(size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):
        main(["serve-models", "--plan", "--gpu-memory", size, "--home", str(tmp_path)])
    printed = {line for line in capsys.readouterr().out.splitlines() if "of the card" in line}
    documented = set(re.findall(r"^ {4}(.* of the card)$", MODELS, re.MULTILINE))
    assert len(printed) == 2
    assert printed < documented


def test_the_tree_is_the_tree() -> None:
    tree = README.partition("    chattygen/\n")[2].partition("\n\n")[0]
    named = {line.split()[0].rstrip("/") for line in tree.splitlines()}
    package = REPOSITORY / "chattygen"
    there = {path.name for path in package.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert named == {name for name in there if not name.startswith("__")}


def test_exit_codes() -> None:
    from chattygen import errors

    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ChattygenError)
    ]
    assert set(map(int, re.findall(r"^\| (\d+) \|", README, re.MULTILINE))) == {0, *(kind.exit_code for kind in kinds)}


def test_benchmark_figures_are_explained() -> None:
    from benchmarks.generate import Checks, Figures

    text = (REPOSITORY / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    fields = {*Figures.__dataclass_fields__, *Checks.__dataclass_fields__} - {"kg", "run", "status", "checks"}
    assert not [field for field in fields if f"`{field}`" not in text]


# ---------------------------------------------------------------------------------------------------------------------
# docs/rules.md


def rule_rows() -> dict[str, tuple[list[str], list[str]]]:
    """Rule id -> the pieces of code in its passing and in its failing example."""
    text = (REPOSITORY / "docs" / "rules.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\d+) \| .*? \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    return {id: (re.findall(r"`([^`]+)`", passes), re.findall(r"`([^`]+)`", fails)) for id, passes, fails in rows}


def test_every_rule_is_explained() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "chattygen").rglob("*.py"))
    in_code = set(re.findall(r'"([PCQSD]\d+)"', sources))
    assert {"P1", "C2", "Q8", "S5", "D8"} <= in_code
    assert {rule for stage in STAGES for rule in stage.rules} <= in_code
    assert set(rule_rows()) == in_code


NS = "http://e.org/"
ADA = Seed(NS + "ada", "Ada Berg", NS + "Captain", "captain", "person")
BORN = Fact(NS + "born", "birth date", "out", (Value(Literal("1901-05-06", XSD + "date"), "1901-05-06"),), 1, "date")
GENDER = Fact(NS + "gender", "gender", "out", (Value(Literal("female"), "female"),), 1, "text")
PLACE = Fact(NS + "birthPlace", "birth place", "out", (Value(Literal("Lisbon"), "Lisbon"),), 1, "text")
SHIPS = Fact(NS + "captain", "captain", "in", (Value(Iri(NS + "gull"), "Gull", "ship"),), 1, "entity", "ship")
GRAPH = Subgraph(ADA, (BORN, GENDER, PLACE), 3)
ASK = Ask(BORN, "value")
REF = reference(GRAPH)
MENTOR = Fact(NS + "mentor", "mentor", "out", (Value(Iri(NS + "bo"), "Bo", "captain"),), 1, "entity", "captain")
OF_MENTOR = Ask(MENTOR, "value", beyond=Beyond("hop", PLACE, PLACE))


def asked(pattern: str) -> Question:
    return questions.to_question(pattern, ASK, GRAPH, "model")


def about_ships(pattern: str) -> Question:
    return questions.to_question(pattern, Ask(SHIPS, "value"), GRAPH, "model")


def about_gull(pattern: str) -> Question:
    return questions.to_question(pattern, Ask(SHIPS, "yes-no", SHIPS.values[0]), GRAPH, "model")


STANDALONE = asked("When was X born?")


def first_turn(utterance: str) -> Turn:
    return Turn(1, utterance, "model", STANDALONE, Query("", "select", "model", ()))


def typed(text: str) -> Literal:
    """`"1901-05-06"^^xsd:date` as a term."""
    value, _, datatype = text.partition("^^xsd:")
    return Literal(value.strip('"'), XSD + (datatype or "string"))


BERGEN = Fact(NS + "home", "birth place", "out", (Value(Iri(NS + "bergen"), "Bergen", "city"),), 1, "entity", "city")
COUNTRY = Fact(NS + "country", "country", "out", (Value(Iri(NS + "norway"), "Norway"),), 1, "entity", "country")
RANK = Fact(NS + "rank", "rank", "out", (Value(Literal("admiral"), "admiral"),), 1, "text")
AT_SEA = Subgraph(ADA, (BORN, GENDER, BERGEN, RANK), 4)


def said(texts: list[str]) -> list[Turn]:
    """A dialogue about Ada Berg: a turn that asks for a country follows up, what comes behind it returns."""
    turns: list[Turn] = []
    for n, text in enumerate(texts, 1):
        about = BERGEN if "here" in text or "country" in text else RANK if "rank" in text else BORN
        pattern = {BERGEN: "Where was X born?", RANK: "What is X's rank?", BORN: "When was X born?"}[about]
        beyond = Beyond("hop", COUNTRY, COUNTRY) if "country" in text else None
        pattern = "In which country is the birth place of X?" if beyond else pattern
        asks = questions.to_question(pattern, Ask(about, "value", beyond=beyond), AT_SEA, "model")
        form: Flow = "follow-up" if beyond else "ellipsis" if text.startswith("And") else "reference"
        form = "return" if turns and turns[-1].flow == "follow-up" else form
        query = Query("", "select", "model", (Answer("uri", NS + "bergen", "Bergen"),))
        turns.append(Turn(n, text, "model", asks, query, form, n - 1 if beyond else None))
    return turns


Rule = Callable[[list[str], Embedder], Finding | None]

RULES: dict[str, Rule] = {
    "C2": lambda texts, _: why_not(texts[0], 12),
    "C3": lambda texts, _: why_not(texts[0], 12),
    "Q1": lambda texts, _: questions.names_entity(asked(texts[0]), ADA),
    "Q4": lambda texts, _: questions.one_question(asked(texts[0])),
    "Q5": lambda texts, _: questions.no_answer(asked(texts[0]), ASK),
    "Q6": lambda texts, _: questions.no_context(texts[0]),
    "Q7": lambda texts, _: questions.no_duplicate(asked(texts[1]), [asked(texts[0])]),
    "Q8": lambda texts, embedder: questions.verify(texts[0], ASK, GRAPH.facts, embedder),
    "Q10": lambda texts, _: yes_no.names_tested(about_gull(texts[0])),
    "Q9": lambda texts, _: questions.not_in_itself(about_ships(texts[0]), ADA),
    "Q11": lambda texts, _: two_facts.says_both(texts[0], OF_MENTOR),
    "S1": lambda texts, _: parses(texts[0]),
    "S2": lambda texts, _: read_only(texts[0]),
    "S3": lambda texts, _: Finding("S3", "foreign") if foreign_iris(texts[0], {NS + "ada", NS + "born"}) else None,
    "S5": lambda texts, _: queries.answers_equal([typed(texts[0])], "select", BORN),
    "S6": lambda texts, _: queries.form_fits(
        queries.form_of(f"{texts[0]} {{ <{ADA.iri}> <{BORN.predicate}> ?x }}", ASK, ADA.iri), STANDALONE
    ),
    "D2": lambda texts, _: dialogue.opens_alone([first_turn(texts[0])], ADA),
    "D3": lambda texts, _: dialogue.no_name(texts[0], ADA, STANDALONE),
    "D4": lambda texts, _: dialogue.refers_back(texts[0], REF),
    "D5": lambda texts, _: dialogue.several_words(texts[0]),
    "D6": lambda texts, embedder: dialogue.meaning_kept(texts[0], STANDALONE, REF, embedder),
    "D7": lambda texts, _: dialogue.turns_differ(texts[1], texts[:1]),
    "D8": lambda texts, _: dialogue.pronouns_agree(texts[0], REF, STANDALONE),
    "D10": lambda texts, _: next(iter(flow.resolvable(said(texts), AT_SEA)), None),
    "D11": lambda texts, _: next(iter(flow.resolvable(said(texts), AT_SEA)), None),
    "D12": lambda texts, _: next(iter(flow.resolvable(said(["Where was Ada Berg born?", *texts]), AT_SEA)), None),
    "D9": lambda texts, _: dialogue.phrase_fits(texts[0], REF, about_ships("Which ships have X as their captain?")),
}
"""The rules whose examples are texts that the rule can be run on."""


@pytest.fixture(scope="module")
def embedder(weights_home: Home) -> Embedder:
    return load_embedder(load_catalog(weights_home).entry("all-minilm-l6-v2"), weights_home)


@pytest.mark.parametrize("id", RULES)
def test_the_examples_of_a_rule(id: str, embedder: Embedder) -> None:
    passes, fails = rule_rows()[id]
    assert passes
    assert fails
    assert RULES[id](passes, embedder) is None
    found = RULES[id](fails, embedder)
    assert found is not None
    assert found.rule == id
