"""Whether Kafka answers. Spark would try for minutes, and say nothing."""

from __future__ import annotations

import socket
from typing import Final

from sash.pipeline.parts import Pipeline

__all__ = ["answers"]

_SECONDS: Final = 5.0


def answers(pipeline: Pipeline) -> None:
    """`PipelineError` names the servers of a source or sink of which none takes a connection."""
    for table, servers in (("source", pipeline.source.servers), ("sink", pipeline.sink.servers)):
        if servers and (why := _silent(servers)):
            raise pipeline.problems.error(f"{table}.servers", f"no broker answers at {servers}: {why}")


def _silent(servers: str) -> str:
    """Why the last of them takes no connection; nothing, if one does."""
    why = ""
    for server in servers.split(","):
        host, _, port = server.strip().rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
        except OSError as error:
            why = error.strerror or str(error)
        else:
            return ""
    return why
