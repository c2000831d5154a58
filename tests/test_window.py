"""The window as its users see it: example by example, and each kind of bad input with its own test."""

import copy
import datetime as dt
import gc
import pickle
import threading
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sash
from sash import _core

ALL = sorted(sash.algorithms.ALGORITHMS)
IN_ORDER = [name for name in ALL if not sash.algorithms.ALGORITHMS[name].late]
LATE = [name for name in ALL if sash.algorithms.ALGORITHMS[name].late]
BERLIN = ZoneInfo("Europe/Berlin")


class Fussy(sash.Aggregation):
    """Concatenates texts, and raises when asked to combine with a "!" while armed."""

    identity = ""
    armed = True

    def lift(self, value):
        return value

    def combine(self, older, newer):
        if self.armed and "!" in newer:
            raise ZeroDivisionError("combine was asked for it")
        return older + newer

    def lower(self, partial):
        return partial


class Opaque(sash.Aggregation):
    """Keeps sets of complex numbers, which no built-in codec writes."""

    identity = frozenset()

    def lift(self, value):
        return frozenset([value])

    def combine(self, older, newer):
        return older | newer

    def lower(self, partial):
        return set(partial)


class Coded(Opaque):
    """The same with a codec of its own."""

    def encode(self, partial):
        return ";".join(sorted(map(str, partial))).encode()

    def decode(self, data):
        return frozenset(map(complex, data.decode().split(";")))


def filled(aggregation, events, algorithm="recalc", **options):
    window = sash.Window(aggregation, algorithm=algorithm, **options)
    for time, value in events:
        window.insert(time, value)
    return window


def contents(window):
    """All that can be seen of a window."""
    ends = (window.oldest, window.youngest) if len(window) else None
    return len(window), ends, window.query(), window.snapshot()


class TestTheBasics:
    @pytest.mark.parametrize("algorithm", [name for name in ALL if name != "subtract_on_evict"])
    def test_a_window_slides(self, algorithm):
        """Insert, query and evict give the maximum of what is in."""
        window = filled(sash.Max(), [(1, 5), (2, 1), (3, 4)], algorithm)
        seen = []
        while len(window):
            seen.append((len(window), window.oldest, window.youngest, window.query()))
            window.evict()
            window.check_invariants()
        assert seen == [(3, 1, 3, 5), (2, 2, 3, 4), (1, 3, 3, 4)]
        assert window.query() is None

    def test_equal_times_combine_the_older_first(self):
        """And count as one entry."""
        window = filled(sash.Concat(), [(1, "a"), (2, "b"), (2, "c")], "two_stacks_lite")
        assert (len(window), window.query()) == (2, "abc")

    @pytest.mark.parametrize("algorithm", LATE)
    def test_late_events_find_their_place(self, algorithm):
        """Also before the oldest, and at a time that is there."""
        window = filled(sash.Concat(), [(5, "e"), (1, "a"), (3, "c"), (3, "C"), (0, "_")], algorithm)
        assert window.query() == "_acCe"
        assert list(window.items()) == [(0, "_"), (1, "a"), (3, "cC"), (5, "e")]

    def test_bulk_evict_takes_its_time_with_it(self):
        """Everything at or before."""
        #  1    2    3
        #  x----x]   o
        window = filled(sash.Sum(), [(1, 1), (2, 2), (3, 3)], "daba")
        window.bulk_evict(2)
        assert (window.oldest, window.query()) == (3, 3)

    def test_bulk_evict_of_more_than_there_is_empties_the_window(self):
        """And of less than there is does nothing."""
        window = filled(sash.Sum(), [(1, 1), (2, 2)], "amta")
        window.bulk_evict(0)
        assert len(window) == 2
        window.bulk_evict(100)
        window.bulk_evict(100)
        assert (len(window), window.query()) == (0, 0)

    @pytest.mark.parametrize("algorithm", [name for name in ALL if sash.algorithms.ALGORITHMS[name].evicts_anywhere])
    def test_evict_at_a_time_says_whether_it_was_there(self, algorithm):
        window = filled(sash.Concat(), [(1, "a"), (2, "b"), (3, "c")], algorithm)
        assert [window.evict(2), window.evict(2), window.evict(9)] == [True, False, False]
        assert window.query() == "ac"

    def test_the_oldest_can_be_evicted_by_its_time_from_any_algorithm(self):
        window = filled(sash.Sum(), [(1, 1), (2, 2)], "daba_lite")
        assert window.evict(1) is True
        assert window.evict(7) is False
        assert window.query() == 2

    @pytest.mark.parametrize("algorithm", [name for name in ALL if sash.algorithms.ALGORITHMS[name].ranges])
    def test_range_queries_have_both_ends_in(self, algorithm):
        #  1   2   3   4
        #      [b  c]
        window = filled(sash.Concat(), [(1, "a"), (2, "b"), (3, "c"), (4, "d")], algorithm)
        assert window.query(2, 3) == "bc"
        assert window.query(None, 2) == "ab"
        assert window.query(3, None) == "cd"
        assert window.query(1.5, 3.5) == "bc"
        assert window.query(5, 9) is None
        assert window.query(3, 2) is None

    @pytest.mark.parametrize("extreme", [2**63 - 1, -(2**63), 0])
    def test_a_range_knows_nothing_from_an_extreme_value(self, extreme):
        """The neutral element of a minimum is a number like any other."""
        for aggregation in (sash.Min(), sash.Max()):
            window = filled(aggregation, [(1, extreme), (5, 0)])
            assert window.query(1, 2) == extreme
            assert window.query(2, 4) is None

    def test_clear_and_refill(self):
        window = filled(sash.Sum(), [(5, 1)], "two_stacks")
        window.clear()
        window.insert(1, 7)
        assert contents(window) == contents(filled(sash.Sum(), [(1, 7)], "two_stacks"))

    def test_copies_live_on_their_own(self):
        window = filled(sash.Concat(), [(1, "a")], "fiba", min_arity=2)
        for twin in (window.copy(), copy.copy(window), copy.deepcopy(window), pickle.loads(pickle.dumps(window))):
            twin.insert(2, "b")
            assert (type(twin), window.query(), twin.query()) == (sash.Window, "a", "ab")
            assert twin.snapshot() == filled(sash.Concat(), [(1, "a"), (2, "b")], "fiba", min_arity=2).snapshot()

    def test_merge_puts_the_other_behind_at_equal_times(self):
        ours = filled(sash.Concat(), [(1, "a"), (3, "c")], "fiba")
        ours.merge(filled(sash.Concat(), [(2, "b"), (3, "d")], "recalc"))
        assert ours.query() == "abcd"

    def test_merge_widens_like_an_insert(self):
        """Integers and floats, of values and of times, and objects."""
        ours = filled(sash.Collect(), [(1, 1)], "fiba")
        ours.merge(filled(sash.Collect(), [(1.5, "x")]))
        assert list(ours.items()) == [(1.0, [1]), (1.5, ["x"])]

    def test_merge_refuses_what_does_not_go_together(self):
        window = filled(sash.Sum(), [(1, 1)])
        with pytest.raises(sash.AggregationError, match="different aggregations"):
            window.merge(filled(sash.Max(), [(1, 1)]))
        with pytest.raises(TypeError, match="times of kind"):
            window.merge(filled(sash.Sum(), [(dt.date(2024, 1, 1), 1)]))
        with pytest.raises(TypeError, match="window"):
            window.merge([1])

    @pytest.mark.parametrize("algorithm", [name for name in ALL if sash.algorithms.ALGORITHMS[name].policies])
    def test_evict_while_takes_the_longest_prefix(self, algorithm):
        """While what stays is still at least 5."""
        window = filled(sash.Sum(), [(1, 3), (2, 3), (3, 4), (4, 2)], algorithm)
        window.evict_while(lambda total, prefix: total - prefix >= 5)
        assert (window.oldest, window.query()) == (3, 6)

    def test_memory_is_counted(self):
        window = sash.Window(sash.Sum(), algorithm="two_stacks_lite")
        before = window.memory()
        window.bulk_insert(np.arange(100_000), np.arange(100_000))
        assert before < 100_000 < window.memory() < 100_000 * 20
        window.clear()
        window.shrink_to_fit()

    def test_a_walk_is_lazy_and_in_pieces(self):
        """fiba's walk goes on with what comes in ahead of it."""
        window = sash.Window(sash.Sum(), algorithm="fiba")
        window.bulk_insert(range(5000), range(5000))
        walk = window.items()
        first = next(walk)
        window.insert(7000, 1)
        assert [first, *walk] == [*((i, i) for i in range(5000)), (7000, 1)]

    def test_the_repr_tells_what_it_is(self):
        window = filled(sash.Max("amount"), [(1, 4), (2, 2), (7, 5)], "daba_lite")
        assert repr(window) == "Window(Max(\"amount\"), algorithm='daba_lite', 3 events, 1..7, result 5)"
        window.clear()
        assert repr(window) == "Window(Max(\"amount\"), algorithm='daba_lite', empty)"
        assert "result [0, 1, 2, 3, 4, 5, ...]" in repr(filled(sash.Collect(), [(i, i) for i in range(99)]))

    def test_the_repr_never_fails(self):
        window = filled(sash.Range(), [(1, 2**62), (2, -(2**62) - 5)])
        assert "result unknown (the range does not fit" in repr(window)


