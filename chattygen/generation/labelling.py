"""Textual entity representation, the part that asks a model (section 4.2).

The model picks the label predicate of a node type from checked candidates, so it cannot invent one, and says what kind
of being an entity of the type is, on which the pronouns of a dialogue depend. Knows nothing about sampling or stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from chattygen.context.labels import Candidate
from chattygen.context.names import readable
from chattygen.context.summary import quoted
from chattygen.domain import Being, Finding, NodeType
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.grammar import any_of

BEINGS: tuple[Being, ...] = get_args(Being)

SAID: Mapping[str, Being] = {
    **dict.fromkeys(
        "agency association band club company institution organisation organization party team university".split(),
        "group",
    ),
    **dict.fromkeys(
        "city continent country island lake mountain province region river sea town village".split(), "place"
    ),
}
"""Classes that say by themselves what they are: a small model takes an organisation for a person now and then."""


def ask_label(asker: Asker, node_type: NodeType, candidates: Sequence[Candidate]) -> tuple[Candidate, Being]:
    """Choose the label of a node type and its kind of being; one call, only about what is open.

    With one candidate there is nothing to choose. If every attempt fails, the first candidate is taken, which is the
    best by the sample's statistics, and the being is a thing.
    """
    names = [name_of(candidate) for candidate in candidates]
    choices = [tuple(names), BEINGS] if len(candidates) > 1 else [BEINGS]

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        return line if line in choices[index] else (Finding("P1", "not one of the allowed texts", line),)

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        return {
            "type": node_type.label,
            "being": len(choices) - 1 in wanted,
            "examples": [quoted(example) for example in candidates[0].examples],
            "options": [
                (name, quoted(candidate.examples[0])) for name, candidate in zip(names, candidates, strict=True)
            ]
            if len(candidates) > 1 and 0 in wanted
            else [],
        }

    replies = ask_items(asker, [any_of(texts) for texts in choices], values, check, max_tokens_per_line=40)
    being: Being = next((known for known in BEINGS if known == replies[-1]), "thing")
    being = SAID.get(" ".join(node_type.label.casefold().split()[-1:]), being)
    chosen = names.index(replies[0]) if len(candidates) > 1 and replies[0] in names else 0
    return candidates[chosen], being


def name_of(candidate: Candidate) -> str:
    """How a candidate reads in the prompt: `title`, `given name + family name`; its IRI when that is opaque."""
    return " + ".join(readable(predicate) or predicate for predicate in candidate.predicates)
