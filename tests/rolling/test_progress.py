"""Bars for long work: seen on a terminal and in a notebook, after a second, and nowhere else."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import sash
from sash import progress

ROWS = 60_000
FRAME = {"t": np.arange(ROWS), "x": np.arange(ROWS)}


def run(**options: Any) -> Any:
    """Two windows and two aggregations: four passes over the rows."""
    windows = [sash.TimeWindow(10), sash.TimeWindow(100)]
    return sash.rolling(FRAME, on="t", window=windows, s=sash.Sum("x"), m=sash.Max("x"), **options)


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Spy:
    """Stands for a bar, and writes down what it was told."""

    made: ClassVar[list[Spy]] = []

    def __init__(self, words: str, total: int | None) -> None:
        self.words, self.total, self.done, self.closed = words, total, 0, False
        Spy.made.append(self)

    def advance(self, amount: int) -> None:
        self.done += amount

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> list[Spy]:
    monkeypatch.setattr(progress, "_OnTerminal", Spy)
    monkeypatch.setattr(Spy, "made", [])
    return Spy.made


def test_each_pass_is_a_step(spied: list[Spy], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the bar has a step for each aggregation and window, and is gone at the end."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    run()
    assert [(bar.words, bar.total, bar.done, bar.closed) for bar in Spy.made] == [("rolling", 4, 4, True)]


def test_nobody_is_disturbed_without_a_terminal(spied: list[Spy]) -> None:
    """Not where stderr is no terminal, not if it is told not to; but where it is asked for."""
    run()
    assert Spy.made == []
    run(progress=True)
    assert len(Spy.made) == 1


def test_a_bar_that_is_not_wanted(spied: list[Spy], monkeypatch: pytest.MonkeyPatch) -> None:
    """`progress=False` is heard on a terminal too, and little work is done before a bar is due."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    run(progress=False)
    sash.rolling({"t": FRAME["t"][:100], "x": FRAME["x"][:100]}, on="t", window=sash.TimeWindow(3), s=sash.Sum("x"))
    assert Spy.made == []


def test_a_failure_takes_the_bar_away(spied: list[Spy]) -> None:
    """Whatever happens in between."""
    frame = {"t": np.arange(ROWS), "x": np.full(ROWS, 2**62)}
    with pytest.raises(OverflowError):
        sash.rolling(frame, on="t", window=[sash.TimeWindow(5), sash.TimeWindow(9)], progress=True, s=sash.Sum("x"))
    assert Spy.made[0].closed


def test_rows_are_counted_where_they_are_read_in_parts(spied: list[Spy], tmp_path: Path) -> None:
    """A Parquet file says how many it has; an iterator does not, and a bar that is left early goes too."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(FRAME)
    pq.write_table(table, tmp_path / "rows.parquet")
    plan = sash.Plan(on="t", windows=sash.TimeWindow(10), aggregations={"s": sash.Sum("x")})
    read = sum(batch.num_rows for batch in sash.rolling(tmp_path / "rows.parquet", plan, progress=True))
    assert read == ROWS
    assert [(bar.total, bar.done, bar.closed) for bar in Spy.made] == [(ROWS, ROWS, True)]
    left = sash.rolling(iter(table.to_batches(max_chunksize=1000)), plan, progress=True)
    next(left)
    left.close()
    assert (Spy.made[1].total, Spy.made[1].closed) == (None, True)


def test_a_terminal_shows_a_bar_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich draws it on stderr, and takes it away again."""
    pytest.importorskip("rich")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    bar = progress._OnTerminal("rolling", 4)
    bar.advance(1)
    bar._timer.cancel()
    bar._begin()
    bar.advance(2)
    bar.close()
    assert "rolling" in terminal.getvalue()
    assert "of 4" in terminal.getvalue()


def test_a_bar_of_the_users_own_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich shows one thing at a time; who shows something already sees that, and no error."""
    pytest.importorskip("rich")
    from rich.console import Console
    from rich.progress import Progress

    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress(console=Console(file=io.StringIO())):
        bar = progress._OnTerminal("rolling", 4)
        bar._timer.cancel()
        bar._begin()
        bar.close()


def test_a_notebook_shows_html_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a second, and empties it at the end; before that nothing is shown."""
    shown: list[str] = []
    handle = SimpleNamespace(update=shown.append)

    def display(html: str, display_id: bool) -> Any:
        shown.append(html)
        return handle

    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    run()
    assert shown == []
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    run()
    assert shown[0] == '<progress max="4" value="1"></progress> rolling: 1 of 4'
    assert shown[-1] == ""
