"""The file of an LMDB database, before it is mapped: whoever reads a page behind the end of a mapped file is killed."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final, NamedTuple

from sash.errors import SnapshotError

__all__ = ["check_whole"]

_MAGIC: Final = 0xBEEFC0DE
#: A page begins with its own header; then magic and version, an address and a size, two tables, of which the first
#: begins with the size of a page, the number of the last page, and that of the transaction.
_META: Final = struct.Struct("=16x I I 16x I 92x Q Q")
#: The largest page of LMDB.
_MOST: Final = 2**16


class _Meta(NamedTuple):
    magic: int
    version: int
    page: int
    last: int
    transaction: int


def check_whole(path: Path) -> None:
    """`SnapshotError` if the file is there and shorter than its header says. Cost: two pages are read."""
    if not path.exists():
        return
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(2 * _MOST)
    metas = _metas(head)
    # The header of a file with other contents is left to LMDB, which refuses it.
    wanted = max(metas, key=lambda meta: meta.transaction) if metas else None
    if size < _META.size or (wanted is not None and size < (wanted.last + 1) * wanted.page):
        promised = "a header" if wanted is None else f"{(wanted.last + 1) * wanted.page} bytes"
        raise SnapshotError(
            f"{path} has {size} bytes where there must be {promised}: it was cut short; put a copy in its place, or "
            "remove the folder to begin with an empty window"
        )


def _metas(head: bytes) -> list[_Meta]:
    """The two headers that LMDB writes in turn, as far as they are there: at the start of the first two pages."""
    metas = [_Meta._make(_META.unpack_from(head))] if len(head) >= _META.size else []
    if metas and metas[0].magic == _MAGIC and len(head) >= metas[0].page + _META.size:
        metas.append(_Meta._make(_META.unpack_from(head, metas[0].page)))
    return [meta for meta in metas if meta.magic == _MAGIC]
