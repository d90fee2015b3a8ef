"""Graphs that are typed, labelled or written in odd ways, each small enough to be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chattygen.config import RDF_TYPE, GraphSettings, RunSettings, check
from chattygen.context.descriptions import class_labels
from chattygen.context.facts import Names
from chattygen.context.knowledge import learn
from chattygen.context.labels import candidates, users_rule
from chattygen.context.outlook import types_of
from chattygen.context.samples import take
from chattygen.context.seeds import SeedSource, seeds_from_entities
from chattygen.context.subgraphs import extract
from chattygen.context.summary import full, summarised
from chattygen.domain import XSD, Fact, Iri, LabelRule, Literal, NodeType, Question, Seed, Subgraph, Value
from chattygen.errors import ConfigError
from chattygen.generation.queries import build
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile

from .conftest import KG, RDFS_LABEL, SETTINGS, Load, V

RUN = RunSettings(kg="odd", rare=0.0)
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"


def seeds_of(graph: KnowledgeGraph, kind: NodeType, label: Sequence[str], settings: GraphSettings) -> dict[str, str]:
    """The last part of the IRI -> the label, of all seeds of a type."""
    rule = LabelRule(kind.iri, tuple(label), 1.0, "only")
    return {s.iri.rsplit("/", 1)[1]: s.label for s in SeedSource(graph, kind, rule, settings, RUN)}


def around(
    graph: KnowledgeGraph, profile: Profile, seed: str, settings: GraphSettings, run: RunSettings = RUN
) -> Subgraph:
    """The subgraph of one entity, from what is learned about its type as in a run."""
    kept, _ = types_of(graph, profile, settings, run)
    rules = {}
    for kind in kept:
        sample = take(graph, kind, settings, run)
        found = candidates(sample, settings, run.max_label_words)
        if named := users_rule(sample, settings) or (found and LabelRule(kind.iri, found[0].predicates, 1.0, "only")):
            rules[kind.iri] = named
    counts = {found.iri: found.count for found in profile.classes}
    names = Names(rules, class_labels(graph, counts, settings), counts, frozenset(rules))
    (entity,), _ = seeds_from_entities(graph, [seed], kept, rules, settings, run)
    kind = next(t for t in kept if t.iri == entity.node_type)
    learned = learn(graph, take(graph, kind, settings, run), rules[kind.iri], settings, run)
    return extract(graph, entity, learned, names, settings, run)


def reasons(subgraph: Subgraph) -> dict[str, str]:
    """The last part of a predicate's IRI -> why it is not asked about."""
    return {d.predicate.replace("#", "/").rsplit("/", 1)[1]: d.reason for d in subgraph.dropped}


# ---------------------------------------------------------------------------------------------------------------------
# Typed by P31, predicates named elsewhere

WIKIDATA = """
wd:Q5 rdfs:label "human"@en, "Mensch"@de .
wd:Q515 rdfs:label "city"@en, "Stadt"@de .
wd:P19 wikibase:directClaim wdt:P19 ; rdfs:label "place of birth"@en, "Geburtsort"@de .
wd:P569 wikibase:directClaim wdt:P569 ; rdfs:label "date of birth"@en, "Geburtsdatum"@de .
wd:P737 wikibase:directClaim wdt:P737 ; rdfs:label "beeinflusst von"@de .
wd:Q1 wdt:P31 wd:Q5 ; rdfs:label "Ada Lind"@en, "Ada von Lind"@de ; wdt:P19 wd:Q10 ;
    wdt:P569 "1900-01-02"^^xsd:date ; wdt:P737 wd:Q3 ; wdt:P999 wd:Q10 .
wd:Q2 wdt:P31 wd:Q5 ; rdfs:label "Bo Berg"@en ; wdt:P19 wd:Q11 ; wdt:P569 "1911-05-06"^^xsd:date .
wd:Q3 wdt:P31 wd:Q5 ; rdfs:label "Chidi Okafor"@de ; wdt:P19 wd:Q10 ; wdt:P569 "1922-07-08"^^xsd:date .
wd:Q10 wdt:P31 wd:Q515 ; rdfs:label "Lund"@en .
wd:Q11 wdt:P31 wd:Q515 ; rdfs:label "Cologne"@en, "Köln"@de .
"""
BY_P31 = GraphSettings(type_predicate=WDT + "P31")


