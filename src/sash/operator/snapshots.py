"""An operator as bytes: what it was asked to do, in words, and its state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from sash import _core, codec
from sash.aggregations.base import Aggregation
from sash.durations import Duration, parse_duration, parse_lateness
from sash.errors import AggregationError, SnapshotError, WindowSpecError
from sash.operator.failed import OnError, check_on_error
from sash.operator.late import OnLate, check_on_late
from sash.operator.spec import Spec, check_emit, check_keep, check_retract
from sash.snapshots import Description, reading
from sash.times import Kind
from sash.triggers import Trigger
from sash.windows import WindowPolicy, as_policies
from sash.windows.described import plain_part

__all__ = ["Opened", "open_blob", "seal"]

_VERSION = 2
_PLAIN = ("keyed", "on", "by", "emit", "changes_only", "min_periods")

#: Written where they are not None.
_SELDOM = ("keep", "retract", "id")

State = dict[str, Any]


class Opened(NamedTuple):
    """What a snapshot holds."""

    spec: Spec
    on_late: OnLate
    on_error: OnError
    kind: Kind | None
    state: State


def seal(spec: Spec, on_late: OnLate, on_error: OnError, kind: Kind | None, state: State) -> bytes:
    """The bytes of an operator."""
    header = {
        "sliding": _VERSION,
        "aggregation": spec.aggregation.to_dict(),
        "policies": [_described(policy) for policy in spec.policies],
        "trigger": _described(spec.trigger),
        "on_late": on_late if isinstance(on_late, str) else None,
        **({} if on_error == "raise" else {"on_error": on_error if isinstance(on_error, str) else None}),
        **{name: part for name in _SELDOM if (part := getattr(spec, name)) is not None},
        "lateness": _length(spec.lateness),
        "expire": _length(spec.expire),
        "times": None if kind is None else str(kind),
        **{name: getattr(spec, name) for name in _PLAIN},
    }
    try:
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AggregationError(f"the operator cannot be written ({error}): keep its options plain values") from error
    return _core.seal(text.encode(), codec.dumps(state))


def _described(part: WindowPolicy | Trigger) -> dict[str, Any] | None:
    try:
        return part.to_dict()
    except WindowSpecError:
        return None


def _length(length: Duration | int | None) -> Any:
    return plain_part(length)


def open_blob(
    blob: bytes,
    aggregation: Aggregation | Mapping[str, Aggregation] | None,
    windows: Any,
    trigger: Trigger | None,
    on_late: OnLate | None,
    on_error: OnError | None,
) -> Opened:
    """What the bytes hold, completed by what was passed; `SnapshotError` if they do not go together."""
    if not isinstance(blob, (bytes, bytearray, memoryview)):
        raise TypeError(f"a snapshot is bytes, not {type(blob).__name__}")
    text, body = _core.open_snapshot(bytes(blob))
    header = _header(text)
    passed = None if windows is None else as_policies(windows)
    on_late = None if on_late is None else check_on_late(on_late)
    if not isinstance(header.get("aggregation"), dict):
        raise SnapshotError("the snapshot cannot be read: its header is not that of an operator")
    matching = Description(header["aggregation"], "", {}, None, None).matching(aggregation)
    with reading("the snapshot cannot be restored here"):
        given = (None,) * len(header["policies"]) if passed is None else passed
        if len(given) != len(header["policies"]):
            raise SnapshotError(f"the snapshot has {len(header['policies'])} windows, and {len(given)} were passed")
        plain: dict[str, Any] = {
            name: tuple(part) if isinstance(part := header[name], list) else part for name in _PLAIN
        } | {name: header.get(name) for name in _SELDOM}
        spec = Spec(
            aggregation=matching,
            policies=tuple(
                _part("windows", described, one, WindowPolicy.from_dict)
                for described, one in zip(header["policies"], given, strict=True)
            ),
            trigger=_part("trigger", header["trigger"], trigger, Trigger.from_dict),
            lateness=parse_lateness(header["lateness"]),
            expire=None if header["expire"] is None else parse_duration(header["expire"]),
            **plain,
        )
        check_emit(spec.emit)
        check_keep(spec.keep)
        check_retract(spec.retract, spec.id, spec.emit, spec.trigger)
        kind = None if header["times"] is None else Kind.parse(header["times"])
        late = _called("on_late", header["on_late"], on_late, check_on_late)
        failed = _called("on_error", header.get("on_error", "raise"), on_error, check_on_error)
    state = _state(codec.loads(body))
    if (state["engine"] is None) != (kind is None):
        raise SnapshotError("the snapshot cannot be read: it has times without a kind, or a kind without times")
    return Opened(spec, late, failed, kind, state)


def _state(state: Any) -> State:
    match state:
        case {
            "engine": dict() | None,
            "late": ({"watermark": int(), "finished": int()}, list(kept)),
            "ended": bool(),
        } if all(isinstance(event, tuple) and len(event) == 4 for event in kept):
            return dict(state)
    raise SnapshotError("the snapshot cannot be read: it does not hold the state of an operator")


def _header(text: bytes) -> dict[str, Any]:
    with reading("the snapshot cannot be read: its header is damaged"):
        header = json.loads(text)
    if not isinstance(header, dict) or "sliding" not in header:
        raise SnapshotError("the snapshot is not one of an operator: is it that of a Window?")
    if header["sliding"] != _VERSION:
        raise SnapshotError(f"the snapshot has version {header['sliding']}, newer than {_VERSION}: update Sash")
    return header


Part = TypeVar("Part", WindowPolicy, Trigger)


def _part(
    name: str, described: dict[str, Any] | None, given: Part | None, read: Callable[[dict[str, Any]], Part]
) -> Part:
    if described is None and given is None:
        raise SnapshotError(f"{name} holds a function, which no snapshot does: pass {name}=... again")
    if described is None:
        assert given is not None
        return given
    own = read(described)
    if given is not None and given != own:
        raise SnapshotError(f"the snapshot is of {own!r}, not of {given!r}: restore it with its own {name}")
    return own


def _called(name: str, written: str | None, given: Any, check: Callable[[Any], Any]) -> Any:
    if given is not None:
        return check(given)
    if written is None:
        raise SnapshotError(f"{name} is a function, which no snapshot holds: pass {name}=... again")
    return check(written)
