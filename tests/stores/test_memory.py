"""Local memory: what a large window needs here does not grow with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sash.store.window import ALGORITHMS

FOOTPRINT = Path(__file__).with_name("footprint.py")
MOST = 64


def peak(folder: Path, algorithm: str, events: int) -> tuple[float, float]:
    """The peak of the process's memory, what it has mapped of the file included, and the file's size, in MiB."""
    pytest.importorskip("lmdb")
    command = [sys.executable, str(FOOTPRINT), str(folder), algorithm, str(events)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    own, whole, size = map(float, ran.stdout.split())
    return max(own, whole), size


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_million_events_over_lmdb(tmp_path: Path, algorithm: str) -> None:
    """They fill more than 16 MiB of the store, and less than half of the bound here."""
    here, size = peak(tmp_path, algorithm, 2**20)
    assert size > 16
    assert here < MOST / 2


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_thirty_two_million_events_over_lmdb(tmp_path: Path, algorithm: str) -> None:
    """2^25 integers: hundreds of MiB in the store, under 64 MiB above the idle process here."""
    here, size = peak(tmp_path, algorithm, 2**25)
    assert size > 400
    assert here < MOST
