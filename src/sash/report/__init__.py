"""`report.html`: one page about a run, which needs no network; extra `sash[report]`.

`story` reads what a run left in its folder, `series` and `disorder` make points of it, `charts` draws them by Altair,
and `page` puts all of it into one file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["PAGE", "write"]

#: The name of the page in the folder of a run.
PAGE: Final = "report.html"


def write(folder: Path) -> Path:
    """Make the page of a run from what it left in its folder, and give its path.

    `PipelineError` if the folder is none of a run. Cost: O(n log n) in the results, and a second for the scripts.
    """
    from sash.report.charts import charts
    from sash.report.page import page
    from sash.report.story import read_story

    story = read_story(folder)
    path = folder / PAGE
    path.write_text(page(story, charts(story)), encoding="utf-8")
    return path
