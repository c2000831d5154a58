"""What an aggregation is: lift, combine and lower, with an identity, and what it declares about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeAlias, TypeVar

import numpy.typing as npt

from sash import codec
from sash.aggregations.declared import Also, Inputs, Pick, Refusal, Result, gives_words, takes_words
from sash.aggregations.options import check_column
from sash.aggregations.reading import is_nan, is_null
from sash.errors import AggregationError
from sash.suggestions import did_you_mean, nearest

if TYPE_CHECKING:
    from sash.aggregations.records import Row
    from sash.aggregations.running import Running
    from sash.expressions import Expression

__all__ = [
    "Aggregation",
    "Native",
    "OnNan",
    "Option",
    "Where",
    "built_in",
    "built_ins",
    "is_built_in",
    "skips_plainly",
]

Option = int | float | str | bool
OnNan = Literal["skip", "propagate", "error"]
#: Which events an aggregation takes: a column of truths, or a condition on columns.
Where: TypeAlias = "str | Expression | None"

_BUILT_INS: dict[str, type[Aggregation]] = {}
#: Those whose result depends on the row at which a window ends.
_OF_ROWS: dict[str, type[Aggregation]] = {}
#: What an aggregation does; its compiled twin must do the same.
_DEFINITION = {"combine", "decode", "empty", "encode", "identity", "inverse", "lift", "lower", "shape", "skips"}
#: What holds only as long as an aggregation does what it did, and what is true of one that says nothing.
_DECLARED: Mapping[str, Any] = {"result": None, "gives": "a value", "picks": None, "also": (), "rounds": False}


@dataclass(frozen=True)
class Native:
    """The compiled twin of an aggregation: the name of its kernel, how its inputs are read, and its parameters.

    >>> from sash import Concat, Max
    >>> Concat(separator=", ").native()
    Native(kernel='concat', inputs='text', options={'separator': ', '}, fixed=False, batch=False)
    >>> Max().native().fixed
    True
    """

    kernel: str
    inputs: str
    options: Mapping[str, Option] = field(default_factory=dict)
    #: A partial has a fixed size and no Python objects in it, so that it can lie in a record beside others.
    fixed: bool = False
    #: Frames have a kernel of its own for it too, in the core.
    batch: bool = False
    #: Where NaN propagates, it lies below all numbers, not above.
    nan_is_least: bool = field(default=False, repr=False)
    #: Of a kernel that is a record of parts: how they lie.
    row: Row | None = field(default=None, repr=False)


class _Conditional(type):
    """Takes `where=` for every aggregation: a condition on events has nothing to do with what is computed of them.

    So no constructor sees it. Those of the package declare it all the same, for whoever reads their signatures.
    """

    # For a checker a class makes its own instances.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            # A member of a Composite may have that name.
            if isinstance(kwargs.get("where"), Aggregation):
                return super().__call__(*args, **kwargs)
            where = kwargs.pop("where", None)
            try:
                made = super().__call__(*args, **kwargs)
            except TypeError:
                cls._check_arguments(args, kwargs)
                raise
            if where is None:
                return made
            from sash.aggregations.filtered import Filtered

            return Filtered(made, where)

    def _check_arguments(cls, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """TypeError if the constructor takes no such arguments. It names the class, not one that it derives from."""
        try:
            cls.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            plain = [one.replace(annotation=Parameter.empty) for one in cls.__signature__.parameters.values()]
            raise TypeError(f"{cls.__name__}: {error}: it is {cls.__name__}{Signature(plain)}") from None

    @property
    def __signature__(cls) -> Signature:
        """That of the constructor: `help` and notebooks would show the arguments of `__call__`."""
        constructor = signature(cls.__init__)  # type: ignore[misc]
        return constructor.replace(parameters=list(constructor.parameters.values())[1:])


class Aggregation(metaclass=_Conditional):
    """How values become a result. Subclass it, define `identity`, `lift`, `combine` and `lower`, and run it anywhere.

    The window calls `lift` on each value, `combine(older, newer)` on neighbours in the order of their times, and
    `lower` on the total. `combine` must be associative and `identity` neutral; `sash.testing.assert_lawful` checks it.
    No method may change its arguments: partials are shared. Define `inverse` only if it is one, and say `commutative =
    True` only if it is so. `None` is skipped by the window and never reaches `lift`.

    Every aggregation takes `where=`, a column of truths or an expression such as `sash.col("amount") > 100`: events of
    which it is not true are passed over, as nulls are. Over frames that costs a mask, and runs natively.

    >>> class Longest(Aggregation):
    ...     identity = ""
    ...     def lift(self, value): return value
    ...     def combine(self, older, newer): return newer if len(newer) > len(older) else older
    ...     def lower(self, partial): return partial
    >>> longest = Longest()
    >>> longest.lower(longest.combine(longest.lift("aa"), longest.lift("b")))
    'aa'
    >>> longest.invertible, longest.empty
    (False, '')

    `column` names what it reads of rows and frames. A constructor of your own passes it on: `super().__init__(column)`.

    >>> import sash
    >>> sash.rolling({"word": ["sash", "pane", "window"]}, window=2, longest=Longest("word"))["longest"].tolist()
    ['sash', 'sash', 'window']
    """

    #: combine(a, b) equals combine(b, a)
    commutative: ClassVar[bool] = False
    #: The laws hold to the last bit for every input; if not, floats are rounded and they hold within a tolerance.
    exact: ClassVar[bool] = True
    #: `lift` takes the event's time as well, `lift(value, time)`, as it leaves the window.
    timed: ClassVar[bool] = False
    #: What its values are, in a word: see `sash.aggregations.declared`.
    inputs: ClassVar[Inputs] = ""
    #: Which values that are no 64-bit numbers it takes beside those, and whether it reads decimals as floats.
    also: ClassVar[tuple[Also, ...]] = ()
    rounds: ClassVar[bool] = False
    #: What its result is, such as "int", "float", "bool" or "str"; None if that is not known.
    result: ClassVar[Result] = None
    #: Which row of the window its result is taken from, if it is.
    picks: ClassVar[Pick | None] = None
    #: What it takes, what it gives and how large a partial is, in a few words for readers. Those of `inputs` and
    #: `result`, if not said.
    takes: ClassVar[str] = "values"
    gives: ClassVar[str] = "a value"
    size: ClassVar[str] = "a Python object"
    #: How far the result may be off, where it is not exact and not a matter of rounding.
    error: ClassVar[str] = ""
    #: The options of the constructor with their defaults, in the order of the repr.
    defaults: ClassVar[Mapping[str, Any]] = {}

    #: The column or columns of rows and frames that it reads; None where values are passed directly. Of several, `lift`
    #: is given a tuple.
    column: str | tuple[str, ...] | None = None
    #: What a NaN does: "skip" it as a null, "propagate" it into the result, or be an "error".
    nan: OnNan = "propagate"
    #: The neutral partial.
    identity: Any = None

    def __init__(self, column: str | tuple[str, ...] | None = None, *, where: Where = None) -> None:
        # What the class says holds where nothing is said here.
        if column is not None:
            self.column = column if isinstance(column, tuple) else check_column(column)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = dict(vars(cls))
        # Who derives from a built-in aggregation and changes what it does has no compiled twin any more, and what the
        # built-in one declares is not true of it.
        derived = any(base in _BUILT_INS.values() for base in cls.__mro__[1:])
        if derived and "native" not in declared and not _DEFINITION.isdisjoint(declared):
            cls.native = Aggregation.native  # type: ignore[method-assign]
            if "running" not in declared:
                cls.running = Aggregation.running  # type: ignore[method-assign]
            for name in _DECLARED.keys() - declared.keys():
                setattr(cls, name, _DECLARED[name])
        if "takes" not in declared and isinstance(declared.get("inputs"), str):
            cls.takes = takes_words(declared["inputs"])
        if "gives" not in declared and isinstance(declared.get("result"), (str, list)):
            cls.gives = gives_words(declared["result"])

    if TYPE_CHECKING:
        # lift(value), or lift(value, time) where `timed`: no one signature covers both.
        lift: Callable[..., Any]
    else:

        def lift(self, value, time=None):
            """The partial of one value; of one value at a time if the aggregation is `timed`."""
            raise AggregationError(
                f"{type(self).__name__} needs lift(self, value), which gives the partial of one value"
            )

    def combine(self, older: Any, newer: Any) -> Any:
        """The partial of both, the older events first. Associative; changes neither."""
        raise AggregationError(
            f"{type(self).__name__} needs combine(self, older, newer), which gives the partial of both"
        )

    def lower(self, partial: Any) -> Any:
        """The result that a partial stands for."""
        raise AggregationError(f"{type(self).__name__} needs lower(self, partial), which gives the result")

    def inverse(self, whole: Any, older: Any) -> Any:
        """The rest: combine(older, rest) equals whole. Optional."""
        raise AggregationError(
            f"{self!r} has no inverse, so nothing can be subtracted from it: use an algorithm other than"
            " subtract_on_evict"
        )

    def _no_number(self, other: Any) -> NoReturn:
        raise TypeError(
            f"{self!r} is no number to compute with, but its results are: name each, and write an expression of them,"
            ' such as rolling(..., spent=Sum("amount"), n=Count(), each=col("spent") / col("n"))'
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_number

    @property
    def invertible(self) -> bool:
        """Whether `inverse` is defined."""
        return type(self).inverse is not Aggregation.inverse

    @property
    def empty(self) -> Any:
        """The result of an empty window: the identity, lowered."""
        return self.lower(self.identity)

    @property
    def fewest(self) -> int:
        """How many values a result takes, for those that frames have a kernel for."""
        return int(self.empty is None)

    def refused(self, numbers: npt.NDArray[Any]) -> Refusal | None:
        """Marks the numbers that `lift` refuses, with the error, for those that frames have a kernel for; None if it
        takes all of them."""
        return None

    def skips(self, value: Any) -> bool:
        """Whether a window passes over the value: a null (None, NA, NaT), and NaN where `nan` is "skip".

        >>> from sash.aggregations import Sum
        >>> Sum().skips(None), Sum().skips(float("nan")), Sum().skips(0)
        (True, True, False)
        """
        return is_null(value) or (self.nan == "skip" and is_nan(value))

    def encode(self, partial: Any) -> bytes:
        """The bytes of a partial, for snapshots; equal partials give equal bytes. Partials of plain values work."""
        return codec.dumps(partial)

    def decode(self, data: bytes) -> Any:
        """The partial of such bytes; `SnapshotError` if they are damaged."""
        return codec.loads(data)

    def native(self) -> Native | None:
        """The compiled twin; None if partials are Python objects and these methods are called."""
        return None

    def running(self) -> Running | None:
        """A form of no partials yet, into which partials go and come out again in any order; None if there is none.

        For aggregations whose partials grow, so that combining them is dear, and whose results depend on which events
        there are and on the youngest, but not on their order. Windows by FiBA and operators keep it beside their trees
        and combine nothing: an event costs what `add` and `remove` cost.
        """
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a frame that it reads.

        >>> from sash.aggregations import ArgMax
        >>> ArgMax("amount", "merchant").columns
        ('amount', 'merchant')
        """
        if self.column is None:
            return ()
        return (self.column,) if isinstance(self.column, str) else self.column

    @property
    def options(self) -> dict[str, Any]:
        """The options of the constructor and their values."""
        return {name: getattr(self, name) for name in self.defaults}

    def to_dict(self) -> dict[str, Any]:
        """A description in plain values; `Aggregation.from_dict` makes it an aggregation again, if it is a built-in
        one.

        >>> from sash.aggregations import Sum
        >>> Sum("amount").to_dict()
        {'name': 'Sum', 'columns': ['amount'], 'options': {'nan': 'skip'}}
        """
        return {"name": self._name(), "columns": list(self.columns), "options": self.options}

    def _name(self) -> str:
        cls = type(self)
        return (
            cls.__name__
            if is_built_in(self) or _OF_ROWS.get(cls.__name__) is cls
            else f"{cls.__module__}.{cls.__qualname__}"
        )

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Aggregation:
        """The built-in aggregation that `to_dict` described; `AggregationError` if it is none.

        >>> Aggregation.from_dict({"name": "Sum", "columns": ["amount"], "options": {"nan": "error"}})
        Sum("amount", nan="error")
        """
        if isinstance(description, Mapping) and "where" in description:
            return _conditional(description)
        name, columns, options = _described(description)
        if name == "Composite":
            return _composite(options)
        if name not in _BUILT_INS and name not in _OF_ROWS:
            near = nearest(name, [*_BUILT_INS, *_OF_ROWS])
            way_out = "pass the aggregation itself along with the description" if near is None else f"is it {near!r}?"
            raise AggregationError(f"{name!r} is no built-in aggregation: {way_out}")
        cls = _BUILT_INS.get(name) or _OF_ROWS[name]
        if unknown := sorted(options.keys() - cls.defaults.keys()):
            known = ["columns", *cls.defaults]
            raise AggregationError(f"{name} has no option {unknown[0]!r}: {did_you_mean(unknown[0], known)}")
        try:
            return cls(*columns, **options)
        except (TypeError, ValueError) as error:
            raise AggregationError(f"{name}: {error}") from error

    def __repr__(self) -> str:
        parts = [_quoted(column) for column in self.columns]
        parts += [f"{name}={_quoted(value)}" for name, value in self.options.items() if value != self.defaults[name]]
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.column))


