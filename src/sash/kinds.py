"""What a time was before it was an int64, and the order-preserving map of floats."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sash.durations import ATTOSECONDS
from sash.errors import SnapshotError

__all__ = ["DATE", "FLOAT", "GREATEST", "INT", "LEAST", "NAIVE", "Kind", "decode_real", "encode_real"]

LEAST: Final = -(2**63)
GREATEST: Final = 2**63 - 1
_FIXED_UNITS: Final = {"date": "D", "datetime": "us"}
_STEP: Final = re.compile(r"(\d*)([a-zA-Z]+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a time was before it was an int64. Its text is stable, for snapshots, and `Kind.parse` reads it back.

    >>> str(Kind("datetime", zone=ZoneInfo("Europe/Berlin"))), str(Kind("datetime64", "ms")), str(Kind("int"))
    ('datetime[Europe/Berlin]', 'datetime64[ms]', 'int')
    >>> Kind.parse("datetime[Europe/Berlin]") == Kind("datetime", zone=ZoneInfo("Europe/Berlin"))
    True
    """

    #: int, float, date, datetime, datetime64, timestamp (of pandas) or arrow
    name: str
    #: NumPy's unit, with its multiple if it has one, where the kind has several
    unit: str = ""
    #: Arrow names its zones by text
    zone: dt.tzinfo | str | None = None

    @property
    def step(self) -> int | None:
        """The length of a tick in attoseconds; None where ticks have no length in time (numbers, months, years)."""
        match = _STEP.fullmatch(self.unit or _FIXED_UNITS.get(self.name, ""))
        if match is None or match[2] not in ATTOSECONDS:
            return None
        return int(match[1] or 1) * ATTOSECONDS[match[2]]

    def __str__(self) -> str:
        details = ", ".join(part for part in (self.unit, _zone_name(self.zone)) if part)
        return f"{self.name}[{details}]" if details else self.name

    @classmethod
    def parse(cls, text: str) -> Kind:
        """The kind whose text it is; `SnapshotError` if there is none.

        >>> Kind.parse("timestamp[ns, UTC]").unit
        'ns'
        """
        match = _KIND.fullmatch(text)
        if match is None:
            raise SnapshotError(f"{text!r} is no kind of time that this version of Sash knows")
        name = match["name"] or match["zoned"] or match["plain"]
        zone = match["zone"] or match["only_zone"]
        return cls(name, match["unit"] or "", zone if name == "arrow" or zone is None else _zone(zone))


_UNIT: Final = r"\d{0,9}(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)"
_ZONE: Final = r"[A-Za-z0-9_+\-/:.]{1,64}"
_KIND: Final = re.compile(
    rf"(?P<name>datetime64|timestamp|arrow)\[(?P<unit>{_UNIT})(?:, (?P<zone>{_ZONE}))?\]"
    rf"|(?P<zoned>datetime)\[(?P<only_zone>{_ZONE})\]|(?P<plain>int|float|date|datetime)"
)

INT: Final = Kind("int")
FLOAT: Final = Kind("float")
DATE: Final = Kind("date")
NAIVE: Final = Kind("datetime")


def _zone_name(zone: dt.tzinfo | str | None) -> str:
    if zone is None or isinstance(zone, str):
        return zone or ""
    # ZoneInfo has a key, pytz a zone; a fixed offset is its own name.
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if isinstance(name, str):
        return name
    if isinstance(zone, dt.timezone):
        return "UTC" if zone == dt.UTC else str(dt.timezone(zone.utcoffset(None))).removeprefix("UTC")
    raise TypeError(f"the zone {zone!r} has no name to write down: use zoneinfo.ZoneInfo or datetime.timezone")


def _zone(name: str) -> dt.tzinfo:
    if name == "UTC":
        return dt.UTC
    try:
        if name[0] in "+-":
            zone = dt.datetime.fromisoformat(f"2000-01-01T00:00:00{name}").tzinfo
            assert zone is not None
            return zone
        return ZoneInfo(name)
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise SnapshotError(f"the zone {name!r} is not known here: install tzdata") from error


def encode_real(value: float) -> int:
    """Where a float lies among the int64: monotone, both infinities included; NaN is a ValueError. Cost: O(1).

    >>> encode_real(-0.0), encode_real(-1.5) < encode_real(0.25) < encode_real(math.inf)
    (0, True)
    """
    if math.isnan(value):
        raise ValueError("NaN is no time: it has no place in an order; drop such events, or give them a time")
    bits: int = struct.unpack("<q", struct.pack("<d", value + 0.0))[0]
    return bits if bits >= 0 else bits ^ GREATEST


def decode_real(ticks: int) -> float:
    """The float that `encode_real` put there.

    >>> decode_real(encode_real(-2.5))
    -2.5
    """
    value: float = struct.unpack("<d", struct.pack("<q", ticks if ticks >= 0 else ticks ^ GREATEST))[0]
    return value
