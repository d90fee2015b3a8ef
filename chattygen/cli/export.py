"""export: the finished dialogues of a run in a form that other tools read; to stdout, a file or a folder.

Works while the run is being written and after any stop. A file or folder appears only when it is whole.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import click

from chattygen.cli import show
from chattygen.cli.files import refuse_existing, whole_path
from chattygen.cli.options import home_option
from chattygen.cli.runs import status_line
from chattygen.config import Home
from chattygen.errors import UsageError
from chattygen.results import splits
from chattygen.results.export import FORMS, TEXTS, chosen, in_splits
from chattygen.results.formats import huggingface, parquet
from chattygen.results.formats.record import provenance
from chattygen.results.reader import Reader, StoredDialogue, StoredRun
from chattygen.results.verdicts import judgements


@click.command()
@click.argument("run")
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The form to write; see docs/exports.md.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file instead of to stdout; to this folder for huggingface and with --split.",
)
@click.option("--split", metavar="TRAIN,DEV,TEST", help="Deal the seed entities out by these percentages: 80,10,10")
@click.option("--no-standalone", is_flag=True, help="Leave out the standalone forms of the turns.")
@click.option("--only-accepted", is_flag=True, help="Write only the dialogues that people accepted; see: review")
@click.option("--force", is_flag=True, help="Overwrite what an earlier export wrote.")
@home_option
def export(
    run: str,
    form: str,
    output: Path | None,
    split: str | None,
    no_standalone: bool,
    only_accepted: bool,
    force: bool,
    home: Home,
) -> None:
    """Write the finished dialogues of RUN in a form that other tools read.

    RUN is the id of a run, a beginning of it, or: latest
    """
    shares = splits.parse(split) if split else None
    in_folder = form == "huggingface" or shares is not None
    if output is None and (in_folder or form not in TEXTS):
        what = "folder" if in_folder else "file"
        raise UsageError(f"this export is a {what} and cannot go to stdout", f"give --output, the name of a new {what}")
    if form == "qald" and no_standalone:
        raise UsageError("QALD has nothing but standalone questions", "leave out --no-standalone")
    if form not in TEXTS:
        parquet.require_pyarrow()
    with Reader(home.database) as reader:
        found = reader.run(run)
        only = _accepted(reader, found) if only_accepted else None
        export_ = _Export(reader, found, form, not no_standalone, only)
        if output is None:
            written = {"": export_.to_stdout()}
        elif output.is_dir() and not in_folder:
            raise UsageError(f"{output} is a folder", "give --output, the name of a file")
        else:
            refuse_existing(output, "--output", force)
            written = export_.to_folder(output, shares) if in_folder else {"": export_.to_file(output)}
    _say(found, output, written, only_accepted)


def _accepted(reader: Reader, run: StoredRun) -> Collection[str]:
    """The dialogues of the run that people accepted, at least one."""
    said = judgements(reader.verdicts(run.id))
    accepted = {dialogue for dialogue, what in said.items() if what == "accepted"}
    if not accepted:
        raise UsageError(
            f"no dialogue of {run.id} is accepted: {len(said)} rejected, {run.dialogues - len(said)} not reviewed",
            f"judge them first: chattygen review {run.id}",
        )
    return accepted


@dataclass(frozen=True)
class _Export:
    """One export: the run, the form, whether with the standalone forms, and the only dialogues that are wanted, if not
    all of them. Methods return numbers of dialogues.
    """

    reader: Reader
    run: StoredRun
    form: str
    standalone: bool
    only: Collection[str] | None

    def to_stdout(self) -> int:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # whatever the terminal's is
        return self._text(self._chosen(), sys.stdout)

    def to_file(self, path: Path) -> int:
        with whole_path(path) as part:
            return self._file(self._chosen(), part)

    def to_folder(self, path: Path, shares: Sequence[Fraction] | None) -> dict[str, int]:
        path = path.resolve()  # a link to a folder stays a link
        _refuse_foreign(path)
        all_in_one = {"train": self._chosen()}
        parts = all_in_one if shares is None else in_splits(self.reader, self.run.id, shares, self.only)
        with whole_path(path) as folder:
            if self.form == "huggingface":
                players = self.reader.players(self.run.id)
                accepted = self.only is not None
                return huggingface.write(
                    self.run, players, parts, folder, standalone=self.standalone, accepted=accepted
                )
            folder.mkdir()
            return {name: self._file(of_split, folder / _file_of(name, self.form)) for name, of_split in parts.items()}

    def _chosen(self) -> Iterator[StoredDialogue]:
        return chosen(self.reader, self.run.id, self.only)

    def _file(self, dialogues: Iterator[StoredDialogue], path: Path) -> int:
        if self.form in TEXTS:
            with open(path, "w", encoding="utf-8", newline="\n") as stream:
                return self._text(dialogues, stream)
        told = provenance(self.run, self.reader.players(self.run.id))
        return parquet.write(dialogues, path, told, standalone=self.standalone).dialogues

    def _text(self, dialogues: Iterator[StoredDialogue], stream: TextIO) -> int:
        return TEXTS[self.form].write(self.run, dialogues, stream, standalone=self.standalone)


def _file_of(split: str, form: str) -> str:
    return split + (TEXTS[form].suffix if form in TEXTS else ".parquet")


def _refuse_foreign(folder: Path) -> None:
    """An old export may be replaced, but never a folder in which something else lies."""
    ours = {_file_of(split, form) for split in splits.NAMES for form in FORMS}
    ours |= {"README.md", "data", *map(huggingface.file_of, splits.NAMES)}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    if foreign := sorted(there - ours):
        raise UsageError(
            f"{folder} holds {foreign[0]}, which no export wrote", "give another --output, or move it away"
        )


def _say(run: StoredRun, output: Path | None, written: dict[str, int], only_accepted: bool) -> None:
    """What was written where, and how far the run is: a run that goes on may have finished more since it was read."""
    total = sum(written.values())
    if only_accepted:
        status = status_line(run, f"{total} accepted of {run.dialogues} dialogues")
    else:
        status = status_line(replace(run, dialogues=total))
    show.note(f"{output}: {status}" if output else status)
    if len(written) > 1:
        show.note(", ".join(f"{name} {count}" for name, count in written.items()))
