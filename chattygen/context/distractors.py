"""What could stand at the other end of a fact and does not: the objects of yes-no questions to which no is right.

They are values that other entities of the type have under the same relation, so that a question about one is as likely
as a question about a true one. They come from the sample of the type and cost no query. Knows nothing about questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from chattygen.context.facts import Reader
from chattygen.context.names import unbracketed
from chattygen.domain import Fact, Iri, Seed, Value

MOST = 8
"""Distractors kept per fact."""


def distractors(seed: Seed, facts: Sequence[Fact], reader: Reader) -> Mapping[Fact, tuple[Value, ...]]:
    """Fact -> values of its kind and of a class of its values that the seed has nowhere, in the order of their labels.

    A country is none where the graph only says the city: it could be the city's. None has all words of a label that is
    told of the seed, or of another one's, nor the other way round: `Paris` could be `Paris, France`.
    """
    taken = [seed.label, *(value.label for fact in facts for value in fact.values)]
    found = {fact: sorted(islice(_of(fact, taken, reader), MOST), key=_order) for fact in facts if fact.values}
    return {fact: tuple(values) for fact, values in found.items() if values}


def _of(fact: Fact, taken: Iterable[str], reader: Reader) -> Iterator[Value]:
    relation = fact.predicate, fact.direction
    alike = {_kind(value) for value in fact.values}
    labels = [words for label in taken for words in _forms(label)]
    for term in reader.knowledge.ends.get(relation, ()):
        alone = reader.fact(relation, 1, [term])
        value = alone.values[0]
        forms = _forms(value.label)
        unlike = not any(own <= other or other <= own for own in forms for other in labels)
        if all(forms) and unlike and alone.value_kind == fact.value_kind and _kind(value) in alike:
            labels += forms
            yield value


def _kind(value: Value) -> tuple[str, ...]:
    """The class of a node, the datatype and language of a literal."""
    term = value.term
    return (value.type_label,) if isinstance(term, Iri) else (term.datatype, term.lang)


def _forms(label: str) -> list[frozenset[str]]:
    """The words of a label, and those in front of its bracket."""
    return [frozenset(re.findall(r"\w+", part.casefold())) for part in (label, unbracketed(label)[0])]


def _order(value: Value) -> tuple[str, str]:
    return value.label, value.term.value
