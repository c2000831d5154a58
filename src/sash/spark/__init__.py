"""Plans over DataFrames of Spark, batch and streaming. The only folder that imports PySpark; extra `sash[spark]`.

>>> import sash.spark
>>> [name for name in sash.spark.__all__ if name.islower()]
['configure', 'explain', 'latest', 'monitor', 'report_of', 'rolling', 'ship', 'state', 'upsert']
"""

try:
    import pyarrow as _arrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    from sash.extras import how_to_install

    how = how_to_install("spark")
    raise ImportError(f"sash.spark needs {error.name}, which is not installed: {how}") from None

from sash.spark.checkpoint import CheckpointState, state
from sash.spark.explain import explain
from sash.spark.monitor import monitor
from sash.spark.rolling import rolling
from sash.spark.session import configure, ship
from sash.spark.sinks import ParquetFolder, Table, Topic, latest, upsert
from sash.spark.stream import BatchReport, Monitor, report_of

__all__ = [
    "BatchReport",
    "CheckpointState",
    "Monitor",
    "ParquetFolder",
    "Table",
    "Topic",
    "configure",
    "explain",
    "latest",
    "monitor",
    "report_of",
    "rolling",
    "ship",
    "state",
    "upsert",
]