class TestAlgorithms:
    def test_what_is_declared_is_what_the_core_can(self):
        """The dispatcher decides by declarations; they are held against the code."""
        for name, can in _core.algorithms().items():
            declared = sash.algorithms.ALGORITHMS[name]
            assert {ability: getattr(declared, ability) for ability in can} == can

    def test_auto_takes_late_events(self):
        assert sash.Window(sash.Max()).algorithm == "fiba"

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({"in_order": True}, "two_stacks_lite"),
            ({"in_order": True, "worst_case": True}, "daba_lite"),
            ({"in_order": True, "subtract": True}, "subtract_on_evict"),
            ({"in_order": True, "inner": True}, "fiba"),
            ({"worst_case": True}, "fiba"),
            ({"worst_case": "bulk_evict"}, "fiba"),
            ({"in_order": True, "worst_case": ["evict", "bulk_evict"]}, "amta"),
            ({"in_order": True, "worst_case": "insert"}, "two_stacks_lite"),
            ({"in_order": True, "worst_case": ["evict"], "subtract": True}, "subtract_on_evict"),
        ],
    )
    def test_auto_listens_to_promises(self, options, expected):
        assert sash.Window(sash.Sum(), **options).algorithm == expected

    def test_subtraction_is_not_chosen_for_what_has_no_inverse(self):
        assert sash.Window(sash.Max(), in_order=True, subtract=True).algorithm == "two_stacks_lite"

    def test_an_unknown_algorithm_is_refused_with_the_known_ones(self):
        with pytest.raises(ValueError, match=r"no algorithm 'fast'.*two_stacks_lite.*fiba or auto"):
            sash.Window(sash.Sum(), algorithm="fast")

    def test_subtract_on_evict_needs_an_inverse(self):
        with pytest.raises(sash.AggregationError, match=r"subtract_on_evict needs an inverse, and Max\(\) has none"):
            sash.Window(sash.Max(), algorithm="subtract_on_evict")

    def test_subtract_on_evict_takes_a_python_inverse(self):
        add = sash.aggregation(combine=lambda a, b: a + b, identity=0, inverse=lambda whole, older: whole - older)
        window = filled(add, [(1, 1), (2, 2), (3, 3)], "subtract_on_evict")
        window.evict()
        assert window.query() == 5

    @pytest.mark.parametrize(
        ("algorithm", "options", "error", "match"),
        [
            ("fiba", {"arity": 3}, TypeError, "no option 'arity': it has min_arity, leaf"),
            ("fiba", {"window": "1h"}, TypeError, "a Window has no window=: .* sash.Sliding slides by itself"),
            ("daba", {"min_arity": 3}, TypeError, "it has none"),
            ("fiba", {"min_arity": 1}, ValueError, "from 2 to"),
            ("fiba", {"min_arity": 10**9}, ValueError, "from 2 to"),
            ("fiba", {"min_arity": "4"}, ValueError, "integer"),
            ("daba", {"in_order": True}, TypeError, "auto"),
            ("auto", {"worst_case": "drop"}, ValueError, "names of insert, evict, query, bulk_evict, and 'drop'"),
            ("auto", {"worst_case": ["evict", 3]}, ValueError, "and 3 is none of them"),
        ],
    )
    def test_options_that_do_not_fit_are_refused(self, algorithm, options, error, match):
        with pytest.raises(error, match=match):
            sash.Window(sash.Sum(), algorithm=algorithm, **options)

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (sash.Sum, r"Sum is a class: write Sum\(\)"),
            ("sum", r"'sum' is a name: write sash.Sum\(\)"),
            ("avg", r"'avg' is a name: write sash.Mean\(\)"),
            (max, r"'max' is a function: write sash.Max\(\)"),
            (None, "an aggregation is needed"),
            (3, "an aggregation is needed"),
        ],
    )
    def test_only_an_aggregation_can_be_aggregated(self, given, words):
        """A class, a name and a function are told what to write."""
        with pytest.raises(sash.AggregationError, match=words):
            sash.Window(given)

    def test_what_an_algorithm_cannot_do_names_those_that_can(self):
        window = filled(sash.Sum(), [(1, 1), (2, 2), (3, 3)], "daba_lite")
        before = contents(window)
        for call in (
            lambda: window.evict(2),
            lambda: window.query(1, 2),
            window.items,
            lambda: window.evict_while(max),
        ):
            with pytest.raises(sash.AggregationError, match=r"daba_lite cannot .*use an algorithm that can \(.*fiba\)"):
                call()
        assert contents(window) == before


