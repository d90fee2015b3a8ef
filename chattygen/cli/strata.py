"""Head, torso and tail on a terminal: Table 1 of Head-to-Tail, for describe-kg --strata and generate --plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chattygen.cli import show
from chattygen.domain import BUCKETS, Bucket, Strata


def draw_strata(
    found: Sequence[Strata], labels: Mapping[str, str], wanted: Mapping[str, Mapping[str, int]] | None = None
) -> None:
    """A table of the buckets of some classes; `labels` names them by IRI, `wanted` counts the dialogues planned."""
    rows = [
        [
            labels.get(strata.node_type, strata.node_type),
            bucket,
            strata.entities[bucket],
            f"{strata.share(bucket):.1%}{_error(strata)}",
            _lowest(strata, bucket),
            *([wanted.get(strata.node_type, {}).get(bucket, 0)] if wanted else []),
        ]
        for strata in found
        for bucket in BUCKETS
    ]
    columns = ["class", "bucket", "entities", "share", "from popularity", *(["dialogues"] if wanted else [])]
    show.table(columns, rows, title="\nbuckets by popularity", whole=["class", "share", "from popularity"])
    for strata in found:
        show.data(show.clean(f"{labels.get(strata.node_type, strata.node_type)}: {method(strata)}"))


def method(strata: Strata) -> str:
    """How the buckets were found, in words."""
    words = f"{strata.measure}, exact, all of {strata.looked_at:,}"
    if strata.method == "estimated":
        words = (
            f"{strata.measure}, estimated from {strata.looked_at:,} random entities; with 95 % confidence the shares"
            f" are right to {100 * strata.error:.1f} points and the thresholds between the numbers in brackets"
        )
    why = "no popularity, or too new" if strata.node_type else "they say of which class something is, or keep records"
    return words + (f"; left out: {strata.left_out:,} ({why})" if strata.left_out else "")


def as_json(strata: Strata) -> dict[str, Any]:
    """The fields of `strata`, with the shares."""
    return {
        **vars(strata),
        "thresholds": vars(strata.thresholds),
        "shares": {bucket: strata.share(bucket) for bucket in BUCKETS},
    }


def _error(strata: Strata) -> str:
    return f" ± {100 * strata.error:.1f}" if strata.error else ""


def _lowest(strata: Strata, bucket: Bucket) -> str:
    """The threshold of a bucket, and between which numbers it lies when it is an estimate."""
    if bucket == "tail":
        return ""
    lowest = {"head": strata.thresholds.head, "torso": strata.thresholds.torso}[bucket]
    between = strata.between.get(bucket)
    return _number(lowest) + (f" ({_number(between[0])} to {_number(between[1])})" if between else "")


def _number(popularity: float | None) -> str:
    return "none" if popularity is None else f"{popularity:,.10g}"
