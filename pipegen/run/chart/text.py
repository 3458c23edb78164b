"""Simulations for a terminal: figures, and a chart without colours."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from pipegen.graph.render.columns import columns, padded, shortened
from pipegen.run.chart.rows import ChartRow, rows
from pipegen.run.chart.times import Unit
from pipegen.run.events import wait_words
from pipegen.run.model import TaskId
from pipegen.run.simulation import Simulation, counted
from pipegen.structs import Struct
from pipegen.visible import visible

# With more stages, the rows are executors.
_MOST_ROWS = 100
_WIDEST_NAME = 32
# The minimum number of columns of the chart; narrower terminals wrap its lines.
_LEAST_ROOM = 20
# The minimum number of columns between two marks of the axis.
_MARK_DISTANCE = 14
# The maximum number of stages shown of the longest path.
_LONGEST_PATH = 20
# The number of stages named for each cause of waits.
_FEW = 3

# A space inside a duration, and its placeholder while lines are wrapped.
_IN_TIME = re.compile(r"(?<=[0-9]) (?=(?:s|min|h)\b)|(?<=[0-9] h) (?=[0-9])|(?<=[0-9] min) (?=[0-9])")
_KEEP = "\x1f"


class Glyphs(Struct):
    """The characters of a chart: a stage on the longest path, another stage or a partly used slot, and a wait."""

    path: str
    other: str
    waits: str

    @classmethod
    def of(cls, encoding: str) -> Glyphs:
        """Return the characters that *encoding* can write."""
        try:
            (BLOCKS.path + BLOCKS.other + BLOCKS.waits).encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return ASCII
        return BLOCKS


BLOCKS = Glyphs("█", "▒", "·")
ASCII = Glyphs("#", "=", ".")


def render_text(simulation: Simulation, unit: Unit, width: int = 80, glyphs: Glyphs = BLOCKS) -> str:
    """Return *simulation* as lines that fit *width*."""
    return "\n".join([*figures(simulation, unit, width), "", *chart(simulation, unit, width, glyphs)])


def figures(simulation: Simulation, unit: Unit, width: int) -> list[str]:
    """Return the lines with the figures of the run."""
    entries = [
        ("makespan", unit.words(simulation.makespan)),
        ("lower bound", _bound(simulation, unit)),
        ("longest path", _path(simulation, unit)),
        ("utilisation", "" if simulation.utilisation is None else f"{simulation.utilisation:.0%}"),
        *(("waiting" if not number else "", words) for number, words in enumerate(_waiting(simulation, unit))),
    ]
    lines = []
    for name, words in entries:
        if words:
            first, *rest = _wrapped(words, width - 14)
            lines += [f"{name:<12}  {first}", *(f"{'':<12}  {line}" for line in rest)]
    return lines


def chart(simulation: Simulation, unit: Unit, width: int, glyphs: Glyphs) -> list[str]:
    """Return the lines of a Gantt chart: one for each stage, or for each slot if there are many stages."""
    chart_rows = rows(simulation, _MOST_ROWS)
    is_by_stage = simulation.stages <= _MOST_ROWS
    names = [shortened(visible(row.name), _WIDEST_NAME) for row in chart_rows]
    notes = [_note(row, simulation, unit, is_by_stage=is_by_stage) for row in chart_rows]
    column, margin = max(map(columns, names), default=0), max(map(len, notes), default=0)
    room = max(width - column - margin - 4, _LEAST_ROOM)
    draw = _bar if is_by_stage else _use
    lines = [" " * (column + margin + 4) + _axis(simulation.makespan, unit, room)]
    for row, name, note in zip(chart_rows, names, notes, strict=True):
        lines.append(f"{padded(name, column)}  {note:>{margin}}  {draw(row, simulation, room, glyphs)}".rstrip())
    if is_by_stage:
        legend = f"{glyphs.path} on the longest path, {glyphs.other} other, {glyphs.waits} ready, but waiting"
    else:
        legend = f"{glyphs.path} busy, {glyphs.other} partly busy (more than {_MOST_ROWS} stages: by executor)"
    return [*lines, "", *_wrapped(legend, width)]


# Figures


def _bound(simulation: Simulation, unit: Unit) -> str:
    path, shared = unit.words(simulation.path.seconds), unit.words(simulation.shared_work)
    if simulation.slots is None:
        return f"{path}: the longest path"
    work = f"the work of {unit.words(simulation.work)} on {counted(simulation.slots, 'executor')} takes {shared}"
    if simulation.path.seconds >= simulation.shared_work:
        return f"{path}: the longest path ({work})"
    return f"{shared}: {work} (the longest path takes {path})"


def _path(simulation: Simulation, unit: Unit) -> str:
    times = {bar.task.id: bar.seconds for bar in simulation.bars}
    tasks = simulation.path.tasks
    stages = [_stage_time(simulation, task, unit.words(times[task])) for task in tasks]
    if len(stages) > _LONGEST_PATH:
        half = _LONGEST_PATH // 2
        stages[half:-half] = [f"{counted(len(stages) - 2 * half, 'stage')} more"]
    return " -> ".join(stages)


def _waiting(simulation: Simulation, unit: Unit) -> Iterator[str]:
    """Yield a line for each cause."""
    for (cause, what), times in simulation.waiting().items():
        total = unit.words(sum(time for _, time in times))
        longest = ", ".join(_stage_time(simulation, task, unit.words(time)) for task, time in times[:_FEW])
        more = f" and {len(times) - _FEW} more" if len(times) > _FEW else ""
        yield f"{total} for {wait_words(cause, visible(what))}: {longest}{more}"


def _stage_time(simulation: Simulation, task: TaskId, time: str) -> str:
    return f"{visible(simulation.name(task))} ({time})"


def _wrapped(words: str, width: int) -> list[str]:
    """Return *words* wrapped at spaces to *width*, but not inside a duration; longer words get their own line."""
    words = _IN_TIME.sub(_KEEP, words)
    lines = [""]
    for word in words.split(" "):
        if lines[-1] and columns(lines[-1]) + 1 + columns(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return [line.replace(_KEEP, " ") for line in lines]


# Chart


def _note(row: ChartRow, simulation: Simulation, unit: Unit, *, is_by_stage: bool) -> str:
    """Return the text next to the name of a row: the duration of the stage, or the utilisation of the slot."""
    if is_by_stage:
        return unit.words(row.seconds)
    return f"{sum(bar.seconds for bar in row.bars) / (simulation.makespan or 1):.0%}"


def _bar(row: ChartRow, simulation: Simulation, room: int, glyphs: Glyphs) -> str:
    """Return the wait and run of a stage; the run takes at least one column."""
    bar = row.bars[0]
    scale = room / (simulation.makespan or 1)
    start = min(math.floor(bar.start * scale), room - 1)
    end = max(math.ceil(bar.end * scale - 1e-9), start + 1)
    ready = min((math.floor(wait.start * scale) for wait in bar.waits), default=start)
    fill = glyphs.path if bar.task.id in simulation.path.tasks else glyphs.other
    return " " * ready + glyphs.waits * (start - ready) + fill * (end - start)


def _use(row: ChartRow, simulation: Simulation, room: int, glyphs: Glyphs) -> str:
    """Return the use of a slot in each column."""
    scale = room / (simulation.makespan or 1)
    used = [0.0] * (room + 1)
    for bar in row.bars:
        start, end = bar.start * scale, bar.end * scale
        for column in range(math.floor(start), min(math.ceil(end), room)):
            used[column] += min(end, column + 1) - max(start, column)
    return "".join(glyphs.path if part > 1 - 1e-6 else glyphs.other if part else " " for part in used)


def _axis(whole: float, unit: Unit, room: int) -> str:
    """Return the axis: marks at their columns, followed by their times."""
    line = "|0"
    for mark in unit.marks(whole, room // _MARK_DISTANCE) if whole else ():
        column, words = math.floor(mark * room / whole), unit.words(mark)
        if column + len(words) + 1 <= room:
            line = f"{line:<{column}}|{words}"
    return line