class TestBadInput:
    """Each refusal leaves the window as it was."""

    @pytest.fixture(params=["fiba", "daba_lite"])
    def window(self, request):
        return filled(sash.Sum(), [(1, 10), (3, 30)], request.param)

    @pytest.fixture(autouse=True)
    def unchanged(self, window):
        before = contents(window)
        yield
        assert contents(window) == before
        window.check_invariants()

    @pytest.mark.parametrize("time", [float("nan"), np.float64("nan"), np.datetime64("NaT"), pd.NaT])
    def test_a_time_that_is_not_one(self, window, time):
        with pytest.raises((ValueError, TypeError)):
            window.insert(time, 1)
        with pytest.raises((ValueError, TypeError)):
            window.bulk_insert([time], [1])
        with pytest.raises((ValueError, TypeError)):
            window.bulk_evict(time)

    @pytest.mark.parametrize("time", ["noon", None, b"1", [1], (1,), 1j, object(), True, Decimal(5)])
    def test_a_time_without_a_place_in_the_order(self, window, time):
        with pytest.raises(TypeError):
            window.insert(time, 1)
        with pytest.raises(TypeError):
            window.bulk_insert([4, time], [1, 2])

    def test_a_time_of_another_kind(self, window):
        with pytest.raises(TypeError, match="one window takes one kind"):
            window.insert(dt.datetime(2024, 1, 1), 1)
        with pytest.raises(TypeError, match="one window takes one kind"):
            window.bulk_insert(np.array(["2024-01-01"], "datetime64[s]"), [1])

    def test_a_time_beyond_64_bits(self, window):
        with pytest.raises(OverflowError):
            window.insert(2**63, 1)
        with pytest.raises(OverflowError):
            window.bulk_insert([5, 2**63], [1, 1])

    @pytest.mark.parametrize("value", ["5", b"5", [5], (5,), 5j, {}, np.datetime64("2024"), object()])
    def test_a_value_of_the_wrong_type(self, window, value):
        with pytest.raises(TypeError):
            window.insert(5, value)
        with pytest.raises(TypeError):
            window.bulk_insert([5, 6], [1, value])

    def test_a_value_beyond_64_bits(self, window):
        for value in (2**63, -(2**63) - 1):
            with pytest.raises(OverflowError):
                window.insert(5, value)
            with pytest.raises(OverflowError):
                window.bulk_insert([5, 6], [1, value])
        with pytest.raises(OverflowError):
            window.bulk_insert([5], np.array([2**63], np.uint64))

    def test_arrays_of_different_lengths(self, window):
        for times, values in [([5, 6], [1]), ([], [1]), (np.arange(3), np.arange(2)), ([5], pa.array([1, None]))]:
            with pytest.raises(ValueError, match="there must be one value a time"):
                window.bulk_insert(times, values)

    def test_arrays_of_more_than_one_dimension(self, window):
        with pytest.raises(ValueError, match="one-dimensional"):
            window.bulk_insert(np.zeros((2, 2), int), [1, 2])
        with pytest.raises(ValueError, match="one-dimensional"):
            window.bulk_insert([5, 6], np.zeros((2, 2)))

    def test_what_is_no_sequence_at_all(self, window):
        for times, values in [(5, [1]), ([5], 1), (None, None)]:
            with pytest.raises(TypeError):
                window.bulk_insert(times, values)

    def test_integers_that_no_float_holds(self, window):
        """One float makes all of them floats, if nothing is lost."""
        window.insert(4, 2**53 + 1)
        with pytest.raises(TypeError, match="no float64 exactly"):
            window.insert(5, 0.5)
        window.bulk_evict(4) if window.algorithm == "fiba" else window.clear()
        window.clear()
        window.bulk_insert([1, 3], [10, 30])

    def test_query_and_evict_with_times_that_are_none(self, window):
        with pytest.raises(TypeError):
            window.bulk_evict("noon")
        with pytest.raises(TypeError):
            window.evict("noon")
        with pytest.raises((TypeError, sash.AggregationError)):
            window.query("noon", 5)
        with pytest.raises(TypeError):
            window.bulk_evict(None)

    def test_wrong_numbers_of_arguments(self, window):
        for call in (lambda: window.insert(1), lambda: window.evict(1, 2), lambda: window.bulk_evict()):
            with pytest.raises(TypeError):
                call()


