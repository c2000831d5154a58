"""Files of operations: what is read of them, what is said of wrong ones, and what their steps cost."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sash
from sash.commands.app import app
from sash.drawing.program import read_program
from sash.drawing.trace import Step, steps_of

FLIP = "algorithm two_stacks_lite\nbulk_insert 1=a 2=b 3=c 4=d 5=e\nevict\nevict\nquery\n"


def traced(text: str) -> list[Step]:
    return list(steps_of(read_program(text)))


def test_a_flip_is_seen_where_it_happens() -> None:
    """The first eviction turns all entries but the youngest into suffixes; the second takes the next one."""
    inserted, flip, pop, query = traced(FLIP)
    assert [len(step.combines) for step in (inserted, flip, pop, query)] == [4, 3, 0, 1]
    assert [one.result for one in flip.combines] == ["cd", "bcd", "abcd"]
    assert (query.combines[0].older, query.combines[0].newer, query.result) == ("cd", "e", "cde")


def test_combines_are_those_that_the_window_makes() -> None:
    """As many as a window of the same algorithm makes over an aggregation in Python that counts for itself."""
    combines: list[tuple[str, str]] = []

    def combine(older: str, newer: str) -> str:
        combines.append((older, newer))
        return older + newer

    own = sash.aggregation(lift=str, combine=combine, lower=str, identity="")
    program = "algorithm fiba min_arity=2\n" + "".join(f"insert {time} {'abc'[time % 3]}\n" for time in range(40))
    late = "insert 20.5 x\nevict 7\nbulk_evict 12\nquery\n"
    window = sash.Window(own, algorithm="fiba", min_arity=2)
    for time in range(40):
        window.insert(float(time), "abc"[time % 3])
    window.insert(20.5, "x")
    window.evict(7)
    window.bulk_evict(12)
    window.query()
    seen = [(one.older, one.newer) for step in traced(program + late) for one in step.combines]
    assert seen == [(older or "∅", newer or "∅") for older, newer in combines]


def test_a_step_shows_what_it_changed() -> None:
    """What the picture before did not have has an edge of its own; a query changes nothing."""
    _, flip, _, query = traced(FLIP)
    assert flip.drawing.body.count("fresh") == 3 + 1  # the suffixes of b, c and d, and the back part, which is e now
    assert query.drawing.body.count("fresh") == 0


def test_remarks_numbers_pairs_and_dates_are_read() -> None:
    """Values as the aggregation takes them, times as numbers or dates, remarks with what follows them."""
    text = (
        "aggregation ArgMax\n\n# Two\n# lines.\ninsert 2024-05-01T10:00 5,tea\nbulk_insert 2024-05-01T10:05=7.5,cake\n"
    )
    first, second = read_program(text).operations
    assert first.arguments == (datetime(2024, 5, 1, 10), (5, "tea"))
    assert (first.line, first.remark, second.remark) == (5, "Two lines.", "")
    assert second.arguments == ([datetime(2024, 5, 1, 10, 5)], [(7.5, "cake")])
    assert traced(text + "query")[-1].result == "cake"
    assert read_program("insert 1 5").operations[0].arguments == (1, "5")  # Concat takes texts


def test_a_late_float_rebuilds_nothing() -> None:
    """A window of integers loads itself anew for its first float; a trace shows the insert alone."""
    inserts = "".join(f"insert {time} a\n" for time in range(12))
    program = "algorithm fiba min_arity=2\n" + inserts + "insert 9.5 b\nevict 3\nbulk_insert 20=a\nquery 1 5"
    assert all(isinstance(time, float) for one in read_program(program).operations for time in one.times)
    late = traced(program)[12]
    assert late.operation.text == "insert 9.5 b"
    assert len(late.combines) < 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no operation in it: write insert TIME VALUE, such as: insert 5 a"),
        ("inset 1 a", "line 1: 'inset' is no operation: did you mean 'insert'? Write insert TIME VALUE, such as"),
        ("jump", "line 1: 'jump' is no operation: there is aggregation, algorithm, insert"),
        ("insert 1", "line 1: 'insert 1' is no insert: write insert TIME VALUE"),
        ("insert soon a", "line 1: 'soon' is no time: write a number, or a date such as 2024-05-01T10:00"),
        ("bulk_insert 1=a 2", "line 1: 'bulk_insert 1=a 2' is no bulk_insert: write bulk_insert TIME=VALUE ..."),
        ("evict 1 2", "line 1: 'evict 1 2' is no evict: write evict, or evict TIME"),
        ("bulk_evict", "line 1: 'bulk_evict' is no bulk_evict: write bulk_evict TIME"),
        ("query 1", "line 1: 'query 1' is no query: write query, or query START END"),
        ("aggregation", "line 1: 'aggregation' names no aggregation: write aggregation NAME"),
        ("aggregation Summ", "line 1: 'Summ' is no built-in aggregation: did you mean 'Sum'?"),
        ("algorithm fibba", "line 1: 'fibba' is no algorithm: did you mean 'fiba'?"),
        ("algorithm fiba arity", "line 1: 'algorithm fiba arity' names no algorithm: write algorithm NAME"),
        ("algorithm daba leaf=3", "line 1: daba has no option 'leaf': it has none"),
        ("algorithm fiba leaf=1", "line 1: leaf is an integer from 2 to 65536, not 1"),
        ("insert 1 a\nalgorithm daba", "line 2: algorithm comes before the first operation: move the line up"),
        ("aggregation Max\nalgorithm subtract_on_evict", "line 2: subtract_on_evict needs an inverse, and Max() has"),
    ],
)
def test_a_wrong_line_is_named_with_what_would_be_right(text: str, said: str) -> None:
    """Its number, what is wrong with it, and what to write."""
    with pytest.raises(ValueError, match=r"line \d|no operation") as error:
        read_program(text)
    assert str(error.value).startswith(said)


def test_every_wrong_line_is_named_at_once() -> None:
    """Nobody mends a file line by line."""
    with pytest.raises(ValueError, match="line 1") as error:
        read_program("inset 1 a\ninsert 2 b\nevict 1 2")
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["line 1", "line 3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("evict", "line 1: 'evict' is refused: the window is empty"),
        ("algorithm daba\ninsert 5 a\ninsert 4 b", "line 3: 'insert 4 b' is refused: time 4 is before the youngest, 5"),
        ("algorithm daba\nquery 1 2", "line 2: 'query 1 2' is refused: daba cannot answer range queries"),
        ("aggregation Sum\ninsert 1 a", "line 2: 'insert 1 a' is refused: "),
    ],
)
def test_what_the_window_refuses_is_named_by_its_line(text: str, said: str) -> None:
    """The operation is right, and the window cannot do it: its own message says why."""
    with pytest.raises(ValueError, match="is refused") as error:
        traced(text)
    assert str(error.value).startswith(said)


def test_the_command_writes_a_page_or_the_last_picture(tmp_path: Path) -> None:
    """A line of what was done, and no network in what it wrote."""
    file = tmp_path / "flip.txt"
    file.write_text(FLIP)
    said = CliRunner().invoke(app, ["trace", str(file)])
    assert said.output == f"4 steps, 8 combines: {tmp_path / 'flip.html'}\n"
    page = (tmp_path / "flip.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    CliRunner().invoke(app, ["trace", str(file), "--out", str(tmp_path / "last.svg")])
    assert (tmp_path / "last.svg").read_text(encoding="utf-8") == traced(FLIP)[-1].drawing.svg


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    """With the file's name before each line, an exit code of its own, and no traceback."""
    file = tmp_path / "wrong.txt"
    file.write_text("inset 1 a\nevict 1 2\n")
    said = CliRunner().invoke(app, ["trace", str(file)])
    assert said.exit_code == 2
    assert [line.split(": ")[:2] for line in said.output.splitlines()] == [[str(file), "line 1"], [str(file), "line 2"]]
    missing = CliRunner().invoke(app, ["trace", str(tmp_path / "none.txt")])
    assert (missing.exit_code, missing.output) == (
        2,
        f"{tmp_path / 'none.txt'} cannot be read or written: No such file or directory\n",
    )
