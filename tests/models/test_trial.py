"""The trials of check-model, on scripted models that behave and misbehave."""

from __future__ import annotations

from collections.abc import Sequence

from chattygen.models.model import Message
from chattygen.models.scripted import Rule, ScriptedModel
from chattygen.models.trial import Trial, try_embedder, try_model


def trials(*rules: Rule, grammar: bool = True, system_role: bool = True) -> dict[str, bool]:
    found = try_model(ScriptedModel("s", rules), grammar=grammar, system_role=system_role)
    return {trial.name: trial.passed for trial in found}


SPEAKS = Rule("one two three")
OBEYS = Rule("red\nWho is the famous Ada Lovelace?", match="colour")
IS_CUT = Rule("one two", finish="length")


def test_a_good_model_passes_all() -> None:
    assert trials(SPEAKS, OBEYS, IS_CUT, Rule("one", times=2)) == {
        "speaks": True,
        "obeys a grammar": True,
        "says when a reply is cut": True,
        "hears system text": True,
    }


def test_each_fault_is_found() -> None:
    assert trials(Rule("gone", finish="error")) == {"speaks": False}
    assert trials(Rule("  ", times=1), OBEYS, IS_CUT, system_role=False)["speaks"] is False
    for reply in ("green\nWho is Ada Lovelace?", "red Who is the Ada Lovelace?", "red\nWho is the Ada Lovelace? Yes"):
        assert trials(SPEAKS, Rule(reply), IS_CUT, system_role=False)["obeys a grammar"] is False
    assert trials(SPEAKS, OBEYS, Rule("one"), system_role=False)["says when a reply is cut"] is False
    refusing = trials(SPEAKS, OBEYS, IS_CUT, Rule("no system role", finish="error", times=0))
    assert refusing["hears system text"] is False


def test_a_template_that_drops_system_text_is_found() -> None:
    class Dropping(ScriptedModel):
        def complete(self, messages: Sequence[Message], **options: object):  # type: ignore[no-untyped-def,override]
            return super().complete([m for m in messages if m[0] != "system"], **options)  # type: ignore[arg-type]

    found = list(
        try_model(Dropping("s", [SPEAKS, OBEYS, IS_CUT, Rule("one", times=0)]), grammar=True, system_role=True)
    )
    assert found[-1] == Trial("hears system text", False, "no: set system_role = false in models.toml")


def test_another_server_needs_only_the_right_number_of_lines() -> None:
    assert trials(SPEAKS, Rule("a\nb"), IS_CUT, grammar=False, system_role=False)["obeys a grammar"] is True


def test_an_embedding_must_tell_meanings_apart() -> None:
    class Flat:
        name = "flat"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0, 0.0] for _ in texts]

    assert [trial.passed for trial in try_embedder(Flat())] == [False]
