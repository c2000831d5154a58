"""What the doctests of the package share with the tests."""

from pathlib import Path

import pytest

from tests.spark.conftest import spark  # noqa: F401  a fixture, for the doctests of sash.spark

DOCUMENTS = Path(__file__).parent / "tests" / "test_docs.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests of Spark come first, so that no worker begins the longest file when the others are done."""
    # The documents ask for the fixture while they run.
    long = {item.path for item in items if "spark" in getattr(item, "fixturenames", ())} | {DOCUMENTS}
    items.sort(key=lambda item: item.path not in long)
