"""Results as the few thousand points that a chart can show: a row for each key, column and stretch of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.batch.naming import output_name
from sash.batch.slides import BOUNDS
from sash.report.story import Stream

__all__ = ["points", "revised_by_key", "shown_columns"]

_KEYS: Final = 5
_COLUMNS: Final = 18
_BINS: Final = 120
_REVISION: Final = "revision"


def shown_columns(stream: Stream) -> list[str]:
    """The results that are numbers, as many as a menu can hold; one that is picked from a row may be a name."""
    assert stream.results is not None
    schema, plan = stream.results.schema, stream.plan
    picked = {output_name(name, label) for label in plan.labels for name, one in plan.aggregations.items() if one.picks}
    known = [name for name in plan.outputs if name in schema.names and name not in picked]
    return [name for name in known if _number(schema.field(name).type)][:_COLUMNS]


def _number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def points(stream: Stream) -> list[dict[str, Any]]:
    """Points of the busiest keys: in each of 120 stretches of time the last row, as first emitted and as finally known.

    Cost: O(n log n) for results that are revised, O(n) else.
    """
    assert stream.results is not None
    on = _time_column(stream)
    if on is None or not stream.results.num_rows:
        return []
    first, final = _ends(stream)
    labels = _labels(final, stream.plan.by)
    chosen = _busiest(labels)
    ticks = _milliseconds(final.column(on))
    found = []
    for key in chosen:
        places = _last_of_bins(ticks, np.flatnonzero(labels == key))
        for name in shown_columns(stream):
            ends = zip(_values(first, name, places), _values(final, name, places), strict=True)
            found += [
                {"at": float(ticks[place]), "key": key, "column": name, "first": one, "final": other}
                for place, (one, other) in zip(places, ends, strict=True)
            ]
    return found


def revised_by_key(stream: Stream) -> list[dict[str, Any]]:
    """How many results of each key were revised after they were emitted, and how many came too late; most first."""
    results = stream.results
    if results is None or not results.num_rows:
        return []
    labels = _labels(results, stream.plan.by)
    kinds = {}
    if _REVISION in results.column_names:
        kinds["revisions"] = np.asarray(pc.greater(results.column(_REVISION), 0))
    if "late" in results.column_names:
        kinds["late rows"] = np.asarray(pc.is_valid(results.column("late")))
    found = []
    for kind, chosen in kinds.items():
        names, counts = np.unique(labels[chosen], return_counts=True)
        found += [
            {"key": str(names[place]), "kind": kind, "count": int(counts[place])} for place in np.argsort(-counts)
        ]
    return found[:30]


def _time_column(stream: Stream) -> str | None:
    names = stream.results.column_names if stream.results is not None else []
    return next((name for name in (stream.plan.on, BOUNDS[1]) if name in names), None)


def _ends(stream: Stream) -> tuple[pa.Table, pa.Table]:
    """Each row as it was first emitted, and as it is finally known, side by side. Late rows have no results."""
    results = stream.results
    assert results is not None
    if "late" in results.column_names:
        results = results.filter(pc.is_null(results.column("late")))
    if _REVISION not in results.column_names:
        return results, results
    names = [name for name in stream.id if name in results.column_names]
    ordered = results.sort_by([*((name, "ascending") for name in names), (_REVISION, "ascending")])
    new = np.ones(ordered.num_rows + 1, bool)
    new[1:-1] = np.any([_differs(ordered.column(name)) for name in names], axis=0)
    starts = np.flatnonzero(new[:-1])
    ends = np.append(starts[1:], ordered.num_rows) - 1
    return ordered.take(starts), ordered.take(ends)


def _differs(column: pa.ChunkedArray) -> Any:
    codes = column.combine_chunks().dictionary_encode()
    codes = codes.chunk(0) if isinstance(codes, pa.ChunkedArray) else codes
    return np.diff(codes.indices.fill_null(-1).to_numpy(zero_copy_only=False)) != 0


def _labels(table: pa.Table, by: Sequence[str]) -> Any:
    """The key of each row in words."""
    if not by:
        return np.full(table.num_rows, "all rows", object)
    parts = [np.asarray(table.column(name).cast(pa.string()).fill_null("none")) for name in by]
    return parts[0] if len(parts) == 1 else np.array([", ".join(row) for row in zip(*parts, strict=True)], object)


def _busiest(labels: Any) -> list[str]:
    names, counts = np.unique(labels.astype(str), return_counts=True)
    return [str(names[place]) for place in np.argsort(-counts, kind="stable")[:_KEYS]]


def _milliseconds(times: pa.ChunkedArray) -> Any:
    """Times as a chart takes them: milliseconds since 1970, or the numbers that they are."""
    if pa.types.is_timestamp(times.type):
        return times.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy() / 1000
    return times.to_numpy().astype(float)


def _last_of_bins(ticks: Any, places: Any) -> Any:
    """The row with the greatest time in each stretch."""
    own = ticks[places]
    order = np.argsort(own, kind="stable")
    width = max((own.max() - own.min()) / _BINS, 1e-9)
    bins = ((own[order] - own.min()) // width).astype(int)
    return places[order[np.append(np.diff(bins) != 0, True)]]


def _values(table: pa.Table, name: str, places: Any) -> list[float | None]:
    """The values of some rows, to as many digits as one can see."""
    values = table.column(name).take(pa.array(places)).to_pylist()
    return [None if value is None or value != value else float(f"{value:.5g}") for value in values]
