"""The package as others get it: the site of its documents, its source distribution, its wheel."""

from __future__ import annotations

import os
import re
import shutil
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


class Clean:
    """An environment of its own, with nothing in it but what is installed from the wheel."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, with_pip=True)
        self._folder, self._wheel = folder, wheel

    def install(self, extras: str, *options: str) -> None:
        """Install the wheel with some extras."""
        self.run("pip", "install", "--quiet", *options, f"{self._wheel}{extras}")

    def run(self, name: str, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, beside it."""
        command = [str(self._folder / "bin" / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self._folder)
        assert done.returncode == code, done.stdout[-1000:] + done.stderr[-2000:]
        return done


@pytest.mark.slow
def test_a_wheel_of_the_source_distribution_installs_into_a_clean_environment(project: Path, tmp_path: Path) -> None:
    """With NumPy alone the package works, and the command line says what it needs; with that it runs a pipeline; all
    extras go together."""
    source = built(project, tmp_path / "sdist", "sdist")
    shutil.unpack_archive(source, tmp_path / "source")
    wheel = built(next((tmp_path / "source").iterdir()), tmp_path / "dist", "wheel")
    clean = Clean(tmp_path / "clean", wheel)
    clean.install("")
    code = "import sash; w = sash.Window(sash.Max()); w.insert(1, 2); print(w.query())"
    assert clean.run("python", "-c", code).stdout == "2\n"
    assert clean.run("sash", "--help", code=1).stderr.startswith(
        "The command line needs Typer and Rich and pydantic: pip"
    )
    clean.install("[cli,arrow]")
    (tmp_path / "clean" / "payments.csv").write_text("time,card,amount\n2024-05-01T10:00:00Z,a,5\n")
    clean.run("sash", "init", "payments.csv")
    assert clean.run("sash", "run", "pipeline.toml").stdout.startswith("1 row in, 1 result out: ")
    clean.install("[all]", "--dry-run")


@pytest.mark.parametrize("module", ["algorithms", "results", "spark", "store", "testing", "triggers", "windows"])
def test_a_module_needs_no_import_of_its_own(module: str) -> None:
    """`import sash` is enough to write `sash.windows`, whatever else was imported before."""
    code = f"import sash; print(sash.{module}.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == f"sash.{module}", found.stderr