def in_language(language: str) -> GraphSettings:
    return GraphSettings(type_predicate=WDT + "P31", language=language)


HUMAN = NodeType(WD + "Q5", "human", 3, 3 / 5)


def test_classes_under_another_predicate_labelled_elsewhere(loaded: Load) -> None:
    graph, profile = loaded(WIKIDATA, BY_P31)
    kept, dropped = types_of(graph, profile, BY_P31, RUN)
    assert kept == (HUMAN, NodeType(WD + "Q515", "city", 2, 2 / 5))
    assert dropped == ()
    german = in_language("de, en")
    assert [t.label for t in types_of(graph, profile, german, RUN)[0]] == ["Mensch", "Stadt"]


def test_predicates_are_named_by_the_node_that_stands_for_them(loaded: Load) -> None:
    graph, profile = loaded(WIKIDATA, BY_P31)
    subgraph = around(graph, profile, WD + "Q1", BY_P31)
    born = Literal("1900-01-02", XSD + "date")
    lund, chidi = Value(Iri(WD + "Q10"), "Lund", "city"), Value(Iri(WD + "Q3"), "Chidi Okafor", "human")
    assert subgraph.facts == (
        Fact(WDT + "P19", "place of birth", "out", (lund,), 1, "entity", "city"),
        Fact(WDT + "P569", "date of birth", "out", (Value(born, "1900-01-02"),), 1, "date"),
        # Named in German only, and its IRI says nothing.
        Fact(WDT + "P737", "beeinflusst von", "out", (chidi,), 1, "entity", "human"),
    )
    assert reasons(subgraph) == {"P31": "metadata", "P999": "predicate without a label", "label": "label"}


def test_the_first_language_names_predicates_too(loaded: Load) -> None:
    settings = in_language("de, en")
    graph, profile = loaded(WIKIDATA, settings)
    subgraph = around(graph, profile, WD + "Q2", settings)
    assert [(f.predicate_label, f.values[0].label) for f in subgraph.facts] == [
        ("Geburtsort", "Köln"),
        ("Geburtsdatum", "1911-05-06"),
    ]


def test_predicates_that_the_sample_did_not_show_cost_two_queries_more_where_they_are_opaque(
    loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, _ = loaded(WIKIDATA, BY_P31)
    rule = LabelRule(HUMAN.iri, (RDFS_LABEL,), 1.0, "only")
    learned = learn(graph, take(graph, HUMAN, BY_P31, RUN), rule, BY_P31, RUN)
    assert {p.removeprefix(WDT): name for p, name in learned.predicates.items() if p.startswith(WDT)} == {
        "P31": "",
        "P19": "place of birth",
        "P569": "date of birth",
        "P737": "beeinflusst von",
        "P999": "",
    }
    asked: list[str] = []
    select = graph.select

    def counted(query: str, *, deadline: float = 30.0) -> object:
        asked.append(query)
        return select(query, deadline=deadline)

    monkeypatch.setattr(graph, "select", counted)
    seed = Seed(WD + "Q1", "Ada Lind", HUMAN.iri, "human")
    names = Names({HUMAN.iri: rule}, {WD + "Q515": "city", HUMAN.iri: "human"}, {}, frozenset())
    known = extract(graph, seed, learned, names, BY_P31, RUN)
    # Counts out and in, the ends outwards, the neighbours; nobody points to Ada Lind.
    assert len(asked) == 4
    asked.clear()
    assert extract(graph, seed, replace(learned, predicates={}), names, BY_P31, RUN) == known
    assert len(asked) == 6
    assert sum("directClaim" in query for query in asked) == 1


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", {"Q1": "Ada Lind", "Q2": "Bo Berg", "Q3": "Chidi Okafor"}),
        ("de, en", {"Q1": "Ada von Lind", "Q2": "Bo Berg", "Q3": "Chidi Okafor"}),
        ("en,", {"Q1": "Ada Lind", "Q2": "Bo Berg"}),
        ("de,", {"Q1": "Ada von Lind", "Q3": "Chidi Okafor"}),
    ],
)
def test_seeds_in_the_languages_asked_for(loaded: Load, language: str, names: dict[str, str]) -> None:
    settings = in_language(language)
    graph, _ = loaded(WIKIDATA, settings)
    assert seeds_of(graph, HUMAN, [RDFS_LABEL], settings) == names


