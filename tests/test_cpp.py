"""The headers as users of C++ find them: installed, found by CMake, in the page about them, in the source archive."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent


def block(language: str) -> str:
    """The one block of that language in the page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (PROJECT / "docs" / "cpp.md").read_text(), re.DOTALL)
    return str(found)


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints; its whole output if it fails."""
    path = os.pathsep.join([str(TOOLS), os.environ["PATH"]])
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cmake() -> Path:
    """CMake, which `make build` puts beside Python."""
    if not (TOOLS / "cmake").exists() or not (TOOLS / "ninja").exists():
        pytest.skip("needs cmake and ninja: make build")
    return TOOLS / "cmake"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the files of the page."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "main.cpp").write_text(block("cpp"))
    (folder / "CMakeLists.txt").write_text(block("cmake"))
    return folder


def test_the_page_has_a_short_program() -> None:
    """One that can be read at a glance."""
    assert len(block("cpp").splitlines()) <= 30


def test_the_installed_headers_are_found_and_the_program_runs(cmake: Path, user: Path, tmp_path: Path) -> None:
    """`find_package(sash)` is enough: the target says where the headers are, and that they are C++20."""
    run(cmake, "-S", PROJECT, "-B", tmp_path / "headers", "-G", "Ninja", folder=tmp_path)
    run(cmake, "--install", tmp_path / "headers", "--prefix", tmp_path / "prefix", folder=tmp_path)
    prefix = f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}"
    run(cmake, "-S", user, "-B", tmp_path / "user", "-G", "Ninja", prefix, folder=tmp_path)
    run(cmake, "--build", tmp_path / "user", folder=tmp_path)
    assert run(tmp_path / "user" / "peaks", folder=tmp_path) == block("text")


def test_a_checkout_is_a_part_of_another_project(cmake: Path, user: Path, tmp_path: Path) -> None:
    """`add_subdirectory` gives the same target; only configured here, since the program is the same."""
    shutil.copy(user / "main.cpp", tmp_path)
    line = f"add_subdirectory({PROJECT} sash)"
    (tmp_path / "CMakeLists.txt").write_text(block("cmake").replace("find_package(sash 0.1 REQUIRED)", line))
    run(cmake, "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja", folder=tmp_path)


def test_the_headers_are_in_the_source_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has it has all that is installed."""
    backend = pytest.importorskip("scikit_build_core.build")
    monkeypatch.chdir(PROJECT)
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    headers = {str(path.relative_to(PROJECT)) for path in (PROJECT / "core" / "include").rglob("*.hpp")}
    assert headers <= names
    assert "CMakeLists.txt" in names
