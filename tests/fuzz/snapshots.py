"""Snapshots that were damaged and sealed again, so that their checksum is right: `SnapshotError`, or one that works."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

from golden.operators import CASES as OPERATORS
from golden.windows import CASES as WINDOWS

import sash
from sash import _core
from sash.errors import SashError, SnapshotError
from sash.triggers import EverySlide

#: Numbers at which things go wrong.
EXTREMES = [0, 1, 2, 7, 255, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**63)]


@cache
def blobs() -> list[tuple[Callable[[bytes], Any], Callable[[Any], Any], bytes, bytes]]:
    """How each kept case is restored and used, with its header and body."""
    cases: list[Any] = []
    for case in WINDOWS.values():
        restore = lambda blob, case=case: sash.Window.restore(blob, case.aggregation)  # noqa: E731
        cases.append((restore, use_window, *_core.open_snapshot(case.made().snapshot())))
    return cases + [
        (case.restored, use_operator, *_core.open_snapshot(case.made().snapshot())) for case in OPERATORS.values()
    ]


def use_window(window: sash.Window) -> None:
    """Whatever was restored is a window like others."""
    window.check_invariants()
    window.query()
    sash.Window.restore(window.snapshot(), window.aggregation)
    window.clear()


def use_operator(operator: sash.Sliding) -> None:
    """The same of an operator."""
    operator.snapshot()
    operator.query(next(iter(operator.keys), None))
    # Between two damaged times there may be more slides than anybody can wait for.
    if not isinstance(operator.trigger, EverySlide):
        list(operator.results)
        list(operator.finish())


def program(random: Random) -> int:
    """One snapshot with some bytes, fields or numbers changed."""
    restore, use, header, body = random.choice(blobs())
    for _ in range(random.choice([1, 1, 2, 4])):
        if random.random() < 0.3:
            header = changed_header(random, header)
        else:
            body = changed_bytes(random, body)
    try:
        restored = restore(_core.seal(header, body))
    except SnapshotError:
        return 1
    # Results of damaged numbers may not fit, or be refused by their aggregation.
    with suppress(SashError, OverflowError, TypeError, ValueError):
        use(restored)
    return 1


def changed_bytes(random: Random, body: bytes) -> bytes:
    """A byte, a number, a piece left out or twice, or the end cut off."""
    data = bytearray(body)
    if not data:
        return bytes([random.randrange(256)])
    at = random.randrange(len(data))
    match random.randrange(5):
        case 0:
            data[at] = random.randrange(256)
        case 1:
            data[at] ^= 1 << random.randrange(8)
        case 2:
            data[at : at + 8] = (random.choice(EXTREMES) % 2**64).to_bytes(8, "little")
        case 3:
            del data[at : at + random.choice([1, 8, 16])]
        case 4:
            data[at:at] = data[at : at + random.choice([1, 8, 16])]
    return bytes(data)


def changed_header(random: Random, header: bytes) -> bytes:
    """A field of the header with another value; now and then no JSON at all."""
    if random.random() < 0.2:
        return changed_bytes(random, header)
    try:
        fields = json.loads(header)
    except ValueError:
        return header
    change_somewhere(random, fields)
    return json.dumps(fields).encode()


def change_somewhere(random: Random, fields: Any) -> None:
    """Put something else in some place of a nested value."""
    while isinstance(fields, (dict, list)) and fields:
        place = random.choice(list(fields) if isinstance(fields, dict) else range(len(fields)))
        if random.random() < 0.5 or not isinstance(fields[place], (dict, list)):
            fields[place] = random.choice(
                [None, True, "", "fiba", "x" * 300, "\ud800", 1.5, 1e308, [], {}, [[]], *EXTREMES, fields[place]]
            )
            return
        fields = fields[place]
