"""Dialogues of all forms about the lakes, worded by the program, since the model says nothing.

By hand: each lake has one outflow, which the graph says more about, and six rivers have one lake each. Only the lake
Farnwater has no island, so an island is what lakes usually have and this one has not.
"""

from __future__ import annotations

import re
from itertools import pairwise

from chattygen.cli.main import main
from chattygen.config import Home
from chattygen.results.reader import Reader, StoredDialogue
from tests.journeys.lakes import SILENT, write_script

VOCAB = "http://example.org/lakes/vocab/"


def made(home: Home, flow: str) -> list[StoredDialogue]:
    write_script(home.path, SILENT)
    words = ["generate", "--kg", "lakes", "--dialogues", "14", "--flow", flow, "--kinds", "yes-no=0", "--quiet"]
    main([*words, "--home", str(home.path)])
    with Reader(home.database) as reader:
        return list(reader.dialogues(reader.run("latest").id))


def test_every_form_is_there_and_says_what_it_should(home: Home) -> None:
    dialogues = made(home, "ellipsis=40,follow-up=40")
    forms = {turn.flow for dialogue in dialogues for turn in dialogue.turns}
    assert forms == {"opening", "reference", "ellipsis", "follow-up", "return"}
    for dialogue in dialogues:
        turns = dialogue.turns
        assert [turn.flow == "opening" for turn in turns] == [True] + [False] * (len(turns) - 1)
        assert sum(turn.flow == "follow-up" for turn in turns) <= 1
        for before, turn in pairwise(turns):
            assert (before.flow == "follow-up") == (turn.flow == "return")
            assert {before.flow, turn.flow} != {"ellipsis"}
            if turn.flow == "ellipsis":
                assert re.fullmatch(
                    r"And its (depth|length|source|region|survey date|islands?|outflow)\?", turn.utterance
                )
                assert before.flow in ("reference", "return", "opening")
            if turn.flow == "follow-up":
                assert turn.refers_to == before.n
                assert before.question.fact.predicate == VOCAB + "outflow"
                answered = "river" if before.question.fact.direction == "out" else "lake"
                assert f"that {answered}" in turn.utterance  # `it` could be the lake, or the river, itself
                assert turn.question.text.count(dialogue.seed.label) == 1
            if turn.flow == "return":
                assert f"the {dialogue.seed.type_label}" in turn.utterance


def test_the_answer_of_a_follow_up_is_about_the_answer_before(home: Home) -> None:
    lengths = {
        "Almere": "212",
        "Brenwater": "87",
        "Corrin": "340",
        "Dunmere": "155",
        "Elsmere": "69",
        "Farnwater": "298",
    }
    found = 0
    for dialogue in made(home, "ellipsis=0,follow-up=100"):
        for turn in dialogue.turns:
            if turn.flow == "follow-up" and turn.question.asked.predicate == VOCAB + "length":
                found += 1
                assert [answer.label for answer in turn.query.answers] == [lengths[dialogue.seed.label]]
    assert found > 0


def test_what_the_graph_cannot_answer_is_asked_and_marked(home: Home) -> None:
    turns = {d.seed.label: d.turns for d in made(home, "ellipsis=0,follow-up=0,unanswerable=50")}
    without = [turn for turn in turns["Farnwater"] if not turn.question.answerable]
    assert [turn.question.fact.predicate for turn in without] == [VOCAB + "island"]
    assert without[0].query.answers == ()
    assert without[0].n > 1
    others = [turn for label, own in turns.items() if label != "Farnwater" for turn in own]
    assert all(turn.question.answerable for turn in others)
