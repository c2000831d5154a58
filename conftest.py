"""What the doctests of the package share with the tests."""

from tests.spark.conftest import spark  # noqa: F401  a fixture, for the doctests of sash.spark
