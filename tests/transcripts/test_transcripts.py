"""Stories of windows, one a file: what is pushed, and what is emitted; `README.md` says how to read them."""

import datetime as dt
import re
from pathlib import Path

import pytest

import sash
from sash import triggers, windows
from sash.operator import Sliding
from sash.windows.time import CLOSED

STORIES = sorted(Path(__file__).parent.glob("*.txt"))
DAY = dt.datetime(2024, 2, 29)
NAMES = {**{name: getattr(sash, name) for name in sash.__all__}, **vars(windows), **vars(triggers)}


def time_of(text):
    hours, minutes = text.split(":")
    return DAY + dt.timedelta(hours=int(hours), minutes=int(minutes))


def text_of(time):
    return f"{time.hour}:{time.minute:02}"


def value_of(text):
    return None if text == "null" else int(text) if re.fullmatch(r"-?\d+", text) else text


def change_of(verb, name, time=None, value=None):
    return None if time is None else time_of(time), {"op": verb, "id": int(name), "value": value}


def written(result):
    """A result as the stories write it: key: (start, end] value, and its revision from the first on."""
    before, after = CLOSED.get(getattr(result.window, "closed", "both"), "[]")
    if getattr(result.window, "count", None) is not None:
        before, after = "[]"
    key = "" if result.key is None else f"{result.key}: "
    revision = f" (revision {result.revision})" if result.revision else ""
    value = "taken back" if result.retracted else "nothing" if result.value is None else result.value
    return f"{key}{before}{text_of(result.start)}, {text_of(result.end)}{after} {value}{revision}"


class Story:
    """A file: the operator that its head describes, and the lines that it goes through."""

    def __init__(self, path):
        text = path.read_text()
        verbs = "push|insert|update|delete|advance|finish|query"
        self.steps = re.findall(rf"^({verbs}) *(.*?) *-> *(.*(?:\n +.*)*)", text, re.MULTILINE)
        head = dict(re.findall(r"^(window|aggregate|options): (.*)$", text, re.MULTILINE))
        window, aggregate = (eval(head[name], NAMES) for name in ("window", "aggregate"))
        options = eval(f"dict({head.get('options', '')})", NAMES)
        self.operator = Sliding(aggregate, window, **options)

    def emit(self, verb, words):
        """What the operator emits at one line."""
        late = sum(self.operator.late_counts.values())
        if verb == "push":
            *key, time, value = words.split()
            results = self.operator.push(*key, time_of(time), value_of(value))
        elif verb in ("insert", "update", "delete"):
            results = self.operator.push(*change_of(verb, *words.split()))
        elif verb == "query":
            results = self.operator.query(at=time_of(words))
        else:
            results = self.operator.advance(time_of(words)) if words else self.operator.finish()
        if sum(self.operator.late_counts.values()) > late:
            return ["late"]
        return [written(result) for result in results]


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_a_story_goes_as_it_is_written(path):
    """Line by line, what is emitted is what the story says."""
    story = Story(path)
    assert story.steps
    for verb, words, expected in story.steps:
        emitted = [part.strip() for part in re.split(r";|\n", expected) if part.strip() and part.strip() != "silence"]
        assert story.emit(verb, words) == emitted, f"{verb} {words}"


def test_every_policy_has_its_story():
    """No policy without a story, and no line of a story that is not run."""
    text = "\n".join(path.read_text() for path in STORIES)
    streamed = [name for name, policy in windows.known_policies().items() if policy.for_streams]
    assert [name for name in streamed if f"window: {name}(" not in text] == []
    for path in STORIES:
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith((" ", "#"))]
        assert len(lines) - len(Story(path).steps) in (2, 3), f"{path.stem} has lines that are none"
