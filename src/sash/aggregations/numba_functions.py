"""The methods of an aggregation as C functions over arrays of words, compiled by Numba."""

from __future__ import annotations

import re
import struct
from collections import namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from sash.aggregations.base import Aggregation
from sash.aggregations.custom import FunctionAggregation
from sash.errors import AggregationError
from sash.extras import how_to_install

__all__ = ["Functions", "NumberKind", "compile_functions"]

#: What a number of a value, a partial or a result is.
NumberKind: TypeAlias = Literal["float", "int", "bool"]
#: Each may become any that follows it.
_WIDTHS: Final[tuple[NumberKind, ...]] = ("bool", "int", "float")
_MOST_NUMBERS: Final = 63
#: What the native functions return: the result is there, an error was raised, there is no result.
_DONE, _FAILED, _NOTHING = 0, 1, 2
#: A number read from a word and written to one. Words travel as float64, so integers are looked at bit by bit.
_READ: Final[dict[NumberKind, str]] = {
    "float": "{}",
    "int": "np.float64({}).view(np.int64)",
    "bool": "np.float64({}).view(np.int64) != 0",
}
_WRITE: Final[dict[NumberKind, str]] = {
    "float": "np.float64({})",
    "int": "np.int64({}).view(np.float64)",
    "bool": "np.int64({}).view(np.float64)",
}
_TWO: Final = ("combine", "inverse")


@dataclass(frozen=True)
class Form:
    """What a value, a partial or a result is made of: one number, or several in a tuple."""

    kinds: tuple[NumberKind, ...]
    several: bool

    def read(self, words: str) -> str:
        """An expression for the value that lies in these words.

        >>> Form(("float", "float"), True).read("older")
        '(older[0], older[1],)'
        """
        parts = [_READ[kind].format(f"{words}[{place}]") for place, kind in enumerate(self.kinds)]
        return f"({', '.join(parts)},)" if self.several else parts[0]

    def write(self, value: str) -> list[str]:
        """Statements that put the value into `out`.

        >>> Form(("int",), False).write("result")
        ['out[0] = np.int64(result).view(np.float64)']
        """
        parts = [f"{value}[{place}]" for place in range(len(self.kinds))] if self.several else [value]
        return [
            f"out[{place}] = {_WRITE[kind].format(part)}"
            for place, (kind, part) in enumerate(zip(self.kinds, parts, strict=True))
        ]

    def widened(self, kinds: Iterable[NumberKind]) -> Form:
        """The same with numbers that hold these too.

        >>> Form(("int", "float"), True).widened(("float", "bool"))
        Form(kinds=('float', 'float'), several=True)
        """
        pairs = zip(self.kinds, kinds, strict=True)
        return Form(tuple(max(a, b, key=_WIDTHS.index) for a, b in pairs), self.several)


@dataclass(frozen=True)
class Functions:
    """The native functions of one aggregation, kept alive, and the forms of what goes through them."""

    native: dict[str, Any]
    identity: tuple[float | int, ...]
    values: Form
    partial: Form
    result: Form
    #: Makes the result of its fields.
    build: Callable[[list[Any]], Any]
    #: Whether a function other than lower may raise an error.
    can_fail: bool

    def options(self) -> dict[str, Any]:
        """What the core gets."""
        return {
            **{name: function.address for name, function in self.native.items()},
            "identity": [_word(number, kind) for number, kind in zip(self.identity, self.partial.kinds, strict=True)],
            "integer_inputs": [kind != "float" for kind in self.values.kinds],
            "integer_results": [kind != "float" for kind in self.result.kinds],
            "several": self.result.several,
            "can_fail": self.can_fail,
        }

    def shape(self, fields: tuple[Any, ...]) -> Any:
        """A result of several numbers as the aggregation gives it. The core gives (None,) where there is no result."""
        if None in fields:
            return None
        pairs = zip(fields, self.result.kinds, strict=True)
        return self.build([bool(number) if kind == "bool" else number for number, kind in pairs])


def _word(number: float | int, kind: NumberKind) -> int:
    word: int = struct.unpack("<q", struct.pack("<d" if kind == "float" else "<q", number))[0]
    return word


def compile_functions(aggregation: Aggregation, values: tuple[NumberKind, ...]) -> Functions:
    """The functions of an aggregation over values of these kinds; `AggregationError` names the method that cannot be
    compiled, and why. Cost: some seconds.

    >>> from sash import aggregation
    >>> both = aggregation(lift=lambda v: v, combine=lambda a, b: a + b, lower=lambda p: p, identity=0)
    >>> compile_functions(both, ("float",)).partial
    Form(kinds=('float',), several=False)
    """
    _refuse_what_stays_in_python(aggregation)
    return _Compiler(aggregation, values).compile()


