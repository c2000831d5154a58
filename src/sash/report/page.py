"""The page: one file with its charts, its scripts and its data in it, which needs no network."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Final

import vl_convert

from sash.report.charts import Chart
from sash.report.story import Story

__all__ = ["page"]

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2733; --dim: #5c6b7a; --paper: #f6f7f9; --card: #fff; --edge: #dfe4ea; }
:root[data-theme="dark"] { --ink: #e6ebf0; --dim: #97a6b5; --paper: #12171d; --card: #1a2129; --edge: #2c3640; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1160px; margin: 0 auto; padding: 20px 16px 60px; }
header { display: flex; gap: 12px; align-items: flex-start; justify-content: space-between; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 0; }
p { margin: 2px 0 10px; color: var(--dim); font-size: 14px; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--edge);
  border-radius: 6px; padding: 5px 11px; cursor: pointer; white-space: nowrap; }
dl { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 10px; margin: 16px 0; }
dl div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 8px 12px; }
dt { color: var(--dim); font-size: 12px; } dd { margin: 0; font-size: 17px; font-weight: 600; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 14px; grid-auto-flow: dense; }
section { background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 14px 16px;
  min-width: 0; }
section.wide { grid-column: 1 / -1; }
.chart { width: 100%; } .chart svg { max-width: 100%; }
.vega-bindings { display: flex; flex-wrap: wrap; gap: 6px 18px; margin-top: 6px; font-size: 13px; }
.vega-bindings select { font: inherit; max-width: 60vw; color: var(--ink); background: var(--paper);
  border: 1px solid var(--edge); border-radius: 5px; padding: 3px 5px; }
pre { background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; padding: 10px; overflow-x: auto;
  font-size: 12.5px; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: 8px; } summary { cursor: pointer; }
@media (max-width: 760px) { .charts { grid-template-columns: minmax(0, 1fr); }
  dl { grid-template-columns: repeat(2, minmax(0, 1fr)); } main { padding: 14px 10px 40px; } }
"""
#: What the scripts of Vega leave for those of the page.
_GLOBAL: Final = "window.vegaEmbed = vegaEmbed;"
#: Draws each chart, and again when the theme changes.
_SCRIPT: Final = """
const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;
async function draw() {
  const theme = chosen ?? (dark.matches ? "dark" : "light");
  root.dataset.theme = theme;
  for (const [name, spec] of Object.entries(SPECS)) {
    await vegaEmbed("#" + name, spec, {actions: false, renderer: "svg", config: THEMES[theme], tooltip: {theme}});
  }
  root.dataset.drawn = theme;
}
document.getElementById("theme").onclick = () => { chosen = root.dataset.theme === "dark" ? "light" : "dark"; draw(); };
dark.onchange = draw;
draw();
"""


def _theme(ink: str, dim: str, edge: str) -> dict[str, Any]:
    axis = {"labelColor": dim, "titleColor": dim, "gridColor": edge, "domainColor": edge, "tickColor": edge}
    axis |= {"titleFontWeight": "normal"}
    legend = {"labelColor": ink, "titleColor": dim}
    return {"background": "transparent", "view": {"stroke": None}, "axis": axis, "legend": legend}


_THEMES: Final = {"light": _theme("#1c2733", "#5c6b7a", "#e4e8ed"), "dark": _theme("#e6ebf0", "#97a6b5", "#2c3640")}


def page(story: Story, charts: list[Chart]) -> str:
    """The text of the page. Cost: that of its charts; the scripts of Vega take most of a megabyte."""
    specs = _json({chart.name: chart.spec for chart in charts})
    parts = [_head(story), _facts(story), f'<div class="charts">{"".join(map(_section, charts))}</div>', _plans(story)]
    scripts = f"const SPECS = {specs}, THEMES = {_json(_THEMES)};\n{_SCRIPT}"
    library = vl_convert.javascript_bundle(_GLOBAL).replace("</script", "<\\/script")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(story.title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main>{''.join(parts)}</main>"
        f'<script type="module">{library}\n{scripts}</script></body></html>\n'
    )


def _json(value: Any) -> str:
    """JSON that may stand in a script of a page."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _head(story: Story) -> str:
    return f'<header><div><h1>{escape(story.title)}</h1></div><button id="theme">light or dark</button></header>'


def _facts(story: Story) -> str:
    cells = (f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in story.facts)
    return f"<dl>{''.join(cells)}</dl>"


def _section(chart: Chart) -> str:
    wide = ' class="wide"' if chart.name.startswith(("results-", "compared")) else ""
    return (
        f"<section{wide}><h2>{escape(chart.title)}</h2><p>{escape(chart.words)}</p>"
        f'<div class="chart" id="{chart.name}"></div></section>'
    )


def _plans(story: Story) -> str:
    cells = []
    for stream in story.streams:
        words, toml = escape(stream.plan.explain()), escape(stream.plan.to_toml())
        wide = ' class="wide"' if len(story.streams) == 1 else ""
        cells.append(
            f"<section{wide}><h2>The plan: {escape(stream.title)}</h2>"
            f"<details><summary>in words</summary><pre>{words}</pre></details>"
            f"<details><summary>as TOML</summary><pre>{toml}</pre></details></section>"
        )
    return f'<div class="charts" style="margin-top:14px">{"".join(cells)}</div>'
