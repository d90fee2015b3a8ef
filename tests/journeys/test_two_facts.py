"""`generate --hops 2` from the command line to the database, on the country of lakes."""

from __future__ import annotations

import re

import pytest

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.domain import Turn
from chattygen.results.reader import Reader
from tests.journeys.lakes import SILENT, write_script

OUTFLOW = {
    "Almere": ("212", "the Grey Fell"),
    "Brenwater": ("87", "the Stone Moor"),
    "Corrin": ("340", "the Wolf Hills"),
    "Dunmere": ("155", "the High Tarn"),
    "Elsmere": ("69", "the Black Moss"),
    "Farnwater": ("298", "the White Fell"),
}
"""Lake -> length and source of the river that is its outflow."""

LAKE = {
    "Aske": ("31", "1901-05-06", "Crow Holm", "Pine Holm"),
    "Bourne": ("58", "1911-07-21", "Sand Holm"),
    "Clyst": ("104", "1898-03-15", "Fox Holm"),
    "Dart": ("77", "1925-10-02", "Gull Holm"),
    "Eskin": ("19", "1932-08-30", "Bell Holm", "Goat Holm"),
    "Frome": ("143", "1907-06-11"),
}
"""River -> depth, survey date and islands of the lake whose outflow it is."""


def made(home: Home, *words: str) -> list[tuple[str, Turn]]:
    """(seed's label, turn) of a run whose model says nothing: the builder words everything."""
    write_script(home.path, SILENT)
    command = ["generate", "--kg", "lakes", "--dialogues", "4", "--rare", "0.1", "--quiet", *words]
    main([*command, "--home", str(home.path)])
    with Reader(home.database) as reader:
        run = reader.run("latest")
        return [(dialogue.seed.label, turn) for dialogue in reader.dialogues(run.id) for turn in dialogue.turns]


def test_questions_over_two_facts(home: Home) -> None:
    """No answer but those that the graph gives, worked out by hand; the region is the lake's own, and is not asked."""
    turns = made(home, "--hops", "2", "--flow", "follow-up=0")
    asked = [(label, turn) for label, turn in turns if turn.question.beyond]
    assert len(asked) == 4  # one first fact leads beyond in each
    assert not any(turn.n == 1 for _, turn in asked)
    seen = set()
    for label, turn in asked:
        beyond = turn.question.beyond
        assert beyond is not None
        seen.add(beyond.fact.predicate_label)
        assert beyond.kind == "hop"
        answers = {answer.label for answer in turn.query.answers}
        assert answers <= set(OUTFLOW[label] if label in OUTFLOW else LAKE[label])
        end = f"the outflow of {label}" if label in OUTFLOW else f"the lake with the {label} as outflow"
        assert end in turn.question.text
        assert label not in turn.utterance
        assert re.search(r"(its|the lake's) outflow|the lake with (it|the river) as outflow", turn.utterance)
        assert {"source", "length"} & {beyond.fact.predicate_label} or label in LAKE
    assert len(seen) > 1


def test_one_hop_asks_nothing_beyond(home: Home) -> None:
    assert not any(turn.question.beyond for _, turn in made(home, "--flow", "follow-up=0"))


@pytest.mark.parametrize("words", [("--approach", "single-prompt"), ("--phrasing", "reuse")])
def test_what_asks_no_such_questions_says_so(
    home: Home, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    write_script(home.path, SILENT)
    with pytest.raises(SystemExit) as stop:
        main(["generate", "--kg", "lakes", "--hops", "2", *words, "--home", str(home.path)])
    assert stop.value.code == 2
    assert "--hops 2" in capsys.readouterr().err
