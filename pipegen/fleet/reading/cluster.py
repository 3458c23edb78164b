"""The machines of a cluster, from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pipegen.assets import schema
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.config.schema.check import check_settings
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.fleet.reading.values import whole
from pipegen.plan.stage.machine.resources import cpu, memory
from pipegen.run.model import RunMachine
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, as_items, child, scalars_of
from pipegen.structs import replace


def read_cluster(path: Path, report: Report) -> tuple[RunMachine, ...]:
    """Return the machines in the file at *path*; raise `Stopped` if it is invalid."""
    file = load(path, report)
    report.stop_if_errors()
    tree = read(file, report, first_key="machines")
    check_settings(tree, schema("cluster"), report, file.path)
    report.stop_if_errors()
    machines: dict[str, tuple[RunMachine, Span]] = {}
    for item in as_items(child(tree, "machines")):
        for machine, span in _machines(item, report):
            if machine.name in machines:
                _report_duplicate(machine.name, span, machines[machine.name][1], report)
                break
            machines[machine.name] = (machine, span)
    report.stop_if_errors()
    return tuple(machine for machine, _ in machines.values())


def _machines(item: Node, report: Report) -> Iterator[tuple[RunMachine, Span]]:
    """Yield the machines of one *item*, each with the span of its name."""
    if not isinstance(item, Mapping):
        return
    name, count = item.get("name"), whole(item.get("count"), 1)
    if not isinstance(name, Scalar):
        return
    machine = read_machine(item, name.text, report)
    for number in range(1, count + 1):
        yield machine if count == 1 else replace(machine, name=f"{name.text}-{number}"), name.span


def read_machine(item: Mapping, name: str, report: Report) -> RunMachine:
    """Return the machine of *item* with a *name*."""
    return RunMachine(
        name=name,
        slots=whole(item.get("slots"), 1),
        cpu=cpu(item.get("cpu"), report),
        memory=memory(item.get("memory"), report),
        labels=tuple(label.text for label in scalars_of(item.get("labels"))),
    )


def _report_duplicate(name: str, span: Span, first: Span, report: Report) -> None:
    report.add(
        codes.DUPLICATE_MACHINE,
        f'there are two machines "{name}"',
        at=span,
        related=[Label(first, "the first one")],
        hint='give each a unique name, or use "count"',
    )
