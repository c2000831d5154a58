"""How many buckets a stream has: as many as asked for, or one for each partition of its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from sash.spark.session import BUCKETS, PARTITIONS, buckets_for
from sash.spark.stream.job import Job

__all__ = ["settled"]

#: Where a task finds into how many partitions its state is divided, whatever the session says by now. Before Spark 4.1
#: the checkpoint held a query to its number of shuffle partitions.
_STATE: Final = "spark.sql.streaming.internal.stateStore.partitions"


def settled(job: Job, context: Any) -> Job:
    """The job with a number of buckets. To be called in a task: the checkpoint has the number of partitions, and on the
    driver nobody knows the checkpoint before the stream starts. Cost: O(1)."""
    if job.buckets is not None:
        return job
    found = None if context is None else context.getLocalProperty(_STATE) or context.getLocalProperty(PARTITIONS)
    return replace(job, buckets=buckets_for(int(found)) if found else BUCKETS)
