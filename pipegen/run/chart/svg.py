"""Simulations as self-contained SVG Gantt charts, with a light and a dark theme."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.graph.render.columns import columns, shortened
from pipegen.run.chart.elements import escaped, number, text
from pipegen.run.chart.rows import ChartRow, rows, slot, with_slots
from pipegen.run.chart.times import Unit
from pipegen.run.events import Cause, wait_words
from pipegen.run.model import AttemptResult
from pipegen.run.simulation import Simulation, counted
from pipegen.run.timeline import Bar, TaskWait
from pipegen.structs import Struct
from pipegen.visible import visible

# With more stages, the rows are executors.
_MOST_ROWS = 200
_WIDTH = 1000
_EDGE = 16
_TOP = 96
_ROW = 22
_BAR = 14
# The maximum width of a character column, and the column at which names are cut.
_COLUMN = 7.4
_WIDEST_NAME = 32
# Room to the right of the chart for the duration of the last stage.
_BEHIND = 84
_MARK_DISTANCE = 90
# The minimum visible width of a bar.
_LEAST = 2.0

# Contrast against the background is at least 4.5 for text and 3 for bars, in both themes. Not all viewers support CSS
# variables.
STYLE = """\
text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2328}
.head{font-size:17px;font-weight:600}.quiet{fill:#59636e;font-size:12px}
.ground{fill:#fff}.line{stroke:#d8dee4}.path{fill:#bc4c00}.other{fill:#3f6ca8}.failed{fill:#cf222e}
.waits{stroke:#6e7781;stroke-width:2;stroke-dasharray:2 3}.between{stroke:#fff}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.ground{fill:#0d1117}.line{stroke:#30363d}
.path{fill:#f0883e}.other{fill:#6ea8fe}.failed{fill:#f85149}.waits{stroke:#8b949e}.between{stroke:#0d1117}}"""


class _Chart(Struct, kw_only=True):
    """The layout of a chart: *left* is the position of time 0, *scale* the width of a unit of time.

    *is_by_stage* is whether each row is a stage. *several* holds the machines with several slots.
    """

    simulation: Simulation
    unit: Unit
    rows: tuple[ChartRow, ...]
    is_by_stage: bool
    several: frozenset[str]
    left: float
    scale: float

    @property
    def bottom(self) -> float:
        """The lower end of the rows."""
        return _TOP + len(self.rows) * _ROW

    def x(self, time: float) -> float:
        """Return the position of *time*."""
        return self.left + time * self.scale


def render_svg(simulation: Simulation, unit: Unit) -> str:
    """Return *simulation* as an SVG document."""
    chart_rows = rows(simulation, _MOST_ROWS)
    widest = max((columns(_name(row)) for row in chart_rows), default=0)
    left = _EDGE + widest * _COLUMN + 12
    scale = (_WIDTH - left - _EDGE - _BEHIND) / (simulation.makespan or 1)
    chart = _Chart(
        simulation=simulation,
        unit=unit,
        rows=chart_rows,
        is_by_stage=simulation.stages <= _MOST_ROWS,
        several=with_slots(simulation),
        left=left,
        scale=scale,
    )
    height = chart.bottom + 44
    size = f'viewBox="0 0 {_WIDTH} {number(height)}" width="{_WIDTH}" height="{number(height)}"'
    title, words = _title(simulation, unit), _words(simulation, unit)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title words">',
        f'<title id="title">{escaped(title)}</title>',
        f'<desc id="words">{escaped(words)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{number(height)}"/>',
        text(_EDGE, 32, title, "head"),
        text(_EDGE, 54, words, "quiet"),
        *_axis(chart),
        *(line for index, row in enumerate(chart_rows) for line in _row(chart, row, _TOP + index * _ROW)),
        *_legend(chart),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


# Text


def _title(simulation: Simulation, unit: Unit) -> str:
    return f"{shortened(simulation.title, 80)}: {unit.words(simulation.makespan)}"


def _words(simulation: Simulation, unit: Unit) -> str:
    phrases = [
        counted(simulation.stages, "stage"),
        *([f"{len(simulation.bars):,} attempts"] if len(simulation.bars) > simulation.stages else []),
        f"lower bound {unit.words(simulation.lower_bound)}",
        f"longest path {unit.words(simulation.path.seconds)}",
    ]
    if simulation.utilisation is not None:
        phrases.append(f"{simulation.utilisation:.0%} of the executors' time is used")
    return ", ".join(phrases)


def _tooltip(bar: Bar, chart: _Chart) -> str:
    """Return the tooltip of a bar."""
    words = chart.unit.words
    where = slot(bar.attempt.machine, bar.slots[0], chart.several)
    waits = "".join(f", {_wait_phrase(wait, chart.unit)}" for wait in bar.waits)
    return (
        f"{visible(chart.simulation.name(bar.task.id))}: {words(bar.seconds)}, from {words(bar.start)} to "
        f"{words(bar.end)} on {where}{waits}{', failed' if _is_failed(bar) else ''}"
    )


def _wait_phrase(wait: TaskWait, unit: Unit) -> str:
    waited = "after" if wait.cause is Cause.DELAY else "waited"
    return f"{waited} {unit.words(wait.seconds)} for {wait_words(wait.cause, visible(wait.what))}"


# Shapes


def _axis(chart: _Chart) -> Iterator[str]:
    """Yield a line and a time for each mark."""
    whole = chart.simulation.makespan
    room = whole * chart.scale
    for mark in [0.0, *(chart.unit.marks(whole, int(room // _MARK_DISTANCE)) if whole else ())]:
        x = chart.x(mark)
        yield f'<line class="line" x1="{number(x)}" x2="{number(x)}" y1="{_TOP - 8}" y2="{number(chart.bottom)}"/>'
        yield text(x, _TOP - 14, chart.unit.words(mark) if mark else "0", "quiet", "middle")


def _row(chart: _Chart, row: ChartRow, top: float) -> Iterator[str]:
    yield text(chart.left - 10, top + _BAR, _name(row), "", "end")
    for bar in row.bars:
        yield from _bar(chart, bar, top)
    if chart.is_by_stage:
        bar = row.bars[-1]
        yield text(
            max(chart.x(bar.end), chart.x(bar.start) + _LEAST) + 6, top + _BAR, chart.unit.words(row.seconds), "quiet"
        )


def _bar(chart: _Chart, bar: Bar, top: float) -> Iterator[str]:
    middle, start = top + _ROW / 2 - 2, chart.x(bar.start)
    if chart.is_by_stage:
        for wait in bar.waits:
            ends = f'x1="{number(chart.x(wait.start))}" x2="{number(chart.x(wait.end))}"'
            yield f'<line class="waits" {ends} y1="{number(middle)}" y2="{number(middle)}"/>'
    kind = "path" if bar.task.id in chart.simulation.path.tasks else "other"
    kind = "failed" if _is_failed(bar) else kind
    extra = "" if chart.is_by_stage else " between"
    width = number(max(bar.seconds * chart.scale, _LEAST))
    box = f'x="{number(start)}" y="{number(top + 2)}" width="{width}" height="{_BAR}"'
    yield f'<rect class="{kind}{extra}" {box} rx="2"><title>{escaped(_tooltip(bar, chart))}</title></rect>'


def _is_failed(bar: Bar) -> bool:
    return bar.outcome.result is AttemptResult.FAILED


def _legend(chart: _Chart) -> Iterator[str]:
    y, x = chart.bottom + 26, float(_EDGE)
    for kind, words in (
        ("path", "on the longest path"),
        ("other", "other stage"),
        *([("failed", "failed")] if any(map(_is_failed, chart.simulation.bars)) else []),
        ("waits", "ready, but waiting"),
    ):
        if kind == "waits" and not chart.is_by_stage:
            continue
        yield (
            f'<line class="waits" x1="{number(x)}" x2="{number(x + 14)}" y1="{number(y - 4)}" y2="{number(y - 4)}"/>'
            if kind == "waits"
            else f'<rect class="{kind}" x="{number(x)}" y="{number(y - 11)}" width="{_BAR}" height="{_BAR}" rx="2"/>'
        )
        yield text(x + 20, y, words, "quiet")
        x += 20 + columns(words) * _COLUMN + 16


# Elements


def _name(row: ChartRow) -> str:
    return shortened(visible(row.name), _WIDEST_NAME)
