"""Payments out of order, with a few records that are none: as CSV, as JSON lines and as Parquet."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
PLAN = """\
[plan]
by = "card"
on = "time"
windows = ["10m", "1h"]
{more}
[plan.aggregations]
count = "Count()"
spent = 'Sum("amount")'
best = 'ArgMax("amount", "shop")'
shops = 'Concat("shop", separator=" ")'
"""
COLUMNS = '{time = "timestamp", card = "text", amount = "int", shop = "text"}'


def payments(count: int = 60, seed: int = 1) -> list[dict[str, Any]]:
    """Rows in order of arrival, no two of one time, some late; a few lack what is not needed."""
    chance = random.Random(seed)
    minutes = [place + chance.choice([0, 0, 0, -7.5]) + place / 1000 for place in range(count)]
    return [
        {
            "time": NOON + timedelta(minutes=at),
            "card": chance.choice("ab"),
            "amount": chance.choice([None, 5, 7, 20, 20]),
            "shop": chance.choice(["bakery", "cafe, bar", "kiosk"]),
        }
        for at in minutes
    ]


def as_json(rows: list[dict[str, Any]]) -> list[str]:
    """Each row as a line."""
    return [json.dumps(row | {"time": row["time"].isoformat()}) for row in rows]


def as_csv(rows: list[dict[str, Any]]) -> list[str]:
    """A header, then each row as a line."""
    lines = [
        f'{row["time"].isoformat()},{row["card"]},{"" if row["amount"] is None else row["amount"]},"{row["shop"]}"'
        for row in rows
    ]
    return ["time,card,amount,shop", *lines]


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """The rows as Arrow."""
    schema = {"time": pa.timestamp("us", "UTC"), "card": pa.string(), "amount": pa.int64(), "shop": pa.string()}
    return pa.Table.from_pylist(rows, pa.schema(list(schema.items())))


def write(folder: Path, rows: list[dict[str, Any]], bad: bool = True) -> None:
    """Write all three, the text ones with records in the middle that are bad: of a wrong type, without a time, half;
    in JSON also one that is no UTF-8, and one that is half a character."""
    middle = len(rows) // 2
    lines = [line.encode() for line in as_json(rows)]
    first = {"time": rows[0]["time"].isoformat(), "card": "a", "amount": 1, "shop": "kiosk"}
    wrong = [json.dumps(first | {"amount": "lots"}).encode(), b'{"card": "a", "amount": 1}', b"{half"]
    wrong += [json.dumps(first).encode().replace(b"kiosk", b"caf\xe9"), json.dumps(first | {"shop": "\ud83d"}).encode()]
    (folder / "payments.jsonl").write_bytes(b"\n".join(lines[:middle] + wrong * bad + lines[middle:]) + b"\n")
    head, *lines = as_csv(rows)
    wrong = [f"{rows[0]['time'].isoformat()},a,lots,kiosk", ",a,1,kiosk", "half"]
    (folder / "payments.csv").write_text("\n".join([head, *lines[:middle], *wrong * bad, *lines[middle:]]) + "\n")
    pq.write_table(table(rows), folder / "payments.parquet")


def pipeline(folder: Path, source: str, more: str = "", rest: str = "") -> Path:
    """A pipeline file over the source, with results in `results`."""
    file = folder / "pipeline.toml"
    sink = "" if "[sink]" in rest else '[sink]\nformat = "parquet"\npath = "results"\n'
    file.write_text(f"[source]\n{source}\n{PLAN.format(more=more)}{sink}{rest}")
    return file
