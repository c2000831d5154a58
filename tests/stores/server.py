"""A Redis server of the tests' own."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path

PASSWORD = "a secret of the tests"


def missing() -> str:
    """What keeps the tests from a Redis server of their own; nothing if they can have one."""
    if shutil.which("redis-server") is None:
        return "needs redis-server"
    return "" if importlib.util.find_spec("redis") else "needs the package redis"


class Server:
    """A server that writes every command to its append-only file; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        settings = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "requirepass": PASSWORD,
        }
        flags = [part for name, value in settings.items() for part in (f"--{name}", value)]
        with (self.folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(["redis-server", *flags], stdout=log, stderr=log)
        self._wait()

    def _wait(self) -> None:
        import redis

        client = redis.Redis.from_url(self.url)
        for _ in range(200):
            try:
                if client.ping():
                    return
            except (redis.ConnectionError, redis.BusyLoadingError):
                time.sleep(0.05)
        raise AssertionError((self.folder / "log.txt").read_text()[-2000:])

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
