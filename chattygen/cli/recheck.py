"""recheck: whether the stored queries of a run still give their stored answers on the graph as it is now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chattygen.cli import show
from chattygen.cli.options import home_option, json_option, models_file_option
from chattygen.config import Home
from chattygen.domain import XSD, Answer, BlankNode, Literal
from chattygen.errors import ChattygenError
from chattygen.results.reader import Reader

if TYPE_CHECKING:
    from chattygen.kg.graph import KnowledgeGraph
    from chattygen.recheck import Drift, Given
    from chattygen.results.reader import StoredRun

SHOWN_ANSWERS = 5


@click.command()
@click.argument("run")
@click.option("--kg", metavar="NAME", help="Check against this graph.  [default: the one that the run was made from]")
@models_file_option
@json_option
@home_option
def recheck(run: str, kg: str | None, models_file: Path | None, as_json: bool, home: Home) -> None:
    """Run every stored query of RUN again and list those that give other answers now.

    RUN is the id of a run, a beginning of it, or: latest

    The exit code is 1 when a query gives other answers than were stored.
    """
    from chattygen.kg.folders import open_kg

    with Reader(home.database) as reader:
        found = reader.run(run)
        with open_kg(home, kg or found.kg, _allow(home, kg or found.kg, models_file)) as graph:
            if not as_json:
                show.line(_same_graph(found, graph))
            checked, drifts = _check(reader, found, graph)
    if as_json:
        show.data_json(
            {
                "run": found.id,
                "run_kg": found.kg,
                "run_kg_fingerprint": found.kg_fingerprint,
                "kg": graph.name,
                "kg_fingerprint": graph.fingerprint,
                "checked": checked,
                "drifted": len(drifts),
                "drifts": [_as_json(drift) for drift in drifts],
            }
        )
    else:
        for drift in drifts:
            _draw(drift)
    if drifts:
        raise ChattygenError(
            f"{len(drifts)} of {checked} queries give other answers than were stored", _hint(found, graph)
        )
    if not as_json:
        show.line(f"all {checked} queries give the stored answers" if checked else "no dialogue is stored yet")


def _allow(home: Home, kg: str, models_file: Path | None) -> Collection[str]:
    """The hosts that the user lets us contact; of no interest for a graph on this machine."""
    from chattygen.kg.folders import read_manifest
    from chattygen.models.catalog import load_catalog

    return load_catalog(home, models_file).allow if read_manifest(home, kg).endpoint else ()


def _same_graph(run: StoredRun, graph: KnowledgeGraph) -> str:
    """Whether the graph is in the state that the run saw."""
    now, then = graph.fingerprint[:12], run.kg_fingerprint[:12]
    if graph.fingerprint == run.kg_fingerprint:
        return f"{graph.name} holds the data that the run was made from: fingerprint {now}"
    return f"{graph.name} has the fingerprint {now}; the run was made from {run.kg} with {then}"


def _hint(run: StoredRun, graph: KnowledgeGraph) -> str:
    if graph.fingerprint == run.kg_fingerprint:
        return "the data are those of the run: run it again when the machine is less busy"
    return f"load the data of the run again (fingerprint {run.kg_fingerprint[:12]}), or generate a new run"


def _check(reader: Reader, run: StoredRun, graph: KnowledgeGraph) -> tuple[int, list[Drift]]:
    """How many queries were run again, and the drifts, with a progress bar in dialogues.

    They are drawn only when the bar is gone: both may be on one terminal.
    """
    from chattygen.recheck import recheck

    drifts: list[Drift] = []
    queries, dialogues, last = 0, 0, ""
    with show.progress(f"checking {run.id}") as bar:
        for checked in recheck(reader.dialogues(run.id), graph, float(run.settings["deadline"])):
            queries += 1
            dialogues += checked.dialogue != last
            last = checked.dialogue
            if checked.drift:
                drifts.append(checked.drift)
            bar.update(dialogues, run.dialogues, f"{queries} queries, {len(drifts)} drifted")
    return queries, drifts


def _draw(drift: Drift) -> None:
    """A drift as a person reads it."""
    show.line("")
    show.line(f"{drift.seed}: {drift.question}", style="bold", aside=f"{drift.dialogue}, turn {drift.turn}")
    for line in drift.sparql.splitlines():
        show.line(line, indent=3, style="dim")
    if drift.what == "failed":
        show.line(f"failed: {drift.error}", indent=3, style="red")
    elif drift.what == "incomplete":
        show.line("the store cut the answers short: they cannot be compared", indent=3, style="red")
    _draw_answers("-", drift.missing, "red")
    _draw_answers("+", [_answer(given) for given in drift.new], "green")


def _draw_answers(mark: str, answers: Iterable[Answer | None], style: str) -> None:
    answers = list(answers)
    for answer in answers[:SHOWN_ANSWERS]:
        name, typed = (answer.label or answer.value, _typed(answer)) if answer else ("a blank node", "")
        show.line(f"{mark} {name}", indent=3, style=style, aside=typed)
    if len(answers) > SHOWN_ANSWERS:
        show.line(f"{mark} and {len(answers) - SHOWN_ANSWERS} more", indent=3, style="dim")


def _typed(answer: Answer) -> str:
    """What the label does not say: the value where it is another text, the language, the datatype."""
    value = answer.value if answer.label not in ("", answer.value) else ""
    datatype = "" if answer.lang else answer.datatype.replace(XSD, "xsd:")
    return " ".join(filter(None, [value, answer.lang and f"@{answer.lang}", datatype]))


def _answer(given: Given) -> Answer | None:
    """What a query gave as an answer without a label; None for a blank node, which can be told from no other."""
    if isinstance(given, BlankNode):
        return None
    if isinstance(given, bool):
        return Answer("boolean", "true" if given else "false", "yes" if given else "no")
    if isinstance(given, Literal):
        return Answer("literal", given.value, "", given.datatype, given.lang)
    return Answer("uri", given.value, "")


def _as_json(drift: Drift) -> dict[str, Any]:
    """With answers as in an export; a new blank node has the type `bnode`, as in SPARQL's own JSON."""
    blank = {"type": "bnode", "value": "", "label": "", "datatype": "", "lang": ""}
    new = [asdict(answer) if answer else blank for answer in map(_answer, drift.new)]
    return asdict(drift) | {"new": new}
