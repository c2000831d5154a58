"""A headless Chromium that opens pages of this machine, and says what its console said."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def chromium() -> Iterator[Any]:
    """A driver of Selenium, without a network; the test is skipped where there is no browser."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs Selenium: pip install selenium")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs a browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    # A page that asks for anything outside this machine gets nothing.
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # What is preloaded into the tests, as a sanitizer is, is not for the browser.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    running = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver, env=env))
    try:
        yield running
    finally:
        running.quit()


def opened(browser: Any, page: Path, width: int = 1200, height: int = 1000, theme: str = "light") -> None:
    """Open a page at a width and with a preferred theme, and wait until it has drawn its charts."""
    from selenium.webdriver.support.ui import WebDriverWait

    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(page.resolve().as_uri())
    WebDriverWait(browser, 60).until(lambda one: drawn(one) == theme)


def drawn(browser: Any) -> str | None:
    """The theme in which all charts have been drawn; None while they are not."""
    found: str | None = browser.execute_script("return document.documentElement.dataset.drawn")
    return found


def complaints(browser: Any) -> list[str]:
    """What the console said that is no mere information."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def screenshot(browser: Any, file: Path) -> None:
    """The whole page as a picture."""
    import base64

    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
    file.write_bytes(base64.b64decode(taken["data"]))
