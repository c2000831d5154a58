"""The package is typed: a checker that knows its types alone finds nothing wrong in the code of the documents."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import DOCUMENTS, PROJECT, blocks

pytestmark = [pytest.mark.project, pytest.mark.slow]

SESSION = "from pyspark.sql import SparkSession\nspark: SparkSession = SparkSession.builder.getOrCreate()\n"
#: Polars finds the namespaces that others register when it runs, and no checker can.
UNKNOWABLE = re.compile(r'attribute "sash" for class "Expr"')


def code_of(document: Path) -> str:
    """The code of a document as one module, without what is meant to fail."""
    parts = []
    for block in blocks(document.read_text()):
        session = doctest.DocTestParser().get_examples(block.source)
        parts += [one.source for one in session if not one.exc_msg] if session else [block.source]
    code = "".join(parts)
    return SESSION + code if re.search(r"\bspark\.", code) else code


def complaints(folder: Path) -> list[str]:
    """The errors that pyright finds in the modules of a folder."""
    pytest.importorskip("pyright", reason="needs pip install 'pyright[nodejs]'")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not start: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] > 0
    errors = [one for one in report["generalDiagnostics"] if one["severity"] == "error"]
    return [f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}" for one in errors]


def test_the_code_of_the_documents_has_the_types_that_it_needs(tmp_path: Path) -> None:
    """Every page, with Python's own rules alone."""
    for document in DOCUMENTS:
        name = document.relative_to(PROJECT).with_suffix("").as_posix().replace("/", "_").replace("-", "_")
        (tmp_path / f"{name}.py").write_text(code_of(document))
    assert [one for one in complaints(tmp_path) if not UNKNOWABLE.search(one)] == []


def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    """The types of the package are read: what gives Any would let this pass."""
    wrong = [
        "sash.Window(sash.Sum()).query(1, 2, 3)",
        "sash.nothing",
        'sash.Quantile("x", q="half")',
        "sash.Sum(nan=1)",
    ]
    (tmp_path / "wrong.py").write_text("\n".join(["import sash", *wrong]))
    assert len(complaints(tmp_path)) == len(wrong)


def test_mypy_knows_conditions(tmp_path: Path) -> None:
    """`where=` is an argument of every aggregation, for mypy as for pyright."""
    code = tmp_path / "conditions.py"
    code.write_text('import sash\ntotal: sash.Sum = sash.Sum("x", where=sash.col("y") > 1)\nsash.Count(where="paid")\n')
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PROJECT)
    if "No module named mypy" in done.stderr:
        pytest.skip("needs pip install mypy")
    assert done.returncode == 0, done.stdout + done.stderr
