"""Where the cold part of a window waits. A further store is a file here and a line in the table below.

>>> import sash
>>> sorted(sash.stores.STORES)
['lmdb', 'memory', 'redis']
"""

from __future__ import annotations

from typing import Final

from sash.stores.lmdb import Lmdb
from sash.stores.memory import Memory
from sash.stores.protocol import Shelf, Store
from sash.stores.redis import Redis

__all__ = ["STORES", "Lmdb", "Memory", "Redis", "Shelf", "Store"]

#: Every store by its name.
STORES: Final[dict[str, type[Store]]] = {"memory": Memory, "lmdb": Lmdb, "redis": Redis}