def test_the_coverage_of_a_label_counts_the_languages_asked_for(loaded: Load) -> None:
    settings = in_language("de,")
    graph, _ = loaded(WIKIDATA, settings)
    (found,) = candidates(take(graph, HUMAN, settings, RUN), settings, 12)
    assert (found.predicates, found.coverage, found.distinct) == ((RDFS_LABEL,), 2 / 3, 1.0)
    assert sorted(found.examples) == ["Ada von Lind", "Chidi Okafor"]


def test_an_entity_of_a_class_that_was_not_kept_is_called_what_the_graph_calls_its_class(loaded: Load) -> None:
    graph, _ = loaded(WIKIDATA, BY_P31)
    seeds, _ = seeds_from_entities(graph, [WD + "Q10"], [HUMAN], {}, BY_P31, RUN)
    assert seeds == (Seed(WD + "Q10", "Lund", WD + "Q515", "city"),)


@pytest.mark.parametrize(
    ("language", "kind", "predicate"),
    [("en", "town", "birth place"), ("en, *", "town", "birth place"), ("de, en", "Ort", "Geburtsort")],
)
def test_words_of_a_language_that_nobody_asked_for_do_not_replace_a_readable_iri(
    loaded: Load, language: str, kind: str, predicate: str
) -> None:
    settings = GraphSettings(language=language)
    german = 'v:Town rdfs:label "Ort"@de . v:birthPlace rdfs:label "Geburtsort"@de . '
    graph, profile = loaded(german + ':a a v:Town ; rdfs:label "Anton" ; v:birthPlace :b . :b rdfs:label "Bo" .')
    assert [t.label for t in types_of(graph, profile, settings, RUN)[0]] == [kind]
    assert [f.predicate_label for f in around(graph, profile, KG + "a", settings).facts] == [predicate]


# ---------------------------------------------------------------------------------------------------------------------
# Names two hops away

PLACES = """
:p1 a v:Place ; v:name :n1 ; v:near :p2, :p3 ; v:opened "1901"^^xsd:gYear ; v:ward :q1 .
:p2 a v:Place ; v:name :n2 ; v:near :p1 ; v:opened "1902"^^xsd:gYear ; v:ward :q1 .
:p3 a v:Place ; v:name [ v:text "Red Roof" ] ; v:near :p1 ; v:opened "1903"^^xsd:gYear ; v:ward :q1 .
:q1 a v:Ward ; v:name [ v:text "Old Town"@en, "Altstadt"@de ] .
:n1 v:text "Blue Door" ; v:kind "official" . :n2 v:text "Green Gate" ; v:kind "official" .
"""
NAME = f"{V}name / {V}text"
TWO_HOPS = GraphSettings(labels={"*": (NAME,)})
PLACE = NodeType(V + "Place", "place", 3, 3 / 4)


def test_names_two_hops_away_through_nodes_with_and_without_iris(loaded: Load) -> None:
    graph, profile = loaded(PLACES, TWO_HOPS)
    assert candidates(take(graph, PLACE, SETTINGS, RUN), SETTINGS, 12) == ()
    sample = take(graph, PLACE, TWO_HOPS, RUN)
    assert users_rule(sample, TWO_HOPS) == LabelRule(PLACE.iri, (NAME,), 1.0, "user")
    assert seeds_of(graph, PLACE, [NAME], TWO_HOPS) == {"p1": "Blue Door", "p2": "Green Gate", "p3": "Red Roof"}
    subgraph = around(graph, profile, KG + "p2", TWO_HOPS)
    assert [(f.predicate_label, f.direction, [v.label for v in f.values]) for f in subgraph.facts] == [
        ("near", "out", ["Blue Door"]),
        ("opened", "out", ["1902"]),
        ("ward", "out", ["Old Town"]),
        ("near", "in", ["Blue Door"]),
    ]
    assert reasons(subgraph) == {"name": "label", "type": "metadata"}


