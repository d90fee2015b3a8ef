"""Textual entity representation, the part that asks a model (section 4.2).

The model picks the label predicate of a node type from checked candidates, so it cannot invent one, and says what kind
of being an entity of the type is, on which the pronouns of a dialogue depend. Knows nothing about sampling or stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from chattygen.context.labels import Candidate
from chattygen.context.names import readable
from chattygen.context.summary import quoted
from chattygen.domain import Being, Finding, NodeType
from chattygen.generation.attempts import Asker, ask_items
from chattygen.generation.beings import said_by
from chattygen.generation.grammar import any_of

BEINGS: tuple[Being, ...] = get_args(Being)


def ask_label(asker: Asker, node_type: NodeType, candidates: Sequence[Candidate]) -> tuple[Candidate, Being]:
    """Choose the label of a node type and its kind of being; one call at most, only about what is open.

    With one candidate there is nothing to choose, and many a class says by itself what it is. If every attempt fails,
    the first candidate is taken, which is the best by the sample's statistics, and the being is a thing.
    """
    names = tuple(name_of(candidate) for candidate in candidates)
    known = said_by(node_type.label)
    choices = [names] * (len(candidates) > 1) + [BEINGS] * (known is None)
    if not choices:
        return candidates[0], known or "thing"

    def check(index: int, line: str, accepted: dict[int, str]) -> str | tuple[Finding, ...]:
        return line if line in choices[index] else (Finding("P1", "not one of the allowed texts", line),)

    def values(wanted: Sequence[int], raised: dict[int, Finding]) -> dict[str, object]:
        asked = [choices[index] for index in wanted]
        return {
            "type": node_type.label,
            "being": BEINGS in asked,
            "examples": [quoted(example) for example in candidates[0].examples],
            "options": [(name, quoted(c.examples[0])) for name, c in zip(names, candidates, strict=True)]
            if names in asked
            else [],
        }

    replies = ask_items(asker, [any_of(texts) for texts in choices], values, check, max_tokens_per_line=40)
    told: Being = next((being for being in BEINGS if being == replies[-1]), "thing")
    chosen = names.index(replies[0]) if len(candidates) > 1 and replies[0] in names else 0
    return candidates[chosen], known or told


def name_of(candidate: Candidate) -> str:
    """How a candidate reads in the prompt: `title`, `given name + family name`; its IRI when that is opaque."""
    return " + ".join(readable(predicate) or predicate for predicate in candidate.predicates)
