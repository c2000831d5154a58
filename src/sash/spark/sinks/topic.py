"""A topic of Kafka whose records have keys: a compacted one keeps the last revision of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from sash.spark.layout import named
from sash.spark.sinks.batch import Batch, removes

__all__ = ["TIMES", "Topic", "records"]

#: Spark would write milliseconds: two rows could have one time then, and one key.
TIMES: Final = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}


@dataclass(frozen=True)
class Topic:
    """A topic, for `sash.spark.upsert`: a JSON object of the key is the key of a record, one of the row its value.

    Spark writes to Kafka at least once. A batch that is replayed sends equal records with equal keys, so a topic with
    `cleanup.policy=compact` keeps what it had.

    >>> Topic("spent", servers="localhost:9092").name
    'spent'
    """

    name: str
    servers: str
    #: Options of Spark's connector, such as `kafka.security.protocol`.
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def connection(self) -> dict[str, str]:
        """All options of the connector."""
        return {"kafka.bootstrap.servers": self.servers, "topic": self.name, **self.options}

    def put(self, df: DataFrame, batch: Batch) -> None:
        """Send the rows as records."""
        records(df, batch.key, batch.retract).write.format("kafka").options(**self.connection).save()


def records(df: DataFrame, key: Sequence[str], retract: str | None = None) -> DataFrame:
    """Each row as a record: its key, null where there are no columns of a key, and its value, null where it removes
    the row of its key: a compacted topic forgets it then.

    >>> spark = getfixture("spark")
    >>> rows = spark.createDataFrame([("a", 1)], "card string, spent int")
    >>> records(rows, ["card"]).first()
    Row(key='{"card":"a"}', value='{"card":"a","spent":1}')
    """
    one = _object(key) if key else F.lit(None).cast("string")
    return df.select(one.alias("key"), F.when(~removes(retract), _object(df.columns)).alias("value"))


def _object(names: Sequence[str]) -> Column:
    return F.to_json(F.struct(*map(named, names)), TIMES)
