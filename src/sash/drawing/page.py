"""A trace as one page with a slider: it needs no network, and nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any, Final

from sash.drawing.canvas import STYLE
from sash.drawing.program import Program
from sash.drawing.trace import Step

__all__ = ["page"]

_PAGE_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2733; --dim: #5c6b7a; --paper: #fff; --card: #f6f7f9; --edge: #dfe4ea;
  --mark: #2456a6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --dim: #97a6b5; --paper: #12171d; --card: #1a2129;
  --edge: #2c3640; --mark: #7fb0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 18px 14px 50px; }
h1 { font-size: 21px; margin: 0; } p { margin: 2px 0 10px; color: var(--dim); }
nav { display: flex; gap: 8px; align-items: center; }
nav input { flex: 1; min-width: 0; accent-color: var(--mark); }
button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: 6px;
  padding: 4px 12px; cursor: pointer; }
#costs { display: flex; align-items: flex-end; gap: 1px; height: 56px; margin: 10px 0 4px;
  border-bottom: 1px solid var(--edge); }
#costs i { flex: 1 1 0; min-width: 0; background: var(--edge); cursor: pointer; border-radius: 2px 2px 0 0; }
#costs i.now { background: var(--mark); }
#line { font: 600 16px ui-monospace, Menlo, Consolas, monospace; margin: 12px 0 2px; overflow-wrap: anywhere; }
#picture { overflow-x: auto; } #picture svg { display: block; max-width: max(100%, 720px); height: auto; }
ol { font: 13px/1.6 ui-monospace, Menlo, Consolas, monospace; padding-left: 42px; overflow-wrap: anywhere; }
"""
_SCRIPT: Final = """
const $ = (id) => document.getElementById(id), steps = JSON.parse($("steps").textContent), slider = $("step");
const most = Math.max(1, ...steps.map((step) => step.combines.length));
steps.forEach((step, at) => {
  const bar = document.createElement("i");
  bar.style.height = `${4 + 50 * step.combines.length / most}px`;
  bar.title = `${step.line}: ${step.words}`;
  bar.onclick = () => show(at);
  $("costs").append(bar);
});
function show(at) {
  at = Math.min(Math.max(at, 0), steps.length - 1);
  const step = steps[at];
  slider.value = at;
  $("line").textContent = step.line;
  $("remark").textContent = step.remark;
  $("words").textContent = `Step ${at + 1} of ${steps.length}, ${step.words}.`;
  $("picture").innerHTML = step.svg;
  $("combines").replaceChildren(...step.combines.map((combine) => {
    const item = document.createElement("li");
    item.textContent = combine;
    return item;
  }));
  [...$("costs").children].forEach((bar, place) => bar.classList.toggle("now", place === at));
}
slider.oninput = () => show(+slider.value);
$("back").onclick = () => show(+slider.value - 1);
$("next").onclick = () => show(+slider.value + 1);
document.onkeydown = (event) => {
  if (event.target === slider) return;
  if (event.key === "ArrowLeft") $("back").click();
  if (event.key === "ArrowRight") $("next").click();
};
show(0);
"""


def page(program: Program, steps: Sequence[Step], title: str) -> str:
    """The page of a trace. The slider, the arrow keys and the bars of costs go from step to step."""
    combines = sum(len(step.combines) for step in steps)
    head = f"{program.algorithm} over {program.aggregation!r}: {len(steps):,} steps, {combines:,} combines"
    data = json.dumps([_data(step) for step in steps], ensure_ascii=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_PAGE_STYLE}{STYLE}</style></head>
<body><main><h1>{escape(title)}</h1><p>{escape(head)}. What a step has changed has a thick edge.</p>
<nav><button id="back" aria-label="The step before">◀</button>
<input id="step" type="range" min="0" max="{len(steps) - 1}" value="0" aria-label="Step">
<button id="next" aria-label="The next step">▶</button></nav>
<div id="costs" title="How many combines each step took"></div>
<div id="line"></div><p id="remark"></p><p id="words"></p><div id="picture"></div><ol id="combines"></ol>
</main><script type="application/json" id="steps">{data}</script><script>{_SCRIPT}</script></body></html>
"""


def _data(step: Step) -> dict[str, Any]:
    count = len(step.combines)
    words = f"{count:,} combine{'' if count == 1 else 's'}"
    if step.operation.name == "query":
        words += f", the result is {step.result}"
    return {
        "line": step.operation.text,
        "remark": step.operation.remark,
        "words": words,
        "svg": step.drawing.body,
        "combines": [f"{one.older} ⊗ {one.newer} = {one.result}" for one in step.combines],
    }
