"""What a model says that nobody would ask about, once for a node type and kept with the graph (section 4.3).

Only facts that neither the sample nor the recipe speaks against are judged. Knows nothing about how a model is asked.
"""

from __future__ import annotations

from dataclasses import replace

from chattygen.context.facts import Names, Reader
from chattygen.context.filters import about_predicate
from chattygen.context.interest import Interest
from chattygen.context.judged import DULL, add, read
from chattygen.context.knowledge import TypeKnowledge
from chattygen.context.samples import Relation
from chattygen.domain import Fact
from chattygen.generation.interest import ask_interest
from chattygen.generation.stages import INTEREST
from chattygen.work import Tools, asker


def judge(tools: Tools, learned: TypeKnowledge, names: Names) -> TypeKnowledge:
    """`learned` with what the model calls dull put last; what is not judged yet is judged now and added to the file.

    Raises:
        ConfigError: the file of judgements is none.
        CallError: the model's server failed.
    """
    iri = learned.node_type.iri
    open_ = [
        relation
        for relation in learned.ends
        if relation not in learned.interest
        and learned.predicates.get(relation[0])
        and not about_predicate(relation, learned, tools.settings)
    ]
    scores = dict(read(tools.judgements).get(iri, {}))
    missing = {relation[0]: relation for relation in reversed(open_) if relation[0] not in scores}
    if missing:
        facts = [_example(relation, learned, names, tools) for relation in missing.values()]
        asked = ask_interest(asker(tools, INTEREST), learned.node_type.label, facts)
        new = {predicate: 1.0 if would else DULL for predicate, would in zip(missing, asked, strict=True)}
        add(tools.judgements, iri, new, learned.predicates)
        scores |= new
    judged = {
        (predicate, direction): Interest(scores[predicate], "nobody would ask, says a model")
        for predicate, direction in open_
        if scores.get(predicate, 1.0) < 1
    }
    return replace(learned, interest={**judged, **learned.interest})


def _example(relation: Relation, learned: TypeKnowledge, names: Names, tools: Tools) -> Fact:
    """A fact with this relation, with one of its values."""
    return Reader(learned, names, tools.settings, learned.predicates, learned.known).fact(
        relation, 1, learned.ends[relation][:1]
    )
