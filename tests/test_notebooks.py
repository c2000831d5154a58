"""What notebooks show, and results as frames."""

from __future__ import annotations

from datetime import datetime

import pytest

import sash


def revised() -> sash.results.Results:
    """Two keys, one of them revised by a late event."""
    s = sash.Sliding(sash.Composite(n=sash.Count(), best=sash.Max()), sash.TimeWindow(10), by=True, emit="update")
    return s.push_many(["a", "b", "a"], [5, 6, 4], [7, 1, 9])


def test_results_as_frames_of_three_libraries() -> None:
    """One call each, with the fields of a record as columns, and the revision because one was revised."""
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    results = revised()
    expected = [
        {"key": r.key, "start": r.start, "end": r.end, "n": r.value.n, "best": r.value.best, "revision": r.revision}
        for r in results
    ]
    assert max(row["revision"] for row in expected) == 1
    assert results.to_pandas().to_dict("records") == expected
    assert results.to_polars().to_dicts() == expected
    assert results.to_arrow().to_pylist() == expected


def test_windows_are_told_apart() -> None:
    """With several windows there is a column for them; without keys and revisions there is none for those."""
    pytest.importorskip("pandas")
    s = sash.Sliding(sash.Sum(), [sash.TimeWindow(1), sash.CountWindow(2)])
    frame = s.push_many([1, 2], [3, 4]).to_pandas()
    assert list(frame.columns) == ["start", "end", "window", "value"]
    assert set(frame["window"]) == {"TimeWindow(1)", "CountWindow(2)"}


def test_times_stay_times() -> None:
    """Datetimes are times in the frame too."""
    pandas = pytest.importorskip("pandas")
    results = sash.Sliding(sash.Sum(), "1h").push_many([datetime(2024, 5, 1, 10)], [1])
    assert results.to_pandas()["end"].tolist() == [pandas.Timestamp("2024-05-01 10:00")]


def test_no_results_are_an_empty_frame() -> None:
    """A frame without rows, not an error."""
    pytest.importorskip("pandas")
    assert len(sash.Sliding(sash.Sum(), sash.TimeWindow(1)).push_many([], []).to_pandas()) == 0


def test_everything_shows_itself() -> None:
    """Plans, windows, operators and results have a form for notebooks, in which text of users is no markup."""
    window = sash.Window(sash.Concat())
    window.insert(1, "<script>")
    plan = sash.Plan(on="t", windows="1h", aggregations={"<n>": sash.Count()})
    operator = sash.Sliding(sash.Sum(), sash.TimeWindow(5), by=True)
    operator.push("<key>", 1, 2)
    for shown in (window, plan, operator, operator.push_many(["<key>"], [2], [3]), sash.Window(sash.Sum())):
        html = shown._repr_html_()
        assert html.startswith(("<table>", "<pre "))
        assert not {"<script>", "<n>", "<key>"} & set(html.split())
        assert "<key>" not in html
    assert "&lt;script&gt;" in window._repr_html_()


def test_many_results_show_the_last() -> None:
    """A notebook is no place for a million rows."""
    results = sash.Sliding(sash.Sum(), sash.TimeWindow(1)).push_many(list(range(50)), [1] * 50)
    assert results._repr_html_().count("<tr>") == 11
    assert "the last 10 of 50 results" in results._repr_html_()