@pytest.mark.parametrize("path", ["not an iri", "http://x.org/a / http://x.org/b / http://x.org/c", ""])
def test_a_label_is_a_predicate_or_two(path: str) -> None:
    with pytest.raises(ConfigError, match=r"^r\.toml: key labels: got "):
        check({"labels": {"*": [path]}}, GraphSettings, "r.toml")


# ---------------------------------------------------------------------------------------------------------------------
# Labels by the user, for one class or for all

SHIPS = """
:s1 a v:Ship ; v:painted "Aurora" ; rdfs:label "hull 17 a" ; v:home :h1 .
:s2 a v:Ship ; v:painted "Boreas" ; rdfs:label "hull 18 b" ; v:home :h1 .
:h1 a v:Harbour ; v:sign "North Quay" ; rdfs:label "harbour record" .
"""


def test_labels_for_all_classes_give_way_to_those_for_one_and_to_what_is_found(loaded: Load) -> None:
    settings = GraphSettings(labels={V + "Ship": (V + "painted",), "*": (V + "sign",)})
    graph, profile = loaded(SHIPS, settings)
    ship, harbour = (
        take(graph, NodeType(V + name, name.lower(), 1, 1.0), settings, RUN) for name in ("Ship", "Harbour")
    )
    assert users_rule(ship, settings) == LabelRule(V + "Ship", (V + "painted",), 1.0, "user")
    assert users_rule(harbour, settings) == LabelRule(V + "Harbour", (V + "sign",), 1.0, "user")
    only = GraphSettings(labels={"*": (V + "sign",)})
    assert users_rule(ship, only) is None  # it names no ship, so what is found will
    home = around(graph, profile, KG + "s1", settings).facts[0]
    assert (home.predicate_label, home.values[0].label) == ("home", "North Quay")


@pytest.mark.parametrize("of", [V + "Harbour", "*"])
def test_a_neighbour_of_a_class_without_seeds_is_named_as_the_settings_say(loaded: Load, of: str) -> None:
    settings = GraphSettings(labels={of: (V + "sign",)}, exclude_types=(V + "Harbour",))
    graph, profile = loaded(SHIPS, settings)
    assert around(graph, profile, KG + "s1", settings).facts[0].values[0].label == "North Quay"


# ---------------------------------------------------------------------------------------------------------------------
# Include and exclude lists

PARTS = """
:a a v:Engine, <http://other.example/Thing> ; rdfs:label "Alpha" ; v:maker :m ; v:serial_no "k-k" ;
    <http://x.org/q> :m .
:b a v:Engine, v:Draft ; rdfs:label "Beta" ; v:maker :m .
:m a v:Maker ; rdfs:label "Mills" .
"""


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (GraphSettings(), {"Engine", "Thing", "Draft", "Maker"}),
        (GraphSettings(include_types=(V + "*",)), {"Engine", "Draft", "Maker"}),
        (GraphSettings(include_types=(V + "Maker", "http://other.example/*")), {"Thing", "Maker"}),
        (GraphSettings(include_types=(V + "*",), exclude_types=(V + "D*",)), {"Engine", "Maker"}),
        (GraphSettings(exclude_types=(V + "Eng",)), {"Engine", "Thing", "Draft", "Maker"}),
    ],
)
def test_classes_by_list(loaded: Load, settings: GraphSettings, kept: set[str]) -> None:
    graph, profile = loaded(PARTS, settings)
    types, dropped = types_of(graph, profile, settings, replace(RUN, shadowed=1.0))
    assert {t.iri.rsplit("/", 1)[1] for t in types} == kept
    assert {t.reason for t in dropped} <= {"excluded by the settings"}


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        (GraphSettings(), {V + "maker", "http://x.org/q", V + "serial_no"}),
        (GraphSettings(include_predicates=(V + "*",)), {V + "maker", V + "serial_no"}),
        (GraphSettings(exclude_predicates=(V + "ser*", "http://x.org/q")), {V + "maker"}),
        (GraphSettings(include_predicates=(V + "*",), exclude_predicates=(V + "maker",)), {V + "serial_no"}),
    ],
)
def test_predicates_by_list(loaded: Load, settings: GraphSettings, asked: set[str]) -> None:
    graph, profile = loaded(PARTS, settings)
    subgraph = around(graph, profile, KG + "a", settings)
    assert {fact.predicate for fact in subgraph.facts} == asked
    left = {V + "maker", "http://x.org/q", V + "serial_no"} - asked
    assert {d.predicate for d in subgraph.dropped if d.reason == "excluded by the settings"} == left


