"""review: a person judges the finished dialogues of a run, one after the other.

Dialogues go to stdout, questions to stderr, answers come from stdin, which need not be a terminal. Each verdict is on
disk before the next dialogue is shown. What others said is not shown: it would be said again.
"""

from __future__ import annotations

import getpass
import io
import sys
from contextlib import suppress

import click

from chattygen.cli import show
from chattygen.cli.options import home_option
from chattygen.cli.runs import draw_dialogue
from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.results.reader import Reader, StoredDialogue
from chattygen.results.recorder import Recorder
from chattygen.results.verdicts import Verdict


@click.command()
@click.argument("run")
@click.option("--reviewer", metavar="NAME", help="Who judges.  [default: your user name]")
@click.option("--all", "again", is_flag=True, help="Show also what this reviewer has judged; the later verdict counts.")
@home_option
def review(run: str, reviewer: str | None, again: bool, home: Home) -> None:
    """Judge the finished dialogues of RUN: accept or reject, with a reason.

    RUN is the id of a run, a beginning of it, or: latest

    Stop whenever you want: each verdict is stored at once, and the next call goes on where you stopped.
    """
    who = reviewer_name(reviewer)
    with Reader(home.database) as reader:
        found = reader.run(run)
        # All at once: a stream would hold the database back for as long as the person thinks.
        dialogues = list(enumerate(reader.dialogues(found.id), 1))
        earlier = {one.dialogue: one for one in reader.verdicts(found.id) if one.reviewer == who}
    if not dialogues:
        show.note(f"{found.id} has no finished dialogue yet")
        return
    todo = [(number, one) for number, one in dialogues if again or one.id not in earlier]
    if not todo:
        show.note(f"{who} has judged all dialogues of {found.id}; --all shows them again")
        return
    judged = _judge(home, who, todo, earlier)
    left = sum(one.id not in earlier and one.id not in judged for _, one in dialogues)
    show.note(f"verdicts stored: {len(judged)}; {who} has {left} of {len(dialogues)} dialogues left")


def reviewer_name(given: str | None) -> str:
    """Who judges: as given, else the user.

    Raises:
        UsageError: there is no name.
    """
    who = (_user() if given is None else given).strip()
    if not who:
        raise UsageError("a reviewer needs a name", "give one with --reviewer")
    return who


def forgive_stdin() -> None:
    """Read on where the input is no text: a terminal may delete half a character."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:  # as in a container whose user has no entry
        raise UsageError("this system has no name for you", "give one with --reviewer") from error


def _judge(home: Home, who: str, todo: list[tuple[int, StoredDialogue]], earlier: dict[str, Verdict]) -> set[str]:
    """Ask about each dialogue until there is none left, or the reviewer stops; return those that were judged."""
    judged: set[str] = set()
    forgive_stdin()
    with Recorder(home.database) as recorder, suppress(KeyboardInterrupt, EOFError):
        for place, (number, dialogue) in enumerate(todo, 1):
            draw_dialogue(number, dialogue, standalone=True)
            if dialogue.id in earlier:
                show.note(f"{who} said earlier: {_words(earlier[dialogue.id])}")
            show.note(f"{place} of {len(todo)}, {len(todo) - place} left after it")
            key = _key()
            if key == "q":
                break
            if key == "s":
                continue
            turn, reason = _fault(dialogue) if key == "r" else (None, "")
            recorder.verdict(dialogue.id, "reject" if key == "r" else "accept", who, turn=turn, reason=reason)
            judged.add(dialogue.id)
    return judged


def _key() -> str:
    while (key := show.ask("accept (a), reject (r), skip (s), stop (q)?").lower()) not in {"a", "r", "s", "q"}:
        pass
    return key


def _fault(dialogue: StoredDialogue) -> tuple[int | None, str]:
    """Which turn is wrong, None for the whole dialogue, and why."""
    turns = {"": None} | {str(turn.n): turn.n for turn in dialogue.turns}
    while (turn := show.ask(f"which turn, 1 to {len(dialogue.turns)}? (Enter: the whole dialogue)")) not in turns:
        pass
    return turns[turn], show.ask("why? (may be empty)")


def _words(said: Verdict) -> str:
    where = f" turn {said.turn}" if said.turn else ""
    return f"{said.verdict}{where}" + (f": {said.reason}" if said.reason else "")
