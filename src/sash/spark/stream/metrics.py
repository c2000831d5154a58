"""What the buckets did in a batch: numbers that come out beside the results, and that Spark adds up."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["Metrics", "metric_names", "metrics_sql"]


@dataclass(slots=True)
class Metrics:
    """Counts of one call of a bucket. They add up over buckets."""

    #: Rows that came in, and rows that came out.
    rows: int = 0
    told: int = 0
    #: Rows that were refused, by reason.
    late: int = 0
    without_time: int = 0
    #: What the buckets that were called hold.
    keys: int = 0
    segments: int = 0
    state_bytes: int = 0
    #: How engines came to their version.
    hits: int = 0
    catch_ups: int = 0
    rebuilds: int = 0
    #: Seconds in the native engine, and altogether.
    native_seconds: float = 0.0
    seconds: float = 0.0


def metric_names() -> list[str]:
    """The names of all of them.

    >>> metric_names()[:3]
    ['rows', 'told', 'late']
    """
    return [field.name for field in fields(Metrics)]


def metrics_sql() -> str:
    """Columns for all of them, as Spark writes a schema."""
    return ", ".join(f"{field.name} {'double' if 'seconds' in field.name else 'bigint'}" for field in fields(Metrics))
