"""The project keeps its own promises: names, versions, docstrings, and no trace of one machine."""

import doctest
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import sash
from sash.aggregations import built_ins
from sash.triggers import Trigger
from sash.windows import WindowPolicy

pytestmark = pytest.mark.project

PROJECT = Path(__file__).resolve().parent.parent
#: Folders that no one reads, beside those whose name starts with a dot.
GENERATED = {"build", "dist", "__pycache__"}
MACHINE_PATH = re.compile(r"(?<![\w.:/>*-])/(?:home|root|Users|tmp|work|opt|mnt)/\w")


def text_files() -> Iterator[Path]:
    """Every file of the project that people read."""
    for path in sorted(PROJECT.rglob("*")):
        folders = path.relative_to(PROJECT).parts[:-1]
        hidden = any(folder.startswith(".") and folder != ".ci" for folder in folders)
        if (
            path.is_file()
            and not hidden
            and not GENERATED & set(folders)
            and path.suffix != ".so"
            and path.name != ".git"
        ):
            yield path


def public_objects() -> list[tuple[str, object]]:
    """Every name that `from sash import *` gives, except constants."""
    members = [(name, getattr(sash, name)) for name in sash.__all__]
    return [(name, member) for name, member in members if inspect.isclass(member) or callable(member)]


def public_methods(owner: type) -> list[tuple[str, object]]:
    """What a class offers beyond what Python's own classes do, native methods included."""
    foreign = {name for base in owner.__mro__ if not base.__module__.startswith("sash") for name in vars(base)}
    names = [name for name in dir(owner) if not name.startswith("_") and name not in foreign]
    members = [(name, inspect.getattr_static(owner, name)) for name in names]
    return [(name, member) for name, member in members if not is_field(member)]


def named(members: list[tuple[str, object]]) -> list[object]:
    """Give each case of a test the name of what it is about."""
    return [pytest.param(name, member, id=name) for name, member in members]


def is_field(member: object) -> bool:
    """An attribute such as `commutative = True`, or a slot of a dataclass, has no docstring of its own."""
    plain = (bool, int, float, str, tuple, list, dict, type(None))
    return isinstance(member, plain) or inspect.ismemberdescriptor(member)


def is_native(member: object) -> bool:
    """Pytest collects the doctests of Python functions; those of native ones are run here."""
    getter = member.fget if isinstance(member, property) else member
    return type(getter).__name__.startswith("nb_")


def test_no_file_names_a_path_of_one_machine() -> None:
    """What works here works elsewhere: no file of the project points into somebody's file system."""
    found = [
        f"{path.relative_to(PROJECT)}:{number}: {line.strip()}"
        for path in text_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert not found, "\n".join(found)


def test_versions_agree() -> None:
    """pyproject.toml, the package and the changelog tell one version."""
    with (PROJECT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert version == sash.__version__
    assert re.search(rf"\b{re.escape(version)}\b", (PROJECT / "CHANGELOG.md").read_text())


def test_all_is_sorted_out() -> None:
    """`__all__` names what exists, once each, and nothing private."""
    assert len(set(sash.__all__)) == len(sash.__all__)
    assert [name for name in sash.__all__ if name.startswith("_") and name != "__version__"] == []
    assert [name for name in sash.__all__ if not hasattr(sash, name)] == []


def test_all_is_aggregations_windows_triggers_errors_and_the_doors() -> None:
    """Nothing else is at the top: result types are in `sash.results`. A new aggregation is exported."""
    kinds = (sash.Aggregation, WindowPolicy, Trigger, Exception)
    others = {
        name for name in sash.__all__ if not (inspect.isclass(made := getattr(sash, name)) and issubclass(made, kinds))
    }
    assert others == {"Window", "Sliding", "Plan", "rolling", "store", "results", "aggregation", "compiled", "col"}
    assert built_ins().keys() <= set(sash.__all__)


@pytest.mark.parametrize(("name", "member"), named(public_objects()))
def test_a_public_name_has_a_docstring_with_an_example(name: str, member: object) -> None:
    """Whoever asks help(sash.X) sees the contract and a session that runs; an error is shown where it is raised."""
    if inspect.isclass(member) and issubclass(member, Exception):
        assert inspect.getdoc(member)
        return
    assert ">>>" in (inspect.getdoc(member) or ""), f"sash.{name} has no example"


@pytest.mark.parametrize(("name", "member"), named(public_methods(sash.Window)))
def test_a_method_of_the_window_is_documented(name: str, member: object) -> None:
    """A Python method has an example of its own; a native one has, or the docstring of the class tells of it."""
    own = ">>>" in (inspect.getdoc(member) or "")
    assert own or (is_native(member) and re.search(rf"`{name}\b", sash.Window.__doc__ or "")), f"{name} is undocumented"


def test_every_public_method_has_a_docstring() -> None:
    """Nothing public is left to guessing."""
    bare = [
        f"sash.{name}.{method}"
        for name, owner in public_objects()
        if inspect.isclass(owner)
        for method, member in public_methods(owner)
        if not inspect.getdoc(member)
    ]
    assert not bare


def test_native_examples_run() -> None:
    """The sessions in the docstrings of native methods print what they say."""
    complaints: list[str] = []
    for name, member in public_methods(sash.Window):
        if is_native(member):
            session = doctest.DocTestParser().get_doctest(inspect.getdoc(member) or "", {"sash": sash}, name, None, 0)
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=complaints.append)
    assert not complaints, "".join(complaints)


def test_every_target_is_documented() -> None:
    """CONTRIBUTING.md tells what each target of the Makefile does."""
    targets = re.search(r"^\.PHONY: (.*)$", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    assert targets
    text = (PROJECT / "CONTRIBUTING.md").read_text()
    assert [target for target in targets[1].split() if f"`make {target}`" not in text] == []
