"""Which predicate names the entities of a node type (section 4.2).

Candidates come from a sample, with coverage, distinctness and examples; who chooses among them is somebody else's
business. Two predicates joined (given name and family name) can be one candidate. Knows nothing about models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal as OneOf

from chattygen.config import GraphSettings
from chattygen.context.descriptions import best_text
from chattygen.context.languages import Ranges
from chattygen.context.literals import is_name_like
from chattygen.context.names import count_words
from chattygen.context.samples import TypeSample
from chattygen.context.vocabulary import label_rank, name_parts
from chattygen.domain import LabelRule, NodeType

MIN_COVERAGE = 0.6
MIN_DISTINCT = 0.5
SHORT = 6
"""Names under a predicate that is not called a name have at most this many words; longer ones are remarks."""
CODE = 3
"""Names whose median length is not above this many characters are codes (`CZ`, `USD`)."""


@dataclass(frozen=True)
class Candidate:
    """A predicate, or a joined pair, that may name the entities of a type.

    Attributes:
        coverage: share of the sampled entities that it names, 0 to 1.
        distinct: distinct names / names, 0 to 1.
        words: median length of a name in words.
        examples: up to three names.
    """

    predicates: tuple[str, ...]
    coverage: float
    distinct: float
    words: float
    examples: tuple[str, ...]


def candidates(sample: TypeSample, settings: GraphSettings, max_words: int) -> tuple[Candidate, ...]:
    """The predicates that can name the type, best first; empty when it cannot be named.

    A name must be there for MIN_COVERAGE of the sampled entities, tell them apart (MIN_DISTINCT), and have at most
    `max_words` words at the median. Of several predicates with the same names only the most usual one is offered; one
    whose names repeat another's and say more (`A. Wu: Title. (2015)` beside `Title.`) would give answers away and is
    left out; so are the parts of a joined name. Predicates that are not called a name are offered only when there is
    no other.
    """
    names: dict[tuple[str, ...], dict[str, str]] = {
        (predicate,): by_entity
        for predicate in sorted(p for p, direction in sample.values if direction == "out")
        if (by_entity := _names(sample, predicate, settings.languages))
    }
    pair = name_parts(key[0] for key in names)
    if pair and (joined := _joined(names[pair[0],], names[pair[1],])):
        names = {key: by_entity for key, by_entity in names.items() if key[0] not in pair}
        names[pair] = joined
    found = [_candidate(key, by_entity, sample) for key, by_entity in names.items()]
    fit = sorted((c for c in found if _fits(c, names[c.predicates], max_words)), key=_preference)
    kept: list[Candidate] = []
    for candidate in fit:
        own = names[candidate.predicates]
        if not any(_same(own, names[k.predicates]) for k in kept):
            kept.append(candidate)
    offered = [c for c in kept if _is_called_name(c)] or kept
    return tuple(c for c in offered if not any(_repeats(names[c.predicates], names[k.predicates]) for k in offered))


def rule(node_type: NodeType, candidate: Candidate, chosen_by: OneOf["model", "only"]) -> LabelRule:
    return LabelRule(node_type.iri, candidate.predicates, candidate.coverage, chosen_by)


def users_rule(sample: TypeSample, settings: GraphSettings) -> LabelRule | None:
    """The rule that the settings give for the type, with the coverage it has on the sample.

    What they give for all classes (`*`) counts only where it names some of the sampled entities.
    """
    iri = sample.node_type.iri
    predicates = settings.labels.get(iri) or settings.labels.get("*", ())
    entities = {e for p in predicates for e in _texts(sample, p, settings.languages)}
    if not entities and iri not in settings.labels:
        return None
    return LabelRule(iri, predicates, len(entities) / max(1, len(sample.entities)), "user")


def sample_names(sample: TypeSample, rule: LabelRule, ranges: Ranges) -> tuple[str, ...]:
    """The names that a rule gives the sampled entities, in their order; those that it leaves nameless are left out."""
    parts = [_texts(sample, predicate, ranges) for predicate in rule.predicates]
    names = (" ".join(part[entity] for part in parts if entity in part) for entity in sample.entities)
    return tuple(filter(None, names))


def _names(sample: TypeSample, predicate: str, ranges: Ranges) -> dict[str, str]:
    """entity -> name, if most literals of the predicate look like names, else empty."""
    literals = [literal for found in sample.literals(predicate).values() for literal in found]
    if sum(map(is_name_like, literals)) < 0.8 * len(literals):
        return {}
    return _texts(sample, predicate, ranges)


def _texts(sample: TypeSample, predicate: str, ranges: Ranges) -> dict[str, str]:
    texts = {entity: best_text(literals, ranges) for entity, literals in sample.literals(predicate).items()}
    return {entity: text for entity, text in texts.items() if text}


def _joined(given: Mapping[str, str], family: Mapping[str, str]) -> dict[str, str]:
    """Given and family name as one; empty unless most entities have both and the pair tells more of them apart."""
    both = {e: f"{given[e]} {family[e]}" for e in given if e in family}
    if 2 * len(both) < max(len(given), len(family)):
        return {}
    apart = len(set(both.values()))
    more = all(apart > len({part[e] for e in both}) or apart == len(both) for part in (given, family))
    return {**given, **family, **both} if more else {}


def _candidate(predicates: tuple[str, ...], names: Mapping[str, str], sample: TypeSample) -> Candidate:
    texts = [names[e] for e in sample.entities if e in names]
    return Candidate(
        predicates,
        coverage=len(texts) / len(sample.entities),
        distinct=len(set(texts)) / len(texts),
        words=median(map(count_words, texts)),
        examples=tuple(dict.fromkeys(texts))[:3],
    )


def _fits(candidate: Candidate, names: Mapping[str, str], max_words: int) -> bool:
    return (
        candidate.coverage >= MIN_COVERAGE
        and candidate.distinct >= MIN_DISTINCT
        and candidate.words <= (max_words if _is_called_name(candidate) else min(SHORT, max_words))
        and median(map(len, names.values())) > CODE
    )


def _is_called_name(candidate: Candidate) -> bool:
    return len(candidate.predicates) > 1 or label_rank(candidate.predicates[0]) is not None


def _preference(candidate: Candidate) -> tuple[bool, int, float, float, float, tuple[str, ...]]:
    """Name-like predicates first, the usual ones before the rest, then coverage, distinctness, brevity."""
    rank = 0 if len(candidate.predicates) > 1 else label_rank(candidate.predicates[0])
    return (
        rank is None,
        rank or 0,
        -candidate.coverage,
        -candidate.distinct,
        candidate.words,
        candidate.predicates,
    )


def _same(these: Mapping[str, str], those: Mapping[str, str]) -> bool:
    both = these.keys() & those.keys()
    return bool(both) and sum(these[e] == those[e] for e in both) >= 0.95 * len(both)


def _repeats(longer: Mapping[str, str], shorter: Mapping[str, str]) -> bool:
    """Whether most of the longer names hold the shorter ones and more."""
    both = longer.keys() & shorter.keys()
    held = sum(shorter[e].casefold() in longer[e].casefold() and shorter[e] != longer[e] for e in both)
    return bool(both) and held >= 0.8 * len(both)
