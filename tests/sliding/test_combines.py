"""How many combines an event costs: a window that slides in order has its total ready."""

import threading

import pytest

import sash
from sash.windows import CountWindow, LandmarkWindow, PolicyWindow, SessionWindow, TimeWindow, TumblingWindow


class Counted(sash.Aggregation):
    """The longest text, the older of equals; counts its combines."""

    identity = ""

    def __init__(self):
        self.combines = 0

    def lift(self, value):
        return value

    def combine(self, older, newer):
        self.combines += 1
        return newer if len(newer) > len(older) else older

    def lower(self, partial):
        return partial


def combines_an_event(policy, lateness, size, one_by_one):
    """The mean over some hundred events in order, once the window is full."""
    aggregation = Counted()
    s = sash.Sliding(aggregation, policy, trigger=sash.EachEvent(), lateness=lateness)
    s.push_many(range(2 * size), ["a"] * (2 * size))
    aggregation.combines = 0
    times = range(2 * size, 2 * size + 400)
    if one_by_one:
        for time in times:
            s.push(time, "a")
    else:
        s.push_many(times, ["a"] * 400)
    return aggregation.combines / 400


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("size", [5, 30, 100, 4096])
@pytest.mark.parametrize("policy", ["time", "count", "tumbling", "session", "landmark"])
def test_one_window_in_order_takes_six_at_most(policy, size, one_by_one):
    """Whatever the size of the window, where nothing may be late."""
    made = {
        "time": TimeWindow(size),
        "count": CountWindow(size),
        "tumbling": TumblingWindow(size),
        "session": SessionWindow(5),
        "landmark": LandmarkWindow(),
    }[policy]
    assert combines_an_event(made, 0, size, one_by_one) <= 6


@pytest.mark.parametrize("lateness", [0, 20])
@pytest.mark.parametrize("size", [64, 512, 4096])
def test_several_windows_take_eight_each_at_most(size, lateness):
    """Each is a range of one tree, which slides on; with lateness the longest is one too."""
    windows = [TimeWindow(size), TimeWindow(size // 8), TimeWindow(size // 2)]
    assert combines_an_event(windows, lateness, size, True) <= 8 * len(windows)


def test_what_a_programmable_window_sees_costs_the_users_aggregation_nothing():
    """Where that is native and nothing is emitted, members in Python are combined as they come in, and no more."""
    aggregation = Counted()
    policy = PolicyWindow(lambda total, old: total - old >= 100, over=sash.Count(nan="skip"))
    s = sash.Sliding(aggregation, policy, trigger=sash.OnPunctuation(lambda value: value == "end"), lateness=0)
    s.push_many(range(1000), ["a"] * 1000)
    assert aggregation.combines <= 3 * 1000
    (result,) = s.push(1000, "end")
    assert (result.start, result.value) == (901, "end")


LATE = {
    "time": TimeWindow(500),
    "count": CountWindow(500),
    "landmark": LandmarkWindow(),
    "programmable": PolicyWindow(lambda total, old: total - old >= 500, over=sash.Count()),
}


@pytest.mark.parametrize("policy", LATE)
def test_results_that_a_late_event_revises_take_three_each(policy):
    """Their windows share what lies in the middle: it is not looked up once for each of them."""
    texts = {2 * i: "ab"[i % 2] * (i * 7919 % 13) for i in range(1000)}
    aggregation = Counted()
    s = sash.Sliding(aggregation, LATE[policy], emit="update")
    s.push_many(list(texts), list(texts.values()))
    aggregation.combines = 0
    revised = s.push(1401, "c" * 20)
    assert aggregation.combines <= 3 * len(revised) + 60
    texts[1401] = "c" * 20
    times = sorted(texts)
    for result in revised:
        held = [texts[time] for time in times if result.start <= time <= result.end]
        held = held[1:] if policy == "time" and result.start in texts else held
        assert result.value == max(held, key=len)
    assert [result.end for result in revised][1:] == [time for time in times if 1401 < time <= revised[-1].end]
    assert len(revised) > 200


def test_windows_that_a_late_event_steps_again_do_not_ask_twice():
    """The function of a programmable window sees two counts, and is called once for each pair of them."""
    calls = []

    def evict_when(total, old):
        calls.append((total, old))
        return total - old >= 100

    s = sash.Sliding(sash.Sum(), PolicyWindow(evict_when, over=sash.Count()), emit="update")
    s.push_many(range(0, 2000, 2), [1] * 1000)
    calls.clear()
    assert len(s.push(1901, 1)) == 50
    assert len(calls) == len(set(calls)) <= 4


def test_an_operator_is_used_by_one_thread_at_a_time():
    """A second call in the midst of one is refused, and the first one goes on."""
    entered, refused = threading.Event(), []

    class Slow(Counted):
        def lift(self, value):
            entered.set()
            other.join(10)
            return value

    def intrude():
        entered.wait(10)
        try:
            s.push(2, "b")
        except RuntimeError as error:
            refused.append(str(error))

    s = sash.Sliding(Slow(), TimeWindow(10))
    other = threading.Thread(target=intrude)
    other.start()
    assert s.push(1, "a")[0].value == "a"
    assert len(refused) == 1
    assert "the operator is in use" in refused[0]


def test_a_callback_that_pushes_back_is_refused():
    """With words; the call that it is in the midst of fails, and has changed nothing."""
    s = sash.Sliding(sash.Sum(), TimeWindow(10), lateness=0, on_late=lambda late: s.push(9, 1))
    s.push(5, 1)
    before = s.snapshot()
    with pytest.raises(RuntimeError, match="a callback of its own"):
        s.push(4, 1)
    assert s.snapshot() == before


class Picky(sash.Concat):
    """Refuses to combine from a moment on, and goes on refusing."""

    angry = False

    def combine(self, older, newer):
        if Picky.angry:
            raise ValueError("no more")
        return super().combine(older, newer)

    def lift(self, value):
        return value

    def lower(self, partial):
        return partial


@pytest.mark.parametrize("count", [4, 40, 400])
@pytest.mark.parametrize("policy", [TimeWindow(1000), CountWindow(300), SessionWindow(3)], ids=repr)
def test_rolling_back_calls_no_user_code(policy, count):
    """A combine that fails, and would fail again, leaves the operator as it was: it goes on when the anger is over."""
    operators = [sash.Sliding(Picky(), policy, lateness=5) for _ in range(2)]
    for s in operators:
        s.push_many(range(count), ["x"] * count)
    Picky.angry = True
    try:
        with pytest.raises(ValueError, match="no more"):
            operators[0].push_many(range(count - 2, count + 20), ["y"] * 22)
    finally:
        Picky.angry = False
    assert operators[0].snapshot() == operators[1].snapshot()
    assert operators[0].push(count, "z") == operators[1].push(count, "z")
