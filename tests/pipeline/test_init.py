"""What `sash init` makes of the files that people have."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from sash.errors import PipelineError
from sash.pipeline.config import load
from sash.pipeline.example import example
from sash.pipeline.parts import Pipeline
from sash.pipeline.runner import Options, run

TEN = 1_714_557_600  # 2024-05-01T10:00:00Z
AMOUNTS = {"amount": [5.0, 7.0], "user_id": [1, 1]}


def initiated(shown: Path) -> Pipeline:
    """The pipeline that is written for a file."""
    file = shown.parent / "pipeline.toml"
    file.write_text(example(shown, file))
    return load(file)


def means(found: Pipeline, column: str) -> list[Any]:
    """What such a pipeline gives, when it is run."""
    run(found, Options("quiet"))
    values: list[Any] = pq.read_table(found.path("results")).column(column).to_pylist()
    return values


def refusal(file: Path) -> str:
    """What is said of a file that no pipeline is written for."""
    with pytest.raises(PipelineError) as caught:
        example(file, file.parent / "pipeline.toml")
    return str(caught.value).replace(str(file.parent), "FOLDER")


def as_parquet(folder: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    return folder / "rows.parquet"


def as_csv(folder: Path, columns: dict[str, Any]) -> Path:
    pyarrow.csv.write_csv(pa.table(columns), str(folder / "rows.csv"))
    return folder / "rows.csv"


@pytest.mark.parametrize("write", [as_parquet, as_csv])
@pytest.mark.parametrize(("kind", "unit"), [("seconds", 1), ("milliseconds", 1_000)])
def test_numbers_since_1970_are_times(kind: str, unit: int, write: Callable[..., Path], tmp_path: Path) -> None:
    """A column that is named so, and whose numbers are of our days: windows are lengths of time."""
    found = initiated(write(tmp_path, {"ts": [TEN * unit, (TEN + 900) * unit], **AMOUNTS}))
    assert found.source.columns["ts"] == kind
    assert means(found, "amount_mean_10m") == [5, 7]
    assert means(found, "amount_mean_1h") == [5, 6]


def test_other_numbers_are_counted_in_rows(tmp_path: Path) -> None:
    """Ticks of an unknown unit: windows of so many rows, and how to write a length."""
    found = initiated(as_parquet(tmp_path, {"ts": [1, 2], **AMOUNTS}))
    assert means(found, "amount_mean_10") == [5, 6]
    assert '{policy = "TimeWindow", length = 60} is a length in the unit of ts' in found.file.read_text()


def test_decimals_are_computed_on_as_floats(tmp_path: Path) -> None:
    """Parquet has them, and aggregations of numbers run on 64 bits."""
    amounts = pa.array([Decimal("5.10"), Decimal("7.30")], pa.decimal128(8, 2))
    times = [datetime(2024, 5, 1, 10, minute, tzinfo=UTC) for minute in (0, 5)]
    found = initiated(as_parquet(tmp_path, {"time": times, "amount": amounts}))
    assert found.source.columns == {"amount": "float"}
    assert means(found, "amount_max_10m") == [5.1, 7.3]


def test_texts_of_parquet_may_be_times(tmp_path: Path) -> None:
    """Read as such; one that is none is a bad record."""
    found = initiated(as_parquet(tmp_path, {"time": ["2024-05-01T10:00:00Z", "2024-05-01T10:05:00Z"], **AMOUNTS}))
    assert found.source.columns == {"time": "timestamp"}
    pq.write_table(pa.table({"time": ["2024-05-01T10:00:00Z", "soon"], **AMOUNTS}), tmp_path / "rows.parquet")
    assert means(found, "amount_mean_10m") == [5]
    [letter] = (tmp_path / "run/dead-letters/part-00000.jsonl").read_text().splitlines()
    assert 'column \\"time\\": \\"soon\\" is not a time' in letter


@pytest.mark.parametrize("write", [as_parquet, as_csv])
def test_days_have_windows_of_days(write: Callable[..., Path], tmp_path: Path) -> None:
    """Where all times are whole days, ten minutes would hold one row."""
    found = initiated(write(tmp_path, {"date": [date(2024, 5, 1), date(2024, 5, 3)], **AMOUNTS}))
    assert means(found, "amount_mean_7d") == [5, 6]


def test_names_are_read_as_people_write_them(tmp_path: Path) -> None:
    """With spaces, in capitals: the time, the key, and no mean of numbers that are names."""
    times = pa.array([datetime(2024, 5, 1, 10)], pa.timestamp("us"))
    found = initiated(as_csv(tmp_path, {"Event Time": times, "User ID": [7], "shopId": [3], "Paid (EUR)": [5]}))
    assert (found.plan.on, found.plan.by) == ("Event Time", ("User ID",))
    assert list(found.plan.aggregations) == ["count", "Paid (EUR)_mean", "Paid (EUR)_max"]


def test_a_key_repeats(tmp_path: Path) -> None:
    """A column of names that no two rows share is no key, whatever it is called; coordinates have no mean."""
    times = [datetime(2024, 5, 1, 10, minute % 60, tzinfo=UTC) for minute in range(200)]
    rows = {"time": times, "id": [f"quake {number}" for number in range(200)], "net": ["ak", "nc"] * 100}
    found = initiated(as_parquet(tmp_path, rows | {"lat": [1.0] * 200, "longitude": [2.0] * 200, "mag": [3.0] * 200}))
    assert found.plan.by == ("net",)
    assert list(found.plan.aggregations) == ["count", "mag_mean", "mag_max"]


def test_spaces_after_commas(tmp_path: Path) -> None:
    """Numbers and times with spaces around them are such."""
    (tmp_path / "rows.csv").write_text("time,amount\n2024-05-01 10:00:00, 5\n 2024-05-01 10:05:00,7 \n")
    assert means(initiated(tmp_path / "rows.csv"), "amount_mean_1h") == [5, 6]


def test_objects_within_objects_are_left_out(tmp_path: Path) -> None:
    """No column of a pipeline holds them; the others are read."""
    (tmp_path / "rows.jsonl").write_text('{"time": "2024-05-01T10:00:00Z", "user": {"id": 1}, "amount": 5}\n')
    found = initiated(tmp_path / "rows.jsonl")
    assert list(found.source.columns) == ["time", "amount"]
    assert means(found, "amount_mean_1h") == [5]


def test_a_compressed_file(tmp_path: Path) -> None:
    """Its delimiter is seen through the compression."""
    with pa.output_stream(str(tmp_path / "rows.csv.gz")) as out:
        out.write(b"time;amount\n2024-05-01T10:00:00;5\n")
    assert means(initiated(tmp_path / "rows.csv.gz"), "amount_mean_1h") == [5]


REFUSED = {
    "rows.json": ('[{"time": 1}]', "is one JSON array, and JSON lines are an object a line: jq -c '.[]'"),
    "data.csv": ("2024-05-01T10:00:00,a,5\n", 'begins with data, "2024-05-01T10:00:00": put a line of column names'),
    "head.csv": ("time,card,amount\n", "has no rows, from which types are guessed"),
    "none.csv": ("", "is empty: a CSV file begins with a line of column names"),
    "slash.csv": ("time,x\n01/05/2024,5\n", 'column "time" would be the time, but "01/05/2024" is not ISO 8601'),
    "twice.csv": ("time,x,x\n2024-05-01T10:00:00,5,6\n", 'has two columns "x": rename one of them'),
    "no.parquet": ("hello", "cannot be read as parquet: "),
    "odd.csv": ("a,b\nx,1\n", "no column that looks like a time: its columns are a (text), b (int)"),
    "pretty.json": (
        '{\n"time": 1}\n',
        "is a JSON object: jq -c . FOLDER/pretty.json > pretty.jsonl writes an object a line",
    ),
    "unnamed.csv": ("time,,x\n2024-05-01T10:00:00,5,6\n", "column 2 of FOLDER/unnamed.csv has no name"),
    "rows.xlsx": ("x", "takes Parquet, CSV and JSON lines"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_guessed_is_said(name: str, tmp_path: Path) -> None:
    """The file, what is wrong with it, and what would be right."""
    text, expected = REFUSED[name]
    (tmp_path / name).write_text(text)
    words = refusal(tmp_path / name)
    assert expected in words
    assert f"FOLDER/{name}" in words