def _refuse_what_stays_in_python(aggregation: Aggregation) -> None:
    if aggregation.timed:
        raise AggregationError(f"lift of {aggregation!r} takes the time (it is timed), which runs in Python only")
    if type(aggregation).skips is not Aggregation.skips:
        raise AggregationError(f"skips of {aggregation!r} runs in Python only: let lift handle such values")


def _form_of_identity(identity: Any) -> Form:
    numbers = identity if isinstance(identity, tuple) else (identity,)
    if not 1 <= len(numbers) <= _MOST_NUMBERS:
        raise AggregationError(f"a compiled partial has 1 to {_MOST_NUMBERS} numbers, and the identity {len(numbers)}")
    return Form(tuple(map(_kind_of, numbers)), isinstance(identity, tuple))


def _kind_of(number: Any) -> NumberKind:
    if isinstance(number, (bool, np.bool_)):
        return "bool"
    if isinstance(number, (int, np.integer)) and -(2**63) <= number < 2**63:
        return "int"
    if isinstance(number, (float, np.floating)):
        return "float"
    raise AggregationError(
        f"the identity has {type(number).__name__} ({number!r:.60}): a compiled partial is a number of 64 bits or a"
        " flat tuple of such numbers"
    )


@dataclass(frozen=True)
class _Method:
    """A method as a function that Numba compiles, and what it is given as `self`: None if it is given nothing."""

    function: Any
    me: Any = None


def _may_raise(method: _Method) -> bool:
    """Whether what Numba has made of a method may raise an error: it returns a status, which is 0 if there is none."""
    codes = method.function.inspect_llvm().values()
    return any(status != "0" for code in codes for status in re.findall(r"\bret i32 ([^\s,]+)", code))


class _Compiler:
    """One aggregation on its way to native functions."""

    def __init__(self, aggregation: Aggregation, values: tuple[NumberKind, ...]) -> None:
        self.numba = _numba()
        self.aggregation = aggregation
        self.values = Form(values, len(values) > 1)
        self.partial = _form_of_identity(aggregation.identity)

    def compile(self) -> Functions:
        names = ["lift", "combine", "lower"] + ["inverse"] * self.aggregation.invertible
        methods = {name: self._method(name) for name in names}
        self._settle_partial(methods)
        given = self._result_of("lower", methods["lower"])
        optional = isinstance(given, self.numba.types.Optional)
        bare = given.type if optional else given
        result = Form(self._kinds("lower", bare), self._is_tuple(bare))
        native = {name: self._over_words(name, methods[name], self.partial) for name in names if name != "lower"}
        native["lower"] = self._over_words("lower", methods["lower"], result, bare if optional else None)
        made = getattr(bare, "instance_class", None)
        identity = self.aggregation.identity if self.partial.several else (self.aggregation.identity,)
        build = tuple if made is None else lambda fields: made(*fields)
        can_fail = any(_may_raise(method) for name, method in methods.items() if name != "lower")
        return Functions(native, identity, self.values, self.partial, result, build, can_fail)

    # Methods as functions

    def _method(self, name: str) -> _Method:
        if isinstance(self.aggregation, FunctionAggregation):
            method: Any = self.aggregation.function(name)
        else:
            method = getattr(self.aggregation, name)
        if isinstance(method, MethodType):
            return _Method(self._jit(method.__func__), _numbers_of(self.aggregation))
        if isinstance(method, FunctionType):
            return _Method(self._jit(method))
        # Something built in, which Numba may know: it needs a function around it.
        arguments = "a, b" if name in _TWO else "a"
        return _Method(self._jit(_define(name, f"def {name}({arguments}): return f({arguments})", {"f": method})))

    def _jit(self, function: Any) -> Any:
        # Python's rules: a division by zero is an error here if it is one there.
        return self.numba.njit(function, error_model="python")

    # Types

    def _type(self, form: Form) -> Any:
        types = self.numba.types
        known = {"float": types.float64, "int": types.int64, "bool": types.boolean}
        kinds = [known[kind] for kind in form.kinds]
        return types.Tuple(kinds) if form.several else kinds[0]

    def _arguments(self, name: str) -> tuple[Any, ...]:
        if name == "lift":
            return (self._type(self.values),)
        return (self._type(self.partial),) * (2 if name in _TWO else 1)

    def _result_of(self, name: str, method: _Method) -> Any:
        """The type that the method gives for what it will be given."""
        own = () if method.me is None else (self.numba.typeof(method.me),)
        arguments = (*own, *self._arguments(name))
        try:
            method.function.compile(arguments)
        except (self.numba.core.errors.NumbaError, TypeError) as error:
            reason = self._reason(error)
            raise AggregationError(f"{name} of {self.aggregation!r} cannot be compiled: {reason}") from error
        return method.function.overloads[arguments].signature.return_type

    def _reason(self, error: Exception) -> str:
        message = str(error)
        if unknown := re.search(r"Unknown attribute '(\w+)' of type Self\(", message):
            found = getattr(self.aggregation, unknown[1], None)
            return (
                f"it reads self.{unknown[1]} ({type(found).__name__}), and compiled methods read only numbers of 64"
                " bits with public names from self"
            )
        # What Numba says of its own passes and of generated code helps nobody.
        lines = [line.strip() for line in message.splitlines()]
        noise = ("Failed in nopython", "During:", "[", "-", "<source", "File ", "def ", "^")
        return " ".join([line for line in lines if line and not line.startswith(noise)][:3])[:400]

    def _settle_partial(self, methods: dict[str, _Method]) -> None:
        """Each number of a partial becomes what lift and combine make of it: an integer that turns into a float is a
        float from the start. It ends, since numbers only ever widen."""
        before = None
        while before != self.partial:
            before = self.partial
            for name, method in methods.items():
                if name != "lower":
                    self._widen(name, self._result_of(name, method))

    def _widen(self, name: str, given: Any) -> None:
        kinds = self._kinds(name, given)
        if len(kinds) != len(self.partial.kinds) or self._is_tuple(given) != self.partial.several:
            raise AggregationError(
                f"{name} of {self.aggregation!r} gives {given}, and the identity is {self.aggregation.identity!r:.60}:"
                " all partials must have its shape"
            )
        self.partial = self.partial.widened(kinds)

    def _is_tuple(self, given: Any) -> bool:
        return isinstance(given, self.numba.types.BaseTuple)

    def _kinds(self, name: str, given: Any) -> tuple[NumberKind, ...]:
        types = self.numba.types
        known: list[tuple[Any, NumberKind]] = [(types.Boolean, "bool"), (types.Integer, "int"), (types.Float, "float")]
        members = list(given.types) if self._is_tuple(given) else [given]
        kinds = [kind for member in members for family, kind in known if isinstance(member, family)]
        if len(kinds) == len(members) and members:
            return tuple(kinds)
        raise AggregationError(
            f"{name} of {self.aggregation!r} gives {given!s:.80}: it must give a number or a flat tuple of numbers"
        )

    # Functions over words

    def _over_words(self, name: str, method: _Method, result: Form, optional: Any = None) -> Any:
        """A C function that reads its arguments from words and writes its result into some. `optional` is the type of a
        result that may be missing."""
        types = self.numba.types
        words = types.CPointer(types.float64)
        first = self.values if name == "lift" else self.partial
        arguments = ["older", "newer"] if name in _TWO else ["given"]
        own = ["me"] * (method.me is not None)
        reads = [f"{argument}_ = {first.read(argument)}" for argument in arguments]
        call = f"method({', '.join([*own, *(f'{argument}_' for argument in arguments)])})"
        time = ["time"] * (name == "lift")
        source = _source(name, [*time, *arguments, "out"], reads, call, result, optional is not None)
        names: dict[str, Any] = {"method": method.function, "me": method.me, "np": np}
        if optional is not None:
            # Takes a result out of Numba's optional type, once it is known to be there.
            names["bare"] = self.numba.njit(optional(optional))(lambda given: given)
        signature = types.int32(*[types.int64] * len(time), *[words] * len(arguments), words)
        return self.numba.cfunc(signature, error_model="python")(_define(name, source, names))


