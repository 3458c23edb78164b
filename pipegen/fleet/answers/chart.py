"""The answers of a simulation as a self-contained page: charts by queue and by hour, and the tables of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.fleet.answers.render import head, tables, times_words, unfinished_words
from pipegen.fleet.answers.results import FleetResult
from pipegen.fleet.arrivals import WEEK_HOURS
from pipegen.graph.render.columns import shortened
from pipegen.pictures.chart import Table, render_chart
from pipegen.run.chart.elements import number, text
from pipegen.run.chart.times import SECONDS, UNITS
from pipegen.run.simulation import counted
from pipegen.structs import Struct
from pipegen.visible import visible

_WIDTH, _EDGE = 1000, 16
# The position of hour 0 and of the ends of bars, and the room to the right of bars for their words.
_LEFT, _RIGHT, _WORDS = 150, 980, 230
_HEAD, _BETWEEN, _ROW, _BAR = 44, 26, 46, 11
# The heights of lines and of a row of their names, and the names in it.
_PLOT, _LEGEND, _NAMES_IN_ROW, _NAME_WIDTH = 120, 22, 5, 160
_WIDEST_NAME = 18
# Steps between the marks of hours, and the maximum number of marks.
_STEPS, _MOST_MARKS = (1, 2, 3, 6, 12, 24, 48, 168, 336, 672, 1344), 14
_DAY, _DAYS = 24, ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# The number of colours; further lines have other dashes.
_COLOURS = 6
_DASHES = ("", "6 3", "2 3", "8 3 2 3")

# Contrast against the background is at least 3 for lines and bars, in both themes.
_LIGHT = ("#2f6db5", "#bc4c00", "#8250df", "#0f766e", "#bf3989", "#59636e")
_DARK = ("#6ea8fe", "#f0883e", "#bc8cff", "#39c5bb", "#f778ba", "#9198a1")


def _colours(colours: Sequence[str]) -> str:
    return "".join(f".c{index}{{fill:{colour}}}.l{index}{{stroke:{colour}}}" for index, colour in enumerate(colours))


_STYLE = (
    'text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2328}'
    ".head{font-size:15px;font-weight:600}.quiet{fill:#59636e;font-size:12px}.ground{fill:#fff}.line{stroke:#d8dee4}"
    f".series{{fill:none;stroke-width:1.6}}.area{{fill-opacity:.35}}{_colours(_LIGHT)}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.ground{fill:#0d1117}"
    f".line{{stroke:#30363d}}{_colours(_DARK)}}}"
)


class _Series(Struct):
    """The values of something by hour; an area is filled down to 0."""

    name: str
    values: Sequence[float]
    is_area: bool = False


class _Bars(Struct):
    """A row of bars from 0 to each of *values*, and *words* that say the values."""

    name: str
    values: Sequence[float]
    words: Sequence[str]


def page(result: FleetResult, source: str, words: Sequence[str]) -> str:
    """Return the page of *result*, of the fleet in the file *source*; *words* come first."""
    return render_chart(
        title=f"{source}: {head(result)[0]}",
        heading="Simulated fleet",
        words=(*words, *head(result), *unfinished_words(result)),
        chart=_svg(result),
        tables=[
            Table(
                first[0].capitalize(),
                (_FIRST.get(first[0], "Load"), *(word.capitalize() for word in first[1:])),
                tuple(rows),
            )
            for first, *rows in tables(result)
        ],
    )


# The names of first columns whose tables are not about loads.
_FIRST = {"waiting in queue": "Queue", "machines": "Machines"}


def _svg(result: FleetResult) -> str:
    lines: list[str] = []
    top = 0.0
    for chart in _charts(result):
        drawn, height = chart.drawn(top)
        lines += drawn
        top += height + _BETWEEN
    size = f'viewBox="0 0 {_WIDTH} {number(top)}" width="{_WIDTH}" height="{number(top)}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title">',
            '<title id="title">Waits, use, cost and shares of the fleet; the tables below have the figures</title>',
            f"<style>{_STYLE}</style>",
            f'<rect class="ground" width="{_WIDTH}" height="{number(top)}"/>',
            *lines,
            "</svg>",
        ]
    )


def _charts(result: FleetResult) -> Iterator[_BarChart | _LineChart]:
    """Yield the charts of the page, from top to bottom."""
    waits = [
        _Bars(
            f"{queue_result.queue}, {queue_result.priority}",
            (queue_result.waits.median, queue_result.waits.p95, queue_result.waits.p99),
            times_words(queue_result.waits)[:3],
        )
        for queue_result in result.queues
    ]
    yield _BarChart("Waiting time by queue and priority", ("median", "p95", "p99"), waits)
    p95 = [_Series(name, [hour.p95 for hour in hours]) for name, hours in result.waits_by_hour.items()]
    yield _LineChart("95th percentile of the waits of stages that are ready in an hour, by load", p95, is_time=True)
    for group in result.groups:
        busy = [used * running for used, running in zip(group.used_by_hour, group.machines_by_hour, strict=True)]
        shown = [_Series("in use", busy, is_area=True), _Series("running", group.machines_by_hour)]
        yield _LineChart(f"Machines of {visible(group.group.machine.name)}: {group.used:.0%} used", shown)
    if result.cost:
        costs = [_Series(group.group.machine.name, group.cost_by_hour) for group in result.groups]
        yield _LineChart(f"Cost by hour: {result.cost:,.2f} in all", costs)
    shares = {
        queue_result.queue: _Series(queue_result.queue, [100 * share for share in queue_result.shares])
        for queue_result in result.queues
    }
    yield _LineChart("Dominant share of each queue in all machines, in percent", list(shares.values()))
    lost = [
        _Bars(
            load_result.load.name,
            (load_result.lost,),
            [f"{SECONDS.words(round(load_result.lost))} in {counted(load_result.preempted, 'stage')}"],
        )
        for load_result in result.loads
        if load_result.preempted
    ]
    if lost:
        yield _BarChart("Work lost because stages were stopped for others", ("lost",), lost)


class _BarChart(Struct):
    """Rows of bars with one scale."""

    title: str
    names: Sequence[str]
    rows: Sequence[_Bars]

    def drawn(self, top: float) -> tuple[list[str], float]:
        """Return the elements of the chart below *top*, and its height."""
        scale = (_RIGHT - _LEFT - _WORDS) / (max((max(row.values) for row in self.rows), default=0.0) or 1.0)
        lines = [text(_EDGE, top + 24, self.title, "head")]
        y = top + _HEAD - 4
        for row in self.rows:
            height = len(row.values) * (_BAR + 2)
            lines.append(text(_LEFT - 10, y + height / 2 + 4, _name(row.name), "", "end"))
            for index, (value, words) in enumerate(zip(row.values, row.words, strict=True)):
                width = max(value * scale, 1.0)
                box = f'x="{_LEFT}" y="{number(y)}" width="{number(width)}" height="{_BAR}"'
                name = f"{self.names[index]} " if len(self.names) > 1 else ""
                lines.append(f'<rect class="c{index}" {box} rx="2"/>')
                lines.append(text(_LEFT + width + 6, y + _BAR - 1, f"{name}{words}", "quiet"))
                y += _BAR + 2
            y += _ROW - 3 * (_BAR + 2)
        return lines, y - top


class _LineChart(Struct):
    """Lines over hours; *is_time* is whether the values are seconds."""

    title: str
    series: Sequence[_Series]
    is_time: bool = False

    def drawn(self, top: float) -> tuple[list[str], float]:
        """Return the elements of the chart below *top*, and its height."""
        hours = max((len(series.values) for series in self.series), default=0) or 1
        highest = max((max(series.values, default=0.0) for series in self.series), default=0.0) or 1.0
        unit = SECONDS if self.is_time else UNITS
        step = unit.step(highest, 3)
        limit = step * (highest // step + (highest % step > 0))
        bottom, across, up = top + _HEAD + _PLOT, (_RIGHT - _LEFT) / hours, _PLOT / limit
        lines = [text(_EDGE, top + 24, self.title, "head")]
        for mark in [0.0, *unit.marks(limit, 4)]:
            y = number(bottom - mark * up)
            lines.append(f'<line class="line" x1="{_LEFT}" x2="{_RIGHT}" y1="{y}" y2="{y}"/>')
            lines.append(text(_LEFT - 10, bottom - mark * up + 4, unit.words(mark) if mark else "0", "quiet", "end"))
        for hour, words in _marks(hours):
            x = number(_LEFT + hour * across)
            lines.append(f'<line class="line" x1="{x}" x2="{x}" y1="{number(bottom)}" y2="{number(bottom + 5)}"/>')
            lines.append(text(_LEFT + hour * across, bottom + 18, words, "quiet", "middle"))
        for index, series in enumerate(self.series):
            colour, dashes = index % _COLOURS, _DASHES[index // _COLOURS % len(_DASHES)]
            steps = "".join(
                f"V{number(bottom - value * up)}H{number(_LEFT + (hour + 1) * across)}"
                for hour, value in enumerate(series.values)
            )
            start = f"M{_LEFT} {number(bottom)}"
            if series.is_area:
                lines.append(f'<path class="c{colour} area" d="{start}{steps}V{number(bottom)}Z"/>')
            dash = f' stroke-dasharray="{dashes}"' if dashes else ""
            lines.append(f'<path class="series l{colour}" d="{start}{steps}"{dash}/>')
            row, column = divmod(index, _NAMES_IN_ROW)
            legend, below = _LEFT + column * _NAME_WIDTH, bottom + 40 + row * _LEGEND
            ends = f'x1="{number(legend)}" x2="{number(legend + 18)}" y1="{number(below - 4)}" y2="{number(below - 4)}"'
            lines.append(f'<line class="series l{colour}" {ends}{dash}/>')
            lines.append(text(legend + 24, below, _name(series.name), "quiet"))
        rows = (len(self.series) - 1) // _NAMES_IN_ROW + 1
        return lines, _HEAD + _PLOT + 24 + rows * _LEGEND


def _marks(hours: int) -> Iterator[tuple[int, str]]:
    """Yield hours for the marks of an axis, with their words."""
    step = next((step for step in _STEPS if hours / step <= _MOST_MARKS), _STEPS[-1])
    for hour in range(0, hours, step):
        day, of_day = divmod(hour, _DAY)
        name = _DAYS[day % len(_DAYS)] if hours <= 2 * WEEK_HOURS else f"day {day + 1}"
        yield hour, f"{of_day}:00" if of_day else name


def _name(name: str) -> str:
    return shortened(visible(name), _WIDEST_NAME)
