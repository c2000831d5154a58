from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint32]
Marks = npt.NDArray[np.uint8]

class Bounds:
    def first(self, position: int) -> int: ...

class Order:
    def __init__(
        self,
        size: int,
        times: Integers | None,
        codes: Codes | None,
        keys: int,
        threads: int = 1,
        asked: int = 0,
        behind: Integers | None = None,
    ) -> None: ...
    @property
    def in_order(self) -> bool: ...
    @property
    def threads(self) -> int: ...
    def times(self) -> Integers: ...
    def groups(self) -> Codes: ...
    def bounds(
        self, policy: Any, reals: bool, peers: bool, known: bool, labels: Marks | None = None, once: bool = False
    ) -> Bounds: ...

class Column:
    def __init__(self, order: Order, values: npt.NDArray[Any] | None, nulls: Marks | None, skip_nan: bool) -> None: ...
    @property
    def real(self) -> bool: ...

def encode_integers(keys: Sequence[tuple[Integers, Marks | None]], threads: int = 1) -> tuple[Codes, int]: ...
def encode_texts(
    offsets: npt.NDArray[np.int32] | npt.NDArray[np.int64], bytes: Marks, nulls: Marks | None, threads: int = 1
) -> tuple[Codes, int]: ...
def encode_objects(keys: list[Any]) -> tuple[Codes, int]: ...
def enough(order: Order, bounds: Bounds, column: Column, least: int) -> Marks | None: ...
def aggregate(
    kernel: str,
    order: Order,
    bounds: Bounds,
    column: Column,
    known: bool,
    geometric: bool = False,
    root: bool = False,
    ddof: int = 1,
    behind: int = 0,
    all: bool = False,
) -> tuple[npt.NDArray[Any], Codes | None]: ...
def quantiles(
    order: Order,
    bounds: Bounds,
    column: Column,
    known: bool,
    at: Sequence[float],
    interpolation: str,
) -> tuple[npt.NDArray[np.float64], Codes | None]: ...
def row_ranks(order: Order, bounds: Bounds, column: Column, method: str, share: bool) -> npt.NDArray[np.float64]: ...
def shape(
    kernel: str, order: Order, bounds: Bounds, column: Column, bias: bool
) -> tuple[npt.NDArray[np.float64], Marks]: ...
def joint(
    kernel: str, order: Order, bounds: Bounds, column: Column, other: Column, ddof: int
) -> tuple[npt.NDArray[np.float64], Marks]: ...
def distinct(order: Order, bounds: Bounds, column: Column, codes: Codes, count: int) -> Integers: ...
def tops(order: Order, bounds: Bounds, column: Column, k: int, greatest: bool) -> Codes: ...
def modes(order: Order, bounds: Bounds, column: Column, codes: Codes, count: int) -> Integers: ...
def compiled(
    functions: Sequence[int],
    identity: Sequence[int],
    results: int,
    order: Order,
    bounds: Bounds,
    column: Column,
    columns: Sequence[npt.NDArray[np.float64]],
    known: bool,
) -> tuple[npt.NDArray[np.float64], Marks, Codes | None] | None: ...
def reproducible(
    kernel: str,
    order: Order,
    bounds: Bounds,
    column: Column,
    columns: Sequence[npt.NDArray[np.float64]],
    known: bool,
    geometric: bool = False,
    root: bool = False,
    bias: bool = False,
    ddof: int = 1,
    seconds_per_tick: float = 1.0,
    real_times: bool = False,
) -> tuple[npt.NDArray[np.float64], Marks, Codes | None] | None: ...
def skipped(aggregation: Any, values: list[Any]) -> Marks: ...
def aggregate_objects(
    aggregation: Any,
    order: Order,
    bounds: Bounds,
    column: Column,
    values: list[Any],
    times: list[Any] | None,
    known: bool,
) -> tuple[list[Any], Codes | None]: ...
def collect_distinct(
    order: Order, bounds: Bounds, column: Column, values: list[Any], codes: Codes, count: int
) -> list[Any]: ...
def collect(order: Order, bounds: Bounds, column: Column, values: list[Any]) -> list[Any]: ...
