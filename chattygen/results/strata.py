"""Head, torso and tail of the classes of a run, as rows and back (Head-to-Tail, Table 1).

Knows nothing about how the buckets were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from chattygen.domain import Strata, Thresholds

Row = dict[str, Any]


def rows(strata: Strata) -> Iterator[Row]:
    """One row of the table `stratum` for each bucket, without the run."""
    lowest = vars(strata.thresholds)
    for bucket, entities in strata.entities.items():
        low, high = strata.between.get(bucket, (None, None))
        yield {
            "node_type": strata.node_type,
            "bucket": bucket,
            "entities": entities,
            "share": strata.share(bucket),
            "lowest": lowest.get(bucket),
            "low": low,
            "high": high,
            "measure": strata.measure,
            "method": strata.method,
            "error": strata.error,
            "looked_at": strata.looked_at,
            "left_out": strata.left_out,
        }


def read_strata(rows: Callable[..., list[Row]], run: str) -> tuple[Strata, ...]:
    """The strata of a run in the order in which its classes were divided; `rows` runs SQL with parameters."""
    found = rows("select * from stratum where run = ? order by rowid", run)
    return tuple(_strata(list(of_type)) for _, of_type in groupby(found, itemgetter("node_type")))


def _strata(found: list[Row]) -> Strata:
    by_bucket = {row["bucket"]: row for row in found}
    one = found[0]
    return Strata(
        one["node_type"],
        one["measure"],
        Thresholds(by_bucket["head"]["lowest"], by_bucket["torso"]["lowest"]),
        {bucket: row["entities"] for bucket, row in by_bucket.items()},
        one["left_out"],
        one["method"],
        one["looked_at"],
        one["error"],
        {bucket: (by_bucket[bucket]["low"], by_bucket[bucket]["high"]) for bucket in ("head", "torso")}
        if one["method"] == "estimated"
        else {},
    )
