"""Scores of replies, each worked out by hand; the adversarial ones too."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import astuple
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.domain import XSD, Answer, QuestionKind
from chattygen.errors import UsageError
from chattygen.evaluation.scores import Score, score

NS = "http://example.org/"

RIGHT = Score(False, 1, 1, 1, 1, 1)
WRONG = Score(False, 0, 0, 0, 0, 0)
MISSING = Score(True, 0, 0, 0, 0, 0)


def entities(*labels: str) -> list[Answer]:
    return [Answer("uri", f"{NS}{n}", label) for n, label in enumerate(labels)]


def literals(datatype: str, *values: str) -> list[Answer]:
    return [Answer("literal", value, value, XSD + datatype) for value in values]


YES, NO = [Answer("boolean", "true", "true")], [Answer("boolean", "false", "false")]
PARIS = entities("Paris")
COUNT = literals("integer", "3")
FIRST_OF_APRIL = literals("date", "1912-04-01")


@pytest.mark.parametrize(
    ("reply", "kind", "answers"),
    [
        ("Paris", "where", PARIS),
        ("paris.", "where", PARIS),
        ("Answer: Paris", "where", PARIS),
        ("A: A Moon Shaped Pool", "which", entities("A Moon Shaped Pool")),
        ("Unknown", "which", entities("Unknown")),
        ("I Don't Know", "which", entities("I Don't Know")),
        ("None", "which", entities("None")),
        ("Tolkien, J. R. R.", "who", entities("John Ronald Reuel Tolkien")),
        ("04/01/1912", "when", FIRST_OF_APRIL),
        ("1 April 1912", "when", FIRST_OF_APRIL),
        ("three", "how-many", COUNT),
        ("There are three ships.", "how-many", COUNT),
        ("3 ships", "how-many", COUNT),
        ("none", "how-many", literals("integer", "0")),
        ("There are no ships.", "how-many", literals("integer", "0")),
        ("Yes, he was.", "yes-no", YES),
        ("yes", "yes-no", literals("boolean", "1")),
        ("No", "yes-no", NO),
        ("No, it is not true that he was, as some say yes.", "yes-no", NO),
        ("none", "which", []),
        ("Nobody.", "who", []),
    ],
)
def test_right(reply: str, kind: QuestionKind, answers: Sequence[Answer]) -> None:
    assert score(reply, kind, answers) == RIGHT


@pytest.mark.parametrize(
    ("reply", "kind", "answers"),
    [
        ("London", "where", PARIS),
        ("巴黎", "where", PARIS),
        ("4", "how-many", COUNT),
        ("There are 4 ships.", "how-many", COUNT),
        ("none", "how-many", COUNT),
        ("No", "yes-no", YES),
        ("Yes and no", "yes-no", YES),
        ("He was.", "yes-no", YES),
        ("Paris", "where", []),
        ("None", "who", PARIS),
        ("Nobody", "who", PARIS),
        ("none", "which", entities("Paris", "London")),
    ],
)
def test_wrong(reply: str, kind: QuestionKind, answers: Sequence[Answer]) -> None:
    assert score(reply, kind, answers) == WRONG


@pytest.mark.parametrize(
    ("reply", "kind", "answers"),
    [
        ("unsure", "where", PARIS),
        ("", "where", PARIS),
        ("I don't know, Paris is not where he was born.", "where", PARIS),
        ("No information available", "yes-no", NO),
        ("No information", "how-many", literals("integer", "0")),
        ("unsure", "who", entities("Paris", "London")),
        ("Answer: unknown", "who", []),
    ],
)
def test_missing(reply: str, kind: QuestionKind, answers: Sequence[Answer]) -> None:
    assert score(reply, kind, answers) == MISSING


@pytest.mark.parametrize(
    ("reply", "answers", "f1", "rouge_l"),
    [
        # 2 x common tokens / (tokens of the reply + tokens of the answer)
        ("It was not Paris", PARIS, 2 / 5, 2 / 5),
        ("He was born in Paris, the capital of France.", PARIS, 2 / 9, 2 / 9),  # "the" does not count
        ("It is not Paris but London", PARIS, 2 / 7, 2 / 7),
        ("Tolkien, not J. R. R. but Christopher", entities("J. R. R. Tolkien"), 4 / 7, 2 / 7),
        ("Reuel Tolkien", entities("John Ronald Reuel Tolkien"), 4 / 6, 4 / 6),
        ("C. Tolkien", entities("John Tolkien"), 2 / 4, 2 / 4),
        ("April 1912", FIRST_OF_APRIL, 4 / 5, 4 / 5),
        ("1912", FIRST_OF_APRIL, 2 / 4, 2 / 4),
        ("4 January 1912", FIRST_OF_APRIL, 2 / 6, 2 / 6),
        ("He was born on April 1, 1912.", FIRST_OF_APRIL, 6 / 10, 6 / 10),
        ("2 April 1912", FIRST_OF_APRIL, 4 / 6, 4 / 6),
        ("the Old Man of the Sea", entities("The Old Man and the Sea"), 6 / 8, 6 / 8),
        ("Sea Man Old", entities("Old Man Sea"), 6 / 6, 2 / 6),
        ("東京", entities("東京都"), 4 / 5, 4 / 5),
        ("Paris Paris", PARIS, 2 / 3, 2 / 3),
    ],
)
def test_partly_right(reply: str, answers: Sequence[Answer], f1: float, rouge_l: float) -> None:
    assert astuple(score(reply, "what", answers)) == pytest.approx((False, 0, f1, rouge_l, 0, 0))


def test_a_count_is_only_read_out_of_a_sentence_when_asked_for() -> None:
    assert score("It is 3 km long.", "how-many", COUNT) == RIGHT
    assert astuple(score("It is 3 km long.", "what", COUNT)) == pytest.approx((False, 0, 2 / 6, 2 / 6, 0, 0))
    assert score("At least 3", "how-many", COUNT).exact == 0


def test_the_best_of_all_names_counts() -> None:
    munich = {NS + "0": ["München", "Landeshauptstadt München"]}
    assert score("München", "where", entities("Munich"), munich) == RIGHT
    assert score("Landeshauptstadt", "where", entities("Munich"), munich).f1 == pytest.approx(2 / 3)
    assert score("Landeshauptstadt", "where", entities("Munich")).f1 == 0


BAND = entities("John Lennon", "Paul McCartney", "George Harrison", "Ringo Starr")


@pytest.mark.parametrize(
    "reply",
    [
        "John Lennon, Paul McCartney, George Harrison and Ringo Starr",
        "John Lennon, Paul McCartney, George Harrison, and Ringo Starr.",
        "Ringo Starr; George Harrison; Paul McCartney; John Lennon",
        "John Lennon\nPaul McCartney\nGeorge Harrison\nRingo Starr",
        "- John Lennon\n- Paul McCartney\n- George Harrison\n- Ringo Starr",
        "* **John Lennon**\n* **Paul McCartney**\n* **George Harrison**\n* **Ringo Starr**",
        "1. John Lennon\n2. Paul McCartney\n3. George Harrison\n4. Ringo Starr",
        "1. John Lennon 2. Paul McCartney 3. George Harrison 4. Ringo Starr",
        "The members are: John Lennon, Paul McCartney, George Harrison, Ringo Starr",
        "The members are:\n\n• J. Lennon\n• P. McCartney\n• G. Harrison\n• R. Starr",
        "Lennon, John; McCartney, Paul; Harrison, George; Starr, Ringo",
        "John Lennon、Paul McCartney、George Harrison、Ringo Starr",
        "John Lennon und Paul McCartney, George Harrison & Ringo Starr",
        "John Lennon,Paul McCartney,George Harrison,Ringo Starr, and John Lennon",
    ],
)
def test_all_of_several(reply: str) -> None:
    assert score(reply, "who", BAND) == RIGHT


@pytest.mark.parametrize(
    ("reply", "precision", "recall", "f1"),
    [
        ("John Lennon", 1, 1 / 4, 2 / 5),
        ("John Lennon and Ringo Starr", 1, 2 / 4, 4 / 6),
        ("John Lennon, Mick Jagger", 1 / 2, 1 / 4, 2 / 6),
        ("John Lennon, Paul McCartney, George Harrison, Ringo Starr, Pete Best", 4 / 5, 1, 8 / 9),
        ("Mick Jagger", 0, 0, 0),
        # a wrong part is paired with the likest answer that is left: 2 x 1 / (2 + 2) tokens in common
        ("John Lennon, Pete McCartney", 1 / 2, 1 / 4, 2 * 1.5 / 6),
        # two wrong parts want the same answer; one of them gets it
        ("Pete McCartney, Linda McCartney", 0, 0, 2 * 0.5 / 6),
    ],
)
def test_some_of_several(reply: str, precision: float, recall: float, f1: float) -> None:
    assert astuple(score(reply, "who", BAND)) == pytest.approx((False, 0, f1, f1, precision, recall))


def test_a_name_may_hold_what_separates_names() -> None:
    bands = entities("Crosby, Stills, Nash & Young", "Simon and Garfunkel", "Earth, Wind & Fire")
    assert score("Simon & Garfunkel, Earth, Wind and Fire, and Crosby, Stills, Nash & Young", "which", bands) == RIGHT
    assert score("Earth", "which", bands).exact == 0
    places = entities("Paris", "Paris, Texas", "Texas")
    assert score("Paris, Texas", "where", places).recall == pytest.approx(1 / 3), "the longest name is taken"
    assert score("Paris\nTexas\nParis, Texas", "where", places) == RIGHT
    novels = entities("And Then There Were None", "3. Liga", "Mission: Impossible")
    assert score("3. Liga, And Then There Were None and Mission: Impossible", "which", novels) == RIGHT


def test_one_of_several_may_look_like_a_missing_reply() -> None:
    assert score("Unknown, No Idea, Paris", "which", entities("Unknown", "No Idea", "Paris")) == RIGHT
    assert score("Unknown", "which", entities("Unknown", "Paris")).recall == pytest.approx(1 / 2)


def test_several_dates_and_numbers() -> None:
    dates = literals("date", "1912-04-01", "1913-05-02")
    assert score("April 1, 1912 and May 2, 1913", "when", dates) == RIGHT
    assert score("1/4/1912, 2/5/1913", "when", dates) == RIGHT
    assert score("1,234 and 5,678", "what", literals("integer", "1234", "5678")) == RIGHT
    assert score("in 1912 and 1913", "when", literals("gYear", "1912", "1913")) == RIGHT


def test_names_that_are_alike_find_their_own_answers() -> None:
    smiths = entities("John Smith", "J. Smith", "James Smith")
    for reply in ("James Smith\nJ. Smith\nJohn Smith", "J. Smith\nJohn Smith\nJames Smith"):
        assert score(reply, "who", smiths) == RIGHT
    shared = {NS + "0": ["Hamburg"]}
    assert score("Hamburg, Hansestadt", "where", entities("Hansestadt", "Hamburg"), shared) == RIGHT


def test_entities_of_the_same_name_are_one_answer() -> None:
    assert score("Paris", "where", entities("Paris", "Paris", "London")).recall == pytest.approx(1 / 2)
    assert score("Paris", "where", entities("Paris", "Paris")) == RIGHT


def test_unanswered_and_long_replies() -> None:
    assert score("Paris", "what", literals("string", "", "")).exact == 0
    assert score("I don't know all of them, but I think John Lennon", "who", BAND).missing is False
    assert score("Paris " * 2000, "where", PARIS).f1 == pytest.approx(2 / 2001)


NAMES = (
    st.text(min_size=1, max_size=20)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: any(c.isalnum() for c in text))
)


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_who_says_all_labels_is_right(labels: list[str]) -> None:
    assert score("\n".join(labels), "which", entities(*labels)).exact == 1


@given(st.text(max_size=60), st.lists(NAMES, max_size=3))
def test_scores_are_shares(reply: str, labels: list[str]) -> None:
    given = score(reply, "what", entities(*labels))
    values = astuple(given)[1:]
    assert all(0 <= value <= 1 for value in values)
    assert min(given.f1, given.rouge_l) >= given.exact
    assert len(labels) > 1 or given.rouge_l <= given.f1
    assert not given.missing or not any(values)


def test_without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def lacking(name: str, *rest: object) -> ModuleType:
        if name.startswith("rapidfuzz"):
            raise ImportError(name)
        return whole(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(UsageError, match="ROUGE-L needs the package rapidfuzz") as refused:
        score("London", "where", PARIS)
    assert refused.value.hint == "run: pip install 'chattygen[evaluate]'"
