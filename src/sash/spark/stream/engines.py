"""Which engine runs the windows of a bucket."""

from __future__ import annotations

from sash.batch.slides import slides
from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.job import Job
from sash.spark.stream.slides import SlideEngine

__all__ = ["make_engine"]


def make_engine(job: Job) -> BucketEngine:
    """An engine with nothing in it: one result a row, or one an end of a slide."""
    return SlideEngine(job) if slides(job.plan) else BucketEngine(job)
