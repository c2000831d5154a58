"""The report in a real browser: it draws without a word on the console, and its menus and its theme work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair")
pytest.importorskip("vl_convert")
pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from sash.errors import PipelineError
from sash.pipeline.config import load
from sash.pipeline.runner import Options, run
from sash.report import write
from tests.pipeline.sample import payments, pipeline
from tests.pipeline.sample import write as write_payments
from tests.report.browser import chromium, complaints, drawn, opened

MARKS = "g.mark-line path, g.mark-rect path, g.mark-symbol path, g.mark-area path"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run whose results were revised, in several batches."""
    folder = tmp_path_factory.mktemp("report")
    write_payments(folder, payments(80))
    file = pipeline(folder, 'format = "csv"\npath = "payments.csv"', more='emit = "update"\nlateness = "1h"')
    run(load(file), Options(log="quiet"))
    revise(folder / "results" / "part-00000.parquet")
    batches = [
        {"number": number, "rows": 40, "results": 40, "seconds": 0.5 + number, "lag": 2.0, "state_bytes": 1000}
        for number in range(3)
    ]
    (folder / "run" / "batches.jsonl").write_text("\n".join(map(json.dumps, batches)))
    return write(folder / "run")


def revise(file: Path) -> None:
    """Pretend that late rows changed some results: each tenth has a second revision."""
    rows = pq.read_table(file).to_pylist()
    again = [row | {"revision": 1, "spent_1h": row["spent_1h"] + 5} for row in rows[::10]]
    schema = pq.read_schema(file)
    pq.write_table(schema.empty_table().from_pylist([*rows, *again], schema), file)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    with chromium() as running:
        yield running


def ids(browser: Any) -> list[str]:
    found: list[str] = browser.execute_script("return [...document.querySelectorAll('.chart')].map(one => one.id)")
    return found


def marks(browser: Any, chart: str) -> int:
    """How many shapes a chart has drawn."""
    return int(browser.execute_script(f"return document.querySelectorAll('#{chart} ' + {MARKS!r}).length"))


def paths(browser: Any, chart: str) -> list[str]:
    found: list[str] = browser.execute_script(
        f"return [...document.querySelectorAll('#{chart} g.mark-line path')].map(one => one.getAttribute('d'))"
    )
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_every_chart_is_drawn(width: int, theme: str, page: Path, browser: Any) -> None:
    """On a phone and on a desk, light and dark: shapes in every chart, no word on the console, nothing too wide."""
    opened(browser, page, width, theme=theme)
    names = ids(browser)
    expected = {"results-results", "revised-results", "throughput", "seconds", "lag", "state"}
    assert expected | {"disorder", "bulks", "sizes", "evictions"} == set(names)
    assert {name: marks(browser, name) for name in names if not marks(browser, name)} == {}
    assert complaints(browser) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_menus_choose_what_is_shown(page: Path, browser: Any) -> None:
    """Another key and another result draw other lines."""
    from selenium.webdriver.support.ui import Select

    opened(browser, page)
    menus = browser.find_elements("css selector", "#results-results select")
    assert len(menus) == 2
    before = paths(browser, "results-results")
    for menu in menus:
        other = next(option for option in Select(menu).options if not option.is_selected())
        Select(menu).select_by_visible_text(other.text)
        after = paths(browser, "results-results")
        assert after != before
        before = after
    assert complaints(browser) == []


def test_what_was_revised_is_chosen_first(page: Path, browser: Any) -> None:
    """The result that late rows changed most is what one sees."""
    opened(browser, page)
    chosen = browser.execute_script(
        "return [...document.querySelectorAll('#results-results select')].map(o => o.value)"
    )
    assert chosen[1] == "spent_1h"
    assert len(paths(browser, "results-results")) == 2  # as first emitted, and as finally known


def test_the_theme_can_be_changed(page: Path, browser: Any) -> None:
    """The button goes from light to dark, and everything is drawn again."""
    from selenium.webdriver.support.ui import WebDriverWait

    opened(browser, page)
    light = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    browser.find_element("id", "theme").click()
    WebDriverWait(browser, 60).until(lambda one: drawn(one) == "dark")
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != light
    assert all(marks(browser, name) for name in ids(browser))


def test_nothing_is_fetched(page: Path, browser: Any) -> None:
    """The page is one file: the browser asked nobody for anything."""
    opened(browser, page)
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_a_folder_of_no_run(tmp_path: Path) -> None:
    """What is missing is named."""
    with pytest.raises(PipelineError, match=r"is not the folder of a run: it has no run\.json"):
        write(tmp_path)


def test_text_of_users_is_no_markup(tmp_path: Path) -> None:
    """A key that looks like markup is shown as text: it ends no script, and begins none."""
    rows = [row | {"card": "</script><script>alert(1)</script>"} for row in payments(10)]
    write_payments(tmp_path, rows)
    run(load(pipeline(tmp_path, 'format = "parquet"\npath = "payments.parquet"')), Options(log="quiet"))
    text = write(tmp_path / "run").read_text()
    assert text.count("</script>") == 1
    assert "alert(1)" in text
