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
    assert all(name in result.output for name in demo.IN_ORDER | demo.OUT_OF_ORDER)


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


def brute_force(stream: list[demo.Event]) -> list[int]:
    """The greatest latency in (newest - LENGTH, newest] after every event, looked up anew each time."""
    seen = [stream[: number + 1] for number in range(len(stream))]
    starts = [max(event.time for event in events) - demo.LENGTH for events in seen]
    return [
        max(event.latency for event in events if event.time > start) for events, start in zip(seen, starts, strict=True)
    ]


@pytest.mark.parametrize("algorithm", demo.IN_ORDER)
def test_in_order_the_window_is_the_last_half_second(algorithm: str) -> None:
    """Every answer is the greatest latency of the half second that ends with the event."""
    stream = demo.bursty_stream(800, seed=2)
    assert demo.slide(stream, algorithm).answers == brute_force(stream)


@pytest.mark.parametrize("algorithm", demo.OUT_OF_ORDER)
def test_with_late_events_the_window_is_the_last_half_second(algorithm: str) -> None:
    """The half second ends with the newest event that has arrived."""
    stream = demo.delayed(demo.bursty_stream(800, seed=2), seed=2)
    assert demo.slide(stream, algorithm).answers == brute_force(stream)


def test_some_events_are_late() -> None:
    """About one event in twenty arrives after a younger one."""
    stream = demo.delayed(demo.bursty_stream(10_000, seed=4), seed=4)
    late = sum(one.time > other.time for one, other in pairwise(stream))
    assert 200 < late < 1_000


def test_unequal_answers_stop_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is printed for an algorithm that answers something else."""
    printed: list[object] = []

    def wrong_for_daba(stream: list[demo.Event], algorithm: str) -> demo.Run:
        return demo.Run([int(algorithm == "daba_lite")] * len(stream), [1] * len(stream))

    monkeypatch.setattr(demo, "slide", wrong_for_daba)
    with pytest.raises(AssertionError, match="must agree"):
        demo.run(events=100, seed=1, show=printed.append)
    assert not any("equal" in str(part) for part in printed)
