"""Pipelines of `sash run` on Spark: `sources` reads rows, `sinks` writes results, `stream` and `batch` run them."""

from sash.spark.pipeline.engine import run_spark

__all__ = ["run_spark"]
