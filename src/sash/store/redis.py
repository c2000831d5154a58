"""A store on a Redis server: keys of its own, one round trip a batch, and a writer that others can fence off."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any, Final

from sash.errors import StoreError
from sash.extras import how_to_install
from sash.store.protocol import Range, checked_name, naming

__all__ = ["Redis"]

#: How many keys one call deletes: the server serves others in between.
_DELETES: Final = 500

# Every script that writes looks at the fence first: its number is that of the last writer who opened the window. KEYS
# are the lock, the fence and the index; the index has every key of the window in order, so that ranges can be deleted.
_FENCE: Final = """
if redis.call('get', KEYS[2]) ~= ARGV[1] then
    return redis.error_reply('SASHFENCED')
end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
"""
_OPEN: Final = """
if redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2]) then
    local writer = redis.call('incr', KEYS[2])
    redis.call('set', KEYS[1], writer, 'px', ARGV[2])
    return {1, writer}
end
return {0, redis.call('pttl', KEYS[1])}
"""
_PUT: Final = (
    _FENCE
    + """
for i = 4, #ARGV, 2 do
    redis.call('set', ARGV[3] .. ARGV[i], ARGV[i + 1])
    redis.call('zadd', KEYS[3], 0, ARGV[i])
end
"""
)
_DELETE: Final = (
    _FENCE
    + """
local found = redis.call('zrangebylex', KEYS[3], '[' .. ARGV[4], '(' .. ARGV[5], 'limit', 0, ARGV[6])
for _, key in ipairs(found) do
    redis.call('unlink', ARGV[3] .. key)
    redis.call('zrem', KEYS[3], key)
end
return #found
"""
)
_RENEW: Final = _FENCE + "return 1"
_CLOSE: Final = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"


class Redis:
    """Keeps pages on a Redis server. Needs the package `redis`.

    The URL has host, port, database, user and password (`redis://:secret@host:6379/0`); `rediss://` is TLS. Keys are
    under `namespace`. A window is durable as far as the server is: turn on its append-only file. The writer of a window
    holds a lock that it renews; after a crash the lock is free `lock_seconds` later, and a writer that was believed
    dead is refused from then on.

    >>> import sash
    >>> sash.store.Redis("redis://:secret@localhost:6379/0")
    Redis('redis://***@localhost:6379/0', namespace='sash')
    """

    def __init__(self, url: str, *, namespace: str = "sash", lock_seconds: float = 10.0) -> None:
        if not lock_seconds >= 0.1:
            raise ValueError(f"lock_seconds is at least 0.1, not {lock_seconds!r}: a writer needs time to renew it")
        self._url = url
        self.namespace = namespace
        self.lock_seconds = lock_seconds

    def open(self, name: str) -> _RedisTable:
        """The table of the window of that name; `StoreError` if a writer that is alive has it."""
        checked_name(name)
        redis = _library()
        with naming("be opened", self, redis.RedisError, ValueError, OSError):
            client = redis.Redis.from_url(self._url, socket_timeout=30, socket_connect_timeout=5)
            return _RedisTable(self, name, client)

    def __repr__(self) -> str:
        scheme, _, rest = self._url.partition("://")
        secret, at, place = rest.rpartition("@")
        return f"Redis('{scheme}://{'***' + at if secret else ''}{place}', namespace={self.namespace!r})"


def _library() -> Any:
    try:
        import redis
    except ImportError as error:
        raise StoreError(f"the store Redis needs the package redis: {how_to_install('redis')}") from error
    return redis


class _RedisTable:
    def __init__(self, store: Redis, name: str, client: Any) -> None:
        self._store = store
        self._name = name
        self._client = client
        # One hash tag a window: on a cluster all its keys are on one node.
        base = f"{store.namespace}:{{{name}}}:"
        self._keys = [base + "lock", base + "fence", base + "index"]
        self._prefix = (base + "page:").encode()
        self._scripts = {source: client.register_script(source) for source in (_OPEN, _PUT, _DELETE, _RENEW, _CLOSE)}
        self._patience = int(store.lock_seconds * 1000)
        self._writer = self._opened()
        self._closed = Event()
        self._renewing = Thread(target=self._renew, name=f"sash-redis-{name}", daemon=True)
        self._renewing.start()

    def _opened(self) -> bytes:
        """The number of this writer. A lock whose life is prolonged has a living owner; one that runs out has none."""
        token, last = secrets.token_hex(8), float("inf")
        while True:
            taken, value = self._scripts[_OPEN](keys=self._keys, args=[token, self._patience])
            if taken:
                return str(value).encode()
            if value > last:
                raise StoreError(
                    f"the window {self._name!r} in {self._store} is open for writing already: a window has one "
                    "writer; close that one, or give this one another name"
                )
            last = value
            time.sleep(self._store.lock_seconds / 20)

    def _call(self, operation: str, source: str, *args: Any) -> Any:
        redis = _library()
        try:
            return self._scripts[source](keys=self._keys, args=[self._writer, self._patience, *args])
        except redis.ResponseError as error:
            if "SASHFENCED" not in str(error):
                raise StoreError(f"{self._store} could not {operation}: {error}") from error
            raise StoreError(
                f"{self._store} could not {operation}: another writer has opened the window {self._name!r} since, or "
                "the server has lost it; this window is not usable any more: open it again"
            ) from error
        except (redis.RedisError, OSError) as error:
            raise StoreError(f"{self._store} could not {operation}: {type(error).__name__}: {error}") from error

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        with naming("read pages", self._store, _library().RedisError, OSError):
            found: list[bytes | None] = self._client.mget([self._prefix + key for key in keys])
            return found

    def put_many(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        self._call("write pages", _PUT, self._prefix, *(part for item in items for part in item))

    def delete_ranges(self, ranges: Sequence[Range]) -> None:
        for first, last in ranges:
            while self._call("delete pages", _DELETE, self._prefix, first, last, _DELETES) == _DELETES:
                pass

    def flush(self) -> None:
        """Every write was answered; how durable that is, the server's configuration says."""
        with naming("flush", self._store, _library().RedisError, OSError):
            self._client.ping()

    def _renew(self) -> None:
        while not self._closed.wait(self._store.lock_seconds / 3):
            _quietly(lambda: self._call("renew its lock", _RENEW))

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        # A lock that is renewed once it was given back would be that of a dead writer.
        self._renewing.join(self._store.lock_seconds)
        _quietly(lambda: self._scripts[_CLOSE](keys=self._keys, args=[self._writer]))
        _quietly(self._client.close)


def _quietly(action: Callable[[], Any]) -> None:
    """What fails here is tried again later, or is past mending: the next write fails."""
    try:
        action()
    # A reply that is waited for while the client is closed ends in a ValueError of its buffer.
    except (StoreError, _library().RedisError, OSError, ValueError):
        return