class TestOrder:
    @pytest.mark.parametrize("algorithm", [name for name in IN_ORDER if name != "subtract_on_evict"])
    def test_a_late_event_is_refused_with_the_way_out(self, algorithm):
        """The error names the time, the youngest and who takes late events; the window is as it was."""
        window = filled(sash.Max(), [(1, 5), (9, 4)], algorithm)
        before = contents(window)
        with pytest.raises(sash.OutOfOrderError, match=r"time 4 is before the youngest, 9, .*recalc, btree, fiba"):
            window.insert(4, 1)
        with pytest.raises(sash.OutOfOrderError, match="time 11 is before the youngest, 12"):
            window.bulk_insert([10, 12, 11], [1, 2, 3])
        with pytest.raises(sash.OutOfOrderError, match="time 8 is before the youngest, 9"):
            window.bulk_insert(np.array([8, 12]), np.array([1, 2]))
        assert contents(window) == before

    def test_the_error_speaks_in_the_window_s_own_times(self):
        noon = dt.datetime(2024, 5, 1, 12, tzinfo=BERLIN)
        window = filled(sash.Max(), [(noon, 5)], "daba")
        with pytest.raises(sash.OutOfOrderError, match="2024, 5, 1, 11, 0"):
            window.insert(noon - dt.timedelta(hours=1), 1)

    def test_it_is_a_value_error(self):
        assert issubclass(sash.OutOfOrderError, ValueError)


class TestEmpty:
    @pytest.mark.parametrize("algorithm", ALL)
    def test_what_only_an_event_can_answer_is_refused(self, algorithm):
        window = sash.Window(sash.Sum(), algorithm=algorithm)
        for call in (window.evict, lambda: window.oldest, lambda: window.youngest):
            with pytest.raises(sash.EmptyWindowError, match="empty"):
                call()
        assert issubclass(sash.EmptyWindowError, IndexError)
        assert (len(window), window.query(), window.evict(5)) == (0, 0, False)
        window.bulk_evict(5)
        window.bulk_insert([], [])
        window.check_invariants()

    def test_the_empty_list_is_the_caller_s(self):
        window = sash.Window(sash.Collect())
        window.query().append(1)
        assert window.query() == []

    def test_an_emptied_window_begins_anew(self):
        """The next event decides again what times and values are."""
        window = filled(sash.Sum(), [(1.5, 2.5)])
        window.evict()
        window.insert(3, 4)
        assert (window.oldest, window.query()) == (3, 4)
        assert isinstance(window.query(), int)
        assert window.snapshot() == filled(sash.Sum(), [(3, 4)]).snapshot()


