"""The answers of a simulation as text, data, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from math import inf

from pipegen.fleet.answers.find import Found
from pipegen.fleet.answers.results import FleetResult, GroupResult, LoadResult, QueueResult
from pipegen.fleet.measures import Summary
from pipegen.fleet.model import MachineGroup
from pipegen.run.chart.times import SECONDS
from pipegen.run.simulation import counted
from pipegen.visible import visible

Rows = Sequence[tuple[str, ...]]

_TIMES = ("median", "p95", "p99", "longest")
# Digits of numbers in data.
_DIGITS = 6


def render_text(result: FleetResult) -> str:
    """Return the answers as tables."""
    return "\n\n".join(["\n".join(head(result)), *map(_in_columns, tables(result)), *unfinished_words(result)])


def head(result: FleetResult) -> tuple[str, ...]:
    """Return lines that describe the simulation."""
    fleet = result.fleet
    warm_up = f", with the warm-up of {SECONDS.words(fleet.warm_up)}" if fleet.warm_up else ""
    return (
        f"{counted(result.starts, 'stage')} on {', '.join(_size(group) for group in fleet.groups)}",
        f"pipelines start for {SECONDS.words(fleet.duration)}, seed {fleet.seed}",
        f"shares, machines and cost cover the whole simulation of {SECONDS.words(result.end)}{warm_up}",
    )


def tables(result: FleetResult) -> list[Rows]:
    """Return the answers as tables, each with its head first."""
    answers: list[Rows] = [
        [("waiting in queue", "priority", "stages", *_TIMES, "mean share"), *_queue_rows(result)],
        [("time to result", "pipelines", "failed", *_TIMES), *_load_rows(result)],
        [("machines", "mean number", "used", "cost"), *_group_rows(result)],
    ]
    if any(load_result.preempted for load_result in result.loads):
        answers.append([("preempted", "stages", "work lost"), *_lost_rows(result)])
    return answers


def times_words(times: Summary) -> tuple[str, ...]:
    """Return the median, p95, p99 and longest of *times* in words."""
    return tuple(SECONDS.words(round(time)) if time >= 1 else "0" for time in _times(times))


def unfinished_words(result: FleetResult) -> list[str]:
    """Return a sentence for each load with pipelines that never end."""
    return [
        f"{counted(number, 'pipeline')} of {visible(name)} never end{'s' if number == 1 else ''}: no machine or queue"
        " has room for their stages"
        for name, number in ((load_result.load.name, load_result.unfinished) for load_result in result.loads)
        if number
    ]


def as_data(result: FleetResult) -> dict[str, object]:
    """Return the answers as data, whose keys docs/fleet.md lists."""
    return {
        "seed": result.fleet.seed,
        "end": _rounded(result.end),
        "stages": result.starts,
        "cost": _rounded(result.cost),
        "queues": [_queue_data(queue_result) for queue_result in result.queues],
        "loads": [_load_data(load_result, result) for load_result in result.loads],
        "machines": [_group_data(group_result) for group_result in result.groups],
    }


def render_csv(result: FleetResult) -> str:
    """Return the answers by hour as CSV: the hour, the kind of the subject, its name, the measure, and the value."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("hour", "of", "name", "measure", "value"))
    for load, hours in result.waits_by_hour.items():
        for hour, waits in enumerate(hours):
            writer.writerow((hour, "load", load, "stages", waits.count))
            for name, value in zip(_TIMES, _times(waits), strict=True):
                writer.writerow((hour, "load", load, f"wait {name}", _rounded(value)))
    for queue, shares in {queue_result.queue: queue_result.shares for queue_result in result.queues}.items():
        for hour, share in enumerate(shares):
            writer.writerow((hour, "queue", queue, "share", _rounded(share)))
    for group_result in result.groups:
        columns = {
            "used": group_result.used_by_hour,
            "running": group_result.machines_by_hour,
            "cost": group_result.cost_by_hour,
        }
        for name, values in columns.items():
            for hour, value in enumerate(values):
                writer.writerow((hour, "machines", group_result.group.machine.name, name, _rounded(value)))
    return stream.getvalue().removesuffix("\n")


