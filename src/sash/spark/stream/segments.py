"""Rows of a bucket as bytes: in packs between the stages, and in the segments of the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from sash.errors import SnapshotError

__all__ = ["CHUNK_BYTES", "pack", "pieces", "unpack"]

#: What a value of the state store should not exceed by much: larger ones are slow to read.
CHUNK_BYTES: Final = 256 * 1024
_PLAIN: Final = pa.ipc.IpcWriteOptions()
_SMALL: Final = pa.ipc.IpcWriteOptions(compression="lz4")


def pack(table: pa.Table, *, compress: bool = False) -> bytes:
    """The table as one Arrow stream. Cost: O(bytes).

    >>> unpack(pack(pa.table({"x": [1, 2]}))).column("x").to_pylist()
    [1, 2]
    """
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_SMALL if compress else _PLAIN) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack(data: bytes) -> pa.Table:
    """The table of a pack, without a copy; `SnapshotError` if it is none."""
    try:
        return pa.ipc.open_stream(pa.py_buffer(data)).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise SnapshotError(f"the rows of a bucket cannot be read: {error}") from error


def pieces(table: pa.Table, size: int = CHUNK_BYTES) -> Iterator[pa.Table]:
    """The table cut so that no piece takes much more bytes than the size.

    >>> [piece.num_rows for piece in pieces(pa.table({"x": range(100)}), 400)]
    [50, 50]
    """
    wanted = max(1, -(-table.nbytes // size))
    rows = max(1, -(-table.num_rows // wanted))
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)
