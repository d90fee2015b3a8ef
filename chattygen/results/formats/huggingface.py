"""A dataset folder as the Hugging Face Hub and the package datasets read it: a card, and a Parquet file a split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from chattygen.errors import ResultsError
from chattygen.results.formats import parquet
from chattygen.results.formats.card import card
from chattygen.results.formats.record import provenance
from chattygen.results.reader import Player, StoredDialogue, StoredRun

NAMES = {"dev": "validation"}
"""Split -> what the Hub calls it, where that differs."""


def file_of(split: str) -> str:
    """The path of a split's file inside the folder."""
    return f"data/{NAMES.get(split, split)}-00000-of-00001.parquet"


def write(
    run: StoredRun,
    players: Sequence[Player],
    parts: Mapping[str, Iterable[StoredDialogue]],
    folder: Path,
    *,
    standalone: bool = True,
    accepted: bool = False,
) -> dict[str, int]:
    """Make the folder with a file for each of `parts` (split -> dialogues); return the number of dialogues of each.

    `accepted`: people accepted them all, and the card says so.
    A split without dialogues has no file: the package datasets would refuse to load the others too.

    Raises:
        ResultsError: there is no dialogue at all.
    """
    (folder / "data").mkdir(parents=True)
    told = provenance(run, players)
    written = {
        split: parquet.write(dialogues, folder / file_of(split), told, standalone=standalone)
        for split, dialogues in parts.items()
    }
    for split in [split for split, part in written.items() if not part.dialogues]:
        (folder / file_of(split)).unlink()
    named = {NAMES.get(split, split): part for split, part in written.items() if part.dialogues}
    if not named:
        raise ResultsError("the run has no finished dialogue yet, and a dataset needs one", "wait for it, or resume it")
    text = card(run, players, named, standalone=standalone, accepted=accepted)
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")
    return {split: part.dialogues for split, part in written.items()}
