"""What a store is: ordered tables of keys and values, one for each window, each with one writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from sash.errors import StoreError

__all__ = ["Range", "Store", "Table", "checked_name", "naming"]

#: Keys from the first, which is in, to the last, which is out.
Range = tuple[bytes, bytes]


@runtime_checkable
class Table(Protocol):
    """The keys and values of one window in a store. Keys are bytes, at most 64 of them, ordered as bytes are.

    Two threads may call at the same time. Whatever cannot be done raises `StoreError`, which names the operation.
    """

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value of each key; None where there is none."""

    def put_many(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Put values in the order given. Each is put whole or not at all, whenever the process or the store dies."""

    def delete_ranges(self, ranges: Sequence[Range]) -> None:
        """Delete every key in each range."""

    def flush(self) -> None:
        """Return once everything put before is as durable as the store can make it."""

    def close(self) -> None:
        """Let go of the window, so that another process may open it. A second call does nothing."""


@runtime_checkable
class Store(Protocol):
    """Where windows keep their pages: `sash.Window(..., store=store, name="clicks")`.

    A store of your own is a class with this method, and one with the five methods of `Table`.
    """

    def open(self, name: str) -> Table:
        """The table of the window of that name; `StoreError` if it is open for writing anywhere already."""


@contextmanager
def naming(operation: str, place: object, *errors: type[Exception]) -> Iterator[None]:
    """Give what goes wrong within the name of the operation and of the store.

    >>> with naming("read pages", "the box", KeyError):
    ...     raise KeyError("lid")
    Traceback (most recent call last):
    ...
    sash.errors.StoreError: the box could not read pages: KeyError: 'lid'
    """
    try:
        yield
    except errors as error:
        raise StoreError(f"{place} could not {operation}: {type(error).__name__}: {error}") from error


def checked_name(name: str) -> bytes:
    """The name of a window as bytes; `ValueError` if it is none.

    >>> checked_name("clicks")
    b'clicks'
    """
    if not isinstance(name, str) or not 0 < len(name.encode()) <= 200:
        raise ValueError(f"the name of a window in a store is a text of 1 to 200 bytes, not {name!r:.60}")
    return name.encode()
