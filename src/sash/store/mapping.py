"""Giving a mapped file's pages back: they count as the memory of whoever has looked at them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

__all__ = ["unmap"]

_DONTNEED: Final = 4


def unmap(path: str) -> None:
    """Tell the kernel that no page of the file, which is mapped for reading, is needed at the moment.

    They stay in the kernel's cache as long as there is room, and come back when they are looked at. Where the kernel
    cannot be told, nothing happens. Cost: that of reading the list of mappings, and of the pages that were mapped.
    """
    with suppress(OSError, AttributeError):
        for begin, end in _mappings(path):
            _madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONTNEED)


def _mappings(path: str) -> Iterator[tuple[int, int]]:
    """Where the file is mapped, and read-only: dropping those pages cannot lose anything."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip("\n").endswith(path) and line.split()[1] == "r--s":
                begin, _, end = line.split()[0].partition("-")
                yield int(begin, 16), int(end, 16)


_madvise: Final = getattr(ctypes.CDLL(None), "madvise", None) or (lambda *_: -1)
