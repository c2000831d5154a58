"""Plain values as TOML: the few kinds that a plan is made of. Reading is the standard library's."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from sash.errors import PlanError

__all__ = ["dumps"]

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def dumps(description: Mapping[str, Any]) -> str:
    """The text of a table whose own tables come last, each under its header. None is left out: TOML has no null.

    >>> print(dumps({"on": "t", "by": None, "a": {"x y": 1.0, "z": [True, {"k": "v"}]}}))
    on = "t"
    <BLANKLINE>
    [a]
    "x y" = 1.0
    z = [true, {k = "v"}]
    <BLANKLINE>
    """
    tables = {name: value for name, value in description.items() if isinstance(value, Mapping)}
    lines = [_line(name, value) for name, value in description.items() if name not in tables and value is not None]
    for name, table in tables.items():
        lines += ["", f"[{_key(name)}]"]
        lines += [_line(key, value) for key, value in table.items() if value is not None]
    return "\n".join(lines) + "\n"


def _line(name: str, value: Any) -> str:
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    # JSON escapes what TOML does, but for one character; both take \uXXXX, and TOML no halves of a pair.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return (
                repr(value) if math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
            )
        case str():
            return _text(value)
        case list() | tuple():
            return f"[{', '.join(_value(one) for one in value)}]"
        case Mapping():
            parts = (f"{_key(name)} = {_value(one)}" for name, one in value.items() if one is not None)
            return f"{{{', '.join(parts)}}}"
    raise PlanError(f"{value!r:.60} cannot be written as TOML: describe it by plain values")