class TestValues:
    def test_none_is_skipped(self):
        window = filled(sash.Sum(), [(1, None), (2, 5), (3, None)])
        assert (len(window), window.query()) == (1, 5)
        window.bulk_insert([4, 5, 6], [None, 1, None])
        assert (len(window), window.query()) == (2, 6)

    def test_the_time_of_a_skipped_value_is_still_read(self):
        with pytest.raises(TypeError):
            sash.Window(sash.Sum()).insert("noon", None)

    @pytest.mark.parametrize("bulk", [False, True])
    def test_nan_is_skipped_unless_told_otherwise(self, bulk):
        nan = float("nan")
        for rule, expected in [("skip", 3.0), ("propagate", nan)]:
            window = sash.Window(sash.Sum(nan=rule))
            if bulk:
                window.bulk_insert(np.arange(3), np.array([1.0, nan, 2.0]))
            else:
                for time, value in enumerate([1.0, nan, 2.0]):
                    window.insert(time, value)
            assert window.query() == pytest.approx(expected, nan_ok=True)
        with pytest.raises(ValueError, match="NaN"):
            sash.Window(sash.Sum(nan="error")).bulk_insert([1, 2], np.array([1.0, nan]))

    def test_nan_that_propagates_is_the_least_and_the_greatest(self):
        for aggregation in (sash.Min(nan="propagate"), sash.Max(nan="propagate"), sash.Range(nan="propagate")):
            window = filled(aggregation, [(1, 1.0), (2, float("nan")), (3, 2.0)])
            assert window.query() != window.query()

    def test_a_float_makes_the_integers_floats(self):
        """Whatever the algorithm keeps, also aggregates."""
        for algorithm in ALL:
            window = filled(sash.Sum(), [(1, 1), (2, 2), (3, 3)], algorithm)
            window.evict()
            window.insert(4, 0.5)
            assert (window.query(), type(window.query())) == (5.5, float)
            window.check_invariants()

    @pytest.mark.parametrize(
        "aggregation", [sash.Min(), sash.Max(), sash.Range(), sash.MinCount(), sash.MaxCount()], ids=repr
    )
    def test_extremes_survive_the_change_to_floats(self, aggregation):
        """Beside a float they are floats; ints are still told apart, and are ints once it has left."""
        integers = filled(aggregation, [(1, -3), (2, 7), (3, -3), (4, 7)])
        before = repr(integers.query()), integers.snapshot()
        integers.insert(5, 0.5)
        floats = filled(aggregation, [(1, -3.0), (2, 7.0), (3, -3.0), (4, 7.0), (5, 0.5)])
        assert repr(integers.query()) == repr(floats.query())
        integers.evict(5)
        assert (repr(integers.query()), integers.snapshot()) == before

    def test_first_last_and_collect_take_anything(self):
        """Numbers come out as they came in; strings, tuples and decimals make the partials Python objects."""
        values = [1, 2.5, "x", (1, 2), Decimal("1.5"), True, 2**70, b"z", dt.date(2024, 1, 1)]
        window = filled(sash.Collect(), enumerate(values), "daba")
        assert window.query() == values
        assert [type(value) for value in window.query()] == [type(value) for value in values]
        assert filled(sash.First(), enumerate(values)).query() == 1
        assert filled(sash.Last(), enumerate(values)).query() == dt.date(2024, 1, 1)
        assert sash.Window.restore(window.snapshot()).query() == values

    def test_arg_max_takes_any_argument(self):
        window = filled(sash.ArgMax(), [(1, (5, 1)), (2, (5, 2))], "two_stacks_lite")
        assert window.query() == 1
        window.insert(3, (5.5, 3))
        assert window.query() == 3
        window.insert(4, (6, "merchant"))
        assert window.query() == "merchant"
        window.insert(5, [7, None])
        window.insert(6, (None, 5))
        assert len(window) == 4

    @pytest.mark.parametrize("value", [5, "ab", (1,), (1, 2, 3), ("a", 1)])
    def test_arg_max_takes_pairs_with_a_number_in_front(self, value):
        window = filled(sash.ArgMax(), [(1, (1, 1))])
        with pytest.raises(TypeError):
            window.insert(2, value)
        with pytest.raises(TypeError):
            window.bulk_insert([2, 3], [(1, 1), value])
        assert (len(window), window.query()) == (1, 1)

    def test_numpy_scalars_are_numbers(self):
        values = [np.int8(1), np.uint64(2), np.float32(0.5), np.bool_(True), np.float64(1.5), True]
        assert filled(sash.Sum(), enumerate(values)).query() == 7.0
        assert filled(sash.Collect(), [(1, np.int64(5)), (2, np.int16(6))]).query() == [5, 6]

    def test_truths(self):
        window = filled(sash.Any(), [(1, False), (2, np.True_), (3, 0)])
        assert window.query() is True
        assert filled(sash.All(), [(1, 1), (2, True)]).query() is True
        for value in (2, 0.0, "yes"):
            with pytest.raises(TypeError):
                window.insert(9, value)

    def test_texts_with_any_characters(self):
        texts = ["é", "\0", "🙂", "\ud800", ""]
        assert filled(sash.Concat(separator="|"), enumerate(texts)).query() == "|".join(texts)
        window = filled(sash.Concat(), enumerate(texts))
        assert sash.Window.restore(window.snapshot()).query() == "".join(texts)

    def test_geometric_means_take_no_negative_numbers(self):
        window = sash.Window(sash.GeometricMean())
        for call in (lambda: window.insert(1, -1), lambda: window.bulk_insert([1, 2], np.array([1.0, -1.0]))):
            with pytest.raises(ValueError, match="negative"):
                call()
        assert len(window) == 0

    def test_bloom_filters_hash_alike_everywhere(self):
        """One by one, in bulk, from arrays: equal filters."""
        singles = filled(sash.Bloom(), [(1, 1), (2, 2.0), (3, "x"), (4, b"y")])
        assert all(value in singles.query() for value in (1, 2, 2.0, "x", b"y"))
        arrays = sash.Window(sash.Bloom())
        arrays.bulk_insert([1], np.array([1]))
        arrays.bulk_insert([2], np.array([2.0]))
        arrays.bulk_insert([3, 4], ["x", b"y"])
        assert arrays.query() == singles.query()


class TestTimes:
    @pytest.mark.parametrize(
        "times",
        [
            [1, 2, 3],
            [-1.5, 0.25, 1e300],
            [dt.date(2024, 2, 28), dt.date(2024, 2, 29), dt.date(2024, 3, 1)],
            [dt.datetime(2024, 1, 1, second=i) for i in range(3)],
            [dt.datetime(2024, 3, 31, hour, tzinfo=BERLIN) for hour in (1, 3, 4)],
            [np.datetime64("2024-01-01T00:00", "m") + i for i in range(3)],
            [pd.Timestamp("2024-01-01", tz="UTC") + pd.Timedelta(i, "ns") for i in range(3)],
        ],
        ids=lambda times: type(times[0]).__name__,
    )
    def test_times_leave_as_they_came(self, times):
        window = filled(sash.Concat(), zip(times, "abc", strict=True), "fiba")
        assert [time for time, _ in window.items()] == times
        assert type(window.oldest) is type(times[0])
        assert window.query(times[1], None) == "bc"
        assert window.evict(times[1]) is True
        window.bulk_evict(times[0])
        assert window.query() == "c"
        twin = sash.Window.restore(window.snapshot())
        assert (twin.youngest, type(twin.youngest)) == (window.youngest, type(window.youngest))
        bulk = sash.Window(sash.Concat())
        bulk.bulk_insert(times, list("abc"))
        assert bulk.snapshot() == filled(sash.Concat(), zip(times, "abc", strict=True), "fiba").snapshot()

    def test_zones_are_instants_and_the_first_one_stays(self):
        utc = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)
        window = filled(sash.Concat(), [(utc.astimezone(BERLIN), "a"), (utc, "b"), (utc + dt.timedelta(1), "c")])
        assert len(window) == 2
        assert window.youngest.tzinfo is BERLIN

    def test_a_float_makes_integer_times_floats(self):
        window = filled(sash.Concat(), [(1, "a"), (3, "c")], "daba")
        window.insert(3.5, "d")
        assert (window.oldest, type(window.oldest)) == (1.0, float)
        window.insert(4, "e")
        assert window.query() == "acde"

    def test_an_integer_time_that_no_float_holds_is_refused(self):
        window = filled(sash.Concat(), [(2**53 + 1, "a")])
        with pytest.raises(TypeError, match="exactly"):
            window.insert(1e18, "b")
        window = filled(sash.Concat(), [(0.5, "a")])
        with pytest.raises(TypeError, match="exactly"):
            window.insert(2**53 + 1, "b")
        with pytest.raises(TypeError, match="exactly"):
            window.bulk_insert([2**53 + 1], ["b"])
        assert (len(window), window.query()) == (1, "a")

    def test_bounds_need_not_be_times_of_the_window(self):
        window = filled(sash.Sum(), [(1, 1), (2, 2), (3, 3)])
        assert window.query(1.5, 2.5) == 2
        assert window.evict(2.5) is False
        window.bulk_evict(2.5)
        assert window.oldest == 3
        window.bulk_evict(float("inf"))
        assert len(window) == 0

    def test_the_ends_of_time(self):
        ends = [-(2**63), 0, 2**63 - 1]
        window = filled(sash.Concat(), zip(ends, "abc", strict=True), "fiba")
        assert list(window.items()) == list(zip(ends, "abc", strict=True))
        window.bulk_evict(0)
        assert window.query() == "c"


