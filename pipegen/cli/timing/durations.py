"""Durations of stages from a file: names, each with seconds or a duration in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped, suggestion
from pipegen.graph.render.columns import shortened
from pipegen.plan.durations import assumed_words, length
from pipegen.plan.model import Job, Plan
from pipegen.run.model import TaskId
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, ScalarKind

# As in a config: see "duration" in its schema.
_WORDS = re.compile(r"\s*([0-9]+\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)\s*)+", re.ASCII)
_HINT = 'write seconds, or a time such as "90s", "20 minutes" or "1h 30m"'
# Longer durations (30 years) are invalid.
_LONGEST = 1e9
# Longer numbers are invalid, and some cause overflows.
_LONGEST_TEXT = 100


def load_durations(path: Path, plans: Mapping[str, Plan], report: Report) -> dict[TaskId, float]:
    """Return the seconds of the stages of *plans*, by the names of their runs, from the file at *path*.

    An entry names a stage, or a stage with its pipeline as in `service: build`, or a combination of a matrix. Stages
    without an entry take the mean of the others, and are reported.
    """
    file = load(path, report)
    report.stop_if_errors()
    entries = _entries(_tree(file, report), report)
    report.stop_if_errors()
    used: set[str] = set()
    durations: dict[TaskId, float] = {}
    missing: list[TaskId] = []
    left_out: list[TaskId] = []
    for run, plan in plans.items():
        for job in plan.jobs:
            names = [name for name in _names(run, plan, job) if name in entries]
            if names:
                used.update(names)
                durations[TaskId(run, job.stage)] = entries[names[0]][0]
            else:
                # Stages that stop an environment do not run.
                is_left_out = job.deployment.stops_environment
                (left_out if is_left_out else missing).append(TaskId(run, job.stage))
    if len(used) < len(entries):
        _report_unknown([(name, span) for name, (_, span) in entries.items() if name not in used], plans, report)
    mean = sum(durations.values()) / len(durations) if durations else 1.0
    _report_missing(missing, mean, file, report)
    return durations | dict.fromkeys((*missing, *left_out), mean)


def check_timeouts(plans: Mapping[str, Plan], durations: Mapping[TaskId, float], report: Report) -> None:
    """Report stages of *plans* that exceed their timeouts."""
    for run, plan in plans.items():
        for job in plan.jobs:
            limit, time = job.limits.timeout, durations[TaskId(run, job.stage)]
            if limit is not None and time > limit.seconds:
                report.add(
                    codes.LONGER_THAN_TIMEOUT,
                    f'stage "{job.stage}" takes {time:g} s, but its timeout is {limit.seconds} s',
                    at=limit.span,
                    related=[Label(job.span, "this stage")],
                    hint="in a run, the stage would fail; in the simulation, it runs to its end",
                )


def _names(run: str, plan: Plan, job: Job) -> list[str]:
    """Return the names of *job* in a file, most specific first."""
    owners = dict.fromkeys((run, plan.name))
    stages = dict.fromkeys((job.stage, job.title))
    return [*(f"{owner}: {stage}" for stage in stages for owner in owners), *stages]


def _tree(file: SourceFile, report: Report) -> Node:
    """Return the tree of *file*; an empty file is an empty scalar, which is reported later."""
    own_report = Report()
    try:
        tree = read(file, own_report)
    except Stopped:
        if any(diagnostic.code is codes.EMPTY_FILE for diagnostic in own_report.diagnostics()):
            return Scalar("", Span(file, 0, 0))
        report.take(own_report)
        raise
    report.take(own_report)
    return tree


def _entries(tree: Node, report: Report) -> dict[str, tuple[float, Span]]:
    if not isinstance(tree, TreeMapping):
        report.add(
            codes.INVALID_DURATIONS,
            "durations must be a map of stages to times",
            at=tree.span,
            hint='write lines such as "build: 90" or "test: 4 minutes"',
        )
        return {}
    return {entry.key.text: (_seconds(entry.key, entry.value, report), entry.key.span) for entry in tree.entries}


def _seconds(name: Scalar, node: Node, report: Report) -> float:
    if isinstance(node, Scalar) and len(node.text) <= _LONGEST_TEXT:
        time: float | None = None
        if node.kind in (ScalarKind.INTEGER, ScalarKind.NUMBER):
            time = float(node.value or 0)
        elif node.kind is ScalarKind.TEXT and _WORDS.fullmatch(node.text):
            time = float(length(node))
        if time is not None and 0 <= time <= _LONGEST:
            return time
    shown = (
        f'"{shortened(node.text, 40)}" is'
        if isinstance(node, Scalar) and node.kind is not ScalarKind.NULL
        else "there is"
    )
    report.add(
        codes.INVALID_DURATIONS,
        f'{shown} no time for stage "{name.text}"',
        at=node.span,
        related=[Label(name.span)] if not isinstance(node, Scalar) else (),
        hint=_HINT,
    )
    return 0.0


def _report_unknown(names: Sequence[tuple[str, Span]], plans: Mapping[str, Plan], report: Report) -> None:
    known = dict.fromkeys(name for run, plan in plans.items() for job in plan.jobs for name in _names(run, plan, job))
    for name, span in names:
        similar = suggestion(name, known)
        report.add(
            codes.UNKNOWN_DURATION,
            f'no pipeline here has a stage "{name}"',
            at=span,
            hint=f'rename it to "{similar}", or remove it' if similar else "remove it, or choose its pipeline too",
        )


def _report_missing(stages: Sequence[TaskId], mean: float, file: SourceFile, report: Report) -> None:
    if not stages:
        return
    report.add(
        codes.MISSING_DURATION,
        f"no duration for {assumed_words([task.stage for task in stages], mean)}, the mean of the others",
        at=Span(file, 0, 0),
        hint="add them, so that the figures are correct",
    )
