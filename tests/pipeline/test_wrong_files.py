"""Wrong pipeline files: each mistake is named with its line, its key and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from sash.errors import PipelineError
from sash.pipeline.config import load
from sash.pipeline.fit import fit
from tests.pipeline.sample import payments, write

RIGHT = """\
[source]
format = "csv"
path = "payments.csv"

[plan]
by = "card"
on = "time"
windows = ["10m", "1h"]

[plan.aggregations]
spent = 'Sum("amount")'

[sink]
format = "parquet"
path = "results"

[run]
engine = "local"
"""

#: What is changed in the right file, into what, and what is said.
MISTAKES = {
    "a list without brackets": ("windows = [", "windows = ", 'a list goes in brackets: windows = ["10m", "1h"]'),
    "quotes in quotes": (
        "'Sum(\"amount\")'",
        '"Sum("amount")"',
        "a text that contains quotes goes in single quotes: spent = 'Sum(\"amount\")'",
    ),
    "no quotes": ('format = "csv"', "format = csv", 'a text goes in quotes: format = "csv"'),
    "no equals sign": ('on = "time"', 'on "time"', "is not TOML: Expected '=' after a key"),
    "a key twice": (
        'on = "time"',
        'on = "time"\non = "card"',
        "8: 'on = \"card\"' is not TOML: Cannot overwrite",
    ),
    "no source": ('[source]\nformat = "csv"\npath = "payments.csv"', "", "source: the table is missing"),
    "an unknown table": ("[run]", "[runs]", '17: runs: a pipeline has no such table: did you mean "run"?'),
    "source is no table": ("[source]\n", "source = 1\n[rest]\n", "1: source: it must be a table, [source], not 1"),
    "an unknown format": ('"csv"', '"cvs"', '2: source.format: "cvs" is unknown: did you mean "csv"?'),
    "no format": ('format = "csv"\n', "", "1: source.format: it is missing: one of parquet, csv, json, kafka"),
    "no path": ('path = "payments.csv"\n', "", "1: source.path: it is missing: write the folder, file or pattern"),
    "a path that is a number": ('"payments.csv"', "7", "3: source.path: it must be a text in quotes, not 7"),
    "no such file": ("payments.csv", "payment.csv", 'payment.csv: did you mean "payments.csv"?'),
    "a misspelt key": ("path = ", "pth = ", '3: source.pth: [source] has no such key: did you mean "path"?'),
    "a delimiter of two": (
        "[plan]",
        'delimiter = ";;"\n[plan]',
        'source.delimiter: it must be one character, such as ";"',
    ),
    "watch in quotes": ("[plan]", 'watch = "yes"\n[plan]', "source.watch: it must be true or false, without quotes"),
    "a truth with a capital": ("[plan]", "watch = True\n[plan]", "is not TOML: Invalid value; write watch = true"),
    "a function that the module has not": (
        'format = "csv"\npath = "payments.csv"',
        'format = "python"\nfunction = "json:loda"',
        '3: source.function: module json has no function loda: did you mean "load"?',
    ),
    "no such column of Parquet": (
        'format = "csv"\npath = "payments.csv"',
        'format = "parquet"\npath = "payments.parquet"\ncolumns = {amout = "float"}',
        '4: source.columns.amout: the source has no column "amout": did you mean "amount"?',
    ),
    "an unknown type": (
        "[plan]",
        'columns = {time = "date", card = "text", amount = "int"}\n[plan]',
        'source.columns.time: "date" is not a type: did you mean "timestamp"?',
    ),
    "times that are texts": (
        "[plan]",
        'columns = {time = "text", card = "text", amount = "int"}\n[plan]',
        'source.columns.time: the plan takes times from it, and it is "text": write "timestamp"',
    ),
    "watched text without columns": (
        "[plan]",
        "watch = true\n[plan]",
        "source.columns: it is missing: name each column",
    ),
    "no plan": (RIGHT[RIGHT.index("[plan]") : RIGHT.index("[sink]")], "", "plan: the table is missing: begin it with"),
    "an unknown part of the plan": ('by = "card"', 'key = "card"', "6: plan.key: 'key' is no part of a plan"),
    "a window that is none": ('"10m"', '"10 minits"', "8: plan.windows: '10 minits' is no window: unknown unit"),
    "no windows": ('["10m", "1h"]', "[]", '8: plan.windows: give at least one, such as "1h"'),
    "an aggregation that is none": ("Sum(", "Summ(", "11: plan.aggregations.spent: 'Summ' is no built-in aggregation"),
    "an aggregation without a column": ('Sum("amount")', "Sum()", "11: plan.aggregations.spent: Sum() names no column"),
    "a column without quotes": (
        '"amount"',
        "amount",
        "11: plan.aggregations.spent: amount in 'Sum(amount)' is no plain",
    ),
    "an option that is none": ('"amount"', '"amount", q=1', "11: plan.aggregations.spent: Sum has no option 'q'"),
    "no such key column": ('"card"', '"crd"', '6: plan.by: the source has no column "crd": did you mean "card"?'),
    "no such time column": ('on = "time"', 'on = "tme"', '7: plan.on: the source has no column "tme"'),
    "no such value column": ('"amount"', '"amt"', '11: plan.aggregations.spent: the source has no column "amt"'),
    "a sum of texts": ('Sum("amount")', 'Sum("shop")', '11: plan.aggregations.spent: Sum("shop") reads numbers'),
    "an unknown emit": ("[plan.agg", 'emit = "late"\n[plan.agg', "plan.emit: emit is 'final', 'arrival', 'update'"),
    "an unknown sink": ('"parquet"', '"excel"', '14: sink.format: "excel" is unknown: there are parquet'),
    "a sink without a path": ('path = "results"', "", "13: sink.path: it is missing: write the folder of the results"),
    "lists in csv": (
        'spent = \'Sum("amount")\'\n\n[sink]\nformat = "parquet"',
        'all = \'Collect("amount")\'\n\n[sink]\nformat = "csv"',
        '14: sink.format: aggregation "all" gives several values, for which CSV has no form',
    ),
    "an unknown engine": (
        '"local"',
        '"flink"',
        '18: run.engine: "flink" is unknown: there are local',
    ),
    "a trigger that is no time": (
        '"local"',
        '"local"\ntrigger = 5',
        'run.trigger: it must be a length of time in quotes, such as "10s" or "5m", not 5',
    ),
    "results in the place of the source": (
        'path = "results"',
        'path = "./payments.csv"',
        '15: sink.path: the source is there, and results would replace it: write path = "payments-results"',
    ),
    "a folder that is a file": (
        '"local"',
        '"local"\nfolder = "payments.csv"',
        "payments.csv is a file: name a folder",
    ),
    "a jar that is not there": ('"local"', '"local"\njars = ["no.jar"]', "no.jar: a file or a pattern is meant"),
    "a package without a version": (
        '"local"',
        '"local"\npackages = ["kafka"]',
        'run.packages: "kafka" is not a package: write its group, name and version, with colons',
    ),
    "a server without a port": (
        'format = "parquet"\npath = "results"\n\n[run]\nengine = "local"',
        'format = "kafka"\nservers = "localhost"\ntopic = "results"',
        '15: sink.servers: "localhost" is not a host and port: write "localhost:9092", several with commas',
    ),
    "an id that no result has": (
        'format = "parquet"\npath = "results"\n\n[run]\nengine = "local"',
        'format = "kafka"\nservers = "x:1"\ntopic = "results"\nid = ["crd"]',
        '17: sink.id: the results have no column "crd": did you mean "card"?',
    ),
    "a lake without a table": (
        'format = "parquet"\npath = "results"\n\n[run]\nengine = "local"',
        'format = "iceberg"',
        '13: sink.table: it is missing: write the name of a table, such as table = "lake.db.spent"',
    ),
    "a lake in this process": (
        'format = "parquet"',
        'format = "delta"',
        '18: run.engine: "local" writes no delta: write engine = "spark"',
    ),
    "kafka in this process": (
        'format = "csv"\npath = "payments.csv"',
        'format = "kafka"\nservers = "x:1"\ntopic = "t"\ncolumns = {time = "int", card = "text", amount = "int"}',
        'run.engine: "local" reads no kafka: write engine = "spark"',
    ),
    "kafka without a topic": (
        'format = "csv"',
        'format = "kafka"',
        "1: source.topic: it is missing: write the name",
    ),
    "a function that is none": (
        'format = "csv"\npath = "payments.csv"',
        'format = "python"\nfunction = "sources.payments"',
        '3: source.function: "sources.payments" names no function: write its module, a colon and its name',
    ),
    "a module that is not there": (
        'format = "csv"\npath = "payments.csv"',
        'format = "python"\nfunction = "no_such_module:rows"',
        "3: source.function: module no_such_module cannot be imported",
    ),
    "a number with a unit, without quotes": ('["10m", "1h"]', "10m", 'a text goes in quotes: windows = "10m"'),
    "typographic quotes": ('"card"', "\u201ccard\u201d", '\u201c is a typographic quote: write by = "card"'),
    "a list that does not end": (
        '"1h"]',
        '"1h"',
        '8: \'windows = ["10m", "1h"\' is not TOML: Unclosed array; the list',
    ),
    "a text that does not end": ('by = "card"', 'by = "card', "6: 'by = \"card' is not TOML: Illegal character"),
    "a list of tables": ("[plan]", "[[plan]]", "5: plan: it must be one table, [plan]"),
    "aggregations beside the plan": (
        "[plan.aggregations]",
        "[aggregations]",
        "no such table: write [plan.aggregations]",
    ),
    "an aggregation of SQL": ("Sum(", "AVG(", "'AVG' is no built-in aggregation: did you mean 'Mean'?"),
    "an option without its name": (
        'Sum("amount")',
        'Quantile("amount", 0.9)',
        "0.9 in 'Quantile(\"amount\", 0.9)' is not a column: write an option with its name, q=0.9",
    ),
    "an option out of its range": ('Sum("amount"', 'Quantile("amount", q=95', "Quantile: q is a number from 0 to 1"),
    "an expression over what is not there": (
        "[sink]",
        '[plan.expressions]\nshare = "spent_10m / spent_2h"\n[sink]',
        "14: plan.expressions.share: there is no result and no column 'spent_2h'",
    ),
    "an empty folder": ('"payments.csv"', '"empty"', "3: source.path: there is no file at"),
    "CSV as Parquet": ('"csv"', '"parquet"', 'payments.csv is not parquet: write format = "csv"'),
    "Parquet as CSV": ("payments.csv", "payments.parquet", 'payments.parquet is not csv: write format = "parquet"'),
    "another delimiter": ("[plan]", 'delimiter = ";"\n[plan]', "its first line has no ';': write delimiter = \",\""),
    "a column that the header has not": (
        "[plan]",
        'columns = {time = "timestamp", card = "text", amount = "int", shp = "text"}\n[plan]',
        'payments.csv has no column "shp": did you mean "shop"?',
    ),
    "a file where results would go": ('"results"', '"payments.jsonl"', "payments.jsonl is a file, and results go into"),
    "a run in the folder of its results": (
        '"local"',
        '"local"\nfolder = "results/run"',
        'run.folder: the results are in "results", and nothing else may be',
    ),
    "another file system in this process": (
        "payments.csv",
        "s3://bucket/payments.csv",
        '"local" has files of this machine only, not s3://bucket/payments.csv: write engine = "spark"',
    ),
    "settings of Spark in tables": (
        '"local"',
        '"local"\n[run.spark.sql]\npartitions = 1',
        'run.spark.sql: it must be a plain value, not a table; write names with dots in quotes, "sql.name" = "value"',
    ),
    "a topic without kafka": (
        '"local"',
        '"local"\ndead_letter_topic = "dead"',
        "run.dead_letter_topic: a topic is written on the servers of a kafka sink: leave it out",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of payments."""
    write(tmp_path, payments(20))
    (tmp_path / "empty").mkdir()
    return tmp_path


