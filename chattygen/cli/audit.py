"""audit: a random sample of the turns of a run, judged one by one by a person or by a model, and what comes of it.

As in `review`, dialogues go to stdout, questions to stderr, answers come from stdin; each verdict is on disk before the
next turn is shown, and what others said is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chattygen.cli import show
from chattygen.cli.judging import cost, draw_cost, judge_option, judging, one_by_one, warn_of_own_work, writers
from chattygen.cli.options import engine_option, home_option, json_option, models_file_option
from chattygen.cli.review import forgive_stdin, reviewer_name
from chattygen.cli.runs import draw_answers, draw_dialogue
from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.results.audits import Audit, Correctness, TurnJudgement, TurnVerdict, audits, draw, turn_agreements
from chattygen.results.notes import reference
from chattygen.results.reader import Reader, StoredDialogue, StoredRun
from chattygen.results.recorder import Recorder

if TYPE_CHECKING:
    from chattygen.evaluation.judge import Judge, Judgement
    from chattygen.models.catalog import Engine

KEYS: dict[str, TurnJudgement] = {"r": "right", "w": "sounds-wrong", "e": "asks-else", "a": "wrong-answer"}
QUESTION = "right (r), sounds wrong (w), asks something else (e), wrong answer (a), skip (s), stop (q)?"

MODEL = "model:"
"""What the name of a reviewer that is a model begins with."""

Key = tuple[str, int]


@dataclass(frozen=True)
class Drawn:
    """A turn of the sample: the number of its dialogue in the run, and the dialogue up to it."""

    number: int
    dialogue: StoredDialogue

    @property
    def key(self) -> Key:
        return self.dialogue.id, self.dialogue.turns[-1].n


@click.command()
@click.argument("run")
@click.option("--sample", type=click.IntRange(1), default=100, show_default=True, help="Turns to draw.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another number, other turns.")
@click.option("--reviewer", metavar="NAME", help="Who judges.  [default: your user name]")
@click.option("--all", "again", is_flag=True, help="Show also what this reviewer has judged; the later verdict counts.")
@judge_option("Let a local model judge instead of a person.")
@click.option("--report", "only_report", is_flag=True, help="Only say what was found so far.")
@json_option
@engine_option
@models_file_option
@home_option
def audit(
    run: str,
    sample: int,
    seed: int,
    reviewer: str | None,
    again: bool,
    judge: str | None,
    only_report: bool,
    as_json: bool,
    engine: Engine | None,
    models_file: Path | None,
    home: Home,
) -> None:
    """Judge a random sample of the turns of RUN, and say how many are right.

    RUN is the id of a run, a beginning of it, or: latest

    Stop whenever you want: each verdict is stored at once, and the next call goes on where you stopped.
    """
    if judge is not None and (reviewer is not None or again or only_report):
        raise UsageError("--judge goes with none of --reviewer, --all, --report", "leave them out")
    if as_json and not only_report and judge is None:
        raise UsageError("--json needs --report or --judge", "dialogues for a person go to stdout too")
    with Reader(home.database) as reader:
        found = reader.run(run)
        turns = reader.turns(found.id)
        drawn = [] if only_report else _read(reader, found, draw(turns, sample, seed))
        wrote = {found.id: writers(reader, found.id)}
        earlier = {(one.reviewer, one.dialogue, one.turn): one for one in reader.turn_verdicts(found.id)}
    if not turns:
        raise UsageError(f"{found.id} has no finished dialogue yet", "see: chattygen list-runs")
    judged: dict[str, Any] = {}
    if judge is not None:
        with Recorder(home.database) as recorder, judging(home, recorder, judge, models_file, engine) as asked:
            judged = {"warnings": warn_of_own_work(asked, wrote)} | _ask_model(asked, recorder, drawn, earlier)
    elif not only_report:
        who = reviewer_name(reviewer)
        if who.startswith(MODEL):
            raise UsageError(f"{who} is the name of a model", "give another --reviewer")
        said = {key[1:]: one for key, one in earlier.items() if key[0] == who}
        _ask_person(home, who, [one for one in drawn if again or one.key not in said], said)
    _report(home, found, len(turns), judged, as_json)


def _read(reader: Reader, run: StoredRun, keys: Sequence[Key]) -> list[Drawn]:
    """The turns of these keys, in their order; of a run of any size no more than their dialogues is kept."""
    wanted: dict[str, list[int]] = {}
    for id, n in keys:
        wanted.setdefault(id, []).append(n)
    drawn = (
        Drawn(number, replace(one, turns=one.turns[:n]))
        for number, one in enumerate(reader.dialogues(run.id), 1)
        for n in wanted.get(one.id, ())
    )
    found = {one.key: one for one in drawn}
    return [found[key] for key in keys]


def _ask_person(home: Home, who: str, todo: Sequence[Drawn], said: dict[Key, TurnVerdict]) -> None:
    """Ask about each turn until there is none left, or the reviewer stops."""
    if not todo:
        show.note(f"{who} has judged all turns of this sample; --all shows them again, a larger --sample has more")
    forgive_stdin()
    with Recorder(home.database) as recorder, suppress(KeyboardInterrupt, EOFError):
        for place, one in enumerate(todo, 1):
            _draw_turn(one)
            if one.key in said:
                show.note(f"{who} said earlier: {_words(said[one.key])}")
            show.note(f"{place} of {len(todo)}, {len(todo) - place} left after it")
            key = _key()
            if key == "q":
                break
            if key == "s":
                continue
            reason = "" if key == "r" else show.ask("why? (may be empty)")
            recorder.turn_verdict(*one.key, KEYS[key], who, reason=reason)


def _key() -> str:
    while (key := show.ask(QUESTION).lower()) not in {*KEYS, "s", "q"}:
        pass
    return key


def _draw_turn(one: Drawn) -> None:
    """The dialogue so far, and the turn with all that it is judged by."""
    from chattygen.evaluation.turns import fact_words

    *before, turn = one.dialogue.turns
    draw_dialogue(one.number, replace(one.dialogue, turns=tuple(before)))
    show.line(f"{turn.n}  {turn.utterance}", indent=3, style="bold", aside=reference(turn))
    if turn.question.text != turn.utterance:
        show.line(f"by itself: {turn.question.text}", indent=6, style="dim")
    show.line(f"fact: {fact_words(turn.question, one.dialogue.seed)}", indent=6, style="dim")
    for line in turn.query.sparql.splitlines():
        show.line(line, indent=6, style="dim")
    draw_answers(turn)


def _words(said: TurnVerdict) -> str:
    return said.verdict + (f": {said.reason}" if said.reason else "")


def _ask_model(
    judge: Judge, recorder: Recorder, drawn: Sequence[Drawn], earlier: dict[tuple[str, str, int], TurnVerdict]
) -> dict[str, Any]:
    """Have a model judge each turn; what it says stands under its name. Returns what that took, as JSON."""
    from chattygen.evaluation.turns import judge_turn

    who = MODEL + judge.model.name

    def work(one: Drawn) -> Judgement:
        made = judge_turn(judge, one.dialogue.id, one.dialogue.seed, one.dialogue.turns)
        verdict, said = made.words[0], earlier.get((who, *one.key))
        if verdict and (said is None or said.verdict != verdict):
            recorder.turn_verdict(*one.key, verdict, who)  # type: ignore[arg-type]
        return made

    made = one_by_one(work, drawn, f"judging {len(drawn)} turns", "turns")
    invalid = sum(one.words[0] is None for one in made)
    return cost(judge, [one.call for one in made if one.call]) | {"turns": len(drawn), "invalid": invalid}


def _report(home: Home, run: StoredRun, turns: int, judged: dict[str, Any], as_json: bool) -> None:
    """All that was said about turns of the run so far, by reviewer."""
    with Reader(home.database) as reader:
        said = reader.turn_verdicts(run.id)
    found, agreed = audits(said), turn_agreements(said)
    if as_json:
        listed = {"audits": [asdict(one) for one in found], "agreements": [asdict(one) for one in agreed]}
        show.data_json({"run": run.id, "turns": turns} | listed | ({"judged": judged} if judged else {}))
        return
    for one in found:
        _draw_audit(run, turns, one)
    for two in agreed:
        kappa = "none" if two.kappa is None else f"{two.kappa:.2f}"
        names = " and ".join(two.reviewers)
        show.line(f"{names} both judged {two.both} turns and agree on {two.share:.0%} of them; kappa {kappa}")
    if not found:
        show.note(f"no turn of {run.id} has a verdict yet")
    if judged:
        if judged["invalid"]:
            show.line(f"{judged['invalid']} of {judged['turns']} turns got no valid reply, and so no verdict")
        draw_cost(judged)


def _draw_audit(run: StoredRun, turns: int, found: Audit) -> None:
    show.line("")
    show.line(f"{run.id}, judged by {found.reviewer}", style="bold", aside=f"{found.all.turns} of {turns} turns")
    for one in found.wrong:
        show.line(f"{one.utterance}", indent=3, aside=f"{one.dialogue}, turn {one.turn}")
        show.line(_words(one), indent=6, style="red")
    show.line(", ".join(f"{verdict} {number}" for verdict, number in found.verdicts.items()))
    groups = [
        ("all", found.all),
        *(("kind", one) for one in found.kinds),
        *(("written by", one) for one in found.writers),
    ]
    show.table(["", "", "turns", "right", "share", "95 % interval"], [_cells(*group) for group in groups])


def _cells(what: str, found: Correctness) -> list[object]:
    share = f"{found.right / found.turns:.0%}"
    name = "" if what == "all" else found.group
    return [what, name, found.turns, found.right, share, f"{found.low:.0%} to {found.high:.0%}"]