class TestBulk:
    NUMBERS = np.array([3, 1, 2])

    @pytest.mark.parametrize(
        "values",
        [
            [3, 1, 2],
            (3, 1, 2),
            range(3, 0, -1),
            NUMBERS,
            NUMBERS.astype(np.int16),
            NUMBERS.astype(np.uint64),
            NUMBERS.astype(">i4"),
            NUMBERS.astype(np.float32),
            NUMBERS.astype(object),
            np.array([3, 0, 1, 0, 2])[::2],
            memoryview(NUMBERS),
            pa.array([3, 1, 2]),
            pa.chunked_array([[3], [1, 2]]),
            pd.Series([3, 1, 2]),
            pd.Series([3, 1, 2], dtype="Int64"),
            pd.Index([3, 1, 2]),
            iter([3, 1, 2]),
        ],
        ids=lambda values: f"{type(values).__name__}",
    )
    def test_values_come_in_many_shapes(self, values):
        window = sash.Window(sash.Sum(), algorithm="daba_lite")
        values = list(values) if isinstance(values, type(iter([]))) else values
        window.bulk_insert([1, 2, 3], values)
        assert window.query() == sum(int(value) for value in values if str(value) != "")

    @pytest.mark.parametrize(
        "values",
        [
            [1, None, 3],
            pa.array([1, None, 3]),
            pa.array([1.0, None, 3.0]),
            pa.chunked_array([[1, None], [3]]),
            pd.Series([1, None, 3]),
            pd.Series([1, None, 3], dtype="Int64"),
            np.ma.array([1, 2, 3], mask=[False, True, False]),
            np.array([1, None, 3], object),
        ],
        ids=lambda values: type(values).__name__,
    )
    def test_nulls_are_left_out_with_their_times(self, values):
        window = sash.Window(sash.Sum())
        window.bulk_insert(np.array([1, 2, 3]), values)
        assert list(window.items()) == [(1, 1), (3, 3)]

    def test_texts_and_other_objects(self):
        for texts in (["a", "b"], np.array(["a", "b"]), pa.array(["a", "b"]), pd.Series(["a", "b"])):
            window = sash.Window(sash.Concat())
            window.bulk_insert([1, 2], texts)
            assert window.query() == "ab"
        window = sash.Window(sash.Collect())
        days = np.array(["2024-01-01", "2024-01-02"], "datetime64[D]")
        window.bulk_insert([1, 2], days)
        assert window.query() == list(days)

    def test_pairs(self):
        for pairs in ([(1, 7), (2, 8)], np.array([[1, 7], [2, 8]])):
            window = sash.Window(sash.ArgMax())
            window.bulk_insert([1, 2], pairs)
            assert window.query() == 8

    @pytest.mark.parametrize("algorithm", LATE)
    def test_any_order_where_late_events_are_taken(self, algorithm):
        window = filled(sash.Concat(), [(2, "B"), (9, "I")], algorithm)
        window.bulk_insert([5, 1, 2, 1, 12], list("eabAl"))
        assert window.query() == "aABbeIl"

    def test_arrays_meet_every_kind_of_window(self):
        """Integers into a window of floats, floats into one of integers, numbers into one of objects."""
        reals = filled(sash.Sum(), [(0, 0.5)])
        reals.bulk_insert(np.array([1, 2]), np.array([1, 2]))
        assert reals.query() == 3.5
        integers = filled(sash.Max(), [(0, 1)])
        integers.bulk_insert(np.array([1.5, 2.5]), np.array([-1.0, 0.5]))
        assert (integers.query(), integers.oldest) == (1.0, 0.0)
        objects = filled(sash.Collect(), [(0, "x")])
        objects.bulk_insert([1, 2], np.array([1, 2]))
        mixed = filled(sash.Collect(), [(0, 7)])
        mixed.bulk_insert([1], np.array([0.5]))
        assert (objects.query(), mixed.query()) == (["x", 1, 2], [7, 0.5])

    def test_arrays_are_read_in_place(self):
        """No copy of a million values is made but the partials themselves."""
        values = np.arange(1_000_000)
        window = sash.Window(sash.Sum(), algorithm="two_stacks_lite")
        window.bulk_insert(values, values)
        assert window.query() == int(values.sum())

    def test_bulk_is_as_single(self):
        for aggregation in (sash.Count(), sash.Mean(), sash.Min(), sash.Var(), sash.Last(), sash.BitAnd()):
            times, values = np.array([1, 2, 2, 5]), np.array([6, 3, 7, 12])
            bulk = sash.Window(aggregation)
            bulk.bulk_insert(times, values)
            single = filled(aggregation, zip(times.tolist(), values.tolist(), strict=True), "fiba")
            assert bulk.snapshot() == single.snapshot()