def _quoted(value: Any) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) else repr(value)


def _described(description: Mapping[str, Any]) -> tuple[str, list[str], dict[str, Any]]:
    match description:
        case {"name": str(name), "columns": [*columns], "options": dict(options)} if all(
            isinstance(text, str) for text in [*columns, *options]
        ):
            return name, list(columns), options
    raise AggregationError(
        f"{description!r:.200} describes no aggregation: it needs a name, a list of columns and a dictionary of options"
    )


def _conditional(description: Mapping[str, Any]) -> Aggregation:
    from sash.aggregations.filtered import Filtered
    from sash.expressions import Expression

    inner = {name: part for name, part in description.items() if name != "where"}
    where = description["where"]
    return Filtered(Aggregation.from_dict(inner), Expression.from_dict(where) if isinstance(where, Mapping) else where)


def _composite(options: Mapping[str, Any]) -> Aggregation:
    from sash.aggregations.composite import Composite

    return Composite.from_options(options)


AggregationType = TypeVar("AggregationType", bound=type[Aggregation])


def built_in(cls: AggregationType) -> AggregationType:
    """Enter a class into the table of `Aggregation.from_dict`."""
    _BUILT_INS[cls.__name__] = cls
    return cls


def of_row(cls: AggregationType) -> AggregationType:
    """Enter a class whose result depends on the row at which a window ends into the same."""
    _OF_ROWS[cls.__name__] = cls
    return cls


