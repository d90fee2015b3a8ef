from __future__ import annotations

from collections.abc import Sequence

import pytest

from chattygen.config import GraphSettings
from chattygen.context.labels import Candidate, candidates, rule, users_rule
from chattygen.context.samples import Relation, TypeSample, take
from chattygen.domain import LabelRule, Literal, NodeType, Term
from chattygen.kg.oxigraph import OxigraphGraph

from .conftest import BOOK, KG, RDFS_LABEL, RUN, SETTINGS, WRITER, V


def sampled(**columns: Sequence[str | None]) -> TypeSample:
    """A sample whose entities e0, e1, ... have one literal per column, or none."""
    size = len(next(iter(columns.values())))
    entities = tuple(f"e{i}" for i in range(size))
    predicates = {"label": RDFS_LABEL}
    values: dict[Relation, dict[str, frozenset[Term]]] = {
        (predicates.get(name, V + name), "out"): {
            e: frozenset({Literal(text)}) for e, text in zip(entities, column, strict=True) if text is not None
        }
        for name, column in columns.items()
    }
    counts: dict[Relation, dict[str, int]] = {relation: dict.fromkeys(found, 1) for relation, found in values.items()}
    return TypeSample(NodeType(V + "T", "t", size, 1.0), entities, counts, values)


def offered(sample: TypeSample, settings: GraphSettings = SETTINGS) -> list[tuple[str, ...]]:
    return [c.predicates for c in candidates(sample, settings, 12)]


def test_writers_are_named_by_given_and_family_name(library: OxigraphGraph) -> None:
    found = candidates(take(library, WRITER, SETTINGS, RUN), SETTINGS, 12)
    assert [c.predicates for c in found] == [(V + "givenName", V + "familyName")]
    assert (found[0].coverage, found[0].distinct, found[0].words) == (1.0, 5 / 6, 2)


def test_books_are_named_by_their_title_and_not_by_language_or_isbn(library: OxigraphGraph) -> None:
    found = candidates(take(library, BOOK, SETTINGS, RUN), SETTINGS, 12)
    assert [(c.predicates, c.coverage, c.distinct) for c in found] == [((V + "title",), 1.0, 1.0)]
    assert len(found[0].examples) == 3


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (["Ada", None, "Bo", None, "Chidi"], "3 of 5 are enough"),
        (["Ada", "Ada", "Ada", "Bo", "Chidi"], "3 of 5 distinct are enough"),
    ],
)
def test_what_is_just_good_enough(column: list[str | None], why: str) -> None:
    assert offered(sampled(name=["Paul" if c == "Ada" else c for c in column])) == [(V + "name",)], why


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (["Anton", None, "Boris", None, None], "2 of 5 are too few"),
        (["Anton", "Anton", "Anton", "Anton", "Boris"], "2 of 5 distinct are too few"),
        (["1901", "1902", "1903", "1904", "1905"], "numbers"),
        (["1901-01-01", "1902-01-01", "1903-01-01", "1904-01-01", "1905-01-01"], "dates"),
        (["A1000", "A1001", "A1002", "A1003", "A1004"], "ids"),
        (["AT", "BE", "CZ", "DE", "ES"], "codes"),
        (["http://x.org/a", "http://x.org/b", "http://x.org/c", "http://x.org/d", "http://x.org/e"], "addresses"),
        ([f"{n} one two three four five six seven eight nine ten eleven twelve" for n in "abcde"], "13 words"),
    ],
)
def test_what_cannot_be_a_name(column: list[str | None], why: str) -> None:
    assert offered(sampled(name=column)) == [], why


def test_a_remark_is_no_name_but_a_short_text_is_if_there_is_none() -> None:
    remarks = [f"for the discovery of the {n} effect" for n in ("first", "second", "third", "fourth", "fifth")]
    assert offered(sampled(comment=remarks)) == []  # seven words
    short = ["basted eggs", "wheat thins", "crepe batter", "plain spaetzle", "apple cake"]
    assert offered(sampled(definition=short)) == [(V + "definition",)]
    assert offered(sampled(definition=short, name=["Eggs", "Thins", "Batter", "Spaetzle", "Cake"])) == [(V + "name",)]


def test_equal_names_are_offered_once_under_the_usual_predicate() -> None:
    names = ["Anton", "Berta", "Chidi", "Dora", "Emil"]
    assert offered(sampled(label=names, primaryCreatorName=names)) == [(RDFS_LABEL,)]


def test_a_label_that_repeats_the_title_and_says_more_is_left_out() -> None:
    titles = ["Salt Roads", "Long Field", "Amber Road", "Blue Ferry", "Paper Bridge"]
    labels = [f"A. Wu: {title}. (2015)" for title in titles]
    assert offered(sampled(label=labels, title=titles)) == [(V + "title",)]


def test_the_better_known_name_comes_first() -> None:
    found = candidates(
        sampled(fullName=["Anton A", "Berta B", "Chidi C"], name=["Anton", "Berta", "Chidi X"]), SETTINGS, 12
    )
    assert found[0].predicates == (V + "name",)


def test_rules() -> None:
    candidate = Candidate((V + "title",), 0.9, 1.0, 2, ("a",))
    assert rule(BOOK, candidate, "model") == LabelRule(BOOK.iri, (V + "title",), 0.9, "model")


def test_the_users_choice_is_taken_with_its_coverage(library: OxigraphGraph) -> None:
    sample = take(library, WRITER, SETTINGS, RUN)
    settings = GraphSettings(labels={WRITER.iri: (V + "alias",)})
    assert users_rule(sample, settings) == LabelRule(WRITER.iri, (V + "alias",), 1 / 6, "user")
    assert users_rule(sample, SETTINGS) is None
    assert sample.literals(V + "alias") == {KG + "w1": (Literal("Ada Lindqvist the Elder"),)}
