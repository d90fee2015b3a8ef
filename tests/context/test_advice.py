from __future__ import annotations

import pytest

from chattygen.config import RDF_TYPE, GraphSettings, RunSettings
from chattygen.context.advice import refusal, unfit
from chattygen.context.outlook import Outlook, outlooks, types_of
from chattygen.domain import NodeType
from chattygen.errors import GraphError
from chattygen.kg.profile import Profile

from .conftest import SETTINGS, Load, V
from .test_odd_graphs import MEMBERS, PLACES, WIKIDATA
from .test_outlook import FLAT

RUN = RunSettings(kg="odd", rare=0.0)
P31 = "http://www.wikidata.org/prop/direct/P31"
CANNOT = "the graph odd cannot make dialogues: "


def refused(loaded: Load, turtle: str, settings: GraphSettings = SETTINGS, run: RunSettings = RUN) -> GraphError | None:
    graph, profile = loaded(turtle, settings)
    types = types_of(graph, profile, settings, run)
    found = list(outlooks(graph, profile, types[0], settings, run))
    return refusal("odd", profile, types, found, settings, run)


VOCABULARY = 'v:Book a rdfs:Class ; rdfs:label "book" . v:title a rdf:Property .'
NO_TYPES = ':a v:likes :b . :b rdfs:label "Bo" .'
BLANK = '[] a v:Book ; rdfs:label "Salt Roads" . [] a v:Book ; rdfs:label "Long Field" .'
OPAQUE = ':a a v:Q7 ; rdfs:label "Anton" . :b a v:Q7 ; rdfs:label "Berta" .'
CODES = "".join(f':e{n} a v:Town ; rdfs:label "Town {w}" ; v:p1 1 ; v:p22 2 .' for n, w in enumerate("abc"))
TWO_FACTS = ':a a v:Town ; rdfs:label "Anton" ; v:mayor :b ; v:river :c . :b rdfs:label "Bo" . :c rdfs:label "Cam" .'
UNNAMED = ':a a v:Town ; rdfs:label "Anton" ; v:mayor <http://x.org/1> ; v:river <http://x.org/2> ; v:size 7 .'
MOSTLY_NAMELESS = ":p1 a v:Person . :p2 a v:Person . :p3 a v:Person ; v:town :a . " + TWO_FACTS
FOREIGN = ':a a v:Town ; rdfs:label "Anton" ; v:motto "Vite"@fr ; v:song "Ronde"@fr ; v:size 7 .'


@pytest.mark.parametrize(
    ("turtle", "settings", "what", "hint"),
    [
        (
            WIKIDATA,
            SETTINGS,
            f"nothing in it has a class under {RDF_TYPE}",
            f"set type_predicate in a recipe, perhaps to {P31}",
        ),
        (
            NO_TYPES,
            SETTINGS,
            f"nothing in it has a class under {RDF_TYPE}",
            "set type_predicate in a recipe, if another predicate says it",
        ),
        (
            VOCABULARY,
            SETTINGS,
            "none of its classes is left (2 metadata)",
            "load the data with the vocabulary, or set type_predicate in the recipe",
        ),
        (
            TWO_FACTS,
            GraphSettings(domain=("http://elsewhere.example/",)),
            "none of its classes is left (1 outside the domain)",
            "see domain in the recipe: only classes whose IRI begins so are used",
        ),
        (
            TWO_FACTS,
            GraphSettings(include_types=(V + "Village",)),
            "none of its classes is left (1 excluded by the settings)",
            "see include_types and exclude_types in the recipe",
        ),
        (
            BLANK,
            SETTINGS,
            "none of its classes is left (1 blank nodes)",
            "what has no IRI cannot be asked for: give the entities IRIs before the load",
        ),
        (
            OPAQUE,
            SETTINGS,
            "none of its classes is left (1 no readable name)",
            "give the classes names under predicate_labels in the recipe, or load the file that has them",
        ),
        (
            PLACES,
            SETTINGS,
            "its entities have no names (place, ward)",
            "set labels in a recipe to the predicates that name them, or load a file of names with the graph",
        ),
        (
            MOSTLY_NAMELESS,
            SETTINGS,
            "most of its entities have no names (person)",
            "set labels in a recipe to the predicates that name them, or load a file of names with the graph",
        ),
        (
            FLAT,
            GraphSettings(language="en, fr"),
            "its entities have no names (corporation)",
            "set labels in a recipe to the predicates that name them, or load a file of names with the graph; "
            "language = 'en, fr' takes no other languages",
        ),
        (
            FLAT,
            GraphSettings(labels={V + "Corporation": (V + "brand", V + "suffix")}),
            f"{V}brand + {V}suffix names no corporation that was looked at",
            "mend labels in the recipe",
        ),
        (
            FLAT,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a corporation, has 0",
            "load what they are linked to as well; nothing in a recipe helps",
        ),
        (
            TWO_FACTS,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a town, has 2",
            "load what they are linked to as well; ask for --min-questions 2",
        ),
        (
            UNNAMED,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a town, has 1",
            "load the names of what they link to as well, or set labels for those classes in the recipe",
        ),
        (
            FOREIGN,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a town, has 1",
            "set language in the recipe, for example to: de, en, *",
        ),
        (
            CODES,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a town, has 0",
            "give the predicates names under predicate_labels in the recipe",
        ),
        (
            MEMBERS,
            SETTINGS,
            "no entity that was looked at has 3 facts to ask about; the richest, a country, has 2",
            "facts that go through blank nodes are left out: link their two ends directly before the load",
        ),
    ],
)
def test_what_is_missing_and_what_could_mend_it(
    loaded: Load, turtle: str, settings: GraphSettings, what: str, hint: str
) -> None:
    error = refused(loaded, turtle, settings)
    assert error is not None
    assert (error.message, error.hint, error.exit_code) == (CANNOT + what, hint, 1)


