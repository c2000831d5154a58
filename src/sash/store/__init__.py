"""Windows larger than memory: the stores in which their cold part waits, and the window over one.

A further store is a file here that meets `Store`, and a line in the table below.

>>> import sash
>>> sorted(sash.store.STORES)
['lmdb', 'memory', 'redis']
"""

from __future__ import annotations

from typing import Final

from sash.store.lmdb import Lmdb
from sash.store.memory import Memory
from sash.store.pager import Metrics
from sash.store.protocol import Store, Table
from sash.store.redis import Redis
from sash.store.window import StoredWindow

__all__ = ["STORES", "Lmdb", "Memory", "Metrics", "Redis", "Store", "StoredWindow", "Table"]

#: Every store by its name.
STORES: Final[dict[str, type[Store]]] = {"memory": Memory, "lmdb": Lmdb, "redis": Redis}
