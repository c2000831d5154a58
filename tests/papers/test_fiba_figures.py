"""The running examples of the two FiBA papers, replayed at min_arity 2.

The papers draw each value as the letter that goes with its time: 1:a, 2:b, ... 22:v. Sash keeps all entries in leaves,
so its nodes differ from the drawings; contents, every kind of aggregate and all invariants must be as drawn.
"""

from __future__ import annotations

import pytest

import sash


def letter(time: int) -> str:
    return chr(96 + time)


class Figure:
    """A window of letters and the times that it must hold."""

    def __init__(self, times: list[int]) -> None:
        self.window = sash.Window(sash.Concat(), algorithm="fiba", min_arity=2)
        self.times: set[int] = set()
        for time in times:
            self.insert(time)

    def check(self) -> None:
        held = sorted(self.times)
        self.window.check_invariants()
        assert [time for time, _ in self.window.items()] == held
        assert self.window.query() == ("".join(map(letter, held)) or None)
        for i, start in enumerate(held):
            assert self.window.query(start, None) == "".join(map(letter, held[i:]))
            assert self.window.query(None, start) == "".join(map(letter, held[: i + 1]))

    def insert(self, *times: int) -> None:
        if len(times) == 1:
            self.window.insert(times[0], letter(times[0]))
        else:
            self.window.bulk_insert(list(times), [letter(time) for time in times])
        self.times |= set(times)
        self.check()

    def evict(self, time: int) -> None:
        there = time in self.times
        assert self.window.evict(time) is there
        self.times -= {time}
        self.check()

    def bulk_evict(self, time: int) -> None:
        self.window.bulk_evict(time)
        self.times = {kept for kept in self.times if kept > time}
        self.check()


def without(last: int, *gaps: int) -> list[int]:
    return [time for time in range(1, last + 1) if time not in gaps]


def test_figure_3_from_a_to_f():
    """In order, late, evict, late with a split, evict with a merge."""
    figure = Figure(without(21, 16, 18))
    figure.insert(22)
    figure.insert(18)
    figure.evict(1)
    figure.insert(16)
    figure.evict(2)
    assert figure.window.query() == "cdefghijklmnopqrstuv"


def test_figure_4_a_split_that_raises_the_root():
    """G to H: inserting 3:c overflows up to a new root."""
    figure = Figure(without(22, 3))
    figure.insert(3)
    assert figure.window.query() == "abcdefghijklmnopqrstuv"


def test_figure_5_a_merge_and_a_move():
    """I to J: evicting 4:d."""
    figure = Figure(list(range(4, 23)))
    figure.evict(4)
    assert figure.window.query() == "efghijklmnopqrstuv"


def test_figure_6_merges_that_lower_the_root():
    """K to L: evicting 15:o from a small tree, and on until nothing is left."""
    figure = Figure([3, 7, 9, 15, 17, 20])
    figure.evict(15)
    assert figure.window.query() == "cgiqt"
    for time in (9, 20, 3, 17, 7):
        figure.evict(time)
    assert len(figure.window) == 0


@pytest.mark.parametrize("time", [7, 9, 12, 15, 19])
def test_figure_9_evicting_what_separates_two_subtrees(time):
    """The times that the drawing keeps in inner nodes leave like any other."""
    figure = Figure(without(22, 16, 18))
    figure.evict(time)
    assert figure.window.query() == "abcdefghijklmnoqstuv".replace(letter(time), "")


@pytest.mark.parametrize("cut", [24, 3, 11, 31, 39])
def test_bulk_figures_18_to_20_move_merge_and_a_new_root(cut):
    """Evicting everything up to the cut: within a subtree, at its edge, and all but the right spine."""
    window = sash.Window(sash.Concat(), algorithm="fiba", min_arity=2)
    window.bulk_insert(list(range(1, 41)), [chr(64 + time) for time in range(1, 41)])
    window.bulk_evict(cut)
    window.check_invariants()
    assert window.query() == "".join(chr(64 + time) for time in range(cut + 1, 41))
    assert len(window) == 40 - cut


def test_bulk_figure_1_bulk_insert_between_existing_times():
    """A batch before, among and after the entries, some times of it there already."""
    figure = Figure(without(22, 5, 6, 16, 18))
    figure.insert(5, 6, 16, 18, 23, 24)
    figure.bulk_evict(5)
    assert figure.window.query() == "fghijklmnopqrstuvwx"


def test_section_2_max_and_maxcount_over_late_and_leaving_values():
    """The 5-second example: 2.0, 3.0, 4.0, 6.0, then 6.5 in order, 2.3 late, watermarks at 7.2 and 7.7."""
    top, count = (sash.Window(agg(), algorithm="fiba", min_arity=2) for agg in (sash.Max, sash.MaxCount))

    def both() -> tuple[int, int]:
        top.check_invariants()
        return top.query(), count.query()

    for window in (top, count):
        window.bulk_insert([2.0, 3.0, 4.0, 6.0], [4, 3, 0, 4])
    assert both() == (4, 2)
    for window in (top, count):
        window.insert(6.5, 4)
    assert both() == (4, 3)
    for window in (top, count):
        window.insert(2.3, 5)
    assert both() == (5, 1)
    for window in (top, count):
        window.bulk_evict(7.2 - 5)
    assert both() == (5, 1)
    for window in (top, count):
        window.bulk_evict(7.7 - 5)
    assert both() == (4, 2)