class TestPythonAggregations:
    @pytest.mark.parametrize("algorithm", [name for name in ALL if name != "subtract_on_evict"])
    def test_a_class_in_python_runs_on_every_algorithm(self, algorithm):
        window = filled(Fussy(), [(1, "a"), (2, "b"), (2, "c"), (3, "d")], algorithm)
        assert window.query() == "abcd"
        window.evict()
        window.insert(4, "e")
        window.check_invariants()
        assert window.query() == "bcde"

    @pytest.mark.parametrize("algorithm", [name for name in ALL if name != "subtract_on_evict"])
    def test_a_callback_that_raises_changes_nothing(self, algorithm):
        """Alone, at an equal time, and in the middle of a bulk."""
        fussy = Fussy()
        fussy.armed = False
        window = filled(fussy, [(i, chr(97 + i)) for i in range(10)], algorithm)
        before = contents(window)
        fussy.armed = True
        for call in (
            lambda: (window.insert(9, "!"), window.query()),
            lambda: window.bulk_insert([10, 11, 11, 12], ["x", "y", "!", "z"]),
        ):
            with pytest.raises(ZeroDivisionError):
                call()
            fussy.armed = False
            assert contents(window) == before
            window.check_invariants()
            fussy.armed = True

    def test_a_lift_that_raises_changes_nothing(self):
        window = sash.Window(sash.aggregation(lift=int, combine=max, identity=0))
        window.insert(1, "5")
        with pytest.raises(ValueError, match="invalid literal"):
            window.bulk_insert([2, 3], ["6", "six"])
        assert (len(window), window.query()) == (1, 5)

    def test_a_callback_may_not_reach_into_its_own_window(self):
        class Meddler(Fussy):
            def combine(self, older, newer):
                window.insert(99, "x")
                return older + newer

        window = filled(Meddler(), [(1, "a")], "recalc")
        window.insert(2, "b")
        with pytest.raises(RuntimeError, match="in use"):
            window.query()
        assert len(window) == 2

    def test_two_threads_do_not_meet_inside_a_window(self):
        """The second one is told, or waits its turn; nothing is corrupted."""
        window = sash.Window(sash.Sum(), algorithm="two_stacks_lite")
        refused = []

        def insert():
            for i in range(20):
                try:
                    window.bulk_insert(np.full(20_000, i), np.ones(20_000, int))
                except (RuntimeError, sash.OutOfOrderError) as error:
                    refused.append(error)

        threads = [threading.Thread(target=insert) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        window.check_invariants()
        assert window.query() == (80 - len(refused)) * 20_000

    def test_partials_are_released(self):
        """Evicting drops the references that the window held."""
        import weakref

        class Thing:
            pass

        things = [Thing() for _ in range(100)]
        watched = [weakref.ref(thing) for thing in things]
        keep_last = sash.aggregation(combine=lambda a, b: b if b is not None else a, identity=None)
        for algorithm in ("fiba", "two_stacks_lite", "flatfat", "btree", "amta"):
            window = filled(keep_last, enumerate(things), algorithm)
            window.bulk_evict(10)
            while len(window) > 1:
                window.evict()
            window.clear()
            del window
        del things
        gc.collect()
        assert not any(thing() for thing in watched)

    def test_its_own_skips_is_heard(self):
        class Positive(Fussy):
            def skips(self, value):
                return value is None or value.startswith("-")

        assert filled(Positive(), [(1, "a"), (2, "-b"), (3, "c")]).query() == "ac"


SAMPLES = [
    (sash.Sum(), [(1, 5), (2, -7), (9, 3)]),
    (sash.Sum(), [(1.5, 0.5), (2.5, 1e300)]),
    (sash.Concat(separator=", "), [(1, "a"), (5, "é\0")]),
    (sash.Collect(), [(1, 1), (2, "x"), (3, None), (4, (1, 2.5))]),
    (sash.ArgMax(), [(1, (5, 1)), (2, (5, 2.5))]),
    (sash.ArgMin(), [(1, (5, 1)), (2, (4.5, 2))]),
    (sash.Std(), [(1, 5), (2, 7)]),
    (sash.Bloom(bits=64), [(1, "a"), (1, "b"), (2, "c")]),
    (sash.First(), [(1, 5.5), (2, 7.0)]),
    (sash.Any(), [(1, True)]),
    (sash.MinCount(), [(1, 5), (2, 5)]),
    (sash.Mean(), []),
]


@pytest.fixture(params=["fiba", "daba_lite"])
def algorithm(request):
    return request.param


@pytest.fixture(params=SAMPLES, ids=lambda sample: repr(sample[0]))
def sample(request, algorithm):
    return filled(*request.param, algorithm)


class TestSnapshots:
    def test_a_snapshot_restores_an_equal_window(self, sample):
        twin = sash.Window.restore(sample.snapshot())
        assert contents(twin) == contents(sample)
        assert (twin.aggregation, twin.algorithm) == (sample.aggregation, sample.algorithm)
        twin.check_invariants()
        if len(twin):
            twin.evict()
            assert len(twin) == len(sample) - 1

    def test_every_prefix_is_refused(self, sample):
        blob = sample.snapshot()
        for size in range(len(blob)):
            with pytest.raises(sash.SnapshotError):
                sash.Window.restore(blob[:size])
        with pytest.raises(sash.SnapshotError):
            sash.Window.restore(blob + b"\0")

    def test_every_flipped_bit_is_seen(self, sample):
        blob = sample.snapshot()
        for place in range(len(blob)):
            for bit in (1, 128):
                damaged = bytearray(blob)
                damaged[place] ^= bit
                with pytest.raises(sash.SnapshotError):
                    sash.Window.restore(damaged)

    @pytest.mark.parametrize("blob", [b"", b"SASH", b"PK\x03\x04" + bytes(100), pickle.dumps([1]), bytes(1000)])
    def test_foreign_bytes_are_refused(self, blob):
        with pytest.raises(sash.SnapshotError, match="not a snapshot"):
            sash.Window.restore(blob)

    def test_what_is_no_bytes_is_a_type_error(self):
        with pytest.raises(TypeError, match="bytes"):
            sash.Window.restore("SASH")

    def test_a_newer_format_says_so(self):
        blob = bytearray(sash.Window(sash.Sum()).snapshot())
        blob[8] = 2
        with pytest.raises(sash.SnapshotError, match="newer than this Sash reads"):
            sash.Window.restore(blob)

    @pytest.mark.parametrize(
        "header",
        [
            b"",
            b"[]",
            b"{}",
            b"[" * 100_000,
            b'{"aggregation":{},"algorithm":"fiba","options":{},"times":"int","values":"int"}',
            b'{"aggregation":{"name":"Sum","columns":[],"options":{}},"algorithm":"magic","options":{},"times":null,"values":null}',
            b'{"aggregation":{"name":"os.system","columns":["ls"],"options":{}},"algorithm":"fiba","options":{},"times":null,"values":null}',
            b'{"aggregation":{"name":"Sum","columns":[],"options":{}},"algorithm":"fiba","options":{"leaf":-1},"times":null,"values":null}',
            b'{"aggregation":{"name":"Sum","columns":[],"options":{}},"algorithm":"fiba","options":{},"times":"moon","values":"int"}',
            b'{"aggregation":{"name":"Sum","columns":[],"options":{}},"algorithm":"fiba","options":{},"times":"int","values":"objects"}',
            b'{"aggregation":{"name":"Mean","columns":[],"options":{}},"algorithm":"fiba","options":{},"times":"int","values":"int"}',
            b'{"aggregation":{"name":"Max","columns":[],"options":{}},"algorithm":"subtract_on_evict","options":{},"times":null,"values":null}',
        ],
    )
    def test_a_header_that_makes_no_sense_is_refused(self, header):
        """Also under a checksum that is right."""
        with pytest.raises(sash.SnapshotError):
            sash.Window.restore(_core.seal(header, bytes(8)))

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            (2**63).to_bytes(8, "little"),
            (2**61).to_bytes(8, "little") + bytes(100),
            (2).to_bytes(8, "little") + bytes(32),
            (2).to_bytes(8, "little") + (5).to_bytes(8, "little") + (4).to_bytes(8, "little") + bytes(16),
            (1).to_bytes(8, "little") + bytes(17),
        ],
    )
    def test_a_body_that_lies_is_refused(self, body):
        """Sizes are checked before anything is allocated, times before anything is loaded."""
        header, _ = _core.open_snapshot(filled(sash.Sum(), [(1, 1)]).snapshot())
        with pytest.raises(sash.SnapshotError):
            sash.Window.restore(_core.seal(header, body))

    def test_equal_windows_give_equal_bytes_whatever_their_history(self):
        """Inserted in another order, evicted, promoted, merged, restored."""
        straight = filled(sash.Concat(), [(3, "c"), (4, "d"), (5, "e")], "fiba")
        winding = filled(sash.Concat(), [(9, "x"), (5, "e"), (1, "a"), (3, "c"), (4, "d")], "fiba")
        winding.evict()
        winding.evict(9)
        assert winding.snapshot() == straight.snapshot()
        assert sash.Window.restore(straight.snapshot()).snapshot() == straight.snapshot()

    @pytest.mark.parametrize("algorithm", ["two_stacks_lite", "daba_lite", "two_stacks", "daba"])
    def test_equal_bytes_from_algorithms_that_rearrange(self, algorithm):
        slid = sash.Window(sash.Sum(), algorithm=algorithm)
        for i in range(100):
            slid.insert(i, i)
            if i >= 10:
                slid.evict()
        fresh = filled(sash.Sum(), [(i, i) for i in range(90, 100)], algorithm)
        assert slid.snapshot() == fresh.snapshot()

    def test_an_emptied_window_is_as_a_new_one(self):
        window = filled(sash.Sum(), [(1.5, 2.5)], "fiba")
        window.evict()
        assert window.snapshot() == sash.Window(sash.Sum(), algorithm="fiba").snapshot()

    def test_a_snapshot_of_another_aggregation_is_refused(self):
        blob = filled(sash.Sum(), [(1, 1)]).snapshot()
        for other in (sash.Max(), sash.Sum("amount"), sash.Sum(nan="error"), Fussy()):
            with pytest.raises(sash.SnapshotError, match=r"the snapshot is of Sum\(\), not of"):
                sash.Window.restore(blob, other)
        assert sash.Window.restore(blob, sash.Sum()).query() == 1

    def test_a_python_aggregation_is_passed_along(self):
        blob = filled(Fussy(), [(1, "a"), (2, "b")], "fiba").snapshot()
        with pytest.raises(sash.SnapshotError, match="pass the aggregation"):
            sash.Window.restore(blob)
        assert sash.Window.restore(blob, Fussy()).query() == "ab"

    def test_partials_that_no_codec_writes_need_one(self):
        with pytest.raises(sash.AggregationError, match="encode"):
            filled(Opaque(), [(1, 1j)]).snapshot()
        blob = filled(Coded(), [(1, 1j), (2, 2)]).snapshot()
        assert sash.Window.restore(blob, Coded()).query() == {1j, 2}

    def test_a_decode_that_fails_is_a_snapshot_error(self):
        class Broken(Coded):
            def decode(self, data):
                raise KeyError(data)

        blob = filled(Broken(), [(1, 1j)]).snapshot()
        with pytest.raises(sash.SnapshotError):
            sash.Window.restore(blob, Broken())


def test_floats_of_an_array_come_into_a_window_of_objects():
    """NaN among them is passed over, and each other one has its time: the array is read anew, one by one."""
    window = sash.Window(sash.Last())
    window.insert(0, "a")
    window.bulk_insert([1, 2, 3, 4], np.array([np.nan, 1.5, np.nan, 2.5]))
    assert list(window.items()) == [(0, "a"), (2, 1.5), (4, 2.5)]
