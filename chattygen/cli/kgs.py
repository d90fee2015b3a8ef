"""list-kgs, describe-kg, drop-kg: the graphs of the home folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chattygen.cli import show
from chattygen.cli import strata as tables
from chattygen.cli.options import home_option, json_option, models_file_option, popularity_options
from chattygen.config import GraphSettings, Home, RunSettings
from chattygen.context.names import readable
from chattygen.domain import DroppedType, NodeType
from chattygen.errors import UsageError

if TYPE_CHECKING:
    from chattygen.context.outlook import Outlook, Types
    from chattygen.kg.folders import Manifest
    from chattygen.kg.graph import KnowledgeGraph
    from chattygen.kg.profile import Profile

SHOWN_PREDICATES = 25


@click.command()
@home_option
@json_option
def list_kgs(home: Home, as_json: bool) -> None:
    """List the loaded graphs."""
    from chattygen.kg import folders

    manifests = folders.list_kgs(home)
    if as_json:
        show.data_json([manifest.model_dump(mode="json") for manifest in manifests])
    elif not manifests:
        show.note("there is no graph yet; run: chattygen load-kg FILE")
    else:
        show.table(
            ["graph", "triples", "fingerprint", "loaded (UTC)", "store", "licence"],
            [[m.name, m.triples, m.fingerprint[:12], m.loaded_at[:19], _store(m), _licence(m)] for m in manifests],
            whole=["store"],
        )


def _store(manifest: Manifest) -> str:
    """Where a graph is: the store that was made for it, or the endpoint."""
    return manifest.endpoint.url if manifest.endpoint else manifest.store


def _licence(manifest: Manifest) -> str:
    return manifest.source.licence if manifest.source else ""


@click.command()
@click.argument("name")
@click.option("--strata", is_flag=True, help="Show how popular the entities of each kept class are, and nothing else.")
@popularity_options
@models_file_option
@home_option
@json_option
def describe_kg(
    name: str,
    strata: bool,
    popularity: str,
    before: int | None,
    date_predicate: str,
    models_file: Path | None,
    home: Home,
    as_json: bool,
) -> None:
    """Show a graph's classes, kept and dropped and why, how its entities are named, and its predicates.

    What is shown is what generate would use with its default settings. No model is asked.

    With --strata: how many entities of each class are head, torso and tail by popularity, and of the predicates by
    their number of triples. Head are the most popular ones that share a third of the popularity, tail those with the
    last third.
    """
    if not strata and (popularity or before is not None or date_predicate):
        raise UsageError("--popularity, --before and --date-predicate need --strata", "add: --strata")
    from chattygen.context.advice import refusal
    from chattygen.context.outlook import outlooks, types_of
    from chattygen.kg import folders
    from chattygen.models.catalog import load_catalog

    manifest, learned = folders.read_manifest(home, name), folders.read_profile(home, name)
    defaults = RunSettings(kg=name)
    allow = load_catalog(home, models_file).allow if manifest.endpoint else ()
    with folders.open_kg(home, name, allow) as graph:
        types = types_of(graph, learned, manifest.settings, defaults)
        if strata:
            given = replace(defaults, popularity=popularity, before=before, date_predicate=date_predicate)
            _draw_strata(graph, learned, types, manifest.settings, given, as_json)
            return
        found = list(outlooks(graph, learned, types[0], manifest.settings, defaults))
    refused = refusal(name, learned, types, found, manifest.settings, defaults)
    classes = _classes(types, learned)
    if as_json:
        show.data_json(
            {
                "name": name,
                "triples": manifest.triples,
                "entities": learned.entities,
                "fingerprint": manifest.fingerprint,
                "store": manifest.store,
                "endpoint": manifest.endpoint.model_dump() if manifest.endpoint else None,
                "classes": classes,
                "named": [_named(outlook) for outlook in found],
                "refused": refused.message if refused else None,
                "predicates": [predicate.model_dump() for predicate in learned.predicates],
            }
        )
        return
    show.data(f"{name}: {manifest.triples:,} triples, {learned.entities:,} typed entities")
    show.data(f"fingerprint {manifest.fingerprint[:12]}, loaded {manifest.loaded_at[:19]} UTC")
    if manifest.endpoint:
        show.data(show.clean(f"held by {', graph '.join([manifest.endpoint.url, *manifest.endpoint.graphs])}"))
    if manifest.source:
        show.data(show.clean(f"{manifest.source.title}; licence: {manifest.source.licence}"))
    show.table(
        ["class", "entities", "", "IRI"],
        [[c["label"], c["count"], "kept" if c["kept"] else f"dropped: {c['reason']}", c["iri"]] for c in classes],
        title="\nclasses",
    )
    show.table(
        ["class", "named by", "of them", "such as", "facts"],
        [
            [n["label"], " + ".join(map(readable, n["predicates"])), n["share"], "; ".join(n["examples"]), n["facts"]]
            for n in map(_named, found)
        ],
        title="\nnames, and the most facts that an entity offers of those that were looked at",
    )
    if dull := [
        [outlook.node_type.label, _reads(fact), fact["score"] or "never asked", fact["reason"]]
        for outlook in found
        for fact in _interest(outlook)
    ]:
        show.table(["class", "fact", "interest", "because"], dull, title="\nfacts that are asked about last, or never")
    show.table(
        ["triples", "IRI"],
        [[p.triples, p.iri] for p in learned.predicates[:SHOWN_PREDICATES]],
        title=f"\npredicates ({min(SHOWN_PREDICATES, len(learned.predicates))} of {len(learned.predicates)})",
    )
    if refused:
        show.note(f"\n{refused.message}\n  {refused.hint}")


def _draw_strata(
    graph: KnowledgeGraph, learned: Profile, types: Types, settings: GraphSettings, run: RunSettings, as_json: bool
) -> None:
    """Table 1 of Head-to-Tail for the kept classes, and for the predicates."""
    from chattygen.context.popularity import measures
    from chattygen.context.strata import predicate_strata, stratify

    measured = measures(run, settings, {found.iri for found in learned.predicates})
    found = [stratify(graph, t, settings, measured(t.iri)).strata for t in types[0]]
    predicates = predicate_strata(learned, settings)
    if as_json:
        classes = [tables.as_json(one) for one in found]
        show.data_json({"name": run.kg, "strata": classes, "predicates": tables.as_json(predicates)})
        return
    tables.draw_strata(found, {t.iri: t.label for t in types[0]})
    tables.draw_strata([predicates], {"": "predicates"})


def _classes(types: Types, learned: Profile) -> list[dict[str, Any]]:
    """All classes, kept, dropped, and those that have no entity with an IRI."""
    everything: list[NodeType | DroppedType] = [*types[0], *types[1]]
    everything += [
        DroppedType(found.iri, readable(found.iri), 0, f"its entities are blank nodes ({found.blank:,})")
        for found in learned.classes
        if not found.count
    ]
    return [
        {"iri": t.iri, "label": t.label, "count": t.count, "kept": isinstance(t, NodeType)}
        | {"reason": t.reason if isinstance(t, DroppedType) else ""}
        for t in everything
    ]


def _named(outlook: Outlook) -> dict[str, Any]:
    """How the entities of a kept class are named; `share` of those looked at have such a name."""
    rule = outlook.rule
    return {
        "iri": outlook.node_type.iri,
        "label": outlook.node_type.label,
        "predicates": list(rule.predicates) if rule else [],
        "share": f"{rule.coverage:.0%}" if rule else "-",
        "examples": list(outlook.examples),
        "facts": outlook.facts,
        "left_out": dict(outlook.left_out),
        "interest": _interest(outlook),
    }


def _interest(outlook: Outlook) -> list[dict[str, Any]]:
    """The relations of a class that a person would hardly ask about, the least interesting first."""
    ranked = sorted(outlook.interest.items(), key=lambda found: (found[1].score, found[0]))
    return [
        {"predicate": predicate, "direction": direction, "score": interest.score, "reason": interest.reason}
        for (predicate, direction), interest in ranked
    ]


def _reads(fact: dict[str, Any]) -> str:
    """A predicate in words, its IRI where that says nothing; `is ... of` from the other side."""
    words = readable(fact["predicate"]) or fact["predicate"]
    return words if fact["direction"] == "out" else f"is {words} of"


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@home_option
def drop_kg(name: str, yes: bool, home: Home) -> None:
    """Delete a loaded graph, or forget an attached one. Runs that were made from it stay."""
    from chattygen.kg import folders

    manifest = folders.read_manifest(home, name)
    what = f"Forget the graph {name}" if manifest.endpoint else f"Delete the graph {name}"
    if not yes:
        click.confirm(f"{what} ({manifest.triples:,} triples)?", abort=True, err=True)
    folders.drop_kg(home, name)
    show.note(f"{name} is forgotten; its endpoint keeps the data" if manifest.endpoint else f"{name} is deleted")
