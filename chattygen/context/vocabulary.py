"""Which IRIs describe the data and not the domain (section 4.1), and which predicates name things.

The few lists of well-known vocabulary that context extraction needs; everything else is learned from the graph. Knows
nothing about stores or prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chattygen.context.names import local_name

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DIRECT_CLAIM = "http://wikiba.se/ontology#directClaim"
"""From the node that stands for a predicate, and has its labels, to the predicate itself (Wikibase)."""

_W3C = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns",
    "http://www.w3.org/2000/01/rdf-schema",
    "http://www.w3.org/2002/07/owl",
    "http://www.w3.org/2001/XMLSchema",
)
"""Matched without their `#`, because published graphs hold the likes of `http://www.w3.org/2002/07/owlObjectProperty`."""

_NAMESPACES = (
    "http://www.w3.org/ns/prov#",
    "http://www.w3.org/ns/shacl#",
    "http://www.w3.org/ns/dcat#",
    "http://www.w3.org/ns/sparql-service-description#",
    "http://www.w3.org/ns/ldp#",
    "http://www.w3.org/ns/adms#",
    "http://rdfs.org/ns/void#",
    "http://purl.org/vocommons/voaf#",
    "http://purl.org/vocab/vann/",
    "http://purl.org/pav/",
    "http://www.openlinksw.com/",
    "http://wikiba.se/ontology#",
)

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_TYPES = frozenset(_SKOS + name for name in ("ConceptScheme", "Collection", "OrderedCollection"))

_DCTERMS = "http://purl.org/dc/terms/"
_PREDICATES = frozenset(
    [_SKOS + name for name in ("inScheme", "topConceptOf", "hasTopConcept", "exactMatch", "closeMatch", "notation")]
    + [_DCTERMS + name for name in ("identifier", "modified", "provenance", "license", "rights", "conformsTo")]
    + ["http://xmlns.com/foaf/0.1/" + name for name in ("page", "isPrimaryTopicOf", "primaryTopic", "depiction")]
    + ["http://schema.org/sameAs", "https://schema.org/sameAs"]
)
_PREDICATE_STEMS = ("http://dbpedia.org/ontology/wikiPage", "http://dbpedia.org/property/wikiPage")

_INSTANCE_OF = "http://www.wikidata.org/prop/direct/P31"

_LABELS = ["preflabel", "label", "name", "title", "fullname", "caption", "headline"]
_GIVEN = ["givenname", "firstname", "forename"]
_FAMILY = ["familyname", "lastname", "surname"]


def is_metadata_type(iri: str) -> bool:
    """Whether a class describes the data: of RDF, RDFS, OWL, XSD, SHACL, VoID, DCAT, PROV, an engine, or a scheme."""
    return iri in _TYPES or iri.startswith(_W3C + _NAMESPACES)


def is_metadata_predicate(iri: str) -> bool:
    """Whether a predicate keeps records about a node instead of saying something about what it stands for."""
    return iri in _PREDICATES or iri.startswith(_W3C + _NAMESPACES + _PREDICATE_STEMS)


def listed(iri: str, patterns: Iterable[str]) -> bool:
    """Whether an IRI is on a list of the settings: as it is, or by a beginning that ends in `*`."""
    return any(iri.startswith(p[:-1]) if p.endswith("*") else iri == p for p in patterns)


def label_rank(predicate: str) -> int | None:
    """How usual the predicate is as a name, 0 the most; None when its local name does not speak of a name at all.

    `rdfs:label`, `skos:prefLabel` and the like come first, then local names that end in such a word (`teamName`).
    """
    if predicate == RDFS_LABEL:
        return 0
    name = _letters(predicate)
    if name in _LABELS:
        return 1 + _LABELS.index(name)
    if name in _GIVEN + _FAMILY or name in ("nickname", "localname", "othername", "altlabel", "alternatename"):
        return None
    ends = [len(_LABELS) + 1 + i for i, word in enumerate(_LABELS) if name.endswith(word)]
    return min(ends) if ends else None


def name_parts(predicates: Iterable[str]) -> tuple[str, str] | None:
    """The predicates of a given and a family name, if both are among `predicates`; the first of each in IRI order."""
    ordered = sorted(predicates)
    given = next((p for p in ordered if _letters(p) in _GIVEN), None)
    family = next((p for p in ordered if _letters(p) in _FAMILY), None)
    return (given, family) if given and family else None


def means_type(predicate: str) -> bool:
    """Whether a predicate may say of which class an entity is: `instanceOf`, `hasType`, Wikidata's P31."""
    name = _letters(predicate).removeprefix("has").removeprefix("is")
    return predicate == _INSTANCE_OF or name in ("type", "instanceof", "a", "kind", "class", "category")


def _letters(predicate: str) -> str:
    return re.sub(r"[\W\d_]", "", local_name(predicate)).lower()
