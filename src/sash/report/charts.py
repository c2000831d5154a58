"""The charts of a report, by Altair: each a specification of Vega-Lite with its data in it."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any, Final

import altair as alt
import numpy as np
import pyarrow as pa

from sash.durations import Duration
from sash.report.disorder import Counts, flow, in_powers, overtaken
from sash.report.series import points, revised_by_key
from sash.report.story import Story, Stream

__all__ = ["Chart", "charts"]

_HEIGHT: Final = 260
_SMALL: Final = 170
_POINTS: Final = 400
#: Lines of so many points show each of them.
_FEW: Final = 30
#: The name under which a chart finds its data.
_ROWS: Final = "rows"
_FIRST, _FINAL = "#d9731a", "#3277b3"
#: Days by their date, times of the day by a clock of 24 hours.
_CLOCK: Final = (
    "utcseconds(datum.value) ? utcFormat(datum.value, '%H:%M:%S') : utchours(datum.value) || utcminutes(datum.value)"
    " ? utcFormat(datum.value, '%H:%M') : utcFormat(datum.value, '%a %d %b')"
)
_POWERS: Final = [1, 10, 100, 10**3, 10**4, 10**5, 10**6]
_COLOURS: Final = alt.Scale(domain=["first emitted", "finally known"], range=[_FIRST, _FINAL])


class Chart:
    """A chart with its heading and a sentence that says what is to be seen."""

    def __init__(self, name: str, title: str, words: str, spec: Any, rows: list[dict[str, Any]]) -> None:
        self.name = name
        self.title = title
        self.words = words
        self.spec: dict[str, Any] = spec.to_dict()
        self.spec.setdefault("datasets", {})[_ROWS] = rows


def charts(story: Story) -> list[Chart]:
    """All that the story has data for. Cost: O(n log n) for the times of arrival, else O(results)."""
    made = [chart for stream in story.streams for chart in _of_stream(stream, story)]
    made += _of_batches(story)
    made += _of_arrivals(story)
    if story.compared:
        made.append(_compared(story.compared))
    return made


def _chart() -> Any:
    """A chart of the rows that it is given in the end: Altair copies and checks whatever it holds, row for row."""
    return alt.Chart(alt.NamedData(name=_ROWS))


def _sized(chart: Any, height: int = _HEIGHT) -> Any:
    return chart.properties(width="container", height=height)


# Results


def _of_stream(stream: Stream, story: Story) -> list[Chart]:
    if stream.results is None:
        return []
    found = points(stream)
    made = [_results(stream, found, story.marked)] if found else []
    # Of a single key the facts at the head say as much as a chart.
    revised = revised_by_key(stream) if stream.plan.by else []
    return [*made, _revised(stream, revised)] if revised else made


def _results(stream: Stream, found: list[dict[str, Any]], marked: list[dict[str, Any]]) -> Chart:
    assert stream.results is not None
    timed = pa.types.is_timestamp(stream.results.schema.field(_on(stream)).type)
    at = _time_axis("at") if timed else alt.X("at:Q", title=None)
    chosen = _most_changed(found)
    key = _menu("key", found, chosen[0], " and ".join(stream.plan.by) or "rows")
    column = _menu("column", found, chosen[1], "result")
    base = _chart().transform_filter("datum.key === key && datum.column === column")
    revised = any(point["first"] != point["final"] for point in found)
    layers = _marks(marked) if timed else []
    if revised:
        between = base.mark_area(opacity=0.3, color=_FIRST, interpolate="step-after")
        layers.append(between.encode(at, y=_height("first"), y2="final:Q"))
    kinds = ["first", "final"] if revised else ["final"]
    colour = alt.Color("kind:N", title=None, scale=_COLOURS, legend=alt.Legend(orient="top") if revised else None)
    named = "datum.key_ === 'first' ? 'first emitted' : 'finally known'"
    when = "utcFormat(datum.at, '%a %d %b %H:%M:%S')"
    folded = base.transform_fold(kinds, as_=["key_", "value"]).transform_calculate(kind=named, when=when)
    tips = ["when:N" if timed else "at:Q", "kind:N", "value:Q"]
    line = folded.mark_line(interpolate="step-after", strokeWidth=1.6)
    layers.append(line.encode(at, y=_height("value"), color=colour))
    # A line of few points is hard to see, and one of a single point is none.
    opacity = 1 if _longest(found) <= _FEW else 0
    layers.append(folded.mark_circle(opacity=opacity, size=60).encode(at, y=_height("value"), tooltip=tips))
    chart = alt.layer(*layers).add_params(key, column)
    late = " Orange is what was emitted first, blue what is known now that late rows have come." if revised else ""
    grey = "".join(f" Grey: {word}." for word in dict.fromkeys(mark["word"] for mark in marked if timed))
    words = f"Results over time, for the keys with the most rows.{late}{grey}"
    return Chart(f"results-{stream.name}", stream.title, words, _sized(chart), found)


def _longest(found: list[dict[str, Any]]) -> int:
    """How many points the longest line has."""
    return max(Counter((point["key"], point["column"]) for point in found).values())


def _on(stream: Stream) -> str:
    names = stream.results.column_names if stream.results is not None else []
    return str(stream.plan.on if stream.plan.on in names else "window_end")


def _height(column: str) -> Any:
    """An axis that has room for what changes; 0 need not be on it."""
    return alt.Y(f"{column}:Q", title=None, scale=alt.Scale(zero=False))


def _time_axis(column: str) -> Any:
    """Times of UTC, with no more labels than there is room for."""
    axis = alt.Axis(
        labelOverlap="greedy", labelSeparation=8, tickCount={"expr": "max(3, width / 80)"}, labelExpr=_CLOCK
    )
    return alt.X(f"{column}:T", title=None, scale=alt.Scale(type="utc"), axis=axis)


def _menu(part: str, found: list[dict[str, Any]], chosen: str, label: str) -> Any:
    options = list(dict.fromkeys(point[part] for point in found))
    return alt.param(name=part, value=chosen, bind=alt.binding_select(options=options, name=f"{label} "))


def _most_changed(found: list[dict[str, Any]]) -> tuple[str, str]:
    """The key and the result whose line late rows have moved furthest, beside its own height."""
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for point in found:
        values = lines.setdefault((point["key"], point["column"]), [])
        if point["first"] is not None and point["final"] is not None:
            values.append((point["first"], point["final"]))

    def moved(line: tuple[str, str]) -> float:
        final = [one for _, one in lines[line]] or [0]
        return sum(abs(first - last) for first, last in lines[line]) / (max(final) - min(final) or 1)

    return max(lines, key=moved)


def _marks(marked: list[dict[str, Any]]) -> list[Any]:
    """Stretches that a reader should know of, behind the lines."""
    if not marked:
        return []
    # A few rows, which are not those of the chart.
    base = alt.Chart(alt.InlineData(values=marked))
    return [base.mark_rect(opacity=0.15, color="#888").encode(x=_time_axis("start"), x2="end:T", tooltip="word:N")]


def _revised(stream: Stream, rows: list[dict[str, Any]]) -> Chart:
    bars = _chart().mark_bar(color=_FIRST)
    chart = bars.encode(
        x=alt.X("count:Q", title=None, axis=alt.Axis(tickMinStep=1, labelOverlap=True)),
        y=alt.Y("key:N", title=None, sort="-x", axis=alt.Axis(labelLimit=130)),
        color=alt.Color(
            "kind:N", title=None, legend=alt.Legend(orient="top"), scale=alt.Scale(range=[_FIRST, "#8a5fb0"])
        ),
        tooltip=["key:N", "kind:N", "count:Q"],
    )
    height = max(60, 22 * len({row["key"] for row in rows[:15]}))
    words = "Revisions are results that late rows changed after they were emitted; late rows came after the watermark."
    return Chart(
        f"revised-{stream.name}", f"{stream.title}: late rows and revisions", words, _sized(chart, height), rows[:15]
    )


# Batches


def _of_batches(story: Story) -> list[Chart]:
    rows = [
        batch | {"speed": batch["rows"] / batch["seconds"], "stream": batch.get("stream", "rows")}
        for batch in story.batches
        if batch["seconds"] and batch["rows"]
    ]
    if len(rows) < 2:
        return []
    made = [
        _line("throughput", "Throughput", "Rows a second, batch by batch.", rows, "speed"),
        _line("seconds", "Batch times", "Seconds that each batch took.", rows, "seconds"),
    ]
    # A stream that reads old events is behind by years, which says nothing.
    if all(row["lag"] is not None and row["lag"] < 86_400 for row in rows):
        made.append(_line("lag", "Lag", "Seconds that the newest event was behind the clock.", rows, "lag"))
    if any(row.get("state_bytes") for row in rows):
        sized = [row | {"megabytes": row["state_bytes"] / 1e6} for row in rows]
        made.append(_line("state", "State", "Megabytes in Spark's state store.", sized, "megabytes"))
    return made


def _line(name: str, title: str, words: str, rows: list[dict[str, Any]], column: str) -> Chart:
    kept = [{"number": row["number"], "stream": row["stream"], "value": float(f"{row[column]:.5g}")} for row in rows]
    several = len({row["stream"] for row in rows}) > 1
    chart = _chart().mark_line(point=True)
    chart = chart.encode(
        x=alt.X("number:Q", title="batch", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("value:Q", title=None),
        color=alt.Color("stream:N", title=None, legend=alt.Legend(orient="top") if several else None),
        tooltip=["stream:N", "number:Q", "value:Q"],
    )
    return Chart(name, title, words, _sized(chart, _SMALL), kept)


# Arrivals


def _of_arrivals(story: Story) -> list[Chart]:
    if story.arrivals is None or len(story.arrivals) < 2:
        return []
    ticks = story.arrivals.cast(pa.int64()).to_numpy()
    unit = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.get(getattr(story.arrivals.type, "unit", ""), 0)
    words = "How many events with a later time came before each (bulk FiBA, Figure 15)."
    made = [_histogram("disorder", "Out-of-order distance", words, in_powers(overtaken(ticks)))]
    windows = {label: length for label, length in _lengths(story) if unit or length.plain}
    if not windows:
        return made
    flows = {label: flow(ticks, _ticks(length, unit)) for label, length in windows.items()}
    longest = max(windows, key=lambda label: windows[label].amount)
    bulks = flows[longest].evicted
    words = f"How many events each arrival pushed out of the window of {longest} at once (bulk FiBA, Figure 15)."
    made.append(_histogram("bulks", "Bulk size", words, in_powers(bulks[bulks > 0], zero=False)))
    sizes = {label: one.sizes for label, one in flows.items()}
    words = "Events in a window over all keys, as they arrive."
    made.append(_over_arrivals("sizes", "Window sizes", words, sizes))
    words = "The largest bulk that left a window at once, as events arrive."
    bulk = {label: one.evicted for label, one in flows.items()}
    made.append(_over_arrivals("evictions", "Bulk evictions", words, bulk, points=True))
    return made


def _lengths(story: Story) -> list[tuple[str, Duration]]:
    plan = story.streams[0].plan
    pairs = zip(plan.labels, plan.windows, strict=True)
    return [(label, window.span.length) for label, window in pairs if window.span is not None]


def _ticks(length: Duration, unit: int) -> int:
    return int(length.amount) if length.plain else int(length.amount) * unit // 10**9


def _histogram(name: str, title: str, words: str, counts: Counts) -> Chart:
    labels = [_range(least, max(2 * least - 1, 0)) for least in counts.least]
    rows = [{"bin": label, "count": count} for label, count in zip(labels, counts.counts, strict=True)]
    chart = _chart().mark_bar(color=_FINAL)
    chart = chart.encode(
        x=alt.X("bin:N", sort=None, title=None, axis=alt.Axis(labelAngle=-50, labelOverlap=True)),
        y=_logarithmic("count"),
        tooltip=["bin:N", "count:Q"],
    )
    return Chart(name, title, words, _sized(chart, _SMALL), rows)


def _logarithmic(column: str) -> Any:
    """An axis for what differs by powers, and may be 0."""
    # A format of the axis would give all labels one prefix: 0k, 1k, 10k.
    axis = alt.Axis(values=_POWERS, labelExpr="format(datum.value, '~s')")
    return alt.Y(f"{column}:Q", title=None, scale=alt.Scale(type="symlog"), axis=axis)


def _range(least: int, end: int) -> str:
    return f"{least:,}" if end <= least else f"{least:,} to {end:,}"


def _over_arrivals(name: str, title: str, words: str, columns: dict[str, Any], points: bool = False) -> Chart:
    rows = []
    for label, values in columns.items():
        edges = np.linspace(0, len(values), min(_POINTS, len(values)) + 1).astype(int)
        rows += [
            {"arrival": int(stop), "window": label, "value": int(values[start:stop].max())}
            for start, stop in itertools.pairwise(edges)
        ]
    base = _chart()
    marks = base.mark_circle(size=14) if points else base.mark_line(interpolate="step-after", strokeWidth=1.4)
    chart = marks.encode(
        x=alt.X("arrival:Q", title="events that have arrived", axis=alt.Axis(format="~s")),
        y=_logarithmic("value"),
        color=alt.Color("window:N", title=None, sort=None, legend=alt.Legend(orient="top")),
        tooltip=["window:N", "arrival:Q", "value:Q"],
    )
    return Chart(name, title, words, _sized(chart, _SMALL), rows)


def _compared(rows: list[dict[str, Any]]) -> Chart:
    shown = [row | {"speed": row["rows"] / row["seconds"]} for row in rows]
    chart = _chart().mark_bar()
    chart = chart.encode(
        x=alt.X("speed:Q", title="rows a second", axis=alt.Axis(format="~s")),
        y=alt.Y("what:N", title=None, sort=None, axis=alt.Axis(labelLimit=200)),
        color=alt.Color("who:N", title=None, legend=None, scale=alt.Scale(range=[_FINAL, _FIRST])),
        tooltip=["what:N", "rows:Q", "seconds:Q", alt.Tooltip("speed:Q", format=",.0f")],
    )
    words = "The same windows over the same rows, results compared: Spark's own hop windows and Sash, as a batch."
    return Chart("compared", "Beside Spark's own windows", words, _sized(chart, 28 * len(rows) + 20), shown)
