"""The kinds of a dialogue's questions that the program can set: yes-no, and how many (`--kinds`).

What a question word brings (what, who, when ...) follows from the facts. Both are drawn by the seed's IRI, so that the
shares hold over many seeds, in whatever order they are worked on. Knows nothing about models.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from chattygen.context.names import unbracketed
from chattygen.domain import Fact, Subgraph, Value
from chattygen.generation.added import drawn
from chattygen.generation.asks import Ask
from chattygen.generation.plan import LISTED
from chattygen.generation.words import FUNCTION_WORDS, words
from chattygen.generation.yes_no import is_concrete

PER_YES_NO = 5
"""Questions per yes-no question: at most one in a dialogue of five."""

Plan = tuple[tuple[Ask, ...], tuple[Ask, ...]]
"""(asked, spare)"""


def with_kinds(asked: Sequence[Ask], spare: Sequence[Ask], subgraph: Subgraph, kinds: Mapping[str, float]) -> Plan:
    """(asked, spare), with the shares of `kinds` (RunSettings.kinds) as far as the facts allow.

    As many questions as before, about the same facts but where counts give way. What is asked over two facts stays, and
    so does the first fact of it; beside it nothing is asked with yes or no.
    """
    firsts = {ask.fact for ask in asked if ask.beyond}
    free = [ask for ask in asked if not ask.beyond and ask.fact.count and ask.fact not in firsts]
    if "how-many" in kinds:
        wanted = drawn(kinds["how-many"], len(asked), subgraph, "how-many")
        asked, spare = _with_counts(asked, spare, free, wanted)
    if firsts:  # a small model cannot keep apart what is tested and what is beyond
        return tuple(asked), tuple(spare)
    wanted = min(drawn(kinds.get("yes-no", 0), len(asked), subgraph, "yes-no"), max(1, len(asked) // PER_YES_NO))
    tested = _tested([ask for ask in asked if ask in free and ask.form == "value"], subgraph, wanted)
    return tuple(tested.get(ask, ask) for ask in asked), tuple(spare)


def _with_counts(asked: Sequence[Ask], spare: Sequence[Ask], free: Sequence[Ask], wanted: int) -> Plan:
    """As many counts among `asked` as wanted, the last ones changed first; a hub gives way to a spare value."""
    asked, spare = list(asked), list(spare)
    more = wanted - sum(ask.form == "count" for ask in asked)
    for place, ask in [*enumerate(asked)][::-1]:
        values = [other for other in spare if other.form == "value"]
        if ask not in free or not more:
            continue
        if more > 0 and _can_be_counted(ask, asked):
            asked[place], more = replace(ask, form="count"), more - 1
        elif more < 0 and ask.form == "count" and 0 < len(ask.fact.values) <= LISTED:
            asked[place], more = replace(ask, form="value"), more + 1
        elif more < 0 and ask.form == "count" and values:
            spare.remove(values[0])
            spare.append(ask)
            asked[place], more = values[0], more + 1
    return tuple(asked), tuple(spare)


def _can_be_counted(ask: Ask, asked: Sequence[Ask]) -> bool:
    """Whether there are several nodes, and no other answer is their number."""
    told = {value.label for other in asked if other.form == "value" for value in other.fact.values}
    several = ask.form == "value" and ask.fact.value_kind == "entity" and ask.fact.count > 1
    return several and str(ask.fact.count) not in told


def _tested(asks: Sequence[Ask], subgraph: Subgraph, wanted: int) -> dict[Ask, Ask]:
    """Up to `wanted` of the asks -> a yes-no question, one half of all of them to be denied.

    Only facts that could be asked either way are: otherwise most answers would be yes. Nodes come before texts and
    years, which are seldom asked so.
    """
    draw = random.Random(f"tested:{subgraph.seed.iri}")
    able = {ask: found for ask in asks if (found := objects(ask.fact, subgraph))}
    order = sorted(able, key=lambda ask: (ask.fact.value_kind != "entity", draw.random()))
    return {ask: Ask(ask.fact, "yes-no", draw.choice(able[ask][draw.random() < 0.5])) for ask in order[:wanted]}


def objects(fact: Fact, subgraph: Subgraph) -> tuple[Sequence[Value], Sequence[Value]] | None:
    """(denied, affirmed): what the fact can be tested with; None unless there are both.

    A true value that another fact has too is none: the answer to a question about that one would tell it.
    """
    if fact in subgraph.interest or fact.value_kind not in ("entity", "text", "year"):
        return None
    elsewhere = {value.label for other in subgraph.facts if other != fact for value in other.values}
    able = [value for value in fact.values if value.label not in elsewhere and _fits(value, fact, subgraph)]
    unlike = [value for value in subgraph.others.get(fact, ()) if _fits(value, fact, subgraph)]
    return (unlike, able) if able and unlike else None


def _fits(value: Value, fact: Fact, subgraph: Subgraph) -> bool:
    """Whether the object is concrete and no part of the entity's name, which tells the answer or may not be said."""
    seed, said = subgraph.seed, set(words(unbracketed(value.label)[0]))
    own = {word for text in (seed.label, seed.said) for word in words(text)}
    named = said <= own or (seed.being == "person" and bool((said & own) - FUNCTION_WORDS))
    return is_concrete(value, fact) and not named