def _define(name: str, source: str, names: dict[str, Any]) -> Any:
    exec(compile(source, f"<compiled {name}>", "exec"), names)
    return names[name]


def _numbers_of(aggregation: Aggregation) -> Any:
    """The numbers among the attributes of an aggregation, as a tuple with names, which Numba knows."""
    attributes: dict[str, Any] = {}
    for scope in [*(vars(cls) for cls in reversed(type(aggregation).__mro__)), vars(aggregation)]:
        attributes |= scope
    public = {name: value for name, value in attributes.items() if not name.startswith("_")}
    numbers = {name: getattr(value, "item", lambda own=value: own)() for name, value in public.items() if _fits(value)}
    return namedtuple("Self", numbers)(**numbers)


def _fits(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return bool(-(2**63) <= value < 2**63)
    return isinstance(value, (float, np.floating, np.bool_))


def _source(name: str, arguments: list[str], reads: list[str], call: str, result: Form, optional: bool) -> str:
    """The text of a function over words. It never raises: an error is a status.

    Only the call is inside the try: Numba follows each statement there by a branch, which makes it slow to compile.
    """
    body = [*reads, "try:", f"    result = {call}", "except Exception:", f"    return {_FAILED}"]
    if optional:
        body += ["if result is None:", f"    return {_NOTHING}", "result_ = bare(result)"]
    body += [*result.write("result_" if optional else "result"), f"return {_DONE}"]
    return "\n".join([f"def {name}({', '.join(arguments)}):", *(f"    {line}" for line in body), ""])


def _numba() -> Any:
    try:
        import numba
        import numba.core.errors
    except ImportError as error:
        raise ImportError(f"sash.compiled needs Numba: {how_to_install('compile')}") from error
    return numba
