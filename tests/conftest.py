"""What the tests share: markers, Hypothesis profiles, and data that may lie beside the project."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

PROJECT = Path(__file__).resolve().parent.parent

#: No deadlines: a busy machine must not fail a test. `quick` runs the same examples every time.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("quick", derandomize=True, max_examples=25, **_COMMON)
settings.register_profile("ci", derandomize=True, max_examples=200, print_blob=True, **_COMMON)
settings.register_profile("slow", max_examples=2_000, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers, so that a misspelt one is an error under --strict-markers."""
    config.addinivalue_line("markers", "slow: takes minutes; left out of `make test`")
    config.addinivalue_line("markers", "project: looks at the documents and the tree, not at the core")


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project."""
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the project. It is not part of it: a test that wants it is skipped without it."""
    folder = PROJECT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the folder ../shared, which is not part of the project")
    return folder
