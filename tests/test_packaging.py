"""The package as others get it: the site of its documents, its source distribution, its wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.project


def built(project: Path, out: Path, kind: str) -> Path:
    """A distribution of the project, by what is installed here: nothing is fetched."""
    pytest.importorskip("build", reason="needs pip install build")
    pytest.importorskip("scikit_build_core")
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(out), str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return next(out.glob("*.tar.gz" if kind == "sdist" else "*.whl"))


def test_the_site_builds_without_a_warning(project: Path, tmp_path: Path) -> None:
    """Every page is in the navigation, every link leads somewhere, and no page asks another machine for anything."""
    pytest.importorskip("material", reason="needs pip install mkdocs-material")
    pytest.importorskip("mkdocstrings_handlers.python")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    pages = list(tmp_path.glob("*.html"))
    assert {"index.html", "tutorial.html", "reference.html"} <= {page.name for page in pages}
    fetched = re.compile(r'<(?:script|img)[^>]* src="http|<link[^>]* rel="stylesheet"[^>]* href="http')
    foreign = [page.name for page in pages if fetched.search(page.read_text())]
    assert foreign == []


def test_the_source_distribution_has_what_a_build_needs(project: Path, tmp_path: Path) -> None:
    """The core, the package, its types and its licence; nothing that was built."""
    with tarfile.open(built(project, tmp_path, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md", "src/sash/py.typed", "src/sash/_core.pyi"}
    assert needed <= names
    assert "core/include/sash/monoid.hpp" in names
    assert not [name for name in names if name.endswith(".so") or name.startswith(("build/", ".venv/"))]


@pytest.mark.slow
def test_a_wheel_installs_into_a_clean_environment(project: Path, tmp_path: Path) -> None:
    """With NumPy alone the package works; the command line says what it needs."""
    wheel = built(project, tmp_path / "dist", "wheel")
    venv.create(tmp_path / "clean", with_pip=True)
    binaries = tmp_path / "clean" / "bin"
    subprocess.run([binaries / "pip", "install", "--quiet", str(wheel)], check=True)
    code = "import sash; w = sash.Window(sash.Max()); w.insert(1, 2); print(w.query())"
    done = subprocess.run([binaries / "python", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "2\n"
    done = subprocess.run([binaries / "sash", "--help"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == "The command line needs Typer and Rich: pip install 'sash[cli]'\n"


@pytest.mark.parametrize("module", ["algorithms", "results", "spark", "store", "testing", "triggers", "windows"])
def test_a_module_needs_no_import_of_its_own(module: str) -> None:
    """`import sash` is enough to write `sash.windows`, whatever else was imported before."""
    code = f"import sash; print(sash.{module}.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == f"sash.{module}", found.stderr
