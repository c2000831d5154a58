"""The demonstration compares before it prints, and the command line finds it."""

from itertools import pairwise

import pytest
from typer.testing import CliRunner

import sash
from sash import demo
from sash.cli import app


def test_the_demo_prints_every_algorithm() -> None:
    """A short run names the algorithms and says that the answers are equal."""
    result = CliRunner().invoke(app, ["demo", "--events", "500"], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert "All 500 answers are equal" in result.output
    assert all(name in result.output for name in demo.ALGORITHMS)


def test_the_version_is_printed() -> None:
    """`sash --version` prints the version and nothing else happens."""
    result = CliRunner().invoke(app, ["--version"])
    assert result.output == f"sash {sash.__version__}\n"


def test_the_command_line_alone_helps() -> None:
    """`sash` without a subcommand lists the subcommands."""
    assert "demo" in CliRunner().invoke(app, []).output


def test_the_stream_is_in_order_and_bursty() -> None:
    """Times rise strictly, and the busiest stretch has many times the events of the quietest."""
    stream = demo.bursty_stream(20_000, seed=3)
    assert all(one.time < other.time for one, other in pairwise(stream))
    counts = demo.counts_per_stretch(stream)
    assert max(counts) > 10 * min(counts)
    assert sum(counts) == 20_000


@pytest.mark.parametrize("algorithm", demo.ALGORITHMS)
def test_the_window_of_the_demo_is_the_last_half_second(algorithm: str) -> None:
    """Every answer is the greatest latency in (time - LENGTH, time]."""
    stream = demo.bursty_stream(1_000, seed=2)
    expected = [
        max(event.latency for event in stream[: number + 1] if event.time > last.time - demo.LENGTH)
        for number, last in enumerate(stream)
    ]
    assert demo.slide(stream, algorithm).answers == expected


def test_unequal_answers_stop_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is printed for an algorithm that answers something else."""
    printed: list[object] = []

    def wrong_for_daba(stream: list[demo.Event], algorithm: str) -> demo.Run:
        return demo.Run([int(algorithm == "daba_lite")] * len(stream), [1] * len(stream))

    monkeypatch.setattr(demo, "slide", wrong_for_daba)
    with pytest.raises(AssertionError, match="must agree"):
        demo.run(events=100, seed=1, show=lambda *parts: printed.extend(parts))
    assert not any("equal" in str(part) for part in printed)
