"""Every Python block in the documents runs and prints what the document says."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.project

PROJECT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of Python and the line of the document on which its code starts."""

    source: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """Find the Python blocks of a document, first to last."""
    for match in BLOCK.finditer(text):
        yield Block(match[1], text.count("\n", 0, match.start(1)))


def run(block: Block, names: dict[str, object], document: str) -> list[str]:
    """Run one block as a session, or as plain code when it has no prompt; return what went wrong."""
    if ">>>" not in block.source:
        exec(compile("\n" * block.line + block.source, document, "exec"), names)
        return []
    session = doctest.DocTestParser().get_doctest(block.source, names, document, document, block.line)
    # The runner works on the session's own names: hand on what it adds to the blocks that follow.
    session.globs = names
    complaints: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(session, out=complaints.append, clear_globs=False)
    return complaints


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_code_in_a_document_runs(document: Path, request: pytest.FixtureRequest) -> None:
    """The blocks of one document are one session: a later block sees the names of the earlier ones. Where they use a
    session of Spark, it is there as `spark`."""
    names: dict[str, object] = {"__name__": "__main__"}
    found = list(blocks(document.read_text()))
    if any(re.search(r"\bspark\.", block.source) for block in found):
        names["spark"] = request.getfixturevalue("spark")
    complaints = [line for block in found for line in run(block, names, document.name)]
    assert not complaints, "".join(complaints)


GUIDES = (
    "README docs/windows docs/algorithms docs/times docs/aggregations docs/write-your-own docs/sliding docs/rolling"
    " docs/labels docs/spark docs/spark-streams docs/stores docs/pipelines docs/index"
    " docs/tutorial docs/late-data docs/many-windows docs/coming-from docs/guarantees docs/choosing docs/state"
)


@pytest.mark.parametrize("document", [f"{guide}.md" for guide in GUIDES.split()])
def test_a_guide_has_code(document: str) -> None:
    """A guide without a block that runs would pass every other test of this file."""
    assert list(blocks((PROJECT / document).read_text()))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_no_code_hides_from_the_tests(document: Path) -> None:
    """A block within a list is indented, and would not be found here."""
    assert not re.search(r"^ +```", document.read_text(), re.MULTILINE)


def test_a_wrong_answer_is_found() -> None:
    """The runner of this file does fail."""
    assert run(Block(">>> 1 + 1\n3\n", 0), {}, "example")
    assert not run(Block(">>> 1 + 1\n2\n", 0), {}, "example")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    """A link into the project names a file that is there."""
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text())
    missing = [target for target in targets if not (document.parent / target).exists()]
    assert not missing
