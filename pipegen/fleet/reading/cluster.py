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
from pipegen.plan.stage.machine.resources import cpu, memory
from pipegen.run.model import RunMachine
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, integer
from pipegen.structs import replace


def read_cluster(path: Path, report: Report, *, shown: str | None = None) -> tuple[RunMachine, ...]:
    """Return the machines in the file at *path*; raise `Stopped` if it is invalid."""
    file = load(path, report, shown=shown)
    report.stop_if_errors()
    tree = read(file, report, first_key="machines")
    check_settings(tree, schema("cluster"), report, "cluster")
    report.stop_if_errors()
    machines: dict[str, tuple[RunMachine, Span]] = {}
    for item in _items(tree.get("machines") if isinstance(tree, Mapping) else None):
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
    name, count = item.get("name"), _number(item.get("count"))
    if not isinstance(name, Scalar):
        return
    machine = read_machine(item, name.text, report)
    for number in range(1, count + 1):
        yield machine if count == 1 else replace(machine, name=f"{name.text}-{number}"), name.span


def read_machine(item: Mapping, name: str, report: Report) -> RunMachine:
    """Return the machine of *item* with a *name*."""
    return RunMachine(
        name=name,
        slots=_number(item.get("slots")),
        cpu=cpu(item.get("cpu"), report),
        memory=memory(item.get("memory"), report),
        labels=tuple(label.text for label in _items(item.get("labels")) if isinstance(label, Scalar)),
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list, a single value as a list, or ()."""
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)


def _number(node: Node | None) -> int:
    return integer(node.text) if isinstance(node, Scalar) else 1


def _report_duplicate(name: str, span: Span, first: Span, report: Report) -> None:
    report.add(
        codes.DUPLICATE_MACHINE,
        f'there are two machines "{name}"',
        at=span,
        related=[Label(first, "the first one")],
        hint='give each a unique name, or use "count"',
    )