# ---------------------------------------------------------------------------------------------------------------------
# Blank nodes, hubs, ill-typed literals, odd IRIs, odd labels

MEMBERS = """
:c1 a v:Country ; rdfs:label "Avaria" ; v:capital :k1 ; v:member [ v:of :o1 ; v:since 1990 ] ; v:neighbour :c2, [ ] .
:c2 a v:Country ; rdfs:label "Bergland" ; v:capital :k1 ; v:member [ v:of :o1 ; v:since 1991 ] .
:k1 rdfs:label "Twin City" . :o1 rdfs:label "Union of Hills" . [] v:praises :c1 .
"""


def test_what_lies_behind_a_blank_node_is_left_out_and_no_id_is_shown(loaded: Load) -> None:
    graph, profile = loaded(MEMBERS)
    subgraph = around(graph, profile, KG + "c1", SETTINGS)
    capital = Value(Iri(KG + "k1"), "Twin City")
    assert subgraph.facts == (Fact(V + "capital", "capital", "out", (capital,), 1, "entity"),)
    assert reasons(subgraph) == {
        "label": "label",
        "type": "metadata",
        "member": "blank nodes",
        "neighbour": "blank nodes",
        "praises": "blank nodes",
    }


def test_the_neighbours_of_a_hub_are_counted_and_not_listed(loaded: Load) -> None:
    books = "".join(f':b{n} a v:Book ; rdfs:label "The {n}th Tale" ; v:author :w .\n' for n in range(40))
    graph, profile = loaded(books + ':w a v:Writer ; rdfs:label "Ada Lind" .')
    hub, edge = replace(RUN, max_values=39), replace(RUN, max_values=40)
    (fact,) = around(graph, profile, KG + "w", SETTINGS, hub).facts
    assert fact == Fact(V + "author", "author", "in", (), 40, "entity", "book")
    assert summarised(fact) == full(fact) == "40 books whose author is X"
    (listed,) = around(graph, profile, KG + "w", SETTINGS, edge).facts
    assert len(listed.values) == 40
    assert full(listed).endswith(" and 28 more")


READINGS = """
:r1 a v:Record ; rdfs:label "First Flood" ; v:height "abc"^^xsd:integer ; v:day "2020-02-31"^^xsd:date ;
    v:seen "2015"^^xsd:date ; v:depth "1.5"^^xsd:integer ; v:leap "2020-02-29"^^xsd:date ;
    v:sure "perhaps"^^xsd:boolean ; v:rate "NaN"^^xsd:double ; v:note "41st"^^xsd:string .
"""


def test_ill_typed_literals_are_read_by_their_form_or_left_out(loaded: Load) -> None:
    graph, profile = loaded(READINGS)
    subgraph = around(graph, profile, KG + "r1", SETTINGS)
    assert {f.predicate.removeprefix(V): (f.values[0].label, f.value_kind) for f in subgraph.facts} == {
        "seen": ("2015", "year"),
        "depth": ("1.5", "number"),
        "leap": ("2020-02-29", "date"),
        "note": ("41st", "text"),
    }
    no_value = "value that its datatype does not allow"
    assert reasons(subgraph) == dict.fromkeys(("height", "day", "sure", "rate"), no_value) | {
        "label": "label",
        "type": "metadata",
    }


