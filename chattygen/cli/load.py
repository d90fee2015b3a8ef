"""load-kg: a graph from files into a local store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import Home, read_recipe
from chattygen.errors import UsageError

if TYPE_CHECKING:
    from chattygen.kg.folders import LocalStore

FORMATS = ["nt", "nq", "ttl", "trig", "rdf", "jsonld"]


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE|FOLDER...")
@click.option("--name", help="What to call the graph; otherwise the recipe's name or that of the first file.")
@click.option("--recipe", type=click.Path(dir_okay=False, path_type=Path), help="Take files and settings from R.toml.")
@click.option("--base", metavar="IRI", help="Resolve relative IRIs against this one.")
@click.option("--format", type=click.Choice(FORMATS), help="The format, where the content does not tell it.")
@click.option("--skip-bad", is_flag=True, help="Leave bad lines out and list them (N-Triples and N-Quads only).")
@click.option(
    "--max-bad",
    type=click.FloatRange(0, 100),
    default=1.0,
    show_default=True,
    metavar="PERCENT",
    help="With --skip-bad: more bad lines than this stop the load.",
)
@click.option(
    "--store",
    type=click.Choice(["oxigraph", "virtuoso"]),
    default="oxigraph",
    show_default=True,
    help="What holds the graph: the embedded Oxigraph, or a local Virtuoso, which must be installed.",
)
@click.option("--replace", is_flag=True, help="Replace a loaded graph of that name.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@home_option
def load_kg(
    files: tuple[Path, ...],
    name: str | None,
    recipe: Path | None,
    base: str | None,
    format: str | None,
    skip_bad: bool,
    max_bad: float,
    store: LocalStore,
    replace: bool,
    quiet: bool,
    home: Home,
) -> None:
    """Load a graph from files, or the RDF files of folders, into a local store.

    N-Triples, N-Quads, Turtle, TriG, RDF/XML or JSON-LD, plain, .gz, .bz2, .xz or .zst; the content tells which. The
    first fault stops the load, and a graph that was there stays as it was.
    """
    from chattygen.kg.load import default_name, load

    plan = read_recipe(recipe) if recipe else None
    if plan and plan.files and files:
        raise UsageError("both files and a recipe were given", "give one of them: this recipe names its own files")
    if recipe and plan and plan.files:
        files = tuple(recipe.parent / file for file in plan.files)
    if not files:
        raise UsageError("no file was given", "run: chattygen load-kg FILE..., or chattygen load-kg --recipe R.toml")
    name = name or (plan.name if plan else default_name(files[0]))

    with show.progress(f"loading {name}", quiet=quiet) as bar:

        def tell(triples: int, seconds: float, file: int, count: int) -> None:
            what = {count: "counting classes", count + 1: "into Virtuoso"}.get(file, f"file {file + 1} of {count}")
            bar.update(triples, words=f"{triples:,} triples, {triples / max(seconds, 1e-9):,.0f}/s, {what}")

        manifest = load(
            home,
            name,
            files,
            base=base or (plan.base if plan else None),
            format=format,
            source=plan.source if plan else None,
            settings=plan.settings if plan else None,
            store=store,
            replace=replace,
            skip_bad=skip_bad,
            max_bad=max_bad,
            progress=tell,
        )
    if quiet:
        return
    for line in manifest.notes:
        show.note(line)
    if skip_bad:
        listed = f"; see {home.kgs / name / manifest.rejects}" if manifest.rejects else ""
        show.note(f"{manifest.rejected:,} lines were left out, {manifest.repaired:,} were repaired{listed}")
    show.note(f"{manifest.triples:,} triples in {manifest.seconds:.1f} s; see: chattygen describe-kg {name}")
