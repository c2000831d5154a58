"""The page of a trace in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sash.drawing.page import page
from sash.drawing.program import read_program
from sash.drawing.trace import steps_of
from tests.report.browser import chromium, complaints

PROGRAM = """algorithm fiba min_arity=2
# In order.
bulk_insert 1=a 2=b 3=c 4=d 5=e 6=f 7=g 8=h 9=i
insert 2.5 <b>
bulk_evict 4
query
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of this file."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = read_program(PROGRAM)
    made = tmp_path_factory.mktemp("trace") / "trace.html"
    made.write_text(page(program, list(steps_of(program)), "trace"), encoding="utf-8")
    return made


def opened(browser: Any, file: Path, width: int, theme: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(file.resolve().as_uri())


def text(browser: Any, name: str) -> str:
    return str(browser.find_element("id", name).text)


def test_the_slider_the_keys_and_the_bars_go_from_step_to_step(file: Path, browser: Any) -> None:
    """Each shows the operation, its remark, its picture and its combines."""
    from selenium.webdriver.common.keys import Keys

    opened(browser, file, 1200, "light")
    assert (text(browser, "line"), text(browser, "remark")) == (
        "bulk_insert 1=a 2=b 3=c 4=d 5=e 6=f 7=g 8=h 9=i",
        "In order.",
    )
    before = browser.find_element("id", "picture").get_attribute("innerHTML")
    browser.find_element("id", "next").click()
    assert text(browser, "line") == "insert 2.5 <b>"
    assert "<b>" in browser.find_element("id", "picture").text
    assert browser.find_element("id", "picture").get_attribute("innerHTML") != before
    browser.find_element("tag name", "body").send_keys(Keys.ARROW_RIGHT)
    assert text(browser, "line") == "bulk_evict 4"
    browser.find_elements("css selector", "#costs i")[3].click()
    assert text(browser, "words") == "Step 4 of 4, 2 combines, the result is efghi."
    assert len(browser.find_elements("css selector", "#combines li")) == 2
    browser.execute_script("const s = document.getElementById('step'); s.value = 0; s.oninput()")
    assert text(browser, "words").startswith("Step 1 of 4")
    assert complaints(browser) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_it_can_be_read_on_a_phone_and_in_the_dark(width: int, theme: str, file: Path, browser: Any) -> None:
    """Nothing is wider than the screen, and text stands out from its ground."""
    opened(browser, file, width, theme)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    ink, ground = (
        browser.execute_script(f"return getComputedStyle(document.querySelector('#picture {what}')).fill")
        for what in ("text", "rect.paper")
    )
    assert abs(brightness(ink) - brightness(ground)) > 120
    assert (brightness(ground) < 128) == (theme == "dark")
    assert complaints(browser) == []


def brightness(colour: str) -> float:
    """The mean of the three parts of a colour such as rgb(1, 2, 3)."""
    parts = [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    return sum(parts) / len(parts)
