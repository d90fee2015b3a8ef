"""How popular entities are: by density or by traffic (Head-to-Tail, section 2).

Density is the number of triples that contain an entity. Traffic is a number that the graph states, such as a count of
citations, or a score from a file. Which entities of a class are head, torso and tail follows in strata.py. Knows
nothing about classes and models.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from chattygen.config import GraphSettings, RunSettings
from chattygen.domain import Iri, Literal
from chattygen.errors import ConfigError, UsageError
from chattygen.kg.draws import entities_of, hash_of
from chattygen.kg.graph import KnowledgeGraph, Rows
from chattygen.kg.sparql import bind, can_be_asked

BATCH = 500
"""Entities in one query."""

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_NUMBER = re.compile(r"\+?(\d+)(\.\d*)?([eE][+-]?\d+)?")
_YEAR = re.compile(r"-?\d{4}(?!\d)")


@dataclass(frozen=True)
class Measure:
    """What counts as popularity: density, unless a predicate or the scores of a file are given; and for which entities.

    Attributes:
        name: `density`, the predicate, or the path of the file.
        before: only entities with a date before this year are looked at; None for all.
        date_predicate: what states the date; of several the earliest counts.
    """

    name: str = "density"
    predicate: str = ""
    scores: Mapping[str, float] | None = None
    before: int | None = None
    date_predicate: str = ""


def measures(run: RunSettings, settings: GraphSettings, predicates: Collection[str]) -> Callable[[str], Measure]:
    """Class IRI -> the measure of its entities: that of the run, else that of the recipe, else density.

    Raises:
        UsageError, ConfigError: as `measure`, at once for what the options say.
    """

    @cache
    def named(popularity: str) -> Measure:
        return measure(popularity, run.before, run.date_predicate, predicates)

    named(run.popularity or "density")
    recipe = settings.popularity
    return lambda iri: named(run.popularity or recipe.get(iri) or recipe.get("*") or "density")


def measure(popularity: str, before: int | None, date_predicate: str, predicates: Collection[str]) -> Measure:
    """The measure that options stand for.

    Args:
        popularity: `density`, a file, or the IRI of a predicate.
        predicates: the IRIs of the predicates of the graph.

    Raises:
        UsageError: it is none of these, the graph has no such predicate, or of `before` and `date_predicate` one is
            missing.
        ConfigError: a line of the file is wrong.
    """
    if (before is None) != (not date_predicate):
        given, missing = ("--date-predicate", "--before") if before is None else ("--before", "--date-predicate")
        raise UsageError(f"{given} needs {missing}", "for example: --before 2020 --date-predicate http://.../published")
    if date_predicate and date_predicate not in predicates:
        raise _no_such_predicate("date predicate", date_predicate)
    density = Measure(before=before, date_predicate=date_predicate)
    if popularity == "density":
        return density
    if Path(popularity).is_file():
        return replace(density, name=popularity, scores=read_scores(Path(popularity)))
    if not _IRI.fullmatch(popularity):
        raise UsageError(
            f"popularity {popularity}: neither a file nor an IRI",
            "give: density, the IRI of a predicate that states a number, or a file of entities and scores",
        )
    if popularity not in predicates:
        raise _no_such_predicate("popularity", popularity)
    return replace(density, name=popularity, predicate=popularity)


def _no_such_predicate(what: str, iri: str) -> UsageError:
    return UsageError(f"{what} {iri}: the graph has no such predicate", "chattygen describe-kg NAME lists them")


def score(
    graph: KnowledgeGraph, entities: Sequence[str], measured: Measure, deadline: float
) -> Iterator[tuple[str, float]]:
    """(entity, popularity), 0 or more, of those entities that have one and are old enough, in their order.

    Raises:
        QueryTimeout, QueryError: as the graph does, while iterating.
    """
    for start in range(0, len(entities), BATCH):
        some = [iri for iri in entities[start : start + BATCH] if can_be_asked(iri)]
        if some:
            listed = list(map(Iri, some))

            def rows(predicate: str, listed: Sequence[Iri] = listed) -> Rows:
                named = {"predicate": Iri(predicate)} if predicate else {}
                query = bind("values_of" if predicate else "density", entities=listed, **named)
                return graph.select(query, deadline=deadline)

            found = _scores(rows, some, measured)
            yield from ((iri, found[iri]) for iri in some if iri in found)


def score_type(
    graph: KnowledgeGraph, settings: GraphSettings, node_type: str, measured: Measure, deadline: float
) -> list[tuple[str, float]]:
    """The same for all entities of a type, in the order of their hashes: the first of them are random ones.

    Raises:
        QueryTimeout, QueryError: as the graph does.
    """
    typed = {"type_predicate": Iri(settings.type_predicate), "type": Iri(node_type)}

    def rows(predicate: str) -> Rows:
        named = {"predicate": Iri(predicate)} if predicate else {}
        query = bind("values_of_type" if predicate else "density_of_type", **typed, **named)
        return graph.select(query, deadline=deadline)

    listed = entities_of(graph, settings, node_type, "", deadline) if measured.scores is not None else ()
    found = _scores(rows, listed, measured)
    return [(iri, found[iri]) for iri in sorted(filter(can_be_asked, found), key=hash_of)]


def _scores(rows: Callable[[str], Rows], listed: Sequence[str], measured: Measure) -> dict[str, float]:
    """Entity -> popularity, of those that have one and are old enough.

    Args:
        rows: gives entities with their literals under a predicate, or, for no predicate, with their density.
        listed: the entities, of which a file may have scores.
    """
    if measured.scores is not None:
        found = {iri: measured.scores[iri] for iri in listed if iri in measured.scores}
    elif measured.predicate:
        stated = _literals(rows(measured.predicate))
        numbers = {iri: [n for text in texts if (n := number(text)) is not None] for iri, texts in stated.items()}
        found = {iri: max(values) for iri, values in numbers.items() if values}
    else:
        counted = rows("").rows
        found = {entity.value: int(count.value) for entity, count in counted if isinstance(entity, Iri) and count}
    if measured.before is None:
        return found
    dates = _literals(rows(measured.date_predicate))
    return {iri: n for iri, n in found.items() if any(_is_before(date, measured.before) for date in dates.get(iri, ()))}


def _literals(found: Rows) -> dict[str, list[str]]:
    """Entity -> the lexical forms of its literals."""
    literals: dict[str, list[str]] = {}
    for entity, value in found.rows:
        if isinstance(entity, Iri) and isinstance(value, Literal):
            literals.setdefault(entity.value, []).append(value.value)
    return literals


def _is_before(date: str, year: int) -> bool:
    """Whether a date begins with an earlier year; a text that begins with no year is no date."""
    found = _YEAR.match(date.strip())
    return found is not None and int(found[0]) < year


def number(text: str) -> float | None:
    """A number of 0 or more, whole where it is written so; None for anything else."""
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        return None
    value = float(found[0]) if found[2] or found[3] else int(found[1])
    return value if math.isfinite(value) else None


def read_scores(path: Path) -> dict[str, float]:
    """Entity IRI -> score, from two columns: tab-separated if the first line has a tab, else CSV.

    The first line may be a heading. IRIs may stand in angle brackets. Holds the whole file in memory.

    Raises:
        ConfigError: names file and line.
    """
    scores: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            tabs = "\t" in file.readline()
            file.seek(0)
            rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(file, strict=True)
            for row in rows:
                if not row or (rows.line_num == 1 and _is_heading(row)):
                    continue
                iri, value = _score(row, f"{path}:{rows.line_num}")
                if iri in scores:
                    raise ConfigError(f"{path}:{rows.line_num}: {iri} has a score already", "give each entity once")
                scores[iri] = value
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", "give a file that can be read") from None
    except csv.Error as error:
        raise ConfigError(f"{path}:{rows.line_num}: not CSV: {error}", "mend the line that is named") from None
    if not scores:
        raise ConfigError(f"{path}: no scores", "give one entity and its score on each line")
    return scores


def _score(row: Sequence[str], where: str) -> tuple[str, float]:
    if len(row) != 2:
        raise ConfigError(f"{where}: got {len(row)} columns", "expected 2: the IRI of an entity, and its score")
    if re.search("[\udc80-\udcff]", "".join(row)):
        raise ConfigError(f"{where}: a byte here is not UTF-8", "convert the file: iconv -f LATIN1 -t UTF-8")
    iri, value = row[0].strip().removeprefix("<").removesuffix(">"), number(row[1])
    if not _IRI.fullmatch(iri):
        raise ConfigError(f"{where}: got {row[0][:80]!r}", "expected the IRI of an entity")
    if value is None:
        raise ConfigError(f"{where}: got {row[1][:80]!r}", "expected a score: a number, 0 or more")
    return iri, value


def _is_heading(row: Sequence[str]) -> bool:
    return len(row) == 2 and not _IRI.fullmatch(row[0].strip().strip("<>")) and number(row[1]) is None
