"""attach-kg: a graph that stays where it is, behind a SPARQL endpoint."""

from __future__ import annotations

from pathlib import Path

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, models_file_option
from chattygen.config import GraphSettings, Home, read_recipe
from chattygen.errors import UsageError


@click.command()
@click.argument("url")
@click.option("--name", help="What to call the graph; otherwise the recipe's name.")
@click.option("--graph", "graphs", multiple=True, metavar="IRI", help="A named graph that holds the data; repeatable.")
@click.option("--recipe", type=click.Path(dir_okay=False, path_type=Path), help="Take source and settings from R.toml.")
@click.option("--type-predicate", metavar="IRI", help="What says that an entity is of a class.  [default: rdf:type]")
@click.option("--replace", is_flag=True, help="Ask anew about a graph of that name, and replace it.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@models_file_option
@home_option
def attach_kg(
    url: str,
    name: str | None,
    graphs: tuple[str, ...],
    recipe: Path | None,
    type_predicate: str | None,
    replace: bool,
    quiet: bool,
    models_file: Path | None,
    home: Home,
) -> None:
    """Attach a graph that a SPARQL endpoint already holds; its data stay there.

    The endpoint counts its classes and predicates once, which can take minutes. Its host must be this machine or one
    that models.toml lists in [privacy] allow. If it asks for a user, set CHATTYGEN_SPARQL_USER and
    CHATTYGEN_SPARQL_PASSWORD in the environment; they are not stored.
    """
    from chattygen.kg.attach import attach
    from chattygen.models.catalog import load_catalog

    plan = read_recipe(recipe) if recipe else None
    name = name or (plan.name if plan else None)
    if not name:
        raise UsageError("the graph has no name", "add --name NAME")
    settings = plan.settings if plan else GraphSettings()
    if type_predicate:
        settings = settings.model_copy(update={"type_predicate": type_predicate})
    if not quiet:
        show.note(f"asking {url} for its classes and predicates")
    manifest = attach(
        home,
        name,
        url,
        graphs=graphs,
        allow=load_catalog(home, models_file).allow,
        source=plan.source if plan else None,
        settings=settings,
        replace=replace,
    )
    if not quiet:
        show.note(f"{manifest.triples:,} triples in {manifest.seconds:.1f} s; see: chattygen describe-kg {name}")
