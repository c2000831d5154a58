"""A Redis server of the tests' own."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path

PASSWORD = "a secret of the tests"


def missing(tls: bool = False) -> str:
    """What keeps the tests from a Redis server of their own; nothing if they can have one."""
    for program in ["redis-server", *(["openssl"] if tls else [])]:
        if shutil.which(program) is None:
            return f"needs {program}"
    return "" if importlib.util.find_spec("redis") else "needs the package redis"


class Server:
    """A server that writes every command to its append-only file; it can be killed and started again."""

    def __init__(self, folder: Path, tls: bool = False) -> None:
        self.folder = folder
        self.tls = tls
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        place = f":{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/0"
        self.url = f"rediss://{place}?ssl_ca_certs={self._certificate()}" if tls else f"redis://{place}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        settings = {
            **self._ports(),
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

    def _ports(self) -> dict[str, str]:
        if not self.tls:
            return {"port": str(self.port)}
        files = {"tls-cert-file": "cert.pem", "tls-ca-cert-file": "cert.pem", "tls-key-file": "key.pem"}
        paths = {name: str(self.folder / file) for name, file in files.items()}
        return {"port": "0", "tls-port": str(self.port), "tls-auth-clients": "no", **paths}

    def _certificate(self) -> Path:
        """Of its own making, for this machine's own address."""
        wanted = ["-subj", "/CN=sash tests", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
        files = ["-keyout", self.folder / "key.pem", "-out", self.folder / "cert.pem"]
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *wanted, *files]
        subprocess.run(made, check=True, capture_output=True)
        return self.folder / "cert.pem"

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
