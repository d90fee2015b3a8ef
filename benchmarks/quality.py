"""What the dialogues are like: kinds, flow, record keeping, repairs, and turns drawn for a person to read.

    python -m benchmarks.quality --kg nobel --kg dblp-sample --dialogues 20 --turns turns.md

One run per graph and setup, all on one model server: the default, or `--setup single-prompt` and, to compare it with,
`--setup plain`; `--setup full`, `--setup reuse`, `--setup hops`. `--wording MODEL` gives questions and dialogues to
another model, such as one that errs in half of its lines. One line of JSON per run as soon as it is over, the same as
tables at the end; `--turns FILE` writes turns drawn at random over all runs. Nothing is measured that the results
database does not hold.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

import click

from benchmarks.generate import Figures, check, figures, graph_name, served
from chattygen import pipeline
from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.config import FLOW, KINDS, Home, RunSettings
from chattygen.context.outlook import outlooks, types_of
from chattygen.context.samples import Relation
from chattygen.errors import ChattygenError
from chattygen.kg.folders import open_kg, read_manifest, read_profile
from chattygen.loop import askable
from chattygen.models.catalog import ROLES, Catalog, load_catalog
from chattygen.results.reader import Reader, StoredDialogue
from chattygen.results.report import make_report

PLAIN: Mapping[str, object] = {"kinds": dict.fromkeys(KINDS, 0.0), "flow": dict.fromkeys(FLOW, 0.0)}
"""Without what the single prompt does not do: yes-no questions, ellipses and follow-ups."""

SETUPS: Mapping[str, Mapping[str, object]] = {
    "default": {},
    "plain": PLAIN,
    "single-prompt": {**PLAIN, "approach": "single-prompt"},
    "full": {"serialisation": "full"},
    "hops": {"hops": 2},
    "reuse": {"phrasing": "reuse"},
}
"""Name -> what differs from the default settings of a run."""

Dull = Mapping[str, Mapping[Relation, str]]
"""Node type IRI -> the relations that describe-kg lists as asked last or never -> why."""

SHARED = "the same for nearly all"
"""What all entities have in common tells nothing apart, but is no record keeping."""


@dataclass(frozen=True)
class Quality:
    """One run. Shares are of its turns, 0 to 1.

    Attributes:
        kinds, flow: how many turns of each.
        record_keeping: share of questions about identifiers, codes, time stamps and the like, as describe-kg tells.
        shared: share of questions about what nearly all entities of the type have in common.
        said_no: share of the yes-no questions whose right answer is no; None without any.
        two_facts: share of questions over two facts.
        alike: dialogues of the run that say what an earlier one says, word for word.
        by_builder: question, query and turn -> how many the program wrote.
    """

    kg: str
    run: str
    setup: str
    turns: int
    kinds: dict[str, int]
    flow: dict[str, int]
    record_keeping: float
    shared: float
    said_no: float | None
    two_facts: float
    alike: int
    by_builder: dict[str, int]


def quality(setup: str, kg: str, run: str, dialogues: Sequence[StoredDialogue], dull: Dull) -> Quality:
    """Count over the dialogues of a run."""
    turns = [(dialogue.seed, turn) for dialogue in dialogues for turn in dialogue.turns]
    asked = [(seed.node_type, (turn.question.fact.predicate, turn.question.fact.direction)) for seed, turn in turns]
    reasons = [dull.get(kind, {}).get(relation, "") for kind, relation in asked]
    yes_no = [turn.question.holds for _, turn in turns if turn.question.kind == "yes-no"]
    said = Counter(tuple(turn.utterance for turn in dialogue.turns) for dialogue in dialogues)
    number = max(len(turns), 1)
    return Quality(
        kg=kg,
        run=run,
        setup=setup,
        turns=len(turns),
        kinds=dict(Counter(turn.question.kind for _, turn in turns).most_common()),
        flow=dict(Counter(turn.flow for _, turn in turns).most_common()),
        record_keeping=sum(why not in ("", SHARED) for why in reasons) / number,
        shared=reasons.count(SHARED) / number,
        said_no=yes_no.count(False) / len(yes_no) if yes_no else None,
        two_facts=sum(turn.question.beyond is not None for _, turn in turns) / number,
        alike=sum(times - 1 for times in said.values()),
        by_builder={
            "question": sum(turn.question.origin == "builder" for _, turn in turns),
            "query": sum(turn.query.origin == "builder" for _, turn in turns),
            "turn": sum(turn.utterance_origin == "builder" for _, turn in turns),
        },
    )


def dull_relations(home: Home, run: RunSettings) -> Dull:
    """What a person would hardly ask about, by node type."""
    settings, profile = read_manifest(home, run.kg).settings, read_profile(home, run.kg)
    with open_kg(home, run.kg) as graph:
        kept = types_of(graph, profile, settings, run)[0]
        found = outlooks(graph, profile, kept, settings, run, partial(askable, run))
        return {one.node_type.iri: {r: interest.reason for r, interest in one.interest.items()} for one in found}


def measure(
    home: Home, setup: str, run: RunSettings, catalog: Catalog, roles: dict[str, str]
) -> tuple[Figures, Quality, list[StoredDialogue]]:
    """Generate from one graph, and look at what came of it."""
    with show.progress(f"{setup}: {run.dialogues} dialogues from {run.kg}") as bar:

        def tell(progress: pipeline.Progress) -> None:
            bar.update(progress.done, progress.wanted, f"{progress.done} dialogues, {progress.visited} seeds")

        outcome = pipeline.generate(home, run, catalog, roles, fresh=True, tell=tell)
    with Reader(home.database) as reader, open_kg(home, run.kg) as graph:
        dialogues = list(reader.dialogues(outcome.run))
        cost = figures(make_report(reader.measures(outcome.run)), check(dialogues, graph))
    return cost, quality(setup, run.kg, outcome.run, dialogues, dull_relations(home, run)), dialogues


def drawn(dialogues: Sequence[StoredDialogue], number: int) -> str:
    """Markdown with `number` turns drawn at random, each behind what was said before it, with fact and answers."""
    places = [(dialogue, n) for dialogue in dialogues for n in range(len(dialogue.turns))]
    chosen = Random("quality").sample(places, min(number, len(places)))
    texts = []
    for count, (dialogue, n) in enumerate(chosen, 1):
        turn = dialogue.turns[n]
        answers = "; ".join(answer.label for answer in turn.query.answers[:5]) or "none"
        before = " / ".join(earlier.utterance for earlier in dialogue.turns[:n])
        beyond = f" -> {turn.question.beyond.fact.predicate_label}" if turn.question.beyond else ""
        fact = f"{turn.question.fact.direction}: {turn.question.fact.predicate_label}{beyond}"
        texts.append(
            f"{count}. {dialogue.seed.label} ({dialogue.seed.type_label}), {dialogue.kg}: **{turn.utterance}**  \n"
            f"   {turn.question.text} [{fact}] = {answers}" + (f"  \n   before: {before}" if before else "")
        )
    return "\n".join(texts) + "\n"


@click.command()
@click.option("--kg", "kgs", multiple=True, required=True, help="A loaded graph, a recipe or a dump file; repeatable.")
@click.option(
    "--setup", "setups", multiple=True, type=click.Choice(list(SETUPS)), default=["default"], help="Repeatable."
)
@click.option("--dialogues", type=click.IntRange(1), default=20, show_default=True, help="Per graph and setup.")
@click.option("--questions", type=click.IntRange(1), default=5, show_default=True, help="Per dialogue.")
@click.option("--model", default="qwen2.5-coder-1.5b-instruct", show_default=True, help="For every role but verify.")
@click.option("--wording", default=None, help="Another model for questions and dialogues.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another number, other entities.")
@click.option("--turns", type=click.Path(path_type=Path), default=None, help="Write drawn turns into this file.")
@click.option("--sample", type=click.IntRange(1), default=100, show_default=True, help="How many turns to draw.")
@home_option
def main(
    kgs: tuple[str, ...],
    setups: tuple[str, ...],
    dialogues: int,
    questions: int,
    model: str,
    wording: str | None,
    seed: int,
    turns: Path | None,
    sample: int,
    home: Home,
) -> None:
    """Generate dialogues from graphs in one or more setups and print what they are like."""
    done: list[tuple[Figures, Quality]] = []
    kept: list[StoredDialogue] = []
    try:
        catalog = load_catalog(home)
        players = {role: model for role in ROLES if role != "verify"}
        players |= {"questions": wording, "dialogue": wording} if wording else {}
        roles = {str(role): name for role, name in catalog.roles("cpu", players).items()}
        names = [graph_name(given, home) for given in kgs]
        with served(catalog, wording or model, home):
            for setup in setups:
                for name in names:
                    run = RunSettings(name, dialogues, questions, min(RunSettings.min_questions, questions), seed=seed)
                    run = replace(run, **SETUPS[setup])  # type: ignore[arg-type]
                    cost, said, made = measure(home, setup, run, catalog, roles)
                    done.append((cost, said))
                    kept.extend(made)
                    show.data_json({"wording": wording or model} | asdict(cost) | asdict(said))
    except ChattygenError as error:
        show.note(f"{error.message}\n  {error.hint}")
        sys.exit(error.exit_code)
    finally:
        draw(done)
        if turns:
            turns.write_text(drawn(kept, sample), encoding="utf-8")


def draw(done: Sequence[tuple[Figures, Quality]]) -> None:
    """The figures as tables."""
    if not done:
        return
    show.table(
        [
            "setup",
            "graph",
            "accepted / visited",
            "tokens",
            "seconds",
            "turns",
            "record keeping",
            "shared",
            "two facts",
            "no of yes-no",
        ],
        [
            [
                said.setup,
                said.kg,
                f"{cost.accepted} / {cost.visited}",
                f"{cost.tokens:,.0f}" if cost.tokens else "-",
                f"{cost.seconds:,.0f}" if cost.seconds else "-",
                said.turns,
                f"{said.record_keeping:.0%}",
                f"{said.shared:.0%}",
                f"{said.two_facts:.0%}",
                "-" if said.said_no is None else f"{said.said_no:.0%}",
            ]
            for cost, said in done
        ],
        title="\nper run; tokens and seconds per accepted dialogue",
    )
    show.table(
        ["setup", "graph", "kinds", "flow", "by the builder", "findings"],
        [
            [
                said.setup,
                said.kg,
                _counts(said.kinds),
                _counts(said.flow),
                _counts(said.by_builder),
                _counts(cost.findings),
            ]
            for cost, said in done
        ],
        title="\nturns",
    )
    everything: Counter[str] = Counter()
    for _, said in done:
        everything.update(said.kinds)
    show.note(f"all runs: {_counts(dict(everything.most_common()))} of {sum(everything.values())} turns")


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counted.items() if number)


if __name__ == "__main__":
    main()