def test_a_good_graph_is_looked_at_no_further_than_its_first_good_type(
    loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, profile = loaded(CODES + TWO_FACTS)
    types = types_of(graph, profile, SETTINGS, RUN)
    two = RunSettings(kg="odd", rare=0.0, min_questions=2)
    asked: list[str] = []
    select = graph.select

    def counted(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(query, deadline=deadline)

    monkeypatch.setattr(graph, "select", counted)
    assert unfit(graph, "odd", profile, types, SETTINGS, two) is None
    once = len(asked)
    twice = (types[0] * 2, types[1])
    assert unfit(graph, "odd", profile, twice, SETTINGS, two) is None
    assert len(asked) == 2 * once
    error = unfit(graph, "odd", profile, types, SETTINGS, two, askable=lambda subgraph: 0)
    assert error is not None
    assert error.message.endswith("has 2 facts to ask about; the richest, a town, has 0")


@pytest.mark.parametrize(
    ("turtle", "settings"),
    [
        (WIKIDATA, GraphSettings(type_predicate=P31)),
        (PLACES, GraphSettings(labels={"*": (f"{V}name / {V}text",)})),
        (FOREIGN, GraphSettings(language="fr, en")),
        (CODES, GraphSettings(predicate_labels={V + "p1": "height", V + "p22": "area"})),
    ],
)
def test_the_advice_helps(loaded: Load, turtle: str, settings: GraphSettings) -> None:
    run = RunSettings(kg="odd", rare=0.0, min_questions=2)
    assert refused(loaded, turtle, settings, run) is None


def test_a_long_list_of_classes_is_cut() -> None:
    kinds = [NodeType(f"http://x.org/{name}", name, 9, 0.2) for name in ("film", "actor", "city", "prize", "year")]
    error = refusal("odd", ONE_CLASS, (tuple(kinds), ()), [Outlook(kind, None) for kind in kinds], SETTINGS, RUN)
    assert error is not None
    assert error.message == f"{CANNOT}its entities have no names (film, actor, city and 2 more classes)"


ONE_CLASS = Profile.model_validate(
    {"triples": 9, "entities": 9, "classes": [{"iri": "http://x.org/film", "count": 9, "blank": 0}], "predicates": []}
)


def test_one_good_type_is_enough() -> None:
    kind = NodeType("http://x.org/film", "film", 9, 1.0)
    good = Outlook(kind, None, good=True)
    assert refusal("odd", ONE_CLASS, ((kind,), ()), [Outlook(kind, None), good], SETTINGS, RUN) is None
