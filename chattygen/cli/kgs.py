"""load-kg, list-kgs, describe-kg, drop-kg: the graphs of the home folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option
from chattygen.config import Home, RunSettings, read_recipe
from chattygen.domain import DroppedType, NodeType
from chattygen.errors import UsageError

SHOWN_PREDICATES = 25
FORMATS = ["nt", "nq", "ttl", "trig"]


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--name", help="What to call the graph; otherwise the recipe's name or that of the first file.")
@click.option("--recipe", type=click.Path(dir_okay=False, path_type=Path), help="Take files and settings from R.toml.")
@click.option("--base", metavar="IRI", help="Resolve relative IRIs against this one.")
@click.option("--format", type=click.Choice(FORMATS), help="The format of files whose suffix does not tell it.")
@click.option("--replace", is_flag=True, help="Replace a loaded graph of that name.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@home_option
def load_kg(
    files: tuple[Path, ...],
    name: str | None,
    recipe: Path | None,
    base: str | None,
    format: str | None,
    replace: bool,
    quiet: bool,
    home: Home,
) -> None:
    """Load a graph from files into a local store: N-Triples, N-Quads, Turtle or TriG, plain or .gz."""
    from chattygen.kg.load import default_name, load

    plan = read_recipe(recipe) if recipe else None
    if plan and files:
        raise UsageError("both files and a recipe were given", "give one of them: a recipe names its own files")
    if recipe and plan:
        files = tuple(recipe.parent / file for file in plan.files)
    if not files:
        raise UsageError("no file was given", "run: chattygen load-kg FILE..., or chattygen load-kg --recipe R.toml")
    name = name or (plan.name if plan else default_name(files[0]))

    with show.progress(f"loading {name}", quiet=quiet) as bar:

        def tell(triples: int, seconds: float, file: int, count: int) -> None:
            what = "counting classes" if file == count else f"file {file + 1} of {count}"
            bar.update(triples, words=f"{triples:,} triples, {triples / max(seconds, 1e-9):,.0f}/s, {what}")

        manifest = load(
            home,
            name,
            files,
            base=base or (plan.base if plan else None),
            format=format,
            source=plan.source if plan else None,
            settings=plan.settings if plan else None,
            replace=replace,
            progress=tell,
        )
    if not quiet:
        show.note(f"{manifest.triples:,} triples in {manifest.seconds:.1f} s; see: chattygen describe-kg {name}")


@click.command()
@home_option
@json_option
def list_kgs(home: Home, as_json: bool) -> None:
    """List the loaded graphs."""
    from chattygen.kg import library

    manifests = library.list_kgs(home)
    if as_json:
        show.data_json([manifest.model_dump(mode="json") for manifest in manifests])
    elif not manifests:
        show.note("there is no graph yet; run: chattygen load-kg FILE")
    else:
        show.table(
            ["graph", "triples", "fingerprint", "loaded (UTC)", "licence"],
            [
                [m.name, m.triples, m.fingerprint[:12], m.loaded_at[:19], m.source.licence if m.source else ""]
                for m in manifests
            ],
        )


@click.command()
@click.argument("name")
@home_option
@json_option
def describe_kg(name: str, home: Home, as_json: bool) -> None:
    """Show a graph's classes, kept and dropped and why, and its predicates."""
    from chattygen.context.node_types import class_label, select
    from chattygen.kg import library
    from chattygen.kg.profile import overlap

    manifest, learned = library.read_manifest(home, name), library.read_profile(home, name)
    defaults = RunSettings(kg=name)
    with library.open_kg(home, name) as graph:
        kept, dropped = select(
            [(found.iri, found.count) for found in learned.classes if found.count],
            partial(overlap, graph, manifest.settings),
            manifest.settings,
            rare=defaults.rare,
            shadowed=defaults.shadowed,
        )
    everything: list[NodeType | DroppedType] = [*kept, *dropped]
    everything += [
        DroppedType(found.iri, class_label(found.iri), 0, f"its entities are blank nodes ({found.blank:,})")
        for found in learned.classes
        if not found.count
    ]
    classes: list[dict[str, Any]] = [
        {"iri": t.iri, "label": t.label, "count": t.count, "kept": isinstance(t, NodeType)}
        | {"reason": t.reason if isinstance(t, DroppedType) else ""}
        for t in everything
    ]
    predicates = [found.model_dump() for found in learned.predicates]
    if as_json:
        show.data_json(
            {
                "name": name,
                "triples": manifest.triples,
                "entities": learned.entities,
                "fingerprint": manifest.fingerprint,
                "classes": classes,
                "predicates": predicates,
            }
        )
        return
    show.data(f"{name}: {manifest.triples:,} triples, {learned.entities:,} typed entities")
    show.data(f"fingerprint {manifest.fingerprint[:12]}, loaded {manifest.loaded_at[:19]} UTC")
    if manifest.source:
        show.data(show.clean(f"{manifest.source.title}; licence: {manifest.source.licence}"))
    show.table(
        ["class", "entities", "", "IRI"],
        [[c["label"], c["count"], "kept" if c["kept"] else f"dropped: {c['reason']}", c["iri"]] for c in classes],
        title="\nclasses",
    )
    show.table(
        ["triples", "subjects", "IRI"],
        [[p.triples, p.subjects, p.iri] for p in learned.predicates[:SHOWN_PREDICATES]],
        title=f"\npredicates ({min(SHOWN_PREDICATES, len(predicates))} of {len(predicates)})",
    )


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@home_option
def drop_kg(name: str, yes: bool, home: Home) -> None:
    """Delete a loaded graph. Runs that were made from it stay."""
    from chattygen.kg import library

    triples = library.read_manifest(home, name).triples
    if not yes:
        click.confirm(f"Delete the graph {name} ({triples:,} triples)?", abort=True, err=True)
    library.drop_kg(home, name)
    show.note(f"{name} is deleted")
