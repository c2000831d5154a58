"""Stores for the tests: in memory, in a folder, and on a Redis server that the tests start themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sash.store

from .server import Server, missing

MakeStore = Callable[[], sash.store.Store]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a free port of this machine, with its append-only file on."""
    if reason := missing():
        pytest.skip(reason)
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=["memory", "lmdb", "redis"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> MakeStore:
    """Makes store objects that all stand for one place: what one of them was given, the others have."""
    if request.param == "memory":
        memory = sash.store.Memory()
        return lambda: memory
    if request.param == "lmdb":
        pytest.importorskip("lmdb")
        return lambda: sash.store.Lmdb(tmp_path / "store")
    server: Server = request.getfixturevalue("redis_server")
    return lambda: sash.store.Redis(server.url, namespace=f"test:{tmp_path.name}", lock_seconds=0.6)
