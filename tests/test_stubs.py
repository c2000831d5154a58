"""The stubs of the native modules say what the modules have: every name, and the signature of every function.

nanobind writes into each function the signature that it checks at a call. `mypy.stubtest` does not read it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import sash
from sash import _batch, _core

pytestmark = pytest.mark.project

PACKAGE = Path(sash.__file__).parent
ARRAY = re.compile(r"(?:numpy\.)?ndarray\[dtype=(\w+)[^\]]*\]")


class Parameter(NamedTuple):
    """A parameter; one that is passed by position alone has no name."""

    name: str | None
    default: str | None
    types: frozenset[str]


class Signature(NamedTuple):
    parameters: list[Parameter]
    returns: frozenset[str]


# What an annotation allows: the names of the types, without what they hold. None of them is no restriction.


def types_of(node: ast.expr | None, aliases: dict[str, ast.expr]) -> frozenset[str]:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            one, other = types_of(left, aliases), types_of(right, aliases)
            return one | other if one and other else frozenset()
        case ast.Constant(value=None):
            return frozenset({"None"})
        case ast.Name(id=name) if name in aliases:
            return types_of(aliases[name], aliases)
        case ast.Subscript(value=ast.Attribute(attr="NDArray"), slice=ast.Attribute(attr=element)):
            return frozenset({element})
        case ast.Subscript(value=inner):
            return types_of(inner, aliases)
        case ast.Name(id="Any" | "object") | ast.Attribute(attr="NDArray") | None:
            return frozenset()
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return frozenset({name})
    raise AssertionError(ast.dump(node))


def signature_of(function: ast.FunctionDef, aliases: dict[str, ast.expr]) -> Signature:
    given = function.args
    parameters = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(parameters) - len(given.defaults)) + [ast.unparse(one) for one in given.defaults]
    read = [
        Parameter(None if one in given.posonlyargs else one.arg, default, types_of(one.annotation, aliases))
        for one, default in zip(parameters, defaults, strict=True)
        if one.arg != "self"
    ]
    return Signature(read, types_of(function.returns, aliases))


# The two sides: by name, such as `Window.insert`, the signatures that there are.


def stubbed(module: ModuleType) -> dict[str, list[Signature]]:
    tree = ast.parse((PACKAGE / f"{module.__name__.rpartition('.')[2]}.pyi").read_text())
    aliases = {one.targets[0].id: one.value for one in tree.body if isinstance(one, ast.Assign)}
    found: dict[str, list[Signature]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            inside = {f"{node.name}.{one.name}": one for one in node.body if isinstance(one, ast.FunctionDef)}
            found[node.name] = []
        else:
            inside = {node.name: node} if isinstance(node, ast.FunctionDef) else {}
        for name, function in inside.items():
            found[name + " property" * bool(function.decorator_list)] = [signature_of(function, aliases)]
    return found


def native(module: ModuleType) -> dict[str, list[Signature]]:
    found: dict[str, list[Signature]] = {}
    for name, member in vars(module).items():
        if isinstance(member, type):
            found[name] = []
            for inner, one in vars(member).items():
                if read := signatures(one):
                    found[f"{name}.{inner}" + " property" * isinstance(one, property)] = read
        elif read := signatures(member):
            found[name] = read
    # A class that is made by a function has it as `__init__` too.
    return {name: read for name, read in found.items() if not name.endswith("__new__")}


def signatures(member: Any) -> list[Signature]:
    getter = member.fget if isinstance(member, property) else member
    return [parsed(text, values or ()) for text, _, values in getattr(getter, "__nb_signature__", ())]


def parsed(text: str, defaults: tuple[Any, ...]) -> Signature:
    # The getter of a property has no name.
    text = ARRAY.sub(r"\1", text).replace("def (", "def getter(")
    for number, value in enumerate(defaults):
        text = text.replace(f"\\{number}", repr(value))
    (function,) = ast.parse(f"{text}: ...").body
    assert isinstance(function, ast.FunctionDef)
    return signature_of(function, {})


# The stub may say more than the module, where that takes or gives any object.


def agree(stub: Signature, overloads: list[Signature]) -> bool:
    shapes = [[one[:2] for one in each.parameters] for each in (stub, *overloads)]
    if any(shape != shapes[0] for shape in shapes):
        return False
    columns = zip(*([*(one.types for one in each.parameters), each.returns] for each in overloads), strict=True)
    taken = [frozenset().union(*column) if all(column) else frozenset() for column in columns]
    said = [*(one.types for one in stub.parameters), stub.returns]
    return all(not real or real == stubbed for real, stubbed in zip(taken, said, strict=True))


@pytest.mark.parametrize("module", [_core, _batch], ids=["_core", "_batch"])
def test_a_stub_has_the_names_of_its_module(module: ModuleType) -> None:
    """No name more, and none less."""
    assert sorted(stubbed(module)) == sorted(native(module))


@pytest.mark.parametrize("module", [_core, _batch], ids=["_core", "_batch"])
def test_a_stub_has_the_signatures_of_its_module(module: ModuleType) -> None:
    """The same parameters in the same order, with the same defaults and types."""
    said, real = stubbed(module), native(module)
    wrong = [name for name in said.keys() & real.keys() if real[name] and not agree(said[name][0], real[name])]
    assert not wrong, "\n".join(f"{name}: {said[name][0]}\n  is {real[name]}" for name in sorted(wrong))