def built_ins() -> dict[str, Callable[..., Aggregation]]:
    """Every built-in aggregation by its name.

    >>> import sash.aggregations
    >>> "Sum" in built_ins()
    True
    """
    return dict(_BUILT_INS)


def is_built_in(aggregation: Aggregation) -> bool:
    """Whether it is a built-in aggregation itself, not derived from one.

    >>> from sash import Sum
    >>> class Total(Sum): pass
    >>> is_built_in(Sum()), is_built_in(Total())
    (True, False)
    """
    return _BUILT_INS.get(type(aggregation).__name__) is type(aggregation)


def skips_plainly(aggregation: Aggregation) -> bool:
    """Whether the aggregation passes over nulls, and NaN where it says so, and nothing else."""
    return type(aggregation).skips is Aggregation.skips


class WithNan(Aggregation):
    """One value an event, which may be a float and so may be NaN."""

    defaults: ClassVar[Mapping[str, Any]] = {"nan": "skip"}

    def __init__(self, column: str | None = None, *, nan: OnNan = "skip", where: Where = None) -> None:
        super().__init__(check_column(column))
        self.nan = check_nan(nan)


def check_nan(nan: OnNan) -> OnNan:
    if nan not in ("skip", "propagate", "error"):
        raise ValueError(f'nan is "skip", "propagate" or "error", not {nan!r}')
    return nan
