"""The numbers of a run for Prometheus: a small server of this process, with one page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sash.errors import PipelineError
from sash.pipeline.progress import Totals

__all__ = ["exposed", "page"]


def page(totals: Totals) -> str:
    """The text that Prometheus reads.

    >>> print(page(Totals(rows=5)).splitlines()[2])
    sash_rows_total 5
    """
    last = totals.last
    values = (
        ("rows_total", "counter", "Rows that were read.", totals.rows),
        ("results_total", "counter", "Results that were emitted.", totals.results),
        ("late_rows_total", "counter", "Rows that came after the watermark.", totals.late),
        ("dead_letters_total", "counter", "Records that could not be read.", totals.dead),
        ("batches_total", "counter", "Batches that are done.", totals.batches),
        ("batch_seconds", "gauge", "How long the last batch took.", last.seconds),
        ("state_bytes", "gauge", "What the state of the last batch holds.", last.state_bytes),
        ("keys", "gauge", "Keys in the state of the last batch.", last.keys),
        ("lag_seconds", "gauge", "How far the newest event is behind the clock.", last.lag),
    )
    return "".join(
        f"# HELP sash_{name} {words}\n# TYPE sash_{name} {kind}\nsash_{name} {value}\n"
        for name, kind, words, value in values
        if value is not None
    )


@contextmanager
def exposed(totals: Totals, address: str | None) -> Iterator[int | None]:
    """Serves the numbers at `host:port` for as long as the context lasts; gives the port. None: nothing is served."""
    if address is None:
        yield None
        return
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise PipelineError(f"--metrics is a port or host:port, such as 9108, not {address!r}")
    try:
        server = ThreadingHTTPServer((host or "127.0.0.1", int(port)), _handler(totals))
    except OSError as error:
        raise PipelineError(f"--metrics {address} cannot be served: {error}") from None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _handler(totals: Totals) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path in ("/", "/metrics")
            body = page(totals).encode() if known else b"the numbers are at /metrics\n"
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """A scrape is no news."""

    return Handler
