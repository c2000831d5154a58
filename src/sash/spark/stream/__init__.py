"""Plans over streaming DataFrames: the log is the state, trees are a cache."""

from sash.spark.stream.metrics import BatchReport, Monitor, report_of
from sash.spark.stream.pipeline import run

__all__ = ["BatchReport", "Monitor", "report_of", "run"]
