"""`pl.col("v").sash`: rolling aggregations as expressions. `import sash.polars` enters them into polars.

Every built-in aggregation is a method, in small letters: `max`, `count_distinct`, `weighted_mean`.

>>> import polars as pl
>>> import sash.polars
>>> df = pl.DataFrame({"t": [1, 2, 3], "k": ["a", "b", "a"], "v": [5, 1, 2]})
>>> df.lazy().select(pl.col("v").sash.max(by="t", window=sash.TimeWindow(9), keys="k")).collect()["v"].to_list()
[5, 1, 5]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import polars as pl

from sash.aggregations import built_ins
from sash.aggregations.base import Aggregation
from sash.rolling import rolling

__all__ = ["SashNamespace"]

Columns = str | pl.Expr | Sequence[str | pl.Expr] | None
#: The aggregations by the names of their methods.
_METHODS: Final = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): made for name, made in built_ins().items()}


@pl.api.register_expr_namespace("sash")
class SashNamespace:
    """The aggregations of an expression's values over windows."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def __getattr__(self, name: str) -> Callable[..., pl.Expr]:
        if name not in _METHODS:
            raise AttributeError(f"sash has no aggregation {name!r}: it has {', '.join(sorted(_METHODS))}")

        def over(
            *columns: str | pl.Expr,
            window: Any,
            by: str | pl.Expr | None = None,
            keys: Columns = None,
            closed: Any = "right",
            min_periods: int | None = None,
            peers: bool = True,
            **options: Any,
        ) -> pl.Expr:
            names = ["value", *(f"value{place}" for place in range(len(columns)))]
            return self._rolled(
                _METHODS[name](*names, **options), columns, by, keys,
                {"window": window, "closed": closed, "min_periods": min_periods, "peers": peers},
            )  # fmt: skip

        over.__name__ = name
        over.__doc__ = f"`sash.{built_name(name)}` of the expression's values, and of other columns that it reads."
        return over

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *_METHODS]

    def _rolled(
        self, aggregation: Aggregation, columns: Sequence[Any], by: Any, keys: Columns, options: dict[str, Any]
    ) -> pl.Expr:
        key = [] if keys is None else [keys] if isinstance(keys, (str, pl.Expr)) else list(keys)
        times = [] if by is None else [by]
        names = [*aggregation.columns, *("time" for _ in times), *(f"key{place}" for place in range(len(key)))]

        def run(series: Sequence[pl.Series]) -> pl.Series:
            frame = pl.DataFrame([one.alias(name) for one, name in zip(series, names, strict=True)])
            by_keys = [name for name in names if name.startswith("key")]
            made = rolling(frame, on="time" if times else None, by=by_keys, result=aggregation, **options)
            found: pl.Series = made["result"]
            return found.alias(series[0].name)

        # As a batch, not by elements: polars has the type of the result from a run over two rows.
        return pl.map_batches([self._expr, *columns, *times, *key], run)


def built_name(method: str) -> str:
    """The name of the aggregation behind a method.

    >>> built_name("count_distinct")
    'CountDistinct'
    """
    return next(name for name, made in built_ins().items() if made is _METHODS[method])
