"""What a snapshot says of its window, in words: the header that travels with the times and partials."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.meant import checked_aggregation
from sash.errors import AggregationError, SnapshotError, StoreError

__all__ = ["Description", "reading"]


@contextmanager
def reading(what: str = "the snapshot cannot be read") -> Iterator[None]:
    """Whatever goes wrong with bytes that nobody vouches for is a `SnapshotError`, also where it shows far behind them.

    >>> with reading():
    ...     int("damaged")
    Traceback (most recent call last):
    ...
    sash.errors.SnapshotError: the snapshot cannot be read: invalid literal for int() with base 10: 'damaged'
    """
    try:
        yield
    except (SnapshotError, StoreError):
        raise
    except Exception as error:
        raise SnapshotError(f"{what}: {error}") from error


@dataclass(frozen=True, slots=True)
class Description:
    """The header of a snapshot. Equal ones give equal bytes."""

    aggregation: dict[str, Any]
    algorithm: str
    options: dict[str, int]
    #: The kind of the times and what the values are kept as; None for an empty window, which has neither.
    times: str | None
    values: str | None

    def to_bytes(self) -> bytes:
        """The header as JSON, keys sorted.

        >>> Description({"name": "Sum"}, "recalc", {}, None, None).to_bytes()
        b'{"aggregation":{"name":"Sum"},"algorithm":"recalc","options":{},"times":null,"values":null}'
        """
        try:
            return _canonical(asdict(self))
        except (TypeError, ValueError) as error:
            raise AggregationError(
                f"the options of the aggregation cannot be written into a snapshot ({error}): keep them plain values"
            ) from error

    @staticmethod
    def from_bytes(header: bytes) -> Description:
        """The header of such bytes; `SnapshotError` if it is none."""
        with reading("the snapshot cannot be read: its header is damaged"):
            fields = json.loads(header)
        match fields:
            case {
                "aggregation": dict(aggregation),
                "algorithm": str(algorithm),
                "options": dict(options),
                "times": (str() | None) as times,
                "values": (str() | None) as values,
            } if len(fields) == 5:
                return Description(aggregation, algorithm, options, times, values)
        raise SnapshotError("the snapshot cannot be read: its header is not that of a window")

    def matching(self, aggregation: Aggregation | Mapping[str, Aggregation] | None) -> Aggregation:
        """The aggregation of the snapshot: the one given, if it is that, or the built-in one of its name.

        >>> import sash
        >>> Description(sash.Sum().to_dict(), "recalc", {}, None, None).matching(None)
        Sum()
        """
        if aggregation is None:
            with reading("the snapshot's aggregation is not known here"):
                return Aggregation.from_dict(self.aggregation)
        aggregation = checked_aggregation(aggregation)
        if _canonical(aggregation.to_dict()) != _canonical(self.aggregation):
            raise SnapshotError(
                f"the snapshot is of {self._name()}, not of {aggregation!r}: restore it with its own aggregation"
            )
        return aggregation

    def _name(self) -> str:
        try:
            return repr(Aggregation.from_dict(self.aggregation))
        except Exception:  # it is only called something
            return str(self.aggregation.get("name"))[:60]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
