"""The state of a stream that does not run: what its checkpoint holds, and the same with other buckets."""

from sash.spark.checkpoint.state import BucketSummary, CheckpointState, state

__all__ = ["BucketSummary", "CheckpointState", "state"]
