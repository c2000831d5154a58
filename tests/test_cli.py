"""The command line: its help, its version, and how it refuses."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sash
from sash import requirements
from sash.cli import main
from sash.commands.app import app
from sash.extras import how_to_install


def test_the_version_is_printed() -> None:
    """`sash --version` prints the version and nothing else happens."""
    result = CliRunner().invoke(app, ["--version"])
    assert result.output == f"sash {sash.__version__}\n"


def test_the_command_line_alone_helps() -> None:
    """`sash` without a subcommand lists the subcommands."""
    assert "demo" in CliRunner().invoke(app, []).output


def refused(*arguments: str) -> str:
    """What the demo says before it leaves with exit code 1, in one line and without a traceback."""
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.output.count("\n") == 1
    return result.output


def fake_java(folder: Path, version: str) -> None:
    """A `java` that knows its version and no more."""
    folder.mkdir(parents=True)
    java = folder / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(java.stat().st_mode | stat.S_IXUSR)


def without(monkeypatch: pytest.MonkeyPatch, *absent: str) -> None:
    """A machine on which these modules are not installed."""
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name in absent else object())


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PySpark and Altair the demo names both and the one command that installs them."""
    without(monkeypatch, "pyspark", "altair")
    assert refused() == f"This needs PySpark and Altair: {how_to_install('spark', 'report')}\n"


def test_the_command_line_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Typer, `sash` says in a line how to get it."""
    without(monkeypatch, "typer")
    with pytest.raises(SystemExit, match=re.escape(f"The command line needs Typer: {how_to_install('cli')}")):
        main()


def test_the_package_needs_numpy_alone() -> None:
    """`import sash` imports nothing else that is not of Python itself."""
    foreign = ("typer", "rich", "pyarrow", "pandas", "polars", "pyspark", "altair", "numba", "datasketches", "lmdb")
    code = f"import sash, sys; print([name for name in {foreign!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_file_is_no_folder_for_the_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`--out FILE` is refused in a line, and the file is left alone."""
    monkeypatch.setattr(requirements, "find_spec", lambda name: object())
    fake_java(tmp_path / "java" / "bin", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    file = tmp_path / "out.txt"
    file.write_text("mine")
    result = CliRunner().invoke(app, ["demo", "--out", str(file)])
    assert result.exit_code == 1
    assert "is a file: name a folder with --out" in result.output
    assert file.read_text() == "mine"


def test_a_machine_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Java the demo says which one it needs and how to get it."""
    monkeypatch.setattr(requirements, "find_spec", lambda name: object())
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refused()
    assert "Java 17 or newer" in said
    assert "apt-get install openjdk-17-jre-headless" in said


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for Java")
def test_a_java_that_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An old Java is named with its version; one that is new enough is no problem."""
    monkeypatch.setattr(requirements, "find_spec", lambda name: object())
    fake_java(tmp_path / "old" / "bin", "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    assert "is Java 11" in refused()
    fake_java(tmp_path / "new" / "bin", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "new"))
    assert requirements.java_problem() is None


def test_a_folder_with_other_things_is_not_touched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The demo replaces what it made before, and nothing else: it does not start in a folder that holds other files."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("sash.commands.demo.java_problem", lambda: None)
    (tmp_path / "thesis.txt").write_text("years of work")
    assert "holds thesis.txt" in refused("--out", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands for Java")
def test_a_spark_that_does_not_start(tmp_path: Path) -> None:
    """A Java that cannot run Spark gives one line that says where its output is, and no traceback."""
    for package in ("pyspark", "pyarrow", "pandas", "altair", "vl_convert"):
        pytest.importorskip(package)
    fake_java(tmp_path / "java" / "bin", "21.0.1")
    out = tmp_path / "out"
    # In a process of its own: a session that runs in this one would be used.
    done = subprocess.run(
        [sys.executable, "-m", "sash", "demo", "--trips", "1000", "--out", str(out)],
        env=os.environ | {"JAVA_HOME": str(tmp_path / "java")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert re.fullmatch(r"Spark did not start: .* What it printed is in .*spark\.log\n", done.stderr)
    assert "openjdk version" in (out / "spark.log").read_text()


def test_the_first_call_over_a_frame_imports_nothing_where_numpy_was_there_first() -> None:
    """`import numpy, sash` brings the engine of frames: the first call does what every call does."""
    code = (
        "import numpy as np, sash, sys\n"
        "before = set(sys.modules)\n"
        "frame = {'t': np.arange(3), 'v': np.arange(3.0)}\n"
        "sash.rolling(frame, on='t', window=sash.TimeWindow(2), out=sash.Sum('v'))\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_importing_the_package_imports_no_engine() -> None:
    """`import sash` is cheap: each part is imported when it is first asked for, and is the same from then on."""
    code = (
        "import sys, sash\n"
        "before = [name for name in sys.modules if name.startswith(('numpy', 'sash.aggregations', 'sash.operator'))]\n"
        "print(before, sash.Sum is sash.Sum, 'Sliding' in dir(sash), callable(sash.rolling))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True True True\n"
    with pytest.raises(AttributeError, match="module 'sash' has no attribute 'Summ'"):
        sash.Summ  # noqa: B018


def test_the_list_of_commands_is_told_in_whole_sentences() -> None:
    """On a terminal of 80 columns no line of it is cut short."""
    said = CliRunner().invoke(app, ["--help"], terminal_width=80).output
    commands = said.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert len(commands) == len(app.registered_commands)
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


def test_what_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    """`sash explain` of no file and of no text: a line, and no number of an error."""
    said = CliRunner().invoke(app, ["explain", str(tmp_path / "none.toml")])
    assert (said.exit_code, said.output) == (
        2,
        f"{tmp_path / 'none.toml'} cannot be read: No such file or directory\n",
    )
    (tmp_path / "picture.toml").write_bytes(b"\xff\xfe\x00")
    assert "it is no text" in CliRunner().invoke(app, ["explain", str(tmp_path / "picture.toml")]).output
