"""The export: the finished dialogues of a run, whole or in splits, in a form that other tools read (section 6).

Says which forms there are; each is a module of formats/. Knows nothing about where the files lie.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from chattygen.results import splits
from chattygen.results.formats import convquestions, csv, jsonl, markdown, qald
from chattygen.results.reader import Reader, StoredDialogue


@dataclass(frozen=True)
class Text:
    """A form that is text: how its files end, and what writes (run, dialogues, stream, standalone=) and counts them."""

    suffix: str
    write: Callable[..., int]


TEXTS = {
    "jsonl": Text(".jsonl", jsonl.write),
    "csv": Text(".csv", csv.write),
    "qald": Text(".json", qald.write),
    "convquestions": Text(".json", convquestions.write),
    "markdown": Text(".md", markdown.write),
}
FORMS = ("jsonl", "csv", "parquet", "huggingface", "qald", "convquestions", "markdown")


def chosen(reader: Reader, run: str, only: Collection[str] | None) -> Iterator[StoredDialogue]:
    """The finished dialogues of the run with this id; of these those in `only`, unless it is None."""
    return (one for one in reader.dialogues(run) if only is None or one.id in only)


def in_splits(
    reader: Reader, run: str, shares: Sequence[Fraction], only: Collection[str] | None
) -> Mapping[str, Iterator[StoredDialogue]]:
    """The dialogues that `chosen` gives, by split; a split with share 0 is left out.

    A dialogue that is finished only after this call is in no split.
    """
    seeds = reader.seeds(run).items()
    split_of = splits.deal((iri for dialogue, iri in seeds if only is None or dialogue in only), shares)

    def of(name: str) -> Iterator[StoredDialogue]:
        return (one for one in reader.dialogues(run) if split_of.get(one.seed.iri) == name)

    return {name: of(name) for name, share in zip(splits.NAMES, shares, strict=True) if share}
