"""How many buckets a stream has: as many as asked for, or one for each partition of its state."""

from __future__ import annotations

from typing import Any, Final

from sash.spark.session import BUCKETS, PARTITIONS, buckets_for
from sash.spark.stream.job import Job

__all__ = ["buckets_of"]

#: Where a task finds into how many partitions its state is divided, whatever the session says by now. Before Spark 4.1
#: the checkpoint held a query to its number of shuffle partitions.
_STATE: Final = "spark.sql.streaming.internal.stateStore.partitions"


def buckets_of(job: Job, context: Any) -> int:
    """The number of buckets. To be asked for in a task that packs: the checkpoint has the number of partitions, and on
    the driver nobody knows the checkpoint before the stream starts. Cost: O(1)."""
    if job.buckets is not None:
        return job.buckets
    found = None if context is None else context.getLocalProperty(_STATE) or context.getLocalProperty(PARTITIONS)
    return buckets_for(int(found)) if found else BUCKETS