def said(folder: Path, text: str) -> str:
    """What is said of a pipeline file."""
    file = folder / "pipeline.toml"
    file.write_text(text)
    with pytest.raises(PipelineError) as caught:
        fit(load(file))
    return str(caught.value)


def test_the_file_without_a_mistake_is_right(folder: Path) -> None:
    """What the mistakes are made in has none."""
    (folder / "pipeline.toml").write_text(RIGHT)
    fit(load(folder / "pipeline.toml"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_line(name: str, folder: Path) -> None:
    """Line, key, and what would be right, in one line for one mistake."""
    right, wrong, expected = MISTAKES[name]
    assert RIGHT.count(right) >= 1
    words = said(folder, RIGHT.replace(right, wrong, 1))
    assert expected in words
    assert all(line.startswith("pipeline.toml:") for line in words.splitlines())


@pytest.mark.parametrize(
    "name",
    [
        "quotes in quotes",
        "a package without a version",
        "a misspelt key",
        "an unknown type",
        "an unknown sink",
        "no format",
        "no plan",
    ],
)
def test_one_mistake_is_one_line(name: str, folder: Path) -> None:
    """A mistake is not named again by what follows from it."""
    right, wrong, _ = MISTAKES[name]
    lines = said(folder, RIGHT.replace(right, wrong, 1)).splitlines()
    assert len(lines) == 1


def test_a_stream_needs_a_bound_for_late_rows(folder: Path) -> None:
    """A stream that waits for late rows must say for how long."""
    text = RIGHT.replace('format = "csv"\npath = "payments.csv"', 'format = "rate"').replace('"local"', '"spark"')
    text = text.replace('by = "card"\n', "").replace('"time"', '"timestamp"').replace("amount", "value")
    assert 'plan.lateness: a stream with emit = "final" waits for late rows: write lateness = "10m"' in said(
        folder, text
    )


def test_all_mistakes_are_named_at_once(folder: Path) -> None:
    """Nobody mends one mistake to meet the next: all are there, in the order of the file."""
    text = RIGHT.replace('"csv"', '"cvs"').replace('"10m"', '"ten"').replace('"parquet"', '"excel"')
    lines = said(folder, text).splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "8", "14"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The way to one is named."""
    with pytest.raises(PipelineError, match=r"is not there: sash init --out .*nothing.toml writes an example"):
        load(tmp_path / "nothing.toml")