ODD_IRIS = [
    "http://kg.example/resource/Artist's_book",
    "http://kg.example/resource/Heat_(1995_film)",
    "http://kg.example/resource/Zürich",
    "http://kg.example/resource/東京",
    "http://kg.example/resource/AC%2FDC",
    "http://kg.example/resource/ac%2fdc",
    "http://kg.example/resource/Where?_(song)&x=1;y,z*!$",
    "urn:isbn:0-395-36341-1",
    "http://kg.example/a:b@c~d+e!f#g.h-i_",
]


def test_iris_with_any_legal_character_survive_from_the_seed_to_the_query(loaded: Load) -> None:
    """Nine entities, each linked to the next by a predicate that is itself one of the odd IRIs."""
    names = [f"Name {word}" for word in "one two three four five six seven eight nine".split()]
    graph, profile = loaded(
        "".join(
            f'<{iri}> a v:Thing ; rdfs:label "{name}" ; <{ODD_IRIS[place - 2]}> <{ODD_IRIS[place - 1]}> .\n'
            for place, (iri, name) in enumerate(zip(ODD_IRIS, names, strict=True))
        )
    )
    labels = {iri: f"link {place}" for place, iri in enumerate(ODD_IRIS)}
    settings = GraphSettings(predicate_labels=labels)
    for place, iri in enumerate(ODD_IRIS):
        subgraph = around(graph, profile, iri, settings)
        fact = next(fact for fact in subgraph.facts if fact.direction == "out")
        other = Value(Iri(ODD_IRIS[place - 1]), names[place - 1], "thing")
        assert fact == Fact(ODD_IRIS[place - 2], f"link {(place - 2) % 9}", "out", (other,), 1, "entity", "thing")
        query = build(Question(fact, "X?", "?", "what", "builder"), subgraph, graph, 30.0)
        assert query is not None
        assert query.sparql == f"SELECT ?x WHERE {{ <{iri}> <{ODD_IRIS[place - 2]}> ?x }}"
        assert [(a.value, a.label) for a in query.answers] == [(ODD_IRIS[place - 1], names[place - 1])]


LABELS = r"""
:a a v:P ; rdfs:label "" . :b a v:P ; rdfs:label "   \t" . :c a v:P ; rdfs:label "http://kg.example/c" .
:d a v:P ; rdfs:label "<b>Bold</b> move" . :e a v:P ; rdfs:label "Salt &amp; Pepper" .
:f a v:P ; rdfs:label "Proof of $E=mc^2$" . :g a v:P ; rdfs:label "abc \u202Edef" . :h a v:P ; rdfs:label "12345" .
:i a v:P ; rdfs:label "Michael Weber 0001" . :j a v:P ; rdfs:label "Heat (1995 film)" .
:k a v:P ; rdfs:label "Paris, Texas" . :l a v:P ; rdfs:label "line one\nline two" . :m a v:P ; rdfs:label "Twin" .
:n a v:P ; rdfs:label "Twin" . :o a v:P ; rdfs:label "one"@en, "two"@en, "three"@en . :p a v:P ; rdfs:label "AT&T" .
:q a v:P ; rdfs:label "one two three four five six seven eight nine ten eleven twelve thirteen" .
:r a v:P ; rdfs:label "x < y and y > z" . :s a v:P ; rdfs:label "$5 and $6" . :t a v:P .
"""


def test_labels_that_nobody_could_read_are_no_seeds_and_the_others_stay_as_they_are(loaded: Load) -> None:
    graph, _ = loaded(LABELS)
    assert seeds_of(graph, NodeType(V + "P", "p", 20, 1.0), [RDFS_LABEL], SETTINGS) == {
        "i": "Michael Weber 0001",
        "j": "Heat (1995 film)",
        "k": "Paris, Texas",
        "l": "line one line two",
        "m": "Twin",
        "n": "Twin",
        "o": "one",
        "p": "AT&T",
        "r": "x < y and y > z",
        "s": "$5 and $6",
    }


def test_what_all_of_this_does_to_rdf_type(loaded: Load) -> None:
    """Without a word in the settings, classes are looked for under rdf:type only."""
    graph, profile = loaded(WIKIDATA)
    assert SETTINGS.type_predicate == RDF_TYPE
    assert types_of(graph, profile, SETTINGS, RUN) == ((), ())
