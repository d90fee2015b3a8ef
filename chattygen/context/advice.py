"""What a user is told whose graph cannot make dialogues: what is missing, and which key of a recipe could mend it.

Two lines, like every error. Judges by what outlook.py finds; knows nothing about queries or models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from chattygen.config import GraphSettings, RunSettings
from chattygen.context.outlook import Outlook, Types, outlooks
from chattygen.context.reading import article
from chattygen.context.vocabulary import means_type
from chattygen.domain import DroppedType, Subgraph
from chattygen.errors import GraphError
from chattygen.kg.graph import KnowledgeGraph
from chattygen.kg.profile import Profile

MOSTLY = 0.5
"""When more than this part of the entities have no names, that is what the graph lacks, whatever the others offer."""

_CLASSES = {
    "outside the domain": "see domain in the recipe: only classes whose IRI begins so are used",
    "excluded by the settings": "see include_types and exclude_types in the recipe",
    "no readable name": "give the classes names under predicate_labels in the recipe, or load the file that has them",
    "rare": "lower --rare",
    "metadata": "load the data with the vocabulary, or set type_predicate in the recipe",
    "blank nodes": "what has no IRI cannot be asked for: give the entities IRIs before the load",
}
"""Why classes go -> what can be done about it."""

_FACTS = {
    "no label": "load the names of what they link to as well, or set labels for those classes in the recipe",
    "predicate without a label": "give the predicates names under predicate_labels in the recipe",
    "in another language": "set language in the recipe, for example to: de, en, *",
    "several languages": "set language in the recipe, and load one language only",
    "blank nodes": "facts that go through blank nodes are left out: link their two ends directly before the load",
    "excluded by the settings": "see include_predicates and exclude_predicates in the recipe",
    "link to elsewhere": "load what they link to as well",
}
"""Why facts are left out -> what can be done about it; for other reasons there is nothing to set."""


def unfit(
    graph: KnowledgeGraph,
    kg: str,
    profile: Profile,
    types: Types,
    settings: GraphSettings,
    run: RunSettings,
    askable: Callable[[Subgraph], int] = lambda subgraph: len(subgraph.facts),
) -> GraphError | None:
    """The refusal of a graph that cannot make dialogues, None for all others; looks no further than it must.

    Args:
        types: as outlook.types_of gives them.
        askable: how many different questions a subgraph has facts for.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    found: list[Outlook] = []
    for outlook in outlooks(graph, profile, types[0], settings, run, askable):
        found.append(outlook)
        if outlook.good:
            break
    return refusal(kg, profile, types, found, settings, run)


def refusal(
    kg: str, profile: Profile, types: Types, found: Sequence[Outlook], settings: GraphSettings, run: RunSettings
) -> GraphError | None:
    """The refusal of a graph that cannot make dialogues; None when one of its node types can.

    Args:
        types: as outlook.types_of gives them.
        found: the outlooks of the kept types, or those up to the first that is good.
    """
    if any(outlook.good for outlook in found):
        return None
    kept, dropped = types
    if not profile.classes:
        what, hint = _no_classes(profile, settings)
    elif not kept:
        what, hint = _no_class_left(profile, dropped)
    elif sum(outlook.node_type.share for outlook in found if not outlook.seeds) > MOSTLY:
        what, hint = _no_names(found, settings)
    else:
        what, hint = _no_facts(found, run)
    return GraphError(f"the graph {kg} cannot make dialogues: {what}", hint)


def _no_classes(profile: Profile, settings: GraphSettings) -> tuple[str, str]:
    guess = next((p.iri for p in profile.predicates if means_type(p.iri) and p.iri != settings.type_predicate), "")
    what = f"nothing in it has a class under {settings.type_predicate}"
    return what, f"set type_predicate in a recipe, {f'perhaps to {guess}' if guess else 'if another predicate says it'}"


def _no_class_left(profile: Profile, dropped: Sequence[DroppedType]) -> tuple[str, str]:
    reasons = Counter(t.reason.split(":")[0] for t in dropped)
    reasons["blank nodes"] = sum(1 for found in profile.classes if not found.count)
    usual = [(reason, number) for reason, number in reasons.most_common() if number]
    listed = ", ".join(f"{number} {reason}" for reason, number in usual)
    return f"none of its classes is left ({listed})", _CLASSES[usual[0][0]]


def _no_names(found: Sequence[Outlook], settings: GraphSettings) -> tuple[str, str]:
    nameless = [outlook for outlook in found if not outlook.seeds]
    if given := [outlook.rule for outlook in nameless if outlook.rule and outlook.rule.chosen_by == "user"]:
        names, label = " + ".join(given[0].predicates), nameless[0].node_type.label
        return f"{names} names no {label} that was looked at", "mend labels in the recipe"
    hint = "set labels in a recipe to the predicates that name them, or load a file of names with the graph"
    if "*" not in settings.languages:
        hint = f"{hint}; language = {settings.language!r} takes no other languages"
    which = "its" if len(nameless) == len(found) else "most of its"
    return f"{which} entities have no names ({_some([outlook.node_type.label for outlook in nameless])})", hint


def _no_facts(found: Sequence[Outlook], run: RunSettings) -> tuple[str, str]:
    best = max(found, key=lambda outlook: (outlook.facts, outlook.seeds))
    left_out: Counter[str] = Counter()
    for outlook in found:
        left_out.update(outlook.left_out)
    richest = f"the richest, {article(best.node_type.label)} {best.node_type.label}, has {best.facts}"
    what = f"no entity that was looked at has {run.min_questions} facts to ask about; {richest}"
    hint = next((_FACTS[reason] for reason, _ in left_out.most_common() if reason in _FACTS), "")
    enough = f"ask for --min-questions {best.facts}" if best.facts else "nothing in a recipe helps"
    return what, hint or f"load what they are linked to as well; {enough}"


def _some(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - 3} more classes" if len(labels) > 3 else ""
    return ", ".join(labels[:3]) + more