def found_words(answer: Found) -> str:
    """Return the result of a search in a sentence."""
    name, value = visible(answer.group), _found_words(answer.value)
    if answer.count is None:
        return f"no number of {name} is enough: {value} with {answer.result.fleet.groups[0].maximum:,}"
    fewer = f", {_found_words(answer.fewer)} with one less" if answer.fewer is not None else ""
    return f"enough: {answer.count:,} {name} ({value}{fewer})"


def _found_words(seconds: float) -> str:
    return "without end" if seconds == inf else SECONDS.words(round(seconds, 1))


def found_data(answer: Found) -> dict[str, object]:
    """Return the result of a search as data."""
    return {
        "machines": answer.group,
        "count": answer.count,
        "value": _found_number(answer.value),
        "fewer": _found_number(answer.fewer),
    }


def _found_number(seconds: float | None) -> float | None:
    return None if seconds is None or seconds == inf else _rounded(seconds)


# Rows of text


def _queue_rows(result: FleetResult) -> Iterator[tuple[str, ...]]:
    for queue_result in result.queues:
        words = times_words(queue_result.waits)
        yield (
            visible(queue_result.queue),
            str(queue_result.priority),
            f"{queue_result.waits.count:,}",
            *words,
            f"{queue_result.share:.0%}",
        )


def _load_rows(result: FleetResult) -> Iterator[tuple[str, ...]]:
    for load_result in result.loads:
        yield (
            visible(load_result.load.name),
            f"{load_result.results.count:,}",
            f"{load_result.failures:,}",
            *times_words(load_result.results),
        )


def _group_rows(result: FleetResult) -> Iterator[tuple[str, ...]]:
    for group_result in result.groups:
        yield (
            visible(group_result.group.machine.name),
            f"{group_result.machines:.1f}",
            f"{group_result.used:.0%}",
            f"{group_result.cost:,.2f}",
        )


def _lost_rows(result: FleetResult) -> Iterator[tuple[str, ...]]:
    for load_result in result.loads:
        if load_result.preempted:
            yield (visible(load_result.load.name), f"{load_result.preempted:,}", SECONDS.words(load_result.lost))


def _size(group: MachineGroup) -> str:
    count = f"{group.minimum:,} to {group.maximum:,}" if group.is_scaled else f"{group.maximum:,}"
    return f"{count} {visible(group.machine.name)}"


def _times(times: Summary) -> tuple[float, ...]:
    return (times.median, times.p95, times.p99, times.longest)


def _in_columns(table: Rows) -> str:
    """Return *table* in columns: words to the left, figures to the right."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = (
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


# Data


def _queue_data(queue_result: QueueResult) -> dict[str, object]:
    return {
        "queue": queue_result.queue,
        "priority": queue_result.priority,
        "waiting": _summary_data(queue_result.waits),
        "share": _rounded(queue_result.share),
        "share_by_hour": [_rounded(share) for share in queue_result.shares],
    }


def _load_data(load_result: LoadResult, result: FleetResult) -> dict[str, object]:
    return {
        "load": load_result.load.name,
        "queue": load_result.load.queue,
        "priority": load_result.load.priority,
        "waiting": _summary_data(load_result.waits),
        "result": _summary_data(load_result.results),
        "failed": load_result.failures,
        "unfinished": load_result.unfinished,
        "preempted": load_result.preempted,
        "lost": _rounded(load_result.lost),
        "p95_by_hour": [_rounded(waits.p95) for waits in result.waits_by_hour[load_result.load.name]],
    }


def _group_data(group_result: GroupResult) -> dict[str, object]:
    return {
        "machines": group_result.group.machine.name,
        "minimum": group_result.group.minimum,
        "maximum": group_result.group.maximum,
        "running": _rounded(group_result.machines),
        "used": _rounded(group_result.used),
        "cost": _rounded(group_result.cost),
        "running_by_hour": [_rounded(value) for value in group_result.machines_by_hour],
        "used_by_hour": [_rounded(value) for value in group_result.used_by_hour],
        "cost_by_hour": [_rounded(value) for value in group_result.cost_by_hour],
    }


def _summary_data(times: Summary) -> dict[str, float]:
    return {"count": times.count, "mean": _rounded(times.mean)} | {
        name: _rounded(value) for name, value in zip(_TIMES, _times(times), strict=True)
    }


def _rounded(value: float) -> float:
    return round(value, _DIGITS)
